// SPDX-License-Identifier: BSD-3-Clause
// drbgen replay: tells a directory of drbgen write from foreign captures, and replays it.

#include "gen/verbs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/log.h"
#include "gen/replay/foreign.h"
#include "gen/replay/measured.h"
#include "gen/replay/options.h"

int gen_replay(int argc, char **argv)
{
	struct replay_options o;
	struct stat st;

	replay_options_parse(&o, argc, argv);
	if (stat(o.paths[0], &st) < 0)
		drb_die("%s: %s", o.paths[0], strerror(errno));
	if (S_ISDIR(st.st_mode)) {
		if (o.count > 1)
			drb_die("%s: one directory at a time", o.paths[1]);
		if (o.foreign_given)
			drb_die("%s: traffic of drbgen write is replayed slot by slot; --slot sets "
				"the pace, the options of foreign captures do not apply",
				o.paths[0]);
		return replay_measured(&o);
	}
	if (o.measured_given)
		drb_die("%s: --slot, --warmup, --stats and --sink are for directories of drbgen "
			"write",
			o.paths[0]);
	return replay_foreign(&o);
}
