// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The protocols that users name, in flows such as tcp:40000:5201, and lines of packets name.

#include <stdbool.h>
#include <stdint.h>

// Returns the name of an IP protocol; NULL: it has none here.
const char *ctl_protocol_name(uint8_t number);
// Sets the number of the protocol with this name; false: there is none.
bool ctl_protocol_number(const char *name, uint8_t *number);
