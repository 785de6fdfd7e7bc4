// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The sending thread: every packet from its host's socket at its time, and how late that was.

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "gen/captures/pairs.h"
#include "gen/captures/trace.h"
#include "gen/replay/schedule.h"

struct sender {
	// Set by the owner before sender_start().
	const struct trace *trace; // its packets' `sent` is written
	struct schedule schedule;
	const int *socket;   // packet socket of every host
	bool measured;       // fill in the transmit time
	uint64_t start_ns;   // CLOCK_MONOTONIC of time 0 of the schedule
	uint64_t shift_ns;   // by which CLOCK_MONOTONIC is ahead of the clock of transmit times
	struct moments *log; // gets index and time of each packet that was sent; NULL: not wanted
	uint64_t late_ns;    // packets behind the schedule by more count as late

	_Atomic bool cancel;    // written by main: send no more
	_Atomic bool done;      // written by the sender: nothing more will be sent
	_Atomic uint64_t taken; // written by the sender: packets dealt with

	// Written by the sender, read when done.
	uint64_t sent, failed;
	int error;           // errno of the last failure
	uint32_t error_host; // and where
	uint64_t first_ns, last_ns;
	uint64_t late_max_ns, late_sum_ns; // behind the schedule, of packets sent
	uint64_t late;                     // packets sent late

	// Private.
	pthread_t thread;
	bool running;
};

// 0, or a negative errno after a message.
int sender_start(struct sender *s);
// Cancels what is left and waits for the thread. Does nothing if it is not running.
void sender_join(struct sender *s);
