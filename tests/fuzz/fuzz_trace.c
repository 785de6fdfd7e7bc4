// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a capture. They are refused with one line, or give packets that are all from one
// host of the fabric to another, with a line if the capture is cut or damaged. Input: number of
// hosts less 2, then the file.
#include "said.h"

#include "gen/captures/foreign.h"
#include "gen/captures/recognise.h"

#define HOSTS_MAX 64
#define MTU 1500

static void check_packets(const struct trace *t, const struct drb_addr_plan *plan, bool fitted)
{
	int64_t last = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct trace_packet *p = &t->packet[i];
		require(p->frame && p->captured <= p->size && p->size >= 60);
		require(p->host < plan->hosts);
		require(drb_addr_of_mac(plan, p->frame + 6) == p->host);
		uint32_t to = drb_addr_of_mac(plan, p->frame);
		require(to < plan->hosts && to != p->host);
		require(p->time_ns >= last);
		require(!fitted || p->size <= MTU + 18);
		last = p->time_ns;
	}
}

// A replay in which everything is delivered: no packet is missing, even among equal ones.
static void recognise(struct trace *t, const struct drb_addr_plan *plan, struct flows *flows)
{
	struct recognised by_host[HOSTS_MAX + 2];
	struct tally tally;
	struct recogniser *r = recogniser_new(t, plan, t->count);

	require(r);
	for (size_t i = 0; i < t->count; i++) {
		struct trace_packet *p = &t->packet[i];
		p->sent = 1;
		recogniser_frame(r, &(struct arrival){.host = drb_addr_of_mac(plan, p->frame),
						      .captured = p->size,
						      .size = p->size,
						      .frame = p->frame});
	}
	require(recogniser_arrived(r) == t->count);
	recogniser_result(r, by_host, flows, &tally);
	recogniser_latency(r, flows);
	require(tally.delivered == t->count && tally.duplicated == 0 && tally.misdelivered == 0);
	recogniser_free(r);
}

static void map(struct trace *t, uint32_t hosts)
{
	struct drb_addr_plan plan = drb_addr_default(hosts);
	struct foreign_traffic traffic;
	size_t count = t->count;

	require(foreign_map(t, &(struct host_rules){.plan = plan}, 7, &traffic) == 0);
	check_packets(t, &plan, false);
	foreign_fit(t, MTU, &traffic.skipped);
	check_packets(t, &plan, true);
	require(t->count + foreign_skipped_count(&traffic.skipped) == count);
	recognise(t, &plan, &traffic.flows);
	foreign_free(&traffic);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t hosts = 2 + take(&data, &size) % HOSTS_MAX;
	const char *path = file_of(data, size), *said;
	struct trace trace = {0};

	listen_to_errors();
	int rc = trace_load(&trace, path, false);
	said = errors_said();
	if (rc == 0) {
		require(said[0] == '\0' || (is_one_line(said) && strstr(said, path)));
		map(&trace, hosts);
	} else {
		require(is_one_line(said) && strstr(said, path));
	}
	trace_free(&trace);
	return 0;
}
