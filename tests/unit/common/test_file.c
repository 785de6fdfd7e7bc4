// SPDX-License-Identifier: BSD-3-Clause
// Files that users name: compressed or not, with or without a byte order mark, and standard input.
// And how many files a process may have open.
#include "fixtures/unit.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include <zlib.h>

#include "common/cli/file.h"
#include "common/cli/file_limit.h"
#include "common/cli/log.h"

#define TEXT_BYTES 300000

static char text[TEXT_BYTES];

static int set_up(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < TEXT_BYTES; i++)
		text[i] = (char)('a' + i * i % 23);
	return 0;
}

static char *path_of(const void *bytes, size_t size)
{
	static char path[32];

	snprintf(path, sizeof(path), "/tmp/test_file.XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	close(fd);
	return path;
}

// Reads the whole file; returns 0 or errno.
static int read_all(const char *path, size_t *size)
{
	static char read[2 * TEXT_BYTES];
	FILE *file = drb_file_read(path);

	assert_non_null(file);
	errno = 0;
	*size = fread(read, 1, sizeof(read), file);
	int error = ferror(file) ? errno : 0;
	fclose(file);
	assert_memory_equal(read, text, *size < TEXT_BYTES ? *size : TEXT_BYTES);
	return error;
}

static size_t pack(uint8_t *to, size_t room)
{
	char *path = path_of("", 0);
	gzFile gz = gzopen(path, "w");

	assert_int_equal(gzwrite(gz, text, TEXT_BYTES), TEXT_BYTES);
	assert_int_equal(gzclose(gz), Z_OK);
	FILE *file = fopen(path, "r");
	size_t size = fread(to, 1, room, file);
	fclose(file);
	unlink(path);
	return size;
}

TEST(files_are_read_as_they_are)
{
	static char marked[TEXT_BYTES + 3] = "\xef\xbb\xbf";
	size_t size;

	for (size_t length = 0; length <= TEXT_BYTES; length += length < 8 ? 1 : 73331) {
		char *path = path_of(text, length);
		assert_int_equal(read_all(path, &size), 0);
		assert_int_equal(size, length);
		unlink(path);
		memcpy(marked + 3, text, length);
		path = path_of(marked, length + 3);
		assert_int_equal(read_all(path, &size), 0);
		assert_int_equal(size, length);
		unlink(path);
	}
}

TEST(gzip_is_read)
{
	static uint8_t packed[TEXT_BYTES];
	size_t length = pack(packed, sizeof(packed)), size;

	assert_true(length > 100 && length < TEXT_BYTES);
	char *path = path_of(packed, length);
	assert_int_equal(read_all(path, &size), 0);
	assert_int_equal(size, TEXT_BYTES);
	unlink(path);
	path = path_of(packed, length - 20);
	assert_int_equal(read_all(path, &size), ENODATA);
	assert_true(size < TEXT_BYTES);
	assert_string_equal(drb_file_error(ENODATA), "its gzip data end too early");
	unlink(path);
	packed[length - 6] ^= 1; // its checksum
	path = path_of(packed, length);
	assert_int_equal(read_all(path, &size), EBADMSG);
	unlink(path);
}

TEST(standard_input_is_a_file)
{
	char *path = path_of(text, 1000);
	size_t size;

	assert_non_null(freopen(path, "r", stdin));
	assert_int_equal(read_all("-", &size), 0);
	assert_int_equal(size, 1000);
	assert_string_equal(drb_file_name("-"), "standard input");
	assert_string_equal(drb_file_name(path), path);
	unlink(path);
}

TEST(what_is_no_file)
{
	size_t size;

	assert_null(drb_file_read("/nowhere/at/all"));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(read_all("/tmp", &size), EISDIR);
}

static const char *count_line(void *count, char *line)
{
	(void)line;
	++*(uint32_t *)count;
	return NULL;
}

// Returns the error of a list whose first line has so many bytes, with a short one behind it or
// without a newline. *taken: the lines that were accepted.
static const char *list_error(uint32_t length, bool another, uint32_t *taken)
{
	char list[DRB_LINE_MAX + 16];
	uint32_t number = 0;

	snprintf(list, sizeof(list), "%.*s%s", (int)length, text, another ? "\nlast" : "");
	FILE *in = fmemopen(list, strlen(list), "r");
	*taken = 0;
	const char *wrong = drb_file_lines(in, count_line, taken, &number);
	fclose(in);
	assert_int_equal(number, *taken + (wrong != NULL));
	return wrong;
}

TEST(a_line_has_a_limit_without_its_newline)
{
	uint32_t taken;

	for (uint32_t length = DRB_LINE_MAX - 1; length <= DRB_LINE_MAX; length++) {
		assert_null(list_error(length, true, &taken));
		assert_int_equal(taken, 2);
		assert_null(list_error(length, false, &taken));
		assert_int_equal(taken, 1);
	}
	assert_string_equal(list_error(DRB_LINE_MAX + 1, true, &taken),
			    "a line has at most 510 bytes");
	assert_non_null(list_error(DRB_LINE_MAX + 1, false, &taken));
	assert_int_equal(taken, 0);
}

// Runs last, because it lowers the limit of this process for good.
TEST(as_many_files_are_open_as_the_limit_allows)
{
	const struct rlimit limit = {.rlim_cur = 20, .rlim_max = 100};
	struct rlimit now;

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(drb_files_need(20, "20 hosts", true), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
	assert_int_equal(now.rlim_cur, 20);
	assert_int_equal(drb_files_need(99, "99 hosts", true), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
	assert_int_equal(now.rlim_cur, 99);
	assert_int_equal(drb_files_need(100, "100 hosts", true), 0);
	drb_info("nothing is said after this");
	assert_int_equal(drb_files_need(101, "101 hosts", false), -EMFILE);
	assert_string_equal(drb_msg_last(), "nothing is said after this");
	assert_int_equal(drb_files_need(101, "101 hosts", true), -EMFILE);
	assert_string_equal(
		drb_msg_last(),
		"101 hosts take 101 open files, and this process may have 100: raise the "
		"limit (ulimit -n 101)");
}

TEST_MAIN(set_up, NULL)
