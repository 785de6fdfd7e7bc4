// SPDX-License-Identifier: BSD-3-Clause
// The reply with everything, of one instant: a poller asks once a switch.
#include "switch/control/replies.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/quantity.h"
#include "core/counters.h"
#include "switch/control/switch.h"

// A reply has room for so many ports whatever their counters are: DPDK's limit is 16 KiB.
#define PORTS_AT_ONCE 32

// Snapshots that are kept for what follows of their ports: so many readers may ask at the same time.
#define KEPT 8
static struct drb_snapshot kept[KEPT]; // one command at a time
static uint32_t newest;

static struct rte_tel_data *begin_dict(void)
{
	struct rte_tel_data *dict = rte_tel_data_alloc();

	if (dict)
		rte_tel_data_start_dict(dict);
	return dict;
}

static int add_part(struct rte_tel_data *d, const char *key, const struct drb_snapshot *s,
		    int (*fill)(struct rte_tel_data *d, const struct drb_snapshot *s))
{
	struct rte_tel_data *part = begin_dict();

	if (!part)
		return -ENOMEM;
	int rc = fill(part, s);
	rte_tel_data_add_dict_container(d, key, part, 0);
	return rc;
}

static int fill_info(struct rte_tel_data *d, const struct drb_snapshot *s)
{
	return drb_fill_info(d, s, 0);
}

static int fill_samples(struct rte_tel_data *d, const struct drb_snapshot *s)
{
	int rc = drb_fill_array(d, "burst_size", s->burst_size, DRB_LOG_BINS);

	return rc < 0 ? rc : drb_fill_array(d, "queue_length", s->queue_length, DRB_LOG_BINS);
}

static int add_ports(struct rte_tel_data *d, const struct drb_snapshot *s, uint32_t first)
{
	const struct drb_setup *setup = drb_reply_context.setup;
	struct drb_port_range range = {first, setup->down_ports + setup->up_ports};
	struct rte_tel_data *ports = begin_dict();

	if (!ports)
		return -ENOMEM;
	if (range.end - first > PORTS_AT_ONCE)
		range.end = first + PORTS_AT_ONCE;
	int rc = drb_fill_port_links(ports, s, range);
	if (rc == 0)
		rc = drb_fill_port_counters(ports, s, range);
	rte_tel_data_add_dict_container(d, "ports", ports, 0);
	return rc;
}

static uint32_t port_count(void)
{
	return drb_reply_context.setup->down_ports + drb_reply_context.setup->up_ports;
}

// A new snapshot, in place of the oldest one if other readers may have yet to ask for its ports. NULL: there is none.
static const struct drb_snapshot *take(void)
{
	const uint32_t next = port_count() > PORTS_AT_ONCE ? (newest + 1) % KEPT : newest;

	if (drb_reply_snapshot(&kept[next]) < 0)
		return NULL;
	newest = next;
	return &kept[newest];
}

// The snapshot of a time; the newest one if it is gone, from whose time the reader sees that.
static const struct drb_snapshot *find(uint64_t time_ns)
{
	for (uint32_t i = 0; i < KEPT; i++) {
		if (kept[i].time_ns == time_ns)
			return &kept[i];
	}
	return &kept[newest];
}

// "PORT" or "PORT,TIME_NS". False if it is neither.
static bool parse(const char *params, uint32_t *first, uint64_t *time_ns)
{
	const char *comma = strchr(params, ',');
	char port[16];

	*time_ns = kept[newest].time_ns;
	if (comma && drb_parse_u64(comma + 1, 0, UINT64_MAX, time_ns) < 0)
		return false;
	int length =
		snprintf(port, sizeof(port), "%.*s", comma ? (int)(comma - params) : -1, params);
	return length < (int)sizeof(port) && drb_parse_u32(port, 1, port_count() - 1, first) == 0;
}

// False: it starts or ends, and has nothing to tell.
static bool is_forwarding(void)
{
	return drb_reply_context.owner->ready &&
	       !atomic_load(&drb_reply_context.workers->worker[0].stop);
}

int drb_reply_all(const char *cmd, const char *params, struct rte_tel_data *d)
{
	static const struct {
		const char *key;
		int (*fill)(struct rte_tel_data *d, const struct drb_snapshot *s);
	} parts[] = {
		{"info", fill_info},
		{"routing", drb_fill_routing},
		{"drops", drb_fill_drops},
		{"worker", drb_fill_worker},
		{"differences", drb_fill_differences},
		{"samples", fill_samples},
	};
	uint32_t first = 0;
	uint64_t time_ns = 0;
	int rc = 0;

	(void)cmd;
	if (params && !parse(params, &first, &time_ns))
		return -EINVAL;
	const struct drb_snapshot *s = params ? find(time_ns) : take();
	if (!s && !is_forwarding())
		return -EIO;
	rte_tel_data_start_dict(d);
	if (!s)
		return drb_fill_stuck(d);
	add_dict_u64(d, "time_ns", s->time_ns);
	for (size_t i = 0; rc == 0 && !params && i < RTE_DIM(parts); i++)
		rc = add_part(d, parts[i].key, s, parts[i].fill);
	return rc < 0 ? rc : add_ports(d, s, first);
}
