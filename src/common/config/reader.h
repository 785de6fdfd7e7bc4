// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads the keys of keys.def from the document. Private to common/config. Functions return 0, or -EINVAL
// after they printed a message.

#include "common/config/config.h"
#include "common/config/keys.h"

// Every key of the document is known and there once, every required key is there, and values are
// scalars. What the functions below rely on.
int drb_config_check(const char *path);

// True if the document has the section.
bool drb_config_has(enum drb_config_section section);

// Puts the defaults of a section into *to, then what the document says there.
int drb_config_read(const char *path, enum drb_config_section section, void *to);

// Entries of `ports`: how many, the name of one, and what it says, into port.
uint32_t drb_config_entries(void);
const char *drb_config_entry_name(uint32_t entry);
int drb_config_read_entry(const char *path, uint32_t entry, struct drb_port_setup *port);

// How many packets are on a port's link with a delay at once, of the shortest frames, also after a late wake-up. A link
// to a host has none. More than DRB_ON_LINK_MAX: too many, or without a bound.
uint32_t drb_config_on_link(const struct drb_port_setup *port);

// Fills setup->ports; the rest of setup is complete. -EINVAL with a message printed.
int drb_config_ports(const char *path, struct drb_setup *setup);
