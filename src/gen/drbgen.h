// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The sub-commands of drbgen, and what they share.

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

// argv[0] is the full name of the command ("drbgen write"). Each returns an exit code.
int command_write(int argc, char **argv);
int command_replay(int argc, char **argv);

// <dir>/h<label>.pcap; false if it is too long.
bool capture_path(char path[PATH_MAX], const char *dir, uint32_t host);
