// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Lists that others write, and the readers of all lists, line by line.
//
//   htsim  connection matrices (`.cm`) of csg-htsim and uet-htsim: Nodes, Connections, Triggers, then connections
//          `0->5 id 1 start 0 size 2000000`, with trigger, send_done_trigger and recv_done_trigger, and triggers. Time in
//          picoseconds. A trigger fires when the connection has arrived. prio says nothing here.
//   GOAL   schedules of LogGOPSim and ATLAHS (Hoefler et al., ICS 2009): num_ranks, and for each rank send, recv and calc
//          with what each `requires` or `irequires`. Rank r is host r; a rank computes any number of calc at a time.

#include <stdbool.h>
#include <stddef.h>

#include "sim/flows/list.h"

struct drb_list_reader {
	const struct drb_list_scale *scale;
	struct drb_list *list;
	uint32_t line; // the one that is read, or is wrong
	const struct drb_list_format *format;
	void *own; // of the format
};

struct drb_list_format {
	bool (*begins)(
		const char *line); // whether a file whose first line is this is of the format
	// A line without its end and without what # begins; after the last one. What is wrong, NULL if nothing is.
	const char *(*add)(struct drb_list_reader *r, char *line);
	const char *(*end)(struct drb_list_reader *r);
	void (*free)(void *own);
	size_t bytes; // of own, which is 0 at first
	bool hashes;  // # begins a comment
};

extern const struct drb_list_format drb_list_htsim, drb_list_goal;

// An array with room for one more; NULL without memory.
void *drb_list_room(void *array, uint32_t count, uint32_t *room, size_t each);

// What is to be matched when all is read: ends of transfers, with the key that both have.
struct drb_list_ends {
	struct drb_list_end {
		uint64_t key;
		uint32_t tag, place, line;
	} * end; // owned
	uint32_t count, room;
};

int drb_list_ends_add(struct drb_list_ends *ends, struct drb_list_end end); // 0 or -ENOMEM
// By key, then tag: negative, 0 or positive.
int drb_list_ends_order(const struct drb_list_end *a, const struct drb_list_end *b);
// In that order, then by place.
void drb_list_ends_sort(struct drb_list_ends *ends);

// Packets that hold so many bytes, at least 1; 0: too many.
uint32_t drb_list_packets(const struct drb_list_scale *scale, uint64_t bytes);
// Slots, rounded; DRB_LIST_NONE: too many.
uint32_t drb_list_slots(const struct drb_list_scale *scale, double ns);
