// SPDX-License-Identifier: BSD-3-Clause
// Finds the keys that cannot change while the switch runs, by the policies in keys.def.
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/config/complaint.h"
#include "common/config/config.h"
#include "common/config/keys.h"
#include "common/config/reader.h"
#include "common/schemes/load.h"

struct kept {
	char *text;
	size_t size, used;
};

// Adds the name of a key if it is not in the list yet.
static void name_key(struct kept *kept, const char *at, const char *key)
{
	char name[64];
	size_t length = (size_t)snprintf(name, sizeof(name), "%s%s", at, key);
	const char *found = strstr(kept->text, name);

	if ((found && (found[length] == ',' || found[length] == '\0')) ||
	    kept->used + length + 2 >= kept->size)
		return;
	kept->used += (size_t)snprintf(kept->text + kept->used, kept->size - kept->used, "%s%s",
				       kept->used ? ", " : "", name);
}

static bool same_addresses(const struct drb_addr_plan *a, const struct drb_addr_plan *b)
{
	return memcmp(a->mac, b->mac, sizeof(a->mac)) == 0 && a->ipv4 == b->ipv4 &&
	       a->ipv4_len == b->ipv4_len && memcmp(a->ipv6, b->ipv6, sizeof(a->ipv6)) == 0 &&
	       a->ipv6_len == b->ipv6_len;
}

static int check_same_switch(const char *path, const struct drb_setup *now,
			     const struct drb_setup *s)
{
	if (strcmp(now->fabric, s->fabric) != 0 || now->tree.layers != s->tree.layers ||
	    now->tree.arity != s->tree.arity || now->tree.uplinks != s->tree.uplinks ||
	    !same_addresses(&now->addr, &s->addr))
		return drb_config_bad(path, "fabric",
				      "another fabric than that of the switch that "
				      "runs; it needs a restart");
	if (now->layer != s->layer || now->label != s->label)
		return drb_config_bad(path, "switch", "%s, but %s runs; it needs a restart",
				      s->name, now->name);
	return 0;
}

// Writes the old value of a key back into *to. If the new value differs, adds the key to the list,
// with its prefix `at` ("", "link.", "ports[2]."). at NULL: does not add it.
static void keep_old(const struct drb_config_key *key, const void *old, void *to, const char *at,
		     struct kept *kept)
{
	const char *from = (const char *)old + key->at;
	char *member = (char *)to + key->at;

	if (memcmp(from, member, key->size) == 0)
		return;
	if (at)
		name_key(kept, at, key->name);
	memcpy(member, from, key->size);
}

// True if the key keeps its old value. It does so always, or because its flow table is in use
// (WITH_UNIT).
static bool stays(const struct drb_config_key *key, const struct drb_setup *now,
		  const struct drb_setup *s)
{
	return key->reload == DRB_RELOAD_RESTART ||
	       (key->reload == DRB_RELOAD_WITH_UNIT && s->unit == now->unit &&
		s->unit != DRB_UNIT_PACKET);
}

static bool is_port_key(const struct drb_config_key *key)
{
	return key->section == DRB_SECTION_LINK || key->section == DRB_SECTION_PORTS;
}

static void keep_process(const struct drb_setup *now, struct drb_setup *s, struct kept *kept)
{
	for (size_t i = 0; i < DRB_CONFIG_KEYS; i++) {
		const struct drb_config_key *key = &drb_config_keys[i];
		char at[24];
		if (is_port_key(key) || !stays(key, now, s))
			continue;
		snprintf(at, sizeof(at), "%s.", drb_config_section_name(key->section));
		keep_old(key, now, s, at, kept);
	}
	if (drb_scheme_object_changed(&s->scheme))
		name_key(kept, "routing.", "scheme");
	s->choice.salt = now->choice.salt;
}

// Keys that need a restart keep their old values, and are named. Two kinds of keys are not named:
// keys that the driver does not use, and, if the driver changes, keys that only some drivers use.
static void keep_port(const struct drb_port_setup *old, struct drb_port_setup *p, struct kept *kept)
{
	bool same_driver = old->driver == p->driver;

	for (size_t i = 0; i < DRB_CONFIG_KEYS; i++) {
		const struct drb_config_key *key = &drb_config_keys[i];
		if (!is_port_key(key) || key->reload != DRB_RELOAD_RESTART)
			continue;
		bool named = key->drivers == UINT32_MAX ||
			     (same_driver && (key->drivers & 1u << old->driver));
		keep_old(key, old, p, named ? p->key : NULL, kept);
	}
}

static bool is_of_pace(const struct drb_config_key *key)
{
	return key->at == offsetof(struct drb_port_setup, rate) ||
	       key->at == offsetof(struct drb_port_setup, slotted) ||
	       key->at == offsetof(struct drb_port_setup, overhead) ||
	       key->at == offsetof(struct drb_port_setup, catchup_ns);
}

// A link with a delay has buffers for the largest number of packets that could be on it at the
// start. If the new pace needs more, the old pace stays.
static void keep_pace(const struct drb_port_setup *old, struct drb_port_setup *p, struct kept *kept)
{
	p->on_link = old->on_link;
	if (drb_config_on_link(p) <= p->on_link)
		return;
	for (size_t i = 0; i < DRB_CONFIG_KEYS; i++) {
		const struct drb_config_key *key = &drb_config_keys[i];
		if (is_port_key(key) && is_of_pace(key))
			keep_old(key, old, p, p->key, kept);
	}
	p->rate_given = old->rate_given;
	p->link_rate = old->link_rate;
	p->slots = old->slots;
}

// Packet buffers exist for the queues of the start, plus process.buffers. Old queue lengths stay if
// these do not suffice.
static void keep_queues(const struct drb_setup *now, struct drb_setup *s, struct kept *kept)
{
	uint64_t room = now->buffers, wanted = 0;

	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		room += now->ports[i].queue_made;
		wanted += s->ports[i].queue;
	}
	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		struct drb_port_setup *p = &s->ports[i];
		p->queue_made = now->ports[i].queue_made;
		if (wanted <= room || p->queue == now->ports[i].queue)
			continue;
		name_key(kept, p->key, "queue");
		p->queue = now->ports[i].queue;
	}
}

int drb_config_keep(const char *path, const struct drb_setup *now, struct drb_setup *s, char *text,
		    size_t size)
{
	struct kept kept = {.text = text, .size = size};

	text[0] = '\0';
	if (check_same_switch(path, now, s) < 0)
		return -EINVAL;
	keep_process(now, s, &kept);
	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		keep_port(&now->ports[i], &s->ports[i], &kept);
		keep_pace(&now->ports[i], &s->ports[i], &kept);
	}
	keep_queues(now, s, &kept);
	return 0;
}
