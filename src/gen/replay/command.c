// SPDX-License-Identifier: BSD-3-Clause
// drbgen replay: distinguishes directories of drbgen write from foreign captures, and replays them.

#include "gen/verbs.h"

#include <sys/stat.h>

#include "common/cli/file.h"
#include "common/cli/log.h"
#include "gen/replay/foreign.h"
#include "gen/replay/measured.h"
#include "gen/replay/options.h"

int gen_replay(int argc, char **argv)
{
	struct replay_options o;
	struct stat st;

	replay_options_parse(&o, argc, argv);
	// Names that stat() does not find, such as "-", are checked when they are opened.
	if (stat(o.captures.at[0], &st) < 0 || !S_ISDIR(st.st_mode)) {
		if (o.measured_option)
			drb_die("%s: %s is for a directory of drbgen write, and this is a "
				"capture",
				drb_file_name(o.captures.at[0]), o.measured_option);
		return replay_foreign(&o);
	}
	if (o.captures.count > 1)
		drb_die("%s: one directory at a time", o.captures.at[1]);
	if (o.foreign_option)
		drb_die("%s: %s is for captures, and this is traffic of drbgen write, which is "
			"replayed slot by slot; --slot sets its pace",
			o.captures.at[0], o.foreign_option);
	return replay_measured(&o);
}
