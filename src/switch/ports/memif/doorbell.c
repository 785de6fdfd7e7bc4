// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/memif/doorbell.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/config/config.h"

// Results that are fetched at once. The kernel keeps a result for each time that a doorbell is
// rung, up to about a hundred.
#define FETCH_MAX 64
// The kernel allocates more entries than this, but counts only these against fs.aio-max-nr.
#define WAITING_MAX 8

// Ringing takes about a microsecond. The kernel notifies some 3000 watchers in a millisecond.
#define SLOW_NS 1000000
#define FIRST_REST_NS UINT64_C(1000000000)
#define REST_DOUBLES 12

// Contexts of asynchronous I/O, by worker. They stay until the process ends, because closing one
// takes the kernel tens of milliseconds. Written before workers run.
static aio_context_t ringer[DRB_WORKERS_MAX];
static int empty_file = -1;

int drb_doorbell_open(uint32_t workers)
{
	if (empty_file < 0)
		empty_file = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (empty_file < 0)
		return -errno;
	for (uint32_t n = 0; n < workers; n++) {
		if (ringer[n] == 0 && syscall(SYS_io_setup, WAITING_MAX, &ringer[n]) < 0)
			return -errno;
	}
	return 0;
}

static bool submit(aio_context_t context, int bell)
{
	struct iocb read_nothing = {.aio_lio_opcode = IOCB_CMD_PREAD,
				    .aio_fildes = (uint32_t)empty_file,
				    .aio_flags = IOCB_FLAG_RESFD,
				    .aio_resfd = (uint32_t)bell};
	struct iocb *one = &read_nothing;

	return syscall(SYS_io_submit, context, 1, &one) == 1;
}

static void fetch_results(aio_context_t context)
{
	struct io_event results[FETCH_MAX];
	struct timespec at_once = {0};

	while (syscall(SYS_io_getevents, context, 0, FETCH_MAX, results, &at_once) == FETCH_MAX)
		;
}

// Rings the doorbell without write(). The peer shares the flags and the counter of the eventfd. The
// peer can fill the counter and clear O_NONBLOCK, and then write() blocks. The kernel's own signal
// to an eventfd never blocks. Therefore this reads an empty file, and the kernel signals the end of
// that read.
static bool signal_bell(const struct drb_doorbell *b)
{
	const aio_context_t context = ringer[b->worker];

	if (submit(context, b->fd))
		return true;
	if (errno != EAGAIN)
		return false;
	fetch_results(context);
	return submit(context, b->fd);
}

static uint64_t ran_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

// Ringing may also be slow because the worker waits for a CPU, which is not the peer's fault. If
// ringing was slow, the next call also measures CPU time, which takes a system call.
static bool ring_in_time(struct drb_doorbell *b)
{
	const uint8_t slow = atomic_load_explicit(&b->slow, memory_order_relaxed);
	const uint64_t begun = drb_clock_now(), ran = slow ? ran_ns() : 0;
	const bool rung = signal_bell(b);
	const uint64_t now = drb_clock_now();

	if (now - begun < SLOW_NS || (slow && ran_ns() - ran < SLOW_NS)) {
		if (slow)
			atomic_store_explicit(&b->slow, 0, memory_order_relaxed);
	} else {
		const uint8_t again = slow < DRB_DOORBELL_RESTS + REST_DOUBLES ? slow + 1 : slow;
		atomic_store_explicit(&b->slow, again, memory_order_relaxed);
		if (again >= DRB_DOORBELL_RESTS)
			b->rests_ns = now + (FIRST_REST_NS << (again - DRB_DOORBELL_RESTS));
	}
	return rung;
}

void drb_doorbell_ring(struct drb_doorbell *b)
{
	if (!b->ring || (b->rests_ns && drb_clock_now() < b->rests_ns))
		return;
	// If the receiver missed these packets in its last check before sleeping, it had already
	// cleared the flag before that check. After this fence, the load below sees that.
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&b->ring->flags, memory_order_relaxed) & DRB_MEMIF_AWAKE)
		return;
	if (b->asks_each)
		atomic_fetch_or_explicit(&b->ring->flags, DRB_MEMIF_AWAKE, memory_order_relaxed);
	// If the kernel had no memory to ring, the next packet rings again.
	if (!ring_in_time(b) && b->asks_each)
		atomic_store_explicit(&b->ring->flags, 0, memory_order_relaxed);
}
