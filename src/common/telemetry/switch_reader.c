// SPDX-License-Identifier: BSD-3-Clause
#include "common/telemetry/switch_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// More than any switch has. A reply that claims more is rejected.
#define PORTS_MAX 512
#define DROPS_MAX 512

// The offset of a key's value in a struct.
struct field {
	const char *key;
	size_t at;
};

// The same for a text, with its size.
struct text_field {
	const char *key;
	size_t at, size;
};

#define X(key, meaning) {#key, offsetof(struct drb_port_counters, key)},
static const struct field port_counters[] = {DRB_PORT_COUNTERS(X)};
#undef X
#define X(key, meaning) {#key, offsetof(struct drb_xdp_counters, key)},
static const struct field xdp_counters[] = {DRB_XDP_COUNTERS(X)};
#undef X
#define X(key, meaning) {#key, offsetof(struct drb_routing_counters, key)},
static const struct field routing_counters[] = {DRB_ROUTING_COUNTERS(X)};
#undef X
#define X(key, meaning) {#key, offsetof(struct drb_worker_counters, key)},
static const struct field worker_counters[] = {DRB_WORKER_COUNTERS(X)};
#undef X
#define X(key, meaning) {#key, offsetof(struct drb_memory, key)},
static const struct field memory_fields[] = {DRB_MEMORY(X)};
#undef X
#define X(key, meaning) {#key, DRB_DROP_##key * sizeof(uint64_t)},
static const struct field drop_reasons[] = {DRB_DROP_REASONS(X)};
#undef X

#define COUNT(fields) (sizeof(fields) / sizeof((fields)[0]))
#define FIELD(type, key)                                                                           \
	{                                                                                          \
#key, offsetof(struct type, key)                                                   \
	}
#define TEXT_FIELD(type, key)                                                                      \
	{                                                                                          \
#key, offsetof(struct type, key), sizeof(((struct type *)0)->key)                  \
	}

// A value that is missing or null counts as unknown. A value of another type is an error.
static int take_count(const json_t *value, uint64_t *out)
{
	*out = DRB_UNKNOWN;
	if (!value || json_is_null(value))
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return -EPROTO;
	*out = (uint64_t)json_integer_value(value);
	return 0;
}

static int take_counts(const json_t *object, const struct field *fields, size_t count, void *out)
{
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t value;
		if (take_count(json_object_get(object, fields[i].key), &value) < 0)
			rc = -EPROTO;
		memcpy((char *)out + fields[i].at, &value, sizeof(value));
	}
	return rc;
}

// A text that is longer than this version's field is cut off.
static int take_texts(const json_t *object, const struct text_field *fields, size_t count,
		      void *out)
{
	for (size_t i = 0; i < count; i++) {
		const json_t *value = json_object_get(object, fields[i].key);
		const char *text = json_string_value(value);
		if (value && !text && !json_is_null(value))
			return -EPROTO;
		snprintf((char *)out + fields[i].at, fields[i].size, "%s",
			 text ? text : DRB_UNKNOWN_TEXT);
	}
	return 0;
}

#define TAKE_COUNTS(object, fields, out) take_counts(object, fields, COUNT(fields), out)
#define TAKE_TEXTS(object, fields, out) take_texts(object, fields, COUNT(fields), out)

// Takes a name that identifies the rest of the reply, so it must be present.
static int take_name(const json_t *object, const char *key, char *out, size_t size)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (!text || (size_t)snprintf(out, size, "%s", text) >= size)
		return -EPROTO;
	return 0;
}

static int take_code(const json_t *code, char *text, size_t size)
{
	size_t used = 1, count = json_array_size(code);

	snprintf(text, size, "%s", json_is_array(code) ? "(" : DRB_UNKNOWN_TEXT);
	if (!code || json_is_null(code))
		return 0;
	if (!json_is_array(code))
		return -EPROTO;
	for (size_t i = 0; i < count; i++) {
		uint64_t digit;
		if (take_count(json_array_get(code, i), &digit) < 0)
			return -EPROTO;
		used += (size_t)snprintf(text + used, size - used, "%s%u", i ? "," : "",
					 (uint32_t)digit);
		if (used + 1 >= size)
			return -EPROTO;
	}
	snprintf(text + used, size - used, ")");
	return 0;
}

// Name, fabric, layer and label identify the switch; everything else may be unknown.
int drb_info_take(const json_t *reply, struct drb_switch_info *info)
{
	static const struct text_field texts[] = {
		TEXT_FIELD(drb_switch_info, version), TEXT_FIELD(drb_switch_info, trouble),
		TEXT_FIELD(drb_switch_info, mac), TEXT_FIELD(drb_switch_info, ipv4),
		TEXT_FIELD(drb_switch_info, ipv6)};
	static const struct field counts[] = {
#define X(key) FIELD(drb_switch_info, key),
		X(layers) X(arity) X(uplinks) X(layer) X(label) X(pid) X(ready) X(stuck)
			X(uptime_ns) X(reloads) X(ports) X(ports_usable) X(capturing)
#undef X
	};

	*info = (struct drb_switch_info){0};
	if (TAKE_TEXTS(reply, texts, info) < 0 || TAKE_COUNTS(reply, counts, info) < 0 ||
	    take_name(reply, "name", info->name, sizeof(info->name)) < 0 ||
	    take_name(reply, "fabric", info->fabric, sizeof(info->fabric)) < 0 ||
	    info->layer == DRB_UNKNOWN || info->label == DRB_UNKNOWN)
		return -EPROTO;
	return take_code(json_object_get(reply, "code"), info->code, sizeof(info->code));
}

struct drb_tree drb_info_tree(const struct drb_switch_info *info)
{
	struct drb_tree tree;
	const uint64_t uplinks = info->layers == 1 ? info->arity : info->uplinks;

	if (info->layers > DRB_LAYERS_MAX || info->arity > DRB_ARITY_MAX || uplinks > info->arity ||
	    drb_tree_init_uplinks(&tree, (uint32_t)info->layers, (uint32_t)info->arity,
				  (uint32_t)uplinks) < 0)
		return (struct drb_tree){0};
	return tree;
}

static int take_routing(const json_t *reply, struct drb_switch_routing *routing)
{
	static const struct text_field texts[] = {
#define X(key) TEXT_FIELD(drb_switch_routing, key),
		X(scheme) X(unit) X(threshold) X(threshold_mode) X(utilisation) X(flows_per_uplink)
#undef X
	};
	static const struct field counts[] = {FIELD(drb_switch_routing, flows),
					      FIELD(drb_switch_routing, choices),
					      FIELD(drb_switch_routing, seed)};

	if (TAKE_TEXTS(reply, texts, routing) < 0 || TAKE_COUNTS(reply, counts, routing) < 0)
		return -EPROTO;
	return TAKE_COUNTS(reply, routing_counters, &routing->count);
}

// If the number of bins differs, this version does not know their meaning.
static int take_bins(const json_t *array, size_t count, uint64_t *bins)
{
	const bool known = json_array_size(array) == count;

	if (array && !json_is_array(array))
		return -EPROTO;
	for (size_t i = 0; i < count; i++) {
		if (take_count(known ? json_array_get(array, i) : NULL, &bins[i]) < 0)
			return -EPROTO;
	}
	return 0;
}

static int take_differences(const json_t *reply, struct drb_switch_differences *differences)
{
	if (take_count(json_object_get(reply, "every"), &differences->every) < 0)
		return -EPROTO;
	return take_bins(json_object_get(reply, "count"), DRB_DIFFERENCES, differences->count);
}

// A switch of another version may have drop reasons that this version does not know. The sum
// includes them all.
static int take_drops(json_t *reply, struct drb_switch_drops *drops)
{
	uint64_t count;

	drops->sum = json_object_size(reply) ? 0 : DRB_UNKNOWN;
	for (void *at = json_object_iter(reply); at; at = json_object_iter_next(reply, at)) {
		if (take_count(json_object_iter_value(at), &count) < 0)
			return -EPROTO;
		drops->sum = drb_sum(drops->sum, count);
	}
	return TAKE_COUNTS(reply, drop_reasons, drops->reason);
}

static int take_worker(const json_t *reply, struct drb_switch_worker *worker)
{
	static const struct text_field texts[] = {TEXT_FIELD(drb_switch_worker, idle)};
	static const struct field counts[] = {
		FIELD(drb_switch_worker, time_ns), FIELD(drb_switch_worker, cycles_hz),
		FIELD(drb_switch_worker, buffers), FIELD(drb_switch_worker, buffers_free)};

	if (TAKE_TEXTS(reply, texts, worker) < 0 || TAKE_COUNTS(reply, counts, worker) < 0)
		return -EPROTO;
	return TAKE_COUNTS(reply, worker_counters, &worker->count);
}

static int take_port(const json_t *reply, struct drb_switch_port *port)
{
	static const struct text_field texts[] = {
#define X(key) TEXT_FIELD(drb_switch_port, key),
		X(peer) X(neighbour) X(state) X(driver) X(device) X(rate) X(occupancy)
#undef X
	};
	static const struct field counts[] = {
		FIELD(drb_switch_port, usable),
		FIELD(drb_switch_port, queue),
		FIELD(drb_switch_port, overhead),
		FIELD(drb_switch_port, since_ns),
		{"loss_in_ppm", offsetof(struct drb_switch_port, loss_in)},
		{"loss_out_ppm", offsetof(struct drb_switch_port, loss_out)},
	};

	for (size_t i = 0; i < COUNT(xdp_counters); i++)
		port->steered |= json_object_get(reply, xdp_counters[i].key) != NULL;
	if (take_name(reply, "name", port->name, sizeof(port->name)) < 0 ||
	    TAKE_TEXTS(reply, texts, port) < 0 || TAKE_COUNTS(reply, counts, port) < 0 ||
	    TAKE_COUNTS(reply, xdp_counters, &port->xdp) < 0)
		return -EPROTO;
	return TAKE_COUNTS(reply, port_counters, &port->count);
}

// Takes the names of all drop reasons, in the order of the switch.
static int take_drop_names(json_t *drops, struct drb_switch_all *all)
{
	const size_t count = json_object_size(drops);

	if (count > DROPS_MAX)
		return -EPROTO;
	all->drop_names = calloc(count + 1, sizeof(*all->drop_names));
	if (!all->drop_names)
		return -ENOMEM;
	for (void *at = json_object_iter(drops); at; at = json_object_iter_next(drops, at))
		snprintf(all->drop_names[all->drop_name_count++], DRB_NAME_MAX, "%.*s",
			 DRB_NAME_MAX - 1, json_object_iter_key(at));
	return 0;
}

static int take_ports(const json_t *ports, struct drb_switch_all *all)
{
	const size_t count = json_array_size(ports);

	if (!ports)
		return 0;
	if (count == 0 || count > PORTS_MAX ||
	    (all->info.ports != DRB_UNKNOWN && all->info.ports != count))
		return -EPROTO;
	all->ports = calloc(count, sizeof(*all->ports));
	if (!all->ports)
		return -ENOMEM;
	while (all->port_count < count) {
		const json_t *port = json_array_get(ports, all->port_count);
		if (take_port(port, &all->ports[all->port_count]) < 0)
			return -EPROTO;
		all->port_count++;
	}
	return 0;
}

// Notes the version, which messages show even if the rest of the reply is not understood.
static void note_version(struct drb_telemetry *t, const json_t *info)
{
	const char *version = json_string_value(json_object_get(info, "version"));

	if (version)
		snprintf(t->version, sizeof(t->version), "%s", version);
}

int drb_read_info(struct drb_telemetry *t, struct drb_switch_info *info)
{
	json_t *reply;
	int rc = drb_telemetry_ask(t, DRB_CMD_INFO, NULL, &reply);

	if (rc < 0)
		return rc;
	note_version(t, reply);
	rc = drb_info_take(reply, info);
	json_decref(reply);
	return rc;
}

// Takes a part of the reply, which must be an object.
static int reply_part(const json_t *reply, const char *key, json_t **part)
{
	*part = json_object_get(reply, key);
	return !*part || json_is_object(*part) ? 0 : -EPROTO;
}

static int take_all(const json_t *reply, struct drb_switch_all *all)
{
	json_t *routing, *drops, *worker, *differences, *samples;
	uint64_t stuck;

	if (take_count(json_object_get(reply, "time_ns"), &all->time_ns) < 0 ||
	    take_count(json_object_get(reply, "stuck"), &stuck) < 0)
		return -EPROTO;
	if (all->time_ns == DRB_UNKNOWN && stuck != DRB_UNKNOWN)
		return stuck ? -EIO : -ETIMEDOUT;
	if (reply_part(reply, "routing", &routing) < 0 || reply_part(reply, "drops", &drops) < 0 ||
	    reply_part(reply, "worker", &worker) < 0 ||
	    reply_part(reply, "samples", &samples) < 0 ||
	    reply_part(reply, "differences", &differences) < 0)
		return -EPROTO;
	if (drb_info_take(json_object_get(reply, "info"), &all->info) < 0 ||
	    take_routing(routing, &all->routing) < 0 || take_drops(drops, &all->drops) < 0 ||
	    take_worker(worker, &all->worker) < 0 ||
	    take_differences(differences, &all->differences) < 0 ||
	    take_bins(json_object_get(samples, "burst_size"), DRB_LOG_BINS, all->burst_size) < 0 ||
	    take_bins(json_object_get(samples, "queue_length"), DRB_LOG_BINS, all->queue_length) <
		    0)
		return -EPROTO;
	const int rc = take_drop_names(drops, all);
	return rc < 0 ? rc : take_ports(json_object_get(reply, "ports"), all);
}

int drb_all_take(const json_t *reply, struct drb_switch_all *all)
{
	*all = (struct drb_switch_all){0};
	int rc = take_all(reply, all);
	if (rc < 0)
		drb_switch_all_free(all);
	return rc;
}

int drb_read_all(struct drb_telemetry *t, struct drb_switch_all *all)
{
	json_t *reply;
	int rc = drb_telemetry_ask(t, DRB_CMD_ALL, NULL, &reply);

	if (rc < 0)
		return rc;
	note_version(t, json_object_get(reply, "info"));
	rc = drb_all_take(reply, all);
	json_decref(reply);
	return rc;
}

int drb_read_memory(struct drb_telemetry *t, struct drb_memory *memory)
{
	json_t *reply;
	int rc = drb_telemetry_ask(t, DRB_CMD_MEMORY, NULL, &reply);

	if (rc < 0)
		return rc;
	rc = json_is_object(reply) ? TAKE_COUNTS(reply, memory_fields, memory) : -EPROTO;
	json_decref(reply);
	return rc;
}

void drb_switch_all_free(struct drb_switch_all *all)
{
	free(all->ports);
	free(all->drop_names);
	*all = (struct drb_switch_all){0};
}

const struct drb_switch_port *drb_port_named(const struct drb_switch_all *all, const char *name)
{
	for (uint32_t i = 0; i < all->port_count; i++) {
		if (strcmp(all->ports[i].name, name) == 0)
			return &all->ports[i];
	}
	return NULL;
}
