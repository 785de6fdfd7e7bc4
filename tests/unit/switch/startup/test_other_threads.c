// SPDX-License-Identifier: BSD-3-Clause
// A function runs once in each other thread, up to a number of threads.
#include "fixtures/unit.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "switch/startup/other_threads.h"

#define OTHERS_MAX 256 // as in other_threads.c

struct thread {
	pthread_t id;
	int runs[2];     // a pipe; its end ends the thread
	atomic_int acts; // written by the thread itself
};

static struct thread thread[OTHERS_MAX + 1];
static uint32_t threads;
static _Thread_local atomic_int *acts;
static int result;

static int act(void)
{
	if (!acts) // a thread of a sanitizer
		return 0;
	(*acts)++;
	return result;
}

static void *wait_for_the_end(void *context)
{
	struct thread *t = context;
	ssize_t got;
	char byte;

	acts = &t->acts;
	*acts = 0;
	do {
		got = read(t->runs[0], &byte, 1);
	} while (got < 0);
	return NULL;
}

static uint32_t others(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	uint32_t count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count - 1;
}

static void start(void *(*run)(void *thread))
{
	struct thread *t = &thread[threads++];

	t->acts = -1;
	assert_int_equal(pipe(t->runs), 0);
	assert_int_equal(pthread_create(&t->id, NULL, run, t), 0);
	while (atomic_load(&t->acts) < 0)
		usleep(100);
}

static void start_one(void)
{
	start(wait_for_the_end);
}

static void end_all(void)
{
	while (threads > 0) {
		struct thread *t = &thread[--threads];
		close(t->runs[1]);
		pthread_join(t->id, NULL);
		close(t->runs[0]);
	}
}

TEST(each_thread_acts_once)
{
	for (uint32_t n = 0; n < 4; n++) {
		for (uint32_t i = 0; i < threads; i++)
			thread[i].acts = 0;
		assert_int_equal(drb_in_other_threads(act), 0);
		for (uint32_t i = 0; i < threads; i++)
			assert_int_equal(thread[i].acts, 1);
		start_one();
	}
	end_all();
}

TEST(an_error_of_a_thread_is_returned)
{
	start_one();
	result = -EPERM;
	assert_int_equal(drb_in_other_threads(act), -EPERM);
	result = 0;
	assert_int_equal(drb_in_other_threads(act), 0); // the next call begins without it
	end_all();
}

TEST(too_many_threads_are_an_error)
{
	while (others() < OTHERS_MAX)
		start_one();
	assert_int_equal(drb_in_other_threads(act), 0);
	start_one();
	assert_int_equal(drb_in_other_threads(act), -EAGAIN);
	end_all();
}

// A thread that blocks all signals cannot act. A call says so within a second or two.
static void *block_signals(void *context)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	return wait_for_the_end(context);
}

TEST(a_thread_that_does_not_act_is_an_error)
{
	start(block_signals);
	assert_int_equal(drb_in_other_threads(act), -ETIMEDOUT);
	end_all();
}

TEST_MAIN(NULL, NULL)
