// SPDX-License-Identifier: BSD-3-Clause
// A hostile host, h0 of a fabric with the default addresses, and programs that observe its effect.
//   attack send INTERFACE KIND SECONDS   sends as many frames as the machine can; prints the rate
//   attack take INTERFACE                receives all frames it can until SIGTERM
//   attack watch INTERFACE               prints "ready", and at SIGTERM the number of marked frames
// Kinds "one", "flows" and "segments" are what h0 may send: to h15, to all hosts, and to h15 as GSO
// packets whose segments have one byte. Kinds "sources", "neighbours" and "control" are forbidden.
// Their frames are marked, so that they are recognised wherever they arrive.
#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define FRAMES 1024
#define BATCH 64
#define SEGMENTS 60000
#define LEN 96 // length of a marked frame
#define MARK_AT 92
#define MARK 0x4c494521u
#define VICTIM 15 // the host that frames lie to; h1 is another
#define CLAIMED 9 // the host that frames lie about

struct frame {
	uint8_t data[128];
	uint32_t len;
	uint32_t payload; // bytes after the data, to be cut into segments
};

static volatile sig_atomic_t ended;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void put(struct frame *f, const void *octets, uint32_t count)
{
	memcpy(f->data + f->len, octets, count);
	f->len += count;
}

#define PUT(f, ...) put(f, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void put_mac(struct frame *f, uint8_t host)
{
	PUT(f, 2, 0, 0, 0, 0, host);
}

static void put_ip(struct frame *f, uint8_t host)
{
	PUT(f, 10, 0, 0, (uint8_t)(host + 1));
}

static void put_ip6(struct frame *f, uint8_t host)
{
	PUT(f, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (uint8_t)(host + 1));
}

static void put_type(struct frame *f, uint16_t type)
{
	PUT(f, (uint8_t)(type >> 8), (uint8_t)type);
}

static void put_ipv4(struct frame *f, uint8_t from, uint8_t to, uint8_t protocol, uint16_t length)
{
	put_type(f, ETH_P_IP);
	PUT(f, 0x45, 0, (uint8_t)(length >> 8), (uint8_t)length, 0, 0, 0, 0, 64, protocol, 0, 0);
	put_ip(f, from);
	put_ip(f, to);
	// Hosts accept the packet only with the header's checksum.
	const uint8_t *ip = f->data + f->len - 20;
	uint32_t sum = 0;
	for (int i = 0; i < 20; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~(sum + (sum >> 16));
	f->data[f->len - 10] = (uint8_t)(sum >> 8);
	f->data[f->len - 9] = (uint8_t)sum;
}

static void put_udp(struct frame *f, uint8_t from, uint8_t to, uint32_t ports)
{
	put_ipv4(f, from, to, IPPROTO_UDP, 46);
	put(f, &ports, 4);
	PUT(f, 0, 26, 0, 0);
}

// Appends a neighbour advertisement or solicitation about the target, with h0's MAC.
static void put_nd(struct frame *f, uint8_t type, uint8_t from, uint8_t to, uint8_t target)
{
	put_type(f, ETH_P_IPV6);
	PUT(f, 0x60, 0, 0, 0, 0, 32, 58, 255);
	const uint32_t addresses = f->len, message = addresses + 32;
	put_ip6(f, from);
	put_ip6(f, to);
	PUT(f, type, 0, 0, 0, type == 136 ? 0x20 : 0, 0, 0, 0); // the flag: override a known entry
	put_ip6(f, target);
	PUT(f, type == 136 ? 2 : 1, 1);
	put_mac(f, 0);
	uint32_t sum = 32 + 58;
	for (uint32_t i = addresses; i < message + 32; i += 2)
		sum += (uint32_t)f->data[i] << 8 | f->data[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~(sum + (sum >> 16));
	f->data[message + 2] = (uint8_t)(sum >> 8);
	f->data[message + 3] = (uint8_t)sum;
}

static void put_arp(struct frame *f, uint8_t operation, uint8_t sender, uint8_t target)
{
	put_type(f, ETH_P_ARP);
	PUT(f, 0, 1, 8, 0, 6, 4, 0, operation);
	put_mac(f, 0);
	put_ip(f, sender);
	put_mac(f, target);
	put_ip(f, target);
}

static void one(struct frame *f, uint32_t i)
{
	(void)i;
	put_mac(f, VICTIM);
	put_mac(f, 0);
	put_udp(f, 0, VICTIM, 0x09000900);
}

static void flows(struct frame *f, uint32_t i)
{
	const uint8_t to = (uint8_t)(1 + i % 15);

	put_mac(f, to);
	put_mac(f, 0);
	put_udp(f, 0, to, (uint32_t)random() << 1 ^ (uint32_t)random());
}

static void segments(struct frame *f, uint32_t i)
{
	(void)i;
	put_mac(f, VICTIM);
	put_mac(f, 0);
	put_ipv4(f, 0, VICTIM, IPPROTO_TCP, 40 + SEGMENTS);
	f->payload = SEGMENTS;
	PUT(f, 0, 9, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 0x10, 0, 0, 0, 0, 0, 0);
}

// Frames with somebody else's MAC or address, also behind a tag, and frames with marks of the
// fabric.
static void sources(struct frame *f, uint32_t i)
{
	const uint8_t to = i / 6 % 2 ? 1 : VICTIM;

	if (i % 6 == 3)
		PUT(f, 2, 0x11, 0, 0, 0, to);
	else
		put_mac(f, to);
	if (i % 6 == 4)
		PUT(f, 2, 0x40, 0, 0, 0, 0);
	else
		put_mac(f, i % 6 == 0 ? CLAIMED : 0);
	if (i % 6 == 5)
		PUT(f, 0x81, 0, 0, 0);
	if (i % 6 == 2) {
		put_type(f, ETH_P_IPV6);
		PUT(f, 0x60, 0, 0, 0, 0, 8, 17, 64);
		put_ip6(f, CLAIMED);
		put_ip6(f, to);
		PUT(f, 0, 9, 0, 9, 0, 8, 0, 0);
	} else {
		put_udp(f, i % 6 == 3 || i % 6 == 4 ? 0 : CLAIMED, to, 0x09000900);
	}
}

// Frames that would make hosts send h9's packets to h0, and endless requests.
static void neighbours(struct frame *f, uint32_t i)
{
	const uint8_t to = i / 8 % 2 ? 1 : VICTIM, somebody = (uint8_t)(1 + i % 15);

	switch (i % 8) {
	case 0: // a permitted request
	case 1: // gratuitous
		PUT(f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
		break;
	case 2: // a permitted request
		PUT(f, 0x33, 0x33, 0xff, 0, 0, (uint8_t)(somebody + 1));
		break;
	case 3:
		PUT(f, 0x33, 0x33, 0, 0, 0, 1);
		break;
	default:
		put_mac(f, to);
	}
	put_mac(f, 0);
	switch (i % 8) {
	case 0:
		put_arp(f, 1, 0, somebody);
		break;
	case 1:
		put_arp(f, 1, CLAIMED, CLAIMED);
		break;
	case 2:
		put_nd(f, 135, 0, somebody, somebody);
		break;
	case 3: // unsolicited
	case 4:
		put_nd(f, 136, 0, to, CLAIMED);
		break;
	case 5:
		put_nd(f, 135, CLAIMED, to, to);
		break;
	default:
		put_arp(f, i % 8 == 6 ? 1 : 2, CLAIMED, to);
	}
}

// Frames that only switches may send, to switches and to hosts; also broadcasts and multicasts.
static void control(struct frame *f, uint32_t i)
{
	switch (i % 6) {
	case 0:
		PUT(f, 0x01, 0x80, 0xc2, 0, 0, 0x0e);
		break;
	case 1:
	case 2:
	case 3:
		put_mac(f, i % 6 == 2 ? 1 : VICTIM);
		break;
	case 4:
		PUT(f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
		break;
	default:
		PUT(f, 0x01, 0, 0x5e, 0, 0, 1);
	}
	put_mac(f, 0);
	if (i % 6 == 3)
		PUT(f, 0x81, 0, 0, 7);
	if (i % 6 < 4)
		put_type(f, 0x88b5);
	else
		put_udp(f, 0, VICTIM, 0x09000900);
}

static const struct {
	const char *name;
	void (*make)(struct frame *f, uint32_t i);
	bool marked;
} kinds[] = {
	{"one", one, false},        {"flows", flows, false},          {"segments", segments, false},
	{"sources", sources, true}, {"neighbours", neighbours, true}, {"control", control, true},
};

static struct frame frames[FRAMES];

static void make_frames(const char *kind)
{
	const uint32_t mark = htonl(MARK);
	size_t k = 0;

	while (k < sizeof(kinds) / sizeof(kinds[0]) && strcmp(kinds[k].name, kind) != 0)
		k++;
	if (k == sizeof(kinds) / sizeof(kinds[0])) {
		fprintf(stderr, "no such kind: %s\n", kind);
		exit(2);
	}
	for (uint32_t i = 0; i < FRAMES; i++) {
		kinds[k].make(&frames[i], i);
		if (!frames[i].payload)
			frames[i].len = kinds[k].marked ? LEN : 60;
		if (kinds[k].marked)
			memcpy(frames[i].data + MARK_AT, &mark, sizeof(mark));
	}
}

// Sockets have a timeout, so that receivers check for SIGTERM, which may come just before recv().
static int open_at(const char *interface, uint16_t protocol)
{
	const struct timeval patience = {.tv_usec = 100000};
	const struct sockaddr_ll at = {.sll_family = AF_PACKET,
				       .sll_protocol = htons(protocol),
				       .sll_ifindex = (int)if_nametoindex(interface)};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0)
		fail(interface);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void flood(const char *interface, double seconds)
{
	// Headers for a whole frame, and for segments of one byte after 54 bytes of headers.
	static struct virtio_net_hdr header[] = {
		{0}, {VIRTIO_NET_HDR_F_NEEDS_CSUM, VIRTIO_NET_HDR_GSO_TCPV4, 54, 1, 34, 16}};
	static const uint8_t payload[SEGMENTS] = {0};
	const int on = 1, fd = open_at(interface, 0);
	const double begun = seconds_now();
	static struct mmsghdr message[FRAMES];
	static struct iovec part[FRAMES][3];
	uint64_t sent = 0;
	double now;

	if (setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)) < 0 ||
	    setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)) < 0)
		fail("flood");
	for (uint32_t i = 0; i < FRAMES; i++) {
		part[i][0] = (struct iovec){&header[frames[i].payload > 0], sizeof(header[0])};
		part[i][1] = (struct iovec){frames[i].data, frames[i].len};
		part[i][2] = (struct iovec){(void *)(uintptr_t)payload, frames[i].payload};
		message[i].msg_hdr = (struct msghdr){.msg_iov = part[i], .msg_iovlen = 3};
	}
	for (uint32_t at = 0; (now = seconds_now()) < begun + seconds && !ended;
	     at = (at + BATCH) % FRAMES) {
		int n = sendmmsg(fd, message + at, BATCH, 0);
		sent += n > 0 ? (uint64_t)n : 0;
	}
	printf("%.0f\n", (double)sent / (now - begun));
}

static void take(const char *interface)
{
	const int fd = open_at(interface, ETH_P_ALL);
	static uint8_t room[BATCH][128];
	static struct mmsghdr message[BATCH];
	static struct iovec part[BATCH];

	for (uint32_t i = 0; i < BATCH; i++) {
		part[i] = (struct iovec){room[i], sizeof(room[i])};
		message[i].msg_hdr = (struct msghdr){.msg_iov = &part[i], .msg_iovlen = 1};
	}
	while (!ended)
		recvmmsg(fd, message, BATCH, MSG_WAITFORONE, NULL);
}

static void watch(const char *interface)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, MARK_AT),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MARK, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog program = {.len = sizeof(steps) / sizeof(steps[0]),
					   .filter = steps};
	const int on = 1, fd = open_at(interface, ETH_P_ALL);
	uint8_t frame[128];
	uint64_t seen = 0;

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) < 0)
		fail("watch");
	printf("ready\n");
	fflush(stdout);
	while (!ended)
		seen += recv(fd, frame, sizeof(frame), 0) > 0;
	printf("%lu\n", seen);
}

int main(int argc, char **argv)
{
	const struct sigaction at_end = {.sa_handler = end}; // no SA_RESTART

	sigaction(SIGTERM, &at_end, NULL);
	if (argc == 5 && strcmp(argv[1], "send") == 0) {
		make_frames(argv[3]);
		flood(argv[2], atof(argv[4]));
	} else if (argc == 3 && strcmp(argv[1], "take") == 0) {
		take(argv[2]);
	} else if (argc == 3 && strcmp(argv[1], "watch") == 0) {
		watch(argv[2]);
	} else {
		return 2;
	}
	return 0;
}
