// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/flow_report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/cli/file.h"
#include "core/fabric/names.h"
#include "gen/replay/records.h"

// A key as words, for all formats.
struct words {
	char source[FLOW_TEXT_MAX], destination[FLOW_TEXT_MAX], number[FLOW_TEXT_MAX];
	char from[DRB_NAME_MAX], to[DRB_NAME_MAX];
	const char *protocol;
};

static void put_in_words(const struct flow_key *key, struct words *w)
{
	w->protocol = flow_protocol(key, w->number);
	flow_address(&key->source, w->source);
	flow_address(&key->destination, w->destination);
	drb_node_name(w->from, 0, key->from);
	drb_node_name(w->to, 0, key->to);
}

static int worst_first(const void *a, const void *b)
{
	const struct flow *x = *(const struct flow *const *)a;
	const struct flow *y = *(const struct flow *const *)b;
	double x_p99 = isnan(x->latency.p99) ? -1 : x->latency.p99;
	double y_p99 = isnan(y->latency.p99) ? -1 : y->latency.p99;

	if (x->lost != y->lost)
		return x->lost > y->lost ? -1 : 1;
	if (x_p99 > y_p99 || x_p99 < y_p99)
		return x_p99 > y_p99 ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void put_row(struct drb_table *t, bool for_people, const struct flow *f,
		    const struct drop_places *places)
{
	char text[2 * FLOW_TEXT_MAX + 32], place[DROP_PLACES_TEXT];
	struct words w;

	put_in_words(&f->key, &w);
	if (for_people) {
		char a[FLOW_TEXT_MAX], b[FLOW_TEXT_MAX];
		snprintf(text, sizeof(text), "%s %s %s", w.protocol,
			 flow_end(&f->key.source, f->key.source_port, a),
			 flow_end(&f->key.destination, f->key.destination_port, b));
		drb_table_text(t, "flow", NULL, text);
	}
	drb_table_text(t, "protocol", "", w.protocol);
	drb_table_text(t, "source", "", w.source);
	drb_table_count(t, "source_port", "", f->key.source_port);
	drb_table_text(t, "destination", "", w.destination);
	drb_table_count(t, "destination_port", "", f->key.destination_port);
	drb_table_text(t, "source_host", "from", w.from);
	drb_table_text(t, "destination_host", "to", w.to);
	drb_table_count(t, "sent", NULL, f->sent);
	drb_table_count(t, "lost", NULL, f->lost);
	drop_places_text(places, f->key.from, f->key.to, place);
	drb_table_text(t, "dropped_at", "dropped at", f->lost && *place ? place : NULL);
	drb_table_real(t, "latency_mean_us", "mean us", 1, f->latency.mean / 1e3);
	drb_table_real(t, "latency_p99_us", "99 % us", 1, f->latency.p99 / 1e3);
	drb_table_count(t, "duplicated", NULL, f->duplicated);
	drb_table_count(t, "reordered", NULL, f->reordered);
	drb_table_count(t, "latency_samples", "", f->latency.samples);
	drb_table_row_end(t);
}

size_t flow_report_print(FILE *out, enum drb_format format, const struct flows *flows,
			 const struct drop_places *places, size_t most)
{
	const struct flow **sorted = malloc((flows->count + 1) * sizeof(*sorted));
	size_t count = 0;

	if (!sorted)
		return flows->count;
	for (size_t i = 0; i < flows->count; i++) {
		if (flows->at[i].sent)
			sorted[count++] = &flows->at[i];
	}
	qsort(sorted, count, sizeof(*sorted), worst_first);
	struct drb_table *t = drb_table_new(out, format);
	for (size_t i = 0; i < count && i < most; i++)
		put_row(t, format == DRB_FORMAT_TABLE, sorted[i], places);
	drb_table_end(t);
	free(sorted);
	return count > most ? count - most : 0;
}

void flow_records_write(FILE *out, const struct flow_records *r)
{
	static const char *const fates[] = {"unknown", "arrived", "lost"};
	size_t count;
	const struct outcome *outcome = recogniser_outcomes(r->recogniser, &count);

	fputs("capture,packet,protocol,source,source_port,destination,destination_port,source_host,"
	      "destination_host,sent_ns,fate,received_ns,latency_ns\n",
	      out);
	for (size_t i = 0; i < count; i++) {
		const struct outcome *o = &outcome[i];
		const struct trace_packet *p = &r->trace->packet[o->packet];
		const struct flow_key *key = &r->flows->at[p->flow].key;
		struct words w;
		put_in_words(key, &w);
		// Quoted, so that a name with a quotation mark or a comma stays one field.
		fputc('"', out);
		for (const char *c = drb_file_name(r->paths[p->file]); *c; c++)
			fprintf(out, "%.*s%c", *c == '"', "\"", *c);
		fprintf(out, "\",%" PRIu32 ",%s,%s,%u,%s,%u,%s,%s,%" PRIu64 ",%s,", p->number,
			w.protocol, w.source, key->source_port, w.destination,
			key->destination_port, w.from, w.to, o->sent_ns, fates[o->fate]);
		if (o->latency_ns == LATENCY_UNKNOWN)
			fputs(",\n", out);
		else
			fprintf(out, "%" PRIu64 ",%" PRIu64 "\n", o->sent_ns + o->latency_ns,
				o->latency_ns);
	}
}

int flow_records_write_hgrm(FILE *out, const struct flow_records *r)
{
	size_t count, samples = 0;
	const struct outcome *outcome = recogniser_outcomes(r->recogniser, &count);
	uint64_t *ns = malloc((count + 1) * sizeof(*ns));

	if (!ns)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (outcome[i].latency_ns != LATENCY_UNKNOWN)
			ns[samples++] = outcome[i].latency_ns;
	}
	records_write_hgrm(out, ns, samples);
	free(ns);
	return 0;
}
