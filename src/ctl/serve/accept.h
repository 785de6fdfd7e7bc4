// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which form of an answer a client wants more, by its header Accept (RFC 9110, 12.5.1).

#include <stdbool.h>

// True if the client wants the media type `type` more than `usual`, or as much and names it. Media types are as
// in "text/plain"; of the parameters of what the client names only q is looked at, and what is malformed is passed
// over. A header of NULL is none: anything is welcome.
bool accept_prefers(const char *header, const char *type, const char *usual);
