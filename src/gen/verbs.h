// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The verbs of drbgen. Each takes its command line and returns an exit status.

int gen_write(int argc, char **argv);
int gen_replay(int argc, char **argv);
