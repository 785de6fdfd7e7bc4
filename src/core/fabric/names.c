// SPDX-License-Identifier: BSD-3-Clause
#include "core/fabric/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

void drb_node_name(char name[DRB_NAME_MAX], uint32_t layer, uint32_t label)
{
	if (layer == 0)
		snprintf(name, DRB_NAME_MAX, "h%u", label);
	else
		snprintf(name, DRB_NAME_MAX, "s%u-%u", layer, label);
}

void drb_port_name(char name[DRB_NAME_MAX], bool up, uint32_t port)
{
	snprintf(name, DRB_NAME_MAX, "%c%u", up ? 'u' : 'd', port);
}

void drb_end_port(char name[DRB_NAME_MAX], const struct drb_end *end)
{
	if (end->layer == 0)
		snprintf(name, DRB_NAME_MAX, DRB_HOST_INTERFACE);
	else
		drb_port_name(name, end->up, end->port);
}

void drb_end_name(char name[DRB_END_NAME_MAX], const struct drb_end *end)
{
	char node[DRB_NAME_MAX], port[DRB_NAME_MAX];

	drb_node_name(node, end->layer, end->label);
	drb_end_port(port, end);
	snprintf(name, DRB_END_NAME_MAX, "%s.%s", node, port);
}

void drb_instance_name(char name[DRB_NAME_MAX], const char *fabric, uint32_t layer, uint32_t label)
{
	char node[DRB_NAME_MAX];

	drb_node_name(node, layer, label);
	snprintf(name, DRB_NAME_MAX, "%.*s-%.*s", DRB_FABRIC_MAX, fabric,
		 DRB_NAME_MAX - DRB_FABRIC_MAX - 2, node);
}

uint32_t drb_code(const struct drb_tree *t, uint32_t layer, uint32_t label, uint32_t code[])
{
	uint32_t digits = layer == 0 ? t->layers : t->layers - 1;

	if (layer == 0)
		drb_host_code(t, label, code);
	else
		drb_switch_code(t, layer, label, code);
	for (uint32_t i = 0; i < digits / 2; i++) {
		uint32_t swap = code[i];
		code[i] = code[digits - 1 - i];
		code[digits - 1 - i] = swap;
	}
	return digits;
}

void drb_code_text(char text[DRB_CODE_MAX], const struct drb_tree *t, uint32_t layer,
		   uint32_t label)
{
	uint32_t code[DRB_LAYERS_MAX], digits = drb_code(t, layer, label, code);
	size_t used = 0;

	text[used++] = '(';
	for (uint32_t i = 0; i < digits; i++)
		used += (size_t)snprintf(text + used, DRB_CODE_MAX - used, "%s%u", i ? "," : "",
					 code[i]);
	snprintf(text + used, DRB_CODE_MAX - used, ")");
}

// Reads a decimal number without leading zeros; NULL if there is none or it exceeds 32 bits.
static const char *read_number(const char *p, uint32_t *value)
{
	uint64_t v = 0;

	if (!isdigit((unsigned char)p[0]) || (p[0] == '0' && isdigit((unsigned char)p[1])))
		return NULL;
	for (; isdigit((unsigned char)*p); p++) {
		v = v * 10 + (uint64_t)(*p - '0');
		if (v > UINT32_MAX)
			return NULL;
	}
	*value = (uint32_t)v;
	return p;
}

int drb_node_parse(const char *name, uint32_t *layer, uint32_t *label)
{
	const char *p = NULL;

	if (name[0] == 'h') {
		*layer = 0;
		p = read_number(name + 1, label);
	} else if (name[0] == 's') {
		p = read_number(name + 1, layer);
		p = p && *p == '-' && *layer > 0 ? read_number(p + 1, label) : NULL;
	}
	return p && *p == '\0' ? 0 : -EINVAL;
}

int drb_port_parse(const char *name, bool *up, uint32_t *port)
{
	const char *p;

	if (name[0] != 'u' && name[0] != 'd')
		return -EINVAL;
	*up = name[0] == 'u';
	p = read_number(name + 1, port);
	return p && *p == '\0' ? 0 : -EINVAL;
}

int drb_instance_parse(const char *name, char fabric[DRB_FABRIC_MAX + 1], uint32_t *layer,
		       uint32_t *label)
{
	// The node follows the last '-' (host) or the one before it (switch).
	for (const char *dash = strchr(name, '-'); dash; dash = strchr(dash + 1, '-')) {
		size_t len = (size_t)(dash - name);
		if (len > DRB_FABRIC_MAX || drb_node_parse(dash + 1, layer, label) < 0)
			continue;
		memcpy(fabric, name, len);
		fabric[len] = '\0';
		return drb_fabric_name_ok(fabric) ? 0 : -EINVAL;
	}
	return -EINVAL;
}

bool drb_fabric_name_ok(const char *fabric)
{
	size_t len = strspn(fabric, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_.-");

	return fabric[len] == '\0' && len >= 1 && len <= DRB_FABRIC_MAX &&
	       isalnum((unsigned char)fabric[0]);
}
