// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Families of metrics and their series as text, for exposition.c.

#include <stdbool.h>
#include <stdio.h>

#include "ctl/metrics/exposition.h"

enum type { GAUGE, COUNTER, HISTOGRAM };

// Labels of the ports of a switch, as they are written.
#define PORT_LABELS_MAX 256

struct writer {
	FILE *out;
	const struct metrics_poll *poll;
	// Of each switch: `fabric="drb",switch="s1-0",layer="1"`, and of each of its ports, from here on:
	// `,port="u0",peer="s2-0.d0"`. Owned.
	struct switch_labels {
		char text[128];
		char (*port)[PORT_LABELS_MAX];
	} * labels;
};

// A metric family. name is without `_total`.
struct family {
	char name[96];
	const char *help;
	enum type type;
	bool ns; // values are in ns and written in seconds
};

struct label {
	const char *name, *value;
};

// Prepares the labels; the writer is to be freed. False: no memory.
bool series_init(struct writer *w);
void series_free(struct writer *w);
// What stands before the series of a family.
void series_begin(const struct writer *w, const struct family *f);
// `name suffix{labels} ` of switch i, with more labels, which end with one without a name.
void series_name(const struct writer *w, const char *name, const char *suffix, size_t i,
		 const struct label *more);
// A series of switch i.
void series_write(const struct writer *w, const struct family *f, size_t i,
		  const struct label *more, uint64_t value);
// A whole family: a value of each switch that answered, found at this offset of struct metrics_switch.
void series_of_switches(const struct writer *w, const struct family *f, size_t offset);
// The same of each port, at this offset of struct drb_switch_port.
void series_of_ports(const struct writer *w, const struct family *f, size_t offset);
