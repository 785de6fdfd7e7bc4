// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/interrupt.h"

#include <signal.h>

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

void drb_interrupt_catch(int flags)
{
	const struct sigaction action = {.sa_handler = interrupt, .sa_flags = flags};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	// A program started by nohup is meant to continue.
	struct sigaction before;
	if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

bool drb_interrupted(void)
{
	return interrupted;
}
