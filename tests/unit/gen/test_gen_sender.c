// SPDX-License-Identifier: BSD-3-Clause
// The sending thread of a process that is stopped for a while.
#include "fixtures/unit.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "gen/replay/sender.h"

#define MS UINT64_C(1000000)
#define STOP_MS 400
#define ALIGN_NS (7 * MS)
#define EVERY_MS 100

// Stops the parent for a while, once.
static pid_t stopper(void)
{
	const pid_t parent = getpid(), child = fork();

	if (child == 0) {
		kill(parent, SIGSTOP);
		usleep(STOP_MS * 1000);
		kill(parent, SIGCONT);
		_exit(0);
	}
	return child;
}

static void receive_all(int socket)
{
	uint8_t got[60];

	while (recv(socket, got, sizeof(got), MSG_DONTWAIT) > 0)
		;
}

// Sends until after a pause, in which the process is stopped, and 2 packets more. Returns the
// sender when it is done.
static struct sender stopped(bool fixed, uint64_t align_ns)
{
	const uint8_t frame[60] = {0};
	struct trace t = {0};
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
	for (unsigned i = 0; i < 2; i++) {
		struct trace_packet *p = trace_add(&t, (int64_t)(i * EVERY_MS * MS), frame,
						   sizeof(frame), sizeof(frame));
		assert_non_null(p);
		p->host = 0;
	}
	trace_merge(&t, 0);
	struct sender s = {.trace = &t,
			   .schedule = {.mode = SCHEDULE_TIMES, .multiplier = 1, .loops = 0},
			   .socket = ends,
			   .start_ns = drb_clock_now(),
			   .fixed = fixed,
			   .align_ns = align_ns};
	assert_int_equal(sender_start(&s), 0);
	while (atomic_load(&s.taken) == 0)
		usleep(1000);
	const pid_t child = stopper();
	assert_true(child > 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	while (!fixed && atomic_load(&s.paused_ns) == 0)
		usleep(1000);
	for (uint64_t until = atomic_load(&s.taken) + 2; atomic_load(&s.taken) < until;) {
		receive_all(ends[1]);
		usleep(1000);
	}
	sender_join(&s);
	assert_int_equal(s.sent, s.taken);
	trace_free(&t);
	close(ends[0]);
	close(ends[1]);
	return s;
}

TEST(the_schedule_moves_by_the_pause)
{
	struct sender s = stopped(false, 0);

	assert_true(s.paused_ns >= (STOP_MS - EVERY_MS - 10) * MS);
	assert_true(s.last_ns - s.start_ns >= (s.sent - 1) * EVERY_MS * MS + s.paused_ns);
}

// Slots of slotted links have the same alignment.
TEST(it_moves_by_whole_slots)
{
	struct sender s = stopped(false, ALIGN_NS);

	assert_true(s.paused_ns >= (STOP_MS - EVERY_MS - 10) * MS);
	assert_int_equal(s.paused_ns % ALIGN_NS, 0);
}

TEST(a_schedule_that_other_machines_keep_does_not_move)
{
	struct sender s = stopped(true, ALIGN_NS);

	assert_int_equal(s.paused_ns, 0);
}

TEST_MAIN(NULL, NULL)
