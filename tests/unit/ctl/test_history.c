// SPDX-License-Identifier: BSD-3-Clause
// The history that drbctl serve keeps: what it keeps for how long, and within how much memory.
#include "fixtures/unit.h"

#include <zlib.h>

#include "ctl/serve/history.h"

#define SECOND UINT64_C(1000000000)

static struct history history;

// Adds the state of this second.
static void add(unsigned second)
{
	char text[64];

	snprintf(text, sizeof(text), "{\"second\":%u}", second);
	history_add(&history, second * SECOND, text, strlen(text));
}

// Inflates the data of a look into `to`; it must be the line of a second, which is returned.
static unsigned second_of(const struct history_look *look)
{
	char to[65] = "";
	unsigned second;
	z_stream z = {.next_in = (Bytef *)(uintptr_t)look->data,
		      .avail_in = (uInt)look->length,
		      .next_out = (Bytef *)to,
		      .avail_out = sizeof(to) - 1};

	assert_int_equal(inflateInit2(&z, -15), Z_OK);
	assert_int_equal(inflate(&z, Z_SYNC_FLUSH), Z_OK); // no last block: others can follow
	inflateEnd(&z);
	assert_int_equal(sscanf(to, "{\"second\":%u}\n", &second), 1);
	assert_int_equal(to[strlen(to) - 1], '\n');
	assert_int_equal(look->text_length, strlen(to));
	assert_int_equal(look->checksum, crc32(0, (Bytef *)to, (uInt)strlen(to)));
	return second;
}

// Reads the seconds that are kept. Returns how many.
static size_t kept(unsigned seconds[], size_t room)
{
	size_t n = 0;
	uint64_t number = 0;

	for (struct history_look *l; (l = history_after(&history, number)); n++) {
		assert_true(n < room);
		seconds[n] = second_of(l);
		number = l->number;
		history_look_release(l);
	}
	return n;
}

TEST(keeps_a_time)
{
	unsigned seconds[100];

	history_init(&history, 10 * SECOND);
	assert_null(history_after(&history, 0));
	for (unsigned s = 1; s <= 50; s++)
		add(s);
	assert_int_equal(kept(seconds, 100), 11);
	for (unsigned i = 0; i < 11; i++)
		assert_int_equal(seconds[i], 40 + i);
	history_free(&history);
}

TEST(keeps_nothing_for_no_time)
{
	history_init(&history, 0);
	add(1);
	assert_null(history_after(&history, 0));
	history_free(&history);
}

TEST(older_states_become_rarer_within_the_memory)
{
	unsigned seconds[2000];
	size_t n, old = 0, late = 0;

	history_init(&history, 1000 * SECOND);
	history.bytes_max = 3000;
	for (unsigned s = 1; s <= 1000; s++) {
		add(s);
		assert_true(history.bytes <= history.bytes_max);
	}
	n = kept(seconds, 2000);
	assert_in_range(n, 50, 150);
	assert_int_equal(seconds[0], 1);
	assert_int_equal(seconds[n - 1], 1000);
	for (size_t i = 0; i < n; i++) {
		old += seconds[i] <= 500;
		late += seconds[i] > 900;
		assert_true(i == 0 || seconds[i] > seconds[i - 1]);
	}
	assert_true(old >= 3 && late > 3 * old);
	// So they do within what a page parses.
	history.text_max = history.text_bytes / 2;
	add(1001);
	assert_true(history.text_bytes <= history.text_max && history.text_bytes > 0);
	history_free(&history);
}

TEST(a_state_that_is_read_stays_until_its_reader_has_it)
{
	history_init(&history, SECOND);
	add(1);
	struct history_look *first = history_after(&history, 0);
	add(5);
	assert_int_equal(second_of(first), 1);
	struct history_look *next = history_after(&history, first->number);
	assert_int_equal(second_of(next), 5);
	assert_null(history_after(&history, next->number));
	history_free(&history);
	assert_int_equal(second_of(first), 1);
	history_look_release(first);
	history_look_release(next);
}

TEST_MAIN(NULL, NULL)
