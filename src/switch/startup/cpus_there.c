// SPDX-License-Identifier: BSD-3-Clause
// EAL asks sysfs in which of 32 NUMA nodes each of 128 possible CPUs is: 4096 calls of access(), half of the CPU time
// that a switch takes to start. The linker has it ask here first (--wrap): CPUs beyond those of the machine are in none.
#include <unistd.h>

// Of DPDK (eal_private.h).
unsigned __real_eal_cpu_socket_id(unsigned cpu);
unsigned __wrap_eal_cpu_socket_id(unsigned cpu);

// Only the thread that starts EAL asks.
unsigned __wrap_eal_cpu_socket_id(unsigned cpu)
{
	const long possible = sysconf(_SC_NPROCESSORS_CONF);

	return possible < 0 || cpu < possible ? __real_eal_cpu_socket_id(cpu) : 0;
}
