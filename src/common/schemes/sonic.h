// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The settings of scheme ars on switch chips, for links of a given rate. The initial values are
// those of SAI (saiars.h, saiarsprofile.h), whose times are in microseconds and whose loads are in
// Mbit/s and bytes. The tables of a SONiC config_db.json change them (SONiC, Adaptive Routing and
// Switching HLD).
//
//   table                              field                        parameter of ars
//   ARS_PROFILE                        sampling_interval (us)       sampling_interval
//                                      past_load_min_value, _max_   load_past_min_val, _max_val
//                                      future_load_min_value, _max_ load_future_min_val, _max_val
//   ARS_NEXTHOP_GROUP, ARS_OBJECT      assign_mode                  idle_time 0, or above
//                                      flowlet_idle_time (us)       idle_time
//                                      max_flows                    max_flows
//   ARS_INTERFACES, ARS_INTERFACE      (ports that take part)       the rate of the links is the
//                                                                   `speed` of these ports in PORT
// Other fields of these tables have no effect; a warning names them.

#include "common/schemes/load.h"

struct drb_ars_links {
	double gbit;  // rate of a link, Gbit/s; 0: unknown
	double bytes; // size of a packet
};

// Sets the initial values of SAI. Returns 0, or -EINVAL with the reason in why if a time is out of
// range at this rate.
int drb_ars_take_sai(struct drb_scheme_variant *v, const struct drb_ars_links *links,
		     char why[DRB_SCHEME_WHY]);
// Sets the initial values, then those of a config_db.json. If the rate of the links is unknown, it
// is that of the file's ports.
int drb_ars_take_config(struct drb_scheme_variant *v, const char *path,
			const struct drb_ars_links *links, char why[DRB_SCHEME_WHY]);
