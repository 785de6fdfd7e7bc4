// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packets that a card dropped, from its driver's count. The driver adds up a register that a card clears on
// each read. QEMU's 82540EM and similar cards do not clear it: each read returns the total. Pure.

#include <stdbool.h>
#include <stdint.h>

#define DRB_CARD_READS 3 // in a row

struct drb_card_losses {
	uint64_t missed; // packets, since the first look
	uint64_t said;   // by the driver, last
	uint64_t before; // the first look: what the register had that is not cleared
	bool begun;
};

// A look: what the driver said in several reads right after one another, packets. What was lost before the first is not counted.
void drb_card_losses_note(struct drb_card_losses *l, const uint64_t said[DRB_CARD_READS]);
