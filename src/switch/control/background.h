// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A thread for calls that may wait for the kernel or the broker, so that the event loop never does.
// It uses only one descriptor, because a switch must start even where few are allowed.

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <event2/event.h>

STAILQ_HEAD(drb_background_tasks, drb_background_task);

struct drb_background {
	pthread_t thread;
	pthread_mutex_t lock; // of waiting, finished and ends
	pthread_cond_t more;  // waiting has a task, or ends is true
	struct drb_background_tasks waiting, finished;
	bool ends;
	int fd;             // an eventfd: tasks have finished
	struct event *told; // of fd; NULL: not open
	uint32_t open;      // tasks whose done() is still to be called; owned by the event loop
};

// 0, or -errno with a message printed.
int drb_background_open(struct drb_background *b, struct event_base *base);
// The thread calls work(), then the event loop calls done(). Tasks run one after the other.
void drb_background_run(struct drb_background *b, void (*work)(void *context),
			void (*done)(void *context), void *context);
// Waits until all tasks are done, as the switch ends.
void drb_background_settle(struct drb_background *b);
void drb_background_close(struct drb_background *b);
