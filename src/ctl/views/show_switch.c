// SPDX-License-Identifier: BSD-3-Clause
// drbctl show: the views of a switch as a whole.
#include "ctl/views/show.h"

void ctl_show_routing(const struct drb_switch_all *all, struct show *s)
{
	const struct drb_switch_routing *routing = &all->routing;
	const struct drb_routing_counters *c = &routing->count;

	ctl_show_begin_row(s, all);
	ctl_show_text(s, "scheme", "how uplinks are chosen", routing->scheme);
	ctl_show_text(s, "unit", "what one decision holds for: packet, flow or flowlet",
		      routing->unit);
	ctl_show_text(s, "threshold",
		      "T: leave the default if the other queue is shorter by more than this",
		      routing->threshold);
	ctl_show_text(s, "threshold_mode", "fixed, or auto: T follows measurements",
		      routing->threshold_mode);
	ctl_show_real(s, "utilisation", "rho: share of time uplinks are busy, mean over 100 ms", 3,
		      drb_reader_number(routing->utilisation));
	ctl_show_count(s, "flows", "live now (unit flow)", routing->flows);
	ctl_show_text(s, "flows_per_uplink", "c: live flows per uplink", routing->flows_per_uplink);
	ctl_show_count(s, "choices", "uplinks that a scheme with a threshold compares",
		       routing->choices);
	ctl_show_count(s, "seed", "seed of the random numbers", routing->seed);
#define X(key, meaning) ctl_show_count(s, #key, meaning, c->key);
	DRB_ROUTING_COUNTERS(X)
#undef X
	ctl_show_real(s, "redirected_percent", "share of the packets sent up", 2,
		      ctl_percent(c->up_redirected, c->up_default));
	drb_table_row_end(s->rows);
}

void ctl_show_drops(const struct drb_switch_all *all, struct show *s)
{
	ctl_show_begin_row(s, all);
	s->dropped = drb_sum(s->dropped, all->drops.sum);
#define X(key, meaning)                                                                            \
	drb_table_bad(s->rows, DRB_DROP_##key != DRB_DROP_multicast &&                             \
				       drb_real_of(all->drops.reason[DRB_DROP_##key]) > 0);        \
	ctl_show_loss(s, #key, meaning, all->drops.reason[DRB_DROP_##key]);
	DRB_DROP_REASONS(X)
#undef X
	drb_table_row_end(s->rows);
}

// NaN if either is unknown.
static double ratio(uint64_t a, uint64_t b)
{
	return b ? drb_real_of(a) / drb_real_of(b) : 0 * drb_real_of(a);
}

void ctl_show_differences(const struct drb_switch_all *all, struct show *s)
{
	const uint64_t *count = all->differences.count;
	uint64_t sum = 0, upto = 0;

	for (int i = 0; i < DRB_DIFFERENCES; i++)
		sum = drb_sum(sum, count[i]);
	for (int i = 0; i < DRB_DIFFERENCES; i++) {
		char text[16];
		if (count[i] == 0 || sum == DRB_UNKNOWN)
			continue;
		upto += count[i];
		ctl_show_begin_row(s, all);
		snprintf(text, sizeof(text), "%d", i - DRB_DIFFERENCE_MAX);
		ctl_show_text(s, "difference", "load(default) - load(candidate)", text);
		ctl_show_count(s, "decisions", "sampled decisions with this difference", count[i]);
		ctl_show_real(s, "percent", "share of the sample", 2, 100 * ratio(count[i], sum));
		ctl_show_real(s, "above_percent",
			      "with a larger difference: redirected if T were this", 2,
			      100 * ratio(sum - upto, sum));
		drb_table_row_end(s->rows);
	}
}

void ctl_show_worker(const struct drb_switch_all *all, struct show *s)
{
	const struct drb_switch_worker *worker = &all->worker;
	const struct drb_worker_counters *c = &worker->count;

	ctl_show_begin_row(s, all);
	ctl_show_text(s, "idle", "sleep or poll when there is nothing to do", worker->idle);
	ctl_show_count(s, "time_ns", "CLOCK_MONOTONIC of this snapshot", worker->time_ns);
#define X(key, meaning) ctl_show_count(s, #key, meaning, c->key);
	DRB_WORKER_COUNTERS(X)
#undef X
	ctl_show_count(s, "buffers", "packet buffers: enough to fill every queue, and more",
		       worker->buffers);
	ctl_show_count(s, "buffers_free", "packet buffers free now", worker->buffers_free);
	ctl_show_real(s, "cycles_per_packet",
		      "work_cycles per packet received: the cost of a packet, driver included", 1,
		      ratio(c->work_cycles, c->rx_packets));
	ctl_show_real(s, "packets_per_burst", "packets per receive burst that was not empty", 2,
		      ratio(c->rx_packets, c->rx_bursts));
	ctl_show_real(s, "idle_percent", "share of its time asleep or polling in vain", 2,
		      100 - 100e9 * ratio(c->work_cycles, worker->cycles_hz) /
				      (drb_real_of(drb_sum(c->busy_ns, c->sleep_ns)) + 1));
	ctl_show_real(s, "busy_percent", "share of its time awake", 2,
		      ctl_percent(c->busy_ns, c->sleep_ns));
	drb_table_row_end(s->rows);
}

void ctl_show_memory(const struct drb_switch_all *all, struct show *s)
{
	uint64_t sum = 0;

	ctl_show_begin_row(s, all);
#define X(key, meaning)                                                                            \
	ctl_show_count(s, #key, meaning, all->memory.key);                                         \
	sum = drb_sum(sum, all->memory.key);
	DRB_MEMORY(X)
#undef X
	ctl_show_count(s, "memory", "the sum", sum);
	drb_table_row_end(s->rows);
}

void ctl_show_info(const struct drb_switch_all *all, struct show *s)
{
	const struct drb_switch_info *info = &all->info;

	ctl_show_begin_row(s, all);
	ctl_show_text(s, "version", "version of drbswitch", info->version);
	ctl_show_count(s, "layers", "l of F(l,d)", info->layers);
	ctl_show_count(s, "arity", "d of F(l,d)", info->arity);
	ctl_show_count(s, "uplinks", "of a switch of layer 1", info->uplinks);
	ctl_show_count(s, "layer", "1 has the hosts below it", info->layer);
	ctl_show_count(s, "label", "within the layer", info->label);
	ctl_show_text(s, "code", "label code, top component first", info->code);
	ctl_show_count(s, "ports", "down-ports and up-ports", info->ports);
	ctl_show_count(s, "ports_usable", "ports that can be used", info->ports_usable);
	ctl_show_text(s, "trouble", "what is wrong with the other ports", info->trouble);
	ctl_show_text(s, "state", "running: all ports forward", ctl_state_of(info));
	ctl_show_count(s, "capturing", "1: a capture of its packets runs", info->capturing);
	ctl_show_count(s, "pid", "process", info->pid);
	ctl_show_count(s, "reloads", "of the config, since the start", info->reloads);
	ctl_show_real(s, "uptime_s", "seconds since the start", 3,
		      drb_real_of(info->uptime_ns) / 1e9);
	drb_table_row_end(s->rows);
}
