// SPDX-License-Identifier: BSD-3-Clause
// Frames whose checksum the kernel of a host left to its device come in with it; others as they are.
#include "fixtures/unit.h"

#include <linux/virtio_net.h>
#include <sys/uio.h>

#include "core/packet/bytes.h"
#include "core/packet/checksum.h"
#include "core/packet/wire.h"

#include "fixtures/packet_port.h"

// As a host's kernel leaves a frame to a device that completes checksums (CHECKSUM_PARTIAL).
static void come_in_unfinished(const uint8_t *frame, uint32_t length, uint16_t start,
			       uint16_t field)
{
	struct virtio_net_hdr unfinished = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, .csum_start = start, .csum_offset = field};
	struct iovec parts[] = {{&unfinished, sizeof(unfinished)},
				{(void *)(uintptr_t)frame, length}};
	struct sockaddr_ll at = {.sll_family = AF_PACKET,
				 .sll_ifindex = (int)if_nametoindex("outer")};
	const int on = 1;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	assert_int_equal(setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)), 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(writev(fd, parts, 2), sizeof(unfinished) + length);
	close(fd);
}

static void unfinished_checksums_are_completed(void **state)
{
	static const struct {
		uint8_t protocol;
		uint16_t field;
	} kinds[] = {{DRB_PROTOCOL_UDP, DRB_UDP_CHECKSUM}, {DRB_PROTOCOL_TCP, DRB_TCP_CHECKSUM}};
	const uint32_t length = 101, start = DRB_ETHER_HEADER + DRB_IPV4_HEADER;
	const uint32_t segment = length - start;

	(void)state;
	start_port(1);
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
		assert_int_equal(drb_checksum_fold(pseudo + drb_checksum_sum(got + start, segment)),
				 0xffff);
		memcpy(check, got + start + kinds[i].field, 2);
		is_frame(m, frame, length);
		// A checksum that is wrong is the host's, and stays.
		drb_store16(check, 0x1234);
		come_in(frame, length);
		is_frame(next_packet(port->queue[0]), frame, length);
	}
	stop_port();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unfinished_checksums_are_completed),
	};

	if (!make_veth()) {
		printf("1..0 # SKIP there may be no veth pair here: %s\n", strerror(errno));
		return 0;
	}
	return cmocka_run_group_tests_name("packet_checksums", tests, setup_eal, free_eal);
}
