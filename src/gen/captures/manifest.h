// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A directory of `drbgen write`: one capture per host and traffic.json, the manifest.
//
// The manifest says how the captures were made, and contains all that `drbgen replay` needs to send
// and judge them. It is written last: a directory without a manifest is unfinished.

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/fabric/addresses.h"
#include "core/traffic/traffic.h"
#include "core/fabric/tree.h"

#define MANIFEST_FILE "traffic.json"
#define MANIFEST_ERROR_MAX 256

struct manifest {
	uint32_t layers, arity;
	uint64_t slot_ns;
	uint32_t slots;
	struct drb_traffic_kind pattern;
	double load;
	uint64_t seed; // at most INT64_MAX, which all JSON readers accept
	uint32_t size; // bytes of every frame without FCS
	uint64_t packets;
	char mac[8], ipv4[24], ipv6[48]; // bases of label addresses, as drb_addr_set_*() take them
	// Derived from the above.
	struct drb_tree tree;
	struct drb_addr_plan plan;
};

// The longest slot and the longest run, so that times in ns never overflow.
#define MANIFEST_SLOT_NS_MAX UINT64_C(3600000000000)
#define MANIFEST_RUN_NS_MAX UINT64_C(1000000000000000000)

// Checks every field and fills in the derived ones. 0, or -EINVAL with the reason in `error`, which
// names the field.
int manifest_complete(struct manifest *m, char error[MANIFEST_ERROR_MAX]);

// Reads the text of a manifest, whose bytes need not be valid. 0, or -EINVAL with the reason in
// `error`.
int manifest_parse(const char *text, size_t size, struct manifest *m,
		   char error[MANIFEST_ERROR_MAX]);

// Read and write <dir>/traffic.json. 0, or -EINVAL after a message that names the file.
int manifest_load(const char *dir, struct manifest *m);
int manifest_save(const char *dir, const struct manifest *m);

// <dir>/h<label>.pcap, the capture of a host. False: the path is too long.
bool capture_path(char path[PATH_MAX], const char *dir, uint32_t host);
