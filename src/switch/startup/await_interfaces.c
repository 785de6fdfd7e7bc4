// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/await_interfaces.h"

#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdbool.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "switch/ports/interface.h"
#include "switch/ports/port_set.h"
#include "switch/startup/broker.h"

// Time for the rest of the start. The service manager is asked to allow process.wait and this time
// in addition.
#define START_NS UINT64_C(60000000000)

static bool has_interface(const struct drb_port_setup *p)
{
	const struct drb_port_kind *kind = drb_port_kind_of(p->driver);

	return kind && kind->interface;
}

// Counts the missing interfaces. *first becomes the first port without one.
static uint32_t count_missing(const struct drb_setup *s, const struct drb_port_setup **first)
{
	uint32_t missing = 0;

	for (uint32_t i = s->down_ports + s->up_ports; i-- > 0;) {
		const struct drb_port_setup *p = &s->ports[i];
		if (has_interface(p) && drb_interface_index(p->interface) == 0) {
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
	drb_broker_notify("STATUS=waiting for interface %s%s\nEXTEND_TIMEOUT_USEC=%" PRIu64,
			  first->interface, others, (s->wait_ns + START_NS) / 1000);
}

int drb_await_interfaces(const char *path, const struct drb_setup *s, uint64_t *end_ns)
{
	const struct drb_port_setup *first = NULL;
	const uint32_t missing = count_missing(s, &first);
	const uint64_t now = drb_clock_now();

	if (missing == 0)
		return 0;
	if (*end_ns == 0) {
		*end_ns = now + s->wait_ns;
		if (s->wait_ns > 0)
			say_waiting(s, first, missing);
	}
	return now < *end_ns ? -EAGAIN : drb_interface_check(path, first);
}
