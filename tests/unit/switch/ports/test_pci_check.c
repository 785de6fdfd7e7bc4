// SPDX-License-Identifier: BSD-3-Clause
// Messages about cards that cannot be ports, from a tree of files like that of the kernel.
#include "fixtures/config_files.h"

#include <ftw.h>
#include <sys/stat.h>

#include "switch/ports/dpdk/pci_check.h"

#define CARD "0000:3b:00.0"
#define OTHER "0000:3b:00.1"

static char root[] = "/tmp/drb-test-cards-XXXXXX";

// Makes the folders of root/path, and a file with this text there unless NULL.
__attribute__((format(printf, 2, 3))) static void make(const char *text, const char *fmt, ...)
{
	char path[512], inside[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(inside, sizeof(inside), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s/%s", root, inside);
	for (char *c = path + strlen(root) + 1; *c; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		mkdir(path, 0700);
		*c = '/';
	}
	if (!text) {
		mkdir(path, 0700);
		return;
	}
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

static void link_to(const char *device, const char *name, const char *to)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%s/%s", root, device, name);
	unlink(path);
	if (to)
		assert_int_equal(symlink(to, path), 0);
}

static void bind_to(const char *device, const char *driver)
{
	char to[128];

	snprintf(to, sizeof(to), "../../drivers/%s", driver ? driver : "");
	link_to(device, "driver", driver ? to : NULL);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

// A card in group 12, bound to vfio-pci, which no process has open: fit to be a port.
static int make_card(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/drb-test-cards-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	make("0x020000", "sys/bus/pci/devices/" CARD "/class");
	make("0x15ad", "sys/bus/pci/devices/" CARD "/vendor");
	make("0x07b0", "sys/bus/pci/devices/" CARD "/device");
	make(NULL, "sys/bus/pci/devices/" OTHER);
	make("", "sys/kernel/iommu_groups/12/devices/" CARD);
	make("", "dev/vfio/12");
	link_to(CARD, "iommu_group", "../../../../kernel/iommu_groups/12");
	bind_to(CARD, "vfio-pci");
	return 0;
}

static int remove_card(void **state)
{
	(void)state;
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

typedef int check_fn(const char *root, const char *config, const struct drb_port_setup *port);

// The message of a check about d0 with this device; "" if none.
static const char *said_by(check_fn *check, const char *device)
{
	static char message[2048];
	struct drb_setup s;
	char text[512];

	snprintf(text, sizeof(text),
		 "fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n"
		 "link: {driver: none}\nports: [{name: d0, driver: pci, device: \"%s\"}]\n",
		 device);
	s = good(text);
	FILE *to = tmpfile();
	assert_non_null(to);
	fflush(stderr);
	int saved = dup(STDERR_FILENO);
	dup2(fileno(to), STDERR_FILENO);
	int rc = check(root, file, &s.ports[0]);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(to);
	message[fread(message, 1, sizeof(message) - 1, to)] = '\0';
	fclose(to);
	assert_int_equal(rc, *message ? -EINVAL : 0);
	// One line, which names the line of the config and the port.
	if (*message) {
		assert_ptr_equal(strchr(message, '\n'), message + strlen(message) - 1);
		assert_non_null(strstr(message, "c.yaml:4: ports[0].device: port d0: "));
	}
	return message;
}

static const char *said_of(const char *device)
{
	return said_by(drb_pci_check, device);
}

static void assert_said(const char *said, const char *part)
{
	if (!strstr(said, part))
		fail_msg("\"%s\" is not in: %s", part, said);
}

TEST_WITH(fit, make_card, remove_card)
{
	assert_string_equal(said_of(CARD), "");
	assert_string_equal(said_of("3b:00.0"), "");
	assert_string_equal(said_of("0000:3B:00.0,speed=1"), "");
}

TEST_WITH(absent, make_card, remove_card)
{
	assert_said(said_of("0000:3c:00.0"), "no PCI device \"0000:3c:00.0\" (dpdk-devbind.py");
	make("0x060100", "sys/bus/pci/devices/" CARD "/class");
	assert_said(said_of(CARD), "is no network card but a device of class 0x060100");
}

TEST_WITH(bound_elsewhere, make_card, remove_card)
{
	bind_to(CARD, "e1000e");
	assert_said(said_of(CARD), "card " CARD " is bound to the kernel's driver e1000e: "
				   "dpdk-devbind.py --bind=vfio-pci " CARD "\n");
	make(NULL, "sys/bus/pci/devices/" CARD "/net/eth7");
	assert_said(said_of("3B:00.0"), "driver e1000e, interface eth7: dpdk-devbind.py");
	bind_to(CARD, "uio_pci_generic");
	assert_said(said_of(CARD), "is bound to uio_pci_generic, which does without the IOMMU");
	bind_to(CARD, "igb_uio");
	assert_said(said_of(CARD), "is bound to igb_uio, which does without the IOMMU");
	bind_to(CARD, NULL);
	assert_said(said_of(CARD), "is bound to no driver: modprobe vfio-pci; dpdk-devbind.py "
				   "--bind=vfio-pci " CARD);
}

TEST_WITH(no_iommu, make_card, remove_card)
{
	// vfio without an IOMMU makes a group nevertheless.
	make("vfio-noiommu", "sys/kernel/iommu_groups/12/name");
	assert_said(said_of(CARD), "is behind no IOMMU, which vfio-pci needs: turn it on");
	link_to(CARD, "iommu_group", NULL);
	assert_said(said_of(CARD), "is behind no IOMMU, which vfio-pci needs");
	// The IOMMU comes first: no driver can be bound before.
	bind_to(CARD, "e1000e");
	assert_said(said_of(CARD), "is behind no IOMMU, which vfio-pci needs");
}

TEST_WITH(shared_group, make_card, remove_card)
{
	static const char *const harmless[] = {NULL, "vfio-pci", "pci-stub", "pcieport"};

	make("", "sys/kernel/iommu_groups/12/devices/" OTHER);
	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++) {
		bind_to(OTHER, harmless[i]);
		assert_string_equal(said_of(CARD), "");
	}
	bind_to(OTHER, "snd_hda_intel");
	assert_said(said_of(CARD), "shares its IOMMU group 12 with " OTHER ", which the kernel's "
				   "driver snd_hda_intel has: bind that to vfio-pci, too");
}

TEST_WITH(not_to_open, make_card, remove_card)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/dev/vfio/12", root);
	unlink(path);
	assert_said(said_of(CARD), "/dev/vfio/12 of card " CARD ": No such file");
	assert_said(said_of(CARD), "cannot open ");
}

TEST_WITH(without_driver, make_card, remove_card)
{
	assert_said(said_by(drb_pci_refused, CARD), "no driver in this build takes card " CARD
						    " (15ad:07b0); the meson option drivers");
}

TEST_MAIN(make_dir, remove_dir)
