// SPDX-License-Identifier: BSD-3-Clause
// Values of config keys: one exact line for each kind of mistake. test_config_keys.c tests the
// ranges of all keys.
#include "fixtures/config_files.h"

TEST(bad_fabrics)
{
	static const struct mistake mistakes[] = {
		{"fabric: {layers: 3, arity: 33}\n" SWITCH,
		 ":1: fabric.arity: 33 is not in 1..32 (a switch has 2 arity ports)"},
		{"fabric: {layers: 16, arity: 4}\n" SWITCH,
		 ":1: fabric.layers: F(16,4) has more than 1073741824 hosts"},
		{"fabric: {layers: 16, arity: 3}\n" SWITCH,
		 ":1: fabric.layers: F(16,3) has 86093442 hosts, more than the address prefixes "
		 "hold"},
		{FABRIC "  name: -x\n" SWITCH,
		 ":4: fabric.name: \"-x\" is not a name of at most 24 letters, digits, '_', '.', "
		 "'-'"},
		{FABRIC "  name: abcdefghijklmnopqrstuvwxy\n" SWITCH,
		 ":4: fabric.name: \"abcdefghijklmnopqrstuvwxy\" is not a name of at most 24 "
		 "letters, digits, '_', '.', '-'"},
		{FABRIC "  name: \"a\\nb\\e[1m\"\n" SWITCH,
		 ":4: fabric.name: \"a?b?[1m\" is not a name of at most 24 letters, digits, '_', "
		 "'.', '-'"},
		{FABRIC "  mac: \"03:00\"\n" SWITCH,
		 ":4: fabric.mac: \"03:00\" is not two unicast bytes such as \"02:00\""},
		{FABRIC "  ipv4: 10.0.0.1/8\n" SWITCH,
		 ":4: fabric.ipv4: \"10.0.0.1/8\" is not " DRB_ADDR_IPV4_FORM},
		{FABRIC "  ipv4: 10.0.0.0/28\n" SWITCH,
		 ":2: fabric.layers: F(3,2) has 16 hosts, more than the address prefixes hold"},
		{FABRIC "  ipv6: \"fd00::\"\n" SWITCH,
		 ":4: fabric.ipv6: \"fd00::\" is not " DRB_ADDR_IPV6_FORM},
		{FABRIC "switch:\n  layer: 4\n  label: 0\n", ":5: switch.layer: 4 is not in 1..3"},
		{FABRIC "switch:\n  layer: 0\n  label: 0\n", ":5: switch.layer: 0 is not in 1..3"},
		{FABRIC "switch:\n  layer: 1\n  label: 8\n",
		 ":6: switch.label: 8 is not in 0..7, the switches of layer 1 of F(3,2)"},
		{FABRIC "switch:\n  layer: 3\n  label: 4\n",
		 ":6: switch.label: 4 is not in 0..3, the switches of layer 3 of F(3,2)"},
	};

	every(mistakes, ARRAY_SIZE(mistakes));
}

// The message names all schemes.
TEST(bad_schemes)
{
	static const char *const words[] = {"best", ""};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		char text[256], want[512];
		int used = snprintf(want, sizeof(want), ":5: routing.scheme: \"%s\" is none of ",
				    words[i]);
		for (int s = 0; s < DRB_SCHEME_COUNT; s++)
			used += snprintf(want + used, sizeof(want) - (size_t)used, "%s%s",
					 s ? ", " : "", drb_scheme_name((enum drb_scheme)s));
		snprintf(want + used, sizeof(want) - (size_t)used, ", drb:choices=3, /x.so:k=3");
		snprintf(text, sizeof(text), HEAD "routing: {scheme: \"%s\"}\n", words[i]);
		bad(text, want);
	}
}

TEST(bad_values)
{
	static const struct mistake mistakes[] = {
		{HEAD "routing: {scheme: walk, unit: flow}\n",
		 ":5: routing.unit: \"flow\": scheme walk decides on packets only"},
		{HEAD "routing: {scheme: drill, unit: flowlet}\n",
		 ":5: routing.unit: \"flowlet\": scheme drill decides on packets only"},
		{HEAD "routing: {scheme: walk, check_source: off}\n",
		 ":5: routing.check_source: off: scheme walk marks packets in their source MAC, "
		 "so sources must be known"},
		{HEAD "routing: {threshold: -1}\n",
		 ":5: routing.threshold: \"-1\" is not a number >= 0 or auto"},
		{HEAD "routing: {threshold: nan}\n",
		 ":5: routing.threshold: \"nan\" is not a number >= 0 or auto"},
		{HEAD "routing: {threshold: 1e30}\n",
		 ":5: routing.threshold: \"1e30\" is not a number >= 0 or auto"},
		{HEAD "routing: {unit: byte}\n",
		 ":5: routing.unit: \"byte\" is none of packet, flow, flowlet"},
		{HEAD "routing: {flow_idle: 30}\n",
		 ":5: routing.flow_idle: \"30\" is not a time of "
		 "1us to 1800s, such as 500us or 30s"},
		{HEAD "process: {workers: 0}\n", ":5: process.workers: 0 is not in 1..16"},
		{HEAD "link: {rate: 500}\n",
		 ":5: link.rate: \"500\" is not a rate such as 500pps, 10Mbit, link or none"},
		{HEAD "link: {rate: link}\n",
		 ":5: link.rate: link: the speed of port d0 is not known to its driver, af_packet: "
		 "give a rate such as 1Gbit, or none"},
		{HEAD "link: {rate: 0pps}\n",
		 ":5: link.rate: \"0pps\" is not a rate such as 500pps, 10Mbit, link or none"},
		{HEAD "link: {slotted: true}\n",
		 ":5: link.slotted: needs a rate of at most 1Mpps, such as 500pps (port d0)"},
		{HEAD "link: {slotted: true, rate: 10Mbit}\n",
		 ":5: link.slotted: needs a rate of at most 1Mpps, such as 500pps (port d0)"},
		{HEAD "link: {hello: 9ms}\n",
		 ":5: link.hello: \"9ms\" is not off or a whole number of milliseconds from "
		 "10ms to 60s"},
		{HEAD "link: {hello: 61s}\n",
		 ":5: link.hello: \"61s\" is not off or a whole number of milliseconds from "
		 "10ms to 60s"},
		{HEAD "link: {hello: 100500us}\n", ":5: link.hello: \"100500us\" is not off "
						   "or a whole number of milliseconds from "
						   "10ms to 60s"},
		{HEAD "link: {loss_limit: 0.01%}\n",
		 ":5: link.loss_limit: \"0.01%\" is not off or a percentage from 0.1% to 100%"},
		{HEAD "link: {loss_limit: 1}\n",
		 ":5: link.loss_limit: \"1\" is not off or a percentage from 0.1% to 100%"},
		{HEAD "link: {hello: no}\n",
		 ":5: link.hello: \"no\" is not off or a whole number of milliseconds from "
		 "10ms to 60s"},
		{HEAD "link: {delay: 3ms}\n",
		 ":5: link.delay: needs a rate such as 500pps or 1Gbit (port u0)"},
		{HEAD "link: {delay: 1s, rate: 1Gbit}\n",
		 ":5: link.delay: more than 65536 packets would be on the link of port u0: take a "
		 "shorter delay or a lower rate"},
		{HEAD "process: {memif_dir: "
		      "/a23456789/b23456789/c23456789/d23456789/e23456789/f}\n",
		 ":5: process.memif_dir: longer than 50 characters"},
		{HEAD "process: {cpus: '0,9999'}\n",
		 ":5: process.cpus: \"0,9999\" is not a list of CPUs such as 2 or 0-1"},
		{HEAD "process: {cpus: all}\n",
		 ":5: process.cpus: \"all\" is not a list of CPUs such as 2 or 0-1"},
		{HEAD "process: {cpus: \",-\"}\n",
		 ":5: process.cpus: \",-\" is not a list of CPUs such as 2 or 0-1"},
		{HEAD "process: {cpus: \"1,\"}\n",
		 ":5: process.cpus: \"1,\" is not a list of CPUs such as 2 or 0-1"},
		{HEAD "process: {cpus: 3-1}\n",
		 ":5: process.cpus: \"3-1\" is not a list of CPUs such as 2 or 0-1"},
		{HEAD "process: {cpus: 1-2-3}\n",
		 ":5: process.cpus: \"1-2-3\" is not a list of CPUs such as 2 or 0-1"},
		{HEAD "process: {cpus: 12345}\n",
		 ":5: process.cpus: \"12345\" is not a list of CPUs such as 2 or 0-1"},
	};

	every(mistakes, ARRAY_SIZE(mistakes));
}

#define LONG_64 "0123456789012345678901234567890123456789012345678901234567890123"

TEST(bad_ports)
{
	static const struct mistake mistakes[] = {
		{HEAD "ports:\n  - {name: d2}\n", ":6: ports[0].name: \"d2\" is no port of this "
						  "switch (2 down-ports d0.., 2 up-ports u0..)"},
		{FABRIC "switch: {layer: 3, label: 0}\nports: [{name: u0}]\n",
		 ":5: ports[0].name: \"u0\" is no port of this switch (4 down-ports d0.., 0 "
		 "up-ports u0..)"},
		{HEAD "ports:\n  - {name: eth0}\n",
		 ":6: ports[0].name: \"eth0\" is no port of this switch (2 down-ports d0.., 2 "
		 "up-ports u0..)"},
		{HEAD "ports:\n  - {name: d0}\n  - {name: u1}\n  - {name: d0}\n",
		 ":8: ports[2].name: port d0 is listed twice"},
		{HEAD "ports:\n  - {name: d0}\n  - {name: d1, interface: d0}\n",
		 ":5: ports: ports d0 and d1 use the same interface, socket or device"},
		{HEAD "ports:\n  - {name: d0, interface: a, driver: af_xdp}\n"
		      "  - {name: d1, interface: a}\n",
		 ":5: ports: ports d0 and d1 use the same interface, socket or device"},
		{HEAD "link: {driver: vdev}\nports:\n  - {name: d0, device: net_null0}\n"
		      "  - {name: d1, device: net_null1}\n  - {name: u0, device: net_null2}\n"
		      "  - {name: u1, device: \"net_null1,size=64\"}\n",
		 ":6: ports: ports d1 and u1 use the same interface, socket or device"},
		{HEAD "link: {driver: memif}\nports:\n  - {name: u0, socket: /run/a}\n"
		      "  - {name: u1, socket: /run/a}\n",
		 ":6: ports: ports u0 and u1 use the same interface, socket or device"},
		{HEAD "link: {driver: pci}\n",
		 ":5: link.device: key is missing for port d0, driver pci"},
		{HEAD "ports:\n  - {name: u0, driver: vdev}\n",
		 ":6: ports[0].device: key is missing for port u0, driver vdev"},
		{HEAD "ports:\n  - {name: u0, driver: pci, device: eth7}\n",
		 ":6: ports[0].device: \"eth7\" is not a PCI address such as 0000:3b:00.0"},
		{HEAD "ports:\n  - {name: u0, driver: pci, device: \"3b:00.8\"}\n",
		 ":6: ports[0].device: \"3b:00.8\" is not a PCI address such as 0000:3b:00.0"},
		{HEAD "ports:\n  - {name: u0, driver: pci, device: \"0000:3b:00.0x\"}\n",
		 ":6: ports[0].device: \"0000:3b:00.0x\" is not a PCI address such as "
		 "0000:3b:00.0"},
		{HEAD "link: {driver: none}\nports:\n"
		      "  - {name: u0, driver: pci, device: \"3B:00.0\"}\n"
		      "  - {name: u1, driver: pci, device: \"0000:3b:00.0,a=1\"}\n",
		 ":6: ports: ports u0 and u1 use the same interface, socket or device"},
		{HEAD "ports:\n  - {name: u0, driver: vdev, device: \"n" LONG_64 ",a=1\"}\n",
		 ":6: ports[0].device: the name before the comma is longer than 63 characters"},
		{HEAD "ports:\n  - name: u0\n    rate: fast\n",
		 ":7: ports[0].rate: \"fast\" is not a rate such as 500pps, 10Mbit, link or none"},
		{HEAD "ports:\n  - name: u0\n    queue: 0\n",
		 ":7: ports[0].queue: 0 is not in 1..65536 packets"},
	};

	every(mistakes, ARRAY_SIZE(mistakes));
}

TEST_MAIN(make_dir, remove_dir)
