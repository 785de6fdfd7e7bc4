// SPDX-License-Identifier: BSD-3-Clause
#include "sim/search/matrix.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define LITTLE 0.1
#define KINDS_MAX 3
#define SEARCHED 64 // hosts looked at for a destination of the right kind

static const double answers[] = {0, 0.01, 0.05, 0.2};
static const uint32_t lasts[] = {0, 256, 64, 16};

struct matrix {
	FILE *out;
	const struct drb_tree *t;
	const struct search_case *c;
	struct drb_rng rng;
	uint32_t racks, in_rack, pods, in_pod;
	// Of each host.
	bool *sends, *receives, *keeps;
	bool *taken; // somebody keeps to it
	double *rate;
	uint32_t *to;   // of those that keep
	uint32_t *draw; // room for an order of hosts
	bool any;       // a line is written
};

static uint32_t eighths(const struct matrix *m, enum search_gene gene, uint32_t of)
{
	return (m->c->gene[gene] * of + 4) / 8;
}

// Pods that only send or only receive, racks that are silent or send little, racks that keep.
static void draw_roles(struct matrix *m)
{
	uint32_t *order = m->draw, send = eighths(m, SEARCH_send, m->pods);
	uint32_t receive = eighths(m, SEARCH_receive, m->pods);

	drb_rng_permutation(&m->rng, order, m->pods);
	for (uint32_t i = 0; i < m->pods; i++) {
		for (uint32_t k = 0; k < m->in_pod; k++) {
			uint32_t h = order[i] * m->in_pod + k;
			m->receives[h] = i >= send;
			m->sends[h] = i < send || i >= send + receive;
			m->rate[h] = 1;
		}
	}
	for (int role = 0; role < 3; role++) {
		static const enum search_gene genes[] = {SEARCH_silent, SEARCH_little, SEARCH_keep};
		uint32_t count = eighths(m, genes[role], m->racks);
		drb_rng_permutation(&m->rng, order, m->racks);
		for (uint32_t i = 0; i < count * m->in_rack; i++) {
			uint32_t h = order[i / m->in_rack] * m->in_rack + i % m->in_rack;
			if (role == 0)
				m->sends[h] = m->receives[h] = false;
			else if (role == 1)
				m->rate[h] = LITTLE;
			else
				m->keeps[h] = m->sends[h];
		}
	}
}

// A destination that nobody has, of the kind that a rack keeps to; or any; DRB_HOSTS_MAX: none.
static uint32_t find_destination(struct matrix *m, uint32_t h, uint32_t digit, uint32_t pod)
{
	const uint32_t how = m->c->gene[SEARCH_how], n = m->t->hosts;
	uint32_t any = DRB_HOSTS_MAX;

	for (uint32_t i = 0; i < SEARCHED * m->pods; i++) {
		uint32_t to = drb_rng_below(&m->rng, n);
		if (to == h || m->taken[to] || !m->receives[to])
			continue;
		any = to;
		if ((!(how & 1) || to % m->t->arity == digit) &&
		    (!(how & 2) || to / m->in_pod == pod))
			break;
	}
	return any;
}

static void draw_kept(struct matrix *m)
{
	uint32_t digit = 0, pod = 0;

	for (uint32_t h = 0; h < m->t->hosts; h++)
		m->taken[h] = false;
	for (uint32_t h = 0; h < m->t->hosts; h++) {
		if (h % m->in_rack == 0) {
			digit = drb_rng_below(&m->rng, m->t->arity);
			pod = drb_rng_below(&m->rng, m->pods);
		}
		m->to[h] = m->keeps[h] ? find_destination(m, h, digit, pod) : DRB_HOSTS_MAX;
		if (m->to[h] < DRB_HOSTS_MAX)
			m->taken[m->to[h]] = true;
	}
}

static void write_kept(struct matrix *m, uint32_t slot, double scale)
{
	for (uint32_t h = 0; h < m->t->hosts; h++) {
		if (m->to[h] == DRB_HOSTS_MAX)
			continue;
		fprintf(m->out, "%u,%u,%u,%.9g\n", slot, h, m->to[h], scale * m->rate[h]);
		m->any = true;
	}
}

struct list {
	uint32_t *host, count;
};

// The hosts of a list, as lines name them.
static void write_hosts(FILE *out, struct list list)
{
	for (uint32_t i = 0, k; i < list.count; i = k) {
		for (k = i + 1; k < list.count && list.host[k] == list.host[k - 1] + 1;)
			k++;
		fprintf(out, "%s%u", i ? "+" : "", list.host[i]);
		if (k > i + 1)
			fprintf(out, "-%u", list.host[k - 1]);
	}
}

// These send at one rate, each time to one of those.
static void write_group(struct matrix *m, struct list from, struct list to, double rate)
{
	if (from.count == 0 || to.count < 2)
		return;
	fprintf(m->out, "0,");
	write_hosts(m->out, from);
	fputc(',', m->out);
	write_hosts(m->out, to);
	fprintf(m->out, ",%.9g\n", rate);
	m->any = true;
}

// Those who do not keep draw from what is left, each of one kind of receivers.
static void write_fresh(struct matrix *m, uint32_t kind)
{
	const uint32_t n = m->t->hosts, kinds = m->c->gene[SEARCH_split] + 1U;
	struct list from = {m->draw + n, 0}, to = {m->draw, 0};
	double sum = 0;

	for (uint32_t h = 0; h < n; h++) {
		if (m->receives[h] && !m->taken[h] && drb_mix64(h ^ m->c->seed) % kinds == kind)
			to.host[to.count++] = h;
		if (m->sends[h] && !m->keeps[h] && drb_mix64(~h ^ m->c->seed) % kinds == kind)
			sum += m->rate[h];
	}
	double scale = sum > to.count ? to.count / sum : 1;
	// A host does not draw itself, so the others of its kind get a little more.
	scale *= to.count > 1 ? 1 - 1.0 / to.count : 1;
	for (int little = 0; little <= 1; little++) {
		from.count = 0;
		for (uint32_t h = 0; h < n; h++) {
			if (m->sends[h] && !m->keeps[h] && (m->rate[h] < 1) == little &&
			    drb_mix64(~h ^ m->c->seed) % kinds == kind)
				from.host[from.count++] = h;
		}
		write_group(m, from, to, scale * (little ? LITTLE : 1));
	}
}

// Those who only receive answer those who only send.
static void write_answers(struct matrix *m)
{
	const uint32_t n = m->t->hosts;
	struct list from = {m->draw + n, 0}, to = {m->draw, 0};
	double share = answers[m->c->gene[SEARCH_answers]];

	for (uint32_t h = 0; h < n; h++) {
		if (m->receives[h] && !m->sends[h])
			from.host[from.count++] = h;
		if (m->sends[h] && !m->receives[h])
			to.host[to.count++] = h;
	}
	if (share > 0 && to.count > 0 && share * from.count > to.count)
		share = (double)to.count / from.count;
	if (share > 0)
		write_group(m, from, to, share);
}

static void write_matrix(struct matrix *m, uint32_t slots)
{
	const uint32_t every = lasts[m->c->gene[SEARCH_lasts]];

	fputs("slot,from,to,rate\n", m->out);
	draw_roles(m);
	draw_kept(m);
	write_kept(m, 0, 1);
	for (uint32_t kind = 0; kind <= m->c->gene[SEARCH_split]; kind++)
		write_fresh(m, kind);
	write_answers(m);
	// The kept ones change among themselves.
	for (uint32_t slot = every; every && slot < slots; slot += every) {
		write_kept(m, slot, 0);
		for (uint32_t h = 0, last = DRB_HOSTS_MAX; h < m->t->hosts; h++) {
			if (m->to[h] == DRB_HOSTS_MAX)
				continue;
			if (last < DRB_HOSTS_MAX && m->to[h] != last && m->to[last] != h) {
				uint32_t to = m->to[h];
				m->to[h] = m->to[last];
				m->to[last] = to;
			}
			last = drb_rng_below(&m->rng, 2) ? h : last;
		}
		write_kept(m, slot, 1);
	}
}

int search_write_matrix(FILE *out, const struct drb_tree *t, const struct search_case *c,
			uint32_t slots)
{
	const uint32_t n = t->hosts, racks = drb_tree_switches(t, 1);
	bool *flags = calloc(4 * (size_t)n, sizeof(*flags));
	double *rate = calloc(n, sizeof(*rate));
	uint32_t *labels = calloc(3 * (size_t)n, sizeof(*labels));
	struct matrix m = {.out = out,
			   .t = t,
			   .c = c,
			   .rng = drb_rng_seed(c->seed, 0),
			   .racks = racks,
			   .in_rack = n / racks,
			   .pods = 2 * t->arity,
			   .in_pod = n / (2 * t->arity),
			   .sends = flags,
			   .receives = flags ? flags + n : NULL,
			   .keeps = flags ? flags + 2 * (size_t)n : NULL,
			   .taken = flags ? flags + 3 * (size_t)n : NULL,
			   .rate = rate,
			   .to = labels,
			   .draw = labels ? labels + n : NULL};
	int rc = flags && rate && labels ? 0 : -ENOMEM;

	if (rc == 0) {
		write_matrix(&m, slots);
		rc = m.any ? 0 : -ENODATA;
	}
	free(flags);
	free(rate);
	free(labels);
	return rc;
}
