// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Command lines, which every program parses alike.

#include <stdint.h>

#include <argp.h>

// As argp_parse(), with flags: what is wrong with an option is one line, and ends the process with
// DRB_EXIT_USAGE. Parsers report what else is wrong by drb_die(). -h, --help and the only argument
// `help` print the help and end the process with DRB_EXIT_OK.
void drb_args_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

// What the next help ends with: command lines, each indented by two spaces and with its newline. The
// text must live as long as the process.
void drb_args_set_examples(const char *text);

// The whole number that stands behind an option such as "--slots". What is none, or not from least to most
// (UINT64_MAX: no limit), ends the process with DRB_EXIT_USAGE and a line that says which may.
uint64_t drb_option_u64(const char *option, const char *text, uint64_t least, uint64_t most);
uint32_t drb_option_u32(const char *option, const char *text, uint32_t least, uint32_t most);
