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
	bool one_fabric, violated;
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
	int64_t missing; // packets that vanished; negative: packets that appeared
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

// For a switch that does not report, the figures are unknown.
static void check_one(struct check *c, const struct metrics_switch *s)
{
	struct balance b = {.known = false};
	bool conserved = false;

	if (s->error == 0) {
		b = balance_of(&s->all);
		conserved = b.known && b.missing == 0 && b.dropped == b.reasons;
		say_violations(&s->all.info, &b);
	} else {
		memset(&b.sum, 0xff, sizeof(b.sum)); // DRB_UNKNOWN
	}
	drb_table_text(c->rows, "fabric", c->one_fabric ? "" : NULL, s->fabric);
	drb_table_text(c->rows, "switch", NULL, s->name);
	drb_table_bad(c->rows, ctl_state_stands_out(s->state));
	drb_table_text(c->rows, "state", NULL, ctl_state_word(s->state));
	drb_table_bad(c->rows, b.known && !conserved);
	if (b.known)
		drb_table_flag(c->rows, "conserved", NULL, conserved);
	else
		drb_table_text(c->rows, "conserved", NULL, NULL);
	drb_table_count(c->rows, "in_packets", "in pkts", b.sum.in_packets);
	drb_table_count(c->rows, "out_packets", "out pkts", b.sum.out_packets);
	drb_table_count(c->rows, "in_discards", "in drops", b.sum.in_discards);
	drb_table_count(c->rows, "out_discards", "out drops", b.sum.out_discards);
	drb_table_count(c->rows, "queue_packets", "queue pkts", b.sum.queue_packets);
	drb_table_bad(c->rows, b.known && b.missing != 0);
	if (b.known)
		drb_table_integer(c->rows, "missing_packets", "missing pkts", b.missing);
	else
		drb_table_count(c->rows, "missing_packets", "missing pkts", DRB_UNKNOWN);
	drb_table_row_end(c->rows);
	c->violated |= s->error == 0 && !conserved;
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
		"switch, or every one of --fabric. Exit status 1 if a check fails, or a switch is "
		"stuck, hung, dead or unknown.",
		argc, argv);
	struct metrics_poller poller = ctl_poller(&c.ctl);
	struct metrics_poll poll;
	int code = ctl_poll(&c.ctl, &poller, &poll);
	c.one_fabric = metrics_is_one_fabric(&poll);
	c.rows = drb_table_new(stdout, c.ctl.format);
	for (size_t i = 0; i < poll.count; i++)
		check_one(&c, &poll.switches[i]);
	drb_table_end(c.rows);
	ctl_print_states(&c.ctl, &poll);
	metrics_poll_free(&poll);
	metrics_poller_close(&poller);
	return c.violated ? DRB_EXIT_FAILED : code;
}
