// SPDX-License-Identifier: BSD-3-Clause
// drbctl check: no packet appears or vanishes inside a switch. Summed over its ports, in one snapshot:
//   in + too_big_replies = out + in_discards + out_discards + queued
//   discards = sum of the drop reasons

#include "ctl/verbs.h"

#include <inttypes.h>
#include <stddef.h>

#include "common/cli/log.h"

#include "ctl/ctl.h"

struct check {
	struct ctl ctl;
	struct drb_table *rows;
	bool violated;
};

static struct drb_port_counters sum_of(const struct drb_switch_all *all)
{
	struct drb_port_counters sum = {0};

	for (uint32_t i = 0; i < all->port_count; i++) {
#define X(key, meaning) sum.key += all->ports[i].count.key;
		DRB_PORT_COUNTERS(X)
#undef X
	}
	return sum;
}

static int check_one(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct check *c = arg;
	struct drb_switch_all all;
	uint64_t reasons = 0;
	int rc = drb_read_all(t, &all);

	if (rc < 0)
		return rc;
	const struct drb_port_counters sum = sum_of(&all);
	for (int i = 0; i < DRB_DROP_COUNT; i++)
		reasons += all.drops.reason[i];
	const uint64_t dropped = sum.in_discards + sum.out_discards;
	// Packets that are gone; negative: that came from nowhere.
	const int64_t missing = (int64_t)(sum.in_packets + all.routing.count.too_big_replies -
					  sum.out_packets - dropped - sum.queue_packets);
	drb_switch_all_free(&all);

	drb_table_text(c->rows, "fabric", c->ctl.fabric ? "" : NULL, info->fabric);
	drb_table_text(c->rows, "switch", NULL, info->name);
	drb_table_flag(c->rows, "conserved", NULL, missing == 0 && dropped == reasons);
	drb_table_count(c->rows, "in_packets", "in pkts", sum.in_packets);
	drb_table_count(c->rows, "out_packets", "out pkts", sum.out_packets);
	drb_table_count(c->rows, "in_discards", "in drops", sum.in_discards);
	drb_table_count(c->rows, "out_discards", "out drops", sum.out_discards);
	drb_table_count(c->rows, "queue_packets", "queue pkts", sum.queue_packets);
	drb_table_integer(c->rows, "missing_packets", "missing pkts", missing);
	drb_table_row_end(c->rows);
	if (missing != 0)
		drb_error("%s: %" PRId64 " packets %s", info->name,
			  missing < 0 ? -missing : missing,
			  missing < 0 ? "came from nowhere" : "are gone without a reason");
	if (dropped != reasons)
		drb_error("%s: reasons are counted for %" PRIu64 " of %" PRIu64 " dropped packets",
			  info->name, reasons, dropped);
	c->violated |= missing != 0 || dropped != reasons;
	return 0;
}

int ctl_check(int argc, char **argv)
{
	static const struct drb_option options[] = {
		{NULL, "[SWITCH...]", NULL, .kind = DRB_OPTION_REST,
		 offsetof(struct check, ctl.names)},
		{0},
	};
	struct check c = {.ctl = ctl_defaults()};
	const struct drb_options sets[] = {{.option = options, &c}, CTL_TABLE_SETS(&c.ctl), {0}};

	drb_options_parse(
		sets,
		"Checks in a snapshot of every switch that packets in + created = packets out + "
		"dropped + queued, and that every drop has a reason. Without SWITCH: every "
		"running switch, or every one of --fabric. Exit status 1 if a check fails or a "
		"switch could not be read.",
		argc, argv);
	c.rows = drb_table_new(stdout, c.ctl.format);
	int code = ctl_each(&c.ctl, c.ctl.names.at, c.ctl.names.count, check_one, &c);
	drb_table_end(c.rows);
	return c.violated ? DRB_EXIT_FAILED : code;
}
