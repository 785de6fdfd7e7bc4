// SPDX-License-Identifier: BSD-3-Clause
#include "sim/points/transfer_options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/cli/quantity.h"

#include "sim/flows/list.h"
#include "sim/models/packet.h"

#include "drb/threshold.h"

static const char *const hosts_names[] = {[DRB_HOSTS_FLOW] = "flow",
					  [DRB_HOSTS_SPRAY] = "spray",
					  [DRB_HOSTS_REPS] = "reps",
					  [DRB_HOSTS_ETHEREAL] = "ethereal"};

static void parse_gray(const struct drb_option *o, const char *text, void *into)
{
	struct drb_gray *gray = into;

	sim_parse_links(o, text, &gray->links, &gray->slot);
}

static void parse_mark(const struct drb_option *o, const char *text, void *into)
{
	struct sim_transfers *v = into;
	struct drb_reals packets;

	if (drb_parse_reals(text, o->least, o->most, &packets) < 0 || packets.count > 2 ||
	    packets.value[0] != floor(packets.value[0]) ||
	    packets.value[packets.count - 1] != floor(packets.value[packets.count - 1]) ||
	    packets.value[packets.count - 1] < packets.value[0])
		drb_die("%s %s: must be packets, or two numbers that do not fall, such as 16,64",
			o->name, text);
	v->mark.least = (uint32_t)packets.value[0];
	v->mark.most = (uint32_t)packets.value[packets.count - 1];
	free(packets.value);
}

int sim_take_speeds(struct sim_transfers *t, const double speed[], uint32_t layers)
{
	double most = 0;

	t->speeds = layers;
	for (uint32_t m = 1; m <= layers; m++)
		most = fmax(most, speed[m]);
	for (uint32_t m = 1; m <= layers; m++) {
		const double slots = round(most / speed[m]);
		if (fabs(slots * speed[m] / most - 1) > 1e-6 || slots > DRB_SLOW_MAX)
			return -EINVAL;
		t->pace.of[m] = (uint32_t)slots;
	}
	return 0;
}

double sim_transfers_uplink_load(const struct sim_transfers *t, double load)
{
	const double equal = sim_uplink_load(&t->fabric, load);
	uint32_t most = 1;

	for (uint32_t m = 2; m <= t->fabric.tree.layers; m++)
		most = drb_pace_of(&t->pace, m) > most ? drb_pace_of(&t->pace, m) : most;
	const double uplinks = equal * most / drb_pace_of(&t->pace, 1);
	if (uplinks < 1)
		return uplinks;
	if (isnan(sim_fixed_threshold(&t->fabric)) && isnan(t->fabric.threshold.load) &&
	    drb_scheme_has_threshold(t->fabric.scheme))
		drb_die("--load %g: more than links between switches of this --speed carry, for "
			"which the paper has no T: take a --threshold",
			load);
	return 0;
}

static void parse_speed(const struct drb_option *o, const char *text, void *into)
{
	double speed[DRB_LAYERS_MAX + 1];
	struct drb_reals given;

	if (drb_parse_reals(text, o->least, o->most, &given) < 0 || given.count > DRB_LAYERS_MAX)
		drb_die("%s %s: must be a number above 0 for each layer, such as 1,2,4", o->name,
			text);
	for (uint32_t m = 1; m <= given.count; m++)
		speed[m] = given.value[m - 1];
	if (sim_take_speeds(into, speed, (uint32_t)given.count) < 0)
		drb_die("%s %s: the fastest must be a whole multiple, up to %d, of each, such as "
			"1,2,4",
			o->name, text, DRB_SLOW_MAX);
	free(given.value);
}

#define AT(field) offsetof(struct sim_transfers, field)

const struct drb_option sim_transfer_options[] = {
	{"--unit", SIM_UNITS, "What a decision holds for", .kind = DRB_OPTION_WORD, AT(unit),
	 .initial = "packet"},
	{"--gap", "SLOTS", "A longer pause of a flow ends its flowlet", .kind = DRB_OPTION_U32,
	 AT(gap), 0, 1e6, .initial = "20", .unit = "slots"},
	{"--queue", "PACKETS",
	 "Most packets of a queue, which drops further ones (default: no limit; with uec the "
	 "bandwidth-delay product)",
	 .kind = DRB_OPTION_U32, AT(queue), 1, 1e8, .unit = "packets"},
	{"--trim", NULL,
	 "Of packets that find a queue full, the header goes on at once, and the sender sends them "
	 "again",
	 .kind = DRB_OPTION_FLAG, AT(trim)},
	{"--source", SIM_SOURCES,
	 "How hosts send: open, as fast as their link; window, as DCTCP, which takes "
	 "reordering for a loss; spray, as DCTCP that does not; uec, as Ultra Ethernet, with "
	 "--trim",
	 .kind = DRB_OPTION_WORD, AT(source), .initial = "open"},
	{"--hosts", SIM_HOSTS,
	 "Entropy of packets, for schemes that hash flows: the flow's, a new one each, "
	 "or as REPS; ethereal splits transfers of jobs and lists over all paths",
	 .kind = DRB_OPTION_WORD, AT(hosts), .initial = "flow"},
	{"--gray", "link:N:K",
	 "N random links between switches lose all packets from slot K on, in both directions, and "
	 "no switch knows",
	 .kind = DRB_OPTION_OTHER, AT(gray), 0, UINT32_MAX, parse_gray},
	{"--speed", "LIST",
	 "Speeds of links relative to each other, layer by layer from those of hosts on, such as "
	 "1,2,4; a slot is the time of a packet on the fastest",
	 .kind = DRB_OPTION_OTHER, 0, 1e-6, 1e9, parse_speed},
	{"--mark", "PACKETS[,MOST]",
	 "ECN: mark packets that join a queue of at least so many (default 20); with uec, that "
	 "leave one longer than PACKETS behind, all from MOST on (default 0.2 and 0.8 of the "
	 "bandwidth-delay product)",
	 .kind = DRB_OPTION_OTHER, 0, 1, 1e8, parse_mark, .unit = "packets"},
	{"--entropies", "N",
	 "Entropies of a transfer whose hosts spread packets, a power of two (default 65536; with "
	 "uec 64)",
	 .kind = DRB_OPTION_U32, AT(entropies), 1, 65536},
	{"--packet", "BYTES",
	 "Bytes of data of a packet, for uec and lists in bytes (default 4096); with --slot",
	 .kind = DRB_OPTION_REAL, AT(units.payload), 1, 1e6, .unit = "bytes"},
	{"--slot", "NS",
	 "Nanoseconds of a slot, for the same (default 81.92: 4096 bytes at 400 Gbit/s; uec adds "
	 "64 bytes of header: 83.2)",
	 .kind = DRB_OPTION_REAL, AT(units.slot_ns), 0.001, 1e9, .unit = "ns"},
	{"--nic", "GBIT",
	 "Rate that interfaces of hosts send at and uec counts with (default: that of links)",
	 .kind = DRB_OPTION_REAL, AT(units.nic), 0.001, 1e6, .unit = "Gbit/s"},
	{"--timeout", "SLOTS",
	 "Retransmit after so long without a reply, also in a handshake (default 1000; with uec by "
	 "formula)",
	 .kind = DRB_OPTION_U32, AT(timeout), 10, 1e8, .unit = "slots"},
	{"--timer-each", NULL, "Each packet has a timeout of its own", .kind = DRB_OPTION_FLAG,
	 AT(timer_each)},
	{"--ack", "SLOTS",
	 "Slots that an acknowledgement takes per link, up to 1; with uec always what 64 bytes "
	 "take",
	 .kind = DRB_OPTION_REAL, AT(ack), 0, 1, .initial = "1", .unit = "slots"},
	{"--ack-room", "SHARE",
	 "Acknowledgements and handshakes wait in queues and take this share of a slot on every "
	 "link, up to 1; 0: neither",
	 .kind = DRB_OPTION_REAL, AT(ack_room), 0, 1, .initial = "0", .unit = "slots"},
	{"--handshake", NULL,
	 "Transfers begin like TCP: a SYN, a reply, then data. Both take as long on a link as "
	 "acknowledgements, and the same share of slots",
	 .kind = DRB_OPTION_FLAG, AT(handshake)},
	{"--links", NULL, "Also each link over the whole run, longest queues first",
	 .kind = DRB_OPTION_FLAG, AT(list_links)},
	{0},
};

const struct drb_option sim_longest_option[] = {
	{"--longest", "SLOTS", "End a run after SLOTS in any case", .kind = DRB_OPTION_U32,
	 AT(longest), 1, 1e9, .initial = "10000000", .unit = "slots"},
	{0},
};

const struct drb_option sim_alone_option[] = {
	{"--alone", "open|same",
	 "Slowdowns compare with the transfer alone: with an open source, or with the same source",
	 .kind = DRB_OPTION_WORD, AT(alone), .initial = "open"},
	{0},
};

static struct drb_fault_list faults_of(const struct sim_transfers *t)
{
	struct drb_fault_list faults = t->links.faults;

	faults.gray = t->gray;
	return faults;
}

bool sim_transfers_list_links(const void *transfers)
{
	return ((const struct sim_transfers *)transfers)->list_links;
}

struct drb_transfers_setup sim_transfers_setup(const struct sim_transfers *t, uint64_t memory,
					       struct drb_link_table *links)
{
	return (struct drb_transfers_setup){.tree = t->fabric.tree,
					    .scheme = t->fabric.scheme,
					    .choices = sim_choices_of(&t->fabric),
					    .threshold = t->threshold,
					    .unit = t->unit,
					    .gap = t->gap,
					    .queue = t->queue,
					    .trim = t->trim,
					    .source = t->source,
					    .hosts = t->hosts,
					    .mark = t->mark.least,
					    .mark_most = t->mark.most,
					    .entropies = t->entropies,
					    .units = t->units,
					    .timeout = t->timeout,
					    .timer_each = t->timer_each,
					    .ack_hop = t->source == DRB_SIM_UEC ? NAN : t->ack,
					    .ack_room = t->ack_room,
					    .handshake = t->handshake,
					    .fail = t->links.fail,
					    .faults = faults_of(t),
					    .slow = t->links.slow,
					    .delay = t->links.delay,
					    .pace = t->pace,
					    .seed = t->seed,
					    .links = t->list_links ? links : NULL,
					    .memory = memory};
}

// Refuses rules of hosts that have no effect. They have none if packets keep their paths, no switch
// reads entropies, or hosts receive no answers.
static void check_hosts(const struct sim_transfers *t, bool listed)
{
	const char *name = hosts_names[t->hosts];

	if (t->unit != DRB_SIM_PACKET)
		drb_die("--hosts %s: packets of a flow keep its way: take --unit packet", name);
	if (t->hosts == DRB_HOSTS_ETHEREAL && !listed)
		drb_die("--hosts %s: hosts must know all that they will send: take drbsim job or "
			"drbsim replay",
			name);
	if (t->hosts == DRB_HOSTS_ETHEREAL && sim_may_break(&t->links))
		drb_die("--hosts %s: hosts know of no dead links: leave out --fail, and cut and "
			"kill "
			"of --faults",
			name);
	if (t->hosts == DRB_HOSTS_REPS && t->source == DRB_SIM_OPEN)
		drb_die("--hosts %s: open sources hear nothing: take --source spray", name);
	if (!drb_scheme_has(t->fabric.scheme, DRB_READS_FLOW))
		drb_die("--hosts %s: scheme %s does not hash flows: take --scheme ecmp", name,
			drb_scheme_name(t->fabric.scheme));
}

// Warns if the timeout is so short that packets are sent again although they are not lost. Warns
// once for points that differ only in their schemes.
static void check_timeout(const struct sim_transfers *t)
{
	static uint64_t warned;
	struct drb_transfers_setup s = sim_transfers_setup(t, 0, NULL);
	drb_transfers_set_defaults(&s);
	const struct drb_transfer far = {.dest = t->fabric.tree.hosts - 1, .size = 1};
	const uint64_t round = drb_transfer_alone(&s, &far) + drb_transfer_answer(&s, &far);

	if ((t->source == DRB_SIM_OPEN && !t->handshake) || round <= s.timeout ||
	    warned == round + s.timeout)
		return;
	warned = round + s.timeout;
	drb_warn(
		"--timeout %u: packets are sent again before a reply can come, which takes %" PRIu64
		" slots: take --timeout %" PRIu64,
		s.timeout, round, 2 * round);
}

static void check_speeds(const struct sim_transfers *t)
{
	const struct drb_tree *tree = &t->fabric.tree;

	if (t->speeds && t->speeds != tree->layers)
		drb_die("--speed: must be %u numbers, for the layers of F(%u,%u)", tree->layers,
			tree->layers, tree->arity);
	if (drb_pace_most(&t->pace, tree->layers) > 1 &&
	    (t->links.slow.links || drb_faults_pace(&t->links.faults) || t->handshake ||
	     t->ack_room > 0))
		drb_die("--speed: not together with other slow links, nor with small frames that "
			"take their part of a slot: leave out --slow, slow of --faults, "
			"--handshake and --ack-room");
}

void sim_transfers_check(struct sim_transfers *t, bool listed)
{
	sim_fabric_check(&t->fabric);
	sim_links_check(&t->links, &t->fabric.tree);
	sim_faults_check(&t->links, &t->fabric.tree, drb_uec_units(&t->units).slot_ns, 0);
	check_speeds(t);
	check_timeout(t);
	sim_links_fit("--gray", t->gray.links, &t->fabric.tree);
	if ((t->gray.links || t->links.faults.count) && (t->handshake || t->ack_room > 0))
		drb_die("%s: such links lose packets, not handshakes or acknowledgements: "
			"leave out --handshake and --ack-room",
			t->gray.links ? "--gray" : "--faults");
	if ((t->units.payload > 0) != (t->units.slot_ns > 0))
		drb_die("--packet and --slot: together they are the rate of links: give both or "
			"neither");
	if (t->units.nic > 0 && t->source != DRB_SIM_UEC)
		drb_die("--nic: only uec knows it, other sources send as fast as their link: take "
			"--source uec");
	if (t->entropies & (t->entropies - 1))
		drb_die("--entropies %u: must be a power of two, such as 64", t->entropies);
	if (t->source == DRB_SIM_UEC && (t->handshake || t->ack_room > 0))
		drb_die("--source uec: its acknowledgements pass all data, and it begins without a "
			"handshake: leave out --handshake and --ack-room");
	if (t->trim && t->source != DRB_SIM_UEC && (t->queue == 0 || t->source == DRB_SIM_OPEN))
		drb_die("--trim: %s", t->source == DRB_SIM_OPEN
					      ? "open sources hear nothing: take --source spray"
					      : "queues have no limit: take --queue");
	if (sim_is_broken(&t->links) &&
	    (t->unit != DRB_SIM_PACKET || t->handshake || t->ack_room > 0))
		drb_die("--fail: with packets that are decided one by one: leave out --unit, "
			"--handshake and --ack-room");
	if (drb_faults_cut(&t->links.faults) && t->unit != DRB_SIM_PACKET)
		drb_die("--faults: cut and kill need packets that are decided one by one: leave "
			"out --unit");
	if (t->hosts != DRB_HOSTS_FLOW)
		check_hosts(t, listed);
	if (t->unit != DRB_SIM_PACKET)
		sim_flow_scheme_check(&t->fabric, "take --unit packet");
}

double sim_transfers_threshold(const struct sim_transfers *t, double load, double flows)
{
	const double fixed = sim_fixed_threshold(&t->fabric);
	const double asked = t->fabric.threshold.load;

	if (!isnan(fixed))
		return fixed;
	if (t->unit == DRB_SIM_FLOW)
		return drb_threshold_flow(isnan(asked) ? flows : asked, t->fabric.tree.hosts);
	return sim_packet_threshold(&t->fabric, load);
}

uint64_t sim_transfers_bytes(const void *transfers)
{
	const struct sim_transfers *t = transfers;
	const struct drb_packet_setup packet = {.tree = t->fabric.tree,
						.slots = 1,
						.stats = 1,
						.slow = t->links.slow,
						.faults = faults_of(t),
						.links = t->list_links,
						.delay = t->links.delay,
						.pace = t->pace};

	return drb_packet_bytes(&packet);
}

void sim_transfers_explain(int rc, struct sim_outcome *out)
{
	snprintf(out->error, sizeof(out->error), "cannot simulate it: %s",
		 rc == -E2BIG       ? drb_list_wrong(rc)
		 : rc == -EOVERFLOW ? DRB_TRANSFERS_CROWDED
				    : strerror(-rc));
}

double sim_shown_threshold(const struct sim_transfers *t)
{
	return drb_scheme_has_threshold(t->fabric.scheme) ? t->threshold : NAN;
}

bool sim_transfers_may_lose(const void *transfers)
{
	const struct sim_transfers *t = transfers;

	return t->links.faults.count > 0 || t->gray.links > 0;
}

bool sim_transfers_take(void *transfers)
{
	const struct sim_transfers *t = transfers;

	return t->unit == DRB_SIM_PACKET || !drb_scheme_packets_only(t->fabric.scheme);
}
