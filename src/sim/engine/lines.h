// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads points from lines of JSON.

#include <stdio.h>

#include <jansson.h>

#include "sim/engine/model.h"

// One line: {"id": ..., "model": "packet", "load": 0.9, ...}.
struct sim_line {
	const struct sim_model *model;
	void *point;
	char *id;     // JSON; freed by the owner of the line
	json_t *json; // holds the texts that the point refers to
};

// Reads the text of line `number`. If the line is wrong, ends the process by drb_die(); the message
// begins with the key.
void sim_line_read(const struct sim_model *const models[], const char *text, uint64_t number,
		   struct sim_line *line);
