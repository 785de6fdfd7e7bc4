// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/metrics/series.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *total_of(const struct family *f)
{
	return f->type == COUNTER ? "_total" : "";
}

void series_begin(const struct writer *w, const struct family *f)
{
	static const char *const types[] = {"gauge", "counter", "histogram"};
	const char *suffix = total_of(f);

	fprintf(w->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", f->name, suffix, f->help, f->name,
		suffix, types[f->type]);
}

// Writes `,name="value"`, with quotes, backslashes and line ends escaped. A value that does not fit
// is cut. Returns the number of characters.
static size_t put_label(char *to, size_t room, const struct label *label)
{
	size_t used = (size_t)snprintf(to, room, ",%s=\"", label->name);
	const char *value = drb_known_text(label->value);

	// An unknown value becomes "": to Prometheus, an empty label is the same as none.
	for (const char *c = value ? value : ""; *c && used + 4 < room; c++) {
		if (*c == '\n' || *c == '"' || *c == '\\')
			to[used++] = '\\';
		to[used++] = *c == '\n' ? 'n' : *c;
	}
	to[used++] = '"';
	to[used] = '\0';
	return used;
}

static void write_label(FILE *out, const struct label *label)
{
	char text[512];

	put_label(text, sizeof(text), label);
	fputs_unlocked(text, out);
}

void series_name(const struct writer *w, const char *name, const char *suffix, size_t i,
		 const struct label *more)
{
	fputs_unlocked(name, w->out);
	fputs_unlocked(suffix, w->out);
	fputs_unlocked("{", w->out);
	fputs_unlocked(w->labels[i].text, w->out);
	for (; more && more->name; more++)
		write_label(w->out, more);
	fputs_unlocked("} ", w->out);
}

static void write_value(const struct writer *w, const struct family *f, uint64_t value)
{
	if (f->ns)
		fprintf(w->out, "%" PRIu64 ".%09" PRIu64 "\n", value / 1000000000,
			value % 1000000000);
	else
		fprintf(w->out, "%" PRIu64 "\n", value);
}

void series_write(const struct writer *w, const struct family *f, size_t i,
		  const struct label *more, uint64_t value)
{
	if (value == DRB_UNKNOWN)
		return;
	series_name(w, f->name, total_of(f), i, more);
	write_value(w, f, value);
}

void series_of_switches(const struct writer *w, const struct family *f, size_t offset)
{
	series_begin(w, f);
	for (size_t i = 0; i < w->poll->count; i++) {
		const struct metrics_switch *s = &w->poll->switches[i];
		if (s->error == 0)
			series_write(w, f, i, NULL,
				     *(const uint64_t *)(const void *)((const char *)s + offset));
	}
}

void series_of_ports(const struct writer *w, const struct family *f, size_t offset)
{
	series_begin(w, f);
	for (size_t i = 0; i < w->poll->count; i++) {
		const struct metrics_switch *s = &w->poll->switches[i];
		for (uint32_t k = 0; k < s->all.port_count; k++) {
			const char *p = (const char *)&s->all.ports[k];
			const uint64_t value = *(const uint64_t *)(const void *)(p + offset);
			if (value == DRB_UNKNOWN)
				continue;
			fputs_unlocked(f->name, w->out);
			fputs_unlocked(total_of(f), w->out);
			fputs_unlocked("{", w->out);
			fputs_unlocked(w->labels[i].text, w->out);
			fputs_unlocked(w->labels[i].port[k], w->out);
			fputs_unlocked("} ", w->out);
			write_value(w, f, value);
		}
	}
}

bool series_init(struct writer *w)
{
	w->labels = calloc(w->poll->count ? w->poll->count : 1, sizeof(*w->labels));
	for (size_t i = 0; w->labels && i < w->poll->count; i++) {
		const struct metrics_switch *s = &w->poll->switches[i];
		struct switch_labels *l = &w->labels[i];
		snprintf(l->text, sizeof(l->text),
			 "fabric=\"%s\",switch=\"%s\",layer=\"%" PRIu32 "\"", s->fabric, s->name,
			 s->layer);
		l->port = calloc(s->all.port_count + 1, sizeof(*l->port));
		if (!l->port)
			return false;
		for (uint32_t k = 0; k < s->all.port_count; k++) {
			const struct drb_switch_port *port = &s->all.ports[k];
			size_t used = put_label(l->port[k], PORT_LABELS_MAX,
						&(struct label){"port", port->name});
			put_label(l->port[k] + used, PORT_LABELS_MAX - used,
				  &(struct label){"peer", port->peer});
		}
	}
	return w->labels;
}

void series_free(struct writer *w)
{
	for (size_t i = 0; w->labels && i < w->poll->count; i++)
		free(w->labels[i].port);
	free(w->labels);
}
