// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options that models of transfers share.

#include "sim/flows/transfers.h"
#include "sim/points/fabric_options.h"

// The beginning of each point of these models.
struct sim_transfers {
	struct sim_fabric fabric; // must be first
	struct sim_links links;
	enum drb_sim_unit unit;
	enum drb_sim_source source;
	enum drb_sim_hosts hosts;
	struct drb_gray gray;
	struct drb_paces pace;
	uint32_t speeds; // number of speeds given: one for each layer; 0: none
	uint32_t gap, queue, timeout, entropies; // the last three: 0 is the default of the source
	struct {
		uint32_t least, most;
	} mark;
	struct drb_uec_units units;
	double ack, ack_room;
	uint32_t longest; // slots of a list
	enum sim_alone { SIM_ALONE_OPEN, SIM_ALONE_SAME } alone;
	bool handshake, trim, timer_each, list_links;
	uint64_t seed;
	double threshold; // set by the caller after the check
};

extern const struct drb_option sim_transfer_options[];
extern const struct drb_option sim_longest_option[]; // for models that play lists
extern const struct drb_option sim_alone_option[];   // for models with slowdowns of transfers

// clang-format off
#define SIM_TRANSFER_SETS(type, member)                                                            \
	{sim_fabric_options, offsetof(type, member.fabric)},                                       \
	{sim_transfer_options, offsetof(type, member)},                                            \
	{sim_links_options, offsetof(type, member.links)},                                         \
	{sim_seed_option, offsetof(type, member.seed)}

#define SIM_UNITS "packet|flow|flowlet"
#define SIM_SOURCES "open|window|spray|uec"
#define SIM_HOSTS "flow|spray|reps|ethereal"

// Columns at the end of a row about transfers.
#define SIM_TRANSFER_COLUMNS                                                                       \
	{"unit", SIM_WORD, .at = offsetof(struct sim_transfers, unit), .words = SIM_UNITS,         \
	 .of_point = true},                                                                        \
	{"source", SIM_WORD, .at = offsetof(struct sim_transfers, source), .words = SIM_SOURCES,   \
	 .of_point = true},                                                                        \
	{"hosts", SIM_WORD, .at = offsetof(struct sim_transfers, hosts), .words = SIM_HOSTS,       \
	 .of_point = true},                                                                        \
	{"seed", SIM_WHOLE, .at = offsetof(struct sim_transfers, seed), .of_point = true},         \
	SIM_FABRIC_COLUMNS
// clang-format on

// For a message about transfers. Its argument is the slot at which a run ends in any case.
#define SIM_NEVER_ARRIVED                                                                          \
	"did not arrive: packets of them were dropped, they have no path, what they wait for did " \
	"not come, or the run ended at --longest %u"

// Errors end the process with a line that begins with the option. listed: hosts know all that
// they send.
void sim_transfers_check(struct sim_transfers *t, bool listed);
// Sets size, delays and rate of the fabric by a topology file, before the point is checked.
void sim_take_topo(struct sim_transfers *t, const char *path);
// Sets the slots of a packet in each layer by speed[layer], the speeds of links. 0, or -EINVAL: the
// fastest speed is no whole multiple of another speed.
int sim_take_speeds(struct sim_transfers *t, const double speed[], uint32_t layers);
// sim_uplink_load() for the slowest links between switches, if hosts send at this load.
double sim_transfers_uplink_load(const struct sim_transfers *t, double load);
// The T that the user asked for, or the paper's: for packets if uplinks have this load, for flows
// if an uplink carries `flows` of them.
double sim_transfers_threshold(const struct sim_transfers *t, double load, double flows);
// `links` gets the figures of links if --links asks for them.
struct drb_transfers_setup sim_transfers_setup(const struct sim_transfers *t, uint64_t memory,
					       struct drb_link_table *links);
uint64_t sim_transfers_bytes(const void *transfers);
// Fills in the error of a run that failed with the negative errno rc.
void sim_transfers_explain(int rc, struct sim_outcome *outcome);
// NaN: the scheme has none.
double sim_shown_threshold(const struct sim_transfers *t);
// True if the scheme of the point is possible with its unit.
bool sim_transfers_take(void *transfers);
// True if --links asks for the figures of links.
bool sim_transfers_list_links(const void *transfers);
// True if faults in time may take packets of the point.
bool sim_transfers_may_lose(const void *transfers);
