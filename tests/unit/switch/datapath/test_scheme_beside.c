// SPDX-License-Identifier: BSD-3-Clause
// Scheme walk in the forwarding path of a switch whose usable uplinks are all long.
#include "fixtures/unit.h"

#include "fixtures/walk_state.h"
#include "switch/control/reconfigure.h"
#include "fixtures/forward_switch.h"

// Beside a dead uplink this is evidence, with which the switch marks the packets that it sends down
// (test_scheme_state).
TEST(a_full_switch_beside_a_dead_uplink_has_evidence)
{
	for (uint32_t dead = 0; dead <= 1; dead++) {
		uint8_t frame[60];
		begin("fabric: {layers: 3, arity: 4}\nswitch: {layer: 2, label: 0}\n"
		      "link: {driver: none, rate: 500pps}\nrouting: {scheme: walk}\n",
		      512);
		drb_links_publish(&w.shared.links, &(struct drb_links){.dead = dead << 5});
		drb_hellos_read_links(&w);
		for (uint32_t n = 0; n < 400; n++) {
			if (n >= 200 && n % 50 == 0)
				w.egress.now_ns += 2 * DRB_SPREAD_WINDOW * UINT64_C(2000000);
			make_frame(frame, sizeof(frame), 1, 64 + n % 64);
			struct rte_mbuf *m = mbuf_of(frame, sizeof(frame));
			drb_forward_burst(&w, 0, &m, 1);
		}
		assert_int_equal(spread_of(w.decide.scheme_state.state)->evidence &
					 DRB_SPREAD_BY_QUEUES,
				 dead ? DRB_SPREAD_BY_QUEUES : 0);
		empty_queues();
		end();
	}
}

TEST_MAIN(setup_eal, free_eal)
