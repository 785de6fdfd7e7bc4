// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Lists of transfers: `drbsim transfer --list` and `drbsim job --list` print them, `drbsim replay` and
// `topo/experiment --tcp` play them. Lines are "transfer,slot,from,to,packets,after_sent,after_arrived", that line itself as heading:
// transfer `transfer`, numbered from 0 by line, begins in this slot, but not before the transfer `after_sent`
// has left the same host and `after_arrived` has arrived there; both are earlier lines, or empty. Slots
// do not go down from line to line. # begins a comment.

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
};

struct drb_list {
	struct drb_listed *transfer; // owned
	uint32_t count, room;
};

void drb_list_free(struct drb_list *list);
// 0 or -ENOMEM.
int drb_list_add(struct drb_list *list, const struct drb_listed *transfer);
void drb_list_print(const struct drb_list *list, FILE *out);
// Any bytes. 0; -EINVAL with what is wrong, file and line, in error, and an empty list. name: for errors.
int drb_list_read(const char *name, FILE *in, uint32_t hosts, struct drb_list *list,
		  char error[DRB_LIST_ERROR_MAX]);
