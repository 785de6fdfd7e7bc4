// SPDX-License-Identifier: BSD-3-Clause
// The steering program in the kernel: which frames it sends to the switch's socket, and that it
// counts each of them.
#include "fixtures/unit.h"

#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "core/fabric/addresses.h"
#include "core/packet/wire.h"
#include <linux/bpf.h>
#include <linux/if_xdp.h>

#include "fixtures/xdp.h"
#include "steer_object.h"
#include "switch/ports/xdp/steer_maps.h"

#define HOSTS 16
#define FRAME 64

struct loaded {
	struct bpf_object *object;
	int program, socket;
};

// A socket counts for the map once it has a receive ring.
static int open_socket(void)
{
	const int ring = 64;
	int fd = socket(AF_XDP, SOCK_RAW, 0);

	if (fd >= 0 && setsockopt(fd, SOL_XDP, XDP_RX_RING, &ring, sizeof(ring)) == 0)
		return fd;
	return -1;
}

static int load(void **state)
{
	static struct loaded l;
	struct drb_addr_plan plan = drb_addr_default(HOSTS);
	const uint32_t zero = 0;

	l.object = bpf_object__open_mem(steer_object, sizeof(steer_object), NULL);
	assert_non_null(l.object);
	if (!may_load_programs())
		return 0; // the tests skip
	assert_int_equal(bpf_object__load(l.object), 0);
	l.program = bpf_program__fd(bpf_object__next_program(l.object, NULL));
	assert_int_equal(drb_addr_set_mac(&plan, "06:a0"), 0);
	int map = bpf_object__find_map_fd_by_name(l.object, STEER_PLAN);
	assert_int_equal(bpf_map_update_elem(map, &zero, &plan, BPF_ANY), 0);
	l.socket = open_socket();
	assert_true(l.socket >= 0);
	map = bpf_object__find_map_fd_by_name(l.object, "xsks_map");
	assert_int_equal(bpf_map_update_elem(map, &zero, &l.socket, BPF_ANY), 0);
	*state = &l;
	return 0;
}

static int unload(void **state)
{
	struct loaded *l = *state;

	if (!l)
		return 0;
	close(l->socket);
	bpf_object__close(l->object);
	return 0;
}

static uint32_t verdict(int program, uint8_t *frame, uint32_t size)
{
	struct bpf_test_run_opts opts = {
		.sz = sizeof(opts), .data_in = frame, .data_size_in = size, .repeat = 1};

	assert_int_equal(bpf_prog_test_run_opts(program, &opts), 0);
	return opts.retval;
}

static uint32_t verdict_of(const struct loaded *l, uint8_t *frame, uint32_t size)
{
	return verdict(l->program, frame, size);
}

static struct steer_counts read_counts(const struct loaded *l)
{
	int map = bpf_object__find_map_fd_by_name(l->object, STEER_COUNTS);
	int cpus = libbpf_num_possible_cpus();
	struct steer_counts *per_cpu = calloc((size_t)cpus, sizeof(*per_cpu)), sum = {0};
	const uint32_t zero = 0;

	assert_int_equal(bpf_map_lookup_elem(map, &zero, per_cpu), 0);
	for (int i = 0; i < cpus; i++) {
		sum.seen += per_cpu[i].seen;
		sum.redirected += per_cpu[i].redirected;
		sum.passed += per_cpu[i].passed;
	}
	free(per_cpu);
	return sum;
}

// Frames by destination and EtherType; for IPv6 also by next header and the byte behind the header.
static const struct {
	uint8_t destination[6];
	uint16_t type;
	uint8_t next, icmp;
	uint32_t size; // 0: FRAME
	bool taken;
} cases[] = {
	// Labels: of the first host, of the last one, and one beyond.
	{{6, 0xa0, 0, 0, 0, 0}, 0x0800, 0, 0, 0, true},
	{{6, 0xa0, 0, 0, 0, 15}, 0x0800, 0, 0, 0, true},
	{{6, 0xa0, 0, 0, 0, 16}, 0x0800, 0, 0, 0, false},
	{{6, 0xa0, 1, 0, 0, 0}, 0x0800, 0, 0, 0, false},
	// The second byte carries marks, and the first is the fabric's. Any type is accepted.
	{{6, 0, 0, 0, 0, 3}, 0x0800, 0, 0, 0, true},
	{{6, 0xff, 0, 0, 0, 3}, 0x8100, 0, 0, 0, true},
	{{2, 0xa0, 0, 0, 0, 3}, 0x0800, 0, 0, 0, false},
	{{7, 0xa0, 0, 0, 0, 3}, 0x0800, 0, 0, 0, false},
	// ARP and hellos, whatever their destination.
	{{255, 255, 255, 255, 255, 255}, DRB_ETHERTYPE_ARP, 0, 0, 0, true},
	{{0x52, 0x54, 0, 1, 2, 3}, DRB_ETHERTYPE_ARP, 0, 0, 0, true},
	{{1, 0x80, 0xc2, 0, 0, 0x0e}, DRB_ETHERTYPE_HELLO, 0, 0, 0, true},
	{{255, 255, 255, 255, 255, 255}, 0x0800, 0, 0, 0, false},
	{{1, 0x80, 0xc2, 0, 0, 0x0e}, 0x88cc, 0, 0, 0, false},
	// Neighbour solicitation and advertisement; router advertisement, echo, MLD, UDP.
	{{0x33, 0x33, 255, 0, 0, 1}, DRB_ETHERTYPE_IPV6, 58, 135, 0, true},
	{{0x33, 0x33, 0, 0, 0, 1}, DRB_ETHERTYPE_IPV6, 58, 136, 0, true},
	{{0x33, 0x33, 0, 0, 0, 1}, DRB_ETHERTYPE_IPV6, 58, 134, 0, false},
	{{0x33, 0x33, 0, 0, 0, 1}, DRB_ETHERTYPE_IPV6, 58, 128, 0, false},
	{{0x33, 0x33, 0, 0, 0, 0x16}, DRB_ETHERTYPE_IPV6, 0, 58, 0, false},
	{{0x33, 0x33, 0, 0, 0, 1}, DRB_ETHERTYPE_IPV6, 17, 135, 0, false},
	// Cut off just before and just behind the bytes that are read.
	{{0x33, 0x33, 255, 0, 0, 1}, DRB_ETHERTYPE_IPV6, 58, 135, 54, false},
	{{0x33, 0x33, 255, 0, 0, 1}, DRB_ETHERTYPE_IPV6, 58, 135, 55, true},
	{{6, 0xa0, 0, 0, 0, 0}, 0x0800, 0, 0, 14, true},
};

TEST(frames_of_the_fabric_are_taken)
{
	const struct loaded *l = *state;
	uint64_t taken = 0;

	if (!l)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t frame[FRAME] = {0};
		memcpy(frame, cases[i].destination, 6);
		frame[12] = (uint8_t)(cases[i].type >> 8);
		frame[13] = (uint8_t)cases[i].type;
		frame[20] = cases[i].next;
		frame[54] = cases[i].icmp;
		uint32_t size = cases[i].size ? cases[i].size : FRAME;
		uint32_t verdict = verdict_of(l, frame, size);
		if (verdict != (cases[i].taken ? XDP_REDIRECT : XDP_PASS))
			fail_msg("case %zu: verdict %u", i, verdict);
		taken += cases[i].taken;
		struct steer_counts counts = read_counts(l);
		assert_int_equal(counts.seen, i + 1);
		assert_int_equal(counts.redirected, taken);
		assert_int_equal(counts.passed, i + 1 - taken);
	}
}

// Without a socket no process takes the frame.
TEST(frames_without_a_socket_pass)
{
	const struct loaded *l = *state;
	uint8_t frame[FRAME] = {6, 0xa0, 0, 0, 0, 1};
	const uint32_t zero = 0;

	if (!l)
		skip();
	struct steer_counts before = read_counts(l);
	int map = bpf_object__find_map_fd_by_name(l->object, "xsks_map");
	assert_int_equal(bpf_map_delete_elem(map, &zero), 0);
	assert_int_equal(verdict_of(l, frame, sizeof(frame)), XDP_PASS);
	struct steer_counts after = read_counts(l);
	assert_int_equal(after.seen, before.seen + 1);
	assert_int_equal(after.passed, before.passed + 1);
	assert_int_equal(after.redirected, before.redirected);
}

TEST_MAIN(load, unload)
