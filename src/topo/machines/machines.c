// SPDX-License-Identifier: BSD-3-Clause
// The file of machines. Keys are rows of two tables, read as those of a switch's config are.
#include "topo/machines/machines.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/config/complaint.h"
#include "common/config/document.h"
#include "common/config/keys.h"

#define HOST_MTU_MAX 1500
// Of IPv6, which hosts have, and what VXLAN over IPv6 takes.
#define UNDERLAY_MTU_MIN (1280 + 70)
#define VNI_MAX ((UINT32_C(1) << 24) - 1)
#define VLAN_MAX 4094

static const char *links_word(uint32_t i)
{
	static const char *const words[] = {"vxlan", "vlan", NULL};

	return words[i];
}

// A name is part of paths.
static bool parse_name(const char *text, void *to)
{
	struct machine *machine = to;
	size_t length = strlen(text);

	if (length < 1 || length > MACHINE_NAME_MAX || !isalnum((unsigned char)text[0]))
		return false;
	for (const char *c = text; *c; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("_.-", *c))
			return false;
	}
	memcpy(machine->name, text, length + 1);
	return true;
}

static bool parse_address(const char *text, void *to)
{
	struct machine *machine = to;
	uint8_t bytes[16];

	machine->ipv6 = inet_pton(AF_INET6, text, bytes) == 1;
	if (!machine->ipv6 && inet_pton(AF_INET, text, bytes) != 1)
		return false;
	snprintf(machine->address, sizeof(machine->address), "%s", text);
	return true;
}

#define OF(owner, member) .at = offsetof(owner, member), .size = sizeof(((owner *)0)->member)
#define NUMBER(from, to) .type = DRB_VALUE_NUMBER, .min = (from), .max = (to), .unit = ""
#define TEXT(longest, what) .type = DRB_VALUE_TEXT, .max = (longest), .range = (what)
#define FORM(function, what) .type = DRB_VALUE_FORM, .parse = (function), .range = (what)

static const struct drb_config_key top_keys[] = {
	{.name = "links",
	 OF(struct machines, links),
	 .type = DRB_VALUE_WORD,
	 .word = links_word,
	 .initial = "vxlan"},
	{.name = "first_id", OF(struct machines, first_id), NUMBER(1, VNI_MAX), .initial = "1000"},
	{.name = "udp_port", OF(struct machines, udp_port), NUMBER(1, 65535), .initial = "4789"},
	{.name = "underlay_mtu",
	 OF(struct machines, underlay_mtu),
	 NUMBER(UNDERLAY_MTU_MIN, 65535),
	 .initial = "1500"},
};

static const struct drb_config_key machine_keys[] = {
	{.name = "name",
	 FORM(parse_name,
	      "at most 24 letters, digits, '_', '.' and '-', the first a letter or digit"),
	 .required = true},
	{.name = "address",
	 FORM(parse_address, "an IP address such as 192.0.2.1"),
	 .required = true},
	{.name = "share", OF(struct machine, share), NUMBER(1, MACHINE_SHARE_MAX), .initial = "1"},
	{.name = "interface", OF(struct machine, interface), TEXT(15, "the name of an interface")},
	{.name = "ssh_user",
	 OF(struct machine, ssh_user),
	 TEXT(32, "the name of a user"),
	 .initial = "root"},
	{.name = "ssh_port", OF(struct machine, ssh_port), NUMBER(1, 65535), .initial = "22"},
	{.name = "command",
	 OF(struct machine, command),
	 TEXT(255, "a command"),
	 .initial = "drbfabric"},
};

// A mapping of the file, and its keys.
struct section {
	const char *path;
	char at[32]; // "machines[2]." or ""
	const struct drb_config_key *keys;
	size_t count;
	yaml_node_t *node;
	void *to;
};

static int bad_pair(const struct section *s, const yaml_node_t *key, const char *text)
{
	const char *name = drb_document_text(key);
	char full[256];

	snprintf(full, sizeof(full), "%s%.200s", s->at, name ? name : "?");
	return drb_config_bad_line(s->path, key->start_mark.line + 1, full, "%s", text);
}

static int read_pair(const struct section *s, const yaml_node_pair_t *pair, bool seen[])
{
	const yaml_node_t *name = drb_document_node(pair->key);
	const yaml_node_t *value = drb_document_node(pair->value);
	const char *text = drb_document_text(name);
	char why[DRB_CONFIG_WHY];
	size_t i = 0;

	while (i < s->count && (!text || strcmp(s->keys[i].name, text) != 0))
		i++;
	if (i == s->count)
		return bad_pair(s, name, "unknown key");
	if (seen[i])
		return bad_pair(s, name, "key is there twice");
	seen[i] = true;
	text = drb_document_text(value);
	if (!text)
		return bad_pair(s, name, "must be one value, not a list or keys of its own");
	return drb_config_parse(&s->keys[i], text, s->to, why) < 0 ? bad_pair(s, name, why) : 0;
}

// Defaults, then what the mapping says; the list of machines is left out.
static int read_section(const struct section *s)
{
	const yaml_node_pair_t *pair = s->node->data.mapping.pairs.start;
	bool seen[sizeof(machine_keys) / sizeof(machine_keys[0])] = {false};
	char full[64], why[DRB_CONFIG_WHY];

	_Static_assert(sizeof(machine_keys) >= sizeof(top_keys), "seen has room for both");
	for (size_t i = 0; i < s->count; i++) {
		if (s->keys[i].initial &&
		    drb_config_parse(&s->keys[i], s->keys[i].initial, s->to, why) < 0)
			abort(); // a row contradicts itself
	}
	for (; pair < s->node->data.mapping.pairs.top; pair++) {
		const char *name = drb_document_text(drb_document_node(pair->key));
		bool list = s->keys == top_keys && name && strcmp(name, "machines") == 0;
		if (!list && read_pair(s, pair, seen) < 0)
			return -EINVAL;
	}
	for (size_t i = 0; i < s->count; i++) {
		snprintf(full, sizeof(full), "%s%s", s->at, s->keys[i].name);
		if (s->keys[i].required && !seen[i])
			return drb_config_bad(s->path, full, "key is missing");
	}
	return 0;
}

// What several keys make together.
static int check_machine(const char *path, const struct machines *m, uint32_t index)
{
	const struct machine *machine = &m->machine[index];
	char key[64];

	for (uint32_t i = 0; i < index; i++) {
		const struct machine *other = &m->machine[i];
		snprintf(key, sizeof(key), "machines[%u].name", index);
		if (strcmp(machine->name, other->name) == 0)
			return drb_config_bad(path, key, "machines[%u] is called %s, too", i,
					      machine->name);
		snprintf(key, sizeof(key), "machines[%u].address", index);
		if (strcmp(machine->address, other->address) == 0)
			return drb_config_bad(path, key, "%s is that of %s", machine->address,
					      other->name);
		if (machine->ipv6 != other->ipv6)
			return drb_config_bad(path, key, "%s and %s are not both IPv4 or IPv6",
					      machine->address, other->address);
	}
	snprintf(key, sizeof(key), "machines[%u].interface", index);
	if (m->links == MACHINES_VLAN && !*machine->interface)
		return drb_config_bad(path, key, "key is missing: links are VLANs of an interface");
	return 0;
}

static int read_machines(const char *path, struct machines *m)
{
	yaml_node_t *list = drb_document_value(drb_document_root(), "machines");

	if (!list || list->type != YAML_SEQUENCE_NODE)
		return drb_config_bad(path, "machines",
				      "a list is missing, such as [{name: a, address: 192.0.2.1}]");
	size_t count = (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
	if (count < 1 || count > MACHINES_MAX)
		return drb_config_bad(path, "machines", "%zu machines: must be 1 to %d", count,
				      MACHINES_MAX);
	for (; m->count < count; m->count++) {
		struct section s = {
			.path = path,
			.keys = machine_keys,
			.count = sizeof(machine_keys) / sizeof(machine_keys[0]),
			.node = drb_document_node(list->data.sequence.items.start[m->count]),
			.to = &m->machine[m->count]};
		snprintf(s.at, sizeof(s.at), "machines[%u]", m->count);
		if (s.node->type != YAML_MAPPING_NODE)
			return drb_config_bad(
				path, s.at,
				"must have keys, such as {name: a, address: 192.0.2.1}");
		strcat(s.at, ".");
		if (read_section(&s) < 0 || check_machine(path, m, m->count) < 0)
			return -EINVAL;
	}
	return 0;
}

int machines_load(const char *path, struct machines *m)
{
	struct drb_config_text text;
	struct section top = {.path = path,
			      .keys = top_keys,
			      .count = sizeof(top_keys) / sizeof(top_keys[0]),
			      .to = m};

	*m = (struct machines){0};
	if (drb_config_text_read(path, &text) < 0 || drb_document_load(path, text) < 0)
		return -EINVAL;
	top.node = drb_document_root();
	if (read_section(&top) < 0)
		return -EINVAL;
	if (m->links == MACHINES_VLAN && m->first_id > VLAN_MAX)
		return drb_config_bad(path, "first_id", "%u is not in 1..%d, the ids of VLANs",
				      m->first_id, VLAN_MAX);
	return read_machines(path, m);
}

uint32_t machines_overhead(const struct machines *m)
{
	// Ethernet header inside, VXLAN, UDP, IP.
	if (m->links == MACHINES_VXLAN)
		return 14 + 8 + 8 + (m->machine[0].ipv6 ? 40 : 20);
	return 0; // an interface's MTU does not count its VLAN tag
}

uint32_t machines_host_mtu(const struct machines *m)
{
	uint32_t room = m->underlay_mtu - machines_overhead(m);

	return room < HOST_MTU_MAX ? room : HOST_MTU_MAX;
}
