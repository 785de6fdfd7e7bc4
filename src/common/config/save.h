// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes what `drbctl set` has changed into the config file, where a person would have written it:
// comments and everything else stay as they are.

#include "common/config/settings.h"

// The file has the new values completely, or not at all (it is replaced by a copy). Only if the file
// itself says which switch it is of: one that serves several is for people to edit. 0, or -EINVAL with a
// message printed.
int drb_config_save(const char *path, const struct drb_config_override *override,
		    const struct drb_settings *settings);
