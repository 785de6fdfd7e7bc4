// SPDX-License-Identifier: BSD-3-Clause
// Signals that end a program in an orderly manner.
#include "fixtures/unit.h"

#include <signal.h>
#include <unistd.h>

#include "common/cli/interrupt.h"

TEST(an_ignored_hangup_stays_ignored)
{
	signal(SIGHUP, SIG_IGN); // as nohup does
	drb_interrupt_catch(0);
	kill(getpid(), SIGHUP);
	assert_false(drb_interrupted());
}

TEST(a_hangup_interrupts)
{
	signal(SIGHUP, SIG_DFL);
	drb_interrupt_catch(0);
	assert_false(drb_interrupted());
	kill(getpid(), SIGHUP);
	assert_true(drb_interrupted());
}

TEST_MAIN(NULL, NULL)
