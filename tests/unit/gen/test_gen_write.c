// SPDX-License-Identifier: BSD-3-Clause
// Captures of drbgen write read back as the traffic that they were made from. Changed captures are
// refused.
#include "fixtures/unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/traffic/traffic.h"

#include "common/cli/log.h"
#include "gen/verbs.h"
#include "gen/captures/manifest.h"
#include "gen/replay/load_measured.h"

#define HOSTS 16
#define SLOTS 50

struct folder {
	char path[64];
};

static int set_up(void **state)
{
	struct folder *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	strcpy(f->path, "/tmp/test_gen_write.XXXXXX");
	*state = f;
	return mkdtemp(f->path) ? 0 : -1;
}

static int tear_down(void **state)
{
	struct folder *f = *state;
	char path[PATH_MAX];

	for (uint32_t h = 0; h < HOSTS; h++) {
		if (capture_path(path, f->path, h))
			unlink(path);
	}
	snprintf(path, sizeof(path), "%s/" MANIFEST_FILE, f->path);
	unlink(path);
	int rc = rmdir(f->path);
	free(f);
	return rc;
}

static void write_traffic(const struct folder *f, const char *seed, const char *pattern)
{
	char *argv[] = {(char *)"drbgen write", (char *)"--out",     (char *)f->path,
			(char *)"--slots=50",   (char *)"--seed",    (char *)seed,
			(char *)"--traffic",    (char *)pattern,     (char *)"--slot=3ms",
			(char *)"--load=0.7",   (char *)"--size=90", NULL};

	assert_int_equal(gen_write(ARRAY_SIZE(argv) - 1, argv), DRB_EXIT_OK);
}

static int read_traffic(const struct folder *f, struct manifest *m, struct trace *t)
{
	if (manifest_load(f->path, m) < 0)
		return -EINVAL;
	struct score *s = score_new(&m->plan, 0, m->slots);
	assert_non_null(s);
	int rc = measured_load(f->path, m, m->slot_ns, t, s);
	score_free(s);
	return rc;
}

TEST_WITH(traffic_reads_back, set_up, tear_down)
{
	static uint32_t dest[SLOTS][HOSTS], memory[DRB_TRAFFIC_WORDS(HOSTS)] = {0};
	struct drb_rng rng = drb_rng_seed(42, 0);
	struct drb_traffic traffic;
	struct manifest m;
	struct trace t = {0};
	uint32_t packets = 0, unordered = 0;

	write_traffic(*state, "42", "permutation");
	assert_int_equal(read_traffic(*state, &m, &t), 0);
	assert_int_equal(m.slot_ns, 3000000);
	assert_int_equal(
		drb_traffic_init(&traffic,
				 &(struct drb_traffic_setup){&m.tree, m.pattern, 0.7, memory},
				 &rng),
		0);
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		drb_traffic_slot(&traffic, &rng, slot, dest[slot]);
		for (uint32_t h = 0; h < HOSTS; h++)
			packets += dest[slot][h] != DRB_NO_LABEL;
	}
	assert_int_equal(t.count, packets);
	for (size_t i = 0; i < t.count; i++) {
		struct frame_probe probe = {0};
		const struct trace_packet *p = &t.packet[i];
		assert_int_equal(frame_parse(p->frame, p->size, &m.plan, &probe), 0);
		assert_int_equal(p->size, 90);
		assert_int_equal(p->host, probe.src);
		// Sent at the time when the host's own link has carried it.
		assert_int_equal(p->time_ns, (probe.cohort + 1) * INT64_C(3000000));
		assert_int_equal(dest[probe.cohort][probe.src], probe.dst);
		dest[probe.cohort][probe.src] = DRB_NO_LABEL; // each once
		if (i == 0)
			continue;
		assert_true(p[-1].time_ns <= p->time_ns);
		unordered += p[-1].time_ns == p->time_ns && p[-1].host > p->host;
	}
	// No host is always first in its slot.
	assert_true(unordered > packets / 3 && unordered < packets * 2 / 3);
	trace_free(&t);
}

TEST_WITH(seeds_decide, set_up, tear_down)
{
	struct trace t[3] = {0};
	struct manifest m;
	static const char *const seeds[] = {"1", "1", "2"};

	for (size_t i = 0; i < 3; i++) {
		write_traffic(*state, seeds[i], "random");
		assert_int_equal(read_traffic(*state, &m, &t[i]), 0);
	}
	assert_int_equal(t[0].count, t[1].count);
	uint32_t differ = 0;
	for (size_t i = 0; i < t[0].count; i++) {
		assert_memory_equal(t[0].packet[i].frame, t[1].packet[i].frame, 90);
		if (i < t[2].count)
			differ += memcmp(t[0].packet[i].frame, t[2].packet[i].frame, 90) != 0;
	}
	assert_true(differ > t[0].count / 2);
	for (size_t i = 0; i < 3; i++)
		trace_free(&t[i]);
}

static void refused(const struct folder *f)
{
	struct manifest m;
	struct trace t = {0};

	assert_int_equal(read_traffic(f, &m, &t), -EINVAL);
	trace_free(&t);
}

// Overwrites bytes in the capture of a host.
static void patch(const struct folder *f, uint32_t host, long at, const void *bytes, size_t size)
{
	char path[PATH_MAX];

	assert_true(capture_path(path, f->path, host));
	FILE *file = fopen(path, "r+e");
	assert_non_null(file);
	assert_int_equal(fseek(file, at, SEEK_SET), 0);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

TEST_WITH(altered_traffic_is_refused, set_up, tear_down)
{
	const struct folder *f = *state;
	// In a capture: file header 24, record header 16, then the frame.
	enum { FRAME = 24 + 16, PROBE = FRAME + FRAME_PROBE_AT };
	char a[PATH_MAX], b[PATH_MAX], c[PATH_MAX];
	struct stat st;

	assert_true(capture_path(a, f->path, 0) && capture_path(b, f->path, 1));
	snprintf(c, sizeof(c), "%s/h2.pcap.old", f->path);

	write_traffic(f, "1", "permutation");
	patch(f, 3, 24, "\1", 1); // time stamp
	refused(f);
	write_traffic(f, "1", "permutation");
	patch(f, 3, PROBE, "x", 1); // magic
	refused(f);
	write_traffic(f, "1", "permutation");
	patch(f, 3, FRAME, "x", 1); // destination MAC
	refused(f);
	write_traffic(f, "1", "permutation");
	patch(f, 3, PROBE + 20, "\0\0\0\7", 4); // sequence number
	refused(f);
	write_traffic(f, "1", "permutation");
	assert_int_equal(rename(a, c), 0);
	assert_int_equal(rename(b, a), 0);
	assert_int_equal(rename(c, b), 0); // another host's file
	refused(f);
	write_traffic(f, "1", "permutation");
	assert_int_equal(stat(a, &st), 0);
	assert_int_equal(truncate(a, st.st_size - 1), 0); // in the middle of a packet
	refused(f);
	assert_int_equal(truncate(a, st.st_size - 16 - 90), 0); // the last packet
	refused(f);
	assert_int_equal(unlink(b), 0);
	refused(f);
}

TEST_MAIN(NULL, NULL)
