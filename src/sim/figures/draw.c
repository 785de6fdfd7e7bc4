// SPDX-License-Identifier: BSD-3-Clause
#include "sim/figures/draw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/figures/style.h"

static bool run_gnuplot(const char *dir, const char *script)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (chdir(dir) == 0)
			execlp("gnuplot", "gnuplot", script, (char *)NULL);
		_exit(127);
	}
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

// Puts the style for dark pages behind the tag <svg ...>.
static int add_dark_style(const char *path)
{
	FILE *f = fopen(path, "r+");
	char *text = NULL, *tag, *end;
	size_t size = 0;
	ssize_t length;

	if (!f)
		return -errno;
	length = getdelim(&text, &size, '\0', f);
	tag = length > 0 ? strstr(text, "<svg") : NULL;
	end = tag ? strchr(tag, '>') : NULL;
	if (end) {
		fseek(f, end + 1 - text, SEEK_SET);
		fprintf(f, "\n%s", sim_dark_style);
		fwrite(end + 1, 1, (size_t)(text + length - end - 1), f);
	}
	free(text);
	return fclose(f) == 0 && end ? 0 : -EIO;
}

struct drawn {
	const char *dir;
	int rc;
};

static void finish(void *context, const char *name)
{
	struct drawn *drawn = context;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.svg", drawn->dir, name);
	int rc = add_dark_style(path);
	drawn->rc = rc < 0 ? rc : drawn->rc;
}

int sim_figures_draw(FILE *figures, const char *dir, const char *script,
		     char message[SIM_FIGURE_TEXT])
{
	struct drawn drawn = {dir, 0};
	char path[4096];
	FILE *f;
	int rc;

	snprintf(path, sizeof(path), "%s/%s", dir, script);
	f = fopen(path, "w");
	if (!f)
		return -errno;
	rc = sim_figures_script(figures, f, message);
	if (fclose(f) != 0 && rc == 0)
		rc = -EIO;
	if (rc < 0)
		return rc;
	if (!run_gnuplot(dir, script))
		return -ENOENT;
	rewind(figures);
	sim_figures_each(figures, finish, &drawn);
	return drawn.rc;
}
