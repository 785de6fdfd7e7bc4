// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/list_formats.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/quantity.h"

#define WORDS 16
#define NO_MEMORY "not enough memory"

// A label of the rank that is being read.
struct label {
	uint32_t place;
	char name[];
};

struct schedule {
	uint32_t ranks;
	uint32_t rank;                     // rank that is being read; equal to `ranks`: none
	uint32_t comment;                  // line where the open comment began; 0: none is open
	void *labels;                      // a tree of tsearch()
	struct drb_list_ends sends, recvs; // key: from, then to
};

struct words {
	char *word[WORDS];
	int count;
};

static bool begins(const char *line)
{
	return strncmp(line, "num_ranks", 9) == 0 || strncmp(line, "//", 2) == 0 ||
	       strncmp(line, "/*", 2) == 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct label *)a)->name, ((const struct label *)b)->name);
}

// The label of this name, with this place if it is new. NULL: no memory.
static const struct label *label_of(struct schedule *s, const char *name, uint32_t place)
{
	struct label *l = malloc(sizeof(*l) + strlen(name) + 1), **found;

	if (!l)
		return NULL;
	l->place = place;
	strcpy(l->name, name);
	found = tsearch(l, &s->labels, by_name);
	if (!found || *found != l)
		free(l);
	return found ? *found : NULL;
}

static void forget_labels(struct schedule *s)
{
	tdestroy(s->labels, free);
	s->labels = NULL;
}

// Overwrites comments with blanks.
static void strip(struct schedule *s, char *line, uint32_t number)
{
	for (char *c = line; *c; c++) {
		if (s->comment && c[0] == '*' && c[1] == '/') {
			s->comment = 0;
			c[0] = c[1] = ' ';
		} else if (!s->comment && c[0] == '/' && c[1] == '/') {
			*c = '\0';
			return;
		} else if (!s->comment && c[0] == '/' && c[1] == '*') {
			s->comment = number;
			*c++ = ' ';
		}
		if (s->comment)
			*c = ' ';
	}
}

// Splits a line into words. {, } and : are words, too.
static bool words_split(char *line, struct words *w)
{
	static char marks[] = "{\0}\0:";

	for (w->count = 0; *line && w->count < WORDS - 1;) {
		size_t len = strcspn(line, " \t{}:");
		char mark = line[len];
		line[len] = '\0';
		if (len)
			w->word[w->count++] = line;
		if (mark && strchr("{}:", mark))
			w->word[w->count++] = marks + (mark == '{' ? 0 : mark == '}' ? 2 : 4);
		line += len + (mark != '\0');
	}
	return !*line;
}

static const char *add_transfer(struct drb_list_reader *r, const char *label, struct drb_listed t)
{
	struct schedule *s = r->own;
	const struct label *l = label ? label_of(s, label, r->list->count) : NULL;

	if (label && !l)
		return NO_MEMORY;
	if (l && l->place != r->list->count)
		return "a rank must use a label once";
	t.slot = 0;
	t.after_sent = t.after_arrived = DRB_LIST_NONE;
	return drb_list_wrong(drb_list_add(r->list, &t));
}

static const char *add_calc(struct drb_list_reader *r, const char *label, const struct words *w)
{
	const struct schedule *s = r->own;
	struct drb_listed t = {.source = s->rank, .dest = s->rank};
	uint64_t ns;

	if ((w->count != 2 && (w->count != 4 || strcmp(w->word[2], "cpu") != 0)) ||
	    drb_parse_u64(w->word[1], 0, UINT64_MAX, &ns) < 0)
		return "must be calc NANOSECONDS, and cpu NUMBER or nothing";
	t.size = drb_list_slots(r->scale, (double)ns);
	return t.size == DRB_LIST_NONE ? "calc must be 100000000 slots at most"
				       : add_transfer(r, label, t);
}

// Reads the words behind "to" or "from": the other rank, then a tag, and words without effect here.
static int parse_peer(const struct schedule *s, const struct words *w, uint32_t *peer,
		      uint32_t *tag)
{
	uint32_t ignored;
	int rc = drb_parse_u32(w->word[3], 0, s->ranks - 1, peer);

	for (int i = 4; rc == 0 && i < w->count; i += 2) {
		bool is_tag = strcmp(w->word[i], "tag") == 0;
		if (i + 1 == w->count ||
		    (!is_tag && strcmp(w->word[i], "cpu") != 0 && strcmp(w->word[i], "nic") != 0))
			return -EINVAL;
		rc = drb_parse_u32(w->word[i + 1], 0, UINT32_MAX, is_tag ? tag : &ignored);
	}
	return rc;
}

static const char *add_message(struct drb_list_reader *r, const char *label, const struct words *w)
{
	struct schedule *s = r->own;
	const bool sends = strcmp(w->word[0], "send") == 0;
	struct drb_listed t = {.source = s->rank, .dest = s->rank};
	uint32_t peer, tag = 0;
	size_t digits = w->count < 4 ? 0 : strspn(w->word[1], "0123456789");
	uint64_t bytes;

	if (!digits || strcmp(w->word[1] + digits, "b") != 0 ||
	    strcmp(w->word[2], sends ? "to" : "from") != 0 || parse_peer(s, w, &peer, &tag) < 0)
		return "must be send BYTESb to RANK or recv BYTESb from RANK, then tag, cpu and "
		       "nic "
		       "with a number or nothing: -1 is not read";
	w->word[1][digits] = '\0';
	if (drb_parse_u64(w->word[1], 0, UINT64_MAX, &bytes) < 0 ||
	    !drb_list_packets(r->scale, bytes))
		return "a message must be 100000000 packets at most";
	if (sends) {
		t.dest = peer;
		t.size = drb_list_packets(r->scale, bytes);
	}
	const uint64_t key =
		sends ? (uint64_t)s->rank << 32 | peer : (uint64_t)peer << 32 | s->rank;
	const struct drb_list_end end = {key, tag, r->list->count, r->line};
	if (drb_list_ends_add(sends ? &s->sends : &s->recvs, end) < 0)
		return NO_MEMORY;
	return add_transfer(r, label, t);
}

static const char *add_dependency(struct drb_list_reader *r, const struct words *w)
{
	struct schedule *s = r->own;
	const struct label *l[2];

	for (int i = 0; i < 2; i++) {
		l[i] = label_of(s, w->word[2 * i], DRB_LIST_NONE);
		if (!l[i] || l[i]->place == DRB_LIST_NONE)
			return l[i] ? "must name two labels of lines before, of this rank"
				    : NO_MEMORY;
	}
	if (l[0]->place == l[1]->place)
		return "a label cannot require itself";
	// A computation counts as sent when it is over.
	const struct drb_list_wait wait = {l[0]->place, l[1]->place,
					   w->word[1][0] == 'i' ? DRB_LIST_BEGUN : DRB_LIST_SENT};
	return drb_list_wrong(drb_list_add_wait(r->list, wait));
}

static const char *add_operation(struct drb_list_reader *r, struct words w)
{
	const char *label = NULL;

	if (w.count == 3 &&
	    (strcmp(w.word[1], "requires") == 0 || strcmp(w.word[1], "irequires") == 0))
		return add_dependency(r, &w);
	if (w.count > 2 && strcmp(w.word[1], ":") == 0) {
		label = w.word[0];
		w.count -= 2;
		memmove(w.word, w.word + 2, (size_t)w.count * sizeof(w.word[0]));
	}
	if (strcmp(w.word[0], "calc") == 0)
		return add_calc(r, label, &w);
	if (strcmp(w.word[0], "send") == 0 || strcmp(w.word[0], "recv") == 0)
		return add_message(r, label, &w);
	return "must be send, recv, calc, LABEL requires LABEL, LABEL irequires LABEL or }";
}

static const char *add_head(struct drb_list_reader *r, const char *ranks)
{
	struct schedule *s = r->own;

	if (s->ranks || drb_parse_u32(ranks, 1, r->scale->hosts, &s->ranks) < 0)
		return "num_ranks must come once, no more than this fabric has hosts";
	s->rank = s->ranks;
	return NULL;
}

// Reads num_ranks or a bracket at the beginning of a line. Returns the number of words; 0: the line
// is an operation.
static int add_bracket(struct drb_list_reader *r, const struct words *w, const char **wrong)
{
	struct schedule *s = r->own;

	if (w->count > 1 && strcmp(w->word[0], "num_ranks") == 0) {
		*wrong = add_head(r, w->word[1]);
		return 2;
	}
	if (s->rank < s->ranks) {
		if (strcmp(w->word[0], "}") != 0)
			return 0;
		s->rank = s->ranks;
		forget_labels(s);
		return 1;
	}
	if (w->count < 3 || strcmp(w->word[0], "rank") != 0 || strcmp(w->word[2], "{") != 0 ||
	    !s->ranks || drb_parse_u32(w->word[1], 0, s->ranks - 1, &s->rank) < 0)
		*wrong = "must be num_ranks NUMBER, or rank NUMBER { with a number below that";
	return 3;
}

static const char *goal_add(struct drb_list_reader *r, char *line)
{
	struct words w;
	const char *wrong = NULL;

	strip(r->own, line, r->line);
	if (!words_split(line, &w))
		return "no line of GOAL";
	while (!wrong && w.count) {
		int n = add_bracket(r, &w, &wrong);
		if (n == 0)
			return add_operation(r, w);
		w.count -= n;
		if (!wrong)
			memmove(w.word, w.word + n, (size_t)w.count * sizeof(w.word[0]));
	}
	return wrong;
}

// Matches sends with receives of the same ranks and tag, in their order.
static const char *goal_end(struct drb_list_reader *r)
{
	struct schedule *s = r->own;
	struct drb_list_ends *sends = &s->sends, *recvs = &s->recvs;

	if (s->comment) {
		r->line = s->comment;
		return "a comment must end with */";
	}
	if (s->rank < s->ranks)
		return "a rank must end with }";
	drb_list_ends_sort(sends);
	drb_list_ends_sort(recvs);
	for (uint32_t i = 0; i < sends->count || i < recvs->count; i++) {
		const struct drb_list_end *a = i < sends->count ? &sends->end[i] : NULL;
		const struct drb_list_end *b = i < recvs->count ? &recvs->end[i] : NULL;
		int order = !a ? 1 : !b ? -1 : drb_list_ends_order(a, b);
		if (order) {
			r->line = order < 0 ? a->line : b->line;
			return "a send and a recv must meet, of two ranks and a tag";
		}
		const struct drb_list_wait wait = {b->place, a->place, DRB_LIST_ARRIVED};
		if (drb_list_add_wait(r->list, wait) < 0)
			return NO_MEMORY;
	}
	return NULL;
}

static void free_own(void *own)
{
	struct schedule *s = own;

	forget_labels(s);
	free(s->sends.end);
	free(s->recvs.end);
	free(s);
}

const struct drb_list_format drb_list_goal = {
	begins, goal_add, goal_end, free_own, sizeof(struct schedule), false};
