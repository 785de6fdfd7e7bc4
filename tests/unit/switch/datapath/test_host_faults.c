// SPDX-License-Identifier: BSD-3-Clause
// Each fault of a host is reported once for each port, with the cure, and counts as trouble while
// it lasts; also at the highest port.
#include "fixtures/unit.h"

#include "common/cli/log.h"
#include "core/packet/wire.h"
#include "switch/datapath/worker/host_faults.h"
#include "switch/datapath/worker/worker.h"

enum { HIGH = DRB_PORTS_MAX - 1 };

static struct drb_worker worker;
static struct drb_setup setup;

static int make(void **state)
{
	(void)state;
	memset(&worker, 0, sizeof(worker));
	worker.owner = &worker;
	worker.egress.now_ns = 1000;
	worker.egress.down_ports = setup.down_ports = DRB_PORTS_MAX;
	worker.mtu = 1500;
	worker.addr = drb_addr_default(DRB_PORTS_MAX);
	for (uint32_t i = 0; i < DRB_PORTS_MAX; i++) {
		worker.port[i].host = i;
		drb_port_name(setup.ports[i].name, false, i);
		setup.ports[i].peer = (struct drb_end){.layer = 0, .label = i};
	}
	return 0;
}

static void fault(uint32_t in, enum drb_host_fault what)
{
	uint8_t frame[60] = {2, 0, 0, 0, 0, 1, 0xbe, 0x5a, 0, 0, 0, 7};
	const uint8_t asked[4] = {10, 9, 9, 9};

	memcpy(frame + DRB_ETHER_HEADER + DRB_ARP_TARGET_IP, asked, sizeof(asked));
	drb_host_fault(&worker, in, what, frame, 2962);
}

TEST_WITH(each_is_said_once, make, NULL)
{
	static const struct {
		enum drb_host_fault fault;
		const char *says[3];
	} cases[] = {
		{DRB_HOST_FAULT_SOURCE,
		 {"port d63: frames from be:5a:00:00:00:07 are dropped",
		  "host h63 must have the MAC 02:00:00:00:00:3f", "ip link set"}},
		{DRB_HOST_FAULT_LENGTH,
		 {"port d63: host h63", "2962 bytes", "set its MTU to 1500"}},
		{DRB_HOST_FAULT_IP,
		 {"port d63: IP packets", "10.0.0.64 and fd00::40", "routing.check_source: mac"}},
		{DRB_HOST_FAULT_NEIGHBOUR, {"port d63: host h63", "ARP", "dropped"}},
		{DRB_HOST_FAULT_ADDRESS, {"h63 asks for 10.9.9.9", "address 10.0.0.64", "d63"}},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fault(HIGH, cases[i].fault);
		for (size_t k = 0; k < 3; k++) {
			if (!strstr(drb_msg_last(), cases[i].says[k]))
				fail_msg("said: %s", drb_msg_last());
		}
		drb_info("nothing");
		fault(HIGH, cases[i].fault);
		assert_string_equal(drb_msg_last(), "nothing");
		fault(0, cases[i].fault);
		assert_non_null(strstr(drb_msg_last(), "port d0"));
	}
}

TEST_WITH(it_is_trouble_while_it_lasts, make, NULL)
{
	uint64_t ports[DRB_HOST_FAULT_COUNT] = {0};
	char text[160] = "u0 down", shorter[12] = "";
	fault(HIGH, DRB_HOST_FAULT_SOURCE);
	worker.egress.now_ns += DRB_HOST_FAULT_NS / 2;
	fault(1, DRB_HOST_FAULT_LENGTH);
	for (uint32_t f = 0; f < DRB_HOST_FAULT_COUNT; f++)
		ports[f] = drb_host_fault_ports(&worker, f, worker.egress.now_ns);
	drb_host_fault_trouble(&setup, ports, text, sizeof(text));
	assert_string_equal(text, "u0 down; d1: h1 sends frames that are too long; "
				  "d63: h63 has another MAC");
	drb_host_fault_trouble(&setup, ports, shorter, sizeof(shorter));
	assert_string_equal(shorter, "d1: h1 send");
	worker.egress.now_ns += DRB_HOST_FAULT_NS / 2;
	assert_int_equal(drb_host_fault_ports(&worker, DRB_HOST_FAULT_SOURCE, worker.egress.now_ns),
			 0);
	assert_int_equal(drb_host_fault_ports(&worker, DRB_HOST_FAULT_LENGTH, worker.egress.now_ns),
			 2);
}

TEST_MAIN(NULL, NULL)
