// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/dpdk/card_losses.h"

// Two reads in a row tell the two kinds of cards apart. If the card clears its register, the second
// read adds less than the first one, which covers the long time since the last call. If it does
// not, each read adds the whole total again.
void drb_card_losses_note(struct drb_card_losses *l, const uint64_t said[DRB_CARD_READS])
{
	const uint64_t first = said[0] - l->said, second = said[1] - said[0];
	const uint64_t third = said[2] - said[1];
	const bool kept = second > 0 && second >= first && third >= second;

	if (!l->begun)
		l->before = third;
	else if (kept)
		l->missed = third - l->before;
	else
		l->missed += said[2] - l->said;
	l->said = said[2];
	l->begun = true;
}
