// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes families of metrics and their series as text, for exposition.c.

#include <stdbool.h>
#include <stdio.h>

#include "ctl/metrics/exposition.h"

enum type { GAUGE, COUNTER, HISTOGRAM };

// Size of the text of a port's labels.
#define PORT_LABELS_MAX 256

struct writer {
	FILE *out;
	const struct metrics_poll *poll;
	// The labels of each switch as text, `fabric="drb",switch="s1-0",layer="1"`, and what each
	// of its ports adds, `,port="u0",peer="s2-0.d0"`. Owned.
	struct switch_labels {
		char text[128];
		char (*port)[PORT_LABELS_MAX];
	} * labels;
};

// A metric family; `name` is without the suffix `_total`.
struct family {
	char name[96];
	const char *help;
	enum type type;
	bool ns; // values are in ns and written in seconds
};

struct label {
	const char *name, *value;
};

// Prepares the labels. Call series_free() in any case. False: out of memory.
bool series_init(struct writer *w);
void series_free(struct writer *w);
// Writes the lines before the series of a family: its help text and type.
void series_begin(const struct writer *w, const struct family *f);
// Writes the beginning of a line, `name suffix{labels} `, for switch i. `more` are further labels,
// up to one without a name; NULL: none.
void series_name(const struct writer *w, const char *name, const char *suffix, size_t i,
		 const struct label *more);
// Writes a series of switch i with further labels as above; writes nothing if the value is unknown.
void series_write(const struct writer *w, const struct family *f, size_t i,
		  const struct label *more, uint64_t value);
// Writes a whole family: a uint64_t of each switch that answered, at this offset in struct
// metrics_switch.
void series_of_switches(const struct writer *w, const struct family *f, size_t offset);
// Writes a whole family: a uint64_t of each port, at this offset in struct drb_switch_port.
void series_of_ports(const struct writer *w, const struct family *f, size_t offset);
