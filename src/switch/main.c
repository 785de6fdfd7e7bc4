// SPDX-License-Identifier: BSD-3-Clause
// drbswitch: one process is one switch of the fat-tree F(l,d).
#include <malloc.h>
#include <signal.h>

#include "common/cli/file_limit.h"
#include "common/cli/log.h"
#include "common/cli/log_writer.h"
#include "common/schemes/load.h"
#include "switch/control/switch.h"
#include "switch/options.h"
#include "switch/startup/broker.h"
#include "switch/startup/eal.h"
#include "switch/startup/instance.h"
#include "switch/startup/log_file.h"
#include "switch/startup/privilege.h"
#include "switch/startup/signals.h"

#define TRIM_THRESHOLD (1024 * 1024) // bytes

// Open files: those of DPDK, the event loop and the broker; and those of a port for each worker.
#define FILES 24
#define FILES_OF_PORT 4

// Static: a worker that is left behind may still use it when main() has returned.
static struct drb_switch self;

// Checked early: without descriptors DPDK aborts, and later errors name other causes.
static int need_files(const struct drb_setup *s)
{
	const uint64_t ports = s->down_ports + s->up_ports;

	return drb_files_need(FILES + FILES_OF_PORT * ports * s->workers, "the ports of a switch",
			      true);
}

int main(int argc, char **argv)
{
	const struct drb_switch_options o = drb_switch_options_parse(argc, argv);
	struct drb_setup *setup = &self.setup;
	const char *folder;

	self.config = o.config;
	self.override = &o.override;
	self.held = o.hold;
	self.verbose = o.log == DRB_LOG_DEBUG;
	// Replies of the stats socket need 100 kB for a moment. The memory is kept for the next
	// reply, instead of being returned to the kernel.
	mallopt(M_TRIM_THRESHOLD, TRIM_THRESHOLD);
	drb_privilege_begin();
	drb_signals_block(false);
	drb_log_limit(o.log);
	if (drb_config_load(o.config, &o.override, setup) < 0)
		return DRB_EXIT_USAGE;
	drb_scheme_objects_end();
	if (o.check) {
		drb_info("%s: ok, %s", o.config, setup->instance);
		return DRB_EXIT_OK;
	}
	if (drb_eal_check(o.config, setup) < 0)
		return DRB_EXIT_USAGE;
	if (need_files(setup) < 0)
		return DRB_EXIT_FAILED;
	const int lock = drb_instance_claim(setup, &self.operators, &folder);
	if (lock < 0)
		return DRB_EXIT_USAGE;
	drb_log_file_begin();
	// The first thread starts after fork(): the broker would not have the thread that writes
	// messages.
	if (drb_broker_begin(o.config, setup, folder, lock) < 0 || drb_privilege_leave_root() < 0)
		return DRB_EXIT_FAILED;
	if (drb_log_writer_start() < 0)
		drb_die("cannot start a thread for messages");
	drb_signals_block(true);
	signal(SIGPIPE, SIG_IGN);
	return drb_finish(drb_switch_run(&self));
}
