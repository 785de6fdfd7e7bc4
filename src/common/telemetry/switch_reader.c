// SPDX-License-Identifier: BSD-3-Clause
#include "common/telemetry/switch_reader.h"

#include <errno.h>
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
#define X(key, meaning) {#key, offsetof(struct drb_memory, key)},
static const struct field memory_fields[] = {DRB_MEMORY(X)};
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

static int take_info(const json_t *reply, struct drb_switch_info *info)
{
	static const struct field fields[] = {
#define X(key) {#key, offsetof(struct drb_switch_info, key)},
		X(layers) X(arity) X(uplinks) X(layer) X(label) X(pid) X(ready) X(stuck)
			X(uptime_ns) X(reloads) X(ports) X(ports_usable)
#undef X
	};

	if (GET_TEXT(reply, "name", info->name) < 0 ||
	    GET_TEXT(reply, "fabric", info->fabric) < 0 ||
	    GET_TEXT(reply, "version", info->version) < 0 ||
	    GET_TEXT(reply, "trouble", info->trouble) < 0 ||
	    take_code(json_object_get(reply, "code"), info->code, sizeof(info->code)) < 0)
		return -EPROTO;
	return get_fields(reply, fields, COUNT(fields), info);
}

static int take_routing(const json_t *reply, struct drb_switch_routing *routing)
{
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

static int take_differences(const json_t *reply, struct drb_switch_differences *differences)
{
	if (get_count(reply, "every", &differences->every) < 0)
		return -EPROTO;
	return take_bins(json_object_get(reply, "count"), DRB_DIFFERENCES, differences->count);
}

static int take_drops(const json_t *reply, struct drb_switch_drops *drops)
{
	return get_fields(reply, drop_fields, COUNT(drop_fields), drops->reason);
}

static int take_worker(const json_t *reply, struct drb_switch_worker *worker)
{
	if (GET_TEXT(reply, "idle", worker->idle) < 0 ||
	    get_count(reply, "time_ns", &worker->time_ns) < 0 ||
	    get_count(reply, "cycles_hz", &worker->cycles_hz) < 0 ||
	    get_count(reply, "buffers", &worker->buffers) < 0 ||
	    get_count(reply, "buffers_free", &worker->buffers_free) < 0)
		return -EPROTO;
	return get_fields(reply, worker_fields, COUNT(worker_fields), &worker->count);
}

static int take_port(const json_t *reply, struct drb_switch_port *port)
{
#define GET(key) GET_TEXT(reply, #key, port->key) < 0 ||
	if (GET(name) GET(peer) GET(neighbour) GET(state) GET(driver) GET(device) GET(rate)
			    GET(occupancy) get_count(reply, "usable", &port->usable) < 0 ||
#undef GET
	    get_count(reply, "queue", &port->queue) < 0 ||
	    get_count(reply, "overhead", &port->overhead) < 0 ||
	    get_count(reply, "loss_in_ppm", &port->loss_in) < 0 ||
	    get_count(reply, "loss_out_ppm", &port->loss_out) < 0 ||
	    get_fields(reply, port_fields, COUNT(port_fields), &port->count) < 0)
		return -EPROTO;
	port->steered = json_object_get(reply, xdp_fields[0].key);
	return port->steered ? get_fields(reply, xdp_fields, COUNT(xdp_fields), &port->xdp) : 0;
}

static int take_ports(const json_t *ports, struct drb_switch_all *all)
{
	if (all->info.ports == 0 || all->info.ports > PORTS_MAX ||
	    json_array_size(ports) != all->info.ports)
		return -EPROTO;
	all->ports = calloc(all->info.ports, sizeof(*all->ports));
	if (!all->ports)
		return -ENOMEM;
	while (all->port_count < all->info.ports) {
		const json_t *port = json_array_get(ports, all->port_count);
		if (take_port(port, &all->ports[all->port_count]) < 0)
			return -EPROTO;
		all->port_count++;
	}
	return 0;
}

int drb_read_info(struct drb_telemetry *t, struct drb_switch_info *info)
{
	json_t *reply;
	int rc = drb_telemetry_ask(t, DRB_CMD_INFO, NULL, &reply);

	if (rc < 0)
		return rc;
	rc = take_info(reply, info);
	json_decref(reply);
	return rc;
}

static int take_all(const json_t *reply, struct drb_switch_all *all)
{
	const json_t *samples = json_object_get(reply, "samples");
	uint64_t stuck;

	if (get_count(reply, "time_ns", &all->time_ns) < 0)
		return get_count(reply, "stuck", &stuck) < 0 ? -EPROTO : stuck ? -EIO : -ETIMEDOUT;
	if (take_info(json_object_get(reply, "info"), &all->info) < 0 ||
	    take_routing(json_object_get(reply, "routing"), &all->routing) < 0 ||
	    take_drops(json_object_get(reply, "drops"), &all->drops) < 0 ||
	    take_worker(json_object_get(reply, "worker"), &all->worker) < 0 ||
	    take_differences(json_object_get(reply, "differences"), &all->differences) < 0 ||
	    take_bins(json_object_get(samples, "burst_size"), DRB_LOG_BINS, all->burst_size) < 0 ||
	    take_bins(json_object_get(samples, "queue_length"), DRB_LOG_BINS, all->queue_length) <
		    0)
		return -EPROTO;
	return take_ports(json_object_get(reply, "ports"), all);
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
	rc = get_fields(reply, memory_fields, COUNT(memory_fields), memory);
	json_decref(reply);
	return rc;
}

void drb_switch_all_free(struct drb_switch_all *all)
{
	free(all->ports);
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
