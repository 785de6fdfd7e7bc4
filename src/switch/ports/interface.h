// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the kernel says of an interface. The drivers of kernel interfaces call them up whatever
// happens, so the kernel is asked.

#include <stdbool.h>
#include <stdint.h>

struct drb_port_setup;

// -EINVAL with a message naming the config's line if there is no such interface here.
int drb_interface_check(const char *config_path, const struct drb_port_setup *setup);

// For readers of counters: "up", "down" or "gone". Waits for the kernel's lock on all interfaces.
const char *drb_interface_state(const char *interface);
// For the worker, between iterations: takes no lock. fd: any socket of the interface's namespace, but of
// XDP. The kernel may take a second to tell that a carrier is lost.
bool drb_interface_up(int fd, const char *interface);
// 0: there is none of this name. Makes no socket, as if_nametoindex() does.
unsigned drb_interface_index(int fd, const char *interface);
// 0 if it cannot be told.
uint16_t drb_interface_mtu(int fd, const char *interface);
// False if it has none of Ethernet.
bool drb_interface_mac(int fd, const char *interface, uint8_t mac[6]);
// Has it take all frames until this AF_PACKET socket is closed: they carry the MACs of hosts, not of ports. 0 or -errno.
int drb_interface_promiscuous(int fd, unsigned interface);

// A descriptor for drb_interfaces_changed() in this network namespace; -1: there is none.
int drb_interfaces_watch(void);
// Whether something has changed at some interface since it was asked last. One system call if not.
bool drb_interfaces_changed(int fd);
