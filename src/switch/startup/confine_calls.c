// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/confine.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <linux/vfio.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#include <seccomp.h>

#include "common/cli/log.h"
#include "switch/ports/port_set.h"

// When a call is refused, a signal handler sets the call's result in a register of this
// architecture.
#if defined(__x86_64__)
#define RESULT(context) ((context)->uc_mcontext.gregs[REG_RAX])
#elif defined(__aarch64__)
#define RESULT(context) ((context)->uc_mcontext.regs[0])
#endif

#define CALLS_MAX 1024

// Written by the thread whose call was refused, in its handler.
static atomic_uint refused;               // number of refused calls
static atomic_int last_call, last_thread; // of the last refused call
static atomic_bool seen[CALLS_MAX];       // by system call; drb_confine_say() reads it
// Owned by drb_confine_say(): the calls that are logged.
static bool said[CALLS_MAX];

#ifdef RESULT
static void on_refused(int signal, siginfo_t *info, void *context)
{
	const int call = info->si_syscall;

	(void)signal;
	RESULT((ucontext_t *)context) = -EPERM;
	atomic_store(&last_call, call);
	atomic_store(&last_thread, gettid());
	if (call >= 0 && call < CALLS_MAX)
		atomic_store(&seen[call], true);
	atomic_fetch_add(&refused, 1);
}

static uint32_t refusal(void)
{
	const struct sigaction handler = {.sa_sigaction = on_refused,
					  .sa_flags = SA_SIGINFO | SA_RESTART};

	return sigaction(SIGSYS, &handler, NULL) == 0 ? SCMP_ACT_TRAP : SCMP_ACT_ERRNO(EPERM);
}
#else
static uint32_t refusal(void)
{
	return SCMP_ACT_ERRNO(EPERM);
}
#endif

static void name_of(int call, char *text, size_t size)
{
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, call);

	snprintf(text, size, "%s (%d)", name ? name : "unknown", call);
	free(name);
}

uint32_t drb_confine_refused(char text[DRB_REFUSED_TEXT])
{
	char name[48];
	uint32_t count = atomic_load(&refused);

	name_of(atomic_load(&last_call), name, sizeof(name));
	snprintf(text, DRB_REFUSED_TEXT, "system call %s of thread %d", name,
		 atomic_load(&last_thread));
	return count;
}

void drb_confine_say(void)
{
	char name[48];

	for (int call = 0; call < CALLS_MAX; call++) {
		if (said[call] || !atomic_load(&seen[call]))
			continue;
		said[call] = true;
		name_of(call, name, sizeof(name));
		drb_error("system call %s was refused: a switch does not make it: report this, or "
			  "start with process.confine: false",
			  name);
	}
}

// Adds one rule. Ignores calls that this architecture does not have.
static int allow(scmp_filter_ctx filter, int call, unsigned count,
		 const struct scmp_arg_cmp *arguments)
{
	if (call == __NR_SCMP_ERROR)
		return 0;
	int rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, count, arguments);
	return rc == -EDOM || rc == -EEXIST ? 0 : rc;
}

static int allow_all(scmp_filter_ctx filter, const char *const names[], size_t count)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = allow(filter, seccomp_syscall_resolve_name(names[i]), 0, NULL);
	return rc;
}

static int allow_plain(scmp_filter_ctx filter)
{
#define CALL(name) #name,
	static const char *const names[] = {
#include "switch/startup/confine_calls.def"
	};
#undef CALL
	return allow_all(filter, names, sizeof(names) / sizeof(names[0]));
}

// A filter cannot check the address of sendmsg(). Therefore it allows only sockets that do not send
// to an address: local ones with connections, netlink about interfaces, and AF_XDP.
static int allow_sockets(scmp_filter_ctx filter)
{
	static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET};
	const struct scmp_arg_cmp links[] = {SCMP_A0(SCMP_CMP_EQ, AF_NETLINK, 0),
					     SCMP_A2(SCMP_CMP_EQ, NETLINK_ROUTE, 0)};
	int rc = allow(filter, SCMP_SYS(socket), 2, links);

	if (rc == 0)
		rc = allow(filter, SCMP_SYS(socket), 1, &SCMP_A0(SCMP_CMP_EQ, AF_XDP, 0));
	for (size_t i = 0; rc == 0 && i < sizeof(types) / sizeof(types[0]); i++) {
		const struct scmp_arg_cmp local[] = {
			SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0),
			SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, (scmp_datum_t)types[i])};
		rc = allow(filter, SCMP_SYS(socket), 2, local);
		if (rc == 0)
			rc = allow(filter, SCMP_SYS(socketpair), 2, local);
	}
	return rc == 0 ? allow(filter, SCMP_SYS(sendto), 1, &SCMP_A4(SCMP_CMP_EQ, 0, 0)) : rc;
}

// Allows threads, but no processes. The arguments of clone3() are in memory, which a filter cannot
// check. The filter therefore denies that it exists, and libc uses clone() instead.
static int allow_threads(scmp_filter_ctx filter)
{
	static const int names[] = {PR_SET_NAME, PR_GET_NAME, PR_SET_TIMERSLACK, PR_SET_VMA};
	int rc = allow(filter, SCMP_SYS(clone), 1,
		       &SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));

	if (rc == 0)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	for (size_t i = 0; rc == 0 && i < sizeof(names) / sizeof(names[0]); i++)
		rc = allow(filter, SCMP_SYS(prctl), 1,
			   &SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)names[i], 0));
	if (rc == 0)
		rc = allow(filter, SCMP_SYS(tgkill), 1,
			   &SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0));
	return rc;
}

// Allows requests about interfaces, requests to cards behind vfio, and the request that stdio makes
// for a file (TCGETS). The kernel ignores the upper 32 bits of a request's number, so the
// comparison does, too.
static int allow_ioctls(scmp_filter_ctx filter)
{
	static const uint32_t requests[] = {SIOCETHTOOL,
					    SIOCGIFFLAGS,
					    SIOCGIFHWADDR,
					    SIOCGIFINDEX,
					    SIOCGIFMTU,
					    SIOCSIFFLAGS,
					    TCGETS,
					    VFIO_DEVICE_GET_IRQ_INFO,
					    VFIO_DEVICE_RESET,
					    VFIO_DEVICE_SET_IRQS,
					    VFIO_GROUP_UNSET_CONTAINER,
					    VFIO_IOMMU_MAP_DMA,
					    VFIO_IOMMU_UNMAP_DMA};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(requests) / sizeof(requests[0]); i++)
		rc = allow(filter, SCMP_SYS(ioctl), 1,
			   &SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, requests[i]));
	return rc;
}

// Allows reading the maps of XDP programs, which hold their counters.
static int allow_maps(scmp_filter_ctx filter, const struct drb_setup *setup)
{
	bool xdp = false;

	for (uint32_t i = 0; i < setup->down_ports + setup->up_ports; i++) {
		const struct drb_port_kind *kind = drb_port_kind_of(setup->ports[i].driver);
		xdp |= kind && kind->xdp;
	}
	return xdp ? allow(filter, SCMP_SYS(bpf), 1, &SCMP_A0(SCMP_CMP_EQ, BPF_MAP_LOOKUP_ELEM, 0))
		   : 0;
}

int drb_confine_calls(const struct drb_setup *setup)
{
	scmp_filter_ctx filter = seccomp_init(refusal());
	int rc = filter ? 0 : -ENOMEM;

	if (rc == 0)
		rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	if (rc == 0) // binary search instead of a linear list of comparisons
		rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (rc == 0)
		rc = allow_plain(filter);
	if (rc == 0)
		rc = allow_sockets(filter);
	if (rc == 0)
		rc = allow_threads(filter);
	if (rc == 0)
		rc = allow_ioctls(filter);
	if (rc == 0)
		rc = allow_maps(filter, setup);
	if (rc == 0)
		rc = seccomp_load(filter);
	seccomp_release(filter);
	return rc;
}

int drb_confine_broker_calls(void)
{
	// For requests and replies, files that the broker opens and removes, memory, and its end.
	static const char *const names[] = {
		"recvmsg",  "sendmsg", "connect",    "fcntl",        "close",     "open",
		"openat",   "fstat",   "stat",       "newfstatat",   "statx",     "write",
		"rmdir",    "unlink",  "unlinkat",   "brk",          "mmap",      "munmap",
		"mprotect", "futex",   "exit_group", "rt_sigreturn", "getpid",    "getuid",
		"geteuid",  "getgid",  "getegid",    "getsockopt",   "setsockopt"};
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int rc = filter ? allow_all(filter, names, sizeof(names) / sizeof(names[0])) : -ENOMEM;

	if (rc == 0)
		rc = allow(filter, SCMP_SYS(socket), 1, &SCMP_A0(SCMP_CMP_EQ, AF_PACKET, 0));
	if (rc == 0) // to the service manager
		rc = allow(filter, SCMP_SYS(socket), 1, &SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0));
	if (rc == 0)
		rc = seccomp_load(filter);
	seccomp_release(filter);
	return rc;
}
