// SPDX-License-Identifier: BSD-3-Clause
// Config files: what every key means, what is there without it, and one exact line for every
// mistake.
#include "fixtures/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/config/config.h"

static char dir[] = "/tmp/drb-test-config-XXXXXX";
static char file[64];

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof(file), "%s/c.yaml", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(file);
	return rmdir(dir);
}

static void write_file(const char *text)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

// Loads with standard error going to message.
static int load(const char *path, const struct drb_config_override *over, struct drb_setup *setup,
		char *message, size_t size)
{
	FILE *to = tmpfile();
	int saved, rc;
	size_t got;

	assert_non_null(to);
	fflush(stderr);
	saved = dup(STDERR_FILENO);
	dup2(fileno(to), STDERR_FILENO);
	rc = drb_config_load(path, over, setup);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(to);
	got = fread(message, 1, size - 1, to);
	message[got] = '\0';
	fclose(to);
	return rc;
}

static struct drb_setup good(const char *text)
{
	struct drb_setup setup;
	char message[2048];

	write_file(text);
	if (load(file, NULL, &setup, message, sizeof(message)) < 0)
		fail_msg("%s", message);
	assert_string_equal(message, "");
	return setup;
}

// want is what follows "test_config: FILE"; a file of this text must be refused with it, alone.
static void bad(const char *text, const char *want)
{
	char message[2048], line[2048];
	struct drb_setup setup;

	write_file(text);
	int rc = load(file, NULL, &setup, message, sizeof(message));
	snprintf(line, sizeof(line), "%s: %s%s\n", program_invocation_short_name, file, want);
	if (rc != -EINVAL || strcmp(message, line) != 0)
		fail_msg("%s\n--- is %d\n%s--- and must be\n%s", text, rc, message, line);
}

#define FABRIC "fabric:\n  layers: 3\n  arity: 2\n"
#define SWITCH "switch: {layer: 1, label: 0}\n"
#define HEAD FABRIC SWITCH // the next line is line 5

struct mistake {
	const char *text, *want;
};

static void every(const struct mistake *m, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bad(m[i].text, m[i].want);
}

static void bad_structure(void **state)
{
	static const struct mistake mistakes[] = {
		{"", ":1: the file is empty"},
		{"# nothing\n", ":1: the file is empty"},
		{HEAD "routes: {}\n", ":5: routes: unknown key"},
		{HEAD "routing:\n  treshold: 2\n", ":6: routing.treshold: unknown key"},
		{HEAD "link: {rate: 500pps, que: 3}\n", ":5: link.que: unknown key"},
		{HEAD "ports:\n  - name: d0\n    interfaces: a\n",
		 ":7: ports[0].interfaces: unknown key"},
		{HEAD "ports:\n  - {name: d0}\n  - {interface: a}\n",
		 ":7: ports[1].name: key is missing"},
		{SWITCH, ":1: fabric: key is missing"},
		{"fabric: {arity: 2}\n" SWITCH, ":1: fabric.layers: key is missing"},
		{"fabric:\n  layers: 3\n" SWITCH, ":1: fabric.arity: key is missing"},
		{FABRIC, ":1: switch: key is missing (or give --layer and --label)"},
		{FABRIC "switch:\n  layer: 1\n", ":4: switch.label: key is missing"},
		{FABRIC "switch:\n  label: 1\n", ":4: switch.layer: key is missing"},
		{HEAD "link:\n  rate: 500pps\n  rate: 600pps\n",
		 ":6: link.rate: key is there twice"},
		{HEAD "switch: {layer: 2, label: 0}\n", ":4: switch: key is there twice"},
		{HEAD "ports:\n  - {name: d0, queue: 1, queue: 2}\n",
		 ":6: ports[0].queue: key is there twice"},
		{HEAD "---\n" HEAD, ":5: a second document; a config is one"},
		{HEAD "...\n---\n", ":6: a second document; a config is one"},
		{HEAD "link: [[[[[[[[[[[[[[[[[", ":5: nested deeper than 16 levels"},
	};

	(void)state;
	every(mistakes, ARRAY_SIZE(mistakes));
}

static void bad_types(void **state)
{
	static const struct mistake mistakes[] = {
		{"fabric: {layers: three, arity: 2}\n" SWITCH,
		 ":1: fabric.layers: \"three\" is not a whole number"},
		{"fabric: {layers: 3, arity: 2x}\n" SWITCH,
		 ":1: fabric.arity: \"2x\" is not a whole number"},
		{"fabric: {layers: 3, arity: 0x2}\n" SWITCH,
		 ":1: fabric.arity: \"0x2\" is not a whole number"},
		{"fabric: {layers: 3, arity: -2}\n" SWITCH,
		 ":1: fabric.arity: \"-2\" is not a whole number"},
		{"fabric: {layers: 3, arity: 2.0}\n" SWITCH,
		 ":1: fabric.arity: \"2.0\" is not a whole number"},
		{"fabric: {layers: 3, arity: }\n" SWITCH,
		 ":1: fabric.arity: \"\" is not a whole number"},
		{"fabric: {layers: 3, arity: 4294967298}\n" SWITCH,
		 ":1: fabric.arity: Invalid UINT value: '4294967298'"},
		{HEAD "routing: {seed: 9223372036854775808}\n",
		 ":5: routing.seed: 9223372036854775808 is not in 0..9223372036854775807"},
		{HEAD "routing: {seed: 99999999999999999999}\n",
		 ":5: routing.seed: \"99999999999999999999\" is not a whole number"},
		{HEAD "routing: {check_source: maybe}\n",
		 ":5: routing.check_source: \"maybe\" is neither true nor false"},
		{HEAD "routing: {check_source: 1}\n",
		 ":5: routing.check_source: \"1\" is neither true nor false"},
		{HEAD "process:\n  burst: many\n",
		 ":6: process.burst: \"many\" is not a whole number"},
	};

	(void)state;
	every(mistakes, ARRAY_SIZE(mistakes));
}

// Where the words are libcyaml's: the file, line and key are there, and one line only.
static void bad_shapes(void **state)
{
	static const struct {
		const char *text, *begin;
	} shapes[] = {
		{"just words\n", ":1: "},
		{"- a\n- b\n", ":1: "},
		{"fabric: [1, 2]\n" SWITCH, ":1: fabric"},
		{"fabric: 3\n" SWITCH, ":1: fabric"},
		{"fabric: {layers: [3], arity: 2}\n" SWITCH, ":1: fabric.layers"},
		{HEAD "routing: {scheme: {a: b}}\n", ":5: routing.scheme"},
		{HEAD "routing: {scheme: \"\"}\n", ":5: routing.scheme"},
		{HEAD "ports: {d0: a}\n", ":5: ports"},
		{HEAD "ports: [d0]\n", ":5: ports"},
		{HEAD "link:\n\trate: 5\n", ":"},
		{HEAD "link: {rate: 500pps\n", ":"},
		{"\x01\x02", ":"},
		{HEAD "link: *nowhere\n", ":"},
	};
	char message[2048], begin[256];
	struct drb_setup setup;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		write_file(shapes[i].text);
		int rc = load(file, NULL, &setup, message, sizeof(message));
		snprintf(begin, sizeof(begin), "%s: %s%s", program_invocation_short_name, file,
			 shapes[i].begin);
		const char *end = strchr(message, '\n');
		if (rc != -EINVAL || strncmp(message, begin, strlen(begin)) != 0 || !end ||
		    end[1] != '\0' || end == message + strlen(begin))
			fail_msg("%s\n--- is %d\n%s", shapes[i].text, rc, message);
	}
}

static void bad_fabrics(void **state)
{
	static const struct mistake mistakes[] = {
		{"fabric: {layers: 0, arity: 2}\n" SWITCH, ":1: fabric.layers: 0 is not in 1..16"},
		{"fabric: {layers: 17, arity: 1}\n" SWITCH,
		 ":1: fabric.layers: 17 is not in 1..16"},
		{"fabric: {layers: 3, arity: 0}\n" SWITCH,
		 ":1: fabric.arity: 0 is not in 1..16 (a switch has 2 arity ports)"},
		{"fabric: {layers: 3, arity: 17}\n" SWITCH,
		 ":1: fabric.arity: 17 is not in 1..16 (a switch has 2 arity ports)"},
		{"fabric: {layers: 3, arity: 2147483650}\n" SWITCH,
		 ":1: fabric.arity: 2147483650 is not in 1..16 (a switch has 2 arity ports)"},
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
		 ":4: fabric.ipv4: \"10.0.0.1/8\" is not a network such as 10.0.0.0/8"},
		{FABRIC "  ipv4: 10.0.0.0/28\n" SWITCH,
		 ":2: fabric.layers: F(3,2) has 16 hosts, more than the address prefixes hold"},
		{FABRIC "  ipv6: \"fd00::\"\n" SWITCH,
		 ":4: fabric.ipv6: \"fd00::\" is not a network such as fd00::/64"},
		{FABRIC "switch:\n  layer: 4\n  label: 0\n", ":5: switch.layer: 4 is not in 1..3"},
		{FABRIC "switch:\n  layer: 0\n  label: 0\n", ":5: switch.layer: 0 is not in 1..3"},
		{FABRIC "switch:\n  layer: 1\n  label: 8\n",
		 ":6: switch.label: 8 is not in 0..7, the switches of layer 1 of F(3,2)"},
		{FABRIC "switch:\n  layer: 3\n  label: 4\n",
		 ":6: switch.label: 4 is not in 0..3, the switches of layer 3 of F(3,2)"},
	};

	(void)state;
	every(mistakes, ARRAY_SIZE(mistakes));
}

static void bad_values(void **state)
{
	static const struct mistake mistakes[] = {
		{HEAD "routing: {scheme: best}\n", ":5: routing.scheme: \"best\" is none of drb, "
						   "dmodk, vlb, micro, ecmp, least, rotate, walk"},
		{HEAD "routing: {scheme: walk, unit: flow}\n",
		 ":5: routing.unit: \"flow\": scheme walk decides on packets only"},
		{HEAD "routing: {scheme: rotate, unit: flowlet}\n",
		 ":5: routing.unit: \"flowlet\": scheme rotate decides on packets only"},
		{HEAD "routing: {scheme: walk, check_source: no}\n",
		 ":5: routing.check_source: false: scheme walk marks packets in their source MAC, "
		 "so sources must be known"},
		{HEAD "routing: {slot: 99ns}\n",
		 ":5: routing.slot: \"99ns\" is not a time of 100ns to 1s, such as 2ms"},
		{HEAD "routing: {slot: 1001ms}\n",
		 ":5: routing.slot: \"1001ms\" is not a time of 100ns to 1s, such as 2ms"},
		{HEAD "routing: {tau: 0}\n", ":5: routing.tau: 0 is not in 1..10000 slots"},
		{HEAD "routing: {tau: 10001}\n", ":5: routing.tau: 10001 is not in 1..10000 slots"},
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
		{HEAD "routing: {flow_grace: 1801s}\n",
		 ":5: routing.flow_grace: \"1801s\" is not a time of 1us to 1800s, such as 500us "
		 "or 30s"},
		{HEAD "routing: {flowlet_gap: 999ns}\n",
		 ":5: routing.flowlet_gap: \"999ns\" is not a time of 1us to 1800s, such as 500us "
		 "or 30s"},
		{HEAD "process: {workers: 0}\n", ":5: process.workers: 0 is not in 1..16"},
		{HEAD "process: {workers: 17}\n", ":5: process.workers: 17 is not in 1..16"},
		{HEAD "process: {buffers: 16777217}\n",
		 ":5: process.buffers: 16777217 is not in 0..16777216"},
		{HEAD "routing: {flow_max: 0}\n",
		 ":5: routing.flow_max: 0 is not in 1..10000000 flows"},
		{HEAD "routing: {flow_max: 10000001}\n",
		 ":5: routing.flow_max: 10000001 is not in 1..10000000 flows"},
		{HEAD "routing: {choices: 1}\n", ":5: routing.choices: 1 is not in 2..64"},
		{HEAD "routing: {choices: 65}\n", ":5: routing.choices: 65 is not in 2..64"},
		{HEAD "link: {driver: tap}\n", ":5: link.driver: \"tap\" is none of af_packet, "
					       "af_xdp, memif, vdev, pci, none"},
		{HEAD "link: {rate: 500}\n",
		 ":5: link.rate: \"500\" is not a rate such as 500pps, 10Mbit or none"},
		{HEAD "link: {rate: 0pps}\n",
		 ":5: link.rate: \"0pps\" is not a rate such as 500pps, 10Mbit or none"},
		{HEAD "link: {overhead: 1025}\n",
		 ":5: link.overhead: 1025 is not in 0..1024 bytes"},
		{HEAD "link: {queue: 0}\n", ":5: link.queue: 0 is not in 1..65536 packets"},
		{HEAD "link: {queue: 65537}\n", ":5: link.queue: 65537 is not in 1..65536 packets"},
		{HEAD "link: {slotted: true}\n",
		 ":5: link.slotted: needs a rate of at most 1Mpps, such as 500pps (port d0)"},
		{HEAD "link: {slotted: true, rate: 10Mbit}\n",
		 ":5: link.slotted: needs a rate of at most 1Mpps, such as 500pps (port d0)"},
		{HEAD "link: {catchup: 2}\n",
		 ":5: link.catchup: \"2\" is not a time of at most 10s, such as 2ms"},
		{HEAD "link: {hello: 9ms}\n",
		 ":5: link.hello: \"9ms\" is neither off nor a whole number of milliseconds from "
		 "10ms to 60s"},
		{HEAD "link: {hello: 61s}\n",
		 ":5: link.hello: \"61s\" is neither off nor a whole number of milliseconds from "
		 "10ms to 60s"},
		{HEAD "link: {hello: 100500us}\n", ":5: link.hello: \"100500us\" is neither off "
						   "nor a whole number of milliseconds from "
						   "10ms to 60s"},
		{HEAD "link: {hello: no}\n",
		 ":5: link.hello: \"no\" is neither off nor a whole number of milliseconds from "
		 "10ms to 60s"},
		{HEAD "link: {catchup: 11s}\n",
		 ":5: link.catchup: \"11s\" is not a time of at most 10s, such as 2ms"},
		{HEAD "link: {xdp: none}\n",
		 ":5: link.xdp: \"none\" is neither steer nor all nor a path of at most 107 "
		 "characters, without comma or bracket"},
		{HEAD "link: {xdp: \"./a,b\"}\n",
		 ":5: link.xdp: \"./a,b\" is neither steer nor all nor a path of at most 107 "
		 "characters, without comma or bracket"},
		{HEAD "process: {idle: spin}\n",
		 ":5: process.idle: \"spin\" is neither sleep nor poll"},
		{HEAD "process: {hugepages: true}\n",
		 ":5: process.hugepages: \"true\" is none of auto, yes, no"},
		{HEAD "process: {burst: 0}\n", ":5: process.burst: 0 is not in 1..256 packets"},
		{HEAD "process: {burst: 257}\n", ":5: process.burst: 257 is not in 1..256 packets"},
		{HEAD "process: {memory: 7}\n", ":5: process.memory: 7 is not in 8..1048576 MiB"},
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

	(void)state;
	every(mistakes, ARRAY_SIZE(mistakes));
}

#define LONG_64 "0123456789012345678901234567890123456789012345678901234567890123"

static void bad_ports(void **state)
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
		{HEAD "ports:\n  - {name: u0, driver: vdev, device: \"n" LONG_64 ",a=1\"}\n",
		 ":6: ports[0].device: the name before the comma is longer than 63 characters"},
		{HEAD "ports:\n  - {name: u0, interface: abcdefghijklmnop}\n",
		 ":6: ports[0].interface: \"abcdefghijklmnop\" is longer than 15 characters"},
		{HEAD "ports:\n  - {name: u0, socket: /" LONG_64 LONG_64 "}\n",
		 ":6: ports[0].socket: longer than 107 characters"},
		{HEAD "ports:\n  - name: u0\n    rate: fast\n",
		 ":7: ports[0].rate: \"fast\" is not a rate such as 500pps, 10Mbit or none"},
		{HEAD "ports:\n  - name: u0\n    queue: 0\n",
		 ":7: ports[0].queue: 0 is not in 1..65536 packets"},
	};

	(void)state;
	every(mistakes, ARRAY_SIZE(mistakes));
}

static void unreadable_files(void **state)
{
	char message[2048], want[256];
	struct drb_setup setup;
	char missing[96];

	(void)state;
	snprintf(missing, sizeof(missing), "%s/none.yaml", dir);
	assert_int_equal(load(missing, NULL, &setup, message, sizeof(message)), -EINVAL);
	snprintf(want, sizeof(want), "%s: %s: No such file or directory\n",
		 program_invocation_short_name, missing);
	assert_string_equal(message, want);
	assert_int_equal(load(dir, NULL, &setup, message, sizeof(message)), -EINVAL);
	snprintf(want, sizeof(want), "%s: %s: Is a directory\n", program_invocation_short_name,
		 dir);
	assert_string_equal(message, want);
	assert_int_equal(load("/dev/zero", NULL, &setup, message, sizeof(message)), -EINVAL);
	assert_non_null(strstr(message, "/dev/zero: longer than 64 KiB"));
}

// Bytes that can be read once only give the same setup, and the same lines in messages.
static void pipes(void **state)
{
	static const char *const texts[] = {HEAD "link: {queue: 7}\n", HEAD "link: {queue: 0}\n"};
	char message[2048], path[32];
	struct drb_setup setup;

	(void)state;
	for (int bad_one = 0; bad_one < 2; bad_one++) {
		const char *text = texts[bad_one];
		int ends[2];
		assert_int_equal(pipe(ends), 0);
		assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
		close(ends[1]);
		snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
		int rc = load(path, NULL, &setup, message, sizeof(message));
		close(ends[0]);
		assert_int_equal(rc, bad_one ? -EINVAL : 0);
		if (bad_one)
			assert_non_null(strstr(message, ":5: link.queue: 0 is not in 1..65536"));
		else
			assert_int_equal(setup.ports[0].queue, 7);
	}
}

static void defaults(void **state)
{
	struct drb_setup s = good(HEAD);

	(void)state;
	assert_string_equal(s.fabric, "drb");
	assert_string_equal(s.name, "s1-0");
	assert_string_equal(s.instance, "drb-s1-0");
	assert_int_equal(s.tree.layers, 3);
	assert_int_equal(s.tree.arity, 2);
	assert_int_equal(s.addr.hosts, 16);
	assert_int_equal(s.addr.ipv4, UINT32_C(10) << 24);
	assert_int_equal(s.addr.ipv4_len, 8);
	assert_int_equal(s.addr.ipv6[0], 0xfd);
	assert_int_equal(s.addr.ipv6_len, 64);
	assert_int_equal(s.addr.mac[0], 2);
	assert_int_equal(s.choice.scheme, DRB_SCHEME_DRB);
	assert_int_equal(s.choice.choices, 2);
	assert_int_equal(s.choice.uplinks, 2);
	assert_int_equal(s.choice.margin, 3);
	assert_true(s.threshold == 2.0 && !s.threshold_auto);
	assert_int_equal(s.unit, DRB_UNIT_PACKET);
	assert_int_equal(s.flow_idle_ns, 30000000000);
	assert_int_equal(s.flow_grace_ns, 1000000000);
	assert_int_equal(s.flowlet_gap_ns, 500000);
	assert_int_equal(s.flow_max, 1000000);
	assert_int_equal(s.slot_ns, 10000);
	assert_int_equal(s.tau, 6);
	assert_int_equal(s.seed, 1);
	assert_true(s.check_source);
	assert_int_equal(s.down_ports, 2);
	assert_int_equal(s.up_ports, 2);
	assert_int_equal(s.idle, DRB_IDLE_SLEEP);
	assert_int_equal(s.burst, 64);
	assert_int_equal(s.workers, 1);
	assert_int_equal(s.buffers, 0);
	assert_string_equal(s.cpus, "");
	assert_int_equal(s.hugepages, DRB_HUGEPAGES_AUTO);
	assert_int_equal(s.memory_mb, 0);
	for (uint32_t i = 0; i < 4; i++) {
		static const char *const names[] = {"d0", "d1", "u0", "u1"};
		const struct drb_port_setup *p = &s.ports[i];
		assert_string_equal(p->name, names[i]);
		assert_string_equal(p->interface, names[i]);
		assert_string_equal(drb_port_device(p), names[i]);
		assert_int_equal(p->up, i >= 2);
		assert_int_equal(p->number, i % 2);
		assert_int_equal(p->driver, DRB_DRIVER_AF_PACKET);
		assert_true(p->rate.value == 0);
		assert_int_equal(p->overhead, 24);
		assert_int_equal(p->queue, 512);
		assert_int_equal(p->catchup_ns, 2000000);
		assert_int_equal(p->hello_ns, 100000000);
	}
	assert_int_equal(s.ports[1].peer.layer, 0);
	assert_int_equal(s.ports[1].peer.label, 1);
	assert_int_equal(s.ports[3].peer.layer, 2);
}

static void every_key(void **state)
{
	struct drb_setup s =
		good("fabric: {name: x.y, layers: 3, arity: 2, mac: \"06:0a\", ipv4: "
		     "172.16.0.0/12, ipv6: \"fd12:3456::/48\"}\n"
		     "switch: {layer: 2, label: 5}\n"
		     "routing: {scheme: least, threshold: 1.5, choices: 3, unit: flowlet, seed: "
		     "9223372036854775807, check_source: no, flow_idle: 2s, flow_grace: 3ms, "
		     "flow_max: 77, flowlet_gap: 50us, slot: 100ns, tau: 10000}\n"
		     "link: {driver: none, rate: 10Mbit, overhead: 0, queue: 7, catchup: 500us, "
		     "hello: 20ms}\n"
		     "process: {idle: poll, burst: 256, cpus: \"0-1,5\", hugepages: \"no\", "
		     "memory: 64, memif_dir: /tmp}\n");

	(void)state;
	assert_string_equal(s.instance, "x.y-s2-5");
	assert_int_equal(s.addr.mac[0], 6);
	assert_int_equal(s.addr.mac[1], 10);
	assert_int_equal(s.addr.ipv4, UINT32_C(0xac100000));
	assert_int_equal(s.addr.ipv4_len, 12);
	assert_int_equal(s.addr.ipv6[3], 0x56);
	assert_int_equal(s.addr.ipv6_len, 48);
	assert_int_equal(s.choice.scheme, DRB_SCHEME_LEAST);
	assert_int_equal(s.choice.choices, 3);
	assert_int_equal(s.choice.margin, 2);
	assert_int_equal(s.unit, DRB_UNIT_FLOWLET);
	assert_int_equal(s.flow_idle_ns, 2000000000);
	assert_int_equal(s.flow_grace_ns, 3000000);
	assert_int_equal(s.flowlet_gap_ns, 50000);
	assert_int_equal(s.flow_max, 77);
	assert_int_equal(s.slot_ns, 100);
	assert_int_equal(s.tau, 10000);
	assert_int_equal(s.seed, INT64_MAX);
	assert_false(s.check_source);
	assert_int_equal(s.idle, DRB_IDLE_POLL);
	assert_int_equal(s.burst, 256);
	assert_string_equal(s.cpus, "0-1,5");
	assert_int_equal(s.hugepages, DRB_HUGEPAGES_NO);
	assert_int_equal(s.memory_mb, 64);
	for (uint32_t i = 0; i < 4; i++) {
		const struct drb_port_setup *p = &s.ports[i];
		assert_int_equal(p->driver, DRB_DRIVER_NONE);
		assert_string_equal(drb_port_device(p), "");
		assert_true(p->rate.value == 1e7 && !p->rate.per_packet);
		assert_false(p->slotted);
		assert_int_equal(p->overhead, 0);
		assert_int_equal(p->queue, 7);
		assert_int_equal(p->catchup_ns, 500000);
		assert_int_equal(p->hello_ns, 20000000);
	}
}

// What is not said of a slot follows from the uplinks' rate; in the core from that of any port.
static void slots_follow_the_rate(void **state)
{
	static const struct {
		const char *rest;
		uint64_t slot_ns;
	} cases[] = {
		{"link: {rate: 500pps}\n", 2000000},
		{"link: {rate: 10Mbit}\n", 1230400}, // 1514 + 24 octets
		{"link: {rate: 10Mbit, overhead: 0}\n", 1211200},
		{"link: {rate: 10000Gbit}\n", 100},
		{"link: {rate: 0.25pps}\n", 1000000000},
		{"link: {rate: 500pps}\nports: [{name: u0, rate: 1kpps}]\n", 1000000},
		{"link: {rate: 500pps}\nports: [{name: d0, rate: 1kpps}]\n", 2000000},
		{"link: {rate: 500pps}\nrouting: {slot: 3ms}\n", 3000000},
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), HEAD "%s", cases[i].rest);
		assert_int_equal(good(text).slot_ns, cases[i].slot_ns);
	}
	assert_int_equal(good("fabric: {layers: 1, arity: 2}\nswitch: {layer: 1, label: 0}\n"
			      "link: {rate: 500pps}\n")
				 .slot_ns,
			 2000000);
}

// `ports` over `link` over defaults, key by key, for every driver.
static void ports_override_links(void **state)
{
	struct drb_setup s =
		good(HEAD "link: {driver: memif, rate: 500pps, slotted: true, queue: 9}\n"
			  "ports:\n"
			  "  - {name: u1, driver: pci, device: \"0000:3b:00.1,x=1\", rate: none, "
			  "slotted: no}\n"
			  "  - {name: u0, queue: 3, socket: /run/x, hello: off}\n"
			  "  - {name: d1, driver: af_xdp, interface: veth7, catchup: 0s, "
			  "xdp: ./a.o}\n");
	const struct drb_port_setup *d0 = &s.ports[0], *d1 = &s.ports[1], *u0 = &s.ports[2],
				    *u1 = &s.ports[3];

	(void)state;
	// A plain host has no memif.
	assert_int_equal(d0->driver, DRB_DRIVER_AF_PACKET);
	assert_string_equal(d0->interface, "d0");
	assert_int_equal(d0->queue, 9);
	assert_int_equal(d1->driver, DRB_DRIVER_AF_XDP);
	assert_string_equal(drb_port_device(d1), "veth7");
	assert_int_equal(d1->catchup_ns, 0);
	assert_string_equal(d0->xdp, DRB_XDP_STEER);
	assert_string_equal(d1->xdp, "./a.o");
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

static void overrides(void **state)
{
	const struct drb_config_override both = {.layer = 2, .label = 5},
					 label = {.layer = -1, .label = 3},
					 layer = {.layer = 3, .label = -1},
					 far = {.layer = 2, .label = 8},
					 wide = {.layer = 1, .label = 4294967295};
	struct drb_setup s;
	char message[2048];

	(void)state;
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

// One file for all switches: the random streams and salts of two switches differ.
static void seeds_differ(void **state)
{
	struct drb_setup a, b;
	char message[2048];

	(void)state;
	write_file(HEAD);
	assert_int_equal(load(file, &(struct drb_config_override){1, 0}, &a, message, 2048), 0);
	assert_int_equal(load(file, &(struct drb_config_override){1, 1}, &b, message, 2048), 0);
	assert_true(a.choice.salt != b.choice.salt);
}

static const struct drb_port_setup *port_of(const struct drb_setup *s, const struct drb_end *end)
{
	return &s->ports[end->up ? s->down_ports + end->port : end->port];
}

// Both ends of every link between switches derive the same memif socket, and no other link does.
static void memif_sockets_meet(void **state)
{
	static const struct {
		uint32_t l, d;
	} trees[] = {{2, 3}, {3, 2}, {4, 2}};
	static struct drb_setup all[128];
	char text[256], message[2048];

	(void)state;
	for (size_t t = 0; t < ARRAY_SIZE(trees); t++) {
		uint32_t n = 0, links = 0;
		snprintf(text, sizeof(text),
			 "fabric: {name: abcdefghijklmnopqrstuvwx, layers: %u, arity: %u}\n"
			 "link: {driver: memif}\nprocess: {memif_dir: "
			 "/a23456789/b23456789/c23456789/d23456789/e23456789}\n",
			 trees[t].l, trees[t].d);
		write_file(text);
		for (uint32_t m = 1; m <= trees[t].l; m++) {
			uint32_t count = 1; // switches of the layer: the first load knows
			for (uint32_t s = 0; s < count; s++, n++) {
				struct drb_config_override at = {m, s};
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

// What drbtopo writes comes back as it was meant.
static void save_then_load(void **state)
{
	uint32_t choices = 2, queue = 100, overhead = 24, burst = 16, memory = 48;
	uint64_t seed = INT64_MAX;
	bool check = false;
	struct drb_config_switch sw = {.layer = 1, .label = 7};
	struct drb_config_port ports[] = {
		{.name = "d0", .interface = "sw-1", .link = {.rate = "none"}},
		{.name = "u1", .link = {.driver = "vdev"}, .device = "net_null0,size=64"},
	};
	struct drb_config c = {
		.fabric = {.name = "f", .layers = 3, .arity = 2, .mac = "02:0a"},
		.sw = &sw,
		.routing = {.scheme = "micro",
			    .threshold = "1.5",
			    .choices = &choices,
			    .unit = "flow",
			    .flow_idle = "5s",
			    .seed = &seed,
			    .check_source = &check},
		.link = {.rate = "500pps",
			 .queue = &queue,
			 .overhead = &overhead,
			 .catchup = "3ms"},
		.ports = ports,
		.ports_count = 2,
		.process = {.idle = "poll", .burst = &burst, .memory = &memory, .cpus = "0"},
	};
	struct drb_setup s;

	(void)state;
	char *text = NULL;
	size_t length;
	assert_int_equal(drb_config_format(&c, &text, &length), 0);
	assert_int_equal(drb_config_load_text("text", text, length, &s), 0);
	free(text);
	assert_string_equal(s.instance, "f-s1-7");
	assert_int_equal(s.choice.scheme, DRB_SCHEME_MICRO);
	assert_true(s.threshold == 1.5);
	assert_int_equal(s.unit, DRB_UNIT_FLOW);
	assert_int_equal(s.flow_idle_ns, 5000000000);
	assert_int_equal(s.seed, INT64_MAX);
	assert_false(s.check_source);
	assert_int_equal(s.idle, DRB_IDLE_POLL);
	assert_int_equal(s.burst, 16);
	assert_int_equal(s.memory_mb, 48);
	assert_string_equal(s.ports[0].interface, "sw-1");
	assert_true(s.ports[0].rate.value == 0);
	assert_true(s.ports[1].rate.value == 500);
	assert_int_equal(s.ports[1].catchup_ns, 3000000);
	assert_int_equal(s.ports[1].queue, 100);
	assert_int_equal(s.ports[3].driver, DRB_DRIVER_VDEV);
	assert_string_equal(s.ports[3].device, "net_null0,size=64");
}

// What a switch that runs by one config makes of another.
static void keep(const char *now, const char *then, const char *want, struct drb_setup *s)
{
	struct drb_setup running = good(now);
	char kept[256];

	*s = good(then);
	assert_int_equal(drb_config_keep(file, &running, s, kept, sizeof(kept)), 0);
	assert_string_equal(kept, want);
}

static void kept_while_running(void **state)
{
	struct drb_setup s, running = good(HEAD);
	char kept[256];

	(void)state;
	keep(HEAD, HEAD "routing: {scheme: ecmp, unit: flow, threshold: auto, flow_max: 9}\n", "",
	     &s);
	assert_int_equal(s.choice.scheme, DRB_SCHEME_ECMP);
	assert_int_equal(s.flow_max, 9);
	keep(HEAD "routing: {unit: flow}\n", HEAD "routing: {unit: flow, flow_max: 9, seed: 5}\n",
	     "routing.seed, routing.flow_max", &s);
	assert_int_equal(s.flow_max, 1000000);
	assert_int_equal(s.choice.salt, running.choice.salt);
	keep(HEAD, HEAD "link: {rate: 5pps, queue: 7, driver: none}\nprocess: {workers: 2}\n",
	     "process.workers, link.driver", &s);
	assert_int_equal(s.ports[3].queue, 7);
	assert_int_equal(s.ports[3].driver, DRB_DRIVER_AF_PACKET);
	// Queues may take from each other what packet buffers were made for, and no more.
	keep(HEAD "process: {buffers: 10}\n",
	     HEAD "process: {buffers: 10}\nlink: {queue: 500}\nports: [{name: d0, queue: 558}]\n",
	     "", &s);
	assert_int_equal(s.ports[0].queue, 558);
	running = s;
	s = good(HEAD
		 "process: {buffers: 10}\nlink: {queue: 500}\nports: [{name: d0, queue: 559}]\n");
	assert_int_equal(drb_config_keep(file, &running, &s, kept, sizeof(kept)), 0);
	assert_string_equal(kept, "ports[0].queue");
	assert_int_equal(s.ports[0].queue, 558);
	assert_int_equal(s.ports[1].queue, 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_structure),      cmocka_unit_test(bad_types),
		cmocka_unit_test(bad_shapes),         cmocka_unit_test(bad_fabrics),
		cmocka_unit_test(bad_values),         cmocka_unit_test(bad_ports),
		cmocka_unit_test(unreadable_files),   cmocka_unit_test(pipes),
		cmocka_unit_test(defaults),           cmocka_unit_test(slots_follow_the_rate),
		cmocka_unit_test(every_key),          cmocka_unit_test(ports_override_links),
		cmocka_unit_test(overrides),          cmocka_unit_test(seeds_differ),
		cmocka_unit_test(memif_sockets_meet), cmocka_unit_test(save_then_load),
		cmocka_unit_test(kept_while_running),
	};
	return cmocka_run_group_tests_name("config", tests, make_dir, remove_dir);
}
