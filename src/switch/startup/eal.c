// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/eal.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/sysinfo.h>

#include <linux/capability.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <rte_mbuf.h>

#ifdef DRB_BPF
#include <bpf/libbpf.h>
#endif

#include "common/config/complaint.h"
#include "common/cli/log.h"
#include "switch/ports/packet_pool.h"
#include "switch/ports/port_set.h"
#include "switch/startup/privilege.h"

#define ARGS_MAX (24 + 2 * DRB_PORTS_MAX)
#define PAGE 4096
#define BESIDES_MB 16
#define BESIDES_LEAST_MB 8 // without devices of DPDK
#define HUGEPAGE_KB 2048
#define HUGEPAGE_MAX_KB 1048576

struct arguments {
	int count;
	char *value[ARGS_MAX];
	char text[ARGS_MAX][sizeof(((struct drb_port_setup *)0)->device)];
};

__attribute__((format(printf, 2, 3))) static void add(struct arguments *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(a->text[a->count], sizeof(a->text[0]), fmt, ap);
	va_end(ap);
	a->value[a->count] = a->text[a->count];
	a->count++;
}

uint32_t drb_eal_memory_mb(const struct drb_setup *setup, bool hugepages)
{
	const bool all = hugepages || drb_ports_driven(setup);
	// Each mbuf takes at least a small page, because without hugepages no shorter object may
	// cross a page. BESIDES_MB are for rings, devices and the log.
	const uint64_t mbuf =
		sizeof(struct rte_mbuf) + drb_packet_room(setup) + 2 * RTE_CACHE_LINE_SIZE;
	const uint64_t mbufs = drb_ports_lent(setup) + (all ? drb_ports_buffers(setup) : 0);
	const uint64_t bytes = mbufs * (mbuf < PAGE ? PAGE : mbuf);

	if (setup->memory_mb)
		return setup->memory_mb;
	return (uint32_t)(bytes >> 20) + (all ? BESIDES_MB : BESIDES_LEAST_MB);
}

// Writes the CPUs that this process may run on as an EAL list, such as "0-1,4".
static void allowed_cpus(char *list, size_t size)
{
	cpu_set_t set;
	size_t len = 0;

	snprintf(list, size, "0");
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE && len + 16 < size; cpu++) {
		int last = cpu;
		if (!CPU_ISSET(cpu, &set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set))
			last++;
		len += (size_t)snprintf(list + len, size - len, last > cpu ? "%s%d-%d" : "%s%d",
					len ? "," : "", cpu, last);
		cpu = last;
	}
}

// Parses a list such as "0-1,4". The config's parser has checked its form.
static cpu_set_t cpus_of(const char *list)
{
	unsigned from, to;
	cpu_set_t set;
	int len;

	CPU_ZERO(&set);
	while (sscanf(list, "%u%n", &from, &len) == 1) {
		list += len;
		to = from;
		if (sscanf(list, "-%u%n", &to, &len) == 1)
			list += len;
		for (; from <= to && from < CPU_SETSIZE; from++)
			CPU_SET(from, &set);
		list += *list == ',';
	}
	return set;
}

int drb_eal_check(const char *path, const struct drb_setup *setup)
{
	char now[96];
	cpu_set_t before, wanted = cpus_of(setup->cpus), got;
	bool fits;

	if (!*setup->cpus || sched_getaffinity(0, sizeof(before), &before) < 0)
		return 0;
	// Only the kernel knows whether they exist and may be used, so try to run on them.
	fits = sched_setaffinity(0, sizeof(wanted), &wanted) == 0 &&
	       sched_getaffinity(0, sizeof(got), &got) == 0 && CPU_EQUAL(&got, &wanted);
	sched_setaffinity(0, sizeof(before), &before);
	if (fits)
		return 0;
	allowed_cpus(now, sizeof(now));
	return drb_config_bad(path, "process.cpus", "\"%s\": this process may run on CPUs %s only",
			      setup->cpus, now);
}

static unsigned long read_number(const char *path)
{
	unsigned long value = 0;
	FILE *f = fopen(path, "r");

	if (f && fscanf(f, "%lu", &value) != 1)
		value = 0;
	if (f)
		fclose(f);
	return value;
}

// True if this process may lock any number of pages: CAP_IPC_LOCK in the initial user namespace.
static bool may_lock_pages(void)
{
	unsigned long inside, outside, count;
	bool whole = false;
	FILE *f = fopen("/proc/self/uid_map", "r");

	if (f && fscanf(f, "%lu %lu %lu", &inside, &outside, &count) == 3)
		whole = inside == 0 && outside == 0 && count == 4294967295ul;
	if (f)
		fclose(f);
	return whole && drb_privilege_has(CAP_IPC_LOCK);
}

// Returns the MiB of free hugepages of this size.
static uint64_t free_huge_mb(unsigned long page_kb)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/hugepages-%lukB/free_hugepages",
		 page_kb);
	return (uint64_t)read_number(path) * page_kb / 1024;
}

static bool use_hugepages(const struct drb_setup *setup, uint32_t memory_mb)
{
	if (setup->hugepages != DRB_HUGEPAGES_AUTO)
		return setup->hugepages == DRB_HUGEPAGES_YES;
	return may_lock_pages() && free_huge_mb(HUGEPAGE_KB) >= memory_mb;
}

// Returns the MiB of memory and swap, free or not.
static uint64_t memory_of_machine_mb(void)
{
	struct sysinfo is;

	return sysinfo(&is) < 0 ? UINT64_MAX
				: ((uint64_t)is.totalram + is.totalswap) * is.mem_unit >> 20;
}

int drb_eal_check_memory(const char *path, const struct drb_setup *setup, uint32_t memory_mb)
{
	const uint64_t mb = free_huge_mb(HUGEPAGE_KB) + free_huge_mb(HUGEPAGE_MAX_KB);
	const uint64_t all = memory_of_machine_mb();

	// DPDK would try for many seconds.
	if (memory_mb > all)
		return drb_config_bad(path, "process.memory",
				      "%u MiB are needed and this machine has %" PRIu64 " MiB: "
				      "less in link.queue and process.memory",
				      memory_mb, all);
	if (setup->hugepages != DRB_HUGEPAGES_YES || mb >= memory_mb)
		return 0;
	return drb_config_bad(path, "process.hugepages",
			      "%u MiB are needed and %" PRIu64 " MiB of hugepages are free: "
			      "dpdk-hugepages.py --setup %uM, or less in link.queue and "
			      "process.memory",
			      memory_mb, mb, (memory_mb + 1) / 2 * 2);
}

// Silences libbpf. The switch reports an error of an XDP program in one line instead.
static void quieten_bpf(void)
{
#ifdef DRB_BPF
	libbpf_set_print(NULL);
#endif
}

// True for errors that DPDK reports about cards that work: cards without MSI-X have other
// interrupts.
static bool is_harmless(const char *text, size_t length)
{
	static const char *const said[] = {"Error enabling MSI-X interrupts",
					   "Error disabling MSI-X interrupts"};

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		if (memmem(text, length, said[i], strlen(said[i])))
			return true;
	}
	return false;
}

// Passes DPDK's log on to the switch's own. DPDK itself would write to standard error and to
// syslog, and the calling thread would wait for both.
static ssize_t dpdk_log_write(void *cookie, const char *text, size_t length)
{
	int level = rte_log_cur_msg_loglevel();

	(void)cookie;
	if (is_harmless(text, length))
		level = (int)RTE_LOG_DEBUG;
	drb_log_text(level <= (int)RTE_LOG_ERR       ? DRB_LOG_ERROR
		     : level == (int)RTE_LOG_WARNING ? DRB_LOG_WARNING
						     : DRB_LOG_DEBUG,
		     "(of DPDK)", text, length);
	return (ssize_t)length;
}

static void take_log(void)
{
	FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = dpdk_log_write});

	if (!stream)
		return;
	setvbuf(stream, NULL, _IOLBF, BUFSIZ);
	rte_openlog_stream(stream);
}

// The first lcore is the control thread, which may run on all CPUs. The next ones are workers. Each
// worker gets a CPU of its own if the config names enough CPUs. Otherwise every worker may run on
// every allowed CPU.
static void add_lcores(struct arguments *a, const struct drb_setup *setup, const char *cpus)
{
	cpu_set_t set = cpus_of(cpus);
	char list[sizeof(setup->cpus) + DRB_WORKERS_MAX * 12];
	int cpu = -1;

	if (!*setup->cpus || setup->workers == 1 || CPU_COUNT(&set) < (int)setup->workers) {
		add(a, "--lcores=(0-%u)@(%s)", setup->workers, cpus);
		return;
	}
	size_t len = (size_t)snprintf(list, sizeof(list), "0@(%s)", cpus);
	for (uint32_t n = 0; n < setup->workers; n++) {
		while (!CPU_ISSET(++cpu, &set))
			;
		len += (size_t)snprintf(list + len, sizeof(list) - len, ",%u@%d", n + 1, cpu);
	}
	add(a, "--lcores=%s", list);
}

int drb_eal_init(const struct drb_setup *setup, bool verbose)
{
	const bool huge = use_hugepages(setup, drb_eal_memory_mb(setup, true));
	static struct arguments a;
	char cpus[96];
	bool pci = false;
	int rc;

	take_log();
	if (*setup->cpus)
		snprintf(cpus, sizeof(cpus), "%s", setup->cpus);
	else
		allowed_cpus(cpus, sizeof(cpus));
	add(&a, "%s", program_invocation_short_name);
	add(&a, "--file-prefix=%s", setup->instance);
	add_lcores(&a, setup, cpus);
	add(&a, "--iova-mode=va");
	add(&a, "--no-telemetry"); // the stats socket is our own
	add(&a, "--log-level=%s", verbose ? "*:info" : "*:error");
	if (!verbose)
		quieten_bpf();
	add(&a, "-m");
	add(&a, "%u", drb_eal_memory_mb(setup, huge));
	// Without hugepages DPDK refuses --in-memory. --no-shconf then also avoids files.
	if (huge) {
		add(&a, "--in-memory");
	} else {
		add(&a, "--no-huge");
		add(&a, "--no-shconf");
	}
	for (uint32_t i = 0; i < setup->down_ports + setup->up_ports; i++) {
		const struct drb_port_kind *kind = drb_port_kind_of(setup->ports[i].driver);
		if (!kind || !kind->card)
			continue;
		add(&a, "-a");
		add(&a, "%s", setup->ports[i].device);
		pci = true;
	}
	if (!pci)
		add(&a, "--no-pci");
	rc = rte_eal_init(a.count, a.value);
	if (rc < 0) {
		rc = -rte_errno;
		drb_error("DPDK did not start: %s (-v shows its log)", rte_strerror(-rc));
		return rc;
	}
	return 0;
}

void drb_eal_free(void)
{
	rte_eal_cleanup();
}
