// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Prints all models with their options and columns as one JSON document. "version" and "code" name
// the code that computes the figures: rows of other versions may differ.

#include <stdio.h>

#include "sim/engine/model.h"

void sim_describe(FILE *out, const struct sim_model *const models[]);
