// SPDX-License-Identifier: BSD-3-Clause
// A port's state when hellos arrive, stay away, or come from the wrong end. Times in ms.
#include "fixtures/unit.h"

#include "core/links/link_state.h"
#include "core/math/random.h"

#define MS UINT64_C(1000000)
#define FABRIC 77

static const struct drb_end peer = {.layer = 2, .label = 5, .port = 1, .up = false};
static struct drb_link l;

static uint64_t number; // of the neighbour's hellos

static struct drb_link_setup setup_of(uint64_t period_ms)
{
	return (struct drb_link_setup){.peer = peer,
				       .fabric = FABRIC,
				       .mac = 0x0200,
				       .period_ns = period_ms * MS,
				       .instance = 9};
}

static void begin(uint64_t period_ms)
{
	const struct drb_link_setup setup = setup_of(period_ms);

	drb_link_init(&l, &setup, true, 1000 * MS);
	assert_int_equal(l.state, DRB_LINK_UNKNOWN);
}

static struct drb_hello hello_of(uint8_t flags)
{
	return (struct drb_hello){.from = peer,
				  .fabric = FABRIC,
				  .mac = 0x0200,
				  .period_ms = 100,
				  .serial = {5, ++number},
				  .flags = flags};
}

static enum drb_link_state hear_this(const struct drb_hello *h, uint64_t at_ms)
{
	enum drb_link_state before = l.state;
	bool changed;

	assert_int_equal(drb_link_hear_hello(&l, h, 0, at_ms * MS, &changed), DRB_HELLO_TAKEN);
	assert_int_equal(changed, l.state != before);
	assert_true(!changed || l.since_ns == at_ms * MS);
	return l.state;
}

static enum drb_link_state hear(uint8_t flags, uint64_t at_ms)
{
	struct drb_hello h = hello_of(flags);

	return hear_this(&h, at_ms);
}

static void is_refused(const struct drb_hello *h, uint64_t at_ms, enum drb_hello_outcome outcome)
{
	const struct drb_link before = l;
	bool changed;

	assert_int_equal(drb_link_hear_hello(&l, h, 0, at_ms * MS, &changed), outcome);
	assert_false(changed);
	assert_true(l.last_ns == before.last_ns && l.state == before.state);
}

static enum drb_link_state look(bool carrier, bool others, uint64_t at_ms)
{
	enum drb_link_state before = l.state;
	bool changed = drb_link_check(&l, carrier, others, at_ms * MS);

	assert_int_equal(changed, l.state != before);
	assert_true(!changed || l.since_ns == at_ms * MS);
	return l.state;
}

TEST(comes_and_goes)
{
	begin(100);
	assert_true(drb_link_is_usable(&l) && !drb_link_hears_neighbour(&l, 1000 * MS));
	assert_int_equal(hear(DRB_HELLO_HEARS, 1010), DRB_LINK_UP);
	assert_true(drb_link_hears_neighbour(&l, 1010 * MS));
	assert_int_equal(drb_link_due_ns(&l), 1330 * MS + 1);
	// Three hellos are missed: at 1110, 1210 and 1310. The third may be late by a fifth of a
	// period.
	assert_int_equal(look(true, true, 1330), DRB_LINK_UP);
	assert_true(drb_link_hears_neighbour(&l, 1330 * MS));
	assert_int_equal(look(true, true, 1331), DRB_LINK_DOWN);
	assert_false(drb_link_is_usable(&l) || drb_link_hears_neighbour(&l, 1331 * MS));
	assert_int_equal(drb_link_due_ns(&l), UINT64_MAX);
	// The first hello brings the port back, also from a restarted neighbour that has heard
	// nothing yet.
	struct drb_hello h = hello_of(0);
	h.serial = (struct drb_hello_serial){6, 1};
	assert_int_equal(hear_this(&h, 5000), DRB_LINK_UP);
	h.serial.number++;
	h.flags = DRB_HELLO_HEARS;
	assert_int_equal(hear_this(&h, 5100), DRB_LINK_UP);
}

// The neighbour's period counts once it is known.
TEST(their_period)
{
	struct drb_hello h = hello_of(DRB_HELLO_HEARS);

	begin(10);
	h.period_ms = 1000;
	hear_this(&h, 1000);
	assert_int_equal(look(true, true, 4200), DRB_LINK_UP);
	assert_int_equal(look(true, true, 4201), DRB_LINK_DOWN);
	// The neighbour's period cannot make the hold time longer than this; our own period can.
	h = hello_of(DRB_HELLO_HEARS);
	h.period_ms = DRB_HELLO_PERIOD_MAX_MS;
	hear_this(&h, 5000);
	assert_true(drb_link_hold_ns(&l) == DRB_HOLD_MAX_NS);
	begin(5000);
	h.serial.number = ++number;
	hear_this(&h, 5000);
	assert_true(drb_link_hold_ns(&l) == 16000 * MS);
}

// A hello that waited before it was read counts from its arrival, unless a newer frame has arrived.
TEST(looked_at_late)
{
	struct drb_hello h;
	bool changed;

	begin(100);
	assert_int_equal(hear(DRB_HELLO_HEARS, 1000), DRB_LINK_UP);
	h = hello_of(DRB_HELLO_HEARS);
	assert_int_equal(drb_link_hear_hello(&l, &h, 60 * MS, 1200 * MS, &changed),
			 DRB_HELLO_TAKEN);
	assert_int_equal(drb_link_due_ns(&l), 1460 * MS + 1);
	drb_link_hear_frame(&l, 1250 * MS);
	h = hello_of(DRB_HELLO_HEARS);
	assert_int_equal(drb_link_hear_hello(&l, &h, 60 * MS, 1300 * MS, &changed),
			 DRB_HELLO_TAKEN);
	assert_int_equal(drb_link_due_ns(&l), 1570 * MS + 1);
	assert_int_equal(look(true, true, 1571), DRB_LINK_DOWN);
}

// A switch that did not read for longer than the hold time finds hellos that waited as long. None
// of them counts as silence.
TEST(waited_beyond_the_hold_time)
{
	bool changed;

	begin(100);
	hear(DRB_HELLO_HEARS, 1000);
	for (uint64_t waited_ms = 1900; waited_ms >= 1000; waited_ms -= 100) {
		const struct drb_hello h = hello_of(DRB_HELLO_HEARS);
		drb_link_hear_hello(&l, &h, waited_ms * MS, 3000 * MS, &changed);
		assert_int_equal(l.state, DRB_LINK_UP);
	}
	assert_int_equal(look(true, true, 3000), DRB_LINK_UP);
	assert_int_equal(look(true, true, 3001), DRB_LINK_DOWN);
}

// If there are no hellos on any port, the carrier decides. If only this port has none, it is dead.
TEST(silence)
{
	begin(100);
	assert_int_equal(drb_link_due_ns(&l), 1320 * MS + 1);
	assert_int_equal(look(true, false, 100000), DRB_LINK_UNKNOWN);
	assert_int_equal(look(false, false, 100001), DRB_LINK_DOWN);
	assert_int_equal(look(true, false, 100002), DRB_LINK_UNKNOWN);
	assert_int_equal(look(true, true, 100322), DRB_LINK_UNKNOWN);
	assert_int_equal(look(true, true, 100323), DRB_LINK_DOWN);
	assert_int_equal(hear(0, 100400), DRB_LINK_UP);
}

// With hellos off the carrier alone decides, whatever arrives.
TEST(off)
{
	begin(0);
	assert_int_equal(drb_link_due_ns(&l), UINT64_MAX);
	assert_int_equal(look(true, true, 100000), DRB_LINK_UNKNOWN);
	assert_int_equal(hear(0, 100001), DRB_LINK_UNKNOWN);
	assert_int_equal(look(true, true, 200000), DRB_LINK_UNKNOWN);
	assert_int_equal(look(false, true, 200001), DRB_LINK_DOWN);
	assert_int_equal(look(true, true, 200002), DRB_LINK_UNKNOWN);
	l.drained = true;
	assert_int_equal(look(true, true, 200003), DRB_LINK_DRAINED);
}

TEST(carrier)
{
	const struct drb_link_setup setup = setup_of(100);

	drb_link_init(&l, &setup, false, 0);
	assert_int_equal(l.state, DRB_LINK_DOWN);
	begin(100);
	hear(DRB_HELLO_HEARS, 1000);
	assert_int_equal(look(false, true, 1001), DRB_LINK_DOWN);
	assert_int_equal(look(true, true, 1002), DRB_LINK_UP); // within the hold time
	assert_int_equal(look(false, true, 1003), DRB_LINK_DOWN);
	assert_int_equal(look(true, true, 2000), DRB_LINK_DOWN); // not before a hello
	assert_int_equal(hear(DRB_HELLO_HEARS, 2001), DRB_LINK_UP);
}

// The neighbour's hellos arrive, and it does not hear ours. A neighbour that never heard us may be
// starting; one that has heard us has lost us.
TEST(one_way)
{
	struct drb_hello ours = {0};

	begin(100);
	assert_int_equal(hear(0, 1000), DRB_LINK_UP);
	drb_link_say(&l, &ours, 1000 * MS);
	// This switch had no CPU, and now reads the hellos that the neighbour sent meanwhile.
	for (uint32_t n = 0; n < 5; n++)
		assert_int_equal(hear(0, 1400), DRB_LINK_UP);
	drb_link_say(&l, &ours, 1400 * MS);
	assert_int_equal(hear(0, 1500), DRB_LINK_DOWN);
	assert_int_equal(hear(0, 1600), DRB_LINK_DOWN);
	// Otherwise it takes as many hellos as fit in a hold time.
	begin(100);
	for (uint64_t ms = 1000; ms < 1200; ms += 100) {
		assert_int_equal(hear(0, ms), DRB_LINK_UP);
		drb_link_say(&l, &ours, ms * MS);
	}
	assert_int_equal(hear(0, 1200), DRB_LINK_DOWN);
	assert_int_equal(hear(0, 1300), DRB_LINK_DOWN);
	assert_int_equal(hear(DRB_HELLO_HEARS, 1400), DRB_LINK_UP);
	assert_int_equal(hear(0, 1500), DRB_LINK_DOWN); // it has waited for its hold time
	assert_int_equal(hear(DRB_HELLO_HEARS, 1600), DRB_LINK_UP);
}

// Any frame is a sign of life on a port in use, but does not bring back a dead port.
TEST(frames)
{
	begin(100);
	drb_link_hear_frame(&l, 1200 * MS);
	assert_int_equal(look(true, true, 1321), DRB_LINK_DOWN); // no hello from it yet
	hear(DRB_HELLO_HEARS, 2000);
	drb_link_hear_frame(&l, 2300 * MS);
	drb_link_hear_frame(&l, 2200 * MS);
	assert_int_equal(look(true, true, 2620), DRB_LINK_UP);
	assert_true(drb_link_hears_neighbour(&l, 2620 * MS));
	assert_int_equal(look(true, true, 2621), DRB_LINK_DOWN);
	drb_link_hear_frame(&l, 2700 * MS);
	assert_int_equal(look(true, true, 2701), DRB_LINK_DOWN);
}

// A flapping link is used less and less.
TEST(flapping)
{
	uint64_t ms = 1000;

	begin(100);
	hear(DRB_HELLO_HEARS, ms);
	for (uint32_t flap = 1; flap <= 12; flap++) {
		uint64_t hold = flap > DRB_FLAPS_FREE ? 2000u << (flap - DRB_FLAPS_FREE - 1) : 0;
		hold = hold < 64000 ? hold : 64000;
		assert_int_equal(look(false, true, ++ms), DRB_LINK_DOWN);
		const uint64_t down = ms;
		look(true, true, ++ms);
		assert_int_equal(hear(DRB_HELLO_HEARS, ms),
				 hold > 0 ? DRB_LINK_FLAPPING : DRB_LINK_UP);
		assert_int_equal(drb_link_is_spare(&l), hold > 0);
		assert_int_equal(drb_link_is_usable(&l), hold == 0);
		for (; ms < down + hold; ms += 50) {
			assert_int_equal(hear(DRB_HELLO_HEARS, ms), DRB_LINK_FLAPPING);
			assert_true(drb_link_due_ns(&l) <= (down + hold) * MS);
		}
		assert_int_equal(hear(DRB_HELLO_HEARS, ms), DRB_LINK_UP);
	}
	// After a minute without a change it is trusted again.
	ms += 200000;
	hear(DRB_HELLO_HEARS, ms);
	assert_int_equal(look(false, true, ++ms), DRB_LINK_DOWN);
	assert_int_equal(hear(DRB_HELLO_HEARS, ++ms), DRB_LINK_UP);
}

// The same hello again, or an older one; and hellos of another process, which replaced the
// neighbour's process or runs beside it.
TEST(processes)
{
	struct drb_hello first = hello_of(DRB_HELLO_HEARS), second = hello_of(DRB_HELLO_HEARS),
			 other = hello_of(0), elsewhere;

	begin(100);
	hear_this(&second, 1000);
	is_refused(&first, 1100, DRB_HELLO_STALE);
	is_refused(&second, 1100, DRB_HELLO_STALE);
	elsewhere = hello_of(DRB_HELLO_HEARS);
	elsewhere.from.port++; // a process keeps its position
	is_refused(&elsewhere, 1100, DRB_HELLO_STALE);
	other.serial = (struct drb_hello_serial){6, 1};
	is_refused(&other, 1320, DRB_HELLO_RIVAL);
	drb_link_hear_frame(&l, 1320 * MS);
	other.serial.number++; // after a restart, frames belong to the process that speaks next
	assert_int_equal(hear_this(&other, 1321), DRB_LINK_UP);
	other.serial.number++;
	hear_this(&other, 1400);
	assert_true(l.duplicate_ns == 0);
	second.serial.number = ++number;
	is_refused(&second, 1450, DRB_HELLO_RIVAL);
	other.serial.number++;
	hear_this(&other, 1500);
	assert_true(l.duplicate_ns == 1500 * MS);
}

static void begin_keyed(void)
{
	struct drb_link_setup setup = setup_of(100);

	setup.keyed = true;
	drb_link_init(&l, &setup, true, 1000 * MS);
}

// With a key, an unknown process must first answer one of our hellos.
TEST(answers)
{
	struct drb_hello h = hello_of(0), ours = {0};

	begin_keyed();
	is_refused(&h, 1000, DRB_HELLO_ASKS);
	drb_link_say(&l, &ours, 1001 * MS);
	assert_true(ours.serial.instance == 9 && ours.serial.number == 1);
	assert_true(ours.echo.instance == 5 && ours.echo.number == h.serial.number);
	assert_int_equal(ours.flags & DRB_HELLO_HEARS, 0);
	h = hello_of(0);
	h.echo = (struct drb_hello_serial){8, 1}; // of the process before ours, or of another port
	is_refused(&h, 1100, DRB_HELLO_ASKS);
	is_refused(&ours, 1100, DRB_HELLO_OWN);
	h = hello_of(0);
	h.echo = ours.serial;
	assert_int_equal(hear_this(&h, 1200), DRB_LINK_UP);
	is_refused(&h, 1300, DRB_HELLO_STALE); // replayed
	assert_int_equal(hear(DRB_HELLO_HEARS, 1300), DRB_LINK_UP);
	// An old hello, from a process that has ended; then the present process.
	for (uint32_t n = 0; n < DRB_HELLO_ECHO_MAX; n++)
		drb_link_say(&l, &ours, 1300 * MS);
	h.serial.instance = 4;
	is_refused(&h, 1621, DRB_HELLO_ASKS);
	drb_link_say(&l, &ours, 1621 * MS);
	h.echo = ours.serial;
	assert_int_equal(hear_this(&h, 1622), DRB_LINK_UP);
}

// A hello that an attacker on the link has seen here or elsewhere, or has made up without a key.
static struct drb_hello draw_strange(struct drb_rng *r, bool keyed)
{
	struct drb_hello h = hello_of((uint8_t)drb_rng_below(r, 256));

	h.serial.number = 1 + drb_rng_below(r, 1000);
	h.echo = (struct drb_hello_serial){8 + drb_rng_below(r, 4), l.sent};
	switch (drb_rng_below(r, keyed ? 5 : 6)) {
	case 0: // ours
		h.serial.instance = 9;
		break;
	case 1: // of our other link, and the answer of the neighbour there
		h.serial.instance = 10;
		break;
	case 2:
		h.serial.instance = 11;
		h.from.label++;
		h.echo.instance = 10;
		break;
	case 3: // of the neighbour before its restart
		h.serial.instance = 4;
		break;
	case 4: // an old one of the neighbour
		h.serial.number = 1 + drb_rng_below(r, (uint32_t)l.hello.serial.number);
		break;
	default:
		h.serial.instance = 12;
		h.fabric += drb_rng_below(r, 2);
		h.mac += drb_rng_below(r, 2);
	}
	return h;
}

// A foreign hello never displaces a neighbour that is heard, has its hellos refused, or changes
// what our hellos say to it.
TEST(nobody_displaces)
{
	struct drb_rng r = drb_rng_seed(1, 1);
	struct drb_hello h, ours;

	for (uint32_t keyed = 0; keyed < 2; keyed++) {
		keyed ? begin_keyed() : begin(100);
		for (uint64_t ms = 1000; ms < 21000; ms += 100) {
			ours = (struct drb_hello){0};
			drb_link_say(&l, &ours, ms * MS);
			h = hello_of(DRB_HELLO_HEARS);
			h.echo = ours.serial;
			assert_int_equal(hear_this(&h, ms), DRB_LINK_UP);
			for (uint32_t n = 0; n < 20; n++) {
				const struct drb_hello strange = draw_strange(&r, keyed);
				const struct drb_link before = l;
				bool changed;
				assert_int_not_equal(
					drb_link_hear_hello(&l, &strange, 0, ms * MS, &changed),
					DRB_HELLO_TAKEN);
				l.rival = before.rival;
				l.unproven = before.unproven;
				assert_memory_equal(&l, &before, sizeof(l));
			}
		}
		assert_int_equal(look(true, true, 21220), DRB_LINK_UP);
		// Once the neighbour is silent, this is possible only without a key.
		h = hello_of(DRB_HELLO_HEARS);
		h.serial.instance = 12;
		is_refused(&h, 21220, DRB_HELLO_RIVAL);
		if (keyed)
			is_refused(&h, 21221, DRB_HELLO_ASKS);
		else
			assert_int_equal(hear_this(&h, 21221), DRB_LINK_UP);
	}
}

// A restarted neighbour has no proof yet and is not a replay: its predecessor does not speak again.
TEST(restarts_are_no_recordings)
{
	struct drb_hello strange, ours = {0}, h;

	begin_keyed();
	drb_link_say(&l, &ours, 1000 * MS);
	h = hello_of(DRB_HELLO_HEARS);
	h.echo = ours.serial;
	assert_int_equal(hear_this(&h, 1000), DRB_LINK_UP);
	strange = h;
	strange.serial.instance++;
	strange.echo = (struct drb_hello_serial){0};
	is_refused(&strange, 1100, DRB_HELLO_RIVAL);
	assert_int_equal(l.replayed_ns, 0);
	h.serial.number++;
	assert_int_equal(hear_this(&h, 1200), DRB_LINK_UP);
	assert_int_equal(l.replayed_ns, 1200 * MS);
}

TEST(miswired)
{
	struct drb_hello wrong[6];

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		wrong[i] = hello_of(DRB_HELLO_HEARS);
	wrong[0].from.layer = 3;
	wrong[1].from.label = 4;
	wrong[2].from.port = 0;
	wrong[3].from.up = true;
	wrong[4].fabric++;
	wrong[5].mac++;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		begin(100);
		assert_int_equal(hear_this(&wrong[i], 1000), DRB_LINK_MISWIRED);
		assert_false(drb_link_is_usable(&l));
		assert_int_equal(look(true, true, 1320), DRB_LINK_MISWIRED);
		assert_int_equal(look(true, true, 1321), DRB_LINK_DOWN);
		wrong[i].serial.number = ++number;
		assert_int_equal(hear_this(&wrong[i], 1400), DRB_LINK_MISWIRED);
		struct drb_hello another = wrong[i], right = hello_of(0);
		another.serial.instance = 6;
		is_refused(&another, 1400, DRB_HELLO_RIVAL);
		right.serial.instance = 7; // the cable was moved
		assert_int_equal(hear_this(&right, 1401), DRB_LINK_UP);
		is_refused(&another, 1500, DRB_HELLO_STALE);
	}
}

TEST(drained)
{
	begin(100);
	assert_int_equal(hear(DRB_HELLO_HEARS | DRB_HELLO_DRAINED, 1000),
			 DRB_LINK_DRAINED_BY_NEIGHBOUR);
	assert_true(drb_link_is_spare(&l) && !drb_link_is_usable(&l));
	assert_int_equal(hear(DRB_HELLO_HEARS, 1100), DRB_LINK_UP);
	assert_false(drb_link_is_spare(&l));
	l.drained = true;
	assert_int_equal(hear(DRB_HELLO_HEARS | DRB_HELLO_DRAINED, 1100), DRB_LINK_DRAINED);
	assert_int_equal(look(true, true, 1101), DRB_LINK_DRAINED);
	assert_int_equal(look(true, true, 1500), DRB_LINK_DOWN); // dead has priority
	assert_false(drb_link_is_spare(&l));
	assert_int_equal(hear(DRB_HELLO_HEARS, 1600), DRB_LINK_DRAINED);
	assert_true(drb_link_is_spare(&l) && !drb_link_is_usable(&l));
	l.drained = false;
	assert_int_equal(look(true, true, 1601), DRB_LINK_UP);
}

TEST(names)
{
	assert_string_equal(drb_link_state_name(DRB_LINK_UNKNOWN), "unknown");
	assert_string_equal(drb_link_state_name(DRB_LINK_DRAINED), "drained");
	assert_string_equal(drb_link_state_name(DRB_LINK_DRAINED_BY_NEIGHBOUR),
			    "drained by neighbour");
	assert_string_equal(drb_link_state_name(DRB_LINK_FLAPPING), "flapping");
	assert_null(drb_link_state_name(DRB_LINK_COUNT));
}

TEST_MAIN(NULL, NULL)
