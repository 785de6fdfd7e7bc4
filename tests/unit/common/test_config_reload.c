// SPDX-License-Identifier: BSD-3-Clause
// A running switch applies another config. Also tests the defaults of keys.
#include "fixtures/config_files.h"

#include "common/config/format.h"

// Reloads: a running switch with config `now` gets config `then`. want lists the keys that keep
// their values.
static void keep(const char *now, const char *then, const char *want, struct drb_setup *s)
{
	struct drb_setup running = good(now);
	char kept[256];

	*s = good(then);
	assert_int_equal(drb_config_keep(file, &running, s, kept, sizeof(kept)), 0);
	assert_string_equal(kept, want);
}

TEST(kept_while_running)
{
	struct drb_setup s, running = good(HEAD);
	char kept[256];

	keep(HEAD, HEAD "routing: {scheme: ecmp, unit: flow, threshold: auto, flow_max: 9}\n", "",
	     &s);
	assert_int_equal(s.scheme.like, DRB_SCHEME_ECMP);
	assert_int_equal(s.flow_max, 9);
	keep(HEAD "routing: {unit: flow}\n", HEAD "routing: {unit: flow, flow_max: 9, seed: 5}\n",
	     "routing.flow_max, routing.seed", &s);
	assert_int_equal(s.flow_max, 1000000);
	assert_int_equal(s.choice.salt, running.choice.salt);
	keep(HEAD, HEAD "link: {rate: 5pps, queue: 7, driver: none}\nprocess: {workers: 2}\n",
	     "process.workers, link.driver", &s);
	assert_int_equal(s.ports[3].queue, 7);
	assert_int_equal(s.ports[3].driver, DRB_DRIVER_AF_PACKET);
	// Queues may share the packet buffers that were allocated at the start, and no more.
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

// A link with a delay holds a limited number of packets. A rate that would need more is not
// applied.
TEST(kept_where_a_link_has_no_room)
{
	struct drb_setup s, started = good(HEAD "link: {rate: 10kpps, delay: 3ms}\n"), slower;
	char kept[256];

	// 51 packets: 50 and one more. A lower rate is applied, and so is the original rate after
	// it.
	assert_int_equal(started.ports[2].on_link, 51);
	slower = good(HEAD "link: {rate: 5kpps, delay: 3ms}\n");
	assert_int_equal(drb_config_keep(file, &started, &slower, kept, sizeof(kept)), 0);
	assert_string_equal(kept, "");
	s = started;
	assert_int_equal(drb_config_keep(file, &slower, &s, kept, sizeof(kept)), 0);
	assert_string_equal(kept, "");
	assert_true(s.ports[2].rate.value == 10000);
	// A higher rate is not applied, nor are the keys that belong to it. Links to hosts have no
	// delay.
	s = good(HEAD "link: {rate: 20kpps, catchup: 3ms, slotted: true, delay: 3ms}\n");
	assert_int_equal(drb_config_keep(file, &slower, &s, kept, sizeof(kept)), 0);
	assert_string_equal(kept, "link.rate, link.slotted, link.catchup");
	assert_true(s.ports[2].rate.value == 5000 && s.ports[0].rate.value == 20000);
	assert_true(!s.ports[2].slotted && s.ports[0].slotted);
	assert_int_equal(s.ports[2].on_link, 51);
	// The delay never changes on a reload, and a link with a delay needs a rate.
	keep(HEAD "link: {rate: 10kpps, delay: 3ms}\n", HEAD "link: {rate: 10kpps, delay: 9ms}\n",
	     "link.delay", &s);
	assert_int_equal(s.ports[2].on_link, 51);
	keep(HEAD "link: {rate: 10kpps, delay: 3ms}\n", HEAD, "link.delay, link.rate", &s);
	assert_true(s.ports[2].rate.value == 10000);
}

// Two values for a key, and other keys that the file needs for them, such as "routing.unit=flow
// link.rate=1pps".
struct sample {
	const char *key, *from, *to, *with;
};

// Samples that cannot be derived from the key's row.
static const struct sample samples[] = {
	{"fabric.layers", "3", "4", ""},
	{"process.operators", "adm", "daemon", ""},
	{"routing.scheme", "drb", "micro", ""},
	{"fabric.arity", "2", "3", ""},
	{"fabric.uplinks", "1", "2", ""},
	{"fabric.name", "a", "b", ""},
	{"fabric.mac", "02:00", "06:00", ""},
	{"fabric.ipv4", "10.0.0.0/8", "10.0.0.0/9", ""},
	{"fabric.ipv6", "fd00::/64", "fd00::/65", ""},
	{"fabric.hello_key", "/a", "/b", ""},
	{"switch.layer", "1", "2", ""},
	{"switch.label", "0", "1", ""},
	{"routing.threshold", "2", "auto", ""},
	{"routing.flow_max", "5", "6", "routing.unit=flow"},
	{"link.rate", "5pps", "none", ""},
	{"link.slotted", "false", "true", "link.rate=5pps"},
	{"link.delay", "0s", "3ms", "link.rate=5pps"},
	{"link.driver", "af_packet", "none", ""},
	{"link.queue", "5", "6", ""},
	{"link.hello", "off", "20ms", ""},
	{"link.loss_limit", "off", "0.5%", ""},
	{"ports.name", "u0", "u1", ""},
	{"ports.interface", "a", "b", ""},
	{"ports.socket", "/a", "/b", "link.driver=memif"},
	{"ports.device", "net_a0", "net_b0", ""},
	{"process.cpus", "0", "0-1", ""},
	{"process.memif_dir", "/a", "/b", ""},
};

static struct sample sample_of(const struct drb_config_key *key, char text[2][32])
{
	struct sample s = {text[0], text[0], text[1], ""};
	static char path[64];

	snprintf(path, sizeof(path), "%s.%s", drb_config_section_name(key->section), key->name);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		if (strcmp(samples[i].key, path) == 0)
			return samples[i];
	}
	for (int i = 0; i < 2; i++) {
		if (key->type == DRB_VALUE_NUMBER)
			snprintf(text[i], 32, "%llu", (unsigned long long)key->min + (unsigned)i);
		else if (key->type == DRB_VALUE_TIME)
			snprintf(text[i], 32, "%lluns", (unsigned long long)key->min + (unsigned)i);
		else if (key->type == DRB_VALUE_TRUTH)
			snprintf(text[i], 32, "%s", i ? "false" : "true");
		else if (key->type == DRB_VALUE_WORD)
			snprintf(text[i], 32, "%s", key->word((uint32_t)i));
		else
			fail_msg("%s: samples[] needs two values of it", path);
	}
	s.key = path;
	return s;
}

// The setup of a file with one key set to this value.
static struct drb_setup setup_with(const struct sample *sample, const char *value)
{
	struct drb_config_values values = {0};
	char *text = NULL, whole[2048], path[64], other[64];
	bool of_entry = strncmp(sample->key, "ports.", 6) == 0;
	size_t length;

	drb_config_set(&values, "fabric.layers", "3");
	drb_config_set(&values, "fabric.arity", "2");
	drb_config_set(&values, "switch.layer", "1");
	drb_config_set(&values, "switch.label", "0");
	if (sscanf(sample->with, "%63[^=]=%63s", path, other) == 2)
		drb_config_set(&values, path, other);
	if (!of_entry)
		drb_config_set(&values, sample->key, value);
	assert_int_equal(drb_config_format(&values, &text, &length), 0);
	length = (size_t)snprintf(whole, sizeof(whole), "%s", text);
	free(text);
	if (strcmp(sample->key, "ports.name") == 0)
		snprintf(whole + length, sizeof(whole) - length, "ports: [{name: %s}]\n", value);
	else if (of_entry)
		snprintf(whole + length, sizeof(whole) - length, "ports: [{name: u0, %s: %s%s}]\n",
			 sample->key + 6, value,
			 strstr(sample->key, "device") ? ", driver: vdev" : "");
	return good(whole);
}

// The member of a key in the setup; for a key of a port, that of port u0.
static const void *member(const struct drb_config_key *key, const struct drb_setup *s)
{
	bool of_port = key->section == DRB_SECTION_LINK || key->section == DRB_SECTION_PORTS;

	return (const char *)(of_port ? (const void *)&s->ports[2] : s) + key->at;
}

// A missing key has the default of its row.
TEST(defaults_are_what_rows_say)
{
	for (size_t i = 0; i < DRB_CONFIG_KEYS; i++) {
		const struct drb_config_key *key = &drb_config_keys[i];
		char text[2][32];
		const struct sample sample = sample_of(key, text),
				    without = {"fabric.layers", "", "", sample.with};
		if (!key->initial)
			continue;
		struct drb_setup s = setup_with(&sample, key->initial),
				 plain = setup_with(&without, "3");
		if (memcmp(&s, &plain, sizeof(s)) != 0)
			fail_msg("%s: another one than %s", sample.key, key->initial);
	}
}

// On a reload every key follows the policy of its row (keys.h).
TEST(every_policy_holds)
{
	char text[2][32], kept[256], want[64];

	for (size_t i = 0; i < DRB_CONFIG_KEYS; i++) {
		const struct drb_config_key *key = &drb_config_keys[i];
		struct sample sample = sample_of(key, text);
		struct drb_setup now = setup_with(&sample, sample.from),
				 then = setup_with(&sample, sample.to), s = then;
		bool stays = key->reload != DRB_RELOAD_AT_ONCE,
		     named = key->section == DRB_SECTION_PORTS;
		int rc = drb_config_keep(file, &now, &s, kept, sizeof(kept));
		if (strcmp(sample.key, "ports.name") == 0) {
			assert_string_equal(kept, "");
			continue;
		}
		if (memcmp(&now, &then, sizeof(now)) == 0)
			fail_msg("%s: %s is %s", sample.key, sample.from, sample.to);
		assert_int_equal(rc, key->reload == DRB_RELOAD_REFUSED ? -EINVAL : 0);
		if (rc < 0)
			continue;
		snprintf(want, sizeof(want), "%s%s", named ? "ports[0]." : "",
			 named ? key->name : sample.key);
		if (strcmp(kept, stays ? want : "") != 0)
			fail_msg("%s: kept \"%s\"", sample.key, kept);
		assert_memory_equal(member(key, &s), member(key, stays ? &now : &then), key->size);
	}
}

TEST_MAIN(make_dir, remove_dir)
