// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/silence.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/if_ether.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>

#include "core/packet/wire.h"
#include "gen/frames/ip_frame.h"
#include "gen/replay/netlink.h"

#define CHAIN "ingress"
#define ELEMENT_MAX 48 // bytes of an element in a message
// First bytes of the transport header: ports; type, code and checksum of ICMP.
#define HEAD_BYTES 4
#define KEY_MAX 24

// The key of a flow at its destination, in the order of the rule's registers. It contains the
// sender's address, the protocol in a 4-byte word, and the first bytes of the transport header.
struct flow {
	uint32_t host; // destination
	bool ipv6;
	uint8_t key[KEY_MAX];
};

struct silence {
	struct flow *flow; // sorted
	size_t count;
	char table[32];
	struct netlink netlink; // socket for the host being processed
};

// The two families, each with a set of keys and a rule.
struct family {
	const char *set;
	uint16_t ethertype;
	uint32_t address, size; // offset and size of the source address in the IP header
};

static const struct family families[2] = {
	{"ipv4", ETH_P_IP, DRB_IPV4_SRC, 4},
	{"ipv6", ETH_P_IPV6, DRB_IPV6_SRC, 16},
};

static size_t key_size(const struct family *f)
{
	return f->size + 4 + HEAD_BYTES;
}

// False for later fragments, which a stack does not answer if the first fragment is missing.
static bool flow_of(const struct trace_packet *p, const struct drb_addr_plan *plan,
		    struct flow *flow)
{
	struct ipframe f;

	*flow = (struct flow){.host = drb_addr_of_mac(plan, p->frame)};
	if (ipframe_parse(p->frame, p->size, &f) < 0 || f.transport == 0 ||
	    f.transport + HEAD_BYTES > p->size)
		return false;
	flow->ipv6 = f.src.size == 16;
	memcpy(flow->key, f.src.bytes, f.src.size);
	flow->key[f.src.size] = f.protocol;
	memcpy(flow->key + f.src.size + 4, p->frame + f.transport, HEAD_BYTES);
	return true;
}

static int flow_order(const void *a, const void *b)
{
	const struct flow *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	if (x->ipv6 != y->ipv6)
		return x->ipv6 ? 1 : -1;
	return memcmp(x->key, y->key, sizeof(x->key));
}

struct silence *silence_new(const struct trace *t, const struct drb_addr_plan *plan)
{
	struct silence *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->flow = malloc((t->count + 1) * sizeof(*s->flow));
	if (!s->flow) {
		free(s);
		return NULL;
	}
	snprintf(s->table, sizeof(s->table), "drbgen-%ld", (long)getpid());
	for (size_t i = 0; i < t->count; i++)
		s->count += flow_of(&t->packet[i], plan, &s->flow[s->count]);
	qsort(s->flow, s->count, sizeof(*s->flow), flow_order);
	size_t kept = 0;
	for (size_t i = 0; i < s->count; i++) {
		if (kept == 0 || flow_order(&s->flow[kept - 1], &s->flow[i]) != 0)
			s->flow[kept++] = s->flow[i];
	}
	s->count = kept;
	return s;
}

void silence_free(struct silence *s)
{
	if (!s)
		return;
	free(s->flow);
	free(s);
}

static void add_set(struct netlink *n, const char *table, const struct family *f)
{
	netlink_message(n, NFT_MSG_NEWSET, NFPROTO_NETDEV);
	netlink_text(n, NFTA_SET_TABLE, table);
	netlink_text(n, NFTA_SET_NAME, f->set);
	netlink_number(n, NFTA_SET_FLAGS, 0);
	netlink_number(n, NFTA_SET_KEY_TYPE, 0); // a name for nft(8) only
	netlink_number(n, NFTA_SET_KEY_LEN, (uint32_t)key_size(f));
	netlink_number(n, NFTA_SET_ID, f->ethertype);
}

// An expression of a rule. Its attributes follow until end_expression().
struct expression {
	size_t element, data;
};

static struct expression begin_expression(struct netlink *n, const char *name)
{
	struct expression e = {.element = netlink_nest(n, NFTA_LIST_ELEM)};

	netlink_text(n, NFTA_EXPR_NAME, name);
	e.data = netlink_nest(n, NFTA_EXPR_DATA);
	return e;
}

static void end_expression(struct netlink *n, struct expression e)
{
	netlink_close(n, e.data);
	netlink_close(n, e.element);
}

static void load_meta(struct netlink *n, uint32_t what, uint32_t to)
{
	struct expression e = begin_expression(n, "meta");

	netlink_number(n, NFTA_META_KEY, what);
	netlink_number(n, NFTA_META_DREG, to);
	end_expression(n, e);
}

static void load_packet(struct netlink *n, uint32_t base, uint32_t at, uint32_t size, uint32_t to)
{
	struct expression e = begin_expression(n, "payload");

	netlink_number(n, NFTA_PAYLOAD_BASE, base);
	netlink_number(n, NFTA_PAYLOAD_OFFSET, at);
	netlink_number(n, NFTA_PAYLOAD_LEN, size);
	netlink_number(n, NFTA_PAYLOAD_DREG, to);
	end_expression(n, e);
}

static void must_be_ethertype(struct netlink *n, uint16_t ethertype)
{
	uint16_t ordered = htons(ethertype);

	load_meta(n, NFT_META_PROTOCOL, NFT_REG32_00);
	struct expression e = begin_expression(n, "cmp");
	netlink_number(n, NFTA_CMP_SREG, NFT_REG32_00);
	netlink_number(n, NFTA_CMP_OP, NFT_CMP_EQ);
	size_t data = netlink_nest(n, NFTA_CMP_DATA);
	netlink_bytes(n, NFTA_DATA_VALUE, &ordered, sizeof(ordered));
	netlink_close(n, data);
	end_expression(n, e);
}

static void must_be_in(struct netlink *n, const char *set)
{
	struct expression e = begin_expression(n, "lookup");

	netlink_text(n, NFTA_LOOKUP_SET, set);
	netlink_number(n, NFTA_LOOKUP_SREG, NFT_REG32_00);
	end_expression(n, e);
}

static void drop(struct netlink *n)
{
	struct expression e = begin_expression(n, "immediate");

	netlink_number(n, NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
	size_t data = netlink_nest(n, NFTA_IMMEDIATE_DATA);
	size_t verdict = netlink_nest(n, NFTA_DATA_VERDICT);
	netlink_number(n, NFTA_VERDICT_CODE, NF_DROP);
	netlink_close(n, verdict);
	netlink_close(n, data);
	end_expression(n, e);
}

static void add_rule(struct netlink *n, const char *table, const struct family *f)
{
	uint32_t words = f->size / 4;

	netlink_message(n, NFT_MSG_NEWRULE, NFPROTO_NETDEV);
	netlink_text(n, NFTA_RULE_TABLE, table);
	netlink_text(n, NFTA_RULE_CHAIN, CHAIN);
	size_t list = netlink_nest(n, NFTA_RULE_EXPRESSIONS);
	must_be_ethertype(n, f->ethertype);
	load_packet(n, NFT_PAYLOAD_NETWORK_HEADER, f->address, f->size, NFT_REG32_00);
	load_meta(n, NFT_META_L4PROTO, NFT_REG32_00 + words);
	load_packet(n, NFT_PAYLOAD_TRANSPORT_HEADER, 0, HEAD_BYTES, NFT_REG32_00 + words + 1);
	must_be_in(n, f->set);
	drop(n);
	netlink_close(n, list);
}

static void add_table(struct netlink *n, const char *table, const char *interface)
{
	netlink_message(n, NFT_MSG_NEWTABLE, NFPROTO_NETDEV);
	netlink_text(n, NFTA_TABLE_NAME, table);
	netlink_number(n, NFTA_TABLE_FLAGS, NFT_TABLE_F_OWNER);
	netlink_message(n, NFT_MSG_NEWCHAIN, NFPROTO_NETDEV);
	netlink_text(n, NFTA_CHAIN_TABLE, table);
	netlink_text(n, NFTA_CHAIN_NAME, CHAIN);
	netlink_text(n, NFTA_CHAIN_TYPE, "filter");
	size_t hook = netlink_nest(n, NFTA_CHAIN_HOOK);
	netlink_number(n, NFTA_HOOK_HOOKNUM, NF_NETDEV_INGRESS);
	netlink_number(n, NFTA_HOOK_PRIORITY, 0);
	netlink_text(n, NFTA_HOOK_DEV, interface);
	netlink_close(n, hook);
}

static int make_table(struct silence *s, const char *interface)
{
	struct netlink *n = &s->netlink;

	netlink_begin(n);
	add_table(n, s->table, interface);
	for (size_t i = 0; i < 2; i++) {
		add_set(n, s->table, &families[i]);
		add_rule(n, s->table, &families[i]);
	}
	return netlink_send(n);
}

// Adds those keys in [*first, end) that fit into one message. All of them are of one family. *first
// becomes the first key that is left.
static int add_keys(struct silence *s, size_t *first, size_t end)
{
	const struct family *f = &families[s->flow[*first].ipv6];
	struct netlink *n = &s->netlink;
	size_t i = *first;

	netlink_begin(n);
	netlink_message(n, NFT_MSG_NEWSETELEM, NFPROTO_NETDEV);
	netlink_text(n, NFTA_SET_ELEM_LIST_TABLE, s->table);
	netlink_text(n, NFTA_SET_ELEM_LIST_SET, f->set);
	size_t list = netlink_nest(n, NFTA_SET_ELEM_LIST_ELEMENTS);
	for (; i < end && s->flow[i].ipv6 == s->flow[*first].ipv6 &&
	       n->used < NETLINK_BATCH_MAX - 4 * ELEMENT_MAX;
	     i++) {
		size_t element = netlink_nest(n, NFTA_LIST_ELEM);
		size_t key = netlink_nest(n, NFTA_SET_ELEM_KEY);
		netlink_bytes(n, NFTA_DATA_VALUE, s->flow[i].key, key_size(f));
		netlink_close(n, key);
		netlink_close(n, element);
	}
	netlink_close(n, list);
	*first = i;
	return netlink_send(n);
}

// Returns the index of the first flow of this host or of a higher one.
static size_t first_of(const struct silence *s, uint32_t host)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->flow[middle].host < host)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int silence_host(struct silence *s, uint32_t host, const char *interface)
{
	size_t next = first_of(s, host), end = first_of(s, host + 1);
	int rc = netlink_open(&s->netlink);

	if (rc < 0)
		return rc;
	rc = make_table(s, interface);
	while (rc == 0 && next < end)
		rc = add_keys(s, &next, end);
	if (rc == 0)
		return s->netlink.fd;
	close(s->netlink.fd);
	return rc;
}
