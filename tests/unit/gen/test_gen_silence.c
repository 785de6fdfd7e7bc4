// SPDX-License-Identifier: BSD-3-Clause
// Flows that are kept from the network stack, on the loopback interface of a separate network
// namespace.
#include "fixtures/unit.h"
#include "fixtures/veth.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/packet/bytes.h"
#include "core/packet/wire.h"
#include "gen/captures/trace.h"
#include "gen/replay/silence.h"

#define FROM_PORT 4001
#define SILENT_PORT 5001 // packets from FROM_PORT to this port belong to the capture
#define OTHER_PORT 5002
#define HOST 1

static bool own_network;

static int enter(void **state)
{
	struct ifreq up = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	(void)state;

	own_network = enter_namespaces();
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int rc = own_network ? ioctl(fd, SIOCSIFFLAGS, &up) : 0;
	close(fd);
	return rc;
}

// A UDP packet of the capture, with loopback addresses, for a host.
static void add_packet(struct trace *t, bool ipv6, uint16_t to_port, uint32_t host)
{
	const struct drb_addr_plan plan = drb_addr_default(4);
	uint32_t header = ipv6 ? DRB_IPV6_HEADER : DRB_IPV4_HEADER;
	uint8_t frame[80] = {0}, *ip = frame + DRB_ETHER_HEADER;

	drb_addr_mac(&plan, host, frame);
	drb_store16(frame + DRB_ETHER_TYPE, ipv6 ? DRB_ETHERTYPE_IPV6 : DRB_ETHERTYPE_IPV4);
	ip[0] = ipv6 ? 0x60 : 0x45;
	ip[ipv6 ? DRB_IPV6_NEXT : DRB_IPV4_PROTOCOL] = DRB_PROTOCOL_UDP;
	if (ipv6)
		ip[DRB_IPV6_SRC + 15] = 1;
	else
		drb_store32(ip + DRB_IPV4_SRC, INADDR_LOOPBACK);
	drb_store16(ip + header, FROM_PORT);
	drb_store16(ip + header + 2, to_port);
	drb_store16(ip + header + 4, 0x300); // the length is no part of a flow
	assert_non_null(trace_add(t, 0, frame, sizeof(frame), sizeof(frame)));
}

union address {
	struct sockaddr any;
	struct sockaddr_in ipv4;
	struct sockaddr_in6 ipv6;
};

static int open_socket(bool ipv6, uint16_t port, union address *at)
{
	*at = (union address){0};
	if (ipv6)
		at->ipv6 = (struct sockaddr_in6){.sin6_family = AF_INET6,
						 .sin6_port = htons(port),
						 .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	else
		at->ipv4 = (struct sockaddr_in){.sin_family = AF_INET,
						.sin_port = htons(port),
						.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, &at->any, sizeof(*at)), 0);
	return fd;
}

// Sends one packet to each of the two ports; returns whether SILENT_PORT received one. The packet
// to OTHER_PORT is sent last, so that no other is in flight once it has arrived.
static bool silent_port_gets(bool ipv6)
{
	union address from, to[2];
	int sender = open_socket(ipv6, FROM_PORT, &from);
	int receiver[2] = {open_socket(ipv6, SILENT_PORT, &to[0]),
			   open_socket(ipv6, OTHER_PORT, &to[1])};
	char byte = 'x';

	for (int i = 0; i < 2; i++)
		assert_int_equal(sendto(sender, &byte, 1, 0, &to[i].any, sizeof(to[i])), 1);
	struct pollfd other = {.fd = receiver[1], .events = POLLIN};
	assert_int_equal(poll(&other, 1, 10000), 1);
	bool got = recv(receiver[0], &byte, 1, MSG_DONTWAIT) == 1;
	close(sender);
	close(receiver[0]);
	close(receiver[1]);
	return got;
}

// The stack gets everything except the flows of this host. -1: the kernel does not support this.
static int silence_of(struct silence **s, struct trace *t)
{
	const struct drb_addr_plan plan = drb_addr_default(4);

	*s = silence_new(t, &plan);
	assert_non_null(*s);
	return silence_host(*s, HOST, "lo");
}

TEST(flows_of_the_capture_are_kept_from_the_stack)
{
	struct trace t = {0};
	struct silence *s;

	if (!own_network)
		skip();
	for (int ipv6 = 0; ipv6 < 2; ipv6++) {
		add_packet(&t, ipv6, SILENT_PORT, HOST);
		add_packet(&t, ipv6, SILENT_PORT, HOST);
		add_packet(&t, ipv6, OTHER_PORT, HOST + 1); // another host's
	}
	assert_true(silent_port_gets(false) && silent_port_gets(true));
	int fd = silence_of(&s, &t);
	if (fd == -EPROTONOSUPPORT || fd == -EOPNOTSUPP)
		skip(); // a kernel without nf_tables
	assert_true(fd >= 0);
	assert_false(silent_port_gets(false));
	assert_false(silent_port_gets(true));
	close(fd);
	assert_true(silent_port_gets(false) && silent_port_gets(true));
	silence_free(s);
	trace_free(&t);
}

TEST(a_killed_process_leaves_nothing)
{
	struct trace t = {0};
	struct silence *s;
	int ready[2];
	char byte;

	if (!own_network)
		skip();
	add_packet(&t, false, SILENT_PORT, HOST);
	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0) {
		byte = silence_of(&s, &t) >= 0 ? 'y' : 'n';
		(void)!write(ready[1], &byte, 1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	bool silent = byte == 'y' && !silent_port_gets(false);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	trace_free(&t);
	if (byte == 'n')
		skip();
	assert_true(silent);
	assert_true(silent_port_gets(false));
}

// More flows than fit in one message, of both address families.
TEST(many_flows)
{
	struct trace t = {0};
	struct silence *s;

	if (!own_network)
		skip();
	for (uint32_t port = 1; port < 20000; port++) {
		if (port != OTHER_PORT)
			add_packet(&t, port % 2, (uint16_t)port, HOST);
	}
	int fd = silence_of(&s, &t);
	if (fd == -EPROTONOSUPPORT || fd == -EOPNOTSUPP)
		skip();
	assert_true(fd >= 0);
	assert_false(silent_port_gets(true));
	assert_true(silent_port_gets(false)); // a port with an odd number
	close(fd);
	silence_free(s);
	trace_free(&t);
}

// Frames that are not IP, fragments, and flows of other hosts: nothing is blocked, and no call
// fails.
TEST(nothing_to_keep_away)
{
	uint8_t arp[60] = {[DRB_ETHER_TYPE] = 0x08, [DRB_ETHER_TYPE + 1] = 0x06};
	struct trace t = {0};
	struct silence *s;

	if (!own_network)
		skip();
	assert_non_null(trace_add(&t, 0, arp, sizeof(arp), sizeof(arp)));
	add_packet(&t, false, SILENT_PORT, HOST + 1);
	int fd = silence_of(&s, &t);
	if (fd == -EPROTONOSUPPORT || fd == -EOPNOTSUPP)
		skip();
	assert_true(fd >= 0);
	assert_true(silent_port_gets(false));
	close(fd);
	silence_free(s);
	trace_free(&t);
}

TEST_MAIN(enter, NULL)
