// SPDX-License-Identifier: BSD-3-Clause
#include "gen/sinks/sink.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/if_packet.h>
#include <pcap/pcap.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "gen/parallel.h"

// The kernel time-stamps arrivals, so the reader may read them later, and many at once. This pause
// limits how often the reader takes a core from the switches that the replay measures.
#define PAUSE_NS 2000000
#define EVENTS 64
#define STOP UINT32_MAX // epoll tag of the wake-up

struct sink_pcap {
	struct sink sink;
	struct sink_pcap_setup setup;
	pcap_t **handle; // [host]; NULL: the host is on another machine
	int epoll, wake;
	pthread_t thread;
	bool running;
	// CLOCK_MONOTONIC minus CLOCK_REALTIME; only for the reader thread.
	int64_t offset_ns;
	// The host whose handle is being read; only for the reader thread.
	uint32_t host;
	_Atomic uint64_t delivered; // written by the reader thread, read by main
	uint64_t *dropped;          // [host], filled in by stop()
};

static struct sink_pcap *self_of(struct sink *s)
{
	return (struct sink_pcap *)s;
}

static int fail(pcap_t *p, uint32_t host, const char *what)
{
	drb_error("h%u: cannot capture on the host's interface (%s): %s; it takes CAP_NET_RAW, and "
		  "the memory of --buffer",
		  host, what, pcap_geterr(p));
	return -EIO;
}

// Sets up a handle. Some settings must come before its activation and some after, in libpcap's
// order.
static int set_up(struct sink_pcap *s, pcap_t *p, uint32_t host)
{
	char error[PCAP_ERRBUF_SIZE];
	struct bpf_program filter;

	if (pcap_set_snaplen(p, (int)s->setup.snaplen) < 0 || pcap_set_immediate_mode(p, 1) < 0 ||
	    pcap_set_buffer_size(p, (int)s->setup.buffer_bytes) < 0)
		return fail(p, host, "options");
	if (pcap_set_tstamp_precision(p, PCAP_TSTAMP_PRECISION_NANO) != 0)
		return fail(p, host, "nanosecond time stamps");
	if (pcap_activate(p) < 0)
		return fail(p, host, "activation");
	if (pcap_setdirection(p, PCAP_D_IN) < 0)
		return fail(p, host, "direction");
	// libpcap drops outgoing packets itself, but only after they have filled the ring. The
	// kernel can keep these packets out of the ring.
	int on = 1;
	(void)setsockopt(pcap_fileno(p), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
	if (pcap_compile(p, &filter, s->setup.filter, 1, PCAP_NETMASK_UNKNOWN) < 0)
		return fail(p, host, "filter");
	int rc = pcap_setfilter(p, &filter);
	pcap_freecode(&filter);
	if (rc < 0)
		return fail(p, host, "filter");
	if (pcap_setnonblock(p, 1, error) < 0) {
		drb_error("h%u: cannot capture: %s", host, error);
		return -EIO;
	}
	return 0;
}

static int attach(struct sink *sink, uint32_t host)
{
	struct sink_pcap *s = self_of(sink);
	char error[PCAP_ERRBUF_SIZE];
	pcap_t *p = pcap_create(s->setup.interface, error);

	if (!p) {
		drb_error("h%u: cannot capture: %s", host, error);
		return -EIO;
	}
	s->handle[host] = p;
	int rc = set_up(s, p, host);
	if (rc < 0)
		return rc;
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = host};
	if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, pcap_get_selectable_fd(p), &event) < 0) {
		rc = -errno;
		drb_error("h%u: cannot wait for packets: %s", host, strerror(errno));
		return rc;
	}
	return 0;
}

static void take_frame(uint8_t *user, const struct pcap_pkthdr *hdr, const uint8_t *data)
{
	struct sink_pcap *s = (struct sink_pcap *)user;
	// With nanosecond precision, tv_usec holds nanoseconds.
	int64_t wall = (int64_t)hdr->ts.tv_sec * 1000000000 + hdr->ts.tv_usec;

	const struct arrival a = {.host = s->host,
				  .captured = hdr->caplen,
				  .size = hdr->len,
				  .frame = data,
				  .rx_ns = (uint64_t)(wall + s->offset_ns)};

	s->setup.scorer.arrived(s->setup.scorer.context, &a);
}

// Takes all packets in the host's ring. The offset between the clocks is read for each call. If a
// clock is set, this therefore distorts the latencies of one call at most.
static void drain(struct sink_pcap *s, uint32_t host)
{
	s->host = host;
	s->offset_ns = drb_clock_monotonic_offset();
	// An error leaves the packets in the ring, where they count as lost; stop() finds the
	// error.
	(void)pcap_dispatch(s->handle[host], -1, take_frame, (uint8_t *)s);
}

static void *read_all(void *arg)
{
	struct sink_pcap *s = arg;
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	bool stop = false;

	while (!stop) {
		struct epoll_event event[EVENTS];
		int n = epoll_wait(s->epoll, event, EVENTS, -1);
		for (int i = 0; i < n; i++) {
			if (event[i].data.u32 == STOP)
				stop = true;
			else
				drain(s, event[i].data.u32);
		}
		atomic_store_explicit(&s->delivered,
				      s->setup.scorer.delivered(s->setup.scorer.context),
				      memory_order_relaxed);
		if (!stop && n < EVENTS)
			nanosleep(&pause, NULL);
	}
	for (uint32_t h = 0; h < s->setup.hosts; h++) {
		if (s->handle[h])
			drain(s, h);
	}
	return NULL;
}

static int sink_pcap_start(struct sink *sink)
{
	struct sink_pcap *s = self_of(sink);
	int rc = pthread_create(&s->thread, NULL, read_all, s);

	if (rc) {
		drb_error("cannot start the receiving thread: %s", strerror(rc));
		return -rc;
	}
	s->running = true;
	return 0;
}

static void reader_join(struct sink_pcap *s)
{
	const uint64_t one = 1;

	if (!s->running)
		return;
	// Cannot fail: the counter is far below its limit.
	(void)!write(s->wake, &one, sizeof(one));
	pthread_join(s->thread, NULL);
	s->running = false;
}

static uint64_t delivered(struct sink *sink)
{
	return atomic_load_explicit(&self_of(sink)->delivered, memory_order_relaxed);
}

static int sink_pcap_stop(struct sink *sink)
{
	struct sink_pcap *s = self_of(sink);

	reader_join(s);
	for (uint32_t h = 0; h < s->setup.hosts; h++) {
		struct pcap_stat stat;
		if (!s->handle[h])
			continue;
		if (pcap_stats(s->handle[h], &stat) < 0)
			return fail(s->handle[h], h, "statistics");
		s->dropped[h] = stat.ps_drop;
	}
	return 0;
}

static void sink_pcap_result(struct sink *sink, struct tally *tally, struct drb_latency *latency)
{
	struct sink_pcap *s = self_of(sink);

	s->setup.scorer.result(s->setup.scorer.context, tally, latency);
	tally->receiver_dropped = 0;
	for (uint32_t h = 0; h < s->setup.hosts; h++)
		tally->receiver_dropped += s->dropped[h];
}

static uint64_t dropped(struct sink *sink, uint32_t host)
{
	return self_of(sink)->dropped[host];
}

static void close_handle(void *context, uint32_t host)
{
	const struct sink_pcap *s = context;

	if (s->handle[host])
		pcap_close(s->handle[host]);
}

static void destroy(struct sink *sink)
{
	struct sink_pcap *s = self_of(sink);

	reader_join(s);
	parallel_for(s->setup.hosts, close_handle, s);
	close(s->wake);
	close(s->epoll);
	free(s->handle);
	free(s->dropped);
	free(s);
}

struct sink *sink_pcap_new(const struct sink_pcap_setup *setup)
{
	static const struct sink_ops ops = {attach,         sink_pcap_start,  delivered,
					    sink_pcap_stop, sink_pcap_result, dropped,
					    destroy};
	struct sink_pcap *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	*s = (struct sink_pcap){.sink.ops = &ops, .setup = *setup};
	s->handle = calloc(setup->hosts, sizeof(*s->handle));
	s->dropped = calloc(setup->hosts, sizeof(*s->dropped));
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	s->wake = eventfd(0, EFD_CLOEXEC);
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = STOP};
	if (!s->handle || !s->dropped || s->epoll < 0 || s->wake < 0 ||
	    epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->wake, &event) < 0) {
		s->setup.hosts = 0;
		destroy(&s->sink);
		return NULL;
	}
	return &s->sink;
}
