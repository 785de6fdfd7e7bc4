// SPDX-License-Identifier: BSD-3-Clause
#include "drb/version.h"

const char *drb_version(void)
{
	return DRB_VERSION;
}
