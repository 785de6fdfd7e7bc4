// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a list of transfers: refused with a reason, or transfers of which each waits for earlier ones only.
#include "fuzz.h"

#include <stdio.h>

#include "sim/flows/list.h"

#define HOSTS 16

static void check(const struct drb_list *list, uint32_t i)
{
	const struct drb_listed *t = &list->transfer[i];

	require(t->source < HOSTS && t->dest < HOSTS && t->source != t->dest && t->size >= 1);
	require(i == 0 || t->slot >= list->transfer[i - 1].slot);
	require(t->after_sent == DRB_LIST_NONE ||
		(t->after_sent < i && list->transfer[t->after_sent].source == t->source));
	require(t->after_arrived == DRB_LIST_NONE ||
		(t->after_arrived < i && list->transfer[t->after_arrived].dest == t->source));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[DRB_LIST_ERROR_MAX] = "";
	struct drb_list list;
	FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	if (!in)
		return 0;
	int rc = drb_list_read("list", in, HOSTS, &list, error);
	fclose(in);
	if (rc < 0) {
		require(*error && memchr(error, '\0', sizeof(error)) && !list.transfer);
		return 0;
	}
	require(list.count > 0);
	for (uint32_t i = 0; i < list.count; i++)
		check(&list, i);
	drb_list_free(&list);
	return 0;
}
