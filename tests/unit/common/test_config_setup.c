// SPDX-License-Identifier: BSD-3-Clause
// The setup that results from config files. test_config_keys.c tests each key alone, and
// test_config_reload.c tests missing keys.
#include "fixtures/config_files.h"

TEST(what_follows_from_few_keys)
{
	static const char *const names[] = {"d0", "d1", "u0", "u1"};
	struct drb_setup s = good(HEAD);

	assert_string_equal(s.name, "s1-0");
	assert_string_equal(s.instance, "drb-s1-0");
	assert_int_equal(s.addr.hosts, 16);
	assert_int_equal(s.choice.uplinks, 2);
	assert_int_equal(s.choice.margin, 3);
	assert_int_equal(s.down_ports, 2);
	assert_int_equal(s.up_ports, 2);
	for (uint32_t i = 0; i < 4; i++) {
		const struct drb_port_setup *p = &s.ports[i];
		assert_string_equal(p->name, names[i]);
		assert_string_equal(p->interface, names[i]);
		assert_string_equal(drb_port_device(p), names[i]);
		assert_int_equal(p->up, i >= 2);
		assert_int_equal(p->number, i % 2);
		assert_true(p->rate.value == 0);
		assert_int_equal(p->catchup_ns, 2000000);
		assert_int_equal(p->hello_ns, 100000000);
	}
	assert_int_equal(s.ports[1].peer.layer, 0);
	assert_int_equal(s.ports[1].peer.label, 1);
	assert_int_equal(s.ports[3].peer.layer, 2);
}

TEST(every_form)
{
	struct drb_setup s = good("fabric: {name: x.y, layers: 3, arity: 2, mac: \"06:0a\", ipv4: "
				  "172.16.0.0/12, ipv6: \"fd12:3456::/48\"}\n"
				  "switch: {layer: 2, label: 5}\n"
				  "routing: {scheme: least, threshold: 1.5, choices: 3}\n"
				  "link: {driver: none, rate: 10Mbit, hello: 20ms}\n"
				  "process: {cpus: \"0-1,5\"}\n");

	assert_string_equal(s.instance, "x.y-s2-5");
	assert_int_equal(s.addr.mac[0], 6);
	assert_int_equal(s.addr.mac[1], 10);
	assert_int_equal(s.addr.ipv4, UINT32_C(0xac100000));
	assert_int_equal(s.addr.ipv4_len, 12);
	assert_int_equal(s.addr.ipv6[3], 0x56);
	assert_int_equal(s.addr.ipv6_len, 48);
	assert_int_equal(s.scheme.like, DRB_SCHEME_LEAST);
	assert_int_equal(s.choice.choices, 3);
	assert_int_equal(s.choice.margin, 2);
	assert_string_equal(s.cpus, "0-1,5");
	for (uint32_t i = 0; i < 4; i++) {
		const struct drb_port_setup *p = &s.ports[i];
		assert_string_equal(drb_port_device(p), "");
		assert_true(p->rate.value == 1e7 && !p->rate.per_packet);
		assert_int_equal(p->hello_ns, 20000000);
	}
}

// The packets on a link: as many of the shortest frames as the rate sends within the delay and a
// late wake-up. Links to hosts have none.
TEST(packets_on_a_link)
{
	struct drb_setup s = good(HEAD "link: {rate: 1kpps, delay: 3ms, catchup: 2ms}\n"
				       "ports: [{name: u1, rate: 84Mbit, overhead: 24}]\n");

	assert_int_equal(s.ports[0].on_link, 0);
	assert_int_equal(s.ports[1].on_link, 0);
	assert_int_equal(s.ports[2].on_link, 3 + 2 + 1);
	assert_int_equal(s.ports[3].on_link, 125 * (3 + 2) + 1);
}

// Keys of `ports` override those of `link`, which override defaults, key by key and for every
// driver.
TEST(ports_override_links)
{
	struct drb_setup s =
		good(HEAD "link: {driver: memif, rate: 500pps, slotted: true, queue: 9}\n"
			  "ports:\n"
			  "  - {name: u1, driver: pci, device: \"0000:3b:00.1,x=1\", rate: none, "
			  "slotted: no}\n"
			  "  - {name: u0, queue: 3, socket: /run/x, hello: off}\n"
			  "  - {name: d1, driver: af_xdp, interface: veth7, catchup: 0s}\n");
	const struct drb_port_setup *d0 = &s.ports[0], *d1 = &s.ports[1], *u0 = &s.ports[2],
				    *u1 = &s.ports[3];

	// An ordinary host has no memif.
	assert_int_equal(d0->driver, DRB_DRIVER_AF_PACKET);
	assert_string_equal(d0->interface, "d0");
	assert_int_equal(d0->queue, 9);
	assert_int_equal(d1->driver, DRB_DRIVER_AF_XDP);
	assert_string_equal(drb_port_device(d1), "veth7");
	assert_int_equal(d1->catchup_ns, 0);
	assert_int_equal(u0->driver, DRB_DRIVER_MEMIF);
	assert_string_equal(drb_port_device(u0), "/run/x");
	assert_int_equal(u0->queue, 3);
	assert_int_equal(u0->hello_ns, 0);
	assert_int_equal(u1->hello_ns, 100000000);
	assert_true(u0->rate.value == 500 && u0->rate.per_packet && u0->slotted);
	assert_int_equal(u1->driver, DRB_DRIVER_PCI);
	assert_string_equal(drb_port_device(u1), "0000:3b:00.1,x=1");
	assert_true(u1->rate.value == 0 && !u1->slotted);
	assert_int_equal(u1->queue, 9);
}

// A packet takes a whole number of slots of `link` where the rates allow it.
TEST(slow_ports_take_slots)
{
	static const struct {
		const char *rate;
		uint32_t slots;
	} ports[] = {{"500pps", 1},    {"250pps", 2}, {"166.666666666667pps", 3},
		     {"0.5pps", 1000}, {"300pps", 1}, {"1000pps", 1},
		     {"100kbit", 1},   {"none", 1},   {"71.428571428571pps", 7},
		     {"166.6pps", 1}};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(ports); i++) {
		const size_t slow = i % 2, k = i / 2;
		char text[256];
		snprintf(text, sizeof(text),
			 HEAD "link: {rate: 500pps}\nports: [{name: u%zu, rate: %s}]\n", slow,
			 ports[k].rate);
		struct drb_setup s = good(text);
		assert_int_equal(s.ports[2 + slow].slots, ports[k].slots);
		assert_int_equal(s.ports[3 - slow].slots, 1);
	}
	struct drb_setup s = good(HEAD "link: {rate: none}\nports: [{name: u1, rate: 5pps}]\n");
	assert_int_equal(s.ports[3].slots, 1);
}

// Addresses are written like the kernel writes them; arguments are unchanged.
TEST(addresses_of_cards)
{
	struct drb_setup s = good(HEAD "link: {driver: none}\n"
				       "ports:\n"
				       "  - {name: u0, driver: pci, device: \"3B:00.1,Ab=C\"}\n"
				       "  - {name: u1, driver: pci, device: \"0001:3b:0A.7\"}\n");

	assert_string_equal(s.ports[2].device, "0000:3b:00.1,Ab=C");
	assert_string_equal(s.ports[3].device, "0001:3b:0a.7");
}

TEST(long_addresses_of_cards)
{
	char text[2048], message[2048], arguments[1015] = "";
	struct drb_setup s;

	memset(arguments, 'a', sizeof(arguments) - 1);
	snprintf(text, sizeof(text),
		 HEAD
		 "link: {driver: none}\nports: [{name: u0, driver: pci, device: \"3b:00.0,%s\"}]\n",
		 arguments);
	write_file(text);
	assert_int_equal(load(file, NULL, &s, message, sizeof(message)), -EINVAL);
	assert_non_null(
		strstr(message, "ports[0].device: too long: the address is completed with 0000:"));
}

TEST(overrides)
{
	const struct drb_config_override both = {.layer = 2, .label = 5},
					 label = {.layer = -1, .label = 3},
					 layer = {.layer = 3, .label = -1},
					 far = {.layer = 2, .label = 8},
					 wide = {.layer = 1, .label = 4294967295};
	struct drb_setup s;
	char message[2048];

	write_file(FABRIC);
	assert_int_equal(load(file, &both, &s, message, sizeof(message)), 0);
	assert_string_equal(s.name, "s2-5");
	assert_int_equal(load(file, &label, &s, message, sizeof(message)), -EINVAL);
	assert_non_null(strstr(message, "switch: key is missing (or give --layer and --label)"));
	write_file(HEAD);
	assert_int_equal(load(file, &label, &s, message, sizeof(message)), 0);
	assert_string_equal(s.name, "s1-3");
	assert_int_equal(load(file, &layer, &s, message, sizeof(message)), 0);
	assert_string_equal(s.name, "s3-0");
	assert_int_equal(s.up_ports, 0);
	assert_int_equal(load(file, &far, &s, message, sizeof(message)), -EINVAL);
	assert_non_null(strstr(message, ": switch.label: 8 is not in 0..7"));
	assert_int_equal(load(file, &wide, &s, message, sizeof(message)), -EINVAL);
}

// One file serves all switches: the random streams and salts of two switches differ.
TEST(seeds_differ)
{
	struct drb_setup a, b;
	char message[2048];

	write_file(HEAD);
	assert_int_equal(load(file, &(struct drb_config_override){.layer = 1}, &a, message, 2048),
			 0);
	assert_int_equal(load(file, &(struct drb_config_override){.layer = 1, .label = 1}, &b,
			      message, 2048),
			 0);
	assert_true(a.choice.salt != b.choice.salt);
}

static const struct drb_port_setup *port_of(const struct drb_setup *s, const struct drb_end *end)
{
	return &s->ports[end->up ? s->down_ports + end->port : end->port];
}

// Both ends of every link between switches derive the same memif socket, and no two links share
// one.
TEST(memif_sockets_meet)
{
	static const struct {
		uint32_t l, d;
	} trees[] = {{2, 3}, {3, 2}, {4, 2}};
	static struct drb_setup all[128];
	char text[256], message[2048];

	for (size_t t = 0; t < ARRAY_SIZE(trees); t++) {
		uint32_t n = 0, links = 0;
		snprintf(text, sizeof(text),
			 "fabric: {name: abcdefghijklmnopqrstuvwx, layers: %u, arity: %u}\n"
			 "link: {driver: memif}\nprocess: {memif_dir: "
			 "/a23456789/b23456789/c23456789/d23456789/e23456789}\n",
			 trees[t].l, trees[t].d);
		write_file(text);
		for (uint32_t m = 1; m <= trees[t].l; m++) {
			uint32_t count = 1; // switches of the layer: known after the first load
			for (uint32_t s = 0; s < count; s++, n++) {
				struct drb_config_override at = {.layer = m, .label = s};
				assert_true(n < ARRAY_SIZE(all));
				if (load(file, &at, &all[n], message, sizeof(message)) < 0)
					fail_msg("%s", message);
				count = drb_tree_switches(&all[n].tree, m);
			}
		}
		for (uint32_t i = 0; i < n; i++) {
			for (uint32_t p = 0; p < all[i].down_ports + all[i].up_ports; p++) {
				const struct drb_port_setup *a = &all[i].ports[p];
				uint32_t same = 0;
				if (a->peer.layer == 0) {
					assert_int_equal(a->driver, DRB_DRIVER_AF_PACKET);
					continue;
				}
				for (uint32_t j = 0; j < n; j++) {
					if (all[j].layer == a->peer.layer &&
					    all[j].label == a->peer.label)
						assert_string_equal(
							a->socket,
							port_of(&all[j], &a->peer)->socket);
					for (uint32_t q = 0;
					     q < all[j].down_ports + all[j].up_ports; q++)
						same += strcmp(a->socket, all[j].ports[q].socket) ==
							0;
				}
				assert_int_equal(same, 2);
				links++;
			}
		}
		assert_true(links > 0);
	}
}

// Fewer uplinks: the uplinks of layer 1, and the switches that remain above.
TEST(fewer_uplinks)
{
	struct drb_setup s = good("fabric: {layers: 3, arity: 4, uplinks: 3}\n"
				  "switch: {layer: 1, label: 9}\n");

	assert_int_equal(s.up_ports, 3);
	assert_int_equal(s.choice.uplinks, 3);
	assert_int_equal(s.ports[6].peer.layer, 2);
	assert_int_equal(s.ports[6].peer.label, 8); // (2,2) to base 3
	assert_int_equal(s.ports[6].peer.port, 1);
	s = good("fabric: {layers: 3, arity: 4, uplinks: 3}\nswitch: {layer: 2, label: 23}\n");
	assert_int_equal(s.up_ports, 4);
	bad("fabric: {layers: 3, arity: 4, uplinks: 3}\nswitch: {layer: 2, label: 24}\n",
	    ":2: switch.label: 24 is not in 0..23, the switches of layer 2 of F(3,4)");
	bad("fabric: {layers: 3, arity: 4, uplinks: 5}\nswitch: {layer: 1, label: 0}\n",
	    ":1: fabric.uplinks: a switch of layer 1 of F(3,4) has at most as many as down-ports");
	bad("fabric: {layers: 1, arity: 4, uplinks: 2}\nswitch: {layer: 1, label: 0}\n",
	    ":1: fabric.uplinks: a switch of layer 1 of F(1,4) has none");
}

TEST_MAIN(make_dir, remove_dir)
