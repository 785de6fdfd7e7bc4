// SPDX-License-Identifier: BSD-3-Clause
// A whole F(3,2) in memory whose switches report outages to each other; the test sets the time.
// Links and switches above layer 1 are dead: every pair, and a sample of triples. After 2 s of real
// hellos, packets between all connected hosts arrive by the forwarding path. A breadth-first search
// over the links finds which are connected.
#include "fixtures/unit.h"

#include "common/cli/log.h"
#include "core/math/random.h"

#include "switch/datapath/hellos.h"

#include "fixtures/fabric_switches.h"

#define MS UINT64_C(1000000)
#define STEP (5 * MS)
#define FAULTS (LINKS + 12)

static bool cut[LINKS], gone[SWITCHES];
static uint64_t now_ns;

struct way {
	uint32_t n, port;
};

// The link of a port of a switch; LINKS: none.
static uint32_t link_at(uint32_t n, uint32_t port)
{
	for (uint32_t i = 0; i < LINKS; i++) {
		if ((links[i].low == n && links[i].low_port == port) ||
		    (links[i].high == n && links[i].high_port == port))
			return i;
	}
	return LINKS;
}

// Hellos in flight, which take one step.
static struct {
	uint32_t to, port, len;
	uint8_t frame[DRB_HELLO_LEN_MAX];
} under_way[1024];
static uint32_t under_way_count;

static struct way context[SWITCHES];

static bool send_hello(void *of, uint32_t port, const uint8_t *frame, uint32_t len)
{
	const uint32_t n = ((const struct way *)of)->n, i = link_at(n, port);
	const bool low = links[i].low == n;
	const uint32_t to = low ? links[i].high : links[i].low;

	assert_true(i < LINKS && under_way_count < 1024);
	if (cut[i] || gone[to])
		return true;
	under_way[under_way_count].to = to;
	under_way[under_way_count].port = low ? links[i].high_port : links[i].low_port;
	under_way[under_way_count].len = len;
	memcpy(under_way[under_way_count++].frame, frame, len);
	return true;
}

static bool has_carrier(void *of, uint32_t port)
{
	(void)of;
	(void)port;
	return true;
}

static uint16_t mtu(void *of, uint32_t port)
{
	(void)of;
	(void)port;
	return 1500;
}

static uint64_t no_count(void *of, uint32_t port)
{
	(void)of;
	(void)port;
	return 0;
}

static struct drb_arrivals no_arrivals(void *of, uint32_t port, bool *missed)
{
	(void)of;
	(void)port;
	(void)missed;
	return (struct drb_arrivals){0};
}

static void pass(uint64_t ms)
{
	for (uint64_t until = now_ns + ms * MS; now_ns < until;) {
		now_ns += STEP;
		const uint32_t count = under_way_count;
		for (uint32_t i = 0; i < count; i++) {
			struct drb_liveness *l = &sw[under_way[i].to].liveness;
			const struct drb_hello_frame frame = {under_way[i].frame, under_way[i].len,
							      0};
			assert_int_equal(drb_liveness_hear(l, under_way[i].port, &frame, now_ns),
					 DRB_HELLO_HEARD);
		}
		under_way_count = 0;
		for (uint32_t n = 0; n < SWITCHES; n++) {
			sw[n].egress.now_ns = now_ns;
			if (!gone[n] && now_ns >= sw[n].liveness.due_ns)
				drb_liveness_service(&sw[n].liveness, now_ns);
			drb_hellos_read_links(&sw[n]);
		}
	}
}

static void start(const char *more)
{
	memset(cut, 0, sizeof(cut));
	memset(gone, 0, sizeof(gone));
	memset(broken, 0, sizeof(broken));
	begin_fabric(more);
	now_ns = sw[0].egress.now_ns;
	for (uint32_t n = 0; n < SWITCHES; n++) {
		context[n].n = n;
		for (uint32_t i = 0; i < sw[n].egress.ports; i++)
			setup[n].ports[i].hello_ns = 100 * MS;
		const struct drb_liveness_io io = {.context = &context[n],
						   .has_carrier = has_carrier,
						   .mtu = mtu,
						   .count_frames = no_count,
						   .count_sent = no_count,
						   .count_arrivals = no_arrivals,
						   .send = send_hello};
		assert_int_equal(
			drb_liveness_init(&sw[n].liveness, &setup[n], &io, &sw[n].shared.links), 0);
		drb_liveness_set(&sw[n].liveness, &setup[n], (1u << sw[n].egress.ports) - 1, 0,
				 now_ns);
	}
	pass(500);
}

static void stop(void)
{
	under_way_count = 0;
	for (uint32_t n = 0; n < SWITCHES; n++)
		drb_liveness_free(&sw[n].liveness);
	end_fabric();
}

// Links by number, then switches above layer 1.
static void take(uint32_t fault)
{
	if (fault < LINKS)
		cut[fault] = true;
	else
		gone[fault - LINKS + 8] = true;
}

static void find_broken(void)
{
	memset(broken, 0, sizeof(broken));
	for (uint32_t i = 0; i < LINKS; i++) {
		const struct link *l = &links[i];
		const bool dead = cut[i] || gone[l->low] || gone[l->high];
		broken[l->low][l->low_port] = broken[l->high][l->high_port] = dead;
	}
}

// The naive second model: the racks that a breadth-first search reaches.
static uint32_t reached(uint32_t from)
{
	uint32_t queue[SWITCHES] = {from}, end = 1, seen = 1u << from;

	for (uint32_t at = 0; at < end; at++) {
		for (uint32_t i = 0; i < LINKS; i++) {
			const struct link *l = &links[i];
			const uint32_t n = queue[at], to = l->low == n ? l->high : l->low;
			if ((l->low != n && l->high != n) || cut[i] || gone[to] || (seen >> to & 1))
				continue;
			seen |= 1u << to;
			queue[end++] = to;
		}
	}
	return seen;
}

static uint32_t sent_all, longest;

// Sends packets from every host to every host that it can reach.
static void all_arrive(void)
{
	uint32_t at, switches;

	for (uint32_t from = 0; from < HOSTS; from++) {
		const uint32_t racks = reached(from / 2);
		for (uint32_t to = 0; to < HOSTS; to++) {
			if (to == from || !(racks >> to / 2 & 1))
				continue;
			switches = travel(from, to, sent_all++, &at);
			if (switches == LOST)
				fail_msg("h%u to h%u: lost at switch %u", from, to, at);
			longest = switches > longest ? switches : longest;
		}
	}
}

static void try_faults(const uint32_t *faults, uint32_t count)
{
	start("");
	for (uint32_t i = 0; i < count; i++)
		take(faults[i]);
	find_broken();
	pass(2000);
	all_arrive();
	stop();
}

// Links that work again are used as before.
TEST(mended)
{
	uint32_t at;

	start("");
	take(3);
	take(17);
	pass(2000);
	// Both ends of two links.
	for (uint32_t n = 0; n < SWITCHES; n++)
		assert_int_equal(sw[n].liveness.known.outages.count, 2 * 2);
	memset(cut, 0, sizeof(cut));
	pass(1500);
	for (uint32_t n = 0; n < SWITCHES; n++) {
		assert_int_equal(sw[n].liveness.known.outages.count, 0);
		assert_false(sw[n].links.reroutes);
	}
	for (uint32_t to = 2; to < HOSTS; to++)
		assert_int_equal(travel(0, to, 7, &at),
				 2 * drb_distance(&setup[0].tree, 0, to) - 1);
	stop();
}

TEST(every_pair)
{
	uint32_t pairs = 0;

	longest = 0;
	for (uint32_t a = 0; a < FAULTS; a++) {
		for (uint32_t b = a; b < FAULTS; b++, pairs++)
			try_faults((const uint32_t[]){a, b}, 2);
	}
	print_message("# %u pairs and single faults: longest way %u switches\n", pairs, longest);
}

int main(void)
{
	drb_log_limit(DRB_LOG_ERROR);

	return test_all(setup_eal, free_eal);
}
