// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// DPDK for a test program: no root, no hugepages, no devices but those the test makes, and
// nothing left behind. What a program needs more of it defines before.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_mbuf.h>

#include "switch/worker.h"

#ifndef EAL_MEMORY_MB
#define EAL_MEMORY_MB "96"
#endif
#ifndef EAL_LCORES
#define EAL_LCORES "0@0"
#endif
#define MBUFS 16384

static char test_runtime[] = "/tmp/drb-test-run-XXXXXX";
static struct rte_mempool *test_pool;

static inline void remove_runtime(void)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/dpdk/test", test_runtime);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/dpdk", test_runtime);
	rmdir(path);
	rmdir(test_runtime);
}

// 0, or -1 if DPDK does not start.
static inline int start_eal(void)
{
	char map[] = "--lcores=" EAL_LCORES, memory[] = EAL_MEMORY_MB;
	char *args[] = {program_invocation_short_name,
			"--no-huge",
			"--no-pci",
			"--no-shconf",
			"--no-telemetry",
			"--iova-mode=va",
			"--file-prefix=test",
			map,
			"--log-level=*:error",
			"-m",
			memory};

	if (!mkdtemp(test_runtime) || setenv("RUNTIME_DIRECTORY", test_runtime, 1) < 0)
		return -1;
	atexit(remove_runtime);
	if (rte_eal_init(sizeof(args) / sizeof(args[0]), args) < 0)
		return -1;
	test_pool = rte_pktmbuf_pool_create("test", MBUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
					    SOCKET_ID_ANY);
	return test_pool ? 0 : -1;
}

// Before and after a group of tests.
static inline int setup_eal(void **state)
{
	(void)state;
	return start_eal();
}

static inline int free_eal(void **state)
{
	(void)state;
	return rte_eal_cleanup();
}

// What a config of this text means. Fails the process if it is none.
static inline struct drb_setup setup_of(const char *text)
{
	char path[] = "/tmp/drb-test-config-XXXXXX";
	struct drb_setup s;
	int fd = mkstemp(path);

	bool loaded = fd >= 0 && write(fd, text, strlen(text)) >= 0 &&
		      drb_config_load(path, NULL, &s) == 0;
	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
	if (!loaded) {
		fprintf(stderr, "no config: %s\n", text);
		exit(1);
	}
	return s;
}

// A frame of len bytes from one host of the default address plan to another.
static inline void make_frame(uint8_t *frame, uint32_t len, uint32_t from, uint32_t to)
{
	struct drb_addr_plan plan = drb_addr_default(UINT32_MAX);

	memset(frame, 0, len);
	drb_addr_mac(&plan, to, frame);
	drb_addr_mac(&plan, from, frame + 6);
	frame[12] = 0x08;
}

static inline struct rte_mbuf *mbuf_of(const uint8_t *frame, uint32_t len)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(test_pool);

	if (m)
		memcpy(rte_pktmbuf_append(m, (uint16_t)len), frame, len);
	return m;
}
