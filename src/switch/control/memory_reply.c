// SPDX-License-Identifier: BSD-3-Clause
// The reply about memory: the kernel's figures for this process, divided into the parts that the
// switch knows.
#include <stdio.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_mempool.h>

#include "core/counters.h"
#include "switch/control/replies.h"
#include "switch/control/switch.h"

// Returns the bytes of a line such as "Pss_Anon:  1234 kB" in a file in /proc. 0: there is no such
// line.
static uint64_t proc_octets(const char *path, const char *key)
{
	const size_t length = strlen(key);
	unsigned long long kb = 0;
	char line[128];
	FILE *f = fopen(path, "re");

	while (f && kb == 0 && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, length) == 0 && line[length] == ':')
			sscanf(line + length + 1, "%llu", &kb);
	}
	if (f)
		fclose(f);
	return kb * 1024;
}

static uint64_t part(const char *key)
{
	return proc_octets("/proc/self/smaps_rollup", key);
}

static uint64_t less(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

// Returns the bytes of the buffers that the pool has made so far (ports/lazy_pool.h).
static uint64_t buffers_of(const struct rte_mempool *pool)
{
	if (!pool)
		return 0;
	return __atomic_load_n(&pool->populated_size, __ATOMIC_RELAXED) *
	       (uint64_t)(pool->header_size + pool->elt_size + pool->trailer_size);
}

static uint64_t rings_of(const struct drb_port_set *ports)
{
	uint64_t octets = 0;

	for (uint32_t i = 0; i < ports->count; i++) {
		const struct drb_port *port = &ports->port[i];
		if (port->kind && port->kind->interface && port->kind->interface->rings)
			octets += port->kind->interface->rings(port);
	}
	return octets;
}

json_t *drb_reply_memory(const char *parameter, void *context)
{
	const struct drb_switch *self = context;
	const uint64_t shared =
		part("Pss_Shmem") + part("Private_Hugetlb") + part("Shared_Hugetlb");
	const uint64_t lent = buffers_of(self->ports.lent);
	const uint64_t buffers = buffers_of(self->ports.pool) + lent;
	const uint64_t rings = rings_of(&self->ports), own = part("Pss_Anon");
	// Without hugepages, buffers are part of Pss_Anon, except if a DPDK driver uses them.
	const bool apart = rte_eal_has_hugepages() || drb_ports_driven(&self->setup);
	const struct drb_memory m = {
		.memory_code = less(part("Pss_File"), rings),
		.memory_rings = rings,
		.memory_buffers = buffers,
		.memory_shared = less(shared, apart ? buffers : lent),
		.memory_own = less(own, apart ? 0 : buffers - lent),
		.memory_page_tables = proc_octets("/proc/self/status", "VmPTE"),
	};
	json_t *reply = json_object();

	(void)parameter;
#define X(key, meaning) drb_json_add_count(reply, #key, m.key);
	DRB_MEMORY(X)
#undef X
	return reply;
}
