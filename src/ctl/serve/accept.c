// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/serve/accept.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define MOST 1000

// How closely a range names a type.
enum match { OTHER, ANY, ANY_OF_KIND, SAME };

static enum match match(const char *range, size_t length, const char *type)
{
	const char *slash = strchr(type, '/');
	const size_t kind = (size_t)(slash + 1 - type);

	if (length == strlen(type) && strncasecmp(range, type, length) == 0)
		return SAME;
	if (length == kind + 1 && range[kind] == '*' && strncasecmp(range, type, kind) == 0)
		return ANY_OF_KIND;
	return length == 3 && strncmp(range, "*/*", 3) == 0 ? ANY : OTHER;
}

// A q value, 0 to 1 with up to three decimals, in thousandths. -1: it is none.
static int parse_quality(const char *text, size_t length)
{
	int value = 0, digit = MOST;

	if (length == 0 || length > 5 || (text[0] != '0' && text[0] != '1'))
		return -1;
	for (size_t i = 0; i < length; i++) {
		if (i == 1 ? text[i] != '.' : !isdigit((unsigned char)text[i]))
			return -1;
		if (i != 1) {
			value += (text[i] - '0') * digit;
			digit /= 10;
		}
	}
	return value <= MOST ? value : -1;
}

static size_t trim(const char **text, size_t length)
{
	while (length && (**text == ' ' || **text == '\t')) {
		(*text)++;
		length--;
	}
	while (length && ((*text)[length - 1] == ' ' || (*text)[length - 1] == '\t'))
		length--;
	return length;
}

// Of a range with its parameters: *range, *length become those of the range alone. The quality, or -1.
static int take_range(const char **range, size_t *length)
{
	const char *end = *range + *length, *at = memchr(*range, ';', *length);
	int quality = MOST;

	*length = trim(range, (size_t)((at ? at : end) - *range));
	while (at) {
		const char *part = at + 1, *next = memchr(part, ';', (size_t)(end - part));
		size_t size = trim(&part, (size_t)((next ? next : end) - part));
		if (size >= 2 && (*part == 'q' || *part == 'Q') && part[1] == '=')
			quality = parse_quality(part + 2, size - 2);
		at = next;
	}
	return quality;
}

// How much a type is wanted, by the range that names it most closely; of several that differ in parameters alone
// by the most wanted.
struct wish {
	enum match by;
	int quality;
};

static struct wish wish_for(const char *header, const char *type)
{
	struct wish wish = {OTHER, header ? 0 : MOST};

	for (const char *next; header && *header; header = *next ? next + 1 : next) {
		next = strchrnul(header, ',');
		const char *range = header;
		size_t length = (size_t)(next - header);
		int quality = take_range(&range, &length);
		enum match by = quality < 0 ? OTHER : match(range, length, type);
		if (by > wish.by || (by != OTHER && by == wish.by && quality > wish.quality))
			wish = (struct wish){by, quality};
	}
	return wish;
}

bool accept_prefers(const char *header, const char *type, const char *usual)
{
	const struct wish mine = wish_for(header, type), other = wish_for(header, usual);

	return mine.quality > other.quality ||
	       (mine.quality == other.quality && mine.quality > 0 && mine.by == SAME);
}
