// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a list of transfers, in any of the formats. They are refused with a reason, or give
// transfers of hosts that wait for transfers of the list. In our own format they wait only for
// earlier ones.
#include "fuzz.h"

#include <stdio.h>

#include "sim/flows/list.h"

#define HOSTS 16

static void check(const struct drb_list *list, uint32_t i)
{
	const struct drb_listed *t = &list->transfer[i];

	require(t->source < HOSTS && t->dest < HOSTS);
	require(t->source == t->dest || t->size >= 1);
	require(t->slot <= DRB_LIST_MAX && t->size <= DRB_LIST_MAX);
	require(t->after_sent == DRB_LIST_NONE ||
		(t->after_sent < i && list->transfer[t->after_sent].source == t->source));
	require(t->after_arrived == DRB_LIST_NONE ||
		(t->after_arrived < i && list->transfer[t->after_arrived].dest == t->source));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct drb_list_scale scale = {HOSTS, 1000, 10};
	char error[DRB_LIST_ERROR_MAX] = "";
	struct drb_list list;
	FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	if (!in)
		return 0;
	int rc = drb_list_read("list", in, &scale, &list, error);
	fclose(in);
	if (rc < 0) {
		require(*error && memchr(error, '\0', sizeof(error)) && !list.transfer);
		return 0;
	}
	require(list.count > 0);
	for (uint32_t i = 0; i < list.count; i++)
		check(&list, i);
	for (uint32_t i = 0; i < list.waits; i++)
		require(list.wait[i].place < list.count && list.wait[i].of < list.count &&
			list.wait[i].event < DRB_LIST_EVENTS);
	drb_list_free(&list);
	return 0;
}
