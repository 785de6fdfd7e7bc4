// SPDX-License-Identifier: BSD-3-Clause
// The option --topo: a topology file of uet-htsim replaces options of the fat-tree and its links.
#include <errno.h>
#include <math.h>

#include "core/fabric/names.h"

#include "common/cli/file.h"
#include "common/cli/log.h"

#include "sim/flows/topo.h"
#include "sim/points/transfer_options.h"

void sim_take_topo(struct sim_transfers *base, const char *path)
{
	static double warned[DRB_LAYERS_MAX + 1]; // the latency of the last warning
	struct drb_topo topo;
	char why[DRB_TOPO_WHY_MAX];
	double fastest = 0;

	if (base->fabric.layers != DRB_LAYERS_DEFAULT || base->fabric.arity != DRB_ARITY_DEFAULT ||
	    base->fabric.uplinks || base->links.delays > 1 || base->links.delay.link[1] ||
	    base->units.slot_ns > 0 || base->speeds)
		drb_die("--topo %s: has the size of the fat-tree, delays and rates of links: leave "
			"out -l, -d, --uplinks, --delay, --slot and --speed",
			path);
	FILE *in = drb_file_read(path);
	if (!in)
		drb_die("--topo %s: %s", path, drb_file_error(errno));
	int rc = drb_topo_read(drb_file_name(path), in, &topo, why);
	fclose(in);
	if (rc < 0)
		drb_die("--topo %s", why);
	base->units.payload = drb_uec_units(&base->units).payload;
	for (uint32_t m = 1; m <= topo.layers; m++)
		fastest = fmax(fastest, topo.gbit[m]);
	if (sim_take_speeds(base, topo.gbit, topo.layers) < 0)
		drb_die("--topo %s: Downlink_speed_Gbps: the fastest must be a whole multiple, up "
			"to %d, of that of each tier",
			path, DRB_SLOW_MAX);
	base->units.slot_ns = drb_uec_slot_ns(base->units.payload, fastest);
	base->fabric.layers = topo.layers;
	base->fabric.arity = topo.arity;
	base->fabric.uplinks = topo.uplinks;
	base->links.delays = topo.layers;
	for (uint32_t m = 1; m <= topo.layers; m++) {
		const double slots = round(topo.latency_ns[m] / base->units.slot_ns);
		if (slots > DRB_DELAY_MAX)
			drb_die("--topo %s: links of layer %u take %.0f slots of %g ns: at most %d",
				path, m, slots, base->units.slot_ns, DRB_DELAY_MAX);
		if (fabs(slots * base->units.slot_ns - topo.latency_ns[m]) >
			    topo.latency_ns[m] / 10 &&
		    warned[m] != topo.latency_ns[m])
			drb_warn("--topo %s: links of layer %u take %g ns, and %.0f slots of %g ns "
				 "in this run",
				 path, m, topo.latency_ns[m], slots, base->units.slot_ns);
		warned[m] = topo.latency_ns[m];
		base->links.delay.link[m] = (uint32_t)slots;
	}
}
