// SPDX-License-Identifier: BSD-3-Clause
// What drbctl set has changed is written into configs of all forms: where a person would write it, with
// everything else untouched, or not at all.
#include "fixtures/unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/log.h"
#include "common/config/save.h"

#define FABRIC "fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n"

static char folder[] = "/tmp/drb-save-XXXXXX", path[64];
static const struct drb_config_override own = {.layer = -1, .label = -1};

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/c.yaml", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder); // nothing else is there
}

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	fclose(f);
}

static const char *read_file(void)
{
	static char text[4096];
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

static int edit_and_replace(const char *name, const struct drb_config_override *override,
			    const struct drb_settings *settings)
{
	struct drb_config_text text;
	int rc = drb_config_edit(name, override, settings, &text);

	return rc == 0 ? drb_config_replace(name, text) : rc;
}

static int save(const char *settings, const struct drb_config_override *override)
{
	struct drb_settings s = {0};

	if (*settings)
		assert_int_equal(drb_settings_add(&s, settings), 0);
	return edit_and_replace(path, override, &s);
}

static const struct {
	const char *what, *before, *settings, *after;
} forms[] = {
	{"a key in braces", FABRIC "routing: {scheme: drb, threshold: 2}  # T\n", "threshold=3.5",
	 FABRIC "routing: {scheme: drb, threshold: 3.5}  # T\n"},
	{"lines with comments",
	 "# mine\n" FABRIC "routing:\n  # the paper's\n  scheme: drb # not vlb\n  threshold: 2\n",
	 "scheme=walk threshold=auto",
	 "# mine\n" FABRIC
	 "routing:\n  # the paper's\n  scheme: walk # not vlb\n  threshold: auto\n"},
	{"another key in braces", FABRIC "routing: {scheme: drb}\n", "threshold=3",
	 FABRIC "routing: {threshold: 3, scheme: drb}\n"},
	{"empty braces", FABRIC "routing: {}\n", "threshold=3", FABRIC "routing: {threshold: 3}\n"},
	{"another line", FABRIC "routing:\n    scheme: drb\nlink: {queue: 9}\n", "threshold=3",
	 FABRIC "routing:\n    threshold: 3\n    scheme: drb\nlink: {queue: 9}\n"},
	{"no section", FABRIC, "threshold=3", FABRIC "routing: {threshold: 3}\n"},
	{"no section and no last newline", FABRIC "# end", "threshold=3 scheme=least",
	 FABRIC "# end\nrouting: {scheme: least, threshold: 3}\n"},
	{"one line", "{fabric: {layers: 2, arity: 2}, switch: {layer: 1, label: 0}}", "threshold=3",
	 "{routing: {threshold: 3}, fabric: {layers: 2, arity: 2}, switch: {layer: 1, label: 0}}"},
	{"quotes", FABRIC "routing: {scheme: \"drb\", threshold: '2'}\n", "scheme=vlb threshold=1",
	 FABRIC "routing: {scheme: vlb, threshold: 1}\n"},
	{"letters of many bytes before it",
	 "# größer, 更大\n" FABRIC "routing: {threshold: 2} # é\n", "threshold=11",
	 "# größer, 更大\n" FABRIC "routing: {threshold: 11} # é\n"},
	{"a byte order mark", "\xef\xbb\xbf" FABRIC "routing: {threshold: 2}\n", "threshold=11",
	 "\xef\xbb\xbf" FABRIC "routing: {threshold: 11}\n"},
	{"lines that end in two bytes",
	 "fabric: {layers: 2, arity: 2}\r\nswitch: {layer: 1, label: 0}"
	 "\r\nrouting: {threshold: 2}\r\n",
	 "threshold=11",
	 "fabric: {layers: 2, arity: 2}\r\nswitch: {layer: 1, label: 0}\r\nrouting: {threshold: "
	 "11}\r\n"},
	{"a scheme with parameters", FABRIC "routing: {scheme: drb}\n",
	 "scheme=drb:choices=3:threshold=1",
	 FABRIC "routing: {scheme: \"drb:choices=3:threshold=1\"}\n"},
	{"the value it has", FABRIC "routing: {threshold: 2}\n", "threshold=2",
	 FABRIC "routing: {threshold: 2}\n"},
};

TEST(only_the_value_changes)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct stat st;
		write_file(forms[i].before);
		assert_int_equal(chmod(path, 0640), 0);
		if (save(forms[i].settings, &own) < 0)
			fail_msg("%s: %s", forms[i].what, drb_msg_last());
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0640);
		if (strcmp(read_file(), forms[i].after) != 0)
			fail_msg("%s:\n%s", forms[i].what, read_file());
		assert_int_equal(save(forms[i].settings, &own), 0); // nothing grows
		assert_string_equal(read_file(), forms[i].after);
	}
}

// What no program should guess at stays as it is.
TEST(unusual_files_are_left_alone)
{
	static const struct {
		const char *what, *text, *says;
	} cases[] = {
		{"an end marker", FABRIC "...\n", "too unusual to be edited"},
		{"an alias",
		 "fabric: {layers: &x 2, arity: 2}\nswitch: {layer: 1, label: 0}\n"
		 "routing: {threshold: *x}\n",
		 "by hand"},
		{"keys in a section that is one line of its own", FABRIC "routing: !!map {}\n",
		 "no place for routing.threshold"},
		{"a broken file", FABRIC "routing: {threshold: 2\n", "not YAML"},
		{"a file of somebody's mistakes", FABRIC "routing: {treshold: 2}\n", "treshold"},
		{"another switch's file", "fabric: {layers: 2, arity: 2}\n", "missing"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		write_file(cases[i].text);
		if (save("threshold=3", &own) != -EINVAL)
			fail_msg("%s: saved as\n%s", cases[i].what, read_file());
		assert_string_equal(read_file(), cases[i].text);
		if (!strstr(drb_msg_last(), cases[i].says))
			fail_msg("%s: said %s", cases[i].what, drb_msg_last());
	}
}

TEST(only_its_own_file)
{
	const struct drb_config_override given = {.layer = 1, .label = 0};

	write_file(FABRIC);
	assert_int_equal(save("threshold=3", &given), -EINVAL);
	assert_non_null(strstr(drb_msg_last(), "several switches"));
	assert_int_equal(save("", &own), -EINVAL);
	assert_non_null(strstr(drb_msg_last(), "nothing to save"));
	assert_string_equal(read_file(), FABRIC);
	unlink(path);
	assert_int_equal(save("threshold=3", &own), -EINVAL);
	assert_non_null(strstr(drb_msg_last(), "c.yaml: No such file"));
}

// The file behind a symbolic link is replaced, not the link.
TEST(links_stay)
{
	char real[64];
	struct stat st;

	snprintf(real, sizeof(real), "%s/real.yaml", folder);
	write_file(FABRIC);
	assert_int_equal(rename(path, real), 0);
	assert_int_equal(symlink("real.yaml", path), 0);
	assert_int_equal(save("threshold=3", &own), 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_string_equal(read_file(), FABRIC "routing: {threshold: 3}\n");
	unlink(path);
	unlink(real);
}

// The copy's name would be too long.
TEST(no_room_for_a_copy)
{
	char name[300];
	struct drb_settings s = {0};

	snprintf(name, sizeof(name), "%s/%0252d", folder, 0);
	write_file(FABRIC);
	assert_int_equal(rename(path, name), 0);
	assert_int_equal(drb_settings_add(&s, "threshold=3"), 0);
	assert_int_equal(edit_and_replace(name, &own, &s), -EINVAL);
	assert_non_null(strstr(drb_msg_last(), "no new file can be made"));
	assert_int_equal(rename(name, path), 0);
	assert_string_equal(read_file(), FABRIC);
}

TEST_MAIN(make_folder, remove_folder)
