// SPDX-License-Identifier: BSD-3-Clause
#include "gen/captures/address_map.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/math/random.h"

struct entry {
	struct ipframe_address address;
	uint32_t host;
	bool kept; // a rule names its host
};

// Two addresses that exchange packets, by their numbers.
struct pair {
	uint32_t later, earlier;
};

struct addrmap {
	uint32_t hosts;
	uint64_t seed;
	struct entry *entries; // in order of appearance
	uint32_t *addresses;   // [host]: addresses that it stands for
	uint32_t used, room;
	uint32_t *index; // open addressing: number of an entry plus one; 0: free
	size_t index_room;
	struct pair *pairs;
	size_t pairs_used, pairs_room;
};

struct addrmap *addrmap_new(uint32_t hosts, uint64_t seed)
{
	struct addrmap *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	*m = (struct addrmap){.hosts = hosts, .seed = seed, .index_room = 256};
	m->index = calloc(m->index_room, sizeof(*m->index));
	m->addresses = calloc(hosts, sizeof(*m->addresses));
	if (!m->index || !m->addresses) {
		addrmap_free(m);
		return NULL;
	}
	return m;
}

void addrmap_free(struct addrmap *m)
{
	if (!m)
		return;
	free(m->entries);
	free(m->index);
	free(m->pairs);
	free(m->addresses);
	free(m);
}

static uint64_t hash(const struct addrmap *m, const struct ipframe_address *a)
{
	uint64_t half[2];

	memcpy(half, a->bytes, sizeof(half));
	return drb_mix64(drb_mix64(drb_mix64(m->seed + a->size) ^ half[0]) ^ half[1]);
}

static bool same(const struct ipframe_address *a, const struct ipframe_address *b)
{
	return a->size == b->size && memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

// The position of the address in the index, or the free position where it belongs.
static uint32_t *address_find(const struct addrmap *m, const struct ipframe_address *a)
{
	size_t i = hash(m, a) & (m->index_room - 1);

	while (m->index[i] && !same(&m->entries[m->index[i] - 1].address, a))
		i = (i + 1) & (m->index_room - 1);
	return &m->index[i];
}

static int grow(struct addrmap *m)
{
	size_t room = 2 * m->index_room;
	uint32_t *index = calloc(room, sizeof(*index));
	struct entry *entries = realloc(m->entries, room / 2 * sizeof(*entries));

	if (entries)
		m->entries = entries;
	if (!index || !entries) {
		free(index);
		return -ENOMEM;
	}
	free(m->index);
	m->index = index;
	m->index_room = room;
	m->room = (uint32_t)(room / 2);
	for (uint32_t i = 0; i < m->used; i++)
		*address_find(m, &m->entries[i].address) = i + 1;
	return 0;
}

// The number of an address, which is added if it is new; or -ENOMEM.
static int64_t address_enter(struct addrmap *m, const struct ipframe_address *a)
{
	uint32_t *at = address_find(m, a);

	if (*at)
		return *at - 1;
	if (m->used == m->room) {
		if (m->used >= UINT32_MAX / 4 || grow(m) < 0)
			return -ENOMEM;
		at = address_find(m, a);
	}
	m->entries[m->used] = (struct entry){.address = *a, .host = DRB_NO_LABEL};
	*at = ++m->used;
	return m->used - 1;
}

int addrmap_add(struct addrmap *m, const struct ipframe_address *a, const struct ipframe_address *b)
{
	int64_t x = address_enter(m, a), y = address_enter(m, b);

	if (x < 0 || y < 0)
		return -ENOMEM;
	struct pair pair = {.later = (uint32_t)(x > y ? x : y),
			    .earlier = (uint32_t)(x > y ? y : x)};
	// Consecutive packets often belong to one conversation, and need one entry.
	const struct pair *last = m->pairs_used ? &m->pairs[m->pairs_used - 1] : NULL;
	if (x == y || (last && last->later == pair.later && last->earlier == pair.earlier))
		return 0;
	if (m->pairs_used == m->pairs_room) {
		size_t room = m->pairs_room ? 2 * m->pairs_room : 256;
		struct pair *p = realloc(m->pairs, room * sizeof(*p));
		if (!p)
			return -ENOMEM;
		m->pairs = p;
		m->pairs_room = room;
	}
	m->pairs[m->pairs_used++] = pair;
	return 0;
}

void addrmap_keep(struct addrmap *m, const struct host_rules *rules)
{
	for (uint32_t i = 0; i < m->used; i++) {
		m->entries[i].host = host_rules_host(rules, &m->entries[i].address);
		m->entries[i].kept = m->entries[i].host != DRB_NO_LABEL;
		if (m->entries[i].kept)
			m->addresses[m->entries[i].host]++;
	}
}

// Addresses with a host from a rule count as announced before all others, because they have their
// hosts first.
static void keep_first(struct addrmap *m)
{
	for (size_t p = 0; p < m->pairs_used; p++) {
		struct pair *pair = &m->pairs[p];
		if (m->entries[pair->later].kept && !m->entries[pair->earlier].kept)
			*pair = (struct pair){.later = pair->earlier, .earlier = pair->later};
	}
}

static int by_later(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return x->later < y->later ? -1 : x->later > y->later;
}

// Returns the fewest addresses that a host stands for.
static uint32_t fewest_of(const struct addrmap *m)
{
	uint32_t fewest = UINT32_MAX;

	for (uint32_t h = 0; h < m->hosts; h++)
		fewest = m->addresses[h] < fewest ? m->addresses[h] : fewest;
	return fewest;
}

// Returns the host of address i. taken[h] == i + 1: host h has a partner of address i. Stops at the
// first host that has `fewest` addresses, the fewest of all hosts.
static uint32_t choose_host(const struct addrmap *m, uint32_t i, const uint32_t taken[],
			    uint32_t fewest)
{
	const uint32_t first =
		drb_scale32((uint32_t)(hash(m, &m->entries[i].address) >> 32), m->hosts);
	uint32_t best = DRB_NO_LABEL;

	for (uint32_t step = 0; step < m->hosts; step++) {
		const uint32_t host = (uint32_t)(((uint64_t)first + step) % m->hosts);
		if (taken[host] == i + 1)
			continue;
		if (best == DRB_NO_LABEL || m->addresses[host] < m->addresses[best])
			best = host;
		if (m->addresses[best] == fewest)
			return best;
	}
	return best == DRB_NO_LABEL ? first : best;
}

int addrmap_solve(struct addrmap *m)
{
	uint32_t *taken = calloc(m->hosts, sizeof(*taken)); // as in choose_host()
	uint32_t fewest = fewest_of(m);
	size_t p = 0;

	if (!taken)
		return -ENOMEM;
	keep_first(m);
	if (m->pairs_used)
		qsort(m->pairs, m->pairs_used, sizeof(*m->pairs), by_later);
	for (uint32_t i = 0; i < m->used; i++) {
		for (; p < m->pairs_used && m->pairs[p].later == i; p++)
			taken[m->entries[m->pairs[p].earlier].host] = i + 1;
		if (m->entries[i].kept)
			continue;
		const uint32_t host = choose_host(m, i, taken, fewest);
		// If this was the last host with the fewest addresses, the next address begins
		// another round.
		if (m->addresses[host] != fewest)
			fewest = fewest_of(m);
		m->entries[i].host = host;
		m->addresses[host]++;
	}
	free(taken);
	return 0;
}

uint32_t addrmap_shared(const struct addrmap *m)
{
	uint32_t shared = 0;

	for (uint32_t h = 0; h < m->hosts; h++)
		shared += m->addresses[h] > 1 ? m->addresses[h] : 0;
	return shared;
}

uint32_t addrmap_host(const struct addrmap *m, const struct ipframe_address *a)
{
	return m->entries[*address_find(m, a) - 1].host;
}

const struct ipframe_address *addrmap_hashed(const struct addrmap *m, uint32_t i, uint32_t *host)
{
	for (uint32_t e = 0; e < m->used; e++) {
		if (m->entries[e].kept || i-- > 0)
			continue;
		*host = m->entries[e].host;
		return &m->entries[e].address;
	}
	return NULL;
}
