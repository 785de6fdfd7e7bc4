// SPDX-License-Identifier: BSD-3-Clause
// The program in the kernel scores frames like user space does. Both get the same random history of
// losses, duplicates, misdelivered, overtaking and foreign packets, and must agree.
#include "fixtures/unit.h"

#include <bpf/bpf.h>
#include "core/math/random.h"
#include <linux/bpf.h>

#include "common/cli/clock.h"
#include "gen/sinks/sink.h"

#define HOSTS 8
#define PACKETS 2000
#define COHORTS (PACKETS / HOSTS / 2)
#define LOOPBACK 1 // index of the interface by which frames arrive when the kernel tests a program

struct run {
	struct drb_addr_plan plan;
	struct frame_probe sent[PACKETS];
	uint32_t order[2 * PACKETS], arrivals; // indices of sent[]
	struct score *user, *kernel;
	struct sink *sink;
	int program[HOSTS];
	uint64_t spread_ns; // between the clocks of both scores, summed over all arrivals
	uint64_t spread_max;
};

static void send_packets(struct run *r, struct drb_rng *rng)
{
	uint32_t next[HOSTS][HOSTS] = {0};
	uint64_t now = drb_clock_now();

	for (uint32_t i = 0; i < PACKETS; i++) {
		struct frame_probe *p = &r->sent[i];
		p->src = i % HOSTS;
		p->dst = (p->src + 1 + drb_rng_below(rng, 2)) % HOSTS;
		p->cohort = i / HOSTS / 2; // two packets of every host
		p->sequence = next[p->src][p->dst]++;
		p->tx_ns = now - 1000000 * (uint64_t)(1 + drb_rng_below(rng, 50));
		assert_int_equal(score_expect(r->user, p->src, p->dst, p->cohort), p->sequence);
		assert_int_equal(score_expect(r->kernel, p->src, p->dst, p->cohort), p->sequence);
	}
}

// One in eight packets is lost, one in eight arrives twice; some adjacent arrivals are exchanged.
static void choose_arrivals(struct run *r, struct drb_rng *rng)
{
	r->arrivals = 0;
	for (uint32_t i = 0; i < PACKETS; i++) {
		uint32_t fate = drb_rng_below(rng, 8), copies = fate == 0 ? 0 : fate == 1 ? 2 : 1;
		while (copies--)
			r->order[r->arrivals++] = i;
	}
	for (uint32_t i = 0; i < r->arrivals; i++) {
		uint32_t span = r->arrivals - i < 100 ? r->arrivals - i : 100;
		uint32_t j = i + drb_rng_below(rng, span), swap = r->order[i];
		r->order[i] = r->order[j];
		r->order[j] = swap;
	}
}

// The kernel's verdict about one frame at a host.
static uint32_t kernel_takes(struct run *r, uint32_t host, uint8_t *frame, uint32_t size)
{
	struct bpf_test_run_opts opts = {
		.sz = sizeof(opts), .data_in = frame, .data_size_in = size, .repeat = 1};

	assert_int_equal(bpf_prog_test_run_opts(r->program[host], &opts), 0);
	return opts.retval;
}

static void arrive(struct run *r, uint32_t host, uint8_t *frame)
{
	uint64_t before = drb_clock_now();

	assert_int_equal(kernel_takes(r, host, frame, FRAME_MIN), XDP_DROP);
	uint64_t after = drb_clock_now();
	score_frame(r->user, host, frame, FRAME_MIN, after);
	r->spread_ns += after - before;
	r->spread_max = after - before > r->spread_max ? after - before : r->spread_max;
}

static void arrive_all(struct run *r, struct drb_rng *rng)
{
	for (uint32_t i = 0; i < r->arrivals; i++) {
		struct frame_probe p = r->sent[r->order[i]];
		uint8_t frame[FRAME_MIN];
		uint32_t host = p.dst, strange = drb_rng_below(rng, 40);
		if (drb_rng_below(rng, 8) == 0)
			host = drb_rng_below(rng, HOSTS);
		if (strange == 0)
			p.sequence += PACKETS; // was not announced
		else if (strange == 1)
			p.tx_ns = 1; // of an earlier run
		else if (strange == 2)
			p.dst = (p.src + 5) % HOSTS; // no such stream
		frame_build(frame, sizeof(frame), &r->plan, &p);
		if (strange == 3)
			frame[DRB_ETHER_DST + 5] ^= 1;
		if (strange == 4)
			drb_store32(frame + FRAME_AT(dst), HOSTS + 3);
		arrive(r, host, frame);
	}
}

// Setup of a run. Fails where the kernel does not permit it.
static int set_up(struct run *r, struct drb_rng *rng)
{
	r->plan = drb_addr_default(HOSTS);
	r->user = score_new(&r->plan, 10, COHORTS);
	r->kernel = score_new(&r->plan, 10, COHORTS);
	assert_true(r->user && r->kernel);
	send_packets(r, rng);
	choose_arrivals(r, rng);
	const struct sink_xdp_setup setup = {&r->plan, r->kernel, "eth0"};
	int rc = sink_xdp_new(&setup, &r->sink);
	if (rc < 0)
		return rc;
	uint64_t start = drb_clock_now() - UINT64_C(1000000000);
	assert_int_equal(score_ready(r->user, start), 0);
	assert_int_equal(score_ready(r->kernel, start), 0);
	for (uint32_t h = 0; h < HOSTS; h++) {
		r->program[h] = sink_xdp_program(r->sink, h, LOOPBACK);
		assert_true(r->program[h] >= 0);
	}
	return 0;
}

static void tear_down(struct run *r)
{
	if (r->sink)
		r->sink->ops->destroy(r->sink);
	score_free(r->user);
	score_free(r->kernel);
}

static void same_counts(const struct tally *kernel, const struct tally *user)
{
	assert_int_equal(kernel->received, user->received);
	assert_int_equal(kernel->delivered, user->delivered);
	assert_int_equal(kernel->duplicated, user->duplicated);
	assert_int_equal(kernel->misdelivered, user->misdelivered);
	assert_int_equal(kernel->reordered, user->reordered);
	assert_int_equal(kernel->strangers, user->strangers);
	assert_true(user->delivered && user->duplicated && user->misdelivered && user->reordered &&
		    user->strangers);
}

static void near(double kernel, double user, uint64_t spread)
{
	assert_true(kernel <= user);
	assert_true(kernel >= user - (double)spread);
}

TEST(kernel_and_user_agree)
{
	struct drb_rng rng = drb_rng_seed(21, 0);
	struct tally kernel, user;
	struct drb_latency in_kernel, in_user;
	for (uint32_t round = 0; round < 4; round++) {
		struct run *r = calloc(1, sizeof(*r));
		assert_non_null(r);
		int rc = set_up(r, &rng);
		if (rc < 0) {
			tear_down(r);
			free(r);
			assert_true(rc == -EPERM || rc == -ENOTSUP || rc == -ENOSYS);
			skip();
		}
		// A packet of an earlier run that is still in flight when this one begins.
		uint8_t frame[FRAME_MIN];
		struct frame_probe old = r->sent[0];
		old.tx_ns = 1;
		frame_build(frame, sizeof(frame), &r->plan, &old);
		assert_int_equal(kernel_takes(r, r->sent[0].dst, frame, FRAME_MIN), XDP_DROP);
		assert_int_equal(r->sink->ops->start(r->sink), 0);
		arrive_all(r, &rng);
		assert_true(r->sink->ops->delivered(r->sink) >= score_delivered(r->user));
		assert_int_equal(r->sink->ops->stop(r->sink), 0);
		r->sink->ops->result(r->sink, &kernel, &in_kernel);
		score_result(r->user, &user, &in_user);
		user.strangers++;
		same_counts(&kernel, &user);
		assert_int_equal(in_kernel.samples, in_user.samples);
		near(in_kernel.mean * (double)in_kernel.samples,
		     in_user.mean * (double)in_user.samples, r->spread_ns);
		near(in_kernel.p50, in_user.p50, r->spread_max);
		near(in_kernel.p99, in_user.p99, r->spread_max);
		near(in_kernel.max, in_user.max, r->spread_max);
		near(in_kernel.tail, in_user.tail, r->spread_max);
		tear_down(r);
		free(r);
	}
}

TEST(everything_else_passes)
{
	struct drb_rng rng = drb_rng_seed(22, 0);
	struct run *r = calloc(1, sizeof(*r));
	uint8_t frame[FRAME_MIN];
	assert_non_null(r);
	int rc = set_up(r, &rng);
	if (rc < 0) {
		tear_down(r);
		free(r);
		assert_true(rc == -EPERM || rc == -ENOTSUP || rc == -ENOSYS);
		skip();
	}
	assert_int_equal(r->sink->ops->start(r->sink), 0);
	static const uint32_t byte[] = {
		DRB_ETHER_TYPE, FRAME_IP,        FRAME_IP + DRB_IPV4_PROTOCOL,
		FRAME_UDP + 3,  FRAME_AT(magic), FRAME_AT(version)};
	for (size_t i = 0; i < ARRAY_SIZE(byte); i++) {
		frame_build(frame, sizeof(frame), &r->plan, &r->sent[0]);
		frame[byte[i]] ^= 0x10;
		assert_int_equal(kernel_takes(r, r->sent[0].dst, frame, FRAME_MIN), XDP_PASS);
	}
	frame_build(frame, sizeof(frame), &r->plan, &r->sent[0]);
	assert_int_equal(kernel_takes(r, r->sent[0].dst, frame, FRAME_MIN - 1), XDP_PASS);
	assert_int_equal(kernel_takes(r, r->sent[0].dst, frame, FRAME_MIN), XDP_DROP);
	assert_int_equal(r->sink->ops->delivered(r->sink), 1);
	tear_down(r);
	free(r);
}

// A sink for packets from host 0 to host 1, all of slot 0, or NULL where the kernel does not permit
// it.
static struct sink *new_sink(struct score **score, const struct drb_addr_plan *plan,
			     uint32_t packets)
{
	struct sink *sink;

	*score = score_new(plan, 0, 1);
	assert_non_null(*score);
	while (packets-- > 0)
		assert_true(score_expect(*score, 0, 1, 0) >= 0);
	const struct sink_xdp_setup setup = {plan, *score, "eth0"};
	int rc = sink_xdp_new(&setup, &sink);
	if (rc < 0) {
		score_free(*score);
		assert_true(rc == -EPERM || rc == -ENOTSUP || rc == -ENOSYS);
		return NULL;
	}
	assert_int_equal(score_ready(*score, 1), 0);
	assert_int_equal(sink->ops->start(sink), 0);
	return sink;
}

// One frame with this sequence number arrives at host 1 several times.
static void comes(struct sink *sink, const struct drb_addr_plan *plan, uint32_t sequence,
		  uint32_t times)
{
	const struct frame_probe probe = {.dst = 1, .sequence = sequence, .tx_ns = drb_clock_now()};
	uint8_t frame[FRAME_MIN];
	struct bpf_test_run_opts opts = {.sz = sizeof(opts),
					 .data_in = frame,
					 .data_size_in = sizeof(frame),
					 .repeat = (int)times};

	frame_build(frame, sizeof(frame), plan, &probe);
	assert_int_equal(bpf_prog_test_run_opts(sink_xdp_program(sink, 1, LOOPBACK), &opts), 0);
	assert_int_equal(opts.retval, XDP_DROP);
}

// delivered() counts each packet once: a run waits for the last packet, and no longer.
TEST(all_are_known_to_be_there)
{
	struct drb_addr_plan plan = drb_addr_default(HOSTS);
	struct score *score;
	struct sink *sink = new_sink(&score, &plan, 2);

	if (!sink)
		skip();
	comes(sink, &plan, 1, 1);
	assert_int_equal(sink->ops->delivered(sink), 1);
	comes(sink, &plan, 1, 1);
	assert_int_equal(sink->ops->delivered(sink), 1);
	comes(sink, &plan, 0, 1);
	assert_int_equal(sink->ops->delivered(sink), 2);
	sink->ops->destroy(sink);
	score_free(score);
}

TEST(what_finds_no_room_is_counted)
{
	const uint32_t times = 1 << 20;
	struct drb_addr_plan plan = drb_addr_default(HOSTS);
	struct score *score;
	struct sink *sink = new_sink(&score, &plan, 1);
	struct drb_latency latency;
	struct tally tally;

	if (!sink)
		skip();
	comes(sink, &plan, 0, times);
	assert_int_equal(sink->ops->stop(sink), 0);
	sink->ops->result(sink, &tally, &latency);
	assert_int_equal(tally.delivered, 1);
	assert_true(tally.duplicated > 0);
	assert_true(tally.receiver_dropped > 0);
	assert_int_equal(tally.received + tally.receiver_dropped, times);
	sink->ops->destroy(sink);
	score_free(score);
}

TEST(hosts_share_a_program)
{
	struct drb_addr_plan plan = drb_addr_default(HOSTS);
	struct score *score;
	struct sink *sink = new_sink(&score, &plan, 1);

	if (!sink)
		skip();
	int first = sink_xdp_program(sink, 3, 1003);
	assert_true(first >= 0);
	assert_int_equal(sink_xdp_program(sink, 4, 1004), first);
	int other = sink_xdp_program(sink, 5, LOOPBACK);
	assert_true(other >= 0);
	assert_int_not_equal(other, first);
	sink->ops->destroy(sink);
	score_free(score);
}

TEST_MAIN(NULL, NULL)
