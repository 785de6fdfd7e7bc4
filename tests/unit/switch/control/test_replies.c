// SPDX-License-Identifier: BSD-3-Clause
// Replies of a switch that forwards packets, and what readers make of them.
#include "fixtures/unit.h"

#include <sys/mman.h>

#define EAL_LCORES "(0-1)@0" // control and a worker

#include "common/cli/clock.h"
#include "common/telemetry/switch_reader.h"
#include "fixtures/switch_eal.h"
#include "switch/control/replies.h"
#include "switch/control/stats_socket.h"
#include "switch/control/snapshots.h"
#include "switch/control/switch.h"

#define MANY 0x7ffffffffffffffeu // no counter is greater

static struct drb_switch self;
static char folder[] = "/tmp/drb-test-XXXXXX", path[64];
static const struct drb_stats_service service = {.operators = &self.operators};

// Starts a switch with the longest possible replies: 64 ports, and names and counters of the
// greatest length.
static int start_switch(void **state)
{
	if (setup_eal(state) < 0)
		return -1;
	self.setup = setup_of("fabric: {layers: 3, arity: 32, name: abcdefghijklmnopqrstuvwx}\n"
			      "switch: {layer: 2, label: 1023}\nlink: {driver: none}\n");
	self.ports.count = self.setup.down_ports + self.setup.up_ports;
	for (uint32_t i = 0; i < self.ports.count; i++) {
		struct drb_port_setup *p = &self.setup.ports[i];
		p->driver = DRB_DRIVER_VDEV;
		memset(p->device, '"', sizeof(p->device) - 1);
	}
	if (drb_workers_init(&self.workers, &self.setup) < 0)
		return -1;
	struct drb_worker *w = &self.workers.worker[0];
	for (uint32_t i = 0; i < self.ports.count; i++) {
		struct drb_worker_port *p = &w->port[i];
		p->in_packets = p->in_octets = p->in_discards = p->out_octets = MANY;
	}
	for (uint32_t i = 0; i < DRB_DROP_COUNT; i++)
		w->drop[i] = MANY;
	self.ready = true;
	self.base = event_base_new();
	if (drb_snapshots_open(&self) < 0 || !mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/socket", folder);
	// Snapshots are taken for the requests of this socket.
	self.stats = drb_stats_socket_open(self.base, path, &service);
	if (!self.stats)
		return -1;
	return drb_workers_attach(&self.workers, &self.ports, &self.setup) < 0 ||
			       drb_workers_idle_init(&self.workers) < 0
		       ? -1
		       : drb_workers_start(&self.workers);
}

static int stop_switch(void **state)
{
	drb_workers_stop(&self.workers);
	drb_workers_join(&self.workers);
	drb_workers_idle_free(&self.workers);
	drb_workers_free(&self.workers);
	drb_stats_socket_close(self.stats);
	rmdir(folder);
	drb_snapshots_close(&self);
	event_base_free(self.base);
	return free_eal(state);
}

// Waits for a new snapshot, as the stats socket does before each reply.
static void snapshot(void)
{
	const uint64_t end = drb_clock_now() + UINT64_C(5000000000);
	uint64_t number = 0;

	while (!drb_snapshots_serve(&number, &self)) {
		drb_snapshots_look(&self);
		event_base_loop(self.base, EVLOOP_NONBLOCK);
		assert_true(drb_clock_now() < end);
	}
}

TEST(readers_take_the_longest_reply)
{
	snapshot();
	json_t *reply = drb_reply_all(NULL, &self);
	char *text = json_dumps(reply, JSON_COMPACT);
	struct drb_switch_all all;

	assert_non_null(text);
	assert_in_range(strlen(text), 50000, DRB_STATS_REPLY_MAX - 1000);
	assert_int_equal(drb_all_take(reply, &all), 0);
	assert_int_equal(all.port_count, 64);
	assert_int_equal(all.info.stuck, 0);
	assert_int_equal(all.info.ready, 1);
	assert_string_equal(all.ports[63].name, "u31");
	assert_true(all.ports[63].count.in_octets == MANY);
	assert_true(all.drops.reason[0] == MANY && all.drops.reason[DRB_DROP_COUNT - 1] == MANY);
	assert_string_equal(all.ports[0].state, "none");
	drb_switch_all_free(&all);
	free(text);
	json_decref(reply);
}

// Asserts that a reply equals its part of the reply `all`, except for counters, which may have
// grown.
static void is_part(const char *key, json_t *(*reply)(const char *parameter, void *context))
{
	json_t *all = drb_reply_all(NULL, &self), *part = reply(NULL, &self), *value;
	const char *name;

	assert_true(json_object_size(part) > 0);
	assert_int_equal(json_object_size(part), json_object_size(json_object_get(all, key)));
	json_object_foreach(part, name, value)
	{
		const json_t *same = json_object_get(json_object_get(all, key), name);
		assert_non_null(same);
		if (!json_is_integer(value))
			assert_true(json_equal(value, same));
	}
	json_decref(all);
	json_decref(part);
}

TEST(parts_are_those_of_the_whole)
{
	snapshot();
	is_part("info", drb_reply_info);
	is_part("routing", drb_reply_routing);
	is_part("drops", drb_reply_drops);
	is_part("worker", drb_reply_worker);
	is_part("differences", drb_reply_differences);
}

static json_int_t number(json_t *object, const char *key)
{
	assert_true(json_is_integer(json_object_get(object, key)));
	return json_integer_value(json_object_get(object, key));
}

// Returns the bytes in a line "KEY 12 kB" of a file of this process.
static json_int_t kernel_says(const char *file, const char *key)
{
	FILE *f = fopen(file, "re");
	char line[256];
	long long kb = -1;

	assert_non_null(f);
	while (kb < 0 && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)) == 0)
			kb = atoll(line + strlen(key));
	}
	fclose(f);
	assert_true(kb >= 0);
	return kb * 1024;
}

// Memory that this process allocates is added to the right key. All keys together count each part
// of its memory once.
TEST(memory_by_what_it_is_for)
{
	enum { MORE = 8 << 20, ELSE = 1 << 20 };
	json_int_t tables = kernel_says("/proc/self/status", "VmPTE:");
	json_t *before = drb_reply_memory(NULL, &self);
	// The kernel fills these pages: for memory that the program writes, AddressSanitizer takes
	// an eighth more.
	void *own = mmap(NULL, MORE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	assert_true(own != MAP_FAILED);
	json_t *after = drb_reply_memory(NULL, &self);
	const json_int_t all = kernel_says("/proc/self/smaps_rollup", "Pss:");
#define X(key, meaning) assert_true(number(after, #key) >= 0);
	DRB_MEMORY(X)
#undef X
	assert_in_range(number(after, "memory_own"), number(before, "memory_own") + MORE - ELSE,
			number(before, "memory_own") + MORE + ELSE);
	assert_true(number(after, "memory_shared") < number(before, "memory_shared") + ELSE);
	assert_true(number(after, "memory_code") > 0);
	assert_in_range(number(before, "memory_page_tables"), tables, tables + 65536);
	assert_int_equal(number(after, "memory_rings") + number(after, "memory_buffers"), 0);
	assert_in_range(number(after, "memory_code") + number(after, "memory_shared") +
				number(after, "memory_own"),
			all - ELSE, all + ELSE);
	munmap(own, MORE);
	json_decref(before);
	json_decref(after);
}

static bool count_behind(const struct drb_port *port, struct drb_xdp_counters *counts)
{
	uint64_t at = 100;

	(void)port;
#define X(key, meaning) counts->key = at++;
	DRB_XDP_COUNTERS(X)
#undef X
	return true;
}

#define RINGS (UINT64_C(1) << 40) // more than the memory of code

static uint64_t rings(const struct drb_port *port)
{
	(void)port;
	return RINGS;
}

static void add_length(struct rte_mempool *pool, void *sum, struct rte_mempool_memhdr *part,
		       unsigned i)
{
	(void)pool;
	(void)i;
	*(uint64_t *)sum += part->len;
}

// The counters of a port include the kernel's. The memory of a switch includes the rings of two
// ports, the buffers of its pool, and the buffers that it lent to the kernel.
TEST(parts_that_ports_tell)
{
	static const struct drb_xdp_ops xdp = {.count = count_behind};
	static const struct drb_interface_ops interface = {.rings = rings};
	static const struct drb_port_kind kind = {.xdp = &xdp, .interface = &interface},
					  other = {.interface = &interface}, bare;
	static const struct drb_snapshot none;
	static struct drb_switch more;
	struct drb_port_queue q = {.port = &more.ports.port[3]};
	uint64_t chunks = 0, at = 100;

	more.setup = setup_of("fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n"
			      "link: {driver: none}\n");
	assert_int_equal(drb_workers_init(&more.workers, &more.setup), 0);
	more.ports.count = 4;
	more.ports.port[0].kind = &other;
	more.ports.port[1].kind = &bare;
	more.ports.port[3].kind = &kind;
	more.workers.worker[0].port[3].queue = &q;
	json_t *counters = drb_port_counters_json(&more, &none, 3);
#define X(key, meaning) assert_int_equal(number(counters, #key), at++);
	DRB_XDP_COUNTERS(X)
#undef X
	json_decref(counters);

	rte_mempool_mem_iter(test_pool, add_length, &chunks);
	for (uint32_t lent = 0; lent < 2; lent++) {
		more.ports.pool = test_pool;
		more.ports.lent = lent ? test_pool : NULL;
		json_t *memory = drb_reply_memory(NULL, &more);
		assert_int_equal(number(memory, "memory_rings"), 2 * RINGS);
		assert_int_equal(number(memory, "memory_code"), 0);
		assert_in_range(number(memory, "memory_buffers"), (lent + 1) * chunks / 2,
				(lent + 1) * chunks);
		json_decref(memory);
	}
	more.workers.worker[0].port[3].queue = NULL;
	drb_workers_free(&more.workers);
}

TEST(a_port_by_its_name_and_by_its_number)
{
	snapshot();
	json_t *named = drb_reply_port("u31", &self);
	json_t *numbered = drb_reply_ethdev_info("63", &self);
	json_t *counters = drb_reply_ethdev_xstats("63", &self);
	json_t *stats = drb_reply_ethdev_stats("63", &self);
	json_t *link = drb_reply_ethdev_link_status("63", &self);
	json_t *lists = drb_reply_ports(NULL, &self);

	assert_true(json_equal(named, numbered));
	assert_string_equal(json_string_value(json_object_get(named, "name")), "u31");
#define X(key, meaning)                                                                            \
	assert_int_equal(number(named, #key), number(counters, #key));                             \
	assert_int_equal(json_array_size(json_object_get(lists, #key)), 64);                       \
	assert_int_equal(json_integer_value(json_array_get(json_object_get(lists, #key), 63)),     \
			 number(named, #key));
	DRB_PORT_COUNTERS(X)
#undef X
	assert_int_equal(number(stats, "ipackets"), MANY);
	assert_int_equal(number(stats, "ierrors"), MANY);
	assert_int_equal(number(stats, "opackets"), 0);
	assert_string_equal(json_string_value(json_object_get(link, "status")), "DOWN");
	json_decref(named);
	json_decref(numbered);
	json_decref(counters);
	json_decref(stats);
	json_decref(link);
	json_decref(lists);
}

TEST(other_ports_are_none)
{
	static const char *const wrong[] = {NULL, "64", "-1", "u0", "0,1"};

	snapshot();
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_null(drb_reply_ethdev_stats(wrong[i], &self));
	assert_null(drb_reply_port(NULL, &self));
	assert_null(drb_reply_port("u32", &self));
}

TEST_MAIN(start_switch, stop_switch)
