// SPDX-License-Identifier: BSD-3-Clause
// Callbacks of the memif driver run with the workers parked, and not at all once ports are stopped.
// The driver is played by a file descriptor that DPDK's interrupt thread waits on.
#define ALLOW_EXPERIMENTAL_API
#include "fixtures/unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <time.h>

#include <rte_interrupts.h>

#define EAL_LCORES "(0-1)@0"
#include "fixtures/ring_ports.h"
#include "switch/ports/memif/doorbell.h"
#include "switch/ports/memif/callbacks.h"

#define CALLS 200

static int guarded = -1, last = -1; // events
static atomic_uint calls, unparked, last_calls;

static void on_guarded(void *arg)
{
	uint64_t count;

	(void)arg;
	for (uint32_t n = 0; n < all.count; n++)
		unparked += !atomic_load(&all.worker[n].parked);
	if (read(guarded, &count, sizeof(count)) == sizeof(count))
		calls++;
}

static void on_last(void *arg)
{
	uint64_t count;

	(void)arg;
	if (read(last, &count, sizeof(count)) == sizeof(count))
		last_calls++;
}

static void wait_until_running(void)
{
	for (uint32_t n = 0; n < all.count; n++) {
		while (!atomic_load(&all.worker[n].running))
			nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}
}

static void happen(int event)
{
	uint64_t one = 1;

	assert_int_equal(write(event, &one, sizeof(one)), sizeof(one));
}

// So many times, one after the other.
static void happen_until(int event, atomic_uint *counted, uint32_t times)
{
	for (uint32_t n = 1; n <= times; n++) {
		happen(event);
		while (atomic_load(counted) < n)
			nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
	}
}

static struct rte_intr_handle *listen_to(int *event, rte_intr_callback_fn callback)
{
	struct rte_intr_handle *handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);

	*event = eventfd(0, EFD_NONBLOCK);
	assert_true(handle && *event >= 0);
	assert_int_equal(rte_intr_fd_set(handle, *event), 0);
	assert_int_equal(rte_intr_type_set(handle, RTE_INTR_HANDLE_EXT), 0);
	assert_int_equal(rte_intr_callback_register(handle, callback, NULL), 0);
	return handle;
}

static int park(void *workers)
{
	return drb_workers_park(workers);
}

static void unpark(void *workers)
{
	drb_workers_unpark(workers);
}

TEST(workers_rest_meanwhile)
{
	static const struct drb_port_parking parking = {park, unpark, &all};
	bool connected = true;
	struct drb_memif_link *link_ =
		drb_memif_link_new(&(struct drb_memif_link){.port = "u0", .connected = &connected});
	struct rte_intr_handle *handle, *last_handle;
	pthread_t thread;

	assert_non_null(link_);
	start_switch(HEAD RINGS "link: {driver: vdev}\nprocess: {workers: 2, idle: poll}\n");
	assert_int_equal(pthread_create(&thread, NULL, run_workers, NULL), 0);
	wait_until_running();
	drb_memif_set_parking(&parking);
	drb_memif_enter(link_);
	handle = listen_to(&guarded, on_guarded);
	drb_memif_leave();
	happen_until(guarded, &calls, CALLS);
	assert_int_equal(atomic_load(&unparked), 0);

	// A worker that is stuck may be using what a callback takes away: the callback waits, and the workers do not.
	atomic_store(&all.stuck, 1);
	happen(guarded);
	nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
	assert_int_equal(atomic_load(&calls), CALLS);
	for (uint32_t n = 0; n < all.count; n++)
		assert_int_equal(atomic_load(&all.worker[n].park), 0);
	atomic_store(&all.stuck, -1);
	while (atomic_load(&calls) == CALLS)
		nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
	assert_int_equal(atomic_load(&unparked), 0);

	// The last tells when the interrupt thread has been through all that happened.
	last_handle = listen_to(&last, on_last);
	drb_memif_close();
	happen(guarded);
	happen_until(last, &last_calls, 5);
	assert_int_equal(atomic_load(&calls), CALLS + 1);
	drb_memif_forget();

	assert_true(rte_intr_callback_unregister(last_handle, on_last, NULL) > 0);
	drb_workers_stop(&all);
	assert_int_equal(pthread_join(thread, NULL), 0);
	free_switch();
	drb_memif_link_free(link_);
	rte_intr_instance_free(handle);
	rte_intr_instance_free(last_handle);
	close(guarded);
	close(last);
}

TEST_MAIN(setup_rings, free_eal)
