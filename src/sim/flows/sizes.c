// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/sizes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/file.h"
#include "common/cli/quantity.h"

#define HEADING "packets,share"
#define COUNTED "a share from 0 to 1 counts all transfers up to this size"
#define BLANKS " \t\r\n"
#define LINE_BYTES 128
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct drb_size_point websearch[] = {
	{6, 0.15},  {13, 0.2},   {19, 0.3},   {33, 0.4},    {53, 0.53}, {133, 0.6},
	{667, 0.7}, {1333, 0.8}, {3333, 0.9}, {6667, 0.97}, {20000, 1},
};
static const struct drb_size_point datamining[] = {
	{1, 0.5},   {2, 0.6},     {3, 0.7},      {7, 0.8},
	{267, 0.9}, {2107, 0.95}, {66667, 0.99}, {666667, 1},
};

static const struct {
	const char *name;
	const struct drb_size_point *point;
	size_t points;
} published[] = {
	{"websearch", websearch, COUNT(websearch)},
	{"datamining", datamining, COUNT(datamining)},
};

static int own(struct drb_sizes *sizes, size_t points)
{
	*sizes = (struct drb_sizes){.owned = malloc(points * sizeof(*sizes->owned))};
	sizes->point = sizes->owned;
	return sizes->owned ? 0 : -ENOMEM;
}

// Adds the two values of a line as the next point. Returns the error, or NULL.
static const char *add_line(struct drb_sizes *sizes, const char *size, const char *counted)
{
	const struct drb_size_point *last = sizes->points ? &sizes->owned[sizes->points - 1] : NULL;
	uint32_t packets;
	double share;

	if (sizes->points == DRB_SIZES_POINTS_MAX)
		return "too many lines";
	if (!counted)
		return "must be two values, " HEADING ": " COUNTED;
	if (drb_parse_u32(size, 1, DRB_SIZES_PACKETS_MAX, &packets) < 0)
		return "packets must be a whole number from 1 to 100000000";
	if (drb_parse_real(counted, 0, 1, &share) < 0)
		return "share must be a number from 0 to 1";
	if (last && (packets < last->packets || share < last->share))
		return "packets and share must not go down: " COUNTED;
	sizes->owned[sizes->points++] = (struct drb_size_point){packets, share};
	return NULL;
}

static char *without_blanks(char *text)
{
	text += strspn(text, BLANKS);
	for (size_t len = strlen(text); len && strchr(BLANKS, text[len - 1]); len--)
		text[len - 1] = '\0';
	return text;
}

static const char *add_text(struct drb_sizes *sizes, char *line, bool *heading)
{
	line[strcspn(line, "#")] = '\0';
	char *comma = strchr(line, ','), *second = NULL;
	if (comma) {
		*comma = '\0';
		second = without_blanks(comma + 1);
	}
	char *first = without_blanks(line);
	if (!first[0] && !second)
		return NULL;
	if (*heading)
		return add_line(sizes, first, second);
	*heading = true;
	return second && strcmp(first, "packets") == 0 && strcmp(second, "share") == 0
		       ? NULL
		       : "the first line must be " HEADING ": " COUNTED;
}

int drb_sizes_read(const char *name, FILE *in, struct drb_sizes *sizes,
		   char error[DRB_SIZES_ERROR_MAX])
{
	char line[LINE_BYTES];
	const char *wrong = own(sizes, DRB_SIZES_POINTS_MAX) < 0 ? "not enough memory" : NULL;
	bool heading = false;
	uint32_t number = 0;

	while (!wrong && fgets(line, sizeof(line), in)) {
		number++;
		wrong = strlen(line) + 1 == sizeof(line) ? "no line of this format"
							 : add_text(sizes, line, &heading);
	}
	if (!wrong && ferror(in))
		wrong = drb_file_error(errno);
	else if (!wrong && (!sizes->points || sizes->owned[sizes->points - 1].share < 1))
		wrong = "the last share must be 1: " COUNTED;
	if (!wrong)
		return 0;
	drb_file_complain(error, DRB_SIZES_ERROR_MAX, name, number, wrong);
	drb_sizes_free(sizes);
	return -EINVAL;
}

static int open_file(const char *path, struct drb_sizes *sizes, char error[DRB_SIZES_ERROR_MAX])
{
	FILE *in = drb_file_read(path);

	if (!in) {
		snprintf(error, DRB_SIZES_ERROR_MAX, "%.80s: %s", path, strerror(errno));
		return -EINVAL;
	}
	int rc = drb_sizes_read(drb_file_name(path), in, sizes, error);
	fclose(in);
	return rc;
}

int drb_sizes_open(const char *text, struct drb_sizes *sizes, char error[DRB_SIZES_ERROR_MAX])
{
	uint32_t packets;

	for (size_t i = 0; i < COUNT(published); i++) {
		if (strcmp(text, published[i].name) == 0) {
			*sizes = (struct drb_sizes){published[i].point, published[i].points, NULL};
			return 0;
		}
	}
	if (strncmp(text, "file:", 5) == 0)
		return open_file(text + 5, sizes, error);
	if (strncmp(text, "fixed:", 6) != 0 ||
	    drb_parse_u32(text + 6, 1, DRB_SIZES_PACKETS_MAX, &packets) < 0) {
		snprintf(error, DRB_SIZES_ERROR_MAX,
			 "%.40s: must be websearch, datamining, fixed:N or file:PATH", text);
		return -EINVAL;
	}
	if (own(sizes, 1) < 0) {
		snprintf(error, DRB_SIZES_ERROR_MAX, "not enough memory");
		return -ENOMEM;
	}
	sizes->owned[0] = (struct drb_size_point){packets, 1};
	sizes->points = 1;
	return 0;
}

void drb_sizes_free(struct drb_sizes *sizes)
{
	free(sizes->owned);
	*sizes = (struct drb_sizes){0};
}

// The mean size of flows between two points: that of the sizes low + 1, ..., high, or `high` if
// both points have the same size.
static double mean_between(double low, double high)
{
	return low < high ? (low + 1 + high) / 2 : high;
}

double drb_sizes_mean(const struct drb_sizes *sizes)
{
	const struct drb_size_point *p = sizes->point;
	double mean = p[0].share * p[0].packets;

	for (size_t i = 1; i < sizes->points; i++)
		mean += (p[i].share - p[i - 1].share) *
			mean_between(p[i - 1].packets, p[i].packets);
	return mean;
}

uint32_t drb_sizes_draw(const struct drb_sizes *sizes, struct drb_rng *rng)
{
	const struct drb_size_point *p = sizes->point;
	double share = drb_rng_unit(rng);
	size_t i = 0;

	while (share >= p[i].share && i + 1 < sizes->points)
		i++;
	uint32_t high = (uint32_t)p[i].packets, low = i ? (uint32_t)p[i - 1].packets : high;
	return low < high ? low + 1 + drb_rng_below(rng, high - low) : high;
}
