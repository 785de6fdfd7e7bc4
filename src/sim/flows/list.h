// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Lists of transfers: `drbsim transfer --list` and `drbsim job --list` print them, `drbsim replay`
// and `drblab tcp` play them. The first line is the heading
// "transfer,slot,from,to,packets,after_sent,after_arrived". Each other line has these values.
// `transfer` numbers the lines from 0. A transfer begins in its slot or later, once the transfer
// `after_sent` has left the same host and `after_arrived` has arrived there. Both are earlier
// lines, or empty. Slots do not decrease from line to line. # begins a comment. A transfer from a
// host to itself takes no link: the host computes for as many slots as the transfer has packets, 0
// or more.
//
// Lists of other programs are read, too (list_formats.h). These may have further waits.

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
		after_arrived; // indices in the list; DRB_LIST_NONE: nothing to wait for
};

// Events of a transfer that others may wait for. KNOWN: the source knows that all packets have
// arrived, which comes after ARRIVED only with uec.
enum drb_list_event {
	DRB_LIST_BEGUN,
	DRB_LIST_SENT,
	DRB_LIST_ARRIVED,
	DRB_LIST_KNOWN,
	DRB_LIST_EVENTS
};

// Transfer `place` also waits for this event of transfer `of`.
struct drb_list_wait {
	uint32_t place, of;
	enum drb_list_event event;
};

struct drb_list {
	struct drb_listed *transfer; // owned
	uint32_t count, room;
	bool scaled;                // its file had bytes and nanoseconds or picoseconds
	struct drb_list_wait *wait; // owned
	uint32_t waits, waits_room;
};

// Scale for lists in bytes and time.
struct drb_list_scale {
	uint32_t hosts;
	double packet_bytes, slot_ns;
};

void drb_list_free(struct drb_list *list);
// 0, -ENOMEM, or -E2BIG if the list has DRB_LIST_MAX transfers.
int drb_list_add(struct drb_list *list, const struct drb_listed *transfer);
int drb_list_add_wait(struct drb_list *list, struct drb_list_wait wait);
// The message for their errors; NULL for 0.
const char *drb_list_wrong(int rc);
// Prints the transfers, but not further waits.
void drb_list_print(const struct drb_list *list, FILE *out);
// Reads a list, whose bytes need not be valid. 0, or -EINVAL with file, line and cause in `error`,
// and an empty list. `name` is for errors.
int drb_list_read(const char *name, FILE *in, const struct drb_list_scale *scale,
		  struct drb_list *list, char error[DRB_LIST_ERROR_MAX]);
// The number of hosts in the head of a connection matrix of htsim; 0: it is not such a file.
uint32_t drb_list_nodes(FILE *in);
// True if the host computes instead of sending.
static inline bool drb_listed_stays(const struct drb_listed *t)
{
	return t->source == t->dest;
}
