// SPDX-License-Identifier: BSD-3-Clause
#include "common/config/forms.h"

#include <assert.h>
#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/links/hello.h"

#include "common/config/config.h"

#define HELLO_MIN_NS 10000000
#define NS_PER_MS UINT64_C(1000000)

// keys.def states these lengths and times.
static_assert(DRB_FABRIC_MAX == 24, "fabric.name");
static_assert(DRB_HELLO_PERIOD_MAX_MS == 60 * 1000, "link.hello");

void drb_put_text(char *to, size_t size, const char *text)
{
	memset(to, 0, size);
	snprintf(to, size, "%s", text);
}

bool drb_form_fabric(const char *text, void *setup)
{
	struct drb_setup *s = setup;

	if (!drb_fabric_name_ok(text))
		return false;
	drb_put_text(s->fabric, sizeof(s->fabric), text);
	return true;
}

bool drb_form_mac(const char *text, void *setup)
{
	return drb_addr_set_mac(&((struct drb_setup *)setup)->addr, text) == 0;
}

bool drb_form_ipv4(const char *text, void *setup)
{
	return drb_addr_set_ipv4(&((struct drb_setup *)setup)->addr, text) == 0;
}

bool drb_form_ipv6(const char *text, void *setup)
{
	return drb_addr_set_ipv6(&((struct drb_setup *)setup)->addr, text) == 0;
}

bool drb_form_threshold(const char *text, void *setup)
{
	struct drb_setup *s = setup;

	s->threshold_auto = strcmp(text, DRB_THRESHOLD_AUTO) == 0;
	return s->threshold_auto || drb_parse_real(text, 0, DRB_LOAD_MAX, &s->threshold) == 0;
}

// True for a list of CPU numbers and ranges in the form of EAL: "2", "0-3,8".
static bool is_cpu_list(const char *text)
{
	for (;;) {
		unsigned from, to;
		int len = 0;
		if (!isdigit((unsigned char)*text) || sscanf(text, "%4u%n", &from, &len) != 1)
			return false;
		text += len;
		to = from;
		if (text[0] == '-') {
			if (!isdigit((unsigned char)text[1]) ||
			    sscanf(text, "-%4u%n", &to, &len) != 1)
				return false;
			text += len;
		}
		if (to < from || to >= CPU_SETSIZE || (*text != ',' && *text != '\0'))
			return false;
		if (*text++ == '\0')
			return true;
	}
}

bool drb_form_cpus(const char *text, void *setup)
{
	struct drb_setup *s = setup;

	if (strlen(text) >= sizeof(s->cpus) || !is_cpu_list(text))
		return false;
	drb_put_text(s->cpus, sizeof(s->cpus), text);
	return true;
}

bool drb_form_rate(const char *text, void *port)
{
	struct drb_port_setup *p = port;

	p->rate_given = true;
	p->link_rate = strcmp(text, DRB_RATE_LINK) == 0;
	if (!p->link_rate)
		return drb_parse_rate(text, &p->rate) == 0;
	p->rate = (struct drb_rate){0};
	return true;
}

bool drb_form_hello(const char *text, void *port)
{
	struct drb_port_setup *p = port;
	uint64_t ns = 0;

	if (strcmp(text, "off") != 0 &&
	    (drb_parse_time(text, &ns) < 0 || ns < HELLO_MIN_NS || ns % NS_PER_MS != 0 ||
	     ns > DRB_HELLO_PERIOD_MAX_MS * NS_PER_MS))
		return false;
	p->hello_ns = ns;
	return true;
}

bool drb_form_loss(const char *text, void *port)
{
	struct drb_port_setup *p = port;
	char *end;

	p->loss_limit = 0;
	if (strcmp(text, "off") == 0)
		return true;
	double percent = strtod(text, &end);
	if (end == text || strcmp(end, "%") != 0 || !(percent >= 0.1 && percent <= 100))
		return false;
	p->loss_limit = (uint32_t)(percent * 10000 + 0.5);
	return true;
}

bool drb_form_port(const char *text, void *port)
{
	struct drb_port_setup *p = port;
	uint32_t number;
	bool up;

	if (strlen(text) >= sizeof(p->name) || drb_port_parse(text, &up, &number) < 0)
		return false;
	drb_put_text(p->name, sizeof(p->name), text);
	return true;
}

const char *drb_words_unit(uint32_t i)
{
	static const char *const names[DRB_UNIT_COUNT] = {
		[DRB_UNIT_PACKET] = "packet",
		[DRB_UNIT_FLOW] = "flow",
		[DRB_UNIT_FLOWLET] = "flowlet",
	};

	return i < DRB_UNIT_COUNT ? names[i] : NULL;
}

const char *drb_words_check_source(uint32_t i)
{
	static const char *const names[] = {[DRB_CHECK_SOURCE_MAC] = "mac",
					    [DRB_CHECK_SOURCE_IP] = "ip",
					    [DRB_CHECK_SOURCE_OFF] = "off",
					    NULL};

	return names[i];
}

const char *drb_words_driver(uint32_t i)
{
	static const char *const names[DRB_DRIVER_COUNT] = {
		[DRB_DRIVER_AF_PACKET] = "af_packet",
		[DRB_DRIVER_AF_XDP] = "af_xdp",
		[DRB_DRIVER_MEMIF] = "memif",
		[DRB_DRIVER_VDEV] = "vdev",
		[DRB_DRIVER_PCI] = "pci",
		[DRB_DRIVER_NONE] = "none",
	};

	return i < DRB_DRIVER_COUNT ? names[i] : NULL;
}

const char *drb_words_occupancy(uint32_t i)
{
	static const char *const names[] = {
		[DRB_OCCUPANCY_QUEUE] = "queue", [DRB_OCCUPANCY_RING] = "ring", NULL};

	return names[i];
}

const char *drb_words_idle(uint32_t i)
{
	static const char *const names[] = {
		[DRB_IDLE_SLEEP] = "sleep", [DRB_IDLE_POLL] = "poll", NULL};

	return names[i];
}

const char *drb_words_hugepages(uint32_t i)
{
	static const char *const names[] = {[DRB_HUGEPAGES_AUTO] = "auto",
					    [DRB_HUGEPAGES_YES] = "yes",
					    [DRB_HUGEPAGES_NO] = "no",
					    NULL};

	return names[i];
}

const char *drb_unit_name(enum drb_unit unit)
{
	return drb_words_unit(unit);
}

const char *drb_driver_name(enum drb_driver driver)
{
	return drb_words_driver(driver);
}

const char *drb_occupancy_name(enum drb_occupancy occupancy)
{
	return drb_words_occupancy(occupancy);
}
