// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/hello_outbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "core/links/hello.h"
#include "core/packet/wire.h"

static const uint8_t zeros[DRB_HELLO_LEN_MAX];

void drb_hello_outbox_add(struct drb_hello_outbox *box, unsigned interface, const uint8_t *frame,
			  uint32_t length)
{
	const uint32_t content = drb_hello_content(frame);

	if (box->count == DRB_HELLOS_TOGETHER || box->used + content > sizeof(box->octets))
		drb_hello_outbox_send(box);
	uint8_t *at = box->octets + box->used;
	memcpy(at, frame, content);
	box->used += content;
	box->of[box->count].to = (struct sockaddr_ll){.sll_family = AF_PACKET,
						      .sll_protocol = htons(DRB_ETHERTYPE_HELLO),
						      .sll_ifindex = (int)interface};
	box->of[box->count].part[0] = (struct iovec){at, content};
	box->of[box->count++].part[1] = (struct iovec){(void *)(uintptr_t)zeros, length - content};
}

void drb_hello_outbox_send(struct drb_hello_outbox *box)
{
	struct mmsghdr message[DRB_HELLOS_TOGETHER];

	for (uint32_t i = 0; i < box->count; i++)
		message[i].msg_hdr = (struct msghdr){.msg_name = &box->of[i].to,
						     .msg_namelen = sizeof(box->of[i].to),
						     .msg_iov = box->of[i].part,
						     .msg_iovlen = 2};
	for (uint32_t done = 0; done < box->count;) {
		const int n = sendmmsg(box->fd, message + done, box->count - done, MSG_DONTWAIT);
		box->full |= n < 0 && errno == EAGAIN;
		done += n > 0 ? (uint32_t)n : 1;
	}
	box->count = box->used = 0;
}
