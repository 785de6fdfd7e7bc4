// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Asks the kernel about its interfaces, because DPDK's drivers of kernel interfaces always report
// them as up.

#include <stdbool.h>
#include <stdint.h>

struct drb_port;
struct drb_port_setup;

// Returns 0 if the interface exists, or -EINVAL with a message that names the config's line.
int drb_interface_check(const char *config_path, const struct drb_port_setup *setup);

// Returns the index. 0: there is no interface of this name.
unsigned drb_interface_index(const char *interface);
// Returns bytes; 0: unknown.
uint32_t drb_interface_mtu(const char *interface);
// Calls a command of ethtool. The answer overwrites the struct. False: the interface does not
// support the command.
bool drb_interface_ethtool(const char *interface, void *command);

// Functions of struct drb_port_kind for ports on an interface. The kernel may report a lost carrier
// up to a second late.
bool drb_interface_port_carrier(const struct drb_port *port);
bool drb_interface_port_mac(const struct drb_port *port, uint8_t mac[6]);
uint16_t drb_interface_port_mtu(const struct drb_port *port);
// Returns "up", "down" or "gone". Waits for the kernel's lock on all interfaces.
const char *drb_interface_port_state(const struct drb_port *port);

// Makes the interface promiscuous until this AF_PACKET socket is closed, because frames carry the
// MACs of hosts, not of ports. Returns 0 or -errno.
int drb_interface_promiscuous(int fd, unsigned interface);

// True if the kernel has at least this version. False if its version is unknown.
bool drb_kernel_at_least(unsigned major, unsigned minor);

// Opens a descriptor for drb_interfaces_changed() in this network namespace. -1: an error.
int drb_interfaces_watch(void);
// True if an interface has changed since the last call. Takes one system call if none has.
bool drb_interfaces_changed(int fd);
