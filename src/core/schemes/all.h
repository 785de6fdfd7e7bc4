// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// All schemes whole, for the loops that are compiled for each of them.

#include "core/schemes/bouncing.h"
#include "core/schemes/dmodk.h"
#include "core/schemes/drb.h"
#include "core/schemes/drill.h"
#include "core/schemes/ecmp.h"
#include "core/schemes/least.h"
#include "core/schemes/micro.h"
#include "core/schemes/vlb.h"
#include "core/schemes/walk.h"
