// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// drbctl show: one function for each view, which adds the rows of one switch to the table.

#include "ctl/ctl.h"

struct view;

struct show {
	struct ctl ctl;
	const struct view *view;
	struct drb_table *rows;
	// Sums over all switches: dropped packets, and multicast among them that no switch answers.
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
// Reads only all->info and all->memory.
void ctl_show_memory(const struct drb_switch_all *all, struct show *s);
// Reads only all->info, which a switch that is starting has, too.
void ctl_show_info(const struct drb_switch_all *all, struct show *s);

// Each adds a cell. The meaning is printed for a single switch. Tables have short titles for some
// keys. NULL or an unknown value leaves the cell empty.
void ctl_show_text(struct show *s, const char *key, const char *meaning, const char *value);
void ctl_show_count(struct show *s, const char *key, const char *meaning, uint64_t value);
void ctl_show_loss(struct show *s, const char *key, const char *meaning, uint64_t value);
void ctl_show_real(struct show *s, const char *key, const char *meaning, int decimals,
		   double value);
// Begins a row with the cells that identify the switch.
void ctl_show_begin_row(struct show *s, const struct drb_switch_all *all);
