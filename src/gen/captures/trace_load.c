// SPDX-License-Identifier: BSD-3-Clause
#include "gen/captures/trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <pcap/pcap.h>

#include "common/cli/log.h"

#define ETHER_FRAME_MIN 60 // without FCS
// Seconds that a time stamp may have, so that differences in ns fit 64 bits.
#define SECONDS_MAX 4000000000

// Opens an Ethernet capture; NULL after a message.
static pcap_t *open_capture(const char *path)
{
	char error[PCAP_ERRBUF_SIZE];
	FILE *in = fopen(path, "re");

	if (!in) {
		drb_error("%s: %s", path, strerror(errno));
		return NULL;
	}
	pcap_t *p = pcap_fopen_offline_with_tstamp_precision(in, PCAP_TSTAMP_PRECISION_NANO, error);
	if (!p) {
		drb_error("%s: not a readable capture: %s", path, error);
		fclose(in);
		return NULL;
	}
	if (pcap_datalink(p) != DLT_EN10MB) {
		const char *name = pcap_datalink_val_to_name(pcap_datalink(p));
		drb_error("%s: link type %s (%d): only Ethernet captures (EN10MB) can be replayed",
			  path, name ? name : "unknown", pcap_datalink(p));
		pcap_close(p);
		return NULL;
	}
	return p;
}

// Appends one record; 0 or what is wrong with it.
static const char *add_record(struct trace *t, const struct pcap_pkthdr *hdr, const uint8_t *data,
			      uint32_t number)
{
	int64_t seconds = hdr->ts.tv_sec;
	int64_t ns = hdr->ts.tv_usec; // in nanoseconds, as asked for

	if (seconds < -SECONDS_MAX || seconds > SECONDS_MAX || ns < 0 || ns >= 1000000000)
		return "time stamp out of range";
	uint32_t size = hdr->len > hdr->caplen ? hdr->len : hdr->caplen;
	// Captures taken where a frame was sent miss the padding that the wire adds.
	if (size < ETHER_FRAME_MIN)
		size = ETHER_FRAME_MIN;
	struct trace_packet *p = trace_add(t, seconds * 1000000000 + ns, data, hdr->caplen, size);
	if (!p)
		return "out of memory";
	p->number = number;
	return NULL;
}

int trace_load(struct trace *t, const char *path)
{
	pcap_t *p = open_capture(path);
	const char *wrong = NULL;
	uint32_t number = 0;
	int rc;

	if (!p)
		return -EINVAL;
	for (;;) {
		struct pcap_pkthdr *hdr;
		const uint8_t *data;
		number++;
		rc = pcap_next_ex(p, &hdr, &data);
		if (rc != 1)
			break;
		wrong = add_record(t, hdr, data, number);
		if (wrong)
			break;
	}
	// PCAP_ERROR_BREAK is the end of the file.
	if (!wrong && rc != PCAP_ERROR_BREAK)
		wrong = pcap_geterr(p);
	if (wrong)
		drb_error("%s: packet %u: %s", path, number, wrong);
	pcap_close(p);
	return wrong ? -EINVAL : 0;
}
