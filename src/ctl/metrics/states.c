// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/metrics/states.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/cli/text.h"
#include "ctl/metrics/poll.h"

const char *ctl_state_word(enum ctl_state state)
{
	static const char *const words[] = {
#define X(word, severity, meaning) #word,
		CTL_STATES(X)
#undef X
	};

	return words[state];
}

const char *ctl_state_of(const struct drb_switch_info *info)
{
	if (info->stuck == 1)
		return ctl_state_word(CTL_STATE_stuck);
	if (info->ready == DRB_UNKNOWN)
		return NULL;
	return ctl_state_word(info->ready ? CTL_STATE_running : CTL_STATE_starting);
}

enum ctl_severity ctl_state_severity(enum ctl_state state)
{
	static const enum ctl_severity severities[] = {
#define X(word, severity, meaning) CTL_##severity,
		CTL_STATES(X)
#undef X
	};

	return severities[state];
}

bool ctl_port_stands_out(const struct drb_switch_port *port)
{
	return port->usable == 0 && !strstr(port->state, "drained");
}

static bool begins_with(const char *text, const char *begin)
{
	return strncmp(text, begin, strlen(begin)) == 0;
}

// The state of a switch that forwards, by its links to other switches.
static enum ctl_state state_by_links(const struct drb_switch_all *all)
{
	uint32_t links = 0, dead = 0, drained = 0;

	for (uint32_t i = 0; i < all->port_count; i++) {
		const struct drb_switch_port *p = &all->ports[i];
		if (p->peer[0] != 's')
			continue;
		links++;
		dead += p->usable == 0 && !begins_with(p->state, "drained");
		drained += begins_with(p->state, "drained");
	}
	if (links == 0 || dead + drained < links)
		return CTL_STATE_running;
	return drained ? CTL_STATE_drained : CTL_STATE_cut;
}

static enum ctl_state state_of(const struct metrics_switch *s)
{
	const bool stopped = s->record == METRICS_STOPPED;

	switch (s->error) {
	case 0:
		return state_by_links(&s->all);
	case -EAGAIN:
		return CTL_STATE_starting;
	case -EIO:
		return CTL_STATE_stuck;
	case -ETIMEDOUT:
		return *s->all.info.name ? CTL_STATE_slow
		       : stopped         ? CTL_STATE_stopped
					 : CTL_STATE_hung;
	case -ENOENT: // the switch removed its socket, as whenever it exits by itself
		return s->record == METRICS_STARTED ? CTL_STATE_dead : CTL_STATE_stopped;
	case -ECONNREFUSED:
		return stopped ? CTL_STATE_stopped : CTL_STATE_dead;
	default:
		return stopped ? CTL_STATE_stopped : CTL_STATE_unknown;
	}
}

// Returns the time when the last of a switch's neighbours lost it, on CLOCK_MONOTONIC of the
// neighbour. 0: unknown.
static uint64_t missed_since(const struct metrics_poll *poll, const struct metrics_switch *who)
{
	char begin[DRB_NAME_MAX + 1];
	uint64_t since_ns = 0;

	snprintf(begin, sizeof(begin), "%s.", who->name);
	for (size_t i = 0; i < poll->count; i++) {
		const struct metrics_switch *s = &poll->switches[i];
		if (strcmp(s->fabric, who->fabric) != 0)
			continue;
		for (uint32_t k = 0; k < s->all.port_count; k++) {
			const struct drb_switch_port *p = &s->all.ports[k];
			if (begins_with(p->peer, begin) && strcmp(p->state, "down") == 0 &&
			    p->since_ns != DRB_UNKNOWN && p->since_ns > since_ns)
				since_ns = p->since_ns;
		}
	}
	return since_ns;
}

void ctl_states_find(struct metrics_poll *poll)
{
	for (size_t i = 0; i < poll->count; i++) {
		struct metrics_switch *s = &poll->switches[i];
		s->state = state_of(s);
		if (s->state != CTL_STATE_dead && s->state != CTL_STATE_hung)
			continue;
		const uint64_t since_ns = missed_since(poll, s);
		if (since_ns > 0 && since_ns < poll->time_ns)
			s->since_ms = poll->unix_ms - (poll->time_ns - since_ns) / 1000000;
	}
}

void ctl_state_how(const struct metrics_switch *s, char text[CTL_STATE_HOW_MAX])
{
	const time_t seconds = (time_t)(s->since_ms / 1000);
	struct tm local;

	*text = '\0';
	if (s->state == CTL_STATE_dead)
		drb_text_add(text, CTL_STATE_HOW_MAX, "%s",
			     s->error == -ENOENT ? "ended" : "killed");
	else if (s->state == CTL_STATE_hung)
		drb_text_add(text, CTL_STATE_HOW_MAX, "answers nothing");
	if (*text && s->since_ms && localtime_r(&seconds, &local))
		drb_text_add(text, CTL_STATE_HOW_MAX, " %s %02d:%02d:%02d",
			     s->state == CTL_STATE_dead ? "at" : "since", local.tm_hour,
			     local.tm_min, local.tm_sec);
}

bool ctl_states_count(const struct metrics_poll *poll, char text[CTL_STATES_TEXT_MAX])
{
	size_t count[CTL_STATE_COUNT] = {0};
	const char *between = ":";
	bool bad = false;

	for (size_t i = 0; i < poll->count; i++)
		count[poll->switches[i].state]++;
	snprintf(text, CTL_STATES_TEXT_MAX, "%zu switch%s", poll->count,
		 poll->count == 1 ? "" : "es");
	for (int state = 0; state < CTL_STATE_COUNT; state++) {
		if (!count[state])
			continue;
		drb_text_add(text, CTL_STATES_TEXT_MAX, "%s %zu %s", between, count[state],
			     ctl_state_word((enum ctl_state)state));
		between = ",";
		bad |= ctl_state_is_bad((enum ctl_state)state);
	}
	return bad;
}
