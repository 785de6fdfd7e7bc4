// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The parser of command lines for all programs.

#include <stdint.h>

#include <argp.h>

// Like argp_parse(), also in its flags. An error in an option is one line and ends the process with
// DRB_EXIT_USAGE. Parsers report other errors by drb_die(). -h, --help and a single argument `help`
// print the help and end the process with DRB_EXIT_OK.
void drb_args_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

// Sets the end of the next help: command lines, each indented by two spaces and with its newline.
// The text must live as long as the process.
void drb_args_set_examples(const char *text);

// Parses the whole number that follows an option such as "--slots". If it is malformed or not from
// least to most (UINT64_MAX: no limit), the process ends with DRB_EXIT_USAGE and a line that names
// the range.
uint64_t drb_option_u64(const char *option, const char *text, uint64_t least, uint64_t most);
uint32_t drb_option_u32(const char *option, const char *text, uint32_t least, uint32_t most);
