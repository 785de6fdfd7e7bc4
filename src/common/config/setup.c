// SPDX-License-Identifier: BSD-3-Clause
// Derives struct drb_setup from a config: rules that span several keys, which rows of keys.def
// cannot express.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "drb/threshold.h"

#include "common/config/complaint.h"
#include "common/config/config.h"
#include "common/config/document.h"
#include "common/config/reader.h"
#include "common/config/settings.h"

static int resolve_fabric(const char *path, struct drb_setup *s)
{
	if (drb_config_read(path, DRB_SECTION_FABRIC, s) < 0)
		return -EINVAL;
	uint32_t layers = s->tree.layers, arity = s->tree.arity;
	uint32_t uplinks = s->tree.uplinks ? s->tree.uplinks : arity;
	if (uplinks > arity || (layers == 1 && uplinks != arity))
		return drb_config_bad(path, "fabric.uplinks",
				      "a switch of layer 1 of F(%u,%u) has %s", layers, arity,
				      layers == 1 ? "none" : "at most as many as down-ports");
	if (drb_tree_init_uplinks(&s->tree, layers, arity, uplinks) < 0)
		return drb_config_bad(path, "fabric.layers", "F(%u,%u) has more than %u hosts",
				      layers, arity, DRB_HOSTS_MAX);
	s->addr.hosts = s->tree.hosts;
	if (!drb_addr_fits(&s->addr))
		return drb_config_bad(path, "fabric.layers",
				      "F(%u,%u) has %u hosts, more than the address prefixes hold",
				      layers, arity, s->tree.hosts);
	return 0;
}

// Checks the switch's layer and label. -1: neither the file nor the command line has it.
static int check_position(const char *path, const struct drb_tree *tree, int64_t layer,
			  int64_t label)
{
	if (layer < 0 || label < 0)
		return drb_config_bad(path, "switch",
				      "key is missing (or give --layer and --label)");
	if (layer < 1 || layer > tree->layers)
		return drb_config_bad(path, "switch.layer", "%lld is not in 1..%u",
				      (long long)layer, tree->layers);
	uint32_t switches = drb_tree_switches(tree, (uint32_t)layer);
	if (label >= switches)
		return drb_config_bad(path, "switch.label",
				      "%lld is not in 0..%u, the switches of layer %u of F(%u,%u)",
				      (long long)label, switches - 1, (uint32_t)layer, tree->layers,
				      tree->arity);
	return 0;
}

static int resolve_switch(const char *path, const struct drb_config_override *over,
			  struct drb_setup *s)
{
	int64_t layer = -1, label = -1;

	if (drb_config_read(path, DRB_SECTION_SWITCH, s) < 0)
		return -EINVAL;
	if (drb_config_has(DRB_SECTION_SWITCH)) {
		layer = s->layer;
		label = s->label;
	}
	if (over && over->layer >= 0)
		layer = over->layer;
	if (over && over->label >= 0)
		label = over->label;
	if (check_position(path, &s->tree, layer, label) < 0)
		return -EINVAL;
	s->layer = (uint32_t)layer;
	s->label = (uint32_t)label;
	s->hop = drb_hop_at(&s->tree, s->layer, s->label);
	s->down_ports = drb_tree_down_ports(&s->tree, s->layer);
	s->up_ports = drb_tree_up_ports(&s->tree, s->layer);
	drb_node_name(s->name, s->layer, s->label);
	drb_instance_name(s->instance, s->fabric, s->layer, s->label);
	return 0;
}

// Call once the ports are known.
static int resolve_routing(const char *path, struct drb_setup *s)
{
	const struct drb_scheme_ops *ops = s->scheme.ops;

	if (drb_scheme_ops_packets_only(ops) && s->unit != DRB_UNIT_PACKET)
		return drb_config_bad(path, "routing.unit",
				      "\"%s\": scheme %s decides on packets only",
				      drb_unit_name(s->unit), ops->name);
	if (ops->mark_bits > 0 && s->check_source == DRB_CHECK_SOURCE_OFF)
		return drb_config_bad(path, "routing.check_source",
				      "off: scheme %s marks packets in their source MAC, so "
				      "sources must be known",
				      ops->name);
	// Settings of the scheme override those for all schemes.
	if (!isnan(s->scheme.choices))
		s->choice.choices = (uint32_t)s->scheme.choices;
	if (!isnan(s->scheme.threshold)) {
		s->threshold = s->scheme.threshold;
		s->threshold_auto = false;
	}
	s->choice.ops = ops;
	s->choice.uplinks = s->up_ports;
	s->choice.margin = drb_margin(s->threshold);
	s->choice.salt = drb_salt(s->seed, s->layer, s->label);
	return 0;
}

// Call once the document has been checked.
static int resolve(const char *path, const struct drb_config_override *override,
		   struct drb_setup *s)
{
	memset(s, 0, sizeof(*s));
	if (resolve_fabric(path, s) < 0 || resolve_switch(path, override, s) < 0 ||
	    drb_config_read(path, DRB_SECTION_ROUTING, s) < 0 ||
	    drb_config_read(path, DRB_SECTION_PROCESS, s) < 0 || drb_config_ports(path, s) < 0 ||
	    (override && override->settings && drb_settings_apply(override->settings, s) < 0) ||
	    resolve_routing(path, s) < 0)
		return -EINVAL;
	return 0;
}

static int setup_load(const char *path, struct drb_config_text text,
		      const struct drb_config_override *override, struct drb_setup *setup)
{
	if (drb_document_load(path, text) < 0 || drb_config_check(path) < 0)
		return -EINVAL;
	return resolve(path, override, setup);
}

int drb_config_load(const char *path, const struct drb_config_override *override,
		    struct drb_setup *setup)
{
	struct drb_config_text text;

	if (drb_config_text_read(path, override ? override->fd : NULL, &text) < 0)
		return -EINVAL;
	return setup_load(path, text, override, setup);
}

int drb_config_load_text(const char *path, const char *from, size_t length, struct drb_setup *setup)
{
	struct drb_config_text text;

	if (drb_config_text_take(path, from, length, &text) < 0)
		return -EINVAL;
	return setup_load(path, text, NULL, setup);
}
