// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/link_rates.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/cli/log.h"
#include "switch/control/link_speeds.h"
#include "switch/control/reload.h"
#include "switch/control/stats_socket.h"

#define LOOK_EVERY_MS 1000

static pthread_t thread;
static int end_fd = -1; // -1: there is no thread

static void look(void)
{
	drb_stats_socket_pause(); // no reload meanwhile
	drb_reload_link_rates();  // the next look tries again if it cannot, and has said why
	drb_stats_socket_resume();
}

static void *follow(void *arg)
{
	struct pollfd end = {.fd = end_fd, .events = POLLIN};

	(void)arg;
	while (poll(&end, 1, LOOK_EVERY_MS) <= 0)
		look();
	return NULL;
}

static bool tells(const struct drb_port_set *ports)
{
	for (uint32_t i = 0; i < ports->count; i++) {
		if (ports->port[i].kind && ports->port[i].kind->speed)
			return true;
	}
	return false;
}

int drb_link_rates_begin(const struct drb_port_set *ports, const struct drb_setup *setup)
{
	if (!tells(ports))
		return 0;
	end_fd = eventfd(0, EFD_CLOEXEC);
	int rc = end_fd < 0 ? -errno : -pthread_create(&thread, NULL, follow, NULL);
	if (rc < 0) {
		drb_error("cannot start the thread that follows the speed of links: %s",
			  strerror(-rc));
		if (end_fd >= 0)
			close(end_fd);
		end_fd = -1;
		return rc;
	}
	look();
	for (uint32_t i = 0; i < setup->down_ports + setup->up_ports; i++) {
		if (setup->ports[i].link_rate && setup->ports[i].rate.value <= 0)
			drb_link_speeds_say_one(&setup->ports[i]);
	}
	return 0;
}

void drb_link_rates_end(void)
{
	const uint64_t one = 1;

	if (end_fd < 0)
		return;
	if (write(end_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(thread, NULL);
	close(end_fd);
	end_fd = -1;
}
