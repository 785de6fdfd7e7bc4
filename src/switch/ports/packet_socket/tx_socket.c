// SPDX-License-Identifier: BSD-3-Clause
// Sends with sendmmsg() instead of a ring. From a ring, the kernel makes a packet of borrowed
// pages, which a veth copies again, page by page. With sendmmsg() the kernel copies it once. The
// socket's buffer limits the packets that the kernel has not passed on; further packets stay in the
// egress queue.
//
// The kernel's cost per frame is mostly fixed and hardly depends on the length. The packets of a
// GSO packet pay it once. Packets with a partial checksum leave as a GSO packet again, which the
// kernel cuts for devices that do not take it. Packets with a complete checksum are only coalesced
// if the kernel cuts them again, so that a receiver gets the packets as they were sent.
//
// A GSO packet that the kernel cuts has a price. Only its last packet is charged to the buffer, and
// only the device's own counter counts those that the device drops. The other end of a veth may not
// keep up although it has no ring of a switch, for instance with threaded NAPI. Then packets are
// lost (tx_dropped) where single packets would wait. Therefore a switch sends another switch only
// GSO packets that a veth takes whole.
#include "switch/ports/packet_socket/tx_socket.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_mbuf.h>

#include "switch/ports/interface.h"
#include "switch/ports/packet_socket/veth_offload.h"
#include "switch/ports/unfinished.h"

// Packets per system call.
#define AT_ONCE 64

// The messages of a system call: each is a packet or a GSO packet.
struct messages {
	uint32_t count, parts, heads;
	struct mmsghdr message[AT_ONCE];
	uint8_t packets[AT_ONCE]; // number of packets, by message
	struct iovec part[2 * AT_ONCE];
	struct drb_coalesce_header head[AT_ONCE];
};

int drb_packet_socket(void)
{
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

int drb_tx_socket_open(struct drb_tx_socket *out, const struct drb_port_setup *port, int fd,
		       bool owned, bool counted)
{
	struct sockaddr_ll at = {.sll_family = AF_PACKET,
				 .sll_ifindex = (int)drb_interface_index(port->interface)};
	const int on = 1;

	if (fd < 0)
		return fd;
	if (owned && (bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0 ||
		      setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)) < 0)) {
		const int rc = -errno;
		close(fd);
		return rc;
	}
	*out = (struct drb_tx_socket){.fd = fd,
				      .owned = owned,
				      .headed = true,
				      .coalesces = port->peer.layer == 0 || counted,
				      .to_switch = port->peer.layer > 0,
				      .interface = port->interface};
	out->rules.udp = drb_kernel_at_least(6, 2);
	drb_tx_socket_review(out, false);
	return 0;
}

void drb_tx_socket_close(struct drb_tx_socket *out)
{
	if (out->owned)
		close(out->fd);
	*out = (struct drb_tx_socket){.fd = -1};
}

int drb_tx_socket_rebind(const struct drb_tx_socket *out, unsigned interface)
{
	struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_ifindex = (int)interface};

	if (!out->owned)
		return 0;
	return bind(out->fd, (const struct sockaddr *)&at, sizeof(at)) < 0 ? -errno : 0;
}

void drb_tx_socket_review(struct drb_tx_socket *out, bool paced)
{
	if (!out->coalesces)
		return;
	out->rules.unfinished_max = drb_interface_max_frame(out->interface);
	if (!out->to_switch)
		out->rules.finished_max = drb_veth_max_plain_frame(out->interface);
	else if (paced || !drb_veth_takes_gso(out->interface))
		out->rules.unfinished_max = 0;
}

static void add_part(struct messages *all, const void *octets, size_t length)
{
	all->part[all->parts++] = (struct iovec){(void *)(uintptr_t)octets, length};
}

static const struct virtio_net_hdr finished;

// Adds the header of a packet that is not coalesced.
static void add_alone(struct messages *all, const struct rte_mbuf *m)
{
	if (likely(!drb_is_unfinished(m))) {
		add_part(all, &finished, sizeof(finished));
		return;
	}
	struct virtio_net_hdr *head = &all->head[all->heads++].cut;
	*head = (struct virtio_net_hdr){.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
					.csum_start = m->l3_len,
					.csum_offset = m->l4_len};
	add_part(all, head, sizeof(*head));
}

static void end_message(struct messages *all, struct msghdr *message, uint32_t packets)
{
	message->msg_iovlen = (size_t)(&all->part[all->parts] - message->msg_iov);
	all->packets[all->count] = (uint8_t)packets;
	all->message[all->count++] = (struct mmsghdr){.msg_hdr = *message};
}

// Adds a message of the first packet and of those that are coalesced with it. Returns their number.
static uint32_t add_message(struct messages *all, const struct drb_tx_socket *out,
			    struct rte_mbuf **packets, uint32_t count)
{
	struct msghdr message = {.msg_iov = &all->part[all->parts]};
	const bool may = out->coalesces && (out->rules.finished_max | out->rules.unfinished_max);
	uint32_t length = may ? drb_coalesce_count(&out->rules, packets, count) : 1;
	uint32_t headers = 0;

	if (length > 1) {
		struct drb_coalesce_header *head = &all->head[all->heads++];
		headers = drb_coalesce_begin(packets, length, head);
		add_part(all, head, sizeof(head->cut) + headers);
	} else if (out->headed) {
		add_alone(all, packets[0]);
	}
	for (uint32_t i = 0; i < length; i++) {
		// Packets that are forwarded have one buffer each.
		struct rte_mbuf *m = packets[i];
		add_part(all, rte_pktmbuf_mtod_offset(m, void *, headers), m->data_len - headers);
	}
	end_message(all, &message, length);
	return length;
}

// Returns how many packets the kernel took, or -errno if it took none.
static int offer(const struct drb_tx_socket *out, struct rte_mbuf **packets, uint32_t count,
		 struct drb_send_result *result)
{
	struct messages all;
	int taken = 0;

	all.count = all.parts = all.heads = 0;
	for (uint32_t i = 0; i < count;)
		i += add_message(&all, out, packets + i, count - i);
	int n = sendmmsg(out->fd, all.message, all.count, MSG_DONTWAIT);
	if (n <= 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		taken += all.packets[i];
		result->gso_packets += all.packets[i] > 1 ? all.packets[i] : 0;
	}
	return taken;
}

// Returns how many of `count` packets are lost after the kernel refused the first message with
// `error`. Of a GSO packet only the first packet is lost; the others are offered again.
static uint32_t given_up(int error, uint32_t count)
{
	switch (error) {
	case -ENETDOWN:
	case -ENXIO:
		return count; // the kernel would refuse all of them
	default:
		return 1;
	}
}

// False while the socket is full, because it would refuse packets only after they were coalesced.
static bool takes_more(struct drb_tx_socket *out)
{
	struct pollfd socket = {.fd = out->fd, .events = POLLOUT};

	if (out->full)
		out->full = poll(&socket, 1, 0) == 0;
	return !out->full;
}

uint32_t drb_tx_socket_send(struct drb_tx_socket *out, struct rte_mbuf **packets, uint32_t count,
			    struct drb_send_result *result)
{
	uint32_t done = 0;

	*result = (struct drb_send_result){0};
	while (done < count && takes_more(out)) {
		uint32_t left = count - done;
		int n = offer(out, packets + done, left < AT_ONCE ? left : AT_ONCE, result);
		out->full = n == -EAGAIN;
		if (out->full)
			break;
		uint32_t bad = n < 0 ? given_up(n, left) : 0;
		result->lost += bad;
		for (uint32_t i = 0; i < bad; i++)
			result->lost_octets += packets[done + i]->pkt_len;
		done += n < 0 ? bad : (uint32_t)n;
	}
	rte_pktmbuf_free_bulk(packets, done);
	return done;
}
