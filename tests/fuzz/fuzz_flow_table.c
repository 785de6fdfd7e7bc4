// SPDX-License-Identifier: BSD-3-Clause
// Flows whose hashes the input chooses, as nobody can who does not know the secret: what the table says it
// has is what it has. Input: size, then per step what to do, a flow, time.
#include "fuzz.h"

#include "fixtures/switch_eal.h"
#include "switch/datapath/worker/flow_table.h"

#define FLOWS 64

static struct drb_flow_table table;

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	require(start_eal() == 0);
	return 0;
}

// Few numbers, of few buckets and tags, or of all.
static uint64_t hash_of(uint8_t flow, uint8_t kind)
{
	uint64_t n = flow % FLOWS;

	switch (kind % 4) {
	case 0:
		return n << 8 | 3; // one first bucket, few second ones
	case 1:
		return n << 32 | n << 6;
	case 2:
		return n << 56 | 7;
	default:
		return n * UINT64_C(0x9e3779b97f4a7c15);
	}
}

static void check(void)
{
	uint32_t live = 0, by_uplink[DRB_PORTS_MAX] = {0}, held[DRB_FLOW_SHARES] = {0}, ways = 0;

	for (uint32_t i = 0; i < table.slots; i++) {
		bool used = table.used[i / 64] >> i % 64 & 1;
		require(used == table.entry[i].live);
		live += used;
		by_uplink[table.entry[i].uplink] += used;
		held[table.entry[i].share] += used;
	}
	for (uint32_t b = 0; b < table.buckets; b++) {
		for (uint32_t k = 0; k < DRB_FLOW_WAYS; k++)
			ways += table.bucket[b].tag[k] != 0;
	}
	require(live == table.live && live <= table.max && ways == live);
	require(memcmp(by_uplink, table.flows, sizeof(by_uplink)) == 0);
	require(memcmp(held, table.held, sizeof(held)) == 0);
	require(table.appeared == table.idled + table.closed + table.live);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t max = 1 + take(&data, &size) * 2u, senders = 1 + take(&data, &size) % 9;
	uint64_t now = 1000000;

	require(drb_flow_table_init(&table, max, senders) == 0);
	drb_flow_table_times(&table, 10000000, 1000000);
	while (size > 0) {
		uint8_t kind = take(&data, &size), flow = take(&data, &size);
		uint64_t hash = hash_of(flow, kind);
		uint32_t tick = drb_flow_tick(now);
		int32_t position;
		drb_flow_table_find(&table, &hash, 1, &position);
		require(position < 0 || table.entry[position].hash == hash);
		if (position < 0) {
			bool room = drb_flow_table_has_room(&table, kind);
			position = drb_flow_table_add(&table, hash, kind, flow % 8, tick);
			require(position < 0 || room);
		} else if (drb_flow_ended(&table, &table.entry[position], tick)) {
			drb_flow_table_end(&table, position);
			drb_flow_table_begin(&table, position, flow % 8, tick);
		}
		if (position >= 0) {
			int32_t again;
			drb_flow_table_seen(&table, position, kind >> 4, tick);
			drb_flow_table_find(&table, &hash, 1, &again);
			require(again == position);
		}
		now += (uint64_t)(kind >> 2 & 3) * 300000;
		drb_flow_table_age(&table, now);
	}
	check();
	for (int i = 0; i < 200 && table.live > 0; i++)
		drb_flow_table_age(&table, now += 1000000);
	require(table.live == 0);
	check();
	drb_flow_table_free(&table);
	return 0;
}
