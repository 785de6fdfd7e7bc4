// SPDX-License-Identifier: BSD-3-Clause
// Tasks that the kernel of a host leaves to its device. Unfinished checksums are finished for
// receivers that need it. GSO packets are received as packets, and sent again as GSO packets.
#include "fixtures/unit.h"

#include <linux/virtio_net.h>
#include <sys/uio.h>

#include "core/packet/bytes.h"
#include "core/packet/checksum.h"
#include "core/packet/wire.h"

#include "fixtures/packet_port.h"
#include "fixtures/segments.h"
#include "fixtures/xdp.h"
#include "switch/ports/unfinished.h"

#define BURST 64

// A socket at "outer" whose frames have a virtio-net header.
static int open_headed(void)
{
	struct sockaddr_ll at = {.sll_family = AF_PACKET,
				 .sll_protocol = htons(ETH_P_ALL),
				 .sll_ifindex = (int)if_nametoindex("outer")};
	const int on = 1;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_int_equal(setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)), 0);
	assert_int_equal(setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)), 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

// The frame arrives with this header.
static void send_headed(int fd, const struct virtio_net_hdr *says, const uint8_t *frame,
			uint32_t length)
{
	struct iovec parts[] = {{(void *)(uintptr_t)says, sizeof(*says)},
				{(void *)(uintptr_t)frame, length}};

	assert_int_equal(writev(fd, parts, 2), sizeof(*says) + length);
}

// A frame arrives like a host's kernel leaves it to a device that completes checksums
// (CHECKSUM_PARTIAL).
static void come_in_unfinished(const uint8_t *frame, uint32_t length, uint16_t start,
			       uint16_t field)
{
	const struct virtio_net_hdr unfinished = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, .csum_start = start, .csum_offset = field};
	int fd = open_headed();

	send_headed(fd, &unfinished, frame, length);
	close(fd);
}

TEST(checksums_stay_unfinished)
{
	static const struct {
		uint8_t protocol;
		uint16_t field;
	} kinds[] = {{DRB_PROTOCOL_UDP, DRB_UDP_CHECKSUM}, {DRB_PROTOCOL_TCP, DRB_TCP_CHECKSUM}};
	const uint32_t length = 101, start = DRB_ETHER_HEADER + DRB_IPV4_HEADER;
	const uint32_t segment = length - start;

	start_port((struct port_of){0});
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		uint8_t frame[128] = {2, [12] = 0x08, 0x00, 0x45};
		uint8_t *ip = frame + DRB_ETHER_HEADER, *check = frame + start + kinds[i].field;
		for (uint32_t k = DRB_ETHER_HEADER + 1; k < length; k++)
			frame[k] = (uint8_t)(k * 7);
		drb_store16(ip + DRB_IPV4_LENGTH, DRB_IPV4_HEADER + segment);
		ip[DRB_IPV4_PROTOCOL] = kinds[i].protocol;
		uint16_t pseudo = drb_checksum_fold(drb_checksum_sum(ip + DRB_IPV4_SRC, 8) +
						    kinds[i].protocol + segment);
		drb_store16(check, pseudo);
		come_in_unfinished(frame, length, start, kinds[i].field);
		struct rte_mbuf *m = next_packet(port->queue[0]);
		const uint8_t *got = rte_pktmbuf_mtod(m, const uint8_t *);
		assert_true(drb_is_unfinished(m));
		assert_memory_equal(got, frame, length);
		drb_finish_checksums(&m, 1);
		assert_int_equal(drb_checksum_fold(pseudo + drb_checksum_sum(got + start, segment)),
				 0xffff);
		memcpy(check, got + start + kinds[i].field, 2);
		is_frame(m, frame, length);
		// A wrong checksum is the host's, and stays.
		drb_store16(check, 0x1234);
		come_in(frame, length);
		is_frame(next_packet(port->queue[0]), frame, length);
	}
	stop_port();
}

// A host gives a wrong position of the checksum, such as that of its address, which would be
// overwritten only after it was checked. Such checksums are written at once.
TEST(lies_are_finished_at_once)
{
	static const struct {
		uint16_t type, start, field;
		uint8_t next; // of IPv6
		bool stays;
	} said[] = {{DRB_ETHERTYPE_IPV4, 34, DRB_UDP_CHECKSUM, 0, true},
		    {DRB_ETHERTYPE_IPV4, 84, DRB_TCP_CHECKSUM, 0, true},  // in a tunnel
		    {DRB_ETHERTYPE_IPV4, 20, DRB_UDP_CHECKSUM, 0, false}, // its IPv4 source
		    {DRB_ETHERTYPE_IPV4, 24, DRB_UDP_CHECKSUM, 0, false},
		    {DRB_ETHERTYPE_IPV4, 33, DRB_UDP_CHECKSUM, 0, false},
		    {DRB_ETHERTYPE_IPV6, 54, DRB_UDP_CHECKSUM, 17, true},
		    {DRB_ETHERTYPE_IPV6, 34, DRB_UDP_CHECKSUM, 17, false},
		    {DRB_ETHERTYPE_IPV6, 54, DRB_TCP_CHECKSUM, DRB_PROTOCOL_ICMPV6, false},
		    {DRB_ETHERTYPE_VLAN, 38, DRB_UDP_CHECKSUM, 0, true},
		    {DRB_ETHERTYPE_VLAN, 34, DRB_UDP_CHECKSUM, 0, false},
		    {DRB_ETHERTYPE_ARP, 34, DRB_UDP_CHECKSUM, 0, false}};
	const uint32_t length = 110;

	start_port((struct port_of){0});
	for (size_t i = 0; i < ARRAY_SIZE(said); i++) {
		uint8_t frame[128] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2};
		const bool tagged = said[i].type == DRB_ETHERTYPE_VLAN;
		uint8_t *ip = frame + DRB_ETHER_HEADER + (tagged ? DRB_VLAN_TAG : 0);
		memset(ip, 0x33, frame + length - ip);
		drb_store16(frame + DRB_ETHER_TYPE, said[i].type);
		if (tagged)
			drb_store16(ip - 2, DRB_ETHERTYPE_IPV4);
		ip[0] = said[i].type == DRB_ETHERTYPE_IPV6 ? 0x60 : DRB_IPV4_PLAIN;
		if (said[i].type == DRB_ETHERTYPE_IPV6)
			ip[DRB_IPV6_NEXT] = said[i].next;
		come_in_unfinished(frame, length, said[i].start, said[i].field);
		struct rte_mbuf *m = next_packet(port->queue[0]);
		if (drb_is_unfinished(m) != said[i].stays)
			fail_msg("%zu: %s", i, said[i].stays ? "finished" : "unfinished");
		if (!said[i].stays)
			assert_true(
				drb_finish_checksum(frame, length, said[i].start, said[i].field));
		is_frame(m, frame, length);
	}
	stop_port();
}

#define SEGMENT                                                                                    \
	1428 // bytes of payload: the maximum for IPv6 with 12 bytes of options at an MTU of 1500

// A frame whose contents are not examined.
static uint32_t plain_frame(uint32_t n, uint8_t frame[LONGEST])
{
	memset(frame, (int)n, 100 + n);
	memcpy(frame, (const uint8_t[]){2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x12, 0x34}, 14);
	return 100 + n;
}

struct sent {
	struct virtio_net_hdr cut;
	uint8_t frame[65600];
	uint32_t length;
};

// A GSO packet of `payload` bytes in segments of `size` bytes, as the kernel of a host passes it.
static void make_gso(struct sent *s, const struct segment_fields *of, uint32_t payload,
		     uint16_t size)
{
	struct segment_fields fields = *of;

	fields.payload = 1;
	s->length = make_segment(s->frame, &fields) - 1 + payload;
	for (uint32_t i = 0; i < payload; i++)
		s->frame[s->length - payload + i] = (uint8_t)(i * 31 + i / 251);
	complete(s->frame, s->length);
	leave_unfinished(s->frame, s->length);
	s->cut = cut_of_gso(s->frame, size);
	if (payload <= size)
		s->cut.gso_type = s->cut.gso_size = 0;
}

// GSO packets of hosts are received as packets, and sent again as they came: between other frames,
// in order, through bursts of any size.
TEST(gso_packets_come_and_go)
{
	static struct sent s, got;
	const uint32_t payloads[] = {65000, 100, 3000, SEGMENT + 1, 2, 40000};
	int fd = open_headed();

	start_port((struct port_of){0});
	struct drb_port_queue *q = port->queue[0];
	for (uint32_t n = 0; n < 4 * ARRAY_SIZE(payloads); n++) {
		const struct segment_fields fields = {
			.ipv6 = n & 1, .udp = n & 2, .options = 12, .flags = FLAG_ACK | FLAG_PSH};
		uint8_t plain[LONGEST], piece[SEGMENT_MAX];
		struct rte_mbuf *packets[64];
		struct drb_send_result result;
		struct iovec part[] = {{&got.cut, sizeof(got.cut)}, {got.frame, sizeof(got.frame)}};
		struct msghdr message = {.msg_iov = part, .msg_iovlen = 2};

		make_gso(&s, &fields, payloads[n % ARRAY_SIZE(payloads)], SEGMENT);
		send_headed(fd, &s.cut, s.frame, s.length);
		come_in(plain, plain_frame(n, plain));
		uint32_t count =
			s.cut.gso_size ? (s.length - s.cut.hdr_len + (SEGMENT - 1)) / SEGMENT : 1;
		wait_for_packets(q);
		for (uint32_t done = 0; done < count;)
			done += drb_port_receive(q, packets + done,
						 1 + (n + done) % (count - done));
		is_frame(next_packet(q), plain, plain_frame(n, plain));
		assert_int_equal(rte_mempool_in_use_count(set.pool), count);
		for (uint32_t i = 0; i < count; i++) {
			assert_true(drb_is_unfinished(packets[i]));
			if (count == 1)
				continue;
			uint32_t length = cut_segment(&s.cut, s.frame, s.length, i, piece);
			leave_unfinished(piece, length);
			assert_int_equal(packets[i]->data_len, length);
			assert_memory_equal(rte_pktmbuf_mtod(packets[i], uint8_t *), piece, length);
		}
		assert_int_equal(drb_port_send(q, packets, count, &result), count);
		assert_int_equal(result.lost, 0);
		assert_int_equal(result.gso_packets, count > 1 ? count : 0);
		assert_int_equal(recvmsg(fd, &message, 0), sizeof(got.cut) + s.length);
		got.cut.hdr_len = s.cut.hdr_len; // a hint: where the kernel's buffer ends
		assert_memory_equal(&got.cut, &s.cut, sizeof(s.cut));
		assert_memory_equal(got.frame, s.frame, s.length);
	}
	assert_int_equal(drb_port_losses(q).missed, 0);
	assert_int_equal(drb_port_losses(q).bad_gso, 0);
	close(fd);
	stop_port();
}

// The kernel passes the outer tag of a GSO packet separately: each of its segments gets it back,
// with its type.
TEST(tags_of_gso_packets_stay)
{
	static struct sent s, tagged;
	static const uint16_t types[] = {DRB_ETHERTYPE_VLAN, DRB_ETHERTYPE_QINQ};
	static const uint32_t payloads[] = {1400, 40000}; // in one frame of the ring, and copied
	const struct segment_fields fields = {.flags = FLAG_ACK};
	uint8_t piece[SEGMENT_MAX];
	int fd = open_headed();

	start_port((struct port_of){0});
	struct drb_port_queue *q = port->queue[0];
	for (uint32_t n = 0; n < 4; n++) {
		make_gso(&s, &fields, payloads[n / 2], 700);
		tagged = s;
		tagged.length += DRB_VLAN_TAG;
		tagged.cut.hdr_len += DRB_VLAN_TAG;
		tagged.cut.csum_start += DRB_VLAN_TAG;
		put2(tagged.frame + DRB_ETHER_TYPE, types[n % 2]);
		put2(tagged.frame + DRB_ETHER_TYPE + 2, 0x2345);
		memcpy(tagged.frame + DRB_ETHER_TYPE + DRB_VLAN_TAG, s.frame + DRB_ETHER_TYPE,
		       s.length - DRB_ETHER_TYPE);
		send_headed(fd, &tagged.cut, tagged.frame, tagged.length);
		wait_for_packets(q);
		for (uint32_t length, i = 0;
		     (length = cut_segment(&s.cut, s.frame, s.length, i, piece)) > 0; i++) {
			struct rte_mbuf *m;
			assert_int_equal(drb_port_receive(q, &m, 1), 1);
			const uint8_t *got = rte_pktmbuf_mtod(m, const uint8_t *);
			leave_unfinished(piece, length);
			assert_int_equal(m->data_len, length + DRB_VLAN_TAG);
			assert_memory_equal(got, tagged.frame, DRB_ETHER_TYPE + DRB_VLAN_TAG);
			assert_memory_equal(got + DRB_ETHER_TYPE + DRB_VLAN_TAG,
					    piece + DRB_ETHER_TYPE, length - DRB_ETHER_TYPE);
			rte_pktmbuf_free(m);
		}
	}
	close(fd);
	stop_port();
}

// A GSO packet that fits into a burst, but not into the rest of this one, comes whole in the next.
TEST(gso_packets_stay_whole)
{
	static struct sent s;
	const struct segment_fields fields = {.flags = FLAG_ACK};
	const uint32_t segments[] = {40, BURST - 40, 45, 20, BURST, BURST + 1};
	struct rte_mbuf *packets[BURST];
	int fd = open_headed();

	start_port((struct port_of){0});
	struct drb_port_queue *q = port->queue[0];
	for (uint32_t i = 0; i < ARRAY_SIZE(segments); i++) {
		make_gso(&s, &fields, segments[i] * 900, 900);
		send_headed(fd, &s.cut, s.frame, s.length);
	}
	wait_for_packets(q);
	const uint32_t bursts[] = {BURST, 45, 20, BURST, BURST, 1};
	for (uint32_t i = 0; i < ARRAY_SIZE(bursts); i++) {
		assert_int_equal(drb_port_receive(q, packets, BURST), bursts[i]);
		rte_pktmbuf_free_bulk(packets, bursts[i]);
	}
	assert_int_equal(drb_port_receive(q, packets, BURST), 0);
	close(fd);
	stop_port();
}

// A GSO packet that cannot be cut affects no other packet.
TEST(bad_gso_packets_are_counted)
{
	static struct sent s;
	const struct segment_fields fields = {.flags = FLAG_ACK};
	uint8_t plain[LONGEST];
	struct rte_mbuf *m;
	int fd = open_headed();

	start_port((struct port_of){0});
	struct drb_port_queue *q = port->queue[0];
	for (uint32_t n = 0; n < 2; n++) {
		make_gso(&s, &fields, n ? 30000 : 1400, n ? 1600 : 1); // longer than a frame
		put2(s.frame + AT_IP + 2, 77);                         // or a contradictory length
		send_headed(fd, &s.cut, s.frame, s.length);
		come_in(plain, plain_frame(n, plain));
		is_frame(next_packet(q), plain, plain_frame(n, plain));
		assert_int_equal(drb_port_receive(q, &m, 1), 0);
		assert_int_equal(drb_port_losses(q).bad_gso, n + 1);
	}
	assert_int_equal(drb_port_losses(q).bad_gso_octets, 54 + 1400 + 54 + 30000);
	close(fd);
	stop_port();
}

// If the segments of a GSO packet are too long, only its beginning is received, which is too long
// as well.
TEST(long_segments_are_oversize)
{
	static struct sent s;
	const struct segment_fields fields = {.flags = FLAG_ACK};
	int fd = open_headed();

	start_port((struct port_of){0});
	struct drb_port_queue *q = port->queue[0];
	// Both are in the socket's buffer.
	for (uint32_t payload = 4000; payload <= 40000; payload += 36000) {
		make_gso(&s, &fields, payload, 1600);
		send_headed(fd, &s.cut, s.frame, s.length);
		is_frame(next_packet(q), s.frame, port->frame_max + 1);
	}
	make_gso(&s, &fields, 1500, 1490); // in the ring
	send_headed(fd, &s.cut, s.frame, s.length);
	is_frame(next_packet(q), s.frame, port->frame_max + 1);
	assert_int_equal(drb_port_losses(q).bad_gso, 0);
	assert_int_equal(drb_port_losses(q).missed, 0);
	close(fd);
	stop_port();
}

// Receives all packets of the queue; returns their number.
static uint32_t receive_all(struct drb_port_queue *q)
{
	struct rte_mbuf *packets[BURST];
	uint32_t all = 0, count;

	while ((count = drb_port_receive(q, packets, BURST)) > 0) {
		rte_pktmbuf_free_bulk(packets, count);
		all += count;
	}
	return all;
}

// Losses are counted in packets, whether a GSO packet finds the ring full or the socket's buffer.
TEST(lost_gso_packets_count_as_packets)
{
	enum { SEGMENTS = 40, MANY = 400, PLAIN = 5000 };
	static struct sent s;
	const struct segment_fields fields = {.flags = FLAG_ACK};
	uint8_t plain[LONGEST];
	uint64_t before, missed;
	int fd = open_headed();

	if (!may_load_programs())
		skip();
	make_gso(&s, &fields, SEGMENTS * SEGMENT, SEGMENT);
	start_port((struct port_of){.name = "u0"});
	struct drb_port_queue *q = port->queue[0];
	for (uint32_t turn = 0; turn < 3; turn++) {
		before = drb_port_losses(q).missed;
		for (uint32_t n = 0; n < MANY; n++)
			send_headed(fd, &s.cut, s.frame, s.length);
		const uint32_t received = receive_all(q);
		missed = drb_port_losses(q).missed - before;
		assert_int_equal(received % SEGMENTS, 0);
		assert_true(received > 0 && missed > 0);
		assert_int_equal(received + missed, MANY * SEGMENTS);

		for (uint32_t n = 0; n < PLAIN; n++)
			come_in(plain, plain_frame(1, plain));
		before = drb_port_losses(q).missed;
		send_headed(fd, &s.cut, s.frame, s.length);
		assert_int_equal(drb_port_losses(q).missed - before, SEGMENTS);
		assert_in_range(receive_all(q), 1, PLAIN - 1);
	}
	close(fd);
	stop_port();
}

TEST_MAIN_VETH(setup_eal, free_eal)
