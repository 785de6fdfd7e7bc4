// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// drbctl show: one function for each view. A view fills rows with what it reads from a switch.

#include "ctl/ctl.h"

struct view;

struct show {
	struct ctl ctl;
	const struct view *view;
	struct drb_table *rows;
	// Of all switches: what they dropped, and of that multicast that no switch answers.
	uint64_t dropped, multicast;
};

typedef void (*ctl_show_view)(const struct drb_switch_all *all, struct show *s);

void ctl_show_ports(const struct drb_switch_all *all, struct show *s);
void ctl_show_links(const struct drb_switch_all *all, struct show *s);
void ctl_show_xdp(const struct drb_switch_all *all, struct show *s);
void ctl_show_routing(const struct drb_switch_all *all, struct show *s);
void ctl_show_drops(const struct drb_switch_all *all, struct show *s);
void ctl_show_differences(const struct drb_switch_all *all, struct show *s);
void ctl_show_worker(const struct drb_switch_all *all, struct show *s);
// Of all there are info and memory.
void ctl_show_memory(const struct drb_switch_all *all, struct show *s);
// Of all there is the info alone, which a switch that starts has, too.
void ctl_show_info(const struct drb_switch_all *all, struct show *s);

// Cells with a meaning, which a single switch is shown with. Tables have short titles for some keys.
void ctl_show_text(struct show *s, const char *key, const char *meaning, const char *value);
void ctl_show_count(struct show *s, const char *key, const char *meaning, uint64_t value);
void ctl_show_loss(struct show *s, const char *key, const char *meaning, uint64_t value);
void ctl_show_real(struct show *s, const char *key, const char *meaning, int decimals,
		   double value);
// The cells that say which switch a row is of.
void ctl_show_begin_row(struct show *s, const struct drb_switch_all *all);
