// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Requests to nf_tables: batches of netlink messages, written attribute by attribute. The kernel
// applies a batch as a whole or not at all.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes of a batch: an attribute that contains others has a length of 16 bits.
#define NETLINK_BATCH_MAX 61440

struct netlink {
	int fd;
	uint32_t sequence;
	size_t used, message, last; // bytes; where the open message begins, and the one before it
	bool full;                  // an attribute did not fit: sending fails
	_Alignas(8) uint8_t bytes[NETLINK_BATCH_MAX];
};

// Opens a socket in the network namespace of the caller. 0 or a negative errno.
int netlink_open(struct netlink *n);

void netlink_begin(struct netlink *n);
// Opens the next message of a family, NFPROTO_*; type is one of NFT_MSG_*.
void netlink_message(struct netlink *n, uint16_t type, uint8_t family);
void netlink_bytes(struct netlink *n, uint16_t type, const void *value, size_t size);
void netlink_text(struct netlink *n, uint16_t type, const char *text);
void netlink_number(struct netlink *n, uint16_t type, uint32_t value);
// Opens an attribute that contains all following ones, until netlink_close(). Returns where it
// begins.
size_t netlink_nest(struct netlink *n, uint16_t type);
void netlink_close(struct netlink *n, size_t nest);

// Sends the batch and waits for the kernel's answer. 0 or a negative errno.
int netlink_send(struct netlink *n);
