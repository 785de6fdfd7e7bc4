// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether a network card can be a port, from what the kernel reports: names each mistake and its cure before
// DPDK tries, which only says that there is no such device.

struct drb_port_setup;

// root stands before /sys and /dev: "" but in tests. 0, or -EINVAL with a message naming the config's
// line and the port.
int drb_pci_check(const char *root, const char *config_path, const struct drb_port_setup *port);
// Says that DPDK made no port of a card that passed. Returns -EINVAL.
int drb_pci_refused(const char *root, const char *config_path, const struct drb_port_setup *port);
