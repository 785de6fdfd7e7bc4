// SPDX-License-Identifier: BSD-3-Clause
// EAL asks sysfs in which of 32 NUMA nodes each of 128 possible CPUs is. These 4096 calls of
// access() take half of the CPU time of a switch's start. The linker replaces EAL's function by
// this one (--wrap), which does not ask for CPUs that the machine cannot have.
#include <unistd.h>

// From DPDK (eal_private.h).
unsigned __real_eal_cpu_socket_id(unsigned cpu);
unsigned __wrap_eal_cpu_socket_id(unsigned cpu);

// Called only by the thread that starts EAL.
unsigned __wrap_eal_cpu_socket_id(unsigned cpu)
{
	const long possible = sysconf(_SC_NPROCESSORS_CONF);

	return possible < 0 || cpu < possible ? __real_eal_cpu_socket_id(cpu) : 0;
}
