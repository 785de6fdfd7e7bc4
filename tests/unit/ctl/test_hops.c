// SPDX-License-Identifier: BSD-3-Clause
// The rows of drbctl trace: how many packets left each port, by which decision, over which queues.
#include "fixtures/unit.h"

#include "ctl/views/hops.h"

// session.c reports with it why a capture does not begin; these tests begin none.
void ctl_say_why(__attribute__((unused)) const struct ctl *ctl, const char *instance,
		 __attribute__((unused)) int rc, __attribute__((unused)) const char *version)
{
	fail_msg("%s is not read", instance);
}

struct stage {
	struct drb_switch_port ports[4];
	char drops[2][DRB_NAME_MAX];
	struct session session;
};

// A switch with the ports d0, u0, d1, u1.
static void set(struct stage *s, const char *name, uint64_t layer, uint64_t label)
{
	static const char *const names[] = {"d0", "u0", "d1", "u1"};

	*s = (struct stage){.drops = {"no_route", "queue_full"}};
	for (int i = 0; i < 4; i++) {
		snprintf(s->ports[i].name, sizeof(s->ports[i].name), "%s", names[i]);
		snprintf(s->ports[i].peer, sizeof(s->ports[i].peer), "%s's %s", name, names[i]);
	}
	s->session.all = (struct drb_switch_all){.info = {.layer = layer, .label = label},
						 .routing.scheme = "drb",
						 .ports = s->ports,
						 .port_count = 4,
						 .drop_names = s->drops,
						 .drop_name_count = 2};
	snprintf(s->session.all.info.name, sizeof(s->session.all.info.name), "%s", name);
}

static void pass(struct hops *hops, const struct stage *s, uint8_t port, uint8_t way,
		 uint32_t queue)
{
	const struct drb_capture_slot packet = {
		.port = port, .kind = DRB_CAPTURE_OUT, .way = way, .queue = queue};

	hops_count(hops, &s->session, &packet);
}

static void drop(struct hops *hops, const struct stage *s, uint8_t port, uint8_t reason)
{
	const struct drb_capture_slot packet = {
		.port = port, .kind = DRB_CAPTURE_DROP_OUT, .reason = reason, .queue = 9};

	hops_count(hops, &s->session, &packet);
}

// Checks the rows as CSV, without their heading, and frees the hops.
static void check(struct hops *hops, uint64_t sent, const char *const rows[], size_t count)
{
	char *text = NULL, *line;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct drb_table *table = drb_table_new(out, DRB_FORMAT_CSV);

	hops_print(hops, table, sent);
	drb_table_end(table);
	fclose(out);
	hops_free(hops);
	strtok(text, "\r\n");
	for (size_t i = 0; i < count; i++) {
		line = strtok(NULL, "\r\n");
		assert_non_null(line);
		assert_string_equal(line, rows[i]);
	}
	assert_null(strtok(NULL, "\r\n"));
	free(text);
}

// Hops go up by layers, then down; those of one layer are in the order of labels and ports. Of two
// decisions at one port, the one of more packets is first.
TEST(hops_are_in_the_order_in_which_packets_pass_them)
{
	struct stage first, last, middle, other;
	struct hops hops = {0};

	set(&first, "s1-0", 1, 0);
	set(&last, "s1-3", 1, 3);
	set(&middle, "s2-1", 2, 1);
	set(&other, "s2-0", 2, 0);
	pass(&hops, &last, 2, DRB_CAPTURE_DOWN, 1);
	pass(&hops, &middle, 0, DRB_CAPTURE_DOWN, 1);
	pass(&hops, &other, 2, DRB_CAPTURE_DOWN, 1);
	pass(&hops, &middle, 1, DRB_CAPTURE_DEFAULT, 1);
	pass(&hops, &first, 3, DRB_CAPTURE_REDIRECTED, 5);
	pass(&hops, &first, 3, DRB_CAPTURE_DEFAULT, 2);
	pass(&hops, &first, 3, DRB_CAPTURE_DEFAULT, 3);
	pass(&hops, &first, 1, DRB_CAPTURE_DEFAULT, 0);
	check(&hops, 4,
	      (const char *const[]){
		      "s1-0,u0,s1-0's u0,1,25,default,drb,0,0",
		      "s1-0,u1,s1-0's u1,2,50,default,drb,2.5,3",
		      "s1-0,u1,s1-0's u1,1,25,redirected,drb,5,5",
		      "s2-1,u0,s2-1's u0,1,25,default,drb,1,1", "s2-0,d1,s2-0's d1,1,25,down,,1,1",
		      "s2-1,d0,s2-1's d0,1,25,down,,1,1", "s1-3,d1,s1-3's d1,1,25,down,,1,1"},
	      7);
}

TEST(drops_have_a_row_for_each_reason)
{
	struct stage s;
	struct hops hops = {0};

	set(&s, "s1-0", 1, 0);
	drop(&hops, &s, 1, 1);
	drop(&hops, &s, 1, 1);
	drop(&hops, &s, 1, 0);
	drop(&hops, &s, 3, 2); // a reason of a later version
	pass(&hops, &s, 1, DRB_CAPTURE_DEFAULT, 9);
	pass(&hops, &s, 1, DRB_CAPTURE_DEFAULT, 9);
	pass(&hops, &s, 1, DRB_CAPTURE_DEFAULT, 6);
	check(&hops, 4,
	      (const char *const[]){"s1-0,u0,s1-0's u0,3,75,default,drb,8,9",
				    "s1-0,u0,s1-0's u0,2,50,dropped: queue_full,drb,9,9",
				    "s1-0,u0,s1-0's u0,1,25,dropped: no_route,drb,9,9",
				    "s1-0,u1,s1-0's u1,1,25,dropped: ?,drb,9,9"},
	      4);
}

// The list of hops begins with room for 64.
TEST(more_hops_than_there_was_room_for_are_counted)
{
	enum { SWITCHES = 17 };
	struct stage stages[SWITCHES];
	struct hops hops = {0};

	for (uint32_t i = 0; i < 2 * SWITCHES; i++) {
		struct stage *s = &stages[i % SWITCHES];
		char name[DRB_NAME_MAX];
		snprintf(name, sizeof(name), "s1-%u", i);
		if (i < SWITCHES)
			set(s, name, 1, i);
		for (uint8_t port = 0; port < 4; port++)
			pass(&hops, s, port, DRB_CAPTURE_DEFAULT, 1);
	}
	assert_int_equal(hops.count, 4 * SWITCHES);
	hops_free(&hops);
	assert_null(hops.at);
}

TEST_MAIN(NULL, NULL)
