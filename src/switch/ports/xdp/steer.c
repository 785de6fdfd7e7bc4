// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/interface.h"
#include "switch/ports/xdp/steer.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "switch/ports/xdp/steer_maps.h"
#include "steer_object.h" // steer_object[]: steer.bpf.c as compiled

_Static_assert(STEER_QUEUES_MAX >= DRB_WORKERS_MAX, "every worker has a queue");

struct attached {
	int interface;             // index; 0: this entry is free
	int link;                  // the program is detached when this closes, even by a kill
	int counts;                // map of counters
	struct bpf_object *object; // owned
};

static struct attached attached[DRB_PORTS_MAX];

static struct attached *attached_find(int interface)
{
	for (size_t i = 0; i < DRB_PORTS_MAX; i++) {
		if (attached[i].interface == interface)
			return &attached[i];
	}
	return NULL;
}

// Loads the program. NULL: *rc is -errno.
static struct bpf_object *steer_load(uint32_t flags, int *rc)
{
	struct bpf_object *object = bpf_object__open_mem(steer_object, sizeof(steer_object), NULL);
	struct bpf_program *program = object ? bpf_object__next_program(object, NULL) : NULL;

	*rc = -EINVAL;
	if (!program)
		return NULL;
	bpf_program__set_flags(program, bpf_program__flags(program) | flags);
	*rc = bpf_object__load(object);
	if (*rc == 0)
		return object;
	bpf_object__close(object);
	return NULL;
}

// Writes the fabric's addresses and the sockets to the program's maps.
static int fill_maps(const struct bpf_object *object, const struct drb_addr_plan *fabric,
		     const int *sockets, uint32_t count)
{
	const int map = bpf_object__find_map_fd_by_name(object, STEER_SOCKETS);
	const uint32_t zero = 0;
	int rc = bpf_map_update_elem(bpf_object__find_map_fd_by_name(object, STEER_PLAN), &zero,
				     fabric, BPF_ANY);

	for (uint32_t queue = 0; rc == 0 && queue < count; queue++)
		rc = bpf_map_update_elem(map, &queue, &sockets[queue], BPF_ANY);
	return rc;
}

static int attach(int interface, struct bpf_object *object)
{
	const int program = bpf_program__fd(bpf_object__next_program(object, NULL));
	struct attached *a = attached_find(0);

	if (!a)
		return -ENOSPC;
	int link = bpf_link_create(program, interface, BPF_XDP, NULL);
	if (link < 0)
		return link;
	*a = (struct attached){interface, link,
			       bpf_object__find_map_fd_by_name(object, STEER_COUNTS), object};
	return 0;
}

int drb_steer_attach(const struct drb_port_setup *port, const struct drb_addr_plan *fabric,
		     const int *sockets, uint32_t count)
{
	int rc;
	struct bpf_object *object = steer_load(BPF_F_XDP_HAS_FRAGS, &rc);

	if (!object) // kernels before 5.18 have no programs for frames in several buffers
		object = steer_load(0, &rc);
	if (object)
		rc = fill_maps(object, fabric, sockets, count);
	if (rc == 0)
		rc = attach((int)drb_interface_index(port->interface), object);
	if (rc < 0)
		bpf_object__close(object);
	return rc;
}

void drb_steer_detach(const struct drb_port_setup *port)
{
	int index = (int)drb_interface_index(port->interface);
	struct attached *a = index > 0 ? attached_find(index) : NULL;

	if (!a)
		return;
	close(a->link);
	bpf_object__close(a->object);
	*a = (struct attached){0};
}

bool drb_steer_read(const char *interface, struct drb_xdp_counters *counts)
{
	const uint32_t zero = 0;
	int index = (int)drb_interface_index(interface), cpus = libbpf_num_possible_cpus();
	const struct attached *a = index > 0 ? attached_find(index) : NULL;

	if (!a || cpus < 0)
		return false;
	struct steer_counts *per_cpu = calloc((size_t)cpus, sizeof(*per_cpu));
	bool read = per_cpu && bpf_map_lookup_elem(a->counts, &zero, per_cpu) == 0;
	*counts = (struct drb_xdp_counters){0};
	for (int cpu = 0; read && cpu < cpus; cpu++) {
		counts->xdp_seen += per_cpu[cpu].seen;
		counts->xdp_redirected += per_cpu[cpu].redirected;
		counts->xdp_passed += per_cpu[cpu].passed;
	}
	free(per_cpu);
	return read;
}
