// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The parts of the report, each of which writes its chapter of the page to f.

#include <stdio.h>

#include "sim/paper/paper.h"

void report_claims(const struct paper *p, FILE *f);
void report_flows(const struct paper *p, FILE *f);
void report_packets(const struct paper *p, FILE *f);
void report_study(const struct paper *p, FILE *f);
void report_faults(const struct paper *p, FILE *f);
void report_theory(const struct paper *p, FILE *f);
