// SPDX-License-Identifier: BSD-3-Clause
#include "gen/captures/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "core/fabric/names.h"

#include "common/cli/log.h"
#include "gen/frames/measured_frame.h"

#define FORMAT "drbgen traffic"
#define VERSION 1

static int manifest_refuse(char error[MANIFEST_ERROR_MAX], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int manifest_refuse(char error[MANIFEST_ERROR_MAX], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error, MANIFEST_ERROR_MAX, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int complete_addresses(struct manifest *m, char error[MANIFEST_ERROR_MAX])
{
	m->plan = drb_addr_default(m->tree.hosts);
	if (drb_addr_set_mac(&m->plan, m->mac) < 0)
		return manifest_refuse(error, "mac: \"%s\" is not two bytes like 02:00", m->mac);
	if (drb_addr_set_ipv4(&m->plan, m->ipv4) < 0)
		return manifest_refuse(error, "ipv4: \"%s\" is not " DRB_ADDR_IPV4_FORM, m->ipv4);
	if (drb_addr_set_ipv6(&m->plan, m->ipv6) < 0)
		return manifest_refuse(error, "ipv6: \"%s\" is not " DRB_ADDR_IPV6_FORM, m->ipv6);
	if (!drb_addr_fits(&m->plan))
		return manifest_refuse(error,
				       "ipv4, ipv6: %" PRIu32 " hosts do not fit into %s and %s",
				       m->tree.hosts, m->ipv4, m->ipv6);
	return 0;
}

int manifest_complete(struct manifest *m, char error[MANIFEST_ERROR_MAX])
{
	int rc = drb_tree_init(&m->tree, m->layers, m->arity);

	if (rc == -EOVERFLOW)
		return manifest_refuse(error,
				       "F(%" PRIu32 ",%" PRIu32 ") has more than %" PRIu32 " hosts",
				       m->layers, m->arity, DRB_HOSTS_MAX);
	if (rc < 0)
		return manifest_refuse(error, "layers must be 1-%d and arity 1-%d", DRB_LAYERS_MAX,
				       DRB_ARITY_MAX);
	if (m->slots < 1)
		return manifest_refuse(error, "slots must be at least 1");
	if (m->slot_ns < 1 || m->slot_ns > MANIFEST_SLOT_NS_MAX)
		return manifest_refuse(error, "the slot must be between 1ns and %gs",
				       (double)MANIFEST_SLOT_NS_MAX / 1e9);
	if (m->slots > MANIFEST_RUN_NS_MAX / m->slot_ns)
		return manifest_refuse(error, "slots times slot is longer than %gs",
				       (double)MANIFEST_RUN_NS_MAX / 1e9);
	if (!(m->load > 0 && m->load <= 1))
		return manifest_refuse(error, "load must be above 0 and at most 1");
	if (m->seed > INT64_MAX)
		return manifest_refuse(error, "seed must be at most %" PRId64, INT64_MAX);
	if (m->size < FRAME_MIN || m->size > FRAME_MAX)
		return manifest_refuse(error, "size must be %zu-%d bytes", FRAME_MIN, FRAME_MAX);
	if (m->packets > (uint64_t)m->tree.hosts * m->slots)
		return manifest_refuse(error, "packets: more than one per host and slot");
	return complete_addresses(m, error);
}

static bool copy_text(char *to, size_t size, const char *from)
{
	return (size_t)snprintf(to, size, "%s", from) < size;
}

// True if a JSON integer fits into an unsigned field of at most `max`.
static bool in_range(json_int_t value, uint64_t max)
{
	return value >= 0 && (uint64_t)value <= max;
}

static int read_fields(json_t *root, struct manifest *m, char error[MANIFEST_ERROR_MAX])
{
	json_int_t version, layers, arity, slot, slots, seed, size, packets;
	const char *format, *pattern, *mac, *ipv4, *ipv6;
	json_error_t where;

	// These come first, because another version may lack other keys.
	if (json_unpack_ex(root, &where, 0, "{s:s, s:I}", "format", &format, "version", &version) <
	    0)
		return manifest_refuse(error, "%s", where.text);
	if (strcmp(format, FORMAT) != 0 || version != VERSION)
		return manifest_refuse(error,
				       "format \"%.32s\" version %" JSON_INTEGER_FORMAT
				       " instead of \"" FORMAT
				       "\" version %d, which drbgen " DRB_VERSION " reads",
				       format, version, VERSION);
	if (json_unpack_ex(root, &where, 0,
			   "{s:I, s:I, s:I, s:I, s:s, s:F, s:I, s:I, s:I, s:s, s:s, s:s}", "layers",
			   &layers, "arity", &arity, "slot_ns", &slot, "slots", &slots, "pattern",
			   &pattern, "load", &m->load, "seed", &seed, "size", &size, "packets",
			   &packets, "mac", &mac, "ipv4", &ipv4, "ipv6", &ipv6) < 0)
		return manifest_refuse(error, "%s", where.text);
	if (!in_range(layers, UINT32_MAX) || !in_range(arity, UINT32_MAX) ||
	    !in_range(slot, INT64_MAX) || !in_range(slots, UINT32_MAX) ||
	    !in_range(seed, INT64_MAX) || !in_range(size, UINT32_MAX) ||
	    !in_range(packets, INT64_MAX))
		return manifest_refuse(error, "a number is negative or too large");
	if (drb_traffic_parse(pattern, &m->pattern) < 0)
		return manifest_refuse(error, "pattern: unknown pattern \"%.64s\"", pattern);
	if (!copy_text(m->mac, sizeof(m->mac), mac) || !copy_text(m->ipv4, sizeof(m->ipv4), ipv4) ||
	    !copy_text(m->ipv6, sizeof(m->ipv6), ipv6))
		return manifest_refuse(error, "mac, ipv4 or ipv6 is too long");
	m->layers = (uint32_t)layers;
	m->arity = (uint32_t)arity;
	m->slot_ns = (uint64_t)slot;
	m->slots = (uint32_t)slots;
	m->seed = (uint64_t)seed;
	m->size = (uint32_t)size;
	m->packets = (uint64_t)packets;
	return 0;
}

int manifest_parse(const char *text, size_t size, struct manifest *m,
		   char error[MANIFEST_ERROR_MAX])
{
	json_error_t where;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);

	*m = (struct manifest){0};
	if (!root)
		return manifest_refuse(error, "line %d: %s", where.line, where.text);
	int rc = read_fields(root, m, error);
	json_decref(root);
	return rc < 0 ? rc : manifest_complete(m, error);
}

static bool path_of(char path[PATH_MAX], const char *dir)
{
	return snprintf(path, PATH_MAX, "%s/" MANIFEST_FILE, dir) < PATH_MAX;
}

int manifest_load(const char *dir, struct manifest *m)
{
	char path[PATH_MAX], error[MANIFEST_ERROR_MAX];
	// Far larger than any manifest; a larger file is something else.
	char text[16384];

	if (!path_of(path, dir)) {
		drb_error("%s: path too long", dir);
		return -EINVAL;
	}
	FILE *in = fopen(path, "re");
	if (!in) {
		drb_error("%s: %s (is %s a directory of drbgen write?)", path, strerror(errno),
			  dir);
		return -EINVAL;
	}
	size_t size = fread(text, 1, sizeof(text), in);
	bool whole = feof(in) && !ferror(in);
	fclose(in);
	if (!whole) {
		drb_error("%s: cannot be read, or too large for a manifest", path);
		return -EINVAL;
	}
	if (manifest_parse(text, size, m, error) < 0) {
		drb_error("%s: %s", path, error);
		return -EINVAL;
	}
	return 0;
}

int manifest_save(const char *dir, const struct manifest *m)
{
	char path[PATH_MAX], pattern[DRB_TRAFFIC_NAME_MAX];
	int rc = -1;

	if (!path_of(path, dir)) {
		drb_error("%s: path too long", dir);
		return -EINVAL;
	}
	drb_traffic_format(m->pattern, pattern);
	json_t *root =
		json_pack("{s:s, s:i, s:I, s:I, s:I, s:I, s:s, s:f, s:I, s:I, s:I, s:s, s:s, s:s}",
			  "format", FORMAT, "version", VERSION, "layers", (json_int_t)m->layers,
			  "arity", (json_int_t)m->arity, "slot_ns", (json_int_t)m->slot_ns, "slots",
			  (json_int_t)m->slots, "pattern", pattern, "load", m->load, "seed",
			  (json_int_t)m->seed, "size", (json_int_t)m->size, "packets",
			  (json_int_t)m->packets, "mac", m->mac, "ipv4", m->ipv4, "ipv6", m->ipv6);
	if (root)
		rc = json_dump_file(root, path, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	json_decref(root);
	if (rc < 0) {
		drb_error("%s: cannot be written: %s", path, strerror(errno));
		return -EINVAL;
	}
	return 0;
}

bool capture_path(char path[PATH_MAX], const char *dir, uint32_t host)
{
	char name[DRB_NAME_MAX];

	drb_node_name(name, 0, host);
	return snprintf(path, PATH_MAX, "%s/%s.pcap", dir, name) < PATH_MAX;
}
