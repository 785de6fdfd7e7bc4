// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The kernel's header for AF_XDP sockets, and definitions that older headers lack.

#include <linux/if_xdp.h>
#include <sys/socket.h>

#ifndef AF_XDP
#define AF_XDP 44
#endif
#ifndef SOL_XDP
#define SOL_XDP 283
#endif
#ifndef XDP_USE_SG // before Linux 6.6
#define XDP_USE_SG (1 << 4)
#define XDP_PKT_CONTD (1 << 0)
#endif
