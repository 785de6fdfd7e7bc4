// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes what `drbctl set` has changed into the config file, where a person would have written it:
// comments and everything else stay as they are.

#include "common/config/document.h"
#include "common/config/settings.h"

// The text of the file with the new values, which means what it should. Only if the file itself says which
// switch it is of: one that serves several is for people to edit. 0, or -EINVAL with a message printed.
int drb_config_edit(const char *path, const struct drb_config_override *override,
		    const struct drb_settings *settings, struct drb_config_text *text);

// The file has the text completely, or not at all: it is replaced by a copy with its owner and mode. 0, or
// -EINVAL with a message printed.
int drb_config_replace(const char *path, struct drb_config_text text);
