// SPDX-License-Identifier: BSD-3-Clause
// What can be said about the ports of a config before anything is started.
#include <ctype.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/config/config_file.h"
#include "switch/ports/port.h"

// The directory of a memif socket, made if only itself is missing.
static bool has_socket_dir(const struct drb_port_setup *p)
{
	char dir[sizeof(p->socket)];
	struct stat st;

	snprintf(dir, sizeof(dir), "%s", p->socket);
	char *slash = strrchr(dir, '/');
	if (!slash || slash == dir)
		return true;
	*slash = '\0';
	if (mkdir(dir, 0700) == 0)
		return true;
	if (errno == EEXIST && stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	return errno == EEXIST;
}

// A PCI device as the kernel knows it, with the domain that may be left out.
static bool has_pci_device(const struct drb_port_setup *p)
{
	int len = (int)strcspn(p->device, ",");
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s%.*s", len < 12 ? "0000:" : "", len,
		 p->device);
	for (char *c = path; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return access(path, F_OK) == 0;
}

// Queues that the af_xdp driver finds at an interface: one where there are no combined channels.
static uint32_t xdp_queues(const char *interface)
{
	struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};
	struct ifreq request = {.ifr_data = (void *)&channels};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	if (fd < 0 || ioctl(fd, SIOCETHTOOL, &request) < 0)
		channels.max_combined = 0;
	if (fd >= 0)
		close(fd);
	return channels.max_combined ? channels.combined_count : 1;
}

static int check_xdp(const char *path, const struct drb_port_setup *p, uint32_t workers)
{
	uint32_t queues = xdp_queues(p->interface);
	char key[64];

	if (queues < workers)
		return drb_config_bad(path, "process.workers",
				      "port %s: the af_xdp driver needs a channel of interface "
				      "\"%s\" for each of %u workers and finds %u (ethtool -l; a "
				      "veth has 1): take fewer workers or another driver",
				      p->name, p->interface, workers, queues);
	if (strchr(p->xdp, '/') && access(p->xdp, R_OK) < 0) {
		snprintf(key, sizeof(key), "%sxdp", p->key);
		return drb_config_bad(path, key, "port %s: no program \"%s\": %s", p->name, p->xdp,
				      strerror(errno));
	}
	return 0;
}

int drb_ports_check(const char *path, const struct drb_setup *s)
{
	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		const struct drb_port_setup *p = &s->ports[i];
		bool kernel = p->driver == DRB_DRIVER_AF_PACKET || p->driver == DRB_DRIVER_AF_XDP;
		char key[64];
		if (kernel && if_nametoindex(p->interface) == 0) {
			snprintf(key, sizeof(key), "%sinterface", p->key);
			return drb_config_bad(
				path, key, "port %s: no interface \"%s\" in this network namespace",
				p->name, p->interface);
		}
		if (p->driver == DRB_DRIVER_AF_XDP && check_xdp(path, p, s->workers) < 0)
			return -EINVAL;
		if (p->driver == DRB_DRIVER_PCI && !has_pci_device(p)) {
			snprintf(key, sizeof(key), "%sdevice", p->key);
			return drb_config_bad(path, key, "port %s: no PCI device \"%s\"", p->name,
					      p->device);
		}
		if (p->driver == DRB_DRIVER_MEMIF && !has_socket_dir(p)) {
			snprintf(key, sizeof(key), "%ssocket", p->key);
			return drb_config_bad(
				path, key,
				"port %s: no directory for \"%s\" (process.memif_dir): %s", p->name,
				p->socket, strerror(errno));
		}
	}
	return 0;
}
