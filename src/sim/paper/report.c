// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/log.h"

// Where the modules of the harness are: a build folder has the path in a file beside the program (meson.build), an
// installed program has it built in, from its own folder.
static void find_modules(char modules[PAPER_PATH_MAX])
{
	char program[PAPER_PATH_MAX / 4], path[PAPER_PATH_MAX / 2];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[length > 0 ? length : 0] = '\0';
	*(strrchr(program, '/') ?: program) = '\0';
	snprintf(modules, PAPER_PATH_MAX, "%s/" SIM_MODULES, program);
	snprintf(path, sizeof(path), "%s/modules", program);
	FILE *f = fopen(path, "r");
	if (!f)
		return;
	if (fgets(modules, PAPER_PATH_MAX, f))
		modules[strcspn(modules, "\n")] = '\0';
	fclose(f);
}

int paper_report(const struct paper *p)
{
	char modules[PAPER_PATH_MAX], package[PAPER_PATH_MAX + 32];
	int status;

	find_modules(modules);
	snprintf(package, sizeof(package), "%s/drbfabric/paper", modules);
	pid_t child = fork();
	if (child == 0) {
		// Where Debian's packages are, whatever else PATH has.
		execl("/usr/bin/python3", "python3", "-B", package, p->dir, (char *)NULL);
		execlp("python3", "python3", "-B", package, p->dir, (char *)NULL);
		drb_warn("%s/results.jsonl is complete, but there is no report: python3: %s",
			 p->dir, strerror(errno));
		_exit(DRB_EXIT_USAGE);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		drb_die("cannot start python3: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : DRB_EXIT_USAGE;
}
