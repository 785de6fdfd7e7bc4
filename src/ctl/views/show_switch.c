// SPDX-License-Identifier: BSD-3-Clause
// drbctl show: what is about a switch as a whole.
#include "ctl/views/show.h"

void ctl_show_routing(const struct drb_switch_all *all, struct show *s)
{
	const struct drb_switch_routing *routing = &all->routing;
	const struct drb_routing_counters *c = &routing->count;

	ctl_show_begin_row(s, all);
	ctl_text(s->rows, "scheme", NULL, "how uplinks are chosen", routing->scheme);
	ctl_text(s->rows, "unit", NULL, "what one decision holds for: packet, flow or flowlet",
		 routing->unit);
	ctl_text(s->rows, "threshold", NULL,
		 "T: leave the default if the other queue is shorter by more than this",
		 routing->threshold);
	ctl_text(s->rows, "threshold_mode", "mode", "fixed, or auto: T follows measurements",
		 routing->threshold_mode);
	ctl_real(s->rows, "utilisation", NULL,
		 "rho: share of time uplinks are busy, mean over 100 ms",
		 ctl_decimal(drb_reader_number(routing->utilisation), 3));
	ctl_count(s->rows, "flows", NULL, "live now (unit flow)", routing->flows);
	ctl_text(s->rows, "flows_per_uplink", "flows/uplink", "c: live flows per uplink",
		 routing->flows_per_uplink);
	ctl_count(s->rows, "choices", NULL, "uplinks that drb and walk compare", routing->choices);
	ctl_count(s->rows, "seed", NULL, "seed of the random numbers", routing->seed);
#define X(key, meaning) ctl_count(s->rows, #key, ctl_show_title(#key), meaning, c->key);
	DRB_ROUTING_COUNTERS(X)
#undef X
	ctl_real(s->rows, "redirected_percent", "redirected %", "share of the packets sent up",
		 ctl_decimal(ctl_percent(c->up_redirected, c->up_default), 2));
	ctl_row_end(s->rows);
}

void ctl_show_drops(const struct drb_switch_all *all, struct show *s)
{
	ctl_show_begin_row(s, all);
#define X(key, meaning)                                                                            \
	ctl_loss(s->rows, #key, NULL, meaning, all->drops.reason[DRB_DROP_##key]);                 \
	s->dropped += all->drops.reason[DRB_DROP_##key];
	DRB_DROP_REASONS(X)
#undef X
	ctl_row_end(s->rows);
}

static double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

void ctl_show_differences(const struct drb_switch_all *all, struct show *s)
{
	const uint64_t *count = all->differences.count;
	uint64_t sum = 0, upto = 0;

	for (int i = 0; i < DRB_DIFFERENCES; i++)
		sum += count[i];
	for (int i = 0; i < DRB_DIFFERENCES; i++) {
		char text[16];
		if (count[i] == 0)
			continue;
		upto += count[i];
		ctl_show_begin_row(s, all);
		snprintf(text, sizeof(text), "%d", i - DRB_DIFFERENCE_MAX);
		ctl_text(s->rows, "difference", NULL, "load(default) - load(candidate)", text);
		ctl_count(s->rows, "decisions", NULL, "sampled decisions with this difference",
			  count[i]);
		ctl_real(s->rows, "percent", "%", "share of the sample",
			 ctl_decimal(100 * ratio(count[i], sum), 2));
		ctl_real(s->rows, "above_percent", "above %",
			 "with a larger difference: what T = this would redirect",
			 ctl_decimal(100 * ratio(sum - upto, sum), 2));
		ctl_row_end(s->rows);
	}
}

void ctl_show_worker(const struct drb_switch_all *all, struct show *s)
{
	const struct drb_switch_worker *worker = &all->worker;
	const struct drb_worker_counters *c = &worker->count;

	ctl_show_begin_row(s, all);
	ctl_text(s->rows, "idle", NULL, "sleep or poll when there is nothing to do", worker->idle);
	ctl_count(s->rows, "time_ns", "", "CLOCK_MONOTONIC of this snapshot", worker->time_ns);
#define X(key, meaning) ctl_count(s->rows, #key, NULL, meaning, c->key);
	DRB_WORKER_COUNTERS(X)
#undef X
	ctl_count(s->rows, "buffers", NULL, "packet buffers: enough to fill every queue, and more",
		  worker->buffers);
	ctl_count(s->rows, "buffers_free", NULL, "packet buffers free now", worker->buffers_free);
	ctl_real(s->rows, "cycles_per_packet", "cycles/pkt",
		 "work_cycles per packet received: the cost of a packet, driver included",
		 ctl_decimal(ratio(c->work_cycles, c->rx_packets), 1));
	ctl_real(s->rows, "packets_per_burst", "pkts/burst",
		 "packets per receive burst that was not empty",
		 ctl_decimal(ratio(c->rx_packets, c->rx_bursts), 2));
	ctl_real(s->rows, "idle_percent", "idle %", "share of its time asleep or polling in vain",
		 ctl_decimal(100 - 100e9 * ratio(c->work_cycles, worker->cycles_hz) /
					     (double)(c->busy_ns + c->sleep_ns + 1),
			     2));
	ctl_real(s->rows, "busy_percent", "busy %", "share of its time awake",
		 ctl_decimal(ctl_percent(c->busy_ns, c->sleep_ns), 2));
	ctl_row_end(s->rows);
}

void ctl_show_info(const struct drb_switch_all *all, struct show *s)
{
	const struct drb_switch_info *info = &all->info;

	ctl_show_begin_row(s, all);
	ctl_text(s->rows, "version", NULL, "version of drbswitch", info->version);
	ctl_count(s->rows, "layers", NULL, "l of F(l,d)", info->layers);
	ctl_count(s->rows, "arity", NULL, "d of F(l,d)", info->arity);
	ctl_count(s->rows, "uplinks", NULL, "of a switch of layer 1", info->uplinks);
	ctl_count(s->rows, "layer", NULL, "1 has the hosts below it", info->layer);
	ctl_count(s->rows, "label", NULL, "within the layer", info->label);
	ctl_text(s->rows, "code", NULL, "label code, top component first", info->code);
	ctl_count(s->rows, "ports", NULL, "down-ports and up-ports", info->ports);
	ctl_count(s->rows, "ports_usable", NULL, "ports that can be used", info->ports_usable);
	ctl_text(s->rows, "trouble", NULL, "what is wrong with the other ports", info->trouble);
	ctl_text(s->rows, "state", NULL, "ready: all ports forward",
		 info->ready ? "ready" : "starting");
	ctl_count(s->rows, "pid", NULL, "process", info->pid);
	ctl_count(s->rows, "reloads", NULL, "of the config, since the start", info->reloads);
	ctl_real(s->rows, "uptime_s", "uptime s", "seconds since the start",
		 ctl_decimal((double)info->uptime_ns / 1e9, 3));
	ctl_row_end(s->rows);
}
