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
// From the slot on, host `from` sends to host `to` in this share of the slots (times rho); the last
// line of a pair holds, 0 ends it. Where hosts stand for `from`, the line is one for each of them; where hosts
// stand for `to`, each packet goes to one of these, drawn at random among those that are not its sender. Slots
// do not go down from line to line. The rates of a host add up to at most 1 at any time, but for what rounding
// adds, where lines of one slot hold together. Empty lines and what follows a # are left out; the first other
// line is the heading above.

#include <stdio.h>

#include "core/traffic/traffic.h"

#define DRB_TRAFFIC_ERROR_MAX 160

// Reads such a text, of any bytes and any length, for so many hosts. 0 and *file, to be freed with
// drb_traffic_file_free(); -EINVAL with the line and what is wrong in error, -ENOMEM with a message
// there.
int drb_traffic_file_read(FILE *in, uint32_t hosts, struct drb_traffic_file **file,
			  char error[DRB_TRAFFIC_ERROR_MAX]);
void drb_traffic_file_free(struct drb_traffic_file *file);

// Where the kind is of a file, reads it into kind->file, which is freed as above; of "-" standard input. 0, or
// -EINVAL or -ENOMEM after a message that names file and line.
int drb_traffic_load(struct drb_traffic_kind *kind, uint32_t hosts);
