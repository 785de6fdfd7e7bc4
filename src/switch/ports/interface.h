// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the kernel reports of an interface. The drivers of kernel interfaces always report them as up, so the
// kernel is asked.

#include <stdbool.h>
#include <stdint.h>

struct drb_port;
struct drb_port_setup;

// -EINVAL with a message naming the config's line if there is no such interface here.
int drb_interface_check(const char *config_path, const struct drb_port_setup *setup);

// 0: there is none of this name.
unsigned drb_interface_index(const char *interface);
// Octets; 0: it cannot be told.
uint32_t drb_interface_mtu(const char *interface);
// A struct of a command of ethtool, which the answer overwrites. False: the interface does not know it.
bool drb_interface_ethtool(const char *interface, void *command);

// Of ports at an interface, as in struct drb_port_kind. The kernel may take a second to tell that a carrier is lost.
bool drb_interface_port_carrier(const struct drb_port *port);
bool drb_interface_port_mac(const struct drb_port *port, uint8_t mac[6]);
uint16_t drb_interface_port_mtu(const struct drb_port *port);
// "up", "down" or "gone". Waits for the kernel's lock on all interfaces.
const char *drb_interface_port_state(const struct drb_port *port);

// Has it take all frames until this AF_PACKET socket is closed: they carry the MACs of hosts, not of ports. 0 or -errno.
int drb_interface_promiscuous(int fd, unsigned interface);

// The kernel is of this version or a later one. False if it cannot be told.
bool drb_kernel_at_least(unsigned major, unsigned minor);

// A descriptor for drb_interfaces_changed() in this network namespace; -1: there is none.
int drb_interfaces_watch(void);
// Whether something has changed at some interface since it was asked last. One system call if not.
bool drb_interfaces_changed(int fd);
