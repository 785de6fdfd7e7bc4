// SPDX-License-Identifier: BSD-3-Clause
// Packets that the kernel drops before the socket of a host's port, from its table of interfaces.
#include "fixtures/unit.h"

#include "fixtures/switch_eal.h"
#include "switch/control/interface_losses.h"

static struct drb_setup setup;
static struct drb_interface_losses losses;

static void take(const char *interface, unsigned dropped)
{
	char line[128];

	snprintf(line, sizeof(line), "%6s: 999 99    0 %u    0     0          0         0 777 7\n",
		 interface, dropped);
	drb_interface_losses_take(&losses, &setup, line);
}

static void missed(uint64_t at_host, uint64_t of_socket)
{
	struct drb_snapshot s = {.port[0].in_missed = of_socket};

	drb_interface_losses_add(&losses, &setup, &s);
	assert_int_equal(s.port[0].in_missed, at_host + of_socket);
	assert_int_equal(s.port[1].in_missed | s.port[2].in_missed, 0);
}

TEST(growth_counts)
{
	setup = setup_of(
		"fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\nports:\n"
		"  - {name: d0, interface: test-d0}\n  - {name: d1, interface: test-d1}\n"
		"  - {name: u0, interface: test-u0}\n  - {name: u1, interface: test-u1}\n");
	take("test-d0", 5);
	drb_interface_losses_begin(&losses, &setup);
	missed(0, 0);
	take("test-d0", 12);
	missed(7, 3);
	take("test-d0", 12);
	missed(7, 0);
	take("test-d0", 4); // made again
	missed(11, 0);
	take("test-d0", 6);
	missed(13, 0);
	// An uplink's interface, interfaces of no port, and the table's heading count for no port.
	take("test-u0", 1);
	take("test-d", 1);
	take("test-d01", 1);
	drb_interface_losses_take(&losses, &setup,
				  " face |bytes    packets errs drop fifo frame\n");
	missed(13, 0);
}

TEST_MAIN(NULL, NULL)
