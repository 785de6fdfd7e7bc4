// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The sending thread: sends every packet from its host's socket at its time, and measures lateness.

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "gen/captures/pairs.h"
#include "gen/captures/trace.h"
#include "gen/replay/schedule.h"

struct sender {
	// The owner sets these before sender_start().
	const struct trace *trace; // its packets' `sent` is written
	struct schedule schedule;
	const int *socket;   // packet socket of every host
	bool measured;       // fill in the transmit time
	uint64_t start_ns;   // CLOCK_MONOTONIC of time 0 of the schedule
	uint64_t shift_ns;   // how far CLOCK_MONOTONIC is ahead of the clock of transmit times
	struct moments *log; // gets index and time of each packet sent; NULL: not needed
	uint64_t late_ns;    // packets that are sent later than this count as late
	bool fixed;          // the schedule does not move, because other machines keep it, too
	uint64_t align_ns;   // the schedule moves by multiples of this; 0: by any time

	_Atomic bool cancel;    // written by main: send no more
	_Atomic bool done;      // written by the sender: nothing more will be sent
	_Atomic uint64_t taken; // written by the sender: packets processed
	// Written by the sender: the time by which the schedule moved because the process was
	// stopped.
	_Atomic uint64_t paused_ns;

	// The sender writes these. The owner reads them when it is done.
	uint64_t sent, failed;
	int error;           // errno of the last failure
	uint32_t error_host; // host of the last failure
	uint64_t first_ns, last_ns;
	uint64_t late_max_ns, late_sum_ns; // behind the schedule, of packets sent
	uint64_t late;                     // packets sent late

	// Private.
	pthread_t thread;
	bool running;
};

// 0, or a negative errno after a message.
int sender_start(struct sender *s);
// Cancels the packets that are not sent, and waits for the thread. Does nothing if it is not
// running.
void sender_join(struct sender *s);
