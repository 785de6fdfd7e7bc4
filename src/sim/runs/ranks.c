// SPDX-License-Identifier: BSD-3-Clause
#include "sim/runs/ranks.h"

#ifdef DRB_MPI
#include <mpi.h>
#include <stdlib.h>

#include "common/cli/log.h"

#define CHUNK (1 << 20) // counts of MPI are int

static int rank, ranks = 1;

static void finish(void)
{
	MPI_Finalize();
}

void sim_ranks_begin(void)
{
	int level;

	// Started by hand, a program has no business with MPI.
	if (!getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMI_SIZE"))
		return;
	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
		drb_die("cannot join the MPI job");
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	atexit(finish);
}

void sim_ranks_wait(void)
{
	if (ranks > 1)
		MPI_Barrier(MPI_COMM_WORLD);
}

void sim_ranks_merge(void *results, size_t bytes)
{
	char *at = results;

	for (size_t done = 0; ranks > 1 && done < bytes; done += CHUNK) {
		int count = (int)(bytes - done < CHUNK ? bytes - done : CHUNK);
		MPI_Reduce(rank ? at + done : MPI_IN_PLACE, at + done, count, MPI_BYTE, MPI_BOR, 0,
			   MPI_COMM_WORLD);
	}
	if (rank > 0)
		exit(DRB_EXIT_OK);
}
#else
enum { rank = 0, ranks = 1 };

void sim_ranks_begin(void)
{
}

void sim_ranks_wait(void)
{
}

void sim_ranks_merge(void *results, size_t bytes)
{
	(void)results;
	(void)bytes;
}
#endif

uint32_t sim_rank(void)
{
	return (uint32_t)rank;
}

uint32_t sim_ranks(void)
{
	return (uint32_t)ranks;
}
