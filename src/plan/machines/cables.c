// SPDX-License-Identifier: BSD-3-Clause
#include "plan/machines/cables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/config/complaint.h"
#include "common/config/document.h"
#include "core/fabric/names.h"

#include "plan/machines/section.h"
#include "plan/machines/split.h"

#define ENDS "{s2-0.u1: eth1, s3-2.d0: eth1}"
#define EXAMPLE "{ends: " ENDS "}"

static const struct drb_config_key cable_keys[] = {
	{.name = "vlan", SECTION_OF(struct cable, vlan), SECTION_NUMBER(1, MACHINES_VLAN_MAX)},
};

// The state of reading one cable of the file.
struct reader {
	const char *path;
	const struct drb_tree *tree;
	const struct machines *machines;
	struct cable *cable;
	char key[32]; // "cables[2].ends"
};

// Parses "s2-0.u0" as an end of a link between switches.
static bool parse_end(const struct drb_tree *t, const char *text, struct drb_end *end)
{
	const char *dot = strchr(text, '.');
	char node[DRB_NAME_MAX];

	*end = (struct drb_end){0};
	if (!dot || dot - text >= DRB_NAME_MAX)
		return false;
	memcpy(node, text, (size_t)(dot - text));
	node[dot - text] = '\0';
	if (drb_node_parse(node, &end->layer, &end->label) < 0 ||
	    drb_port_parse(dot + 1, &end->up, &end->port) < 0 || end->layer < 1 ||
	    end->layer > t->layers || end->label >= drb_tree_switches(t, end->layer))
		return false;
	return end->port <
	       (end->up ? drb_tree_up_ports(t, end->layer) : drb_tree_down_ports(t, end->layer));
}

static struct drb_end peer_of(const struct drb_tree *t, const struct drb_end *end)
{
	return end->up ? drb_tree_up_peer(t, end->layer, end->label, end->port)
		       : drb_tree_down_peer(t, end->layer, end->label, end->port);
}

static bool same_end(const struct drb_end *a, const struct drb_end *b)
{
	return a->layer == b->layer && a->label == b->label && a->port == b->port && a->up == b->up;
}

// Reads an end and its interface into the cable. An end with an up-port is the lower end.
static int read_end(const struct reader *r, const yaml_node_pair_t *pair, struct drb_end *end)
{
	const yaml_node_t *key = drb_document_node(pair->key);
	const char *name = drb_document_text(key);
	const char *interface = drb_document_text(drb_document_node(pair->value));
	size_t line = key->start_mark.line + 1;

	if (!name || !parse_end(r->tree, name, end))
		return drb_config_bad_line(r->path, line, r->key,
					   "\"%s\" is no port of a switch of F(%u,%u)",
					   name ? name : "?", r->tree->layers, r->tree->arity);
	r->cable->end[end->up ? 0 : 1] = *end;
	if (!interface || !machines_interface(interface, r->cable->interface[end->up ? 0 : 1]))
		return drb_config_bad_line(r->path, line, r->key,
					   "\"%s\" is not " MACHINES_INTERFACE,
					   interface ? interface : "?");
	return 0;
}

static const struct machine *machine_at(const struct reader *r, const struct drb_end *end)
{
	return &r->machines->machine[machines_of(r->tree, r->machines, end->layer, end->label)];
}

static int read_ends(const struct reader *r, const yaml_node_t *entry)
{
	const yaml_node_t *ends = drb_document_value(entry, "ends");
	char name[DRB_END_NAME_MAX], leads_to[DRB_END_NAME_MAX], other[DRB_END_NAME_MAX];
	struct drb_end end[2];

	if (!ends || ends->type != YAML_MAPPING_NODE ||
	    ends->data.mapping.pairs.top - ends->data.mapping.pairs.start != 2)
		return drb_config_bad(r->path, r->key,
				      "must be two ends and their interfaces, such as " ENDS);
	for (size_t i = 0; i < 2; i++) {
		if (read_end(r, &ends->data.mapping.pairs.start[i], &end[i]) < 0)
			return -EINVAL;
	}
	const struct drb_end peer = peer_of(r->tree, &end[0]);
	drb_end_name(name, &end[0]);
	drb_end_name(leads_to, &peer);
	drb_end_name(other, &end[1]);
	if (!same_end(&peer, &end[1]))
		return drb_config_bad(r->path, r->key, "%s leads to %s, not to %s", name, leads_to,
				      other);
	if (machine_at(r, &end[0]) == machine_at(r, &end[1]))
		return drb_config_bad(r->path, r->key,
				      "%s and %s are both on %s: a cable leads to another machine",
				      name, other, machine_at(r, &end[0])->name);
	return 0;
}

// Checks one end against an end of another cable. On one machine, an interface may be shared only
// by different VLANs.
static int check_shared(const struct reader *r, const struct cable *other, uint32_t side,
			uint32_t other_side)
{
	const struct cable *own = r->cable;
	const struct machine *machine = machine_at(r, &own->end[side]);
	char key[32];

	if (machine != machine_at(r, &other->end[other_side]) ||
	    strcmp(own->interface[side], other->interface[other_side]) != 0)
		return 0;
	if (!own->vlan || !other->vlan)
		return drb_config_bad(r->path, r->key, "%s of %s is taken by cables[%u]",
				      own->interface[side], machine->name, other->entry);
	if (own->vlan != other->vlan)
		return 0;
	snprintf(key, sizeof(key), "cables[%u].vlan", own->entry);
	return drb_config_bad(r->path, key, "VLAN %u of %s of %s is taken by cables[%u]", own->vlan,
			      own->interface[side], machine->name, other->entry);
}

// Checks an end against the links that are not cables, which are VLANs of the machine's interface.
static int check_others(const struct reader *r, uint32_t side)
{
	const struct machines *m = r->machines;
	const struct cable *own = r->cable;
	const struct machine *machine = machine_at(r, &own->end[side]);
	uint64_t after = m->first_id + machines_links_total(m);
	char key[32];

	if (m->links != MACHINES_VLAN || strcmp(own->interface[side], machine->interface) != 0)
		return 0;
	if (!own->vlan)
		return drb_config_bad(r->path, r->key,
				      "%s is the interface of %s whose VLANs other links are",
				      machine->interface, machine->name);
	if (own->vlan < m->first_id || own->vlan >= after)
		return 0;
	snprintf(key, sizeof(key), "cables[%u].vlan", own->entry);
	return drb_config_bad(
		r->path, key,
		"VLAN %u of %s of %s is among those of other links, from first_id %u on", own->vlan,
		machine->interface, machine->name, m->first_id);
}

static int check_cable(const struct reader *r)
{
	const struct machines *m = r->machines;
	char name[DRB_END_NAME_MAX];

	for (uint32_t i = 0; i < m->cables_count; i++) {
		const struct cable *other = &m->cables[i];
		if (same_end(&r->cable->end[0], &other->end[0])) {
			drb_end_name(name, &other->end[0]);
			return drb_config_bad(r->path, r->key, "%s is an end of cables[%u], too",
					      name, i);
		}
		for (uint32_t side = 0; side < 4; side++) {
			if (check_shared(r, other, side / 2, side % 2) < 0)
				return -EINVAL;
		}
	}
	return check_others(r, 0) < 0 || check_others(r, 1) < 0 ? -EINVAL : 0;
}

static int compare(const void *a, const void *b)
{
	const struct drb_end *x = &((const struct cable *)a)->end[0];
	const struct drb_end *y = &((const struct cable *)b)->end[0];

	if (x->layer != y->layer)
		return x->layer < y->layer ? -1 : 1;
	if (x->label != y->label)
		return x->label < y->label ? -1 : 1;
	return x->port < y->port ? -1 : x->port > y->port;
}

static int read_cable(const char *path, const struct drb_tree *t, struct machines *m)
{
	static const char *const nested[] = {"ends", NULL};
	struct cable *cable = &m->cables[m->cables_count];
	struct reader r = {.path = path, .tree = t, .machines = m, .cable = cable};
	struct section s = {.path = path,
			    .keys = cable_keys,
			    .count = sizeof(cable_keys) / sizeof(cable_keys[0]),
			    .nested = nested,
			    .to = cable};

	cable->entry = m->cables_count;
	snprintf(r.key, sizeof(r.key), "cables[%u].ends", m->cables_count);
	if (section_entry(&s, "cables", m->cables_count, EXAMPLE) < 0 || read_ends(&r, s.node) < 0)
		return -EINVAL;
	return check_cable(&r);
}

int cables_load(const char *path, const struct drb_tree *t, struct machines *m)
{
	size_t count = 0;

	if (!drb_document_value(drb_document_root(), "cables"))
		return 0;
	if (!section_list("cables", &count))
		return drb_config_bad(path, "cables", "must be a list, such as [" EXAMPLE "]");
	m->cables = calloc(count ? count : 1, sizeof(*m->cables));
	if (!m->cables) {
		drb_error("out of memory");
		return -EINVAL;
	}
	// The list may be longer than there are links, but the first cable that repeats a link ends
	// the loop.
	for (; m->cables_count < count; m->cables_count++) {
		if (read_cable(path, t, m) < 0)
			return -EINVAL;
	}
	qsort(m->cables, m->cables_count, sizeof(*m->cables), compare);
	return 0;
}

const struct cable *cables_find(const struct machines *m, const struct topo_link *link)
{
	const struct cable wanted = {.end = {link->lower}};

	return m->cables_count
		       ? bsearch(&wanted, m->cables, m->cables_count, sizeof(wanted), compare)
		       : NULL;
}
