// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/stats_lookup.h"

#include <string.h>
#include <unistd.h>

#include <rte_version.h>

#include "core/counters.h"

static json_t *list_commands(const char *parameter, void *service);
static json_t *help(const char *parameter, void *service);
static json_t *greet(const char *parameter, void *service);

static const struct drb_stats_command own[] = {
	{"/", "All commands", .reply = list_commands},
	{"/help", "What a command replies. Parameter: the command", .reply = help},
	{"/info", "The greeting: versions, process, longest reply", .reply = greet},
};
#define OWN (sizeof(own) / sizeof(own[0]))

static const struct drb_stats_command *command_at(const struct drb_stats_service *s, size_t i)
{
	return i < OWN ? &own[i] : i - OWN < s->count ? &s->commands[i - OWN] : NULL;
}

static json_t *list_commands(const char *parameter, void *service)
{
	const struct drb_stats_command *c;
	json_t *list = json_array();

	(void)parameter;
	for (size_t i = 0; (c = command_at(service, i)); i++)
		json_array_append_new(list, json_string(c->path));
	return list;
}

static json_t *help(const char *parameter, void *service)
{
	const struct drb_stats_command *c;

	for (size_t i = 0; parameter && (c = command_at(service, i)); i++) {
		if (strcmp(c->path, parameter) == 0)
			return json_pack("{s:s}", c->path, c->help);
	}
	return NULL;
}

json_t *drb_stats_greeting(void)
{
	return json_pack("{s:s, s:i, s:i, s:s, s:i}", "version", rte_version(), "pid",
			 (int)getpid(), "max_output_len", DRB_STATS_REPLY_MAX, "drbswitch",
			 DRB_VERSION, "format", DRB_STATS_FORMAT);
}

static json_t *greet(const char *parameter, void *service)
{
	(void)parameter, (void)service;
	return drb_stats_greeting();
}

const struct drb_stats_command *drb_stats_find(const struct drb_stats_service *s,
					       const char *request)
{
	const size_t length = strcspn(request, ",");
	const struct drb_stats_command *c;

	for (size_t i = 0; (c = command_at(s, i)); i++) {
		if (strncmp(c->path, request, length) == 0 && !c->path[length])
			return c;
	}
	return NULL;
}

json_t *drb_stats_value(const struct drb_stats_service *s, const struct drb_stats_command *command,
			const char *parameter)
{
	const bool is_own = command >= own && command < own + OWN;

	return command ? command->reply(parameter, is_own ? (void *)s : s->context) : NULL;
}
