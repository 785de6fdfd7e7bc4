// SPDX-License-Identifier: BSD-3-Clause
// Gray failures: losses of a link are detected soon and reliably. Chance and packets in flight do
// not count as loss. A link that was lossy is not trusted again at once.
#include "fixtures/unit.h"

#include "core/links/link_state.h"
#include "core/math/random.h"

#define MS UINT64_C(1000000)
#define LIMIT 10000 // 1 %

static const struct drb_end peer = {.layer = 2, .label = 5, .port = 1};

// A link over which a neighbour sends data and hellos, and which may lose each of them.
struct line {
	struct drb_link link;
	struct drb_rng rng;
	double loss;
	uint32_t rate;   // of data, frames/s
	uint32_t flight; // frames in flight
	bool overtaken;  // a hello may overtake data
	uint32_t since;  // frames that arrived since the hello
	uint32_t behind; // of these, frames that were received before the hello
	uint64_t sent, lost, number, now_ms;
	bool long_lost; // all long hellos are lost
	uint32_t changes;
};

static struct line begin(double loss, uint32_t rate, uint64_t seed)
{
	struct line line = {
		.rng = drb_rng_seed(seed, 7), .loss = loss, .rate = rate, .now_ms = 1000};
	const struct drb_link_setup setup = {.peer = peer,
					     .fabric = 1,
					     .period_ns = 100 * MS,
					     .instance = 1,
					     .loss_limit = LIMIT,
					     .mtu = 9000};

	drb_link_init(&line.link, &setup, true, line.now_ms * MS);
	return line;
}

static bool is_lost(struct line *line)
{
	return drb_rng_unit(&line->rng) < line->loss;
}

// Advances the time to the next hello.
static void step(struct line *line)
{
	struct drb_hello ours = {0};
	bool changed;

	drb_link_say(&line->link, &ours, line->now_ms * MS);
	const uint32_t period = (ours.flags & (DRB_HELLO_PROBE | DRB_HELLO_LOSSY)) ? 10 : 100;
	for (uint32_t n = 0; n < line->rate * period / 1000; n++) {
		line->sent++;
		line->lost += is_lost(line);
	}
	line->now_ms += period;
	struct drb_hello hello = {.from = peer,
				  .fabric = 1,
				  .period_ms = 100,
				  .serial = {2, ++line->number},
				  .flags = DRB_HELLO_HEARS,
				  .size = 100,
				  .sent = line->sent};
	line->sent++;
	if (is_lost(line) || (line->long_lost && line->number % DRB_HELLO_LONG_EVERY == 0)) {
		line->lost++;
		return;
	}
	enum drb_link_state before = line->link.state;
	assert_int_equal(drb_link_hear_hello(&line->link, &hello, 0, line->now_ms * MS, &changed),
			 DRB_HELLO_TAKEN);
	const int64_t missing = (int64_t)(line->lost + line->flight);
	drb_link_count(&line->link,
		       &(struct drb_loss_sample){.sent = line->sent,
						 .missing = missing - line->behind,
						 .most = missing + line->since,
						 .complete = line->flight == 0 || line->overtaken},
		       line->now_ms * MS);
	line->changes += line->link.state != before && before != DRB_LINK_UNKNOWN;
}

static void run(struct line *line, uint64_t ms)
{
	for (uint64_t end = line->now_ms + ms; line->now_ms < end;)
		step(line);
}

// Losses of 5, 10 and 40 % are detected within two seconds, and stay detected while they last.
TEST(losses_are_found)
{
	const double losses[] = {0.05, 0.10, 0.40};

	for (size_t i = 0; i < ARRAY_SIZE(losses); i++) {
		uint32_t late = 0;
		for (uint64_t seed = 0; seed < 200; seed++) {
			struct line line = begin(0, 500, seed);
			run(&line, 5000);
			assert_int_equal(line.link.state, DRB_LINK_UP);
			line.loss = losses[i];
			run(&line, 2000);
			late += line.link.state != DRB_LINK_LOSSY;
			assert_true(drb_loss_share(&line.link.loss) > LIMIT);
			assert_true(drb_link_is_spare(&line.link) ||
				    line.link.state == DRB_LINK_UP);
			line.rate = 0; // traffic avoids the link: only hellos count
			run(&line, 600000);
			assert_int_equal(line.link.state, DRB_LINK_LOSSY);
			assert_true(line.changes == 1);
			double share = drb_loss_share(&line.link.loss) / 1e6;
			assert_true(share > losses[i] * 0.7 && share < losses[i] * 1.3);
		}
		assert_int_equal(late, 0);
	}
}

// Without data the loss is detected once hellos are lost.
TEST(found_without_data)
{
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct line line = begin(0, 0, seed);
		run(&line, 5000);
		line.loss = 0.1;
		run(&line, 20000);
		assert_int_equal(line.link.state, DRB_LINK_LOSSY);
	}
}

// A tenth of the limit does not make a link lossy, for hours and at any rate. The loss is reported.
TEST(little_is_left_alone)
{
	const uint32_t rates[] = {0, 10, 500, 5000};

	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		struct line line = begin(0.001, rates[i], i);
		run(&line, 3600000);
		assert_int_equal(line.link.state, DRB_LINK_UP);
		assert_int_equal(line.changes, 0);
		if (rates[i] >= 5000)
			assert_in_range(drb_loss_share(&line.link.loss), 600, 1400);
	}
}

// Packets in flight, in a queue that slowly fills and empties, are not counted as lost and hide no
// loss. The same holds for data that a hello sometimes overtakes.
TEST(in_flight)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct line line = begin(0, 20000, seed);
		for (uint32_t n = 0; n < 400; n++) {
			run(&line, 10 + drb_rng_below(&line.rng, 200));
			line.flight = n % 50 * 100;
			line.since = drb_rng_below(&line.rng, 100);
		}
		assert_int_equal(line.link.state, DRB_LINK_UP);
		line.overtaken = true;
		for (uint32_t n = 0; n < 400; n++) {
			line.flight = n % 7 ? 0 : 500;
			step(&line);
		}
		assert_int_equal(line.link.state, DRB_LINK_UP);
		line.overtaken = false;
		line.flight = 0;
		line.loss = 0.05;
		run(&line, 2000);
		assert_int_equal(line.link.state, DRB_LINK_LOSSY);
	}
}

// A hello that is read late, after data that followed it, is not a loss, then or when later hellos
// arrive.
TEST(late_hello)
{
	for (uint64_t ms = 0; ms < 10000; ms += 500) {
		struct line line = begin(0, 500, 1);
		run(&line, ms);
		line.behind = 60;
		step(&line);
		line.behind = 0;
		for (uint32_t n = 0; n < 700; n++) {
			step(&line);
			assert_int_equal(drb_loss_share(&line.link.loss), 0);
			assert_false(drb_loss_is_suspect(&line.link.loss));
		}
	}
}

// The link is also trusted again when the limit is so small that no loss is expected within a
// minute.
TEST(trusted_again_small)
{
	struct line line = begin(0.4, 500, 1);

	line.link.setup.loss_limit = 1000;
	run(&line, 5000);
	assert_int_equal(line.link.state, DRB_LINK_LOSSY);
	line.loss = 0;
	line.rate = 0;
	run(&line, 200000);
	assert_int_equal(line.link.state, DRB_LINK_UP);
}

// The link is trusted again after two minutes without loss, the next time after four.
TEST(trusted_again)
{
	struct line line = begin(0, 500, 1);

	for (uint64_t minutes = 2; minutes <= 8; minutes *= 2) {
		run(&line, 10000);
		assert_int_equal(line.link.state, DRB_LINK_UP);
		line.loss = 0.1;
		run(&line, 2000);
		assert_int_equal(line.link.state, DRB_LINK_LOSSY);
		line.loss = 0;
		run(&line, minutes * 60000 - 5000);
		assert_int_equal(line.link.state, DRB_LINK_LOSSY);
		run(&line, 10000);
		assert_int_equal(line.link.state, DRB_LINK_UP);
	}
	assert_int_equal(line.changes, 6);
}

// Only long frames are lost. Hellos of both sizes reveal this whatever the limit is, and whenever
// it begins.
TEST(long_frames)
{
	for (uint64_t ms = 1000; ms < 1800; ms += 100) {
		struct line line = begin(0, 0, 1);
		line.link.setup.loss_limit = DRB_LOSS_ALL;
		run(&line, ms);
		line.long_lost = true;
		run(&line, 1800);
		assert_int_equal(line.link.state, DRB_LINK_LOSSY);
		assert_true(line.link.short_hellos >= DRB_SHORT_HELLOS_MAX);
		line.long_lost = false;
		run(&line, 200000);
		assert_int_equal(line.link.state, DRB_LINK_UP);
	}
}

// One of four hellos that this switch sends is as long as the fabric's frames, or as the longest
// frame that its device sends.
TEST(own_long_hellos)
{
	struct line line = begin(0, 0, 1);
	const uint16_t mtus[] = {0, 1000, 1500, 9000}, sizes[] = {9014, 1014, 1514, 9014};

	for (size_t i = 0; i < ARRAY_SIZE(mtus); i++) {
		uint32_t lengthened = 0;
		for (uint32_t n = 0; n < DRB_HELLO_LONG_EVERY; n++) {
			struct drb_hello ours = {.mtu = mtus[i]};
			drb_link_say(&line.link, &ours, line.now_ms * MS);
			lengthened += ours.size == sizes[i];
		}
		assert_int_equal(lengthened, 1);
	}
}

// Losses while the link was down, however often, do not make it lossy.
TEST(dead_is_not_lossy)
{
	struct line line = begin(0, 500, 1);

	for (uint32_t n = 0; n < 20; n++) {
		run(&line, 10000);
		line.loss = 1;
		run(&line, 500);
		drb_link_check(&line.link, true, true, line.now_ms * MS);
		assert_int_equal(line.link.state, DRB_LINK_DOWN);
		line.loss = 0;
		run(&line, 200);
		assert_true(line.link.state == DRB_LINK_UP || line.link.state == DRB_LINK_FLAPPING);
	}
}

// Lost long hellos do not either, even if every outage hits the long ones.
TEST(dead_loses_long_hellos)
{
	struct line line = begin(0, 500, 1);

	while (line.number % DRB_HELLO_LONG_EVERY != DRB_HELLO_LONG_EVERY - 1)
		step(&line);
	for (uint32_t n = 0; n < 5; n++) {
		line.loss = 1;
		for (uint32_t k = 0; k < DRB_HELLO_LONG_EVERY + 1; k++)
			step(&line);
		drb_link_check(&line.link, true, true, line.now_ms * MS);
		assert_int_equal(line.link.state, DRB_LINK_DOWN);
		line.loss = 0;
		for (uint32_t k = 0; k < DRB_HELLO_LONG_EVERY - 1; k++)
			step(&line);
		assert_false(line.link.lossy);
	}
}

// Whatever count a neighbour claims to have sent, nothing overflows (UBSan checks), and its report
// on our frames is kept.
TEST(hostile_counts)
{
	const uint64_t sent[] = {0, UINT64_MAX, INT64_MAX, UINT64_C(1) << 63, 1, UINT64_MAX / 3};
	struct drb_link_loss loss;

	drb_loss_init(&loss);
	for (uint32_t n = 0; n < 2000; n++) {
		const uint64_t s = sent[n % ARRAY_SIZE(sent)];
		const struct drb_loss_sample sample = {s, (int64_t)(s - n), (int64_t)(s - n / 2),
						       n % 3 == 0};
		drb_loss_count(&loss, &sample, n * 50 * MS);
		(void)drb_loss_exceeds(&loss, LIMIT);
		(void)drb_loss_is_below_half(&loss, LIMIT);
		assert_in_range(drb_loss_share(&loss), 0, DRB_LOSS_ALL);
	}
}

// The neighbour's report on the loss of our frames counts as well; with detection off it does not.
TEST(other_direction)
{
	struct line line = begin(0, 100, 1);
	bool changed;

	run(&line, 1000);
	struct drb_hello hello = line.link.hello;
	hello.serial.number++;
	hello.flags |= DRB_HELLO_LOSSY;
	drb_link_hear_hello(&line.link, &hello, 0, line.now_ms * MS, &changed);
	assert_int_equal(line.link.state, DRB_LINK_LOSSY);
	line.number++;
	step(&line);
	assert_int_equal(line.link.state, DRB_LINK_UP);
	line.link.setup.loss_limit = 0;
	line.loss = 0.4;
	run(&line, 10000);
	assert_int_not_equal(line.link.state, DRB_LINK_LOSSY);
}

TEST_MAIN(NULL, NULL)
