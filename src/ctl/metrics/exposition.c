// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/metrics/exposition.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ctl/metrics/series.h"

static bool ends_with(const char *text, const char *end)
{
	size_t a = strlen(text), b = strlen(end);

	return a >= b && strcmp(text + a - b, end) == 0;
}

// The family of a counter of core/counters.h. In its name, `octets` become bytes and ns become
// seconds; values in ns are written in seconds. The contents of a port's queue and ring are gauges;
// all other counters only grow.
static struct family family_of(const char *prefix, const char *key, const char *meaning)
{
	struct family f = {.help = meaning, .type = COUNTER, .ns = ends_with(key, "_ns")};
	int stem = (int)strlen(key);

	if ((strncmp(key, "queue_", 6) == 0 || strncmp(key, "ring_", 5) == 0) && !f.ns)
		f.type = GAUGE;
	if (f.ns)
		snprintf(f.name, sizeof(f.name), "%s_%.*s_seconds", prefix, stem - 3, key);
	else if (ends_with(key, "_octets"))
		snprintf(f.name, sizeof(f.name), "%s_%.*s_bytes", prefix, stem - 7, key);
	else
		snprintf(f.name, sizeof(f.name), "%s_%s", prefix, key);
	return f;
}

// Writes a gauge from a text. Switches without a value are left out, such as core switches, which
// have no utilisation of uplinks.
static void write_text(const struct writer *w, const char *name, const char *help, size_t offset)
{
	struct family f = {.help = help};

	snprintf(f.name, sizeof(f.name), "%s", name);
	series_begin(w, &f);
	for (size_t i = 0; i < w->poll->count; i++) {
		const struct metrics_switch *s = &w->poll->switches[i];
		if (s->error < 0)
			continue;
		double value = drb_reader_number((const char *)s + offset);
		if (!isfinite(value))
			continue;
		series_name(w, f.name, "", i, NULL);
		fprintf(w->out, "%.17g\n", value);
	}
}

static void write_identity(const struct writer *w)
{
	const struct family up = {
		"drb_up",
		"1 if the switch answered with its counters; drb_switch_state says why not", GAUGE,
		false};
	const struct family stuck = {"drb_stuck",
				     "1 if a worker of the switch is stuck; drb_up is 0 then",
				     GAUGE, false};
	const struct family state = {"drb_switch_state",
				     "1, with the state of the switch as a label", GAUGE, false};
	const struct family info = {"drb_switch_info",
				    "identity and routing of the switch, as labels", GAUGE, false};

	series_begin(w, &up);
	for (size_t i = 0; i < w->poll->count; i++)
		series_write(w, &up, i, NULL, w->poll->switches[i].error == 0);
	series_begin(w, &stuck);
	for (size_t i = 0; i < w->poll->count; i++)
		series_write(w, &stuck, i, NULL, w->poll->switches[i].error == -EIO);
	series_begin(w, &state);
	for (size_t i = 0; i < w->poll->count; i++) {
		const struct label labels[] = {
			{"state", ctl_state_word(w->poll->switches[i].state)}, {0}};
		series_write(w, &state, i, labels, 1);
	}
	series_begin(w, &info);
	for (size_t i = 0; i < w->poll->count; i++) {
		const struct metrics_switch *s = &w->poll->switches[i];
		const struct label labels[] = {{"version", s->all.info.version},
					       {"code", s->all.info.code},
					       {"scheme", s->all.routing.scheme},
					       {"unit", s->all.routing.unit},
					       {0}};
		if (s->error == 0)
			series_write(w, &info, i, labels, 1);
	}
}

static void write_link_states(const struct writer *w)
{
	const struct family info = {"drb_port_info", "driver and state of the port, as labels",
				    GAUGE, false};

	series_begin(w, &info);
	for (size_t i = 0; i < w->poll->count; i++) {
		const struct drb_switch_all *s = &w->poll->switches[i].all;
		for (uint32_t k = 0; k < s->port_count; k++) {
			const struct drb_switch_port *port = &s->ports[k];
			const struct label labels[] = {{"port", port->name},
						       {"peer", port->peer},
						       {"driver", port->driver},
						       {"state", port->state},
						       {0}};
			series_write(w, &info, i, labels, 1);
		}
	}
}

static void write_drops(const struct writer *w)
{
	static const char *const reasons[] = {
#define X(key, meaning) #key,
		DRB_DROP_REASONS(X)
#undef X
	};
	const struct family f = {"drb_drops", "packets dropped, by reason", COUNTER, false};

	series_begin(w, &f);
	for (size_t i = 0; i < w->poll->count; i++) {
		const struct metrics_switch *s = &w->poll->switches[i];
		for (int r = 0; s->error == 0 && r < DRB_DROP_COUNT; r++) {
			const struct label labels[] = {{"reason", reasons[r]}, {0}};
			series_write(w, &f, i, labels, s->all.drops.reason[r]);
		}
	}
}

// A histogram: buckets 0 to limits - 1, and one more bucket for everything. Bucket b counts the
// values up to limit(b), which are in the bins up to bin(b). A histogram has no sum, because the
// first and the last bin are open.
struct buckets {
	struct family family;
	size_t offset; // of the bins in struct metrics_switch
	int bins, limits, (*limit)(int bucket), (*bin)(int bucket);
};

static void write_buckets(const struct writer *w, const struct buckets *h, size_t i)
{
	const uint64_t *bin =
		(const uint64_t *)(const void *)((const char *)&w->poll->switches[i] + h->offset);
	uint64_t sum = 0;
	char le[16];

	for (int b = 0; b < h->bins; b++)
		sum = drb_sum(sum, bin[b]);
	if (sum == DRB_UNKNOWN)
		return;
	sum = 0;
	for (int b = 0, at = 0; b <= h->limits; b++) {
		const struct label labels[] = {{"le", le}, {0}};
		int end = b < h->limits ? h->bin(b) : h->bins - 1;
		while (at <= end)
			sum += bin[at++];
		if (b < h->limits)
			snprintf(le, sizeof(le), "%d.0", h->limit(b));
		else
			snprintf(le, sizeof(le), "+Inf");
		series_name(w, h->family.name, "_bucket", i, labels);
		fprintf(w->out, "%" PRIu64 "\n", sum);
	}
}

// Differences: buckets at -32, -16, ..., -1, 0, 1, ..., 16. There is a bin for each number of
// packets.
static int difference_limit(int bucket)
{
	const int zero = 6;

	return bucket < zero   ? -(1 << (zero - 1 - bucket))
	       : bucket > zero ? 1 << (bucket - zero - 1)
			       : 0;
}

static int difference_bin(int bucket)
{
	return difference_limit(bucket) + DRB_DIFFERENCE_MAX;
}

// Sizes: bin b has the sizes of b bits and ends at 2^b - 1.
static int size_limit(int bucket)
{
	return (1 << bucket) - 1;
}

static int size_bin(int bucket)
{
	return bucket;
}

static void write_histograms(const struct writer *w)
{
	static const struct buckets histograms[] = {
		{{"drb_decision_difference_packets",
		  "sampled decisions by packets queued at the default uplink less at the candidate",
		  HISTOGRAM, false},
		 offsetof(struct metrics_switch, all.differences.count),
		 DRB_DIFFERENCES,
		 12,
		 difference_limit,
		 difference_bin},
		{{"drb_receive_burst_packets", "receive bursts by the packets in them", HISTOGRAM,
		  false},
		 offsetof(struct metrics_switch, all.burst_size),
		 DRB_LOG_BINS,
		 10,
		 size_limit,
		 size_bin},
		{{"drb_queue_length_packets",
		  "lengths of the egress queues of all ports, as sampled bursts found them",
		  HISTOGRAM, false},
		 offsetof(struct metrics_switch, all.queue_length),
		 DRB_LOG_BINS,
		 DRB_LOG_BINS - 1,
		 size_limit,
		 size_bin},
	};

	for (size_t k = 0; k < sizeof(histograms) / sizeof(histograms[0]); k++) {
		series_begin(w, &histograms[k].family);
		for (size_t i = 0; i < w->poll->count; i++) {
			if (w->poll->switches[i].error == 0)
				write_buckets(w, &histograms[k], i);
		}
	}
}

#define SWITCH_COUNTER(group, key, meaning)                                                        \
	f = family_of("drb_" #group, #key, meaning);                                               \
	series_of_switches(w, &f, offsetof(struct metrics_switch, all.group.count.key));

static void write_counters(const struct writer *w)
{
	struct family f;

#define X(key, meaning)                                                                            \
	f = family_of("drb_port", #key, meaning);                                                  \
	series_of_ports(w, &f, offsetof(struct drb_switch_port, count.key));
	DRB_PORT_COUNTERS(X)
#undef X
#define X(key, meaning) SWITCH_COUNTER(routing, key, meaning)
	DRB_ROUTING_COUNTERS(X)
#undef X
#define X(key, meaning) SWITCH_COUNTER(worker, key, meaning)
	DRB_WORKER_COUNTERS(X)
#undef X
}

static void write_gauges(const struct writer *w)
{
	static const struct {
		struct family family;
		size_t offset;
	} gauges[] = {
		{{"drb_uptime_seconds", "time since the switch was started", GAUGE, true},
		 offsetof(struct metrics_switch, all.info.uptime_ns)},
		{{"drb_ports", "ports of the switch", GAUGE, false},
		 offsetof(struct metrics_switch, all.info.ports)},
		{{"drb_ports_usable", "of them those that take traffic", GAUGE, false},
		 offsetof(struct metrics_switch, all.info.ports_usable)},
		{{"drb_flows", "live flows (flow unit)", GAUGE, false},
		 offsetof(struct metrics_switch, all.routing.flows)},
		{{"drb_buffers", "packet buffers of the switch", GAUGE, false},
		 offsetof(struct metrics_switch, all.worker.buffers)},
		{{"drb_buffers_free", "packet buffers that hold no packet", GAUGE, false},
		 offsetof(struct metrics_switch, all.worker.buffers_free)},
	};

	for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++)
		series_of_switches(w, &gauges[i].family, gauges[i].offset);
	write_text(w, "drb_threshold_packets", "threshold T in force, mean over workers",
		   offsetof(struct metrics_switch, all.routing.threshold));
	write_text(w, "drb_uplink_utilisation_ratio", "share of time the uplinks were busy",
		   offsetof(struct metrics_switch, all.routing.utilisation));
}

static void write_all(const struct writer *w)
{
	const struct family limit = {"drb_port_queue_limit_packets",
				     "packets that the egress queue takes", GAUGE, false};
	const struct family up = {"drb_port_up", "1 if the port takes traffic", GAUGE, false};

	write_identity(w);
	write_gauges(w);
	series_of_ports(w, &up, offsetof(struct drb_switch_port, usable));
	write_link_states(w);
	series_of_ports(w, &limit, offsetof(struct drb_switch_port, queue));
	write_counters(w);
	write_drops(w);
	write_histograms(w);
}

bool metrics_write(FILE *out, const struct metrics_poll *poll)
{
	struct writer w = {out, poll, NULL};
	bool ready = series_init(&w);

	if (ready)
		write_all(&w);
	series_free(&w);
	return ready;
}
