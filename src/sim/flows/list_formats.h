// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Formats of other programs, and the line-by-line reader of all lists.
//
//   htsim  Connection matrices (`.cm`) of csg-htsim and uet-htsim: Nodes, Connections, Triggers,
//          then connections `0->5 id 1 start 0 size 2000000`, with trigger, send_done_trigger and
//          recv_done_trigger, and triggers. Time is in picoseconds. A trigger fires when the
//          connection has arrived. prio has no effect here.
//   GOAL   Schedules of LogGOPSim and ATLAHS (Hoefler et al., ICS 2009): num_ranks, and for each
//          rank send, recv and calc with what each `requires` or `irequires`. Rank r is host r. A
//          rank computes any number of calc at a time.

#include <stdbool.h>
#include <stddef.h>

#include "sim/flows/list.h"

struct drb_list_reader {
	const struct drb_list_scale *scale;
	struct drb_list *list;
	uint32_t line; // number of the line being read, or of the line with an error
	const struct drb_list_format *format;
	void *own; // state of the format
};

struct drb_list_format {
	bool (*begins)(const char *line); // whether a file with this first line has the format
	// Called for each line, without its end and comment; and after the last line. Returns the
	// error, or NULL.
	const char *(*add)(struct drb_list_reader *r, char *line);
	const char *(*end)(struct drb_list_reader *r);
	void (*free)(void *own);
	size_t bytes; // size of `own`, which is zeroed first
	bool hashes;  // # begins a comment
};

extern const struct drb_list_format drb_list_htsim, drb_list_goal;

// An array with space for one more entry; NULL: no memory.
void *drb_list_room(void *array, uint32_t count, uint32_t *room, size_t each);

// Ends of transfers that are matched after the last line, by a key that both ends have.
struct drb_list_ends {
	struct drb_list_end {
		uint64_t key;
		uint32_t tag, place, line;
	} * end; // owned
	uint32_t count, room;
};

int drb_list_ends_add(struct drb_list_ends *ends, struct drb_list_end end); // 0 or -ENOMEM
// Compares by key, then tag: negative, 0 or positive.
int drb_list_ends_order(const struct drb_list_end *a, const struct drb_list_end *b);
// Sorts by key, then tag, then place.
void drb_list_ends_sort(struct drb_list_ends *ends);

// The number of packets with this many bytes, at least 1; 0: too many.
uint32_t drb_list_packets(const struct drb_list_scale *scale, uint64_t bytes);
// The number of slots, rounded; DRB_LIST_NONE: too many.
uint32_t drb_list_slots(const struct drb_list_scale *scale, double ns);
