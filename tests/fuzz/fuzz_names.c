// SPDX-License-Identifier: BSD-3-Clause
// Names and quantities: an accepted text is written and read back as the same.
#include "fuzz.h"

#include "core/fabric/addresses.h"
#include "core/fabric/names.h"

#include "common/cli/quantity.h"

static void names(const char *text)
{
	char again[DRB_NAME_MAX], fabric[DRB_FABRIC_MAX + 1];
	uint32_t layer, label, port;
	bool up;

	if (drb_node_parse(text, &layer, &label) == 0) {
		drb_node_name(again, layer, label);
		require(strcmp(again, text) == 0);
	}
	if (drb_port_parse(text, &up, &port) == 0) {
		drb_port_name(again, up, port);
		require(strcmp(again, text) == 0);
	}
	if (drb_instance_parse(text, fabric, &layer, &label) == 0) {
		require(drb_fabric_name_ok(fabric));
		drb_instance_name(again, fabric, layer, label);
		require(strcmp(again, text) == 0);
	}
	if (drb_fabric_name_ok(text)) {
		uint32_t got_layer, got_label;
		drb_instance_name(again, text, 16, UINT32_MAX);
		require(drb_instance_parse(again, fabric, &got_layer, &got_label) == 0);
		require(strcmp(fabric, text) == 0 && got_layer == 16 && got_label == UINT32_MAX);
	}
}

static void quantities(const char *text)
{
	struct drb_rate rate, again;
	struct drb_reals list;
	uint64_t number;
	double real;
	char buf[64];

	if (drb_parse_rate(text, &rate) == 0) {
		drb_format_rate(&rate, buf, sizeof(buf));
		require(drb_parse_rate(buf, &again) == 0);
		require(again.value == rate.value && again.per_packet == rate.per_packet);
	}
	if (drb_parse_time(text, &number) == 0)
		require(number <= UINT64_C(1000000000000000000));
	if (drb_parse_u64(text, 3, 1000, &number) == 0)
		require(number >= 3 && number <= 1000);
	if (drb_parse_real(text, -1, 50, &real) == 0)
		require(real >= -1 && real <= 50);
	if (drb_parse_reals(text, 0, 1e6, &list) == 0) {
		require(list.count > 0);
		for (size_t i = 0; i < list.count; i++)
			require(list.value[i] >= 0 && list.value[i] <= 1e6);
		free(list.value);
	}
}

static void addresses(const char *text)
{
	struct drb_addr_plan plan = drb_addr_default(100), before = plan;
	uint8_t address[16];

	bool taken = drb_addr_set_mac(&plan, text) == 0;
	taken |= drb_addr_set_ipv4(&plan, text) == 0;
	taken |= drb_addr_set_ipv6(&plan, text) == 0;
	if (!taken)
		require(memcmp(&plan, &before, sizeof(plan)) == 0);
	if (!drb_addr_fits(&plan))
		return;
	drb_addr_ipv6(&plan, 99, address);
	require(drb_addr_of_ipv6(&plan, address) == 99);
	require(drb_addr_of_ipv4(&plan, drb_addr_ipv4(&plan, 99)) == 99);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size > 300)
		return 0;
	text = malloc(size + 1);
	require(text);
	memcpy(text, data, size);
	text[size] = '\0';
	names(text);
	quantities(text);
	addresses(text);
	free(text);
	return 0;
}
