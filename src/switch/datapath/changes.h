// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Changes of running workers (ports/change.h). The control thread posts changes and never waits:
// workers write to an eventfd when they have made a change or taken a snapshot.
//
// A change has two phases. First all workers confirm that they run; only then do they get the
// change. A stuck worker thus makes the whole change fail. A worker that gets stuck between the
// phases makes the change when it continues. If it ends instead, the control thread makes the
// change for it.

#include "switch/datapath/workers.h"

// Time within which all workers must confirm that they run, or the change fails.
#define DRB_CHANGE_WITHIN_NS UINT64_C(500000000)
// Message to the user when a change has failed.
#define DRB_CHANGE_FAILED                                                                          \
	"a worker of this switch is stuck or gets no CPU, so nothing was changed: try again; "     \
	"restart the switch if `drbctl list` says stuck"

// From now on changes are completed in this event loop. heard() is called after workers have
// written to the eventfd, and at deadlines. 0 or -ENOMEM, with a message printed.
int drb_changes_open(struct drb_workers *all, struct event_base *base, void (*heard)(void *context),
		     void *context);
void drb_changes_close(struct drb_workers *all);

// Call in the control thread. Changes are made one after the other, in the order of posting. While
// no workers run, the caller makes the change, and done() is called before this returns.
void drb_change_post(struct drb_workers *all, struct drb_change *change);
// Checks the progress of workers and the deadlines, and takes all steps that are possible now. The
// event loop calls it.
void drb_changes_go_on(struct drb_workers *all);
// Has worker 0 check carriers at once, because one may have changed. It would check within two
// seconds anyway.
void drb_workers_look_at_carriers(struct drb_workers *all);
