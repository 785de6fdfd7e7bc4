// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Lists of transfers: `drbsim transfer --list` and `drbsim job --list` print them, `drbsim replay` and
// `topo/experiment --tcp` play them. Lines are "transfer,slot,from,to,packets,after_sent,after_arrived", that line itself as heading:
// transfer `transfer`, numbered from 0 by line, begins in this slot, but not before the transfer `after_sent`
// has left the same host and `after_arrived` has arrived there; both are earlier lines, or empty. Slots
// do not go down from line to line. # begins a comment. From a host to itself it takes no link, but so many slots as it
// has packets, 0 or more: the host computes.
// Lists of others are read, too (list_formats.h), and may have further waits.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define DRB_LIST_NONE UINT32_MAX
#define DRB_LIST_ERROR_MAX 200
#define DRB_LIST_MAX 100000000 // transfers, and slots
#define DRB_LIST_HEADING "transfer,slot,from,to,packets,after_sent,after_arrived"

struct drb_listed {
	uint32_t slot, source, dest, size;
	uint32_t after_sent,
		after_arrived; // places in the list; DRB_LIST_NONE: nothing to wait for
	uint32_t way;          // of hosts that choose it (ethereal.h)
};

// What of a transfer others wait for.
enum drb_list_event { DRB_LIST_BEGUN, DRB_LIST_SENT, DRB_LIST_ARRIVED, DRB_LIST_EVENTS };

// Transfer `place` waits for this of transfer `of`, too.
struct drb_list_wait {
	uint32_t place, of;
	enum drb_list_event event;
};

struct drb_list {
	struct drb_listed *transfer; // owned
	uint32_t count, room;
	bool scaled;                // it was in bytes and nanoseconds or picoseconds
	struct drb_list_wait *wait; // owned
	uint32_t waits, waits_room;
};

// What lists of others are measured in.
struct drb_list_scale {
	uint32_t hosts;
	double packet_bytes, slot_ns;
};

void drb_list_free(struct drb_list *list);
// 0, -ENOMEM; -E2BIG: it has DRB_LIST_MAX.
int drb_list_add(struct drb_list *list, const struct drb_listed *transfer);
int drb_list_add_wait(struct drb_list *list, struct drb_list_wait wait);
// What they say in words; NULL of 0.
const char *drb_list_wrong(int rc);
// Transfers alone, not further waits.
void drb_list_print(const struct drb_list *list, FILE *out);
// Any bytes. 0; -EINVAL with what is wrong, file and line, in error, and an empty list. name: for errors.
int drb_list_read(const char *name, FILE *in, const struct drb_list_scale *scale,
		  struct drb_list *list, char error[DRB_LIST_ERROR_MAX]);
// It computes instead.
static inline bool drb_listed_stays(const struct drb_listed *t)
{
	return t->source == t->dest;
}
