// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/metrics/exposition.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum type { GAUGE, COUNTER, HISTOGRAM };

struct writer {
	FILE *out;
	enum metrics_format format;
	const struct metrics_poll *poll;
};

// A metric family. name is without `_total`.
struct family {
	char name[96];
	const char *help;
	enum type type;
	bool ns; // values are in ns and written in seconds
};

struct label {
	const char *name, *value;
};

const char *metrics_content_type(enum metrics_format format)
{
	return format == METRICS_OPENMETRICS
		       ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
		       : "text/plain; version=0.0.4; charset=utf-8";
}

static const char *total_of(const struct family *f)
{
	return f->type == COUNTER ? "_total" : "";
}

static void begin(const struct writer *w, const struct family *f)
{
	static const char *const types[] = {"gauge", "counter", "histogram"};
	const char *suffix = w->format == METRICS_PROMETHEUS ? total_of(f) : "";

	fprintf(w->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", f->name, suffix, f->help, f->name,
		suffix, types[f->type]);
}

// Quotes, backslashes and line ends are escaped alike in both formats.
static void write_label(FILE *out, const struct label *label)
{
	fprintf(out, ",%s=\"", label->name);
	for (const char *c = label->value; *c; c++) {
		if (*c == '\n')
			fputs("\\n", out);
		else if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else
			fputc(*c, out);
	}
	fputc('"', out);
}

// The labels that every metric has, then more, which ends with a label without a name.
static void write_name(const struct writer *w, const char *name, const char *suffix,
		       const struct metrics_switch *s, const struct label *more)
{
	const struct label instance = {"switch", s->name};

	fprintf(w->out, "%s%s{fabric=\"%s\"", name, suffix, s->fabric);
	write_label(w->out, &instance);
	fprintf(w->out, ",layer=\"%" PRIu32 "\"", s->layer);
	for (; more && more->name; more++)
		write_label(w->out, more);
	fputs("} ", w->out);
}

static void write_count(const struct writer *w, const struct family *f,
			const struct metrics_switch *s, const struct label *more, uint64_t value)
{
	write_name(w, f->name, total_of(f), s, more);
	if (f->ns)
		fprintf(w->out, "%" PRIu64 ".%09" PRIu64 "\n", value / 1000000000,
			value % 1000000000);
	else
		fprintf(w->out, "%" PRIu64 "\n", value);
}

static bool ends_with(const char *text, const char *end)
{
	size_t a = strlen(text), b = strlen(end);

	return a >= b && strcmp(text + a - b, end) == 0;
}

// The family of a counter of core/counters.h: octets are bytes and ns become seconds, in name and
// value; what a port's queue holds now is a gauge, all else only grows.
static struct family family_of(const char *prefix, const char *key, const char *meaning)
{
	struct family f = {.help = meaning, .type = COUNTER, .ns = ends_with(key, "_ns")};
	int stem = (int)strlen(key);

	if (strncmp(key, "queue_", 6) == 0 && !f.ns)
		f.type = GAUGE;
	if (f.ns)
		snprintf(f.name, sizeof(f.name), "%s_%.*s_seconds", prefix, stem - 3, key);
	else if (ends_with(key, "_octets"))
		snprintf(f.name, sizeof(f.name), "%s_%.*s_bytes", prefix, stem - 7, key);
	else
		snprintf(f.name, sizeof(f.name), "%s_%s", prefix, key);
	return f;
}

// A value of each switch that answered, found at this offset of struct metrics_switch.
static void write_switches(const struct writer *w, const struct family *f, size_t offset)
{
	begin(w, f);
	for (size_t i = 0; i < w->poll->count; i++) {
		const struct metrics_switch *s = &w->poll->switches[i];
		if (s->error == 0)
			write_count(w, f, s, NULL,
				    *(const uint64_t *)(const void *)((const char *)s + offset));
	}
}

// The same of each port, at this offset of struct metrics_port.
static void write_ports(const struct writer *w, const struct family *f, size_t offset)
{
	begin(w, f);
	for (size_t i = 0; i < w->poll->count; i++) {
		const struct metrics_switch *s = &w->poll->switches[i];
		for (uint32_t k = 0; s->error == 0 && k < s->port_count; k++) {
			const struct metrics_port *p = &s->ports[k];
			const struct label labels[] = {
				{"port", p->port.name}, {"peer", p->link.peer}, {0}};
			write_count(w, f, s, labels,
				    *(const uint64_t *)(const void *)((const char *)p + offset));
		}
	}
}

// A number that a switch tells as text; left out where it is not finite, as the utilisation of the
// uplinks of a core switch.
static void write_text(const struct writer *w, const char *name, const char *help, size_t offset)
{
	struct family f = {.help = help};

	snprintf(f.name, sizeof(f.name), "%s", name);
	begin(w, &f);
	for (size_t i = 0; i < w->poll->count; i++) {
		const struct metrics_switch *s = &w->poll->switches[i];
		const char *text = (const char *)s + offset;
		char *end;
		if (s->error < 0)
			continue;
		double value = strtod(text, &end);
		if (end == text || *end || !isfinite(value))
			continue;
		write_name(w, f.name, "", s, NULL);
		fprintf(w->out, "%.17g\n", value);
	}
}

static void write_identity(const struct writer *w)
{
	const struct family up = {"drb_up", "1 if the switch answered, 0 if it is dead or hangs",
				  GAUGE, false};
	const struct family info = {
		"drb_switch_info", "what the switch is and how it routes, as labels", GAUGE, false};

	begin(w, &up);
	for (size_t i = 0; i < w->poll->count; i++)
		write_count(w, &up, &w->poll->switches[i], NULL, w->poll->switches[i].error == 0);
	begin(w, &info);
	for (size_t i = 0; i < w->poll->count; i++) {
		const struct metrics_switch *s = &w->poll->switches[i];
		const struct label labels[] = {{"version", s->info.version},
					       {"code", s->info.code},
					       {"scheme", s->routing.scheme},
					       {"unit", s->routing.unit},
					       {0}};
		if (s->error == 0)
			write_count(w, &info, s, labels, 1);
	}
}

static void write_link_state_of(const struct writer *w, const struct family *f,
				const struct metrics_switch *s, bool info)
{
	for (uint32_t k = 0; s->error == 0 && k < s->port_count; k++) {
		const struct metrics_port *p = &s->ports[k];
		const char *state = p->link.state;
		const struct label labels[] = {{"port", p->port.name},
					       {"peer", p->link.peer},
					       {info ? "driver" : NULL, p->link.driver},
					       {"state", state},
					       {0}};
		write_count(w, f, s, labels, info || p->link.usable);
	}
}

static void write_link_states(const struct writer *w)
{
	const struct family up = {"drb_port_up", "1 if the port takes traffic", GAUGE, false};
	const struct family info = {"drb_port_info", "driver and state of the port, as labels",
				    GAUGE, false};

	for (const struct family *f = &up; f; f = f == &up ? &info : NULL) {
		begin(w, f);
		for (size_t i = 0; i < w->poll->count; i++)
			write_link_state_of(w, f, &w->poll->switches[i], f == &info);
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

	begin(w, &f);
	for (size_t i = 0; i < w->poll->count; i++) {
		const struct metrics_switch *s = &w->poll->switches[i];
		for (int r = 0; s->error == 0 && r < DRB_DROP_COUNT; r++) {
			const struct label labels[] = {{"reason", reasons[r]}, {0}};
			write_count(w, &f, s, labels, s->drops.reason[r]);
		}
	}
}

// Sampled decisions by occupancy of the default uplink less that of the candidate. Without a sum:
// the ends are open, and differences may be negative.
static void write_differences(const struct writer *w)
{
	const struct family f = {
		"drb_decision_difference_packets",
		"sampled decisions by packets queued at the default uplink less at the candidate",
		HISTOGRAM, false};
	char le[16];

	begin(w, &f);
	for (size_t i = 0; i < w->poll->count; i++) {
		const struct metrics_switch *s = &w->poll->switches[i];
		uint64_t sum = 0;
		for (int b = 0; s->error == 0 && b < DRB_DIFFERENCES; b++) {
			const struct label labels[] = {{"le", le}, {0}};
			sum += s->differences.count[b];
			if (b < DRB_DIFFERENCES - 1)
				snprintf(le, sizeof(le), "%d.0", b - DRB_DIFFERENCE_MAX);
			else
				snprintf(le, sizeof(le), "+Inf");
			write_name(w, f.name, "_bucket", s, labels);
			fprintf(w->out, "%" PRIu64 "\n", sum);
		}
	}
}

#define SWITCH_COUNTER(group, key, meaning)                                                        \
	f = family_of("drb_" #group, #key, meaning);                                               \
	write_switches(w, &f, offsetof(struct metrics_switch, group.count.key));

static void write_counters(const struct writer *w)
{
	struct family f;

#define X(key, meaning)                                                                            \
	f = family_of("drb_port", #key, meaning);                                                  \
	write_ports(w, &f, offsetof(struct metrics_port, port.count.key));
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
		 offsetof(struct metrics_switch, info.uptime_ns)},
		{{"drb_ports", "ports of the switch", GAUGE, false},
		 offsetof(struct metrics_switch, info.ports)},
		{{"drb_ports_usable", "of them those that take traffic", GAUGE, false},
		 offsetof(struct metrics_switch, info.ports_usable)},
		{{"drb_flows", "live flows (flow unit)", GAUGE, false},
		 offsetof(struct metrics_switch, routing.flows)},
		{{"drb_buffers", "packet buffers of the switch", GAUGE, false},
		 offsetof(struct metrics_switch, worker.buffers)},
		{{"drb_buffers_free", "packet buffers that hold no packet", GAUGE, false},
		 offsetof(struct metrics_switch, worker.buffers_free)},
	};

	for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++)
		write_switches(w, &gauges[i].family, gauges[i].offset);
	write_text(w, "drb_threshold_packets", "threshold T in force, mean over workers",
		   offsetof(struct metrics_switch, routing.threshold));
	write_text(w, "drb_uplink_utilisation_ratio", "share of time the uplinks were busy",
		   offsetof(struct metrics_switch, routing.utilisation));
}

void metrics_write(FILE *out, enum metrics_format format, const struct metrics_poll *poll)
{
	const struct writer w = {out, format, poll};
	const struct family limit = {"drb_port_queue_limit_packets",
				     "packets that the egress queue takes", GAUGE, false};

	write_identity(&w);
	write_gauges(&w);
	write_link_states(&w);
	write_ports(&w, &limit, offsetof(struct metrics_port, link.queue));
	write_counters(&w);
	write_drops(&w);
	write_differences(&w);
	if (format == METRICS_OPENMETRICS)
		fputs("# EOF\n", out);
}
