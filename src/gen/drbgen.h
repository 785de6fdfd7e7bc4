// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The sub-commands of drbgen.

// argv[0] is the full name of the command ("drbgen write"). Each returns an exit code.
int command_write(int argc, char **argv);
int command_replay(int argc, char **argv);
