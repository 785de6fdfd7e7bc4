// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/privilege.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include <cap-ng.h>

#include "common/cli/log.h"

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *arg);

// What a thread begins with.
struct beginning {
	void *(*start)(void *);
	void *arg;
};

static void *begin_without(void *arg)
{
	struct beginning b = *(struct beginning *)arg;

	free(arg);
	capng_clear(CAPNG_SELECT_CAPS);
	capng_apply(CAPNG_SELECT_CAPS); // capabilities are a thread's own
	return b.start(b.arg);
}

// DPDK's calls of pthread_create() are linked to this one (ld --wrap), as are ours.
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *arg)
{
	struct beginning *b = malloc(sizeof(*b));

	if (!b)
		return EAGAIN;
	*b = (struct beginning){start, arg};
	int rc = __real_pthread_create(thread, attributes, begin_without, b);
	if (rc != 0)
		free(b);
	return rc;
}

void drb_privilege_begin(void)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

// Closing a port of this kind: the driver ends promiscuous mode (NET_ADMIN), its own XDP program is
// looked up and taken off the interface. A packet socket takes nothing.
static void keep_for(const struct drb_port_setup *p, bool keep[CAP_LAST_CAP + 1])
{
	if (p->driver != DRB_DRIVER_AF_XDP)
		return;
	keep[CAP_NET_ADMIN] = true;
	if (strcmp(p->xdp, DRB_XDP_STEER) == 0)
		return;
	keep[CAP_BPF] = keep[CAP_PERFMON] = true;
	keep[CAP_SYS_ADMIN] |= strcmp(p->xdp, DRB_XDP_ALL) == 0;
}

int drb_privilege_lay_down(const struct drb_setup *s)
{
	bool keep[CAP_LAST_CAP + 1] = {false};

	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++)
		keep_for(&s->ports[i], keep);
	if (capng_get_caps_process() < 0) {
		drb_error("cannot read the capabilities of this process");
		return -EPERM;
	}
	for (unsigned cap = 0; cap <= CAP_LAST_CAP; cap++)
		keep[cap] = keep[cap] && capng_have_capability(CAPNG_PERMITTED, cap);
	capng_clear(CAPNG_SELECT_CAPS);
	for (unsigned cap = 0; cap <= CAP_LAST_CAP; cap++) {
		if (keep[cap])
			capng_update(CAPNG_ADD, CAPNG_PERMITTED, cap);
	}
	if (capng_apply(CAPNG_SELECT_CAPS) == 0)
		return 0;
	drb_error("cannot lay down capabilities: %s", strerror(errno));
	return -EPERM;
}

void drb_privilege_take_up(void)
{
	if (capng_get_caps_process() < 0)
		return;
	for (unsigned cap = 0; cap <= CAP_LAST_CAP; cap++) {
		if (capng_have_capability(CAPNG_PERMITTED, cap))
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE, cap);
	}
	capng_apply(CAPNG_SELECT_CAPS);
}
