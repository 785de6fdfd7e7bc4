// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/file_limit.h"

#include <errno.h>
#include <sys/resource.h>

#include "common/cli/log.h"

uint64_t drb_files_allow(uint64_t wanted)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur >= wanted)
		return wanted;
	const rlim_t before = files.rlim_cur;
	files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
	return setrlimit(RLIMIT_NOFILE, &files) < 0 ? before : files.rlim_cur;
}

int drb_files_need(uint64_t wanted, const char *what, bool say)
{
	const unsigned long long may = drb_files_allow(wanted), all = wanted;

	if (may >= all)
		return 0;
	if (say)
		drb_error("%s take %llu open files, and this process may have %llu: raise the "
			  "limit (ulimit -n %llu)",
			  what, all, may, all);
	return -EMFILE;
}
