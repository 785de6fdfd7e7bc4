// SPDX-License-Identifier: BSD-3-Clause
// drbgen write: writes one capture per host, and the manifest.

#include "gen/verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcap/pcap.h>

#include "core/fabric/names.h"

#include "common/cli/format_option.h"
#include "common/cli/log.h"
#include "common/cli/table.h"
#include "common/traffic/traffic_file.h"
#include "common/traffic/traffic_option.h"

#include "gen/captures/manifest.h"
#include "gen/frames/measured_frame.h"

struct write {
	struct manifest manifest;
	const char *out;
	enum drb_format format; // format of the summary
};

static void parse_traffic(const struct drb_option *o, const char *text, void *kind)
{
	(void)o;
	drb_traffic_option(text, kind);
}

// Parses a string into a field of the manifest that has o->most bytes.
static void parse_base(const struct drb_option *o, const char *text, void *base)
{
	if (snprintf(base, (size_t)o->most, "%s", text) >= (int)o->most)
		drb_die("%s %s: too long", o->name, text);
}

#define AT(field) offsetof(struct write, field)
#define BASE(field)                                                                                \
	.kind = DRB_OPTION_OTHER, AT(manifest.field), 0, sizeof(((struct manifest *)0)->field),    \
	parse_base

static const struct drb_option options[] = {
	{"--layers", "L", "Layers of the fat-tree (default 3)", .kind = DRB_OPTION_U32,
	 AT(manifest.layers), 1, DRB_LAYERS_MAX, .letter = 'l'},
	{"--arity", "D", "Arity of the fat-tree (default 2)", .kind = DRB_OPTION_U32,
	 AT(manifest.arity), 1, DRB_ARITY_MAX, .letter = 'd'},
	{"--traffic", "NAME", "Who sends to whom (default permutation); see below",
	 .kind = DRB_OPTION_OTHER, AT(manifest.pattern), .parse = parse_traffic},
	{"--load", "RHO", "Probability that a host sends in a slot (default 0.9)",
	 .kind = DRB_OPTION_REAL, AT(manifest.load), 0, 1},
	{"--slots", "COUNT", "Length of the run in slots (default 2000)", .kind = DRB_OPTION_U32,
	 AT(manifest.slots), 1, UINT32_MAX},
	{"--slot", "TIME", "Length of a slot, such as 500us (default 2ms)", .kind = DRB_OPTION_TIME,
	 AT(manifest.slot_ns)},
	{"--size", "BYTES", "Frame size without FCS, at most the hosts' MTU + 14 (default 128)",
	 .kind = DRB_OPTION_U32, AT(manifest.size), FRAME_MIN, FRAME_MAX},
	{"--seed", "NUMBER", "The same seed gives the same packets (default 1)",
	 .kind = DRB_OPTION_U64, AT(manifest.seed), 0, 9e18},
	{"--out", "DIR", "Directory to write to; made if missing (required)",
	 .kind = DRB_OPTION_TEXT, AT(out), .letter = 'o'},
	{"--mac", "XX:XX", "First two bytes of hosts' MACs (default 02:00)", BASE(mac)},
	{"--ipv4", "NET/LEN", "IPv4 network of the hosts (default 10.0.0.0/8)", BASE(ipv4)},
	{"--ipv6", "NET/LEN", "IPv6 network of the hosts (default fd00::/64)", BASE(ipv6)},
	{0},
};

// Parses the options. Their help ends with the list of patterns.
static void options_parse(struct write *w, int argc, char **argv)
{
	const struct drb_options sets[] = {
		{.option = options, w}, {.option = drb_format_options, &w->format}, {0}};
	char *doc;
	size_t size;
	FILE *out = open_memstream(&doc, &size);

	if (!out)
		drb_die("out of memory");
	fputs("Writes a traffic pattern as capture files for drbgen replay, one per "
	      "host.\v"
	      "Traffic:",
	      out);
	for (int p = 0; p < DRB_PATTERN_COUNT; p++)
		fprintf(out, "%s %s", p ? "," : "", drb_traffic_usage((enum drb_pattern)p));
	fputs(".\nWrites DIR/h<label>.pcap for every host, time-stamped in nanoseconds with the "
	      "slot in which a packet is generated, and DIR/" MANIFEST_FILE ".",
	      out);
	fclose(out);
	drb_options_parse(sets, doc, argc, argv);
	free(doc);
	if (!w->out)
		drb_die("--out DIR is required");
}

// Draws the destinations of all hosts in all slots: dest[slot * hosts + host]. NULL after a
// message.
static uint32_t *draw_traffic(const struct manifest *m)
{
	uint32_t hosts = m->tree.hosts;
	uint32_t *memory = calloc(drb_traffic_words(&m->pattern, hosts), sizeof(*memory));
	uint32_t *dest = calloc((size_t)hosts * m->slots, sizeof(*dest));
	struct drb_rng rng = drb_rng_seed(m->seed, 0);
	struct drb_traffic traffic;

	if (!memory || !dest) {
		drb_error("no memory for %" PRIu32 " slots of %" PRIu32 " hosts", m->slots, hosts);
		goto fail;
	}
	if (drb_traffic_init(&traffic,
			     &(struct drb_traffic_setup){&m->tree, m->pattern, m->load, memory},
			     &rng) < 0) {
		char pattern[DRB_TRAFFIC_NAME_MAX];
		drb_traffic_format(m->pattern, pattern);
		drb_error("--traffic %s: the number does not fit %" PRIu32 " hosts", pattern,
			  hosts);
		goto fail;
	}
	for (uint32_t slot = 0; slot < m->slots; slot++)
		drb_traffic_slot(&traffic, &rng, slot, dest + (size_t)slot * hosts);
	free(memory);
	return dest;
fail:
	free(memory);
	free(dest);
	return NULL;
}

// The captures that are being written.
struct captures {
	const char *dir;
	struct manifest *manifest;
	const uint32_t *dest; // destinations, as drawn
	pcap_t *type;         // link type and precision of every file
	uint32_t *sequence;   // [destination]: packets so far of the host being written
};

static void dump_host(const struct captures *c, uint32_t src, pcap_dumper_t *out)
{
	uint8_t frame[FRAME_MAX];
	struct manifest *m = c->manifest;
	uint32_t hosts = m->tree.hosts;

	memset(c->sequence, 0, hosts * sizeof(*c->sequence));
	for (uint32_t slot = 0; slot < m->slots; slot++) {
		uint32_t dst = c->dest[(size_t)slot * hosts + src];
		if (dst == DRB_NO_LABEL)
			continue;
		struct frame_probe probe = {
			.src = src, .dst = dst, .cohort = slot, .sequence = c->sequence[dst]++};
		frame_build(frame, m->size, &m->plan, &probe);
		uint64_t ns = slot * m->slot_ns;
		struct pcap_pkthdr hdr = {// With nanosecond precision, tv_usec holds nanoseconds.
					  .ts = {.tv_sec = (time_t)(ns / 1000000000),
						 .tv_usec = (suseconds_t)(ns % 1000000000)},
					  .caplen = m->size,
					  .len = m->size};
		pcap_dump((uint8_t *)out, &hdr, frame);
		m->packets++;
	}
}

static int write_host(const struct captures *c, uint32_t src)
{
	char path[PATH_MAX];

	if (!capture_path(path, c->dir, src)) {
		drb_error("%s: path too long", c->dir);
		return -EINVAL;
	}
	pcap_dumper_t *out = pcap_dump_open(c->type, path);
	if (!out) {
		drb_error("%s", pcap_geterr(c->type));
		return -EINVAL;
	}
	dump_host(c, src, out);
	// The stream keeps errors of earlier writes.
	int rc = pcap_dump_flush(out) < 0 || ferror(pcap_dump_file(out)) ? -EINVAL : 0;
	if (rc < 0)
		drb_error("%s: cannot be written: %s", path, strerror(errno));
	pcap_dump_close(out);
	return rc;
}

static int write_captures(const char *dir, struct manifest *m, const uint32_t *dest)
{
	struct captures c = {
		.dir = dir,
		.manifest = m,
		.dest = dest,
		.type = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, 65535,
							     PCAP_TSTAMP_PRECISION_NANO),
		.sequence = calloc(m->tree.hosts, sizeof(*c.sequence)),
	};
	int rc = 0;

	if (!c.type || !c.sequence) {
		drb_error("out of memory");
		rc = -ENOMEM;
	}
	for (uint32_t src = 0; rc == 0 && src < m->tree.hosts; src++)
		rc = write_host(&c, src);
	free(c.sequence);
	if (c.type)
		pcap_close(c.type);
	return rc;
}

// A directory without a manifest is unfinished. Therefore the old manifest is removed first, and
// the new one is written last.
static int prepare_directory(const char *dir)
{
	char path[PATH_MAX];

	if (mkdir(dir, 0777) < 0 && errno != EEXIST) {
		drb_error("%s: cannot be made: %s", dir, strerror(errno));
		return -EINVAL;
	}
	if (snprintf(path, sizeof(path), "%s/" MANIFEST_FILE, dir) >= (int)sizeof(path)) {
		drb_error("%s: path too long", dir);
		return -EINVAL;
	}
	if (unlink(path) < 0 && errno != ENOENT) {
		drb_error("%s: %s", path, strerror(errno));
		return -EINVAL;
	}
	return 0;
}

// People get the summary on standard error, programs on standard output.
static void print_summary(const struct write *w)
{
	const struct manifest *m = &w->manifest;

	if (w->format == DRB_FORMAT_TABLE) {
		drb_info("%s: %" PRIu64 " packets of %" PRIu32 " hosts in %" PRIu32 " slots",
			 w->out, m->packets, m->tree.hosts, m->slots);
		return;
	}
	struct drb_table *table = drb_table_new(stdout, w->format);
	drb_table_text(table, "out", NULL, w->out);
	drb_table_count(table, "packets", NULL, m->packets);
	drb_table_count(table, "hosts", NULL, m->tree.hosts);
	drb_table_count(table, "slots", NULL, m->slots);
	drb_table_row_end(table);
	drb_table_end(table);
}

int gen_write(int argc, char **argv)
{
	struct write w = {.format = DRB_FORMAT_TABLE,
			  .manifest = {.layers = DRB_LAYERS_DEFAULT,
				       .arity = DRB_ARITY_DEFAULT,
				       .slot_ns = 2000000,
				       .slots = 2000,
				       .pattern = {.pattern = DRB_PATTERN_PERMUTATION},
				       .load = 0.9,
				       .seed = 1,
				       .size = 128,
				       .mac = "02:00",
				       .ipv4 = "10.0.0.0/8",
				       .ipv6 = "fd00::/64"}};
	char error[MANIFEST_ERROR_MAX];

	options_parse(&w, argc, argv);
	if (manifest_complete(&w.manifest, error) < 0)
		drb_die("%s", error);
	uint32_t *dest = NULL;
	if (drb_traffic_load(&w.manifest.pattern, w.manifest.tree.hosts) == 0)
		dest = draw_traffic(&w.manifest);
	drb_traffic_file_free(w.manifest.pattern.file);
	if (!dest)
		return DRB_EXIT_USAGE;
	int code = prepare_directory(w.out) < 0 ? DRB_EXIT_USAGE : DRB_EXIT_OK;
	if (code == DRB_EXIT_OK &&
	    (write_captures(w.out, &w.manifest, dest) < 0 || manifest_save(w.out, &w.manifest) < 0))
		code = DRB_EXIT_FAILED;
	free(dest);
	if (code == DRB_EXIT_OK)
		print_summary(&w);
	return code;
}
