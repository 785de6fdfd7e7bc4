// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/dpdk/pci_check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <stdbool.h>
#include <unistd.h>

#include "common/config/complaint.h"
#include "common/config/config.h"

#define NAME_MAX_LEN 63
#define CARD_LEN 12 // 0000:3b:00.0, as in the config

struct card {
	const char *root;
	const struct drb_port_setup *port;
	char at[CARD_LEN + 1];
	char group[NAME_MAX_LEN + 1], driver[NAME_MAX_LEN + 1];
};

// Writes a path in the folder of a device.
static void path_of(const char *root, const char *device, const char *name, char path[256])
{
	snprintf(path, 256, "%s/sys/bus/pci/devices/%s/%s", root, device, name);
}

// Reads a device's symbolic link: the last component of its target; "" if there is no such link.
static void read_link(const char *root, const char *device, const char *link,
		      char name[NAME_MAX_LEN + 1])
{
	char path[256], to[256];

	path_of(root, device, link, path);
	ssize_t len = readlink(path, to, sizeof(to) - 1);
	to[len > 0 ? len : 0] = '\0';
	const char *slash = strrchr(to, '/');
	snprintf(name, NAME_MAX_LEN + 1, "%.*s", NAME_MAX_LEN, slash ? slash + 1 : to);
}

// Reads the first word of a file of the card; "" if there is none.
static void read_word(const struct card *c, const char *name, char word[NAME_MAX_LEN + 1])
{
	char path[256];

	path_of(c->root, c->at, name, path);
	FILE *f = fopen(path, "re");
	if (!f || fscanf(f, "%63s", word) != 1)
		word[0] = '\0';
	if (f)
		fclose(f);
}

// Reads the first entry of a folder of the card; "" if there is none.
static void read_entry(const struct card *c, const char *folder, char name[NAME_MAX_LEN + 1])
{
	const struct dirent *entry;
	char path[256];

	name[0] = '\0';
	path_of(c->root, c->at, folder, path);
	DIR *dir = opendir(path);
	while (dir && !*name && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			snprintf(name, NAME_MAX_LEN + 1, "%.*s", NAME_MAX_LEN, entry->d_name);
	}
	if (dir)
		closedir(dir);
}

static int check_card(const char *config, const struct card *c)
{
	const struct drb_port_setup *p = c->port;
	char path[256], class[NAME_MAX_LEN + 1];

	path_of(c->root, c->at, "", path);
	if (access(path, F_OK) < 0)
		return drb_config_bad_port(config, p, "device",
					   "port %s: no PCI device \"%s\" (dpdk-devbind.py "
					   "--status lists network cards)",
					   p->name, c->at);
	read_word(c, "class", class);
	if (strncmp(class, "0x02", 4) != 0)
		return drb_config_bad_port(config, p, "device",
					   "port %s: %s is no network card but a device of class "
					   "%s (dpdk-devbind.py --status lists network cards)",
					   p->name, c->at, class);
	return 0;
}

// Comes before the check of the driver, because vfio-pci cannot be bound without a group either. In
// the kernel's mode without IOMMU, the group exists only by name.
static int check_iommu(const char *config, const struct card *c)
{
	char name[NAME_MAX_LEN + 1];

	read_word(c, "iommu_group/name", name);
	if (*c->group && strcmp(name, "vfio-noiommu") != 0)
		return 0;
	return drb_config_bad_port(
		config, c->port, "device",
		"port %s: card %s is behind no IOMMU, which vfio-pci needs: turn "
		"it on in the firmware (VT-d, AMD-Vi) and on the kernel's command "
		"line (intel_iommu=on, amd_iommu=on)",
		c->port->name, c->at);
}

static bool is_uio(const char *driver)
{
	return strcmp(driver, "uio_pci_generic") == 0 || strcmp(driver, "igb_uio") == 0;
}

static int check_driver(const char *config, const struct card *c)
{
	const struct drb_port_setup *p = c->port;
	char interface[NAME_MAX_LEN + 1];

	if (strcmp(c->driver, "vfio-pci") == 0)
		return 0;
	if (!*c->driver)
		return drb_config_bad_port(config, p, "device",
					   "port %s: card %s is bound to no driver: modprobe "
					   "vfio-pci; dpdk-devbind.py --bind=vfio-pci %s",
					   p->name, c->at, c->at);
	if (is_uio(c->driver))
		return drb_config_bad_port(
			config, p, "device",
			"port %s: card %s is bound to %s, which does without the "
			"IOMMU that drbswitch needs: dpdk-devbind.py "
			"--bind=vfio-pci %s",
			p->name, c->at, c->driver, c->at);
	read_entry(c, "net", interface);
	return drb_config_bad_port(config, p, "device",
				   "port %s: card %s is bound to the kernel's driver %s%s%s: "
				   "dpdk-devbind.py --bind=vfio-pci %s",
				   p->name, c->at, c->driver, *interface ? ", interface " : "",
				   interface, c->at);
}

// True for drivers that other devices of the group may have: none, or drivers without DMA of their
// own.
static bool is_harmless(const char *driver)
{
	static const char *const names[] = {"", "vfio-pci", "pci-stub", "pcieport", "shpchp"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(driver, names[i]) == 0)
			return true;
	}
	return false;
}

static int check_group(const char *config, const struct card *c)
{
	char path[256], driver[NAME_MAX_LEN + 1], other[NAME_MAX_LEN + 1] = "";
	const struct dirent *entry;

	path_of(c->root, c->at, "iommu_group/devices", path);
	DIR *dir = opendir(path);
	while (dir && !*other && (entry = readdir(dir))) {
		read_link(c->root, entry->d_name, "driver", driver);
		if (!is_harmless(driver))
			snprintf(other, sizeof(other), "%.*s", NAME_MAX_LEN, entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (!*other)
		return 0;
	return drb_config_bad_port(
		config, c->port, "device",
		"port %s: card %s shares its IOMMU group %s with %s, which the "
		"kernel's driver %s has: bind that to vfio-pci, too, or to no driver",
		c->port->name, c->at, c->group, other, driver);
}

static int check_free(const char *config, const struct card *c)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/dev/vfio/%s", c->root, c->group);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno == EBUSY)
		return drb_config_bad_port(
			config, c->port, "device",
			"port %s: card %s is in use by another process (fuser -v "
			"%s names it)",
			c->port->name, c->at, path);
	return drb_config_bad_port(config, c->port, "device",
				   "port %s: cannot open %s of card %s: %s (this user, or this "
				   "container, needs that device)",
				   c->port->name, path, c->at, strerror(errno));
}

static struct card card_of(const char *root, const struct drb_port_setup *p)
{
	struct card c = {.root = root, .port = p};

	snprintf(c.at, sizeof(c.at), "%.*s", CARD_LEN, p->device);
	read_link(root, c.at, "iommu_group", c.group);
	read_link(root, c.at, "driver", c.driver);
	return c;
}

int drb_pci_check(const char *root, const char *config, const struct drb_port_setup *p)
{
	static int (*const checks[])(const char *config, const struct card *c) = {
		check_card, check_iommu, check_driver, check_group, check_free};
	const struct card c = card_of(root, p);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(checks) / sizeof(checks[0]); i++)
		rc = checks[i](config, &c);
	return rc;
}

int drb_pci_refused(const char *root, const char *config, const struct drb_port_setup *p)
{
	const struct card c = card_of(root, p);
	char vendor[NAME_MAX_LEN + 1], device[NAME_MAX_LEN + 1];

	read_word(&c, "vendor", vendor);
	read_word(&c, "device", device);
	return drb_config_bad_port(
		config, p, "device",
		"port %s: no driver in this build takes card %s (%s:%s); the meson "
		"option drivers adds some, -v shows what one says that refused it",
		p->name, c.at, vendor[0] ? vendor + 2 : "?", device[0] ? device + 2 : "?");
}
