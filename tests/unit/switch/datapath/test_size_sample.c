// SPDX-License-Identifier: BSD-3-Clause
// Histograms of the sizes of bursts and of the lengths of queues.
#include "fixtures/unit.h"

#include "switch/datapath/size_sample.h"

static struct drb_worker w;

// The bin of a size, by its definition in core/counters.h.
static uint32_t bin_of(uint32_t size)
{
	uint32_t bin = 0;

	for (; size > 0 && bin < DRB_LOG_BINS - 1; size /= 2)
		bin++;
	return bin;
}

TEST(each_size_has_its_bin)
{
	for (uint32_t bit = 0; bit < 32; bit++) {
		for (int more = -1; more < 2; more++) {
			const uint32_t size = (UINT32_C(1) << bit) + (uint32_t)more;
			assert_int_equal(drb_log_bin(size), bin_of(size));
		}
	}
	assert_int_equal(drb_log_bin(UINT32_MAX), DRB_LOG_BINS - 1);
}

TEST(each_burst_counts_once)
{
	uint64_t want[DRB_LOG_BINS] = {0};

	w = (struct drb_worker){0};
	for (uint32_t count = 1; count <= DRB_BURST_MAX; count++) {
		drb_sample_sizes(&w, count);
		want[bin_of(count)]++;
	}
	assert_int_equal(w.counters.rx_bursts, DRB_BURST_MAX);
	for (uint32_t bin = 0; bin < DRB_LOG_BINS; bin++)
		assert_int_equal(w.receive.burst_size[bin], want[bin]);
}

// Queues are sampled at the first burst, and then at every DRB_QUEUE_SAMPLE_EVERY-th. A port
// without a device has no queue.
TEST(queues_are_sampled_at_some_bursts)
{
	static const uint32_t length[] = {0, 1, 7, 8, 40000, 5};

	w = (struct drb_worker){.egress.ports = ARRAY_SIZE(length)};
	for (uint32_t i = 0; i < ARRAY_SIZE(length); i++) {
		w.egress.occupancy[i] = length[i];
		w.port[i].active = i != 5;
	}
	for (uint32_t burst = 0; burst <= 3 * DRB_QUEUE_SAMPLE_EVERY; burst++) {
		drb_sample_sizes(&w, 1);
		const uint64_t samples = burst / DRB_QUEUE_SAMPLE_EVERY + 1;
		uint64_t sum = 0;
		for (uint32_t bin = 0; bin < DRB_LOG_BINS; bin++)
			sum += w.receive.queue_length[bin];
		assert_int_equal(sum, 5 * samples);
		for (uint32_t i = 0; i < 5; i++)
			assert_int_equal(w.receive.queue_length[bin_of(length[i])], samples);
	}
}

TEST_MAIN(NULL, NULL)
