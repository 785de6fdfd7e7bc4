// SPDX-License-Identifier: BSD-3-Clause
#include "switch/links/hello_faults.h"

#include "common/cli/log.h"
#include "common/cli/text.h"
#include "core/fabric/names.h"
#include "core/packet/bytes.h"

static const struct {
	const char *what, *cure;
} faults[DRB_HELLO_FAULT_COUNT] = {
#define X(key, what, cure) {what, cure},
	DRB_HELLO_FAULTS(X)
#undef X
};

static bool is_of_neighbour(uint32_t fault)
{
	return fault >= DRB_HELLO_FAULT_KEY;
}

// Records a fault. True if it was not present just before, and must be logged.
static bool begins(struct drb_hello_faults *f, enum drb_hello_fault fault, uint64_t now_ns)
{
	const uint64_t seen_ns = f->seen_ns[fault];
	const bool is_news = seen_ns == 0 || now_ns >= seen_ns + DRB_HELLO_FAULT_LOG_NS;
	// A neighbour with a long hello period shows the fault again only by its next hello.
	const uint64_t apart_ns = is_news ? 0 : 2 * (now_ns - seen_ns);

	f->seen_ns[fault] = now_ns;
	f->until_ns[fault] =
		now_ns + (apart_ns > DRB_HELLO_FAULT_NS ? apart_ns : DRB_HELLO_FAULT_NS);
	return is_news;
}

void drb_hello_fault_note(struct drb_hello_faults *f, const char *port, enum drb_hello_fault fault,
			  const struct drb_hello *hello, uint64_t now_ns)
{
	char from[DRB_END_NAME_MAX];

	if (!begins(f, fault, now_ns))
		return;
	drb_end_name(from, &hello->from);
	if (is_of_neighbour(fault))
		drb_warn("port %s: its neighbour %s %s: %s", port, from, faults[fault].what,
			 faults[fault].cure);
	else
		drb_warn("port %s: on this link %s: %s", port, faults[fault].what,
			 faults[fault].cure);
}

void drb_hello_fault_version(struct drb_hello_faults *f, const struct drb_port_setup *port,
			     uint8_t version, uint64_t now_ns)
{
	char peer[DRB_END_NAME_MAX];

	if (!begins(f, DRB_HELLO_FAULT_VERSION, now_ns))
		return;
	drb_end_name(peer, &port->peer);
	drb_warn("port %s: %s sends hellos of version %u, this switch of version %d: "
		 "%s",
		 port->name, peer, version, DRB_HELLO_VERSION,
		 faults[DRB_HELLO_FAULT_VERSION].cure);
}

void drb_hello_faults_compare(struct drb_hello_faults *f, const char *port,
			      const struct drb_hello *ours, const struct drb_hello *theirs,
			      uint64_t now_ns)
{
	const bool differs[DRB_HELLO_FAULT_COUNT] = {
		[DRB_HELLO_FAULT_FABRIC] = ours->fabric != theirs->fabric,
		[DRB_HELLO_FAULT_MAC] = ours->mac != theirs->mac,
		[DRB_HELLO_FAULT_IPV4] =
			ours->ipv4 != theirs->ipv4 || ours->ipv4_len != theirs->ipv4_len,
		[DRB_HELLO_FAULT_IPV6] = ours->ipv6[0] != theirs->ipv6[0] ||
					 ours->ipv6[1] != theirs->ipv6[1] ||
					 ours->ipv6_len != theirs->ipv6_len,
		[DRB_HELLO_FAULT_FABRIC_MTU] =
			theirs->fabric_mtu && ours->fabric_mtu != theirs->fabric_mtu,
		[DRB_HELLO_FAULT_MTU] = ours->mtu && theirs->mtu && ours->mtu != theirs->mtu,
		[DRB_HELLO_FAULT_SELF] = ours->from.layer == theirs->from.layer &&
					 ours->from.label == theirs->from.label &&
					 ours->fabric == theirs->fabric,
	};

	for (uint32_t i = 0; i < DRB_HELLO_FAULT_COUNT; i++) {
		if (differs[i])
			drb_hello_fault_note(f, port, i, theirs, now_ns);
		else if (i != DRB_HELLO_FAULT_TWICE && is_of_neighbour(i))
			f->until_ns[i] = 0;
	}
}

uint32_t drb_hello_faults_now(const struct drb_hello_faults *f, uint64_t now_ns)
{
	uint32_t now = 0;

	for (uint32_t i = 0; i < DRB_HELLO_FAULT_COUNT; i++)
		now |= (uint32_t)(now_ns < f->until_ns[i]) << i;
	return now;
}

void drb_hello_faults_text(uint32_t now, const char *neighbour, char *text, size_t size)
{
	*text = '\0';
	for (uint32_t i = 0; i < DRB_HELLO_FAULT_COUNT; i++) {
		if (!(now >> i & 1))
			continue;
		const char *name = is_of_neighbour(i) ? neighbour : "";
		drb_text_add(text, size, "%s%s%s%s", *text ? ", " : "", name, *name ? " " : "",
			     faults[i].what);
		neighbour = *name ? "" : neighbour;
	}
}

void drb_hello_set_prefixes(struct drb_hello *hello, const struct drb_addr_plan *addr)
{
	hello->mac = drb_load16(addr->mac);
	hello->ipv4 = addr->ipv4;
	hello->ipv4_len = (uint8_t)addr->ipv4_len;
	hello->ipv6[0] = drb_load64(addr->ipv6);
	hello->ipv6[1] = drb_load64(addr->ipv6 + 8);
	hello->ipv6_len = (uint8_t)addr->ipv6_len;
}
