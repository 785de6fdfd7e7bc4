// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/privilege.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cap-ng.h>

#include "common/cli/log.h"

// Capabilities are a thread's own: another lays its down itself, in the handler of this signal.
#define LAY_DOWN_SIGNAL SIGRTMIN
#define WITHIN_MS 1000
#define THREADS_MAX 256

static atomic_uint laid_down; // how many have
static atomic_int failure;    // errno of one that could not
static atomic_int keeper;     // the thread that keeps one; 0: there is none

// This thread may have `permitted` alone, of which `effective` are in effect. 0 or -errno.
static int set_here(uint64_t permitted, uint64_t effective)
{
	struct __user_cap_header_struct self = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = {{0}};

	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		caps[i].permitted = (uint32_t)(permitted >> (32 * i));
		caps[i].effective = (uint32_t)(effective >> (32 * i));
	}
	return syscall(SYS_capset, &self, caps) < 0 ? -errno : 0;
}

static uint64_t permitted_here(void)
{
	struct __user_cap_header_struct self = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (syscall(SYS_capget, &self, caps) < 0)
		return 0;
	return (uint64_t)caps[1].permitted << 32 | caps[0].permitted;
}

static void lay_down_here(int signal)
{
	int saved = errno;

	(void)signal;
	int rc = set_here(0, 0);
	if (rc < 0)
		atomic_store(&failure, -rc);
	atomic_fetch_add(&laid_down, 1);
	errno = saved;
}

// Has thread tid lay its own down. 0 also if it has ended; -errno.
static int lay_down_in(pid_t tid)
{
	const struct timespec pause = {.tv_nsec = 100000};
	const unsigned before = atomic_load(&laid_down);
	const pid_t process = getpid();

	if (tgkill(process, tid, LAY_DOWN_SIGNAL) < 0)
		return errno == ESRCH ? 0 : -errno;
	for (uint32_t tries = 0; atomic_load(&laid_down) == before; tries++) {
		if (tgkill(process, tid, 0) < 0)
			return 0;
		if (tries == WITHIN_MS * 10)
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
	}
	return -atomic_load(&failure);
}

// The threads of this process that are not among `known`, but for the caller: how many, or -errno.
static int find_others(const pid_t known[], uint32_t known_count, pid_t found[THREADS_MAX])
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int count = 0;

	if (!dir)
		return -errno;
	while (count < THREADS_MAX && (entry = readdir(dir))) {
		pid_t tid = atoi(entry->d_name);
		bool is_known = tid <= 0 || tid == gettid() || tid == atomic_load(&keeper);
		for (uint32_t i = 0; i < known_count && !is_known; i++)
			is_known = known[i] == tid;
		if (!is_known)
			found[count++] = tid;
	}
	closedir(dir);
	return count;
}

// Threads begin with what their creator has: those that begin meanwhile are found the next time.
static int lay_down_in_others(void)
{
	struct sigaction action = {.sa_handler = lay_down_here, .sa_flags = SA_RESTART};
	pid_t done[THREADS_MAX], found[THREADS_MAX];
	uint32_t done_count = 0;
	int rc = 0, count;

	sigemptyset(&action.sa_mask);
	if (sigaction(LAY_DOWN_SIGNAL, &action, NULL) < 0)
		return -errno;
	while (rc == 0 && (count = find_others(done, done_count, found)) != 0) {
		if (count < 0)
			rc = count;
		else if (done_count + (uint32_t)count > THREADS_MAX)
			rc = -EAGAIN;
		for (int i = 0; rc == 0 && i < count; i++) {
			rc = lay_down_in(found[i]);
			done[done_count++] = found[i];
		}
	}
	signal(LAY_DOWN_SIGNAL, SIG_IGN);
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

int drb_privilege_drop(const struct drb_setup *s)
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
	int rc = lay_down_in_others();
	if (rc == 0 && capng_apply(CAPNG_SELECT_CAPS) < 0)
		rc = -errno;
	if (rc < 0)
		drb_error("cannot drop capabilities: %s", strerror(-rc));
	return rc;
}

void drb_privilege_keep(int capability)
{
	uint64_t kept = capability >= 0 ? permitted_here() & UINT64_C(1) << capability : 0;

	if (set_here(kept, 0) == 0)
		atomic_store(&keeper, gettid());
}

void drb_privilege_raise(int capability)
{
	uint64_t kept = permitted_here();

	set_here(kept, kept & UINT64_C(1) << capability);
}

void drb_privilege_lower(void)
{
	set_here(permitted_here(), 0);
}

void drb_privilege_regain(void)
{
	if (capng_get_caps_process() < 0)
		return;
	for (unsigned cap = 0; cap <= CAP_LAST_CAP; cap++) {
		if (capng_have_capability(CAPNG_PERMITTED, cap))
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE, cap);
	}
	capng_apply(CAPNG_SELECT_CAPS);
}
