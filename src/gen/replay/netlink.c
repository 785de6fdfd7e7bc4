// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>

#define ANSWER_MAX 8192

int netlink_open(struct netlink *n)
{
	const struct sockaddr_nl any = {.nl_family = AF_NETLINK};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);

	n->fd = -1;
	n->sequence = 0;
	if (fd < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&any, sizeof(any)) < 0) {
		int rc = -errno;
		close(fd);
		return rc;
	}
	n->fd = fd;
	return 0;
}

// Zeroed space for some bytes, in whole words; NULL: there is none.
static void *space_take(struct netlink *n, size_t size)
{
	size_t room = NLMSG_ALIGN(size);

	if (n->full || sizeof(n->bytes) - n->used < room) {
		n->full = true;
		return NULL;
	}
	void *at = memset(n->bytes + n->used, 0, room);
	n->used += room;
	return at;
}

static void end_message(struct netlink *n)
{
	struct nlmsghdr header;

	if (n->used == 0 || n->full)
		return;
	memcpy(&header, n->bytes + n->message, sizeof(header));
	header.nlmsg_len = (uint32_t)(n->used - n->message);
	memcpy(n->bytes + n->message, &header, sizeof(header));
	n->last = n->message;
}

static void open_message(struct netlink *n, uint16_t type, uint8_t family, uint16_t resource)
{
	const struct nlmsghdr header = {.nlmsg_type = type,
					.nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE,
					.nlmsg_seq = ++n->sequence};
	const struct nfgenmsg generic = {
		.nfgen_family = family, .version = NFNETLINK_V0, .res_id = htons(resource)};

	end_message(n);
	n->message = n->used;
	uint8_t *at = space_take(n, sizeof(header) + sizeof(generic));
	if (at) {
		memcpy(at, &header, sizeof(header));
		memcpy(at + sizeof(header), &generic, sizeof(generic));
	}
}

void netlink_begin(struct netlink *n)
{
	n->used = 0;
	n->full = false;
	open_message(n, NFNL_MSG_BATCH_BEGIN, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
}

void netlink_message(struct netlink *n, uint16_t type, uint8_t family)
{
	open_message(n, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type), family, 0);
}

void netlink_bytes(struct netlink *n, uint16_t type, const void *value, size_t size)
{
	const struct nlattr header = {.nla_len = (uint16_t)(NLA_HDRLEN + size), .nla_type = type};
	uint8_t *at = space_take(n, NLA_HDRLEN + size);

	if (at) {
		memcpy(at, &header, sizeof(header));
		memcpy(at + NLA_HDRLEN, value, size);
	}
}

void netlink_text(struct netlink *n, uint16_t type, const char *text)
{
	netlink_bytes(n, type, text, strlen(text) + 1);
}

void netlink_number(struct netlink *n, uint16_t type, uint32_t value)
{
	uint32_t ordered = htonl(value);

	netlink_bytes(n, type, &ordered, sizeof(ordered));
}

size_t netlink_nest(struct netlink *n, uint16_t type)
{
	size_t at = n->used;

	netlink_bytes(n, type | NLA_F_NESTED, "", 0);
	return at;
}

void netlink_close(struct netlink *n, size_t nest)
{
	uint16_t size = (uint16_t)(n->used - nest);

	if (!n->full)
		memcpy(n->bytes + nest, &size, sizeof(size));
}

// The kernel answers the first message that it refuses. If it refuses none, it answers the message
// that asked for an answer.
static int receive(const struct netlink *n)
{
	_Alignas(8) uint8_t answer[ANSWER_MAX];
	struct nlmsghdr header;
	struct nlmsgerr error;

	for (;;) {
		ssize_t got = recv(n->fd, answer, sizeof(answer), 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if ((size_t)got < sizeof(header) + sizeof(error))
			return -EPROTO;
		memcpy(&header, answer, sizeof(header));
		memcpy(&error, answer + NLMSG_HDRLEN, sizeof(error));
		if (header.nlmsg_type == NLMSG_ERROR)
			return error.error;
	}
}

int netlink_send(struct netlink *n)
{
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	struct nlmsghdr header;

	end_message(n);
	size_t asks = n->last;
	open_message(n, NFNL_MSG_BATCH_END, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
	end_message(n);
	if (n->full)
		return -EMSGSIZE;
	memcpy(&header, n->bytes + asks, sizeof(header));
	header.nlmsg_flags |= NLM_F_ACK;
	memcpy(n->bytes + asks, &header, sizeof(header));
	if (sendto(n->fd, n->bytes, n->used, 0, (const struct sockaddr *)&kernel, sizeof(kernel)) <
	    0)
		return -errno;
	return receive(n);
}
