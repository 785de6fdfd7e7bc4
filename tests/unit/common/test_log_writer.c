// SPDX-License-Identifier: BSD-3-Clause
// Writing a message of a daemon never blocks, whatever standard error is. Omitted messages are
// counted.
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "common/cli/log_writer.h"

#include "fixtures/unit.h"

#define SAY_THREADS 4
#define SAY_EACH 500

static char said[4 << 20];

// Offset of clock_gettime(CLOCK_REALTIME) from the kernel's time of day. A wait until a time that
// was read with the offset lasts longer, as if the clock had been set back since.
static time_t set_back_s;

int clock_gettime(clockid_t clock, struct timespec *time)
{
	const int rc = (int)syscall(SYS_clock_gettime, clock, time);

	time->tv_sec += clock == CLOCK_REALTIME ? set_back_s : 0;
	return rc;
}

// Runs `child` in a process whose standard error is fd; returns its exit status.
static int run_with(int fd, int (*child)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(fd, STDERR_FILENO);
		_exit(child());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static size_t read_all(int fd)
{
	size_t used = 0;
	ssize_t n;

	while (used < sizeof(said) - 1 && (n = read(fd, said + used, sizeof(said) - 1 - used)) > 0)
		used += (size_t)n;
	said[used] = '\0';
	return used;
}

static unsigned count(const char *what)
{
	unsigned n = 0;

	for (const char *at = said; (at = strstr(at, what)); at++)
		n++;
	return n;
}

// The sum of the numbers before these words.
static unsigned sum_before(const char *words)
{
	unsigned sum = 0;

	for (const char *at = said; (at = strstr(at, words)); at++) {
		const char *digits = at;
		while (digits > said && digits[-1] >= '0' && digits[-1] <= '9')
			digits--;
		sum += (unsigned)strtoul(digits, NULL, 10);
	}
	return sum;
}

// Ten kinds of message, so that the ring is full before the limit of one kind is reached.
static void say_one(unsigned i)
{
	switch (i % 10) {
#define SAY(n)                                                                                     \
	case n:                                                                                    \
		drb_warn("kind " #n " of message %u", i);                                          \
		break
		SAY(0);
		SAY(1);
		SAY(2);
		SAY(3);
		SAY(4);
		SAY(5);
		SAY(6);
		SAY(7);
		SAY(8);
		SAY(9);
	}
}

static void *say_many(void *longest)
{
	for (unsigned i = 0; i < SAY_EACH; i++) {
		uint64_t begin = drb_clock_now();
		say_one(i);
		uint64_t took = drb_clock_now() - begin;
		if (took > *(uint64_t *)longest)
			*(uint64_t *)longest = took;
	}
	return NULL;
}

static int pipe_to_read;

// Standard error is not read until all messages are written.
static int talk_to_nobody(void)
{
	uint64_t longest[SAY_THREADS] = {0};
	pthread_t thread[SAY_THREADS];
	uint64_t begin = drb_clock_now();

	if (drb_log_writer_start() < 0)
		return 2;
	for (unsigned t = 0; t < SAY_THREADS; t++)
		pthread_create(&thread[t], NULL, say_many, &longest[t]);
	for (unsigned t = 0; t < SAY_THREADS; t++)
		pthread_join(thread[t], NULL);
	// A write that blocks would never return.
	if (drb_clock_now() - begin > 10 * UINT64_C(1000000000))
		return 3;
	// Once standard error is read, the number of omitted messages is reported within a moment.
	int reader = open("/proc/self/fd/2", O_RDONLY);
	if (reader < 0)
		return 4;
	for (int i = 0; i < 300; i++) {
		char some[8192];
		fcntl(reader, F_SETFL, O_NONBLOCK);
		ssize_t n = read(reader, some, sizeof(some));
		if (n > 0 && write(pipe_to_read, some, (size_t)n) != n)
			return 5;
		usleep(10000);
	}
	return 0;
}

TEST(test_nobody_reads)
{
	char path[] = "/tmp/drb-test-log-XXXXXX";
	int ends[2], file = mkstemp(path);

	assert_true(file >= 0);
	unlink(path);
	pipe_to_read = file;
	assert_int_equal(pipe(ends), 0);
	fcntl(ends[1], F_SETPIPE_SZ, 4096);
	assert_int_equal(run_with(ends[1], talk_to_nobody), 0);
	lseek(file, 0, SEEK_SET);
	assert_true(read_all(file) > 0);
	unsigned lines = count(" of message "), missing = sum_before(" messages were left out");
	// At most 100 messages of a kind are written in a window; the others are reported ten
	// seconds later.
	assert_true(missing > 0);
	assert_in_range(lines + missing, 1000, 1000);
	close(file);
	close(ends[0]);
	close(ends[1]);
}

static void say_often(unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		drb_info("port %s: %u changes, %.1f%% of them", "d0", i, 0.5);
		if (i % 50 == 0)
			usleep(20000); // at most as many as fit in the ring
	}
}

static int talk_too_much(void)
{
	set_back_s = 3600;
	if (drb_log_writer_start() < 0)
		return 2;
	say_often(3 * DRB_LOG_LINES_MAX);
	drb_info("another kind");
	for (unsigned i = 0; i < 130; i++)
		usleep(100000);
	say_often(DRB_LOG_LINES_MAX + 1); // the window is another one
	drb_log_writer_stop();
	return 0;
}

TEST(test_one_message_too_often)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
	assert_int_equal(run_with(ends[1], talk_too_much), 0);
	close(ends[1]);
	read_all(ends[0]);
	assert_int_equal(count("port d0: "), 2 * DRB_LOG_LINES_MAX);
	assert_int_equal(count("another kind"), 1);
	assert_non_null(strstr(said, "warning: 200 more messages of this kind were left out: "
				     "port ...: ... changes, ...... of them\n"));
	close(ends[0]);
}

// A disk that is full for a while: files cannot grow at first, and can later.
static int talk_to_a_full_disk(void)
{
	struct rlimit none = {.rlim_cur = 100, .rlim_max = RLIM_INFINITY};

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none);
	if (drb_log_writer_start() < 0)
		return 2;
	for (unsigned i = 0; i < 10; i++)
		drb_error("a message of some length, number %u", i);
	usleep(300000);
	none.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &none);
	usleep(2500000);
	drb_error("the last one");
	drb_log_writer_stop();
	return 0;
}

TEST(test_full_disk)
{
	char path[] = "/tmp/drb-test-log-XXXXXX";
	int file = mkstemp(path);

	assert_true(file >= 0);
	unlink(path);
	assert_int_equal(run_with(file, talk_to_a_full_disk), 0);
	lseek(file, 0, SEEK_SET);
	read_all(file);
	unsigned whole = 0, missing = sum_before(" messages are missing here: File too large\n");
	for (unsigned i = 0; i < 10; i++) {
		char line[64];
		snprintf(line, sizeof(line), "message of some length, number %u\n", i);
		whole += count(line);
	}
	assert_int_equal(whole + missing, 10);
	assert_in_range(whole, 1, 3);
	assert_non_null(strstr(said, "the last one\n"));
	close(file);
}

static int talk_and_leave(void)
{
	if (drb_log_writer_start() < 0)
		return 2;
	drb_warn("first\nand only");
	drb_log_writer_stamp();
	drb_error("second");
	drb_log_limit(DRB_LOG_ERROR);
	drb_warn("not said");
	drb_log_writer_stop();
	drb_error("after the end");
	return 0;
}

static void stall(int number)
{
	const struct timespec time = {.tv_nsec = 600000000};

	(void)number;
	nanosleep(&time, NULL);
}

// The writer thread gets no CPU time for a while, as on a busy machine.
static int leave_while_it_stalls(void)
{
	DIR *threads;

	signal(SIGUSR1, stall);
	if (drb_log_writer_start() < 0 || !(threads = opendir("/proc/self/task")))
		return 2;
	for (struct dirent *entry; (entry = readdir(threads));) {
		pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
		if (thread > 0 && thread != getpid())
			tgkill(getpid(), thread, SIGUSR1);
	}
	closedir(threads);
	drb_info("last words");
	drb_log_writer_stop();
	return 0;
}

TEST(test_last_words)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(run_with(ends[1], leave_while_it_stalls), 0);
	close(ends[1]);
	read_all(ends[0]);
	assert_int_equal(count("last words"), 1);
	close(ends[0]);
}

TEST(test_form)
{
	char date[] = "dddd-dd-ddTdd:dd:dd.dddZ ";
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	unsetenv("JOURNAL_STREAM");
	assert_int_equal(run_with(ends[1], talk_and_leave), 0);
	close(ends[1]);
	read_all(ends[0]);
	char *second = strchr(said, '\n');
	assert_non_null(second);
	char *end = strchr(++second, '\n');
	assert_non_null(end);
	second[-1] = '\0';
	assert_string_equal(said, "test_log_writer: warning: first?and only");
	for (size_t i = 0; i < strlen(date); i++) {
		if (date[i] == 'd')
			assert_in_range(second[i], '0', '9');
		else
			assert_int_equal(second[i], date[i]);
	}
	assert_string_equal(second + strlen(date), "test_log_writer: second\n");
	assert_string_equal(end, "\n");
	close(ends[0]);
}

TEST(test_journal)
{
	char stream[64];
	struct stat st;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(fstat(ends[1], &st), 0);
	snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	assert_int_equal(run_with(ends[1], talk_and_leave), 0);
	unsetenv("JOURNAL_STREAM");
	close(ends[1]);
	read_all(ends[0]);
	assert_string_equal(said, "<4>first?and only\n<3>second\n");
	close(ends[0]);
}

static void *find_the_mistake(void *barrier)
{
	pthread_barrier_wait(barrier);
	drb_die("a mistake");
}

static int die_together(void)
{
	pthread_barrier_t barrier;
	pthread_t thread[SAY_THREADS];

	pthread_barrier_init(&barrier, NULL, SAY_THREADS);
	for (unsigned t = 0; t < SAY_THREADS; t++)
		pthread_create(&thread[t], NULL, find_the_mistake, &barrier);
	for (unsigned t = 0; t < SAY_THREADS; t++)
		pthread_join(thread[t], NULL);
	return 0;
}

TEST(test_threads_die_together)
{
	for (unsigned i = 0; i < 50; i++) {
		int ends[2];

		assert_int_equal(pipe(ends), 0);
		assert_int_equal(run_with(ends[1], die_together), DRB_EXIT_USAGE);
		close(ends[1]);
		read_all(ends[0]);
		assert_int_equal(count("a mistake"), 1);
		close(ends[0]);
	}
}

TEST_MAIN(NULL, NULL)
