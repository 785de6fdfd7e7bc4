// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/if_packet.h>

#include "core/fabric/names.h"
#include "core/packet/measured_packet.h"

#include "common/cli/file_limit.h"
#include "common/cli/log.h"
#include "gen/parallel.h"

// Open files per host: sockets to send, to keep the kernel from answering, and to receive.
// FILES_BESIDE: other open files of the process.
#define FILES_A_HOST 4
#define FILES_BESIDE 64
#define NETNS_DIR "/run/netns"
// More namespaces than any machine runs, to limit the search.
#define NAMESPACES_MAX UINT32_C(65536)
#define NETNS_MAX (sizeof(NETNS_DIR "/") + DRB_NAME_MAX)

static void netns_path(char path[NETNS_MAX], const char *fabric, uint32_t host)
{
	char name[DRB_NAME_MAX];

	drb_instance_name(name, fabric, 0, host);
	snprintf(path, NETNS_MAX, NETNS_DIR "/%s", name);
}

uint32_t hosts_count(const char *fabric)
{
	char path[NETNS_MAX];

	for (uint32_t host = 0; host < NAMESPACES_MAX; host++) {
		netns_path(path, fabric, host);
		if (access(path, F_OK) < 0)
			return host;
	}
	return NAMESPACES_MAX;
}

static int namespace_enter(const char *fabric, uint32_t host)
{
	char path[NETNS_MAX];
	int rc = 0;

	netns_path(path, fabric, host);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		rc = -errno;
		drb_error("h%u: no network namespace %s: %s (is the fabric up?)", host, path,
			  strerror(errno));
		return rc;
	}
	if (setns(fd, CLONE_NEWNET) < 0) {
		rc = -errno;
		drb_error("h%u: cannot enter %s: %s%s", host, path, strerror(errno),
			  rc == -EPERM ? ": needs root; without, run it through topo/rootless"
				       : "");
	}
	close(fd);
	return rc;
}

// Reads one property of the interface into *request.
static int query(int fd, uint32_t host, unsigned long what, struct ifreq *request)
{
	snprintf(request->ifr_name, sizeof(request->ifr_name), DRB_HOST_INTERFACE);
	if (ioctl(fd, what, request) == 0)
		return 0;
	int rc = -errno;
	drb_error("h%u: interface " DRB_HOST_INTERFACE ": %s", host, strerror(errno));
	return rc;
}

// The kernel reports with a delay of up to a second that a link is up.
static int await_link(int fd, uint32_t host)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	struct ifreq r = {0};

	for (int i = 0; i < 100; i++) {
		int rc = query(fd, host, SIOCGIFFLAGS, &r);
		if (rc < 0)
			return rc;
		if (!(r.ifr_flags & IFF_UP))
			break;
		if (r.ifr_flags & IFF_RUNNING)
			return 0;
		nanosleep(&pause, NULL);
	}
	drb_error("h%u: interface " DRB_HOST_INTERFACE " is down: topo/fabric mend h%u, if its "
		  "link was cut",
		  host, host);
	return -ENETDOWN;
}

// Checks that the interface is up and has the address that the switches expect of this host.
static int check_interface(struct hosts *h, int fd, uint32_t host, const struct drb_addr_plan *plan)
{
	struct ifreq r = {0};
	uint8_t want[6], is[6];
	int rc = await_link(fd, host);

	if (rc < 0)
		return rc;
	rc = query(fd, host, SIOCGIFHWADDR, &r);
	if (rc < 0)
		return rc;
	drb_addr_mac(plan, host, want);
	memcpy(is, r.ifr_hwaddr.sa_data, 6);
	if (r.ifr_hwaddr.sa_family != ARPHRD_ETHER || memcmp(is, want, 6) != 0) {
		drb_error("h%u: " DRB_HOST_INTERFACE
			  " has address %02x:%02x:%02x:%02x:%02x:%02x, the traffic is for "
			  "%02x:%02x:%02x:%02x:%02x:%02x",
			  host, is[0], is[1], is[2], is[3], is[4], is[5], want[0], want[1], want[2],
			  want[3], want[4], want[5]);
		return -EADDRNOTAVAIL;
	}
	rc = query(fd, host, SIOCGIFMTU, &r);
	if (rc == 0 && (uint32_t)r.ifr_mtu < h->mtu)
		h->mtu = (uint32_t)r.ifr_mtu;
	return rc;
}

// Opens a packet socket that only sends. It has no protocol, so that it receives nothing.
static int open_send(struct hosts *h, uint32_t host, const struct drb_addr_plan *plan)
{
	struct ifreq r = {0};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0) {
		int rc = -errno;
		drb_error("h%u: cannot open a packet socket: %s", host, strerror(errno));
		return rc;
	}
	h->send[host] = fd;
	int rc = check_interface(h, fd, host, plan);
	if (rc == 0)
		rc = query(fd, host, SIOCGIFINDEX, &r);
	if (rc < 0)
		return rc;
	struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = r.ifr_ifindex};
	if (bind(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		rc = -errno;
		drb_error("h%u: cannot send on " DRB_HOST_INTERFACE ": %s", host, strerror(errno));
	}
	return rc;
}

static int open_guard(struct hosts *h, uint32_t host)
{
	struct sock_filter nothing = {.code = BPF_RET | BPF_K, .k = 0};
	const struct sock_fprog filter = {.len = 1, .filter = &nothing};
	const struct sockaddr_in any = {.sin_family = AF_INET,
					.sin_port = htons(DRB_MEASURED_UDP_PORT)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	h->guard[host] = fd;
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) == 0 &&
	    bind(fd, (const struct sockaddr *)&any, sizeof(any)) == 0)
		return 0;
	int rc = -errno;
	drb_error("h%u: UDP port %d: %s%s", host, DRB_MEASURED_UDP_PORT, strerror(errno),
		  errno == EADDRINUSE ? " (another replay is running?)" : "");
	return rc;
}

// If the kernel cannot keep the flows from the host's stack, the replay goes on with the host's
// answers.
static void open_silence(struct hosts *h, struct silence *silence, uint32_t host)
{
	int fd = silence_host(silence, host, DRB_HOST_INTERFACE);

	h->answers = fd < 0;
	h->guard[host] = fd;
	if (fd < 0)
		drb_warn("h%u: its kernel cannot be kept silent, so hosts will reply to replayed "
			 "packets: nf_tables says %s; it needs Linux 5.12 and modprobe nf_tables "
			 "(use --to-stack if replies are wanted)",
			 host, strerror(-fd));
}

static int open_host(struct hosts *h, const struct hosts_setup *setup, uint32_t host)
{
	int rc = namespace_enter(setup->fabric, host);

	if (rc == 0)
		rc = open_send(h, host, setup->plan);
	if (rc == 0 && setup->guard)
		rc = open_guard(h, host);
	if (rc == 0 && setup->silence && !h->answers)
		open_silence(h, setup->silence, host);
	return rc < 0 ? rc : setup->sink->ops->attach(setup->sink, host);
}

static int allow_files(uint32_t hosts)
{
	char what[32];

	snprintf(what, sizeof(what), "%u hosts", hosts);
	return drb_files_need((uint64_t)FILES_A_HOST * hosts + FILES_BESIDE, what, true);
}

static int hosts_allocate(struct hosts *h, uint32_t count)
{
	*h = (struct hosts){.mtu = UINT32_MAX};
	h->send = malloc(count * sizeof(*h->send));
	h->guard = malloc(count * sizeof(*h->guard));
	if (!h->send || !h->guard) {
		drb_error("out of memory");
		hosts_close(h);
		return -ENOMEM;
	}
	h->count = count;
	for (uint32_t host = 0; host < count; host++)
		h->send[host] = h->guard[host] = -1;
	return 0;
}

// The namespace to return to, or a negative errno after a message.
static int home_open(void)
{
	int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);

	if (home >= 0)
		return home;
	int rc = -errno;
	drb_error("/proc/thread-self/ns/net: %s", strerror(errno));
	return rc;
}

static int home_return(int home, int rc)
{
	if (setns(home, CLONE_NEWNET) < 0 && rc == 0) {
		rc = -errno;
		drb_error("cannot return to the own network namespace: %s", strerror(errno));
	}
	close(home);
	return rc;
}

int hosts_inside(const char *fabric, uint32_t host, int (*inside)(void *context, uint32_t host),
		 void *context)
{
	int home = home_open();

	if (home < 0)
		return home;
	int rc = namespace_enter(fabric, host);
	return home_return(home, rc < 0 ? rc : inside(context, host));
}

int hosts_open(struct hosts *h, const struct hosts_setup *setup)
{
	int home = home_open();

	if (home < 0)
		return home;
	int rc = hosts_allocate(h, setup->plan->hosts);
	if (rc == 0)
		rc = allow_files(setup->end - setup->first);
	for (uint32_t host = setup->first; rc == 0 && host < setup->end; host++)
		rc = open_host(h, setup, host);
	rc = home_return(home, rc);
	if (rc < 0)
		hosts_close(h);
	return rc;
}

static void close_host(void *context, uint32_t host)
{
	const struct hosts *h = context;

	if (h->send[host] >= 0)
		close(h->send[host]);
	if (h->guard[host] >= 0)
		close(h->guard[host]);
}

void hosts_close(struct hosts *h)
{
	parallel_for(h->count, close_host, h);
	free(h->send);
	free(h->guard);
	*h = (struct hosts){0};
}
