// SPDX-License-Identifier: BSD-3-Clause
// Lists of transfers: drawing, printing, reading and playing a list give the same transfers.
// Mistakes name their line.
#include "fixtures/lists.h"
#include "fixtures/transfers.h"

#include <errno.h>
#include <math.h>

#include "sim/flows/job.h"
#include "sim/flows/list_run.h"
#include "sim/flows/workload.h"

#define HEADING DRB_LIST_HEADING "\n"
#define LONG_PART "0123456789012345678901234567890123456789012345678901234567890123"
#define LONG_HALF LONG_PART LONG_PART LONG_PART LONG_PART
#define LONG LONG_HALF LONG_HALF

// Prints a list, and reads it again from the text.
static struct drb_list printed_and_read(struct drb_list *list)
{
	char *text, error[DRB_LIST_ERROR_MAX];
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct drb_list again;

	drb_list_print(list, out);
	fclose(out);
	assert_int_equal(read_text(text, &again, error), 0);
	assert_int_equal(again.count, list->count);
	assert_memory_equal(again.transfer, list->transfer, list->count * sizeof(*list->transfer));
	drb_list_free(list);
	free(text);
	return again;
}

static struct drb_list_result played(const struct drb_list *list,
				     const struct drb_transfers_setup *transfers)
{
	const struct drb_list_setup s = {.transfers = *transfers, .list = list, .longest = 1000000};
	struct drb_list_result r = {.time = calloc(list->count, sizeof(*r.time))};

	assert_non_null(r.time);
	assert_int_equal(drb_list_run(&s, &r), 0);
	assert_int_equal(r.error, 0);
	return r;
}

static uint64_t last_of(const struct drb_list_result *r, uint32_t count)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < count; i++)
		last = r->time[i].finish > last ? r->time[i].finish : last;
	return last;
}

// No transfer begins before its slot or before the transfers that it waits for. A transfer that
// waits for none begins in its slot.
static void check_starts(const struct drb_list *list, const struct drb_list_result *r)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const struct drb_listed *t = &list->transfer[i];
		assert_true(r->time[i].start >= t->slot && r->time[i].finish > r->time[i].start);
		if (t->after_arrived != DRB_LIST_NONE)
			assert_true(r->time[i].start >= r->time[t->after_arrived].finish);
		if (t->after_sent != DRB_LIST_NONE)
			assert_true(r->time[i].start >= r->time[t->after_sent].start +
								list->transfer[t->after_sent].size);
		if (t->after_arrived == DRB_LIST_NONE && t->after_sent == DRB_LIST_NONE)
			assert_int_equal(r->time[i].start, t->slot);
	}
}

// A job that is played from its list ends in the same slot as the job, whatever its sources.
TEST(jobs_are_the_same_from_their_lists)
{
	static const char *const jobs[] = {"all-reduce-ring", "all-reduce-halving", "all-to-all",
					   "incast", "pipeline:5"};

	for (uint32_t i = 0; i < 2 * ARRAY_SIZE(jobs); i++) {
		struct drb_job_setup s = {
			.transfers = transfers_setup(3, 2), .shuffled = true, .longest = 1000000};
		struct drb_job_result job;
		struct drb_list list = {0};
		s.transfers.source = i % 2 ? DRB_SIM_WINDOW : DRB_SIM_OPEN;
		s.transfers.mark = 20;
		s.transfers.timeout = 1000;
		assert_int_equal(drb_job_parse(jobs[i / 2], &s.job), 0);
		s.job.data = 100;
		assert_int_equal(drb_job_run(&s, &job), 0);
		assert_int_equal(drb_job_list(&s, &list), 0);
		assert_int_equal(list.count, job.transfers);
		list = printed_and_read(&list);
		struct drb_list_result r = played(&list, &s.transfers);
		assert_int_equal(r.finished, list.count);
		assert_int_equal(last_of(&r, list.count), job.makespan);
		assert_int_equal(r.packets, job.packets);
		check_starts(&list, &r);
		free(r.time);
		drb_list_free(&list);
	}
}

TEST(workloads_are_the_same_from_their_lists)
{
	struct drb_sizes sizes;
	char error[DRB_SIZES_ERROR_MAX];
	// The figures of the run count only transfers that begin after the warm-up.
	struct drb_workload_setup s = {.transfers = transfers_setup(3, 2),
				       .sizes = &sizes,
				       .load = 0.05,
				       .slots = 5000,
				       .longest = 100000};
	struct drb_workload_result w;
	struct drb_list list = {0};

	assert_int_equal(drb_sizes_open("fixed:10", &sizes, error), 0);
	assert_int_equal(drb_workload_run(&s, &w), 0);
	assert_int_equal(drb_workload_list(&s, &list), 0);
	list = printed_and_read(&list);
	assert_int_equal(list.count, w.of[0].time.samples);
	struct drb_list_result r = played(&list, &s.transfers);
	double sum = 0;
	for (uint32_t i = 0; i < list.count; i++) {
		assert_int_equal(r.time[i].start, list.transfer[i].slot);
		sum += (double)(r.time[i].finish - r.time[i].start);
	}
	// The run continues with further transfers until the counted ones are over. These are few
	// and cause little delay.
	assert_float_equal(sum / list.count, w.of[0].time.mean, 0.01 * w.of[0].time.mean);
	check_starts(&list, &r);
	free(r.time);
	drb_list_free(&list);
	s.load = 1.5;
	assert_int_equal(drb_workload_list(&s, &list), -EINVAL);
	drb_sizes_free(&sizes);
}

TEST(what_waits_begins_when_it_may)
{
	// Hosts 0 and 2 of F(3,2) are at distance 2: 10 packets take 13 slots.
	static const char text[] = "# a chain\n" HEADING "0,5,0,2,10,,\n"
				   "1,5,0,2,1,0,   # once the first has left\n\n"
				   "2,6,2,0,10,,0\r\n"
				   "3,100,2,0,4,2,1\n";
	struct drb_transfers_setup s = transfers_setup(3, 2);
	struct drb_list list;
	char error[DRB_LIST_ERROR_MAX];

	assert_int_equal(read_text(text, &list, error), 0);
	assert_int_equal(list.count, 4);
	struct drb_list_result r = played(&list, &s);
	assert_int_equal(r.time[0].start, 5);
	assert_int_equal(r.time[0].finish, 18);
	assert_int_equal(r.time[1].start, 15);
	assert_int_equal(r.time[2].start, 18);
	assert_int_equal(r.time[3].start, 100);
	assert_int_equal(r.time[3].finish, 107);
	free(r.time);
	drb_list_free(&list);
}

// A run ends for lack of arrivals only if no transfer is still to begin.
TEST(a_run_waits_for_what_is_to_begin)
{
	static const char text[] = HEADING "0,0,0,0,500000,,\n1,0,0,2,1,0,\n2,900000,2,0,1,,1\n";
	struct drb_transfers_setup s = transfers_setup(3, 2);
	struct drb_list list;
	char error[DRB_LIST_ERROR_MAX];

	assert_int_equal(read_text(text, &list, error), 0);
	struct drb_list_result r = played(&list, &s);
	assert_int_equal(r.finished, 3);
	assert_int_equal(r.time[1].start, 500000);
	assert_int_equal(r.time[2].start, 900000);
	free(r.time);
	drb_list_free(&list);
}

// Each computation ends after its own time, whichever began first, and the transfers that wait for
// it continue.
TEST(a_host_computes_many_at_a_time)
{
	struct drb_transfers_setup s = transfers_setup(3, 2);
	struct drb_list list = {0};

	for (uint32_t i = 0; i < 999; i++) {
		const struct drb_listed calc = {i / 3,
						0,
						0,
						i * 7919 % 1000,
						DRB_LIST_NONE,
						i % 3 == 2 ? i - 1 : DRB_LIST_NONE};
		assert_int_equal(drb_list_add(&list, &calc), 0);
	}
	struct drb_list_result r = played(&list, &s);
	assert_int_equal(r.finished, list.count);
	for (uint32_t i = 0; i < list.count; i++) {
		assert_int_equal(r.time[i].start, i % 3 == 2 ? r.time[i - 1].finish : i / 3);
		assert_int_equal(r.time[i].finish, r.time[i].start + list.transfer[i].size);
	}
	free(r.time);
	drb_list_free(&list);
}

TEST(a_list_has_a_largest_length)
{
	struct drb_list full = {.count = DRB_LIST_MAX, .room = DRB_LIST_MAX};

	assert_int_equal(drb_list_add(&full, &(struct drb_listed){0}), -E2BIG);
	assert_string_equal(drb_list_wrong(-E2BIG), "a list has at most 100000000 transfers");
}

TEST(a_run_may_end_before_all_arrived)
{
	struct drb_transfers_setup t = transfers_setup(3, 2);
	struct drb_list list = {0};
	struct drb_list_time time[2] = {0};
	struct drb_list_result r = {.time = time};
	const struct drb_list_setup s = {.transfers = t, .list = &list, .longest = 50};

	const struct drb_listed a = {0, 0, 2, 10, DRB_LIST_NONE, DRB_LIST_NONE};
	const struct drb_listed b = {1, 2, 0, 60, DRB_LIST_NONE, 0};
	assert_int_equal(drb_list_add(&list, &a), 0);
	assert_int_equal(drb_list_add(&list, &b), 0);
	assert_int_equal(drb_list_run(&s, &r), 0);
	assert_int_equal(r.finished, 1);
	assert_true(time[0].finish == 13 && time[1].finish == 0);
	drb_list_free(&list);
}

// Settings that are left open count with their defaults: a run ends after 30 timeouts without an
// arrival. Some paths between the two racks are gray, and a packet is sent until it finds another.
TEST(a_run_waits_for_timeouts_by_default)
{
	struct drb_transfers_setup s = transfers_setup(3, 2);
	const struct drb_listed one = {
		0, 0, 15, 3, .after_sent = DRB_LIST_NONE, .after_arrived = DRB_LIST_NONE};
	struct drb_list list = {0};
	uint64_t last[2], latest = 0;

	assert_int_equal(drb_list_add(&list, &one), 0);
	s.scheme = DRB_SCHEME_ECMP;
	s.hosts = DRB_HOSTS_SPRAY;
	s.source = DRB_SIM_SPRAY;
	s.faults.gray = (struct drb_gray){6, 0};
	s.mark = 20;
	s.ack_hop = NAN;
	for (s.seed = 1; s.seed <= 10; s.seed++) {
		for (uint32_t given = 0; given < 2; given++) {
			s.timeout = given ? 1000 : 0;
			struct drb_list_result r = played(&list, &s);
			last[given] = r.finished ? last_of(&r, 1) : 0;
			free(r.time);
		}
		assert_int_equal(last[0], last[1]);
		latest = last[0] > latest ? last[0] : latest;
	}
	assert_true(latest > 3000);
	drb_list_free(&list);
}

TEST(mistakes_name_the_line)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"transfer,slot\n", "list:1: the first line must be " DRB_LIST_HEADING
				    ", Nodes of an htsim matrix or num_ranks of GOAL"},
		{HEADING, "list:1: has no transfer"},
		{LONG, "list:1: a line has at most 510 bytes"},
		{HEADING "0,0,1,2\n", "list:2: must be seven values, " DRB_LIST_HEADING},
		{HEADING "0,0,1,2,3,,,\n", "list:2: must be seven values, " DRB_LIST_HEADING},
		{HEADING "0,-1,1,2,3,,\n",
		 "list:2: transfer and slot must be whole numbers up to 100000000"},
		{HEADING "0,0,1,16,3,,\n", "list:2: from and to must be hosts of this fabric"},
		{HEADING "0,0,1,2,0,,\n", "list:2: packets must be 1 or more between two hosts"},
		{HEADING "0,0,1,2,100000001,,\n",
		 "list:2: packets must be a whole number up to 100000000"},
		{HEADING "1,0,1,2,3,,\n",
		 "list:2: transfers must be numbered from 0, line by line"},
		{HEADING "#\n0,0,1,1,,,\n",
		 "list:3: packets must be a whole number up to 100000000"},
		{HEADING "0,4,1,2,3,,\n1,3,1,2,3,,\n", "list:3: slot must not go down"},
		{HEADING "0,0,1,2,3,0,\n",
		 "list:2: after_sent and after_arrived must be transfers of lines before"},
		{HEADING "0,0,1,2,3,,\n1,0,2,1,3,0,\n",
		 "list:3: after_sent must be a transfer from the same host"},
		{HEADING "0,0,1,2,3,,\n1,0,1,2,3,,0\n",
		 "list:3: after_arrived must be a transfer to the host that this one is from"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char error[DRB_LIST_ERROR_MAX];
		struct drb_list list;
		assert_int_equal(read_text(cases[i].text, &list, error), -EINVAL);
		assert_string_equal(error, cases[i].error);
		assert_null(list.transfer);
	}
}

// With a scheme that reads flows, a word has 20 bits for the number of a packet. That is no lack of
// memory.
TEST(too_many_packets_under_way_are_told)
{
	enum { HOSTS = 128, SIZE = 10000 }; // one host receives a packet a slot of 127
	struct drb_transfers_setup transfers = transfers_setup(3, 4);
	struct drb_list list = {.count = HOSTS - 1,
				.transfer = calloc(HOSTS - 1, sizeof(struct drb_listed))};
	struct drb_list_result r = {.time = calloc(HOSTS - 1, sizeof(*r.time))};
	struct drb_list_setup s = {.list = &list, .longest = 10000};

	transfers.memory = UINT64_C(1) << 30;
	for (uint32_t i = 0; i < HOSTS - 1; i++)
		list.transfer[i] =
			(struct drb_listed){0, i, HOSTS - 1, SIZE, DRB_LIST_NONE, DRB_LIST_NONE};
	for (uint32_t flows = 0; flows < 2; flows++) {
		transfers.scheme = flows ? DRB_SCHEME_ECMP : DRB_SCHEME_DRB;
		s.transfers = transfers;
		assert_int_equal(drb_list_run(&s, &r), 0);
		assert_int_equal(r.error, flows ? -EOVERFLOW : 0);
	}
	free(r.time);
	drb_list_free(&list);
}

static uint64_t carried(const struct drb_link_table *links, uint64_t i)
{
	return (uint64_t)llround(links->link[i].use * links->slots);
}

// All send to host 0, whose link and those above it are full. Every packet that arrives has crossed
// the link of its host; every one that was dropped found a full queue.
static void check_incast_links(const struct drb_transfers_setup *transfers,
			       const struct drb_list_result *r, uint32_t count)
{
	const struct drb_link_table *links = transfers->links;
	uint64_t to_hosts = 0, refused = 0;

	assert_int_equal(links->count, drb_packet_links(&transfers->tree));
	for (uint64_t i = 0; i < links->count; i++) {
		const struct drb_link_figures *l = &links->link[i];
		const bool last = l->from.layer == 1 && !l->from.up;
		const bool wanted = last && l->from.label == 0 && l->from.port == 0;
		to_hosts += last ? carried(links, i) : 0;
		assert_true(!last || (carried(links, i) > 0) == wanted);
		assert_true(l->queue_max <= transfers->queue && l->queue_mean <= l->queue_max);
		assert_true(l->refused == 0 || l->queue_max == transfers->queue);
		refused += l->refused;
	}
	assert_int_equal(to_hosts, r->packets);
	assert_int_equal(refused, r->dropped);
	assert_true(refused > 0);
	// The run ends with the last packet.
	assert_in_range(links->slots, last_of(r, count), last_of(r, count) + 1);
}

TEST(links_tell_what_crossed_them)
{
	struct drb_transfers_setup transfers = transfers_setup(2, 2);
	struct drb_listed all[7];
	const struct drb_list list = {.count = ARRAY_SIZE(all), .transfer = all};
	struct drb_link_table links;

	for (uint32_t i = 0; i < list.count; i++)
		all[i] = (struct drb_listed){i, i + 1, 0, 50, DRB_LIST_NONE, DRB_LIST_NONE};
	transfers.source = DRB_SIM_SPRAY;
	transfers.queue = 6;
	transfers.mark = 100;
	transfers.timeout = 200;
	for (int trim = 0; trim < 2; trim++) {
		transfers.trim = trim;
		transfers.links = NULL;
		struct drb_list_result without = played(&list, &transfers);
		transfers.links = &links;
		struct drb_list_result r = played(&list, &transfers);
		assert_int_equal(last_of(&r, list.count), last_of(&without, list.count));
		check_incast_links(&transfers, &r, list.count);
		free(links.link);
		free(without.time);
		free(r.time);
	}
}

TEST_MAIN(NULL, NULL)
