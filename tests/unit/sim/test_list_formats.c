// SPDX-License-Identifier: BSD-3-Clause
// Lists of htsim and GOAL. Times of short lists are counted by hand, and a job in GOAL takes as
// long as the job itself. Mistakes name their line.
#include "fixtures/lists.h"
#include "fixtures/transfers.h"

#include "sim/flows/job.h"
#include "sim/flows/list_run.h"

// Plays the list on F(3,2), where hosts 0 and 2 are at distance 2: n packets take n + 3 slots. The
// caller frees the times.
static struct drb_list_result played(const char *text, struct drb_list *list)
{
	struct drb_list_setup s = {
		.transfers = transfers_setup(3, 2), .list = list, .longest = 100000};
	char error[DRB_LIST_ERROR_MAX] = "";
	int rc = read_text(text, list, error);

	assert_string_equal(error, "");
	assert_int_equal(rc, 0);
	struct drb_list_result r = {.time = calloc(list->count, sizeof(*r.time))};
	assert_int_equal(drb_list_run(&s, &r), 0);
	assert_int_equal(r.finished, list->count);
	return r;
}

struct interval {
	uint64_t start, finish;
};

static void check_times(const char *text, const struct interval want[], uint32_t count)
{
	struct drb_list list;
	struct drb_list_result r = played(text, &list);

	for (uint32_t i = 0; i < count; i++) {
		assert_true(r.time[i].ended);
		assert_int_equal(r.time[i].start, want[i].start);
		assert_int_equal(r.time[i].finish, want[i].finish);
	}
	free(r.time);
	drb_list_free(&list);
}

TEST(matrices_of_htsim_are_played)
{
	static const char text[] = "# starts in any order, one that waits for a barrier\n"
				   "Nodes 16\nConnections 5\nTriggers 2\n\n"
				   "0->2 id 1 start 60000.0 size 10000 recv_done_trigger 9\n"
				   "4->6 id 2 start 0 size 9001 prio 1 send_done_trigger 9\r\n"
				   "2->0 id 3 trigger 9 size 1 send_done_trigger 4\n"
				   "6->4 id 4 trigger 9 size 4000\n"
				   "8->10 id 5 trigger 4 size 2000\n"
				   "trigger oneshot id 4\n"
				   "trigger id 9 barrier count 2\n";
	static const struct interval want[] = {{6, 19}, {0, 13}, {19, 23}, {19, 26}, {23, 28}};

	check_times(text, want, ARRAY_SIZE(want));
}

TEST(schedules_of_goal_are_played)
{
	static const char text[] = "// what is computed takes no link\n"
				   "num_ranks 4\n"
				   "rank 0 {\n"
				   "a: send 10000b to 2 tag 3\n" // 0 to 13, sent by 10
				   "b: calc 70 cpu 1\n"          // 10 to 17
				   "b requires a\n"
				   "c: send 500b to 2 tag 5\n" // 17 to 21
				   "c requires b\n"
				   "d: recv 1b from 2 tag 3\n" // 9 to 9, apart from its message
				   "d irequires b\n"
				   "e: send 1000b to 2\n" // as soon as d is over
				   "e requires d\n"
				   "}\n"
				   "rank 2 { /* the #\n other # one */ // # it is\n"
				   "a: recv 10000b from 0 tag 3 cpu 0 nic 1\n" // 13
				   "f: calc 300\n"                             // 13 to 43
				   "f requires a\n"
				   "c: send 1000b to 0 tag 3\n" // 43 to 47
				   "c requires f\n"
				   "recv 500b from 0 tag 5\n"
				   "recv 500b from 0\n"
				   "g: calc 10\n" // 13 to 14, while f continues
				   "g irequires f\n"
				   "}\n";
	static const struct interval want[] = {{0, 13},  {10, 17}, {17, 21}, {47, 47},
					       {47, 51}, {13, 13}, {13, 43}, {43, 47},
					       {21, 21}, {51, 51}, {13, 14}};

	check_times(text, want, ARRAY_SIZE(want));
}

TEST(a_short_computation_ends_in_slot_0)
{
	static const char text[] = "num_ranks 4\nrank 0 {\n"
				   "a: calc 4\n" // at most half a slot: 0 slots
				   "b: send 500b to 2\nb requires a\n}\n"
				   "rank 2 {\nrecv 500b from 0\n}\n";
	static const struct interval want[] = {{0, 0}, {0, 4}, {4, 4}};

	check_times(text, want, ARRAY_SIZE(want));
}

TEST(a_host_computes_in_a_list_of_our_own)
{
	static const char text[] = DRB_LIST_HEADING "\n0,5,0,0,30,,\n"
						    "1,5,0,2,10,0,\n"
						    "2,7,2,2,0,,1\n"
						    "3,50,2,0,1,2,2\n";
	static const struct interval want[] = {{5, 35}, {35, 48}, {48, 48}, {50, 54}};

	check_times(text, want, ARRAY_SIZE(want));
}

// The ring of job.h as a GOAL text.
static char *ring_in_goal(uint32_t ranks, uint32_t bytes)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "num_ranks %u\n", ranks);
	for (uint32_t rank = 0; rank < ranks; rank++) {
		fprintf(out, "rank %u {\n", rank);
		for (uint32_t step = 0; step < 2 * (ranks - 1); step++) {
			fprintf(out, "s%u: send %ub to %u tag %u\n", step, bytes,
				(rank + 1) % ranks, step);
			fprintf(out, "r%u: recv %ub from %u tag %u\n", step, bytes,
				(rank + ranks - 1) % ranks, step);
			if (step)
				fprintf(out, "s%u requires s%u\ns%u requires r%u\n", step, step - 1,
					step, step - 1);
		}
		fprintf(out, "}\n");
	}
	fclose(out);
	return text;
}

TEST(a_job_takes_as_long_in_goal)
{
	struct drb_job_setup s = {.transfers = transfers_setup(3, 2), .longest = 100000};
	struct drb_job_result job;
	char *text = ring_in_goal(16, 7000);
	struct drb_list list;
	struct drb_list_result r = played(text, &list);
	uint64_t last = 0;

	assert_int_equal(drb_job_parse("all-reduce-ring", &s.job), 0);
	s.job.data = 16 * 7;
	assert_int_equal(drb_job_run(&s, &job), 0);
	for (uint32_t i = 0; i < list.count; i++)
		last = r.time[i].finish > last ? r.time[i].finish : last;
	assert_int_equal(last, job.makespan);
	assert_int_equal(list.count, 2 * job.transfers);
	free(r.time);
	free(text);
	drb_list_free(&list);
}

// A transfer that waits for itself never begins, and the run ends.
TEST(circles_never_begin)
{
	struct drb_transfers_setup t = transfers_setup(3, 2);
	struct drb_list list;
	struct drb_list_time time[4] = {0};
	struct drb_list_result r = {.time = time};
	const struct drb_list_setup s = {.transfers = t, .list = &list, .longest = 1000};
	char error[DRB_LIST_ERROR_MAX];

	assert_int_equal(
		read_text("num_ranks 2\nrank 0 {\na: calc 5\nb: calc 5\na requires b\n"
			  "b requires a\nc: send 1b to 1\n}\nrank 1 {\nrecv 1b from 0\n}\n",
			  &list, error),
		0);
	assert_int_equal(drb_list_run(&s, &r), 0);
	assert_int_equal(r.finished, 2);
	drb_list_free(&list);
}

#define HEAD "Nodes 16\nConnections 1\n"
#define TWO "Nodes 16\nConnections 2\nTriggers 1\n"
#define RANK "num_ranks 4\nrank 1 {\n"

struct mistake {
	const char *text, *error;
};

static void check_mistakes(const struct mistake cases[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char error[DRB_LIST_ERROR_MAX];
		struct drb_list list;
		assert_int_equal(read_text(cases[i].text, &list, error), -EINVAL);
		assert_string_equal(error, cases[i].error);
		assert_null(list.transfer);
	}
}

TEST(mistakes_in_matrices_name_the_line)
{
	static const struct mistake cases[] = {
		{HEAD,
		 "list:2: the file must have so many connections and triggers as its head says"},
		{"Nodes 16\nConnections 0\n", "list:2: has no transfer"},
		{HEAD "0->16 start 0 size 1\n",
		 "list:3: must be from->to, two hosts of this fabric"},
		{HEAD "3->3 start 0 size 1\n",
		 "list:3: must be from->to, two hosts of this fabric"},
		{"Nodes 8\nConnections 1\n0->8 start 0 size 1\n",
		 "list:3: must be from->to, two hosts below Nodes"},
		{"Nodes 16\nNodes 16\n", "list:2: Nodes is given twice"},
		{"Nodes 0\n", "list:1: must be a whole number"},
		{HEAD "0->1 start 0\n", "list:3: a connection needs its size"},
		{HEAD "0->1 start 0 size 0\n",
		 "list:3: size must be bytes, 1 or more: transfers without end are not read"},
		{HEAD "0->1 start 0 size 999999999999\n",
		 "list:3: size must be 100000000 packets at most"},
		{HEAD "0->1 start -1 size 1\n",
		 "list:3: start must be picoseconds, 100000000 slots at most"},
		{HEAD "0->1 size 1\n", "list:3: a connection needs a start or a trigger, not both"},
		{HEAD "0->1 size 1 trigger 1 trigger 2\n", "list:3: a connection has one trigger"},
		{HEAD "0->1 size 1 trigger 0\n", "list:3: a trigger must have a number from 1 on"},
		{HEAD "0->1 size 1 start 0 addon\n",
		 "list:3: a connection has id, start, size, prio, trigger, send_done_trigger, "
		 "recv_done_trigger and nothing else"},
		{HEAD "failure switch_type TOR\n", "list:3: must be Nodes, Connections, Triggers, "
						   "from->to or trigger: failures are not "
						   "read, take --gray"},
		{HEAD "0->1 size 1 trigger 7\n",
		 "list:3: the file must have the triggers that this connection names"},
		{HEAD "0->1 size 1 start 0 send_done_trigger 9\n",
		 "list:3: the file must have the triggers that this connection names"},
		{HEAD "0->1 size 1 start 0 size 2\n", "list:3: a connection has one size"},
		{"Nodes 16\nConnections 4\n0->1 id 0 start 0 size 1\n2->1 id 7 start 0 size 1\n"
		 "3->1 id 0 start 0 size 1\n4->1 id 7 start 0 size 1\n",
		 "list:6: two connections have this id"},
		{HEAD "0->1 size 1 start 0 start 5\n", "list:3: a connection has one start"},
		{"Nodes 16\nConnections 1\nTriggers 2\n0->5 trigger 1 size 10\n"
		 "trigger id 1 id 2 oneshot\n",
		 "list:5: a trigger has one id, count, and oneshot, multishot or barrier"},
		{TWO "0->1 size 1 start 0\n1->0 size 1 start 0\ntrigger oneshot\n",
		 "list:6: a trigger needs an id"},
		{TWO "0->1 size 1 start 0 send_done_trigger 1\n1->0 size 1 trigger 1\n"
		     "trigger id 1 barrier count 2\n",
		 "list:6: so many connections must fire a trigger as its count says, and one a "
		 "oneshot or multishot one"},
		{TWO "0->1 size 1 start 0\n1->0 size 1 start 0\ntrigger id 1\n",
		 "list:6: a trigger is oneshot, multishot or barrier"},
	};

	check_mistakes(cases, ARRAY_SIZE(cases));
}

TEST(mistakes_in_schedules_name_the_line)
{
	static const struct mistake cases[] = {
		{"num_ranks 17\n",
		 "list:1: num_ranks must come once, no more than this fabric has hosts"},
		{"num_ranks 4\nrank 4 {\n",
		 "list:2: must be num_ranks NUMBER, or rank NUMBER { with a number below that"},
		{RANK "a: send 1b to 4\n}\n", "list:3: must be send BYTESb to RANK or recv BYTESb "
					      "from RANK, then tag, cpu and nic "
					      "with a number or nothing: -1 is not read"},
		{RANK "a: recv 1b from -1 tag -1\n}\n",
		 "list:3: must be send BYTESb to RANK or recv BYTESb from RANK, then tag, cpu and "
		 "nic "
		 "with a number or nothing: -1 is not read"},
		{RANK "a: calc 1b\n}\n",
		 "list:3: must be calc NANOSECONDS, and cpu NUMBER or nothing"},
		{RANK "a: calc 1\na: calc 1\n}\n", "list:4: a rank must use a label once"},
		{RANK "a: calc 1\na irequires a\n}\n", "list:4: a label cannot require itself"},
		{RANK "a: calc 1\na requires b\n}\n",
		 "list:4: must name two labels of lines before, of this rank"},
		{RANK "a: calc 1\n}\nrank 2 {\nb: calc 1\nb requires a\n}\n",
		 "list:7: must name two labels of lines before, of this rank"},
		{RANK "jump\n", "list:3: must be send, recv, calc, LABEL requires LABEL, LABEL "
				"irequires LABEL or }"},
		{RANK "calc 1\n", "list:3: a rank must end with }"},
		{RANK "calc 1\n} /* the\nlast", "list:4: a comment must end with */"},
		{"/* # */ num_ranks 17\n",
		 "list:1: num_ranks must come once, no more than this fabric has hosts"},
		{RANK "send 1b to 2 tag 1\n}\nrank 2 {\nrecv 1b from 1 tag 2\n}\n",
		 "list:3: a send and a recv must meet, of two ranks and a tag"},
	};

	check_mistakes(cases, ARRAY_SIZE(cases));
}

TEST_MAIN(NULL, NULL)
