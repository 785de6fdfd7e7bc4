// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The protocols that users name, in flows such as tcp:40000:5201, and lines of packets name.

#include "core/packet/wire.h"

#define CTL_PROTOCOLS(X)                                                                           \
	X("tcp", DRB_PROTOCOL_TCP)                                                                 \
	X("udp", DRB_PROTOCOL_UDP)                                                                 \
	X("sctp", DRB_PROTOCOL_SCTP)                                                               \
	X("dccp", DRB_PROTOCOL_DCCP)                                                               \
	X("icmp", DRB_PROTOCOL_ICMP)                                                               \
	X("icmpv6", DRB_PROTOCOL_ICMPV6)
