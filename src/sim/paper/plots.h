// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sim/paper/paper.h"

// Writes figures.txt and draws its pictures as SVG and PDF, if gnuplot is there; p->plots says whether.
void paper_plots(struct paper *p);

#define PAPER_FIGURES "figures.txt"

// The figures as text (sim/figures/script.h), by what they are of.
void figures_of_flows(const struct paper *p, FILE *f);
void figures_of_packets(const struct paper *p, FILE *f);
void figures_of_study(const struct paper *p, FILE *f);
void figures_of_faults(const struct paper *p, FILE *f);
void figures_of_theory(const struct paper *p, FILE *f);
// Queues over time, of runs made for it: the same seed draws the same picture. -ENOMEM.
int figures_of_queues_over_time(const struct paper *p, FILE *f);
