// SPDX-License-Identifier: BSD-3-Clause
// The reply with everything, of one instant: a poller asks once a switch.
#include "switch/control/replies.h"

#include <errno.h>
#include <string.h>

#include "common/cli/quantity.h"
#include "core/counters.h"

// A reply has room for so many ports whatever their counters are: DPDK's limit is 16 KiB.
#define PORTS_AT_ONCE 32

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
	static struct drb_snapshot s; // one command at a time; further ports are of the last one
	uint32_t first = 0;
	int rc = 0;

	(void)cmd;
	if (params && drb_parse_u32(params, 1,
				    drb_reply_context.setup->down_ports +
					    drb_reply_context.setup->up_ports - 1,
				    &first) < 0)
		return -EINVAL;
	if (!params && drb_reply_snapshot(&s) < 0)
		return -EIO;
	rte_tel_data_start_dict(d);
	add_dict_u64(d, "time_ns", s.time_ns);
	for (size_t i = 0; rc == 0 && !params && i < RTE_DIM(parts); i++)
		rc = add_part(d, parts[i].key, &s, parts[i].fill);
	return rc < 0 ? rc : add_ports(d, &s, first);
}
