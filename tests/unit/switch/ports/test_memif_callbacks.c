// SPDX-License-Identifier: BSD-3-Clause
// Callbacks of the memif driver run on the control thread, and not at all once ports are stopped.
// The driver is played by a file descriptor that DPDK's interrupt thread waits on.
#define ALLOW_EXPERIMENTAL_API
#include "fixtures/unit.h"

#include <stdatomic.h>
#include <sys/eventfd.h>
#include <time.h>

#include <rte_interrupts.h>

#define EAL_LCORES "(0-2)@0"
#include "fixtures/ring_ports.h"
#include "switch/control/bridge.h"
#include "switch/ports/memif/callbacks.h"
#include "switch/ports/memif/doorbell.h"

#define CALLS 200

static struct event_base *base;
static int guarded = -1, last = -1; // events
static atomic_uint calls, elsewhere, last_calls;

static void on_guarded(void *arg)
{
	uint64_t count;

	(void)arg;
	elsewhere += gettid() != getpid();
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

static void happen(int event)
{
	uint64_t one = 1;

	assert_int_equal(write(event, &one, sizeof(one)), sizeof(one));
}

// What the control thread does meanwhile.
static void serve(void)
{
	event_base_loop(base, EVLOOP_NONBLOCK);
	nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

// So many times, one after the other.
static void happen_until(int event, atomic_uint *counted, uint32_t times)
{
	for (uint32_t n = 1; n <= times; n++) {
		happen(event);
		while (atomic_load(counted) < n)
			serve();
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

TEST(control_thread_calls)
{
	static const struct drb_port_users users = {drb_workers_apply_to_port, &all};
	static const struct drb_memif_control control = {&users, drb_bridge_run};
	static atomic_bool connected = true;
	struct drb_memif_link *link_ =
		drb_memif_link_new(&(struct drb_memif_link){.port = "u0", .connected = &connected});
	struct rte_intr_handle *handle, *last_handle;

	assert_non_null(link_);
	assert_non_null(base = event_base_new());
	assert_int_equal(drb_bridge_begin(base), 0);
	start_switch(HEAD RINGS "link: {driver: vdev}\nprocess: {workers: 2, idle: poll}\n");
	assert_int_equal(drb_workers_start(&all), 0);
	drb_memif_set_control(&control);
	drb_memif_enter(link_);
	handle = listen_to(&guarded, on_guarded);
	drb_memif_leave();
	happen_until(guarded, &calls, CALLS);
	assert_int_equal(atomic_load(&elsewhere), 0);

	// A worker that is stuck may be using what a callback takes away: the callback waits, and the workers do not.
	atomic_store(&all.stuck, 1);
	happen(guarded);
	for (uint32_t n = 0; n < 5000; n++)
		serve();
	assert_int_equal(atomic_load(&calls), CALLS);
	atomic_store(&all.stuck, -1);
	while (atomic_load(&calls) == CALLS)
		serve();
	assert_int_equal(atomic_load(&elsewhere), 0);

	// The last tells when the interrupt thread has been through all that happened.
	last_handle = listen_to(&last, on_last);
	drb_memif_close();
	happen(guarded);
	happen_until(last, &last_calls, 5);
	assert_int_equal(atomic_load(&calls), CALLS + 1);
	drb_memif_set_control(NULL);
	drb_bridge_end();
	drb_memif_forget();

	assert_true(rte_intr_callback_unregister(last_handle, on_last, NULL) > 0);
	drb_workers_stop(&all);
	drb_workers_join(&all);
	free_switch();
	event_base_free(base);
	drb_memif_link_free(link_);
	rte_intr_instance_free(handle);
	rte_intr_instance_free(last_handle);
	close(guarded);
	close(last);
}

TEST_MAIN(setup_rings, free_eal)
