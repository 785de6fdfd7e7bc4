// SPDX-License-Identifier: BSD-3-Clause
// Flows of captures: how they are distinguished, the fate of each, and packets that are captured
// twice.
#include "fixtures/unit.h"

#include "core/packet/bytes.h"
#include "gen/captures/foreign.h"
#include "gen/captures/recognise.h"
#include "gen/captures/repeats.h"
#include "gen/replay/flow_report.h"

// Adds a UDP frame from 192.168.1.<from> to 8.8.8.8, captured at point `place`. `captured` of its
// bytes are present.
static void add_udp(struct trace *t, uint8_t from, uint16_t port, uint32_t captured, uint32_t place)
{
	uint8_t frame[60] = {[12] = 8, [14] = 0x45, [23] = 17, [26] = 192, 168, 1,
			     from,     8,           8,         8,          8};

	drb_store16(frame + 34, port);
	struct trace_packet *p = trace_add(t, (int64_t)t->count, frame, captured, sizeof(frame));
	assert_non_null(p);
	p->place = place;
	p->cut = captured < sizeof(frame) ? TRACE_CUT : TRACE_WHOLE;
}

TEST(flows_are_told_apart)
{
	const struct host_rules rules = {.plan = drb_addr_default(8)};
	struct foreign_traffic traffic;
	struct trace t = {0};
	char a[FLOW_TEXT_MAX];

	for (uint32_t i = 0; i < 12; i++)
		add_udp(&t, (uint8_t)(1 + i % 2), (uint16_t)(1000 + i % 3), 60, 0);
	add_udp(&t, 1, 1000, 36, 0); // without its ports
	assert_int_equal(foreign_map(&t, &rules, 1, &traffic), 0);
	assert_int_equal(traffic.flows.count, 7);
	for (size_t i = 0; i < t.count; i++) {
		const struct flow_key *key = &traffic.flows.at[t.packet[i].flow].key;
		bool whole = t.packet[i].cut == TRACE_WHOLE;
		assert_int_equal(key->source_port, whole ? 1000 + i % 3 : 0);
		assert_int_equal(key->source.bytes[3], 1 + i % 2);
		assert_int_equal(key->from, t.packet[i].host);
		assert_int_equal(t.packet[i].cut, whole ? TRACE_WHOLE : TRACE_CUT_PORTS);
	}
	assert_string_equal(flow_end(&traffic.flows.at[0].key.destination, 53, a), "8.8.8.8:53");
	assert_string_equal(flow_protocol(&traffic.flows.at[0].key, a), "udp");
	foreign_free(&traffic);
	trace_free(&t);
}

// A frame counts as often as at the capture point that has it most often; the others are repeats.
// Only in captures of switches is it certain that these are the same frames, so only there are they
// taken out.
TEST(repeats_are_found)
{
	struct repeats found;
	struct trace t = {0};

	for (uint32_t i = 0; i < 40; i++)
		add_udp(&t, (uint8_t)(i / 2), 7, 60, i % 2); // each at both places
	for (uint32_t i = 0; i < 6; i++)
		add_udp(&t, 200, 7, 60, 0); // equal frames, sent several times
	for (uint32_t i = 0; i < 4; i++)
		add_udp(&t, 200, 7, 60, 1);
	add_udp(&t, 201, 7, 60, 1);
	assert_int_equal(repeats_take_out(&t, &found), 0);
	assert_int_equal(found.left, 24);
	assert_int_equal(found.taken_out, 0);
	assert_int_equal(t.count, 51);
	for (size_t i = 0; i < t.count; i++)
		t.packet[i].at_switch = true;
	assert_int_equal(repeats_take_out(&t, &found), 0);
	assert_int_equal(found.left, 0);
	assert_int_equal(found.taken_out, 24);
	assert_int_equal(t.count, 27);
	// Frames of both places are left, each of them once.
	assert_int_equal(repeats_take_out(&t, &found), 0);
	assert_int_equal(found.left + found.taken_out, 0);
	trace_free(&t);
}

// Checks the rows of the second packet, which arrived 100 ns after it was sent, and of the fourth,
// which is lost.
static void check_rows(const struct flow_records *records)
{
	const struct flow_key *key = &records->flows->at[records->trace->packet[1].flow].key;
	char *text, want[512];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	flow_records_write(out, records);
	fclose(out);
	snprintf(want, sizeof(want),
		 "\"a \"\"b\"\", "
		 "c.pcap\",2,udp,192.168.1.2,9,8.8.8.8,0,h%u,h%u,2000,arrived,2100,100\n"
		 "\"a \"\"b\"\", c.pcap\",4,udp,192.168.1.2,9,8.8.8.8,0,h%u,h%u,4000,lost,,\n",
		 key->from, key->to, key->from, key->to);
	assert_non_null(strstr(text, want));
	assert_memory_equal(text, "capture,packet,protocol,source,source_port,", 43);
	free(text);
	out = open_memstream(&text, &size);
	assert_int_equal(flow_records_write_hgrm(out, records), 0);
	fclose(out);
	assert_non_null(strstr(text, "#[Max     =        5.000, Total count    =           25]"));
	free(text);
}

// Two flows: packets of one overtake each other, and every third packet of the other is lost.
TEST(flows_have_figures_of_their_own)
{
	enum { PACKETS = 30 };
	const struct host_rules rules = {.plan = drb_addr_default(8)};
	struct foreign_traffic traffic;
	struct recognised host[8];
	struct trace t = {0};
	struct tally tally;
	size_t count;

	for (uint32_t i = 0; i < PACKETS; i++) {
		add_udp(&t, (uint8_t)(1 + i % 2), 9, 60, 0);
		t.packet[i].frame[50] = (uint8_t)i; // unlike all others
		t.packet[i].number = i + 1;
	}
	assert_int_equal(foreign_map(&t, &rules, 1, &traffic), 0);
	assert_int_equal(traffic.flows.count, 2);
	struct recogniser *r = recogniser_new(&t, &rules.plan, PACKETS);
	assert_non_null(r);
	for (uint32_t i = 0; i < PACKETS; i++) {
		struct trace_packet *p = &t.packet[i];
		// In the first flow, later packets overtake those with 5000 ns.
		uint64_t latency = i % 4 == 0 ? 5000 : 100;
		p->sent = 1;
		moments_add(recogniser_sendings(r), i, 1000 * (i + 1));
		if (i % 2 == 1 && i % 3 == 0)
			continue;
		recogniser_frame(r,
				 &(struct arrival){.host = drb_addr_of_mac(&rules.plan, p->frame),
						   .captured = p->size,
						   .size = p->size,
						   .frame = p->frame,
						   .rx_ns = 1000 * (i + 1) + latency});
	}
	recogniser_result(r, host, &traffic.flows, &tally);
	struct drb_latency all = recogniser_latency(r, &traffic.flows);
	const struct flow *first = &traffic.flows.at[t.packet[0].flow];
	const struct flow *second = &traffic.flows.at[t.packet[1].flow];
	assert_int_equal(first->sent, 15);
	assert_int_equal(first->lost, 0);
	assert_int_equal(first->reordered, 7); // all that took 5000 ns, except the last
	assert_true(first->latency.max == 5000 && first->latency.p50 == 5000);
	assert_int_equal(second->lost, 5);
	assert_int_equal(second->reordered, 0);
	assert_true(second->latency.samples == 10 && second->latency.max == 100);
	assert_int_equal(all.samples, 25);
	const struct outcome *outcome = recogniser_outcomes(r, &count);
	assert_int_equal(count, PACKETS);
	for (size_t i = 0; i < count; i++) {
		bool lost = outcome[i].packet % 2 == 1 && outcome[i].packet % 3 == 0;
		assert_int_equal(outcome[i].fate, lost ? FATE_LOST : FATE_ARRIVED);
		assert_true(lost == (outcome[i].latency_ns == LATENCY_UNKNOWN));
	}
	check_rows(&(struct flow_records){&t, &traffic.flows, r,
					  (char *[]){(char[]){"a \"b\", c.pcap"}}});
	recogniser_free(r);
	foreign_free(&traffic);
	trace_free(&t);
}

// Flows that lost most come first, then those with the largest latencies, then those that came
// first. Flows without packets are left out.
TEST(the_worst_flows_come_first)
{
	static const struct {
		uint64_t sent, lost;
		double p99; // us
	} of[] = {{9, 0, 3}, {9, 2, NAN}, {0, 0, NAN}, {9, 0, 7},
		  {9, 2, 1}, {9, 0, NAN}, {9, 0, 7}};
	static const uint16_t order[] = {4, 1, 3, 6, 0, 5};
	struct flow flow[ARRAY_SIZE(of)] = {0};
	struct flows flows = {flow, ARRAY_SIZE(of)};
	const struct drop_places none = {0};

	for (uint16_t i = 0; i < ARRAY_SIZE(of); i++)
		flow[i] = (struct flow){
			.key = {.source = {.size = 4},
				.destination = {.size = 4},
				.source_port = i},
			.sent = of[i].sent,
			.lost = of[i].lost,
			.latency = {.mean = 500, .p99 = 1e3 * of[i].p99, .samples = 4}};
	for (size_t most = 0; most <= ARRAY_SIZE(order); most++) {
		char *text, want[64];
		size_t size;
		FILE *out = open_memstream(&text, &size);
		assert_int_equal(flow_report_print(out, DRB_FORMAT_JSON, &flows, &none, most),
				 ARRAY_SIZE(order) - most);
		fclose(out);
		const char *line = text;
		for (size_t i = 0; i < most; i++) {
			snprintf(want, sizeof(want), "\"source_port\":%u,", order[i]);
			char *end = strchr(line, '\n');
			*end = '\0';
			assert_non_null(strstr(line, want));
			assert_non_null(strstr(line, "\"latency_mean_us\":0.5,"));
			line = end + 1;
		}
		assert_string_equal(line, "");
		free(text);
	}
}

TEST_MAIN(NULL, NULL)
