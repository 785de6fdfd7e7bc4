// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Checks with the kernel whether a network card can be a port. Names each mistake and its cure
// before DPDK tries, because DPDK only reports that there is no such device.

struct drb_port_setup;

// root is prepended to /sys and /dev, and "" except in tests. Returns 0, or -EINVAL with a message
// that names the config's line and the port.
int drb_pci_check(const char *root, const char *config_path, const struct drb_port_setup *port);
// Prints that DPDK made no port of a card that passed the check. Returns -EINVAL.
int drb_pci_refused(const char *root, const char *config_path, const struct drb_port_setup *port);
