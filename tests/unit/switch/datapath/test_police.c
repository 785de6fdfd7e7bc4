// SPDX-License-Identifier: BSD-3-Clause
// Packets of a host beyond the rate of its link are dropped, separately for each host; packets
// within the rate are not.
#include "fixtures/unit.h"

#include "fixtures/forward_switch.h"
#include "switch/datapath/police.h"

#define SWITCH "fabric: {layers: 3, arity: 2}\nswitch: {layer: 1, label: 0}\n"
#define MS UINT64_C(1000000)
#define BURST 64

// A host sends `count` frames to the other one; returns how many pass.
static uint32_t sends(uint32_t host, uint32_t count, uint32_t len)
{
	struct rte_mbuf *packets[BURST];
	uint8_t frame[1514];

	make_frame(frame, len, host, 1 - host);
	for (uint32_t i = 0; i < count; i++)
		packets[i] = mbuf_of(frame, len);
	uint32_t kept = drb_police(&w, host, packets, count);
	if (kept > 0)
		drb_forward_burst(&w, host, packets, kept);
	return kept;
}

TEST(bursts_and_rate)
{
	uint32_t kept = 0;

	begin(SWITCH "link: {driver: none, rate: 1kpps, host_burst: 10}\n", 4096);
	assert_int_equal(sends(0, BURST, 60), 10);
	assert_int_equal(w.drop[DRB_DROP_over_rate], BURST - 10);
	assert_int_equal(sends(0, BURST, 60), 0);
	assert_int_equal(sends(1, 10, 60), 10); // the other host has its own limit
	w.egress.now_ns += 5 * MS;
	assert_int_equal(sends(0, BURST, 60), 5);
	for (int i = 0; i < 10000; i++) {
		w.egress.now_ns += MS / 10;
		kept += sends(0, BURST, 60);
	}
	assert_int_equal(kept, 1000);
	w.egress.now_ns += 3600 * 1000 * MS; // rest earns at most one burst
	assert_int_equal(sends(0, BURST, 60), 10);
	conserved();
	end();
}

// No packet is dropped at the rate, however long it lasts. Rates in bit/s count bytes.
TEST(within_the_rate)
{
	begin(SWITCH "link: {driver: none, rate: 1Mbit, host_burst: 2}\n", 16000);
	for (int i = 0; i < 5000; i++) {
		w.egress.now_ns += 1000 * MS * (60 + 24) * 8 / 1000000;
		assert_int_equal(sends(0, 1, 60), 1);
	}
	assert_int_equal(w.drop[DRB_DROP_over_rate], 0);
	w.egress.now_ns += 1000 * MS;
	assert_int_equal(sends(0, BURST, 60), 2 * (1518 + 24) / (60 + 24));
	w.egress.now_ns += 1000 * MS;
	assert_int_equal(sends(0, BURST, 1514), 2);
	conserved();
	end();
}

// No host has a limit by default or without a rate; links between switches never have one.
TEST(only_where_it_is_said)
{
	begin(SWITCH "link: {driver: none, rate: 1Mbit}\n", 8);
	assert_int_equal(w.port[0].host_burst, 0);
	end();
	begin(SWITCH "link: {driver: none, host_burst: 9}\n", 8);
	assert_int_equal(w.port[0].host_burst, 0);
	end();
	begin(SWITCH "link: {driver: none, rate: 1Mbit, host_burst: 9}\n", 8);
	assert_int_equal(w.port[0].host_burst, 9);
	assert_int_equal(w.port[2].host_burst, 0);
	end();
}

TEST_MAIN(setup_eal, free_eal)
