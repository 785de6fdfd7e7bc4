// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The networks of a running fabric, as the interface of one of its hosts has them.

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/addresses.h"

// A network as in options and manifests: "fd00::/64".
#define HOST_NETWORK_TEXT 52

struct host_networks {
	// "": the address of the host does not contain its label.
	char mac[sizeof("02:00")];
	char ipv4[HOST_NETWORK_TEXT], ipv6[HOST_NETWORK_TEXT]; // the same
};

// Searches the namespace of this host for addresses that contain its label. 0, or a negative errno
// after a message. For single-threaded use, like hosts_open().
int host_networks_read(const char *fabric, uint32_t host, struct host_networks *networks);
// The network of an address that ends with the label of this host; false if it does not. `octets`:
// 4 or 16 bytes.
bool host_network_of(const uint8_t *address, const uint8_t *mask, uint32_t octets, uint32_t host,
		     char text[HOST_NETWORK_TEXT]);
