// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs spread over the ranks of an MPI job (meson option mpi); one rank without it.

#include <stddef.h>
#include <stdint.h>

// Joins the job if mpirun started this process. Called once, first in main().
void sim_ranks_begin(void);
uint32_t sim_rank(void);
uint32_t sim_ranks(void);
void sim_ranks_wait(void);
// Merges results that are all zero except where this rank filled them; only rank 0 returns, the
// others are done and exit.
void sim_ranks_merge(void *results, size_t bytes);
