// SPDX-License-Identifier: BSD-3-Clause
#include "idle.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/msg.h"

static int watch(struct drb_worker *w, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int drb_idle_init(struct drb_worker *w)
{
	int rc = 0;

	if (w->poll)
		return 0;
	w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	w->kick_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->epoll_fd < 0 || w->kick_fd < 0)
		rc = -errno;
	if (rc == 0)
		rc = watch(w, w->kick_fd);
	for (uint32_t i = 0; rc == 0 && i < w->ports; i++) {
		if (w->port[i].socket.fd >= 0)
			rc = watch(w, w->port[i].socket.fd);
		else if (w->port[i].active && w->port[i].rx_queue != DRB_QUEUE_NONE)
			w->doze = true;
	}
	if (rc < 0) {
		drb_error("cannot watch the ports' sockets: %s", strerror(-rc));
		drb_idle_free(w);
	}
	return rc;
}

void drb_idle_free(struct drb_worker *w)
{
	if (w->epoll_fd >= 0)
		close(w->epoll_fd);
	if (w->kick_fd >= 0)
		close(w->kick_fd);
	w->epoll_fd = w->kick_fd = -1;
}
