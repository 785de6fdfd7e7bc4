// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Prints a row as one line of JSON. Numbers have all their digits.

#include <stdio.h>

#include "sim/engine/model.h"

// `id` is JSON. The line ends with a newline.
void sim_row_json(FILE *out, const char *id, const struct sim_model *model, const void *point,
		  const struct sim_outcome *outcome);
// Prints a text as a JSON string, with escapes.
void sim_put_json_text(FILE *out, const char *text);
