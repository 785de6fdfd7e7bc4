// SPDX-License-Identifier: BSD-3-Clause
#include "common/config/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "common/cli/log.h"

// The index of a path in values->text.
static size_t path_find(const char *path)
{
	for (size_t i = 0; i < DRB_CONFIG_KEYS; i++) {
		const char *section = drb_config_section_name(drb_config_keys[i].section);
		size_t length = strlen(section);
		if (strncmp(path, section, length) == 0 && path[length] == '.' &&
		    strcmp(path + length + 1, drb_config_keys[i].name) == 0)
			return i;
	}
	abort(); // paths come from this program, not from users
}

void drb_config_set(struct drb_config_values *values, const char *path, const char *text)
{
	values->text[path_find(path)] = text;
}

const char *drb_config_get(const struct drb_config_values *values, const char *path)
{
	return values->text[path_find(path)];
}

static int write_bytes(void *file, unsigned char *bytes, size_t size)
{
	return fwrite(bytes, 1, size, file) == size;
}

static bool put_scalar(yaml_emitter_t *emitter, const char *text)
{
	// Other readers of YAML may take "02:00" for a number in base 60.
	yaml_scalar_style_t style =
		strchr(text, ':') ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_PLAIN_SCALAR_STYLE;
	yaml_event_t event;

	return yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text,
					    (int)strlen(text), 1, 1, style) &&
	       yaml_emitter_emit(emitter, &event);
}

static bool begin_mapping(yaml_emitter_t *emitter)
{
	yaml_event_t event;

	return yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
						   YAML_BLOCK_MAPPING_STYLE) &&
	       yaml_emitter_emit(emitter, &event);
}

static bool end_mapping(yaml_emitter_t *emitter)
{
	yaml_event_t event;

	return yaml_mapping_end_event_initialize(&event) && yaml_emitter_emit(emitter, &event);
}

static bool put_section(yaml_emitter_t *emitter, enum drb_config_section section,
			const struct drb_config_values *values)
{
	if (!put_scalar(emitter, drb_config_section_name(section)) || !begin_mapping(emitter))
		return false;
	for (size_t i = 0; i < DRB_CONFIG_KEYS; i++) {
		if (drb_config_keys[i].section != section || !values->text[i])
			continue;
		if (!put_scalar(emitter, drb_config_keys[i].name) ||
		    !put_scalar(emitter, values->text[i]))
			return false;
	}
	return end_mapping(emitter);
}

static bool put_document(yaml_emitter_t *emitter, const struct drb_config_values *values)
{
	yaml_event_t event;

	if (!yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1) ||
	    !yaml_emitter_emit(emitter, &event) || !begin_mapping(emitter))
		return false;
	// Empty sections are written, too, as "{}", for people who edit the file.
	for (int i = 0; i < DRB_SECTION_COUNT; i++) {
		if (i != DRB_SECTION_PORTS &&
		    !put_section(emitter, (enum drb_config_section)i, values))
			return false;
	}
	return end_mapping(emitter) && yaml_document_end_event_initialize(&event, 1) &&
	       yaml_emitter_emit(emitter, &event);
}

static bool put_stream(FILE *file, const struct drb_config_values *values)
{
	yaml_emitter_t emitter;
	yaml_event_t event;

	if (!yaml_emitter_initialize(&emitter))
		return false;
	yaml_emitter_set_output(&emitter, write_bytes, file);
	bool done = yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING) &&
		    yaml_emitter_emit(&emitter, &event) && put_document(&emitter, values) &&
		    yaml_stream_end_event_initialize(&event) && yaml_emitter_emit(&emitter, &event);
	yaml_emitter_delete(&emitter);
	return done;
}

int drb_config_format(const struct drb_config_values *values, char **text, size_t *length)
{
	FILE *file = open_memstream(text, length);
	bool done = file && put_stream(file, values);

	if (file && fclose(file) != 0)
		done = false;
	if (done)
		return 0;
	drb_error("cannot write a config: out of memory");
	return -ENOMEM;
}
