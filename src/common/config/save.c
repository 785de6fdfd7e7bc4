// SPDX-License-Identifier: BSD-3-Clause
#include "common/config/save.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/log.h"
#include "common/config/document.h"

#define EDIT_MAX (2 * DRB_SETTING_VALUE_MAX + 32)

// A change of the text: bytes from `at` to `end` become `by`.
struct edit {
	size_t at, end;
	char by[EDIT_MAX];
};

// The byte at which a character of the text stands, as libyaml counts them: in UTF-8, without a byte
// order mark.
static size_t offset_of(struct drb_config_text text, size_t character)
{
	size_t at = text.length >= 3 && memcmp(text.at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	for (; at < text.length && character > 0; character--) {
		at++;
		while (at < text.length && ((unsigned char)text.at[at] & 0xc0) == 0x80)
			at++;
	}
	return at;
}

// Into a mapping that does not have the pair: first in it, in its style. False: no place is known.
static bool insert_pair(struct drb_config_text text, const yaml_node_t *mapping, const char *pair,
			struct edit *e)
{
	const yaml_node_pair_t *first = mapping->data.mapping.pairs.start;
	bool empty = first == mapping->data.mapping.pairs.top;

	if (mapping->data.mapping.style == YAML_FLOW_MAPPING_STYLE) {
		e->at = e->end = offset_of(text, mapping->start_mark.index) + 1;
		snprintf(e->by, sizeof(e->by), "%s%s", pair, empty ? "" : ", ");
		return text.at[e->at - 1] == '{';
	}
	if (empty)
		return false;
	const yaml_mark_t *mark = &drb_document_node(first->key)->start_mark;
	e->at = e->end = offset_of(text, mark->index);
	return snprintf(e->by, sizeof(e->by), "%s\n%*s", pair, (int)mark->column, "") < EDIT_MAX;
}

// Behind everything, or first in a document of one line.
static bool insert_section(struct drb_config_text text, const char *pair, struct edit *e)
{
	const yaml_node_t *root = drb_document_root();
	char section[EDIT_MAX];

	snprintf(section, sizeof(section), "routing: {%s}", pair);
	if (root->data.mapping.style == YAML_FLOW_MAPPING_STYLE)
		return insert_pair(text, root, section, e);
	bool ended = text.length > 0 && text.at[text.length - 1] == '\n';
	e->at = e->end = text.length;
	return snprintf(e->by, sizeof(e->by), "%s%*s%s\n", ended ? "" : "\n",
			(int)root->start_mark.column, "", section) < EDIT_MAX;
}

static bool find_edit(struct drb_config_text text, const struct drb_setting *setting,
		      struct edit *e)
{
	const yaml_node_t *routing = drb_document_value(drb_document_root(), "routing");
	const yaml_node_t *value = routing ? drb_document_value(routing, setting->key->name) : NULL;
	char written[DRB_SETTING_VALUE_MAX + 2], pair[EDIT_MAX];
	const char *quote = strchr(setting->value, ':') ? "\"" : "";

	snprintf(written, sizeof(written), "%s%s%s", quote, setting->value, quote);
	snprintf(pair, sizeof(pair), "%s: %s", setting->key->name, written);
	if (!routing)
		return insert_section(text, pair, e);
	if (!value)
		return insert_pair(text, routing, pair, e);
	e->at = offset_of(text, value->start_mark.index);
	e->end = offset_of(text, value->end_mark.index);
	snprintf(e->by, sizeof(e->by), "%s", written);
	return e->end > e->at;
}

static int unusual(const char *path)
{
	drb_error("%s: too unusual to be edited by a program: change it by hand", path);
	return -EINVAL;
}

// Changes one key of the document that was loaded last, whose text is *text.
static int apply(const char *path, struct drb_config_text *text, const struct drb_setting *setting)
{
	struct edit e;

	if (!find_edit(*text, setting, &e)) {
		drb_error("%s: no place for routing.%s: write it there by hand", path,
			  setting->key->name);
		return -EINVAL;
	}
	size_t added = strlen(e.by), length = text->length - (e.end - e.at) + added;
	char *edited = malloc(length + 1);
	if (!edited) {
		drb_error("%s: out of memory", path);
		return -EINVAL;
	}
	memcpy(edited, text->at, e.at);
	memcpy(edited + e.at, e.by, added);
	memcpy(edited + e.at + added, text->at + e.end, text->length - e.end);
	int rc = drb_config_text_take(path, edited, length, text);
	free(edited);
	if (rc < 0 || drb_document_load(path, *text) < 0)
		return unusual(path);
	return 0;
}

static int failed(const char *path, const char *what)
{
	drb_error("%s: %s: %s", path, what, strerror(errno));
	return -EINVAL;
}

// A file beside the old one, with its owner and mode.
static int write_copy(const char *path, char *copy, struct drb_config_text text)
{
	struct stat old;
	int fd = mkostemp(copy, O_CLOEXEC);

	if (fd < 0)
		return failed(path, "no new file can be made beside it");
	bool kept = stat(path, &old) == 0 && fchmod(fd, old.st_mode & 07777) == 0 &&
		    fchown(fd, old.st_uid, old.st_gid) == 0;
	bool written =
		kept && write(fd, text.at, text.length) == (ssize_t)text.length && fsync(fd) == 0;
	int rc = written ? 0 : failed(path, kept ? "cannot be written" : "cannot keep its owner");
	close(fd);
	return rc;
}

static bool same_value(const struct drb_config_key *key, const void *a, const void *b)
{
	return memcmp((const char *)a + key->at, (const char *)b + key->at, key->size) == 0;
}

static bool same_setup(const struct drb_setup *a, const struct drb_setup *b)
{
	bool same = true;

	for (size_t k = 0; k < DRB_CONFIG_KEYS; k++) {
		const struct drb_config_key *key = &drb_config_keys[k];
		bool of_port =
			key->section == DRB_SECTION_LINK || key->section == DRB_SECTION_PORTS;
		uint32_t ports = a->down_ports + a->up_ports;
		if (!of_port)
			same &= same_value(key, a, b);
		for (uint32_t i = 0; of_port && i < ports; i++)
			same &= same_value(key, &a->ports[i], &b->ports[i]);
	}
	return same;
}

// The text means what it should, and nothing else changes by it.
static int check(const char *path, struct drb_config_text text, const struct drb_setup *wanted)
{
	struct drb_setup *setup = calloc(1, sizeof(*setup));
	bool same = setup && drb_config_load_text(path, text.at, text.length, setup) == 0 &&
		    same_setup(setup, wanted);

	free(setup);
	return same ? 0 : unusual(path);
}

int drb_config_replace(const char *path, struct drb_config_text text)
{
	char copy[PATH_MAX], real[PATH_MAX];

	// A name may be that of a symbolic link, which stays.
	if (!realpath(path, real))
		return failed(path, "cannot be found");
	if (snprintf(copy, sizeof(copy), "%s.XXXXXX", real) >= (int)sizeof(copy)) {
		errno = ENAMETOOLONG;
		return failed(path, "no new file can be made beside it");
	}
	int rc = write_copy(real, copy, text);
	if (rc == 0 && rename(copy, real) < 0)
		rc = failed(path, "cannot be replaced");
	if (rc < 0) {
		unlink(copy);
		return rc;
	}
	int fd = open(dirname(real), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		(void)fsync(fd); // the new name survives a crash, where the file system can tell
		close(fd);
	}
	return 0;
}

int drb_config_edit(const char *path, const struct drb_config_override *override,
		    const struct drb_settings *settings, struct drb_config_text *text)
{
	struct drb_config_override with = *override;

	if (settings->count == 0) {
		drb_error("nothing to save: no key was set since the config was read");
		return -EINVAL;
	}
	if (override->layer >= 0 || override->label >= 0) {
		drb_error("%s: may serve several switches (--layer, --label): change it by hand",
			  path);
		return -EINVAL;
	}
	struct drb_setup *wanted = calloc(1, sizeof(*wanted));
	if (!wanted) {
		drb_error("%s: out of memory", path);
		return -EINVAL;
	}
	with.settings = settings;
	int rc = drb_config_load(path, &with, wanted);
	if (rc == 0)
		rc = drb_config_text_read(path, override->open, text);
	if (rc == 0)
		rc = drb_document_load(path, *text);
	for (uint32_t i = 0; rc == 0 && i < settings->count; i++)
		rc = apply(path, text, &settings->at[i]);
	if (rc == 0)
		rc = check(path, *text, wanted);
	free(wanted);
	return rc;
}
