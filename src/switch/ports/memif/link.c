// SPDX-License-Identifier: BSD-3-Clause
// How the rings of a link reach the workers, and leave them.
#include "switch/ports/memif/doorbell.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "switch/ports/port.h"

struct drb_memif_link *drb_memif_link_new(const struct drb_memif_link *of)
{
	struct drb_memif_link *link = calloc(1, sizeof(*link));

	if (!link)
		return NULL;
	*link = *of;
	for (uint32_t q = 0; q < DRB_WORKERS_MAX; q++)
		link->epoll_fd[q] = -1;
	*link->connected = false;
	return link;
}

void drb_memif_link_free(struct drb_memif_link *link)
{
	free(link);
}

static int watch(const struct drb_memif_link *link, uint32_t queue, int op)
{
	const struct drb_memif_talk *talk = link->owner;
	const struct drb_doorbell *rx = talk ? &talk->bell[link->server][queue] : NULL;

	if (link->epoll_fd[queue] < 0 || !rx || !rx->ring)
		return 0;
	// By edge: every ring is one, so that nobody needs to read the descriptor.
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = rx->fd};
	return epoll_ctl(link->epoll_fd[queue], op, rx->fd, &event) < 0 ? -errno : 0;
}

int drb_memif_link_watch(struct drb_memif_link *link, uint32_t queue, int epoll_fd)
{
	link->epoll_fd[queue] = epoll_fd;
	return watch(link, queue, EPOLL_CTL_ADD);
}

// A worker takes over the rings of the link's owner, or lays down those that it has.
static void take_rings(uint32_t n, void *context)
{
	struct drb_memif_link *link = context;

	link->rx[n] = link->owner ? link->owner->bell[link->server][n] : (struct drb_doorbell){0};
	link->tx[n] = link->owner ? link->owner->bell[!link->server][n] : (struct drb_doorbell){0};
}

static int have_rings_taken(struct drb_memif_link *link)
{
	if (link->of)
		return drb_port_apply(link->of, take_rings, link);
	for (uint32_t n = 0; n < link->queues; n++)
		take_rings(n, link);
	return 0;
}

bool drb_memif_link_connect(struct drb_memif_link *link, struct drb_memif_talk *talk)
{
	bool watched = true;

	if (link->owner) // of somebody whom the driver turns away
		return true;
	for (uint32_t q = 0; q < DRB_WORKERS_MAX; q++)
		talk->bell[0][q].takes = talk->bell[1][q].takes = talk->takes;
	link->owner = talk;
	if (have_rings_taken(link) == -ETIMEDOUT) {
		link->owner = NULL;
		return false;
	}
	for (uint32_t q = 0; q < DRB_WORKERS_MAX; q++)
		watched &= watch(link, q, EPOLL_CTL_ADD) == 0;
	*link->connected = true;
	return watched;
}

bool drb_memif_link_disconnect(struct drb_memif_link *link)
{
	// The peer has these eventfds as well: closing ours would not take them out.
	for (uint32_t q = 0; q < DRB_WORKERS_MAX; q++)
		watch(link, q, EPOLL_CTL_DEL);
	*link->connected = false;
	link->owner = NULL;
	return have_rings_taken(link) == 0;
}
