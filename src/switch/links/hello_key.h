// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A proof in hellos that their sender has the key of the fabric: libsodium's SipHash-2-4 of 128
// bits over their content. Checking the proof costs less than the other checks of a hello. A flood
// of forged hellos therefore costs hardly more than a flood of hellos without proof.
// core/links/link_state.h rejects hellos that are replayed or come from another link.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/links/hello.h"

struct drb_hello_key {
	bool used; // false: hellos carry no proof, and none is asked for
	uint8_t octets[16];
};

// Loads the key from a file of 16 to 4096 bytes; "": no key is used. 0, or -EINVAL with a message
// printed.
int drb_hello_key_load(struct drb_hello_key *key, const char *path);
// Writes the tag of an encoded frame.
void drb_hello_key_sign(const struct drb_hello_key *key, uint8_t *frame);
// True if the frame, which was decoded as *hello, has the right tag.
bool drb_hello_key_fits(const struct drb_hello_key *key, const struct drb_hello *hello,
			const uint8_t *frame);
// Returns a random number other than 0, which a process draws for each of its ports.
uint64_t drb_hello_instance(void);
