// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// libFuzzer calls this with generated inputs. It must never crash, read beyond the input, or break
// a rule that require() states.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define require(rule)                                                                              \
	do {                                                                                       \
		if (!(rule)) {                                                                     \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #rule);         \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

// The next byte of the input, or 0 after its end.
static inline uint8_t take(const uint8_t **data, size_t *size)
{
	if (*size == 0)
		return 0;
	(*size)--;
	return *(*data)++;
}

// Code that runs once, before the first input.
#define ONCE(...)                                                                                  \
	int LLVMFuzzerInitialize(int *argc, char ***argv);                                         \
	int LLVMFuzzerInitialize(int *argc, char ***argv)                                          \
	{                                                                                          \
		(void)argc, (void)argv;                                                            \
		__VA_ARGS__;                                                                       \
		return 0;                                                                          \
	}
