// SPDX-License-Identifier: BSD-3-Clause
// drbctl check: checks that no packet appears or vanishes inside a switch. In one snapshot, summed
// over all ports,
//   in + too_big_replies = out + in_discards + out_discards + queued
//   in_discards + out_discards = sum of the drop reasons

#include "ctl/verbs.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "common/cli/log.h"

#include "ctl/ctl.h"

struct check {
	struct ctl ctl;
	struct drb_table *rows;
	bool violated;
};

static struct drb_port_counters sum_of(const struct drb_switch_all *all)
{
	struct drb_port_counters sum;

	memset(&sum, all->port_count ? 0 : 0xff, sizeof(sum)); // DRB_UNKNOWN without ports
	for (uint32_t i = 0; i < all->port_count; i++) {
#define X(key, meaning) sum.key = drb_sum(sum.key, all->ports[i].count.key);
		DRB_PORT_COUNTERS(X)
#undef X
	}
	return sum;
}

// The packets that a switch reports. known: the switch reports all that the check needs.
struct balance {
	struct drb_port_counters sum;
	uint64_t dropped, reasons;
	int64_t missing; // packets that vanished; negative: that appeared
	bool known;
};

static struct balance balance_of(const struct drb_switch_all *all)
{
	struct balance b = {.sum = sum_of(all), .reasons = all->drops.sum};

	b.dropped = drb_sum(b.sum.in_discards, b.sum.out_discards);
	const uint64_t came = drb_sum(b.sum.in_packets, all->routing.count.too_big_replies);
	const uint64_t gone = drb_sum(drb_sum(b.sum.out_packets, b.dropped), b.sum.queue_packets);
	b.known = came != DRB_UNKNOWN && gone != DRB_UNKNOWN && b.reasons != DRB_UNKNOWN;
	b.missing = (int64_t)(came - gone);
	return b;
}

static void say_violations(const struct drb_switch_info *info, const struct balance *b)
{
	if (!b->known) {
		drb_error("%s: version %s does not report all that this check, of " DRB_VERSION
			  ", needs",
			  info->name, info->version);
		return;
	}
	if (b->missing != 0)
		drb_error("%s: %" PRId64 " packets %s", info->name,
			  b->missing < 0 ? -b->missing : b->missing,
			  b->missing < 0 ? "came from nowhere" : "are gone without a reason");
	if (b->dropped != b->reasons)
		drb_error("%s: reasons are counted for %" PRIu64 " of %" PRIu64 " dropped packets",
			  info->name, b->reasons, b->dropped);
}

static int check_one(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct check *c = arg;
	struct drb_switch_all all;
	int rc = drb_read_all(t, &all);

	if (rc < 0)
		return rc;
	const struct balance b = balance_of(&all);
	const bool conserved = b.known && b.missing == 0 && b.dropped == b.reasons;
	drb_switch_all_free(&all);

	drb_table_text(c->rows, "fabric", c->ctl.fabric ? "" : NULL, info->fabric);
	drb_table_text(c->rows, "switch", NULL, info->name);
	if (b.known)
		drb_table_flag(c->rows, "conserved", NULL, conserved);
	else
		drb_table_text(c->rows, "conserved", NULL, NULL);
	drb_table_count(c->rows, "in_packets", "in pkts", b.sum.in_packets);
	drb_table_count(c->rows, "out_packets", "out pkts", b.sum.out_packets);
	drb_table_count(c->rows, "in_discards", "in drops", b.sum.in_discards);
	drb_table_count(c->rows, "out_discards", "out drops", b.sum.out_discards);
	drb_table_count(c->rows, "queue_packets", "queue pkts", b.sum.queue_packets);
	if (b.known)
		drb_table_integer(c->rows, "missing_packets", "missing pkts", b.missing);
	else
		drb_table_count(c->rows, "missing_packets", "missing pkts", DRB_UNKNOWN);
	drb_table_row_end(c->rows);
	say_violations(info, &b);
	c->violated |= !conserved;
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
