// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// drbctl show: one function for each of its views. A view fills rows with what it reads from a switch.

#include "ctl/ctl.h"

struct view;

struct show {
	struct ctl ctl;
	char **names;
	size_t count;
	bool all;
	const struct view *view;
	struct ctl_rows *rows;
	// Of all switches: what they dropped, and of that multicast that nobody waits for.
	uint64_t dropped, multicast;
};

// 0 or a negative errno.
typedef int (*ctl_show_view)(struct drb_telemetry *t, const struct drb_switch_info *info,
			     struct show *s);

int ctl_show_ports(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s);
int ctl_show_links(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s);
int ctl_show_xdp(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s);
int ctl_show_routing(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s);
int ctl_show_drops(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s);
int ctl_show_differences(struct drb_telemetry *t, const struct drb_switch_info *info,
			 struct show *s);
int ctl_show_worker(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s);
int ctl_show_info(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s);

// The title of a counter's column; NULL: its key. CSV and JSON have the key.
const char *ctl_show_title(const char *key);
// The cells that say which switch a row is of.
void ctl_show_begin_row(struct show *s, const struct drb_switch_info *info);
