// SPDX-License-Identifier: BSD-3-Clause
// Reads the file of machines. Its keys are rows of two tables, which are used like those of a
// switch's config.
#include "plan/machines/machines.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/config/complaint.h"
#include "common/config/document.h"

#include "plan/machines/section.h"

// The smallest MTU of IPv6, which hosts have, and the overhead of VXLAN over IPv6.
#define UNDERLAY_MTU_MIN (1280 + 70)
#define EXAMPLE "{name: a, address: 192.0.2.1}"

static const char *links_word(uint32_t i)
{
	static const char *const words[] = {"vxlan", "vlan", NULL};

	return words[i];
}

// Names are restricted because they become parts of paths.
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

// True if other machines can send packets to this address. Loopback, multicast and link-local
// addresses do not qualify; the latter do not determine an interface.
static bool reachable(bool ipv6, const uint8_t bytes[16])
{
	struct in6_addr six;

	if (!ipv6)
		return bytes[0] != 0 && bytes[0] != 127 && bytes[0] < 224;
	memcpy(&six, bytes, sizeof(six));
	return !IN6_IS_ADDR_UNSPECIFIED(&six) && !IN6_IS_ADDR_LOOPBACK(&six) &&
	       !IN6_IS_ADDR_LINKLOCAL(&six) && !IN6_IS_ADDR_MULTICAST(&six) &&
	       !IN6_IS_ADDR_V4MAPPED(&six);
}

// Keeps an address in its shortest form, so that equal addresses have equal texts.
static bool parse_address(const char *text, void *to)
{
	struct machine *machine = to;
	uint8_t bytes[16];

	machine->ipv6 = inet_pton(AF_INET6, text, bytes) == 1;
	if (!machine->ipv6 && inet_pton(AF_INET, text, bytes) != 1)
		return false;
	return reachable(machine->ipv6, bytes) &&
	       inet_ntop(machine->ipv6 ? AF_INET6 : AF_INET, bytes, machine->address,
			 sizeof(machine->address));
}

bool machines_interface(const char *text, char interface[MACHINES_INTERFACE_MAX + 1])
{
	size_t length = strlen(text);

	if (length < 1 || length > MACHINES_INTERFACE_MAX)
		return false;
	// The name must be one word in a command of ip -batch.
	for (const char *c = text; *c; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("_.-", *c))
			return false;
	}
	memcpy(interface, text, length + 1);
	return true;
}

static bool parse_interface(const char *text, void *to)
{
	return machines_interface(text, ((struct machine *)to)->interface);
}

#define OF SECTION_OF
#define NUMBER SECTION_NUMBER
#define TEXT SECTION_TEXT
#define FORM SECTION_FORM

static const struct drb_config_key top_keys[] = {
	{.name = "links",
	 OF(struct machines, links),
	 .type = DRB_VALUE_WORD,
	 .word = links_word,
	 .initial = "vxlan"},
	{.name = "first_id",
	 OF(struct machines, first_id),
	 NUMBER(1, MACHINES_VNI_MAX),
	 .initial = "1000"},
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
	 FORM(parse_address, "an IP address such as 192.0.2.1, by which others reach the machine"),
	 .required = true},
	{.name = "share", OF(struct machine, share), NUMBER(1, MACHINE_SHARE_MAX), .initial = "1"},
	{.name = "interface", FORM(parse_interface, MACHINES_INTERFACE)},
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

// Checks that depend on several keys or machines.
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
	struct section s = {.path = path,
			    .keys = machine_keys,
			    .count = sizeof(machine_keys) / sizeof(machine_keys[0])};
	size_t count;

	if (!section_list("machines", &count))
		return drb_config_bad(path, "machines", "a list is missing, such as [" EXAMPLE "]");
	if (count < 1 || count > MACHINES_MAX)
		return drb_config_bad(path, "machines", "%zu machines: must be 1 to %d", count,
				      MACHINES_MAX);
	for (; m->count < count; m->count++) {
		s.to = &m->machine[m->count];
		if (section_entry(&s, "machines", m->count, EXAMPLE) < 0 ||
		    check_machine(path, m, m->count) < 0)
			return -EINVAL;
	}
	return 0;
}

int machines_load(const char *path, struct machines *m)
{
	struct drb_config_text text;
	static const char *const lists[] = {"machines", "cables", NULL};
	struct section top = {.path = path,
			      .keys = top_keys,
			      .count = sizeof(top_keys) / sizeof(top_keys[0]),
			      .nested = lists,
			      .to = m};

	*m = (struct machines){0};
	if (drb_config_text_read(path, NULL, &text) < 0 || drb_document_load(path, text) < 0)
		return -EINVAL;
	top.node = drb_document_root();
	if (section_read(&top) < 0)
		return -EINVAL;
	if (m->links == MACHINES_VLAN && m->first_id > MACHINES_VLAN_MAX)
		return drb_config_bad(path, "first_id", "%u is not in 1..%d, the ids of VLANs",
				      m->first_id, MACHINES_VLAN_MAX);
	return read_machines(path, m);
}

void machines_free(struct machines *m)
{
	if (m)
		free(m->cables);
	free(m);
}

uint32_t machines_overhead(const struct machines *m)
{
	// Inner Ethernet header, VXLAN, UDP, IP.
	if (m->links == MACHINES_VXLAN)
		return 14 + 8 + 8 + (m->machine[0].ipv6 ? 40 : 20);
	return 0; // an interface's MTU does not count its VLAN tag
}

uint32_t machines_room(const struct machines *m)
{
	return m->underlay_mtu - machines_overhead(m);
}
