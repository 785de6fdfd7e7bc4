// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Hellos with a proof that their sender has the key of the fabric: keyed BLAKE2b over the frame, of
// libsodium. That an old hello is not played again is seen to by core/links/link_state.h.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/links/hello.h"

struct drb_hello_key {
	bool used; // false: hellos carry no proof, and none is asked for
	uint8_t octets[32];
};

// The key in a file, which is 16 to 4096 octets; "": none is used. 0, or -EINVAL with a message printed.
int drb_hello_key_load(struct drb_hello_key *key, const char *path);
// Writes the tag of an encoded frame of len octets.
void drb_hello_key_sign(const struct drb_hello_key *key, uint8_t *frame, uint32_t len);
// True if the frame, that was decoded as *hello, has the tag it must have.
bool drb_hello_key_fits(const struct drb_hello_key *key, const struct drb_hello *hello,
			const uint8_t *frame);
// A random number that is not 0: a process's own.
uint64_t drb_hello_instance(void);
