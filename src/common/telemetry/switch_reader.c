// SPDX-License-Identifier: BSD-3-Clause
#include "common/telemetry/switch_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// More than any switch has; a reply that claims more is not believed.
#define PORTS_MAX 512

// Where the value of a key goes.
struct field {
	const char *key;
	size_t at;
};

#define X(key, meaning) {#key, offsetof(struct drb_port_counters, key)},
static const struct field port_fields[] = {DRB_PORT_COUNTERS(X)};
#undef X
#define X(key, meaning) {#key, offsetof(struct drb_xdp_counters, key)},
static const struct field xdp_fields[] = {DRB_XDP_COUNTERS(X)};
#undef X
#define X(key, meaning) {#key, offsetof(struct drb_routing_counters, key)},
static const struct field routing_fields[] = {DRB_ROUTING_COUNTERS(X)};
#undef X
#define X(key, meaning) {#key, offsetof(struct drb_worker_counters, key)},
static const struct field worker_fields[] = {DRB_WORKER_COUNTERS(X)};
#undef X
#define X(key, meaning) {#key, DRB_DROP_##key * sizeof(uint64_t)},
static const struct field drop_fields[] = {DRB_DROP_REASONS(X)};
#undef X

#define COUNT(fields) (sizeof(fields) / sizeof((fields)[0]))

static int take_count(const json_t *value, uint64_t *out)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return -EPROTO;
	*out = (uint64_t)json_integer_value(value);
	return 0;
}

static int get_count(const json_t *object, const char *key, uint64_t *out)
{
	return take_count(json_object_get(object, key), out);
}

static int take_text(const json_t *value, char *out, size_t size)
{
	const char *text = json_string_value(value);

	if (!text || (size_t)snprintf(out, size, "%s", text) >= size)
		return -EPROTO;
	return 0;
}

#define GET_TEXT(object, key, out) take_text(json_object_get(object, key), out, sizeof(out))

static int get_fields(const json_t *object, const struct field *fields, size_t count, void *out)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value;
		if (get_count(object, fields[i].key, &value) < 0)
			return -EPROTO;
		memcpy((char *)out + fields[i].at, &value, sizeof(value));
	}
	return 0;
}

static int take_code(const json_t *code, char *text, size_t size)
{
	size_t used = 1, count = json_array_size(code);

	if (!json_is_array(code))
		return -EPROTO;
	snprintf(text, size, "(");
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

static int take_info(const json_t *reply, void *out)
{
	struct drb_switch_info *info = out;
	static const struct field fields[] = {
#define X(key) {#key, offsetof(struct drb_switch_info, key)},
		X(layers) X(arity) X(layer) X(label) X(pid) X(ready) X(uptime_ns) X(reloads)
			X(ports) X(ports_usable)
#undef X
	};

	if (GET_TEXT(reply, "name", info->name) < 0 ||
	    GET_TEXT(reply, "fabric", info->fabric) < 0 ||
	    GET_TEXT(reply, "version", info->version) < 0 ||
	    GET_TEXT(reply, "trouble", info->trouble) < 0 ||
	    take_code(json_object_get(reply, "code"), info->code, sizeof(info->code)) < 0)
		return -EPROTO;
	if (get_fields(reply, fields, COUNT(fields), info) < 0)
		return -EPROTO;
	info->uplinks = info->arity; // of a version that tells none, as `stuck`
	info->stuck = json_integer_value(json_object_get(reply, "stuck")) > 0;
	return json_object_get(reply, "uplinks") ? get_count(reply, "uplinks", &info->uplinks) : 0;
}

static int take_routing(const json_t *reply, void *out)
{
	struct drb_switch_routing *routing = out;
	if (GET_TEXT(reply, "scheme", routing->scheme) < 0 ||
	    GET_TEXT(reply, "unit", routing->unit) < 0 ||
	    GET_TEXT(reply, "threshold", routing->threshold) < 0 ||
	    GET_TEXT(reply, "threshold_mode", routing->threshold_mode) < 0 ||
	    GET_TEXT(reply, "utilisation", routing->utilisation) < 0 ||
	    GET_TEXT(reply, "flows_per_uplink", routing->flows_per_uplink) < 0 ||
	    get_count(reply, "flows", &routing->flows) < 0 ||
	    get_count(reply, "choices", &routing->choices) < 0 ||
	    get_count(reply, "seed", &routing->seed) < 0)
		return -EPROTO;
	return get_fields(reply, routing_fields, COUNT(routing_fields), &routing->count);
}

static int take_bins(const json_t *array, size_t count, uint64_t *bins)
{
	if (json_array_size(array) != count)
		return -EPROTO;
	for (size_t i = 0; i < count; i++) {
		if (take_count(json_array_get(array, i), &bins[i]) < 0)
			return -EPROTO;
	}
	return 0;
}

static int take_differences(const json_t *reply, void *out)
{
	struct drb_switch_differences *differences = out;

	if (get_count(reply, "every", &differences->every) < 0)
		return -EPROTO;
	return take_bins(json_object_get(reply, "count"), DRB_DIFFERENCES, differences->count);
}

static int take_drops(const json_t *reply, void *out)
{
	struct drb_switch_drops *drops = out;
	return get_fields(reply, drop_fields, COUNT(drop_fields), drops->reason);
}

static int take_worker(const json_t *reply, void *out)
{
	struct drb_switch_worker *worker = out;
	if (GET_TEXT(reply, "idle", worker->idle) < 0 ||
	    get_count(reply, "time_ns", &worker->time_ns) < 0 ||
	    get_count(reply, "cycles_hz", &worker->cycles_hz) < 0 ||
	    get_count(reply, "buffers", &worker->buffers) < 0 ||
	    get_count(reply, "buffers_free", &worker->buffers_free) < 0)
		return -EPROTO;
	return get_fields(reply, worker_fields, COUNT(worker_fields), &worker->count);
}

// The texts of a link: keys and members of struct drb_switch_link.
#define LINK_TEXTS(X) X(name) X(peer) X(neighbour) X(state) X(driver) X(device) X(rate) X(occupancy)

static int take_link(const json_t *reply, void *out)
{
	struct drb_switch_link *link = out;
#define X(key) GET_TEXT(reply, #key, link->key) < 0 ||
	if (LINK_TEXTS(X) get_count(reply, "usable", &link->usable) < 0 ||
#undef X
	    get_count(reply, "overhead", &link->overhead) < 0 ||
	    get_count(reply, "loss_in_ppm", &link->loss_in) < 0 ||
	    get_count(reply, "loss_out_ppm", &link->loss_out) < 0 ||
	    get_count(reply, "queue", &link->queue) < 0)
		return -EPROTO;
	link->steered = json_object_get(reply, xdp_fields[0].key);
	return link->steered ? get_fields(reply, xdp_fields, COUNT(xdp_fields), &link->xdp) : 0;
}

// A column of texts: the member at this offset of each of count ports, `stride` octets apart.
struct text_column {
	const char *key;
	size_t at, size;
};

static int take_texts(const json_t *reply, const struct text_column *column, size_t count,
		      void *ports, size_t stride)
{
	const json_t *texts = json_object_get(reply, column->key);

	if (json_array_size(texts) != count)
		return -EPROTO;
	for (size_t i = 0; i < count; i++) {
		if (take_text(json_array_get(texts, i), (char *)ports + i * stride + column->at,
			      column->size) < 0)
			return -EPROTO;
	}
	return 0;
}

static int take_counts(const json_t *reply, const struct field *column, size_t count, void *ports,
		       size_t stride)
{
	const json_t *values = json_object_get(reply, column->key);

	if (json_array_size(values) != count)
		return -EPROTO;
	for (size_t i = 0; i < count; i++) {
		uint64_t value;
		if (take_count(json_array_get(values, i), &value) < 0)
			return -EPROTO;
		memcpy((char *)ports + i * stride + column->at, &value, sizeof(value));
	}
	return 0;
}

#define COLUMN(type, key, member)                                                                  \
	{                                                                                          \
		key, offsetof(type, member), sizeof(((type *)0)->member)                           \
	}

static int take_ports(const json_t *reply, void *out)
{
	struct drb_switch_ports *ports = out;
	const json_t *names = json_object_get(reply, "name");
	size_t count = json_array_size(names);

	if (count == 0 || count > PORTS_MAX || get_count(reply, "time_ns", &ports->time_ns) < 0)
		return -EPROTO;
	ports->port = calloc(count, sizeof(*ports->port));
	if (!ports->port)
		return -ENOMEM;
	ports->count = (uint32_t)count;
	static const struct text_column name = COLUMN(struct drb_switch_port, "name", name);
	int rc = take_texts(reply, &name, count, ports->port, sizeof(*ports->port));
	for (size_t f = 0; rc == 0 && f < COUNT(port_fields); f++) {
		struct field column = port_fields[f];
		column.at += offsetof(struct drb_switch_port, count);
		rc = take_counts(reply, &column, count, ports->port, sizeof(*ports->port));
	}
	return rc;
}

// Asks, lets `take` read the reply, and gives the reply back.
static int read_with(struct drb_telemetry *t, const char *command, const char *param,
		     int (*take)(const json_t *reply, void *out), void *out)
{
	json_t *reply;
	int rc = drb_telemetry_ask(t, command, param, &reply);

	if (rc < 0)
		return rc;
	rc = take(reply, out);
	json_decref(reply);
	return rc;
}

int drb_read_info(struct drb_telemetry *t, struct drb_switch_info *info)
{
	return read_with(t, DRB_CMD_INFO, NULL, take_info, info);
}

int drb_read_ports(struct drb_telemetry *t, struct drb_switch_ports *ports)
{
	*ports = (struct drb_switch_ports){0};
	int rc = read_with(t, DRB_CMD_PORTS, NULL, take_ports, ports);
	if (rc < 0)
		drb_switch_ports_free(ports);
	return rc;
}

void drb_switch_ports_free(struct drb_switch_ports *ports)
{
	free(ports->port);
	*ports = (struct drb_switch_ports){0};
}

int drb_read_link(struct drb_telemetry *t, const char *port, struct drb_switch_link *link)
{
	return read_with(t, DRB_CMD_PORT, port, take_link, link);
}

int drb_read_routing(struct drb_telemetry *t, struct drb_switch_routing *routing)
{
	return read_with(t, DRB_CMD_ROUTING, NULL, take_routing, routing);
}

int drb_read_differences(struct drb_telemetry *t, struct drb_switch_differences *differences)
{
	return read_with(t, DRB_CMD_DIFFERENCES, NULL, take_differences, differences);
}

int drb_read_drops(struct drb_telemetry *t, struct drb_switch_drops *drops)
{
	return read_with(t, DRB_CMD_DROPS, NULL, take_drops, drops);
}

int drb_read_worker(struct drb_telemetry *t, struct drb_switch_worker *worker)
{
	return read_with(t, DRB_CMD_WORKER, NULL, take_worker, worker);
}

static int take_parts(const json_t *reply, struct drb_switch_all *all)
{
	const json_t *samples = json_object_get(reply, "samples");

	if (take_info(json_object_get(reply, "info"), &all->info) < 0 ||
	    take_routing(json_object_get(reply, "routing"), &all->routing) < 0 ||
	    take_drops(json_object_get(reply, "drops"), &all->drops) < 0 ||
	    take_worker(json_object_get(reply, "worker"), &all->worker) < 0 ||
	    take_differences(json_object_get(reply, "differences"), &all->differences) < 0 ||
	    take_bins(json_object_get(samples, "burst_size"), DRB_LOG_BINS, all->burst_size) < 0 ||
	    take_bins(json_object_get(samples, "queue_length"), DRB_LOG_BINS, all->queue_length) <
		    0 ||
	    all->info.ports == 0 || all->info.ports > PORTS_MAX)
		return -EPROTO;
	all->ports = calloc(all->info.ports, sizeof(*all->ports));
	return all->ports ? 0 : -ENOMEM;
}

// The ports of a reply go behind those that are there.
static int take_full_ports(const json_t *ports, struct drb_switch_all *all)
{
#define X(key) COLUMN(struct drb_switch_full_port, #key, link.key),
	static const struct text_column texts[] = {
		LINK_TEXTS(X) COLUMN(struct drb_switch_full_port, "name", port.name)};
#undef X
#define X(key, meaning) {#key, offsetof(struct drb_switch_full_port, port.count.key)},
	static const struct field counts[] = {
		DRB_PORT_COUNTERS(X){"usable", offsetof(struct drb_switch_full_port, link.usable)},
		{"queue", offsetof(struct drb_switch_full_port, link.queue)}};
#undef X
	struct drb_switch_full_port *at = all->ports + all->port_count;
	size_t count = json_array_size(json_object_get(ports, "name"));
	int rc = count == 0 || count > all->info.ports - all->port_count ? -EPROTO : 0;

	for (size_t i = 0; rc == 0 && i < COUNT(texts); i++)
		rc = take_texts(ports, &texts[i], count, at, sizeof(*at));
	for (size_t i = 0; rc == 0 && i < COUNT(counts); i++)
		rc = take_counts(ports, &counts[i], count, at, sizeof(*at));
	all->port_count += rc == 0 ? (uint32_t)count : 0;
	return rc;
}

int drb_all_take(const json_t *reply, void *out)
{
	struct drb_switch_all *all = out;
	uint64_t time_ns, stuck;

	if (get_count(reply, "time_ns", &time_ns) < 0)
		return get_count(reply, "stuck", &stuck) < 0 ? -EPROTO : stuck ? -EIO : -ETIMEDOUT;
	if (all->port_count && time_ns != all->time_ns)
		return -EAGAIN; // many readers asked in between
	all->time_ns = time_ns;
	int rc = all->port_count ? 0 : take_parts(reply, all);
	return rc < 0 ? rc : take_full_ports(json_object_get(reply, "ports"), all);
}

const char *drb_all_next(const struct drb_switch_all *all, char param[DRB_ALL_PARAM_MAX])
{
	snprintf(param, DRB_ALL_PARAM_MAX, "%u,%" PRIu64, all->port_count, all->time_ns);
	return all->port_count ? param : NULL;
}

int drb_read_all(struct drb_telemetry *t, struct drb_switch_all *all)
{
	char param[DRB_ALL_PARAM_MAX];
	int rc = -EAGAIN;

	for (int tries = 0; rc == -EAGAIN && tries < 3; tries++) {
		*all = (struct drb_switch_all){0};
		do
			rc = read_with(t, DRB_CMD_ALL, drb_all_next(all, param), drb_all_take, all);
		while (rc == 0 && all->port_count < all->info.ports);
		if (rc < 0)
			drb_switch_all_free(all);
	}
	return rc;
}

void drb_switch_all_free(struct drb_switch_all *all)
{
	free(all->ports);
	*all = (struct drb_switch_all){0};
}
