// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Traffic from a file (pattern file:PATH of core/traffic/traffic.h): lines of comma-separated
// values
//
//   slot,from,to,rate
//   0,3,9,1
//   500,3,9,0.25
//   500,3,10,0.5
//   500,0-2+4-7,8-15,1
//
// From the slot on, host `from` sends to host `to` in this share of the slots (times rho). The rate
// holds until the next line of the same pair; rate 0 ends it. If `from` is a set of hosts, the line
// counts for each of them. If `to` is a set, each packet goes to a random member other than its
// sender. Slots must not decrease from line to line.
// The rates of a host add up to at most 1 at any time, except for rounding. The lines of one slot
// take effect together. Empty lines and text after a # are ignored. The first line that is not
// ignored must be the heading above.

#include <stdio.h>

#include "core/traffic/traffic.h"

#define DRB_TRAFFIC_ERROR_MAX 160

// Reads a text of any bytes and any length for this number of hosts. Returns 0 and *file, which
// drb_traffic_file_free() frees; -EINVAL with the line and the reason in error; -ENOMEM with a
// message there.
int drb_traffic_file_read(FILE *in, uint32_t hosts, struct drb_traffic_file **file,
			  char error[DRB_TRAFFIC_ERROR_MAX]);
void drb_traffic_file_free(struct drb_traffic_file *file);

// Like drb_traffic_load(), with the message in why.
#define DRB_TRAFFIC_WHY_MAX (DRB_TRAFFIC_ERROR_MAX + DRB_TRAFFIC_PATH_MAX)
int drb_traffic_read(struct drb_traffic_kind *kind, uint32_t hosts, char why[DRB_TRAFFIC_WHY_MAX]);
// If the pattern is a file, reads it into kind->file, which drb_traffic_file_free() frees; "-" is
// standard input. Returns 0, or -EINVAL or -ENOMEM after a message that names file and line.
int drb_traffic_load(struct drb_traffic_kind *kind, uint32_t hosts);
