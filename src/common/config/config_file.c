// SPDX-License-Identifier: BSD-3-Clause
#include "common/config/config_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cyaml/cyaml.h>

#include "common/cli/log.h"

#define OPTIONAL_STRING(key, type, member)                                                         \
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, member, 1, 1023)
#define OPTIONAL_UINT(key, type, member)                                                           \
	CYAML_FIELD_UINT_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, member)
#define OPTIONAL_BOOL(key, type, member)                                                           \
	CYAML_FIELD_BOOL_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, member)
// The keys of a link, wherever its struct stands in the outer one.
#define LINK_FIELDS(type, at)                                                                      \
	OPTIONAL_STRING("driver", type, at driver), OPTIONAL_STRING("rate", type, at rate),        \
		OPTIONAL_BOOL("slotted", type, at slotted),                                        \
		OPTIONAL_UINT("overhead", type, at overhead),                                      \
		OPTIONAL_UINT("queue", type, at queue),                                            \
		OPTIONAL_STRING("catchup", type, at catchup),                                      \
		OPTIONAL_STRING("xdp", type, at xdp), OPTIONAL_STRING("hello", type, at hello)

static const cyaml_schema_field_t fabric_fields[] = {
	OPTIONAL_STRING("name", struct drb_config_fabric, name),
	CYAML_FIELD_UINT("layers", CYAML_FLAG_DEFAULT, struct drb_config_fabric, layers),
	CYAML_FIELD_UINT("arity", CYAML_FLAG_DEFAULT, struct drb_config_fabric, arity),
	OPTIONAL_STRING("mac", struct drb_config_fabric, mac),
	OPTIONAL_STRING("ipv4", struct drb_config_fabric, ipv4),
	OPTIONAL_STRING("ipv6", struct drb_config_fabric, ipv6),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t switch_fields[] = {
	CYAML_FIELD_UINT("layer", CYAML_FLAG_DEFAULT, struct drb_config_switch, layer),
	CYAML_FIELD_UINT("label", CYAML_FLAG_DEFAULT, struct drb_config_switch, label),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t routing_fields[] = {
	OPTIONAL_STRING("scheme", struct drb_config_routing, scheme),
	OPTIONAL_STRING("threshold", struct drb_config_routing, threshold),
	OPTIONAL_UINT("choices", struct drb_config_routing, choices),
	OPTIONAL_STRING("unit", struct drb_config_routing, unit),
	OPTIONAL_UINT("seed", struct drb_config_routing, seed),
	OPTIONAL_BOOL("check_source", struct drb_config_routing, check_source),
	OPTIONAL_STRING("flow_idle", struct drb_config_routing, flow_idle),
	OPTIONAL_STRING("flow_grace", struct drb_config_routing, flow_grace),
	OPTIONAL_UINT("flow_max", struct drb_config_routing, flow_max),
	OPTIONAL_STRING("flowlet_gap", struct drb_config_routing, flowlet_gap),
	OPTIONAL_STRING("slot", struct drb_config_routing, slot),
	OPTIONAL_UINT("tau", struct drb_config_routing, tau),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t link_fields[] = {
	LINK_FIELDS(struct drb_config_link, ),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t port_fields[] = {
	CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct drb_config_port, name, 1, 31),
	LINK_FIELDS(struct drb_config_port, link.),
	OPTIONAL_STRING("interface", struct drb_config_port, interface),
	OPTIONAL_STRING("socket", struct drb_config_port, socket),
	OPTIONAL_STRING("device", struct drb_config_port, device),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t port_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct drb_config_port, port_fields),
};

static const cyaml_schema_field_t process_fields[] = {
	OPTIONAL_STRING("idle", struct drb_config_process, idle),
	OPTIONAL_UINT("burst", struct drb_config_process, burst),
	OPTIONAL_STRING("cpus", struct drb_config_process, cpus),
	OPTIONAL_STRING("hugepages", struct drb_config_process, hugepages),
	OPTIONAL_UINT("memory", struct drb_config_process, memory),
	OPTIONAL_UINT("buffers", struct drb_config_process, buffers),
	OPTIONAL_UINT("workers", struct drb_config_process, workers),
	OPTIONAL_STRING("memif_dir", struct drb_config_process, memif_dir),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t config_fields[] = {
	CYAML_FIELD_MAPPING("fabric", CYAML_FLAG_DEFAULT, struct drb_config, fabric, fabric_fields),
	CYAML_FIELD_MAPPING_PTR("switch", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
				struct drb_config, sw, switch_fields),
	CYAML_FIELD_MAPPING("routing", CYAML_FLAG_OPTIONAL, struct drb_config, routing,
			    routing_fields),
	CYAML_FIELD_MAPPING("link", CYAML_FLAG_OPTIONAL, struct drb_config, link, link_fields),
	CYAML_FIELD_SEQUENCE("ports", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct drb_config,
			     ports, &port_schema, 0, 4096),
	CYAML_FIELD_MAPPING("process", CYAML_FLAG_OPTIONAL, struct drb_config, process,
			    process_fields),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t config_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct drb_config, config_fields),
};

// What libcyaml says of a failure: a reason, then a backtrace from the inside out.
struct complaint {
	char reason[256];
	char key[256]; // dotted path
	int line;      // 0: unknown
};

static void prepend(char *key, size_t size, const char *part)
{
	char old[256];

	snprintf(old, sizeof(old), "%s", key);
	snprintf(key, size, "%s%s%s", part, *old && *old != '[' ? "." : "", old);
}

static void __attribute__((format(printf, 3, 0)))
collect(cyaml_log_t level, void *ctx, const char *fmt, va_list ap)
{
	struct complaint *c = ctx;
	char text[256], name[128];
	unsigned entry;
	const char *line;

	if (level < CYAML_LOG_ERROR)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	text[strcspn(text, "\n")] = '\0';
	if (sscanf(text, "  in mapping field '%127[^']'", name) == 1) {
		prepend(c->key, sizeof(c->key), name);
	} else if (sscanf(text, "  in sequence entry '%u'", &entry) == 1) {
		snprintf(name, sizeof(name), "[%u]", entry - 1);
		prepend(c->key, sizeof(c->key), name);
	} else if (strncmp(text, "  ", 2) != 0 && !strstr(text, "Backtrace") && !*c->reason) {
		snprintf(c->reason, sizeof(c->reason), "%s",
			 strncmp(text, "Load: ", 6) == 0 ? text + 6 : text);
	}
	line = strstr(text, "(line: ");
	if (line && c->line == 0)
		c->line = atoi(line + 7);
}

static const cyaml_config_t cyaml = {
	.log_fn = collect,
	.log_level = CYAML_LOG_ERROR,
	.mem_fn = cyaml_mem,
};

// One line for what libcyaml complained about, in the words of the user's file.
static int report(const char *path, struct complaint *c, cyaml_err_t err)
{
	static const char unexpected[] = "Unexpected key: ",
			  missing[] = "Missing required mapping field: ";
	char key[sizeof(c->key)];

	if (strncmp(c->reason, unexpected, strlen(unexpected)) == 0) {
		snprintf(key, sizeof(key), "%s%s%.100s", c->key, *c->key ? "." : "",
			 c->reason + strlen(unexpected));
		return drb_config_bad(path, key, "unknown key");
	}
	if (strncmp(c->reason, missing, strlen(missing)) == 0) {
		// The backtrace ends in the mapping's last key; what is missing is its sibling.
		char *dot = strrchr(c->key, '.');
		*(dot ? dot + 1 : c->key) = '\0';
		snprintf(key, sizeof(key), "%s%.100s", c->key, c->reason + strlen(missing));
		return drb_config_bad(path, key, "key is missing");
	}
	// A file that is not YAML at all has no keys to look up.
	int line = drb_config_line(c->key);
	drb_error("%s:%d: %s%s%s", path, line ? line : c->line, c->key, *c->key ? ": " : "",
		  *c->reason ? c->reason : cyaml_strerror(err));
	return -EINVAL;
}

int drb_config_file_read(const char *path, struct drb_config **config)
{
	struct complaint complaint = {0};
	cyaml_config_t cfg = cyaml;
	cyaml_data_t *data = NULL;

	if (drb_config_check(path, &config_schema) < 0)
		return -EINVAL;
	struct drb_config_text text = drb_config_text();
	cfg.log_ctx = &complaint;
	cyaml_err_t err = cyaml_load_data((const uint8_t *)text.at, text.length, &cfg,
					  &config_schema, &data, NULL);
	if (err != CYAML_OK)
		return report(path, &complaint, err);
	if (!data) {
		drb_error("%s:1: the file is empty", path);
		return -EINVAL;
	}
	*config = data;
	return 0;
}

void drb_config_file_free(struct drb_config *config)
{
	cyaml_free(&cyaml, &config_schema, config, 0);
}

int drb_config_format(const struct drb_config *config, char **text, size_t *length)
{
	struct complaint complaint = {0};
	cyaml_config_t cfg = cyaml;

	cfg.log_ctx = &complaint;
	cyaml_err_t err = cyaml_save_data(text, length, &cfg, &config_schema, config, 0);
	if (err == CYAML_OK)
		return 0;
	drb_error("cannot write a config: %s",
		  *complaint.reason ? complaint.reason : cyaml_strerror(err));
	return -EIO;
}
