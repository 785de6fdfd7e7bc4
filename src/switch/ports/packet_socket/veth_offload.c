// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/veth_offload.h"

#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "switch/ports/interface.h"

bool drb_is_veth(const char *interface)
{
	struct ethtool_drvinfo driver = {.cmd = ETHTOOL_GDRVINFO};

	return drb_interface_ethtool(interface, &driver) && strcmp(driver.driver, "veth") == 0;
}

// Names of features are those of `ethtool -k`.
static bool concerns_tcp(const char *feature)
{
	return strncmp(feature, "tx-checksum-ip", 14) == 0 ||
	       strcmp(feature, "tx-tcp-segmentation") == 0 ||
	       strcmp(feature, "tx-tcp6-segmentation") == 0;
}

// Returns the number of features that the kernel knows; 0 on errors.
static uint32_t count_features(const char *interface)
{
	_Alignas(struct ethtool_sset_info) char room[sizeof(struct ethtool_sset_info) + 4] = {0};
	struct ethtool_sset_info *set = (void *)room;
	uint32_t count = 0;

	set->cmd = ETHTOOL_GSSET_INFO;
	set->sset_mask = 1u << ETH_SS_FEATURES;
	if (drb_interface_ethtool(interface, set) && set->sset_mask)
		memcpy(&count, room + sizeof(*set), sizeof(count));
	return count;
}

// Returns the names of all features, owned by the caller, and their number. NULL on errors.
static struct ethtool_gstrings *feature_names(const char *interface, uint32_t *count)
{
	struct ethtool_gstrings *names;

	*count = count_features(interface);
	if (*count == 0)
		return NULL;
	names = calloc(1, sizeof(*names) + (size_t)*count * ETH_GSTRING_LEN);
	if (!names)
		return NULL;
	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = ETH_SS_FEATURES;
	names->len = *count;
	if (drb_interface_ethtool(interface, names))
		return names;
	free(names);
	return NULL;
}

static bool all_off(const char *interface, const struct ethtool_gstrings *names, uint32_t count)
{
	uint32_t blocks = (count + 31) / 32;
	struct ethtool_gfeatures *now = calloc(1, sizeof(*now) + blocks * sizeof(now->features[0]));
	bool off = now;

	if (now) {
		now->cmd = ETHTOOL_GFEATURES;
		now->size = blocks;
		off = drb_interface_ethtool(interface, now);
	}
	for (uint32_t i = 0; off && i < count; i++) {
		const struct ethtool_get_features_block *b = &now->features[i / 32];
		const char *name = (const char *)names->data + (size_t)i * ETH_GSTRING_LEN;
		off = !concerns_tcp(name) || !((b->requested | b->active) >> i % 32 & 1);
	}
	free(now);
	return off;
}

uint32_t drb_veth_max_plain_frame(const char *interface)
{
	struct ethtool_gstrings *names = NULL;
	uint32_t count = 0, longest = 0;

	if (drb_is_veth(interface))
		names = feature_names(interface, &count);
	if (names && all_off(interface, names, count))
		longest = drb_interface_max_frame(interface);
	free(names);
	return longest;
}

bool drb_veth_takes_gso(const char *interface)
{
	struct ethtool_value tso = {.cmd = ETHTOOL_GTSO};

	return drb_is_veth(interface) && drb_interface_ethtool(interface, &tso) && tso.data;
}

uint32_t drb_interface_max_frame(const char *interface)
{
	const uint32_t mtu = drb_interface_mtu(interface);

	return mtu > 0 ? mtu + ETH_HLEN : 0;
}
