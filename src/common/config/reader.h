// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads the keys of keys.def from the document. Private to common/config. Functions return 0, or
// -EINVAL after they printed a message.

#include "common/config/config.h"
#include "common/config/keys.h"

// Checks that every key of the document is known and unique, that every required key exists, and
// that values are scalars. The functions below rely on this.
int drb_config_check(const char *path);

// True if the document has the section.
bool drb_config_has(enum drb_config_section section);

// Writes the defaults of a section into *to, then the values in the document.
int drb_config_read(const char *path, enum drb_config_section section, void *to);

// These return the number of entries of `ports`, return the name of an entry, and read it into
// *port.
uint32_t drb_config_entries(void);
const char *drb_config_entry_name(uint32_t entry);
int drb_config_read_entry(const char *path, uint32_t entry, struct drb_port_setup *port);

// The largest number of packets on a port's link with a delay. It assumes that all frames are the
// shortest ones, and includes packets sent after a late wake-up. It is 0 on a link to a host. A
// number above DRB_ON_LINK_MAX means too many, or no limit.
uint32_t drb_config_on_link(const struct drb_port_setup *port);

// Fills in setup->ports; all other members must be complete. -EINVAL with a message printed.
int drb_config_ports(const char *path, struct drb_setup *setup);
