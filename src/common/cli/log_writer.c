// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/log_writer.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"

#define SLOTS 256 // a power of two
#define TEXT_MAX 1024
#define KINDS 128
#define WINDOW_NS (DRB_LOG_WINDOW_S * UINT64_C(1000000000))
#define WINDOW_MS (DRB_LOG_WINDOW_S * 1000)
#define SAID_BITS 16 // of the count in a window
// Limits at exit: the longest wait while standard error takes nothing, and the longest wait in all.
#define REFUSED_NS UINT64_C(200000000)
#define FLUSH_NS UINT64_C(5000000000)

// A slot of the ring. `sequence` plus the slot's index determines its owner. If the sum is n, it is
// the thread that writes message number n; if n + 1, the thread that reads this message; and so on
// one ring later. A ring of zeros is therefore empty, and takes memory only when messages come.
struct slot {
	atomic_uint sequence;
	enum drb_log_level level;
	struct timespec time; // 0: lines have no time
	char text[TEXT_MAX];
};

// Counts of one kind of message in the present window, shared by all threads.
struct kind {
	_Atomic(const char *) fmt; // NULL: free
	// Start of the window in ms, then SAID_BITS for the number of messages logged in it. One
	// word has both, so that a thread that opens a window keeps what others counted in it.
	atomic_uint_least64_t window;
	atomic_uint left_out;
	// Time at which the writing thread first saw that messages were left out; 0: all are
	// reported.
	uint64_t told_ns;
};

static struct slot ring[SLOTS];
static atomic_uint head;       // number of the next message; all threads
static unsigned tail;          // number of the next message to write; of the writing thread
static atomic_uint done;       // the same, for a thread that waits until all is written
static atomic_uint overflowed; // messages that found the ring full; all threads add
static unsigned unwritten;     // messages that standard error refused; of the writing thread
static int unwritten_why;      // errno of the last refusal
static struct kind kinds[KINDS];
static atomic_bool stamped, limits; // limits: messages of some kind were left out
static bool journal;                // constant once the thread runs
static sem_t news;

static unsigned sequence_of(const struct slot *s)
{
	return atomic_load_explicit(&s->sequence, memory_order_acquire) + (unsigned)(s - ring);
}

static void pass_on(struct slot *s, unsigned sequence)
{
	atomic_store_explicit(&s->sequence, sequence - (unsigned)(s - ring), memory_order_release);
}

static struct kind *kind_of(const char *fmt)
{
	const uintptr_t hash = ((uintptr_t)fmt >> 3) * 2654435761u;

	for (unsigned i = 0; i < KINDS; i++) {
		struct kind *k = &kinds[(hash + i) % KINDS];
		const char *there = NULL;
		if (atomic_compare_exchange_strong(&k->fmt, &there, fmt) || there == fmt)
			return k;
	}
	return NULL;
}

// Returns false if messages of this kind were logged too often in the present window.
static bool may_say(const char *fmt)
{
	struct kind *k = kind_of(fmt);

	if (!k)
		return true; // more kinds than any program has
	const uint64_t now = drb_clock_now() / 1000000;
	uint64_t before = atomic_load(&k->window), after;
	// left_out keeps its value until the writing thread has reported it.
	for (;;) {
		// Another thread may have opened a window after this thread took the time.
		const int64_t age = (int64_t)(now - (before >> SAID_BITS));
		if (before == 0 || age > WINDOW_MS)
			after = now << SAID_BITS | 1;
		else if ((before & ((1 << SAID_BITS) - 1)) < DRB_LOG_LINES_MAX)
			after = before + 1;
		else
			break;
		if (atomic_compare_exchange_strong(&k->window, &before, after))
			return true;
	}
	atomic_fetch_add(&k->left_out, 1);
	if (!atomic_exchange(&limits, true))
		sem_post(&news);
	return false;
}

// Any thread may call this. It never blocks.
static void push(enum drb_log_level level, const char *fmt, const char *text)
{
	unsigned number = atomic_load_explicit(&head, memory_order_relaxed);
	struct slot *s;

	if (!may_say(fmt))
		return;
	for (;;) {
		s = &ring[number % SLOTS];
		int ahead = (int)(sequence_of(s) - number);
		if (ahead < 0) {
			atomic_fetch_add(&overflowed, 1);
			return;
		}
		if (ahead > 0)
			number = atomic_load_explicit(&head, memory_order_relaxed);
		else if (atomic_compare_exchange_weak(&head, &number, number + 1))
			break;
	}
	s->level = level;
	s->time = (struct timespec){0};
	if (atomic_load(&stamped))
		clock_gettime(CLOCK_REALTIME, &s->time);
	strncpy(s->text, text, sizeof(s->text) - 1);
	pass_on(s, number + 1);
	sem_post(&news);
}

static bool is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

static int compose(char *line, size_t size, enum drb_log_level level, const struct timespec *time,
		   const char *text)
{
	static const int priority[DRB_LOG_LEVELS] = {3, 4, 6, 7}; // priorities of syslog
	char when[32] = "";
	struct tm tm;

	if (journal)
		return snprintf(line, size, "<%d>%s\n", priority[level], text);
	if (time->tv_sec && gmtime_r(&time->tv_sec, &tm)) {
		size_t length = strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
		snprintf(when + length, sizeof(when) - length, ".%03ldZ ", time->tv_nsec / 1000000);
	}
	return snprintf(line, size, "%s%s: %s%s\n", when, program_invocation_short_name,
			level == DRB_LOG_WARNING ? "warning: " : "", text);
}

// Writes the whole line, without a limit of time. False if standard error refuses it.
static bool write_out(const char *line, size_t length)
{
	struct pollfd writable = {.fd = STDERR_FILENO, .events = POLLOUT};
	static bool torn; // the last line lacks its newline

	if (torn && write(STDERR_FILENO, "\n", 1) != 1)
		return false;
	torn = false;
	while (length > 0) {
		ssize_t n = write(STDERR_FILENO, line, length);
		if (n < 0 && errno == EAGAIN)
			poll(&writable, 1, -1); // another process made the pipe non-blocking
		else if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			torn = true;
			line += n;
			length -= (size_t)n;
		}
	}
	torn = false;
	return true;
}

static bool write_line(enum drb_log_level level, const struct timespec *time, const char *text)
{
	char line[TEXT_MAX + 128];
	int length = compose(line, sizeof(line), level, time, text);

	return write_out(line, (size_t)length < sizeof(line) ? (size_t)length : sizeof(line) - 1);
}

static bool __attribute__((format(printf, 1, 2))) note(const char *fmt, ...)
{
	struct timespec now = {0};
	char text[TEXT_MAX];
	va_list ap;

	if (atomic_load(&stamped))
		clock_gettime(CLOCK_REALTIME, &now);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return write_line(DRB_LOG_WARNING, &now, text);
}

// Reports lost messages. False if the report could not be written, either.
static bool say_lost(void)
{
	unsigned missed = atomic_exchange(&overflowed, 0);

	if (missed > 0 &&
	    !note("%u messages were left out: standard error took none for a while", missed)) {
		atomic_fetch_add(&overflowed, missed);
		return false;
	}
	if (unwritten > 0 &&
	    !note("%u messages are missing here: %s", unwritten, strerror(unwritten_why)))
		return false;
	unwritten = 0;
	return true;
}

// The constant words of a format.
static void words_of(const char *fmt, char *words, size_t size)
{
	size_t used = 0;

	while (*fmt && used + 4 < size) {
		if (*fmt != '%') {
			words[used++] = *fmt++;
			continue;
		}
		fmt += 1 + strcspn(fmt + 1, "diouxXcsgfe%p");
		fmt += *fmt != '\0';
		used += (size_t)snprintf(words + used, size - used, "...");
	}
	words[used] = '\0';
}

static void say_limited(void)
{
	const uint64_t now = drb_clock_now();
	bool more = false;
	char words[200];

	atomic_store(&limits, false);
	for (unsigned i = 0; i < KINDS; i++) {
		struct kind *k = &kinds[i];
		if (atomic_load(&k->left_out) == 0)
			continue;
		if (k->told_ns == 0)
			k->told_ns = now;
		if (now - k->told_ns < WINDOW_NS) {
			more = true;
			continue;
		}
		k->told_ns = 0;
		words_of(atomic_load(&k->fmt), words, sizeof(words));
		note("%u more messages of this kind were left out: %s",
		     atomic_exchange(&k->left_out, 0), words);
	}
	if (more)
		atomic_store(&limits, true);
}

static void write_next(struct slot *s)
{
	if (((unwritten || atomic_load(&overflowed)) && !say_lost()) ||
	    !write_line(s->level, &s->time, s->text)) {
		unwritten_why = errno;
		unwritten++;
	}
	pass_on(s, tail + SLOTS);
	atomic_store(&done, ++tail);
}

static void *write_all(void *arg)
{
	(void)arg;
	for (;;) {
		struct timespec until;
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec++;
		if (atomic_load(&limits) || unwritten || atomic_load(&overflowed))
			sem_clockwait(&news, CLOCK_MONOTONIC, &until);
		else
			sem_wait(&news);
		struct slot *s = &ring[tail % SLOTS];
		while (sequence_of(s) == tail + 1) {
			write_next(s);
			s = &ring[tail % SLOTS];
		}
		if (unwritten || atomic_load(&overflowed))
			say_lost();
		if (atomic_load(&limits))
			say_limited();
	}
	return NULL;
}

static void discard(enum drb_log_level level, const char *fmt, const char *text)
{
	(void)level, (void)fmt, (void)text;
}

int drb_log_writer_start(void)
{
	sigset_t none, before;
	pthread_t thread;

	signal(SIGPIPE, SIG_IGN);
	journal = is_journal();
	sem_init(&news, 0, 0);
	// These signals belong to the threads that wait for them. Real-time signals stay unblocked,
	// because the process sends them to its own threads.
	sigemptyset(&none);
	sigaddset(&none, SIGTERM);
	sigaddset(&none, SIGINT);
	sigaddset(&none, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &none, &before);
	int rc = pthread_create(&thread, NULL, write_all, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc != 0)
		return -rc;
	pthread_detach(thread);
	drb_log_set_sink(push);
	atexit(drb_log_writer_stop);
	return 0;
}

void drb_log_writer_stamp(void)
{
	atomic_store(&stamped, true);
}

void drb_log_writer_stop(void)
{
	const struct timespec pause = {.tv_nsec = 200000};
	const uint64_t begun = drb_clock_now();
	struct pollfd writable = {.fd = STDERR_FILENO, .events = POLLOUT};
	uint64_t now = begun, taken = begun;

	// On a busy machine, the writing thread may not have a CPU yet. This waits for it, so that
	// the last messages are written.
	while (atomic_load(&done) != atomic_load(&head) && now - taken < REFUSED_NS &&
	       now - begun < FLUSH_NS) {
		nanosleep(&pause, NULL);
		now = drb_clock_now();
		if (poll(&writable, 1, 0) == 1)
			taken = now;
	}
	drb_log_set_sink(discard);
}
