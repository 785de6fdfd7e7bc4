// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The verbs of drbctl. Each takes its command line and returns an exit code.

int ctl_list(int argc, char **argv);
int ctl_show(int argc, char **argv);
int ctl_capture(int argc, char **argv);
int ctl_check(int argc, char **argv);
int ctl_reload(int argc, char **argv);
int ctl_set(int argc, char **argv);
int ctl_drain(int argc, char **argv);
int ctl_undrain(int argc, char **argv);
int ctl_down(int argc, char **argv);
int ctl_up(int argc, char **argv);
int ctl_path(int argc, char **argv);
int ctl_trace(int argc, char **argv);
int ctl_watch(int argc, char **argv);
int ctl_events(int argc, char **argv);
int ctl_metrics(int argc, char **argv);
int ctl_record(int argc, char **argv);
int ctl_serve(int argc, char **argv);
