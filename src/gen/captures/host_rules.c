// SPDX-License-Identifier: BSD-3-Clause
#include "gen/captures/host_rules.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/file.h"
#include "common/cli/log.h"
#include "common/cli/quantity.h"
#include "core/fabric/names.h"

#define BLANKS " \t\r\n"

static bool parse_network(char *text, struct host_rule *rule)
{
	char *slash = strchr(text, '/');
	struct ipframe_address *a = &rule->network;

	if (slash)
		*slash = '\0';
	*a = (struct ipframe_address){.size = 4};
	if (inet_pton(AF_INET, text, a->bytes) != 1) {
		a->size = 16;
		if (inet_pton(AF_INET6, text, a->bytes) != 1)
			return false;
	}
	rule->length = 8U * a->size;
	return !slash || drb_parse_u32(slash + 1, 0, 8U * a->size, &rule->length) == 0;
}

static bool parse_host(const char *text, uint32_t hosts, uint32_t *host)
{
	uint32_t layer;

	return drb_node_parse(text, &layer, host) == 0 && layer == 0 && *host < hosts;
}

static bool fits(const struct host_rule *rule, const struct ipframe_address *a)
{
	uint32_t octets = rule->length / 8, bits = rule->length % 8;

	if (rule->network.size != a->size || memcmp(rule->network.bytes, a->bytes, octets) != 0)
		return false;
	return bits == 0 || (rule->network.bytes[octets] ^ a->bytes[octets]) >> (8 - bits) == 0;
}

static bool is_same_network(const struct host_rule *a, const struct host_rule *b)
{
	return a->length == b->length && fits(a, &b->network);
}

static int parse_line(struct host_rules *rules, char *line, const char *path, unsigned number)
{
	struct host_rule rule = {0};
	char *comment = strchr(line, '#'), *rest;

	if (comment)
		*comment = '\0';
	char *address = strtok_r(line, BLANKS, &rest), *host = strtok_r(NULL, BLANKS, &rest);
	if (!address)
		return 0;
	if (!host || strtok_r(NULL, BLANKS, &rest) || !parse_network(address, &rule)) {
		drb_error("%s:%u: must be an address or network and a host, such as 192.168.1.7 h4",
			  path, number);
		return -EINVAL;
	}
	if (!parse_host(host, rules->plan.hosts, &rule.host)) {
		drb_error("%s:%u: \"%s\" is no host: must be h0 to h%u", path, number, host,
			  rules->plan.hosts - 1);
		return -EINVAL;
	}
	for (uint32_t i = 0; i < rules->count; i++) {
		if (is_same_network(&rules->rule[i], &rule)) {
			drb_error("%s:%u: this network is in line %u already", path, number,
				  rules->rule[i].line);
			return -EINVAL;
		}
	}
	rule.line = number;
	struct host_rule *more = realloc(rules->rule, (rules->count + 1) * sizeof(*more));
	if (!more) {
		drb_error("%s:%u: out of memory", path, number);
		return -EINVAL;
	}
	rules->rule = more;
	rules->rule[rules->count++] = rule;
	return 0;
}

int host_rules_load(struct host_rules *rules, const char *path)
{
	FILE *in = drb_file_read(path);
	char *line = NULL;
	size_t room = 0;
	int rc = 0;

	if (!in) {
		drb_error("%s: %s", path, strerror(errno));
		return -EINVAL;
	}
	errno = 0;
	for (unsigned number = 1; rc == 0 && getline(&line, &room, in) >= 0; number++)
		rc = parse_line(rules, line, drb_file_name(path), number);
	if (rc == 0 && ferror(in)) {
		drb_error("%s: %s", path, drb_file_error(errno));
		rc = -EINVAL;
	}
	free(line);
	fclose(in);
	return rc;
}

void host_rules_free(struct host_rules *rules)
{
	free(rules->rule);
	rules->rule = NULL;
	rules->count = 0;
}

void host_rules_warn_unused(const struct host_rules *rules, const char *path)
{
	uint32_t unused = 0, first = 0;

	for (uint32_t i = 0; i < rules->count; i++) {
		first = unused || rules->rule[i].used ? first : rules->rule[i].line;
		unused += !rules->rule[i].used;
	}
	if (unused)
		drb_warn("%s:%u: no address of the capture is counted to this network%s", path,
			 first,
			 unused == 1              ? ""
			 : unused == rules->count ? ", nor to that of any line"
						  : ", nor to those of some lines below");
}

uint32_t host_rules_host(const struct host_rules *rules, const struct ipframe_address *address)
{
	uint32_t ipv4;

	struct host_rule *longest = NULL;
	for (uint32_t i = 0; i < rules->count; i++) {
		struct host_rule *rule = &rules->rule[i];
		if (fits(rule, address) && (!longest || rule->length > longest->length))
			longest = rule;
	}
	if (longest) {
		longest->used = true;
		return longest->host;
	}
	if (address->size != 4)
		return drb_addr_of_ipv6(&rules->plan, address->bytes);
	memcpy(&ipv4, address->bytes, sizeof(ipv4));
	return drb_addr_of_ipv4(&rules->plan, be32toh(ipv4));
}
