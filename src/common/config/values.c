// SPDX-License-Identifier: BSD-3-Clause
// The values of keys: the allowed texts and their meaning.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/quantity.h"
#include "common/config/config.h"
#include "common/config/forms.h"
#include "common/config/keys.h"
#include "common/schemes/load.h"

// Formats a time as people write it: in the largest unit that leaves a whole number.
static void format_time(uint64_t ns, char *text, size_t size)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
	size_t i = 0;

	while (ns % units[i].ns != 0)
		i++;
	snprintf(text, size, "%" PRIu64 "%s", ns / units[i].ns, units[i].name);
}

static void number_range(const struct drb_config_key *key, char range[DRB_CONFIG_WHY])
{
	if (key->range)
		snprintf(range, DRB_CONFIG_WHY, "%s", key->range);
	else
		snprintf(range, DRB_CONFIG_WHY, "%" PRIu64 "..%" PRIu64 "%s%s", key->min, key->max,
			 *key->unit ? " " : "", key->unit);
}

static void time_range(const struct drb_config_key *key, char range[DRB_CONFIG_WHY])
{
	char min[32], max[32];

	format_time(key->min, min, sizeof(min));
	format_time(key->max, max, sizeof(max));
	snprintf(range, DRB_CONFIG_WHY, "a time of %s to %s, such as %s", min, max, key->example);
}

static const char *truth_word(uint32_t i)
{
	static const char *const words[] = {"true", "false", NULL};

	return words[i];
}

static void list_words(const char *(*word)(uint32_t), char range[DRB_CONFIG_WHY])
{
	size_t used = 0;

	range[0] = '\0';
	for (uint32_t i = 0; word(i) && used < DRB_CONFIG_WHY; i++)
		used += (size_t)snprintf(range + used, DRB_CONFIG_WHY - used, "%s%s", i ? ", " : "",
					 word(i));
}

static const char *scheme_word(uint32_t i)
{
	return i < DRB_SCHEME_COUNT ? drb_scheme_name((enum drb_scheme)i) : NULL;
}

static void scheme_range(char range[DRB_CONFIG_WHY])
{
	list_words(scheme_word, range);
	size_t used = strlen(range);
	snprintf(range + used, DRB_CONFIG_WHY - used, ", drb:choices=3, /x.so:k=3");
}

void drb_config_range(const struct drb_config_key *key, char range[DRB_CONFIG_WHY])
{
	switch (key->type) {
	case DRB_VALUE_NUMBER:
		number_range(key, range);
		break;
	case DRB_VALUE_TIME:
		time_range(key, range);
		break;
	case DRB_VALUE_TRUTH:
		list_words(truth_word, range);
		break;
	case DRB_VALUE_WORD:
		list_words(key->word, range);
		break;
	case DRB_VALUE_SCHEME:
		scheme_range(range);
		break;
	case DRB_VALUE_TEXT:
		snprintf(range, DRB_CONFIG_WHY, "%s, at most %" PRIu64 " characters", key->range,
			 key->max);
		break;
	case DRB_VALUE_FORM:
		snprintf(range, DRB_CONFIG_WHY, "%s", key->range);
		break;
	}
}

// Writes "TEXT is not in RANGE" to why.
static int out_of_range(const struct drb_config_key *key, const char *text, const char *is_not,
			char why[DRB_CONFIG_WHY])
{
	char range[DRB_CONFIG_WHY];
	const char *quote = key->type == DRB_VALUE_NUMBER ? "" : "\"";

	drb_config_range(key, range);
	snprintf(why, DRB_CONFIG_WHY, "%s%.200s%s %s %s", quote, text, quote, is_not, range);
	return -EINVAL;
}

static int parse_number(const struct drb_config_key *key, const char *text, void *member,
			char why[DRB_CONFIG_WHY])
{
	uint64_t value;
	uint32_t half;

	if (!*text || strspn(text, "0123456789") != strlen(text)) {
		snprintf(why, DRB_CONFIG_WHY, "\"%.200s\" is not a whole number", text);
		return -EINVAL;
	}
	if (drb_parse_u64(text, key->min, key->max, &value) < 0)
		return out_of_range(key, text, "is not in", why);
	half = (uint32_t)value;
	if (key->size == sizeof(half))
		memcpy(member, &half, sizeof(half));
	else
		memcpy(member, &value, sizeof(value));
	return 0;
}

static int parse_time(const struct drb_config_key *key, const char *text, void *member,
		      char why[DRB_CONFIG_WHY])
{
	uint64_t ns;

	if (drb_parse_time(text, &ns) < 0 || ns < key->min || ns > key->max)
		return out_of_range(key, text, "is not", why);
	memcpy(member, &ns, sizeof(ns));
	return 0;
}

static int parse_truth(const struct drb_config_key *key, const char *text, void *member,
		       char why[DRB_CONFIG_WHY])
{
	static const char *const words[][2] = {{"false", "true"}, {"no", "yes"}, {"off", "on"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		for (int truth = 0; truth < 2; truth++) {
			if (strcmp(text, words[i][truth]) != 0)
				continue;
			*(bool *)member = truth;
			return 0;
		}
	}
	return out_of_range(key, text, "is none of", why);
}

static int parse_word(const struct drb_config_key *key, const char *text, void *member,
		      char why[DRB_CONFIG_WHY])
{
	for (uint32_t i = 0; key->word(i); i++) {
		if (strcmp(text, key->word(i)) != 0)
			continue;
		memcpy(member, &i, sizeof(i));
		return 0;
	}
	return out_of_range(key, text, "is none of", why);
}

static int parse_scheme(const struct drb_config_key *key, const char *text, struct drb_setup *setup,
			char why[DRB_CONFIG_WHY])
{
	const char *file = strstr(text, ":config=");
	const bool is_object = memchr(text, '/', strcspn(text, ":"));
	enum drb_scheme scheme;

	if (!strpbrk(text, "/:") && drb_scheme_parse(text, &scheme) < 0)
		return out_of_range(key, text, "is none of", why);
	if ((is_object && text[0] != '/') || (file && file[strlen(":config=")] != '/')) {
		snprintf(why, DRB_CONFIG_WHY, "\"%.200s\": a %s needs its whole path", text,
			 is_object ? "shared object" : "file");
		return -EINVAL;
	}
	return drb_scheme_read(text, &setup->scheme, why);
}

static int parse_text(const struct drb_config_key *key, const char *text, void *member,
		      char why[DRB_CONFIG_WHY])
{
	if (!*text)
		return out_of_range(key, text, "is not", why);
	if (strlen(text) > key->max) {
		snprintf(why, DRB_CONFIG_WHY, "longer than %" PRIu64 " characters", key->max);
		return -EINVAL;
	}
	drb_put_text(member, key->size, text);
	return 0;
}

int drb_config_parse(const struct drb_config_key *key, const char *text, void *to,
		     char why[DRB_CONFIG_WHY])
{
	void *member = (char *)to + key->at;

	switch (key->type) {
	case DRB_VALUE_NUMBER:
		return parse_number(key, text, member, why);
	case DRB_VALUE_TIME:
		return parse_time(key, text, member, why);
	case DRB_VALUE_TRUTH:
		return parse_truth(key, text, member, why);
	case DRB_VALUE_WORD:
		return parse_word(key, text, member, why);
	case DRB_VALUE_SCHEME:
		return parse_scheme(key, text, to, why);
	case DRB_VALUE_TEXT:
		return parse_text(key, text, member, why);
	case DRB_VALUE_FORM:
		break;
	}
	return key->parse(text, to) ? 0 : out_of_range(key, text, "is not", why);
}

void drb_config_defaults(enum drb_config_section section, void *to)
{
	char why[DRB_CONFIG_WHY];

	for (size_t i = 0; i < DRB_CONFIG_KEYS; i++) {
		const struct drb_config_key *key = &drb_config_keys[i];
		if (key->section == section && key->initial &&
		    drb_config_parse(key, key->initial, to, why) < 0)
			abort(); // a row of keys.def contradicts itself
	}
}

static uint64_t number_at(const struct drb_config_key *key, const void *member)
{
	uint32_t half;
	uint64_t value;

	if (key->size == sizeof(half)) {
		memcpy(&half, member, sizeof(half));
		return half;
	}
	memcpy(&value, member, sizeof(value));
	return value;
}

void drb_config_value(const struct drb_config_key *key, const struct drb_setup *setup,
		      char text[DRB_CONFIG_VALUE])
{
	const void *member = (const char *)setup + key->at;

	if (key->parse == drb_form_threshold && setup->threshold_auto)
		snprintf(text, DRB_CONFIG_VALUE, "%s", DRB_THRESHOLD_AUTO);
	else if (key->parse == drb_form_threshold)
		snprintf(text, DRB_CONFIG_VALUE, "%.15g", setup->threshold);
	else if (key->type == DRB_VALUE_WORD)
		snprintf(text, DRB_CONFIG_VALUE, "%s", key->word((uint32_t)number_at(key, member)));
	else if (key->type == DRB_VALUE_SCHEME)
		snprintf(text, DRB_CONFIG_VALUE, "%s", setup->scheme.text);
	else if (key->type == DRB_VALUE_TIME)
		format_time(number_at(key, member), text, DRB_CONFIG_VALUE);
	else
		snprintf(text, DRB_CONFIG_VALUE, "%" PRIu64, number_at(key, member));
}
