// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A directory of `drbgen write`: one capture per host and traffic.json, the manifest.
//
// The manifest says what the captures were made from, and everything
// `drbgen replay` must know to send and judge them. Written last, so that a directory without it
// was not finished.

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
	uint64_t seed; // at most INT64_MAX, what JSON readers agree on
	uint32_t size; // of every frame, bytes without FCS
	uint64_t packets;
	char mac[8], ipv4[24], ipv6[48]; // bases of label addresses, as drb_addr_set_*() take them
	// Derived from the above.
	struct drb_tree tree;
	struct drb_addr_plan plan;
};

// Longest slot and longest run, so that times in ns never overflow.
#define MANIFEST_SLOT_NS_MAX UINT64_C(3600000000000)
#define MANIFEST_RUN_NS_MAX UINT64_C(1000000000000000000)

// Checks every field and fills in the derived ones. 0, or -EINVAL with the reason, which names the
// field, in error.
int manifest_complete(struct manifest *m, char error[MANIFEST_ERROR_MAX]);

// Reads the text of a manifest. 0, or -EINVAL with the reason in error. Takes any bytes.
int manifest_parse(const char *text, size_t size, struct manifest *m,
		   char error[MANIFEST_ERROR_MAX]);

// <dir>/traffic.json. 0, or -EINVAL after a message that names the file.
int manifest_load(const char *dir, struct manifest *m);
int manifest_save(const char *dir, const struct manifest *m);

// <dir>/h<label>.pcap, the capture of a host; false if the path is too long.
bool capture_path(char path[PATH_MAX], const char *dir, uint32_t host);
