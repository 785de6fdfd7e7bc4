// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/await_interfaces.h"

#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "switch/ports/interface.h"
#include "switch/ports/port_set.h"
#include "switch/startup/signals.h"

// How often a signal is looked for.
#define LOOK_EVERY_NS UINT64_C(200000000)
// What the service manager is asked for beyond the wait itself.
#define START_NS UINT64_C(60000000000)

static bool has_interface(const struct drb_port_setup *p)
{
	const struct drb_port_kind *kind = drb_port_kind_of(p->driver);

	return kind && kind->interface;
}

// How many are missing; *first becomes the first of them.
static uint32_t count_missing(const struct drb_setup *s, const struct drb_port_setup **first)
{
	uint32_t missing = 0;

	for (uint32_t i = s->down_ports + s->up_ports; i-- > 0;) {
		const struct drb_port_setup *p = &s->ports[i];
		if (has_interface(p) && if_nametoindex(p->interface) == 0) {
			*first = p;
			missing++;
		}
	}
	return missing;
}

static void say_waiting(const struct drb_setup *s, const struct drb_port_setup *first,
			uint32_t count)
{
	char others[32] = "";

	if (count > 1)
		snprintf(others, sizeof(others), " and %u others", count - 1);
	drb_info("%s: waiting up to %g s for interface \"%s\" of port %s%s", s->instance,
		 (double)s->wait_ns / 1e9, first->interface, first->name, others);
	sd_notifyf(0, "STATUS=waiting for interface %s%s\nEXTEND_TIMEOUT_USEC=%" PRIu64,
		   first->interface, others, (s->wait_ns + START_NS) / 1000);
}

// Until something changes at some interface, but not for long.
static void wait_for_change(int fd, uint64_t left_ns)
{
	uint64_t ns = left_ns < LOOK_EVERY_NS ? left_ns : LOOK_EVERY_NS;
	const struct timespec timeout = {.tv_nsec = (long)ns};
	struct pollfd changes = {.fd = fd, .events = POLLIN}; // fd -1 is passed over

	if (ppoll(&changes, 1, &timeout, NULL) > 0)
		drb_interfaces_changed(fd);
}

int drb_await_interfaces(const char *path, const struct drb_setup *s)
{
	const uint64_t end = drb_clock_now() + s->wait_ns;
	const struct drb_port_setup *first = NULL;
	uint32_t missing = count_missing(s, &first);

	if (missing > 0 && s->wait_ns > 0)
		say_waiting(s, first, missing);
	int fd = missing > 0 ? drb_interfaces_watch() : -1;
	while (missing > 0 && !drb_signals_end()) {
		uint64_t now = drb_clock_now();
		if (now >= end)
			break;
		wait_for_change(fd, end - now);
		missing = count_missing(s, &first);
	}
	if (fd >= 0)
		close(fd);
	if (drb_signals_end())
		return -EINTR;
	return missing > 0 && drb_interface_check(path, first) < 0 ? -ENODEV : 0;
}
