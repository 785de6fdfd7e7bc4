// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The verbs of drbsim. Each takes its command line and returns an exit status.

int sim_run(int argc, char **argv);
int sim_flow(int argc, char **argv);
int sim_packet(int argc, char **argv);
int sim_transfer(int argc, char **argv);
int sim_job(int argc, char **argv);
int sim_replay(int argc, char **argv);
int sim_check_scheme(int argc, char **argv);
int sim_theory(int argc, char **argv);
int sim_ctmc(int argc, char **argv);
