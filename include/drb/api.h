// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Macros that all headers of libdrb share.

#define DRB_API __attribute__((visibility("default")))

#ifdef __cplusplus
#define DRB_BEGIN extern "C" {
#define DRB_END }
#else
#define DRB_BEGIN
#define DRB_END
#endif
