// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options of models that simulate a fabric: fat-tree, scheme, threshold and properties of links.

#include "core/fabric/tree.h"
#include "core/routing/choice.h"
#include "core/schemes/schemes.h"

#include "sim/engine/model.h"
#include "sim/models/delay.h"
#include "sim/models/faults.h"
#include "sim/models/slow.h"

// T as the user gives it: a number; "paper": the paper's T for the load of the point; "paper:0.8":
// the paper's T for this load.
struct sim_threshold {
	double fixed; // NaN: the paper's
	double load;  // NaN: that of the point
};

struct sim_fabric {
	uint32_t layers, arity;
	uint32_t uplinks; // per layer-1 switch; 0: as many as down-ports
	enum drb_scheme scheme;
	uint32_t choices;
	struct sim_threshold threshold;
	struct drb_tree tree; // valid after the check
};

struct sim_links {
	const char *fail_text;        // text from the user; NULL: not given
	struct drb_dead *known;       // owned, valid after the check
	struct drb_fail fail;         // valid after the check
	const char *faults_path;      // NULL: none
	struct drb_fault_list *file;  // shared; NULL: none
	struct drb_fault_list faults; // valid after the check
	uint32_t detect;              // slots + 1; 0: 100 us
	struct drb_slow slow;
	struct drb_delay delay;
	uint32_t delays; // number of delays given: 1 for all links, or one for each layer
};

extern const struct drb_option sim_fabric_options[], sim_links_options[], sim_seed_option[];

// These check options. Errors end the process with a line that begins with the option.
void sim_fabric_check(struct sim_fabric *fabric);
void sim_links_check(struct sim_links *links, const struct drb_tree *t);
// Sets the size of the fat-tree by the hosts that a list `name` needs, unless the user asked for a
// size. Ends the process if the fat-tree that the user asked for has fewer hosts.
void sim_fabric_take_hosts(struct sim_fabric *fabric, const char *name, uint32_t hosts);
void sim_fail_read(struct sim_links *links, const struct drb_tree *t);
// Reads the file of --faults. slot_ns: length of a slot; slots: length of the run. 0: unknown.
void sim_faults_check(struct sim_links *links, const struct drb_tree *t, double slot_ns,
		      uint32_t slots);
// Warns in the outcome of faults that come after a run of this length, unless it warns of something
// else.
void sim_faults_warn(const struct sim_links *links, uint64_t slots, struct sim_outcome *out);
// For flows: refuses schemes that route only packets, and names `cure` in the message.
void sim_flow_scheme_check(const struct sim_fabric *fabric, const char *cure);
// Checks that there are at least `links` links between switches.
void sim_links_fit(const char *option, uint32_t links, const struct drb_tree *t);
// Parses an option link:N:K, with K from `least` to `most`.
void sim_parse_links(const struct drb_option *o, const char *text, uint32_t *links, uint32_t *k);
// Checks that the share is above 0 and below 1.
void sim_share_check(const char *option, double share);
// Parses a threshold.
void sim_parse_threshold(const struct drb_option *o, const char *text, void *threshold);

// T and choices of the scheme, or else of the options. T is NaN if it is the paper's.
double sim_fixed_threshold(const struct sim_fabric *fabric);
uint32_t sim_choices_of(const struct sim_fabric *fabric);
// Returns the load of the uplinks if hosts send at this load. If uplinks cannot carry it, the paper
// has no T. Then this ends the process if T is needed, and otherwise returns 0.
double sim_uplink_load(const struct sim_fabric *fabric, double load);
// T for packets, if uplinks have this load.
double sim_packet_threshold(const struct sim_fabric *fabric, double uplinks);

void sim_links_release(struct sim_links *links);
// Names all that is dead with this seed: "s1-3.u0 s3-4". The caller frees the text. 0 or -ENOMEM.
int sim_failed_names(const struct sim_links *links, const struct drb_tree *t, uint64_t seed,
		     void **names);
// The same for slow links.
int sim_slow_names(const struct sim_links *links, const struct drb_tree *t, uint64_t seed,
		   void **names);
// sim_is_slow(): some links are slow. sim_is_broken(): something is dead from the beginning.
bool sim_is_slow(const struct sim_links *links);
bool sim_is_broken(const struct sim_links *links);
// True if something is dead from the beginning, or dies later.
bool sim_may_break(const struct sim_links *links);
bool sim_has_fewer_uplinks(const void *fabric);
uint32_t sim_layers_of(const void *fabric);

// Columns of packets that faults took, from a struct drb_lost in the row.
// clang-format off
#define SIM_LOST_COLUMNS(lost, is_faulty)                                                          \
	{"lost_no_way", SIM_WHOLE, .at = lost + offsetof(struct drb_lost, no_way),                 \
	 .combine = SIM_SUM, .unit = "packets", .help = "of the whole run, at switches without a way", \
	 .shown = is_faulty},                                                                      \
	{"lost_on_links", SIM_WHOLE, .at = lost + offsetof(struct drb_lost, on_links),             \
	 .combine = SIM_SUM, .unit = "packets", .help = "on links that were cut or gray",          \
	 .shown = is_faulty},                                                                      \
	{"lost_in_switches", SIM_WHOLE, .at = lost + offsetof(struct drb_lost, in_switches),       \
	 .combine = SIM_SUM, .unit = "packets", .help = "in switches that were killed or gray",    \
	 .shown = is_faulty}
// clang-format on

// The last columns of rows about a fabric. The point must begin with its struct sim_fabric.
// clang-format off
#define SIM_FABRIC_COLUMNS                                                                         \
	{"layers", SIM_U32, .at = offsetof(struct sim_fabric, layers), .of_point = true},                \
	{"arity", SIM_U32, .at = offsetof(struct sim_fabric, arity), .of_point = true},                  \
	{"uplinks", SIM_U32, .at = offsetof(struct sim_fabric, uplinks), .of_point = true,               \
	 .shown = sim_has_fewer_uplinks}
// clang-format on
