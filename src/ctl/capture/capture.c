// SPDX-License-Identifier: BSD-3-Clause
// drbctl capture: packets at the ports of a switch, with any driver, as pcapng.
#include "ctl/verbs.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcap/pcap.h>

#include "common/cli/clock.h"
#include "common/cli/file.h"
#include "common/cli/interrupt.h"
#include "common/cli/log.h"
#include "ctl/capture/packet_line.h"
#include "ctl/capture/pcapng.h"
#include "ctl/capture/session.h"
#include "ctl/ctl.h"

#define FILTER_MAX 1024

struct options {
	struct ctl ctl;
	struct drb_rest words;    // arguments as given
	const char *where, *path; // where: the first argument, SWITCH[.PORT]
	char filter[FILTER_MAX];
	uint64_t count; // 0: until interrupted
	uint32_t snap;
};

#define AT(field) offsetof(struct options, field)

static const struct drb_option option_table[] = {
	{NULL, "SWITCH[.PORT] [FILTER...]", NULL, .kind = DRB_OPTION_REST, AT(words)},
	{"--write", "FILE", "Write pcapng to FILE; - is standard output (default: a line a packet)",
	 .kind = DRB_OPTION_TEXT, AT(path), .letter = 'w'},
	{"--count", "N", "End after N packets", .kind = DRB_OPTION_U64, AT(count), 1,
	 .letter = 'c'},
	{"--snap", "BYTES", "Capture at most BYTES of a packet (default and maximum 1536)",
	 .kind = DRB_OPTION_U32, AT(snap), 1, DRB_CAPTURE_BYTES, .letter = 's'},
	{0},
};

static void add_word(struct options *o, const char *word)
{
	size_t used = strlen(o->filter);

	if ((size_t)snprintf(o->filter + used, FILTER_MAX - used, "%s%s", used ? " " : "", word) >=
	    FILTER_MAX - used)
		drb_die("the filter is longer than %d characters", FILTER_MAX - 1);
}

static void take_words(struct options *o)
{
	if (!o->words.count)
		drb_die("a switch is missing: name one, like s1-0, or a port of it, like s1-0.u0");
	o->where = o->words.at[0];
	for (uint32_t i = 1; i < o->words.count; i++)
		add_word(o, o->words.at[i]);
}

static void describe(char *text, size_t size, const struct session *s,
		     const struct drb_capture_slot *p)
{
	const char *way = session_way(s, p);

	snprintf(text, size, "%s%s", drb_capture_is_drop(p->kind) ? "dropped: " : "", way);
	if (*way)
		snprintf(text + strlen(text), size - strlen(text), ", queue %" PRIu32, p->queue);
}

// The file that captured packets are written to.
struct output {
	FILE *file;
	bool pcapng;
	const struct session *session;
	int64_t real_ns; // wall clock less CLOCK_MONOTONIC
	struct drb_addr_plan plan;
};

static bool goes_out(const struct drb_capture_slot *p)
{
	return p->kind == DRB_CAPTURE_OUT || p->kind == DRB_CAPTURE_DROP_OUT;
}

// Writes a line such as "11:20:07.001204 s1-0.u0 out h0.40000 > h7.5201 tcp, 118 bytes, default,
// queue 1".
static void write_line(const struct output *o, const struct drb_capture_slot *p,
		       const char *comment)
{
	const uint64_t ns = p->time_ns + (uint64_t)o->real_ns;
	const time_t seconds = (time_t)(ns / 1000000000);
	char clock[16], packet[PACKET_LINE_MAX];
	struct tm local;

	localtime_r(&seconds, &local);
	strftime(clock, sizeof(clock), "%H:%M:%S", &local);
	packet_line(packet, p->bytes, p->captured, &o->plan);
	fprintf(o->file, "%s.%06u %s.%s %s %s, %u bytes%s%s\n", clock,
		(unsigned)(ns / 1000 % 1000000), o->session->all.info.name,
		o->session->all.ports[p->port].name, goes_out(p) ? "out" : "in", packet, p->length,
		*comment ? ", " : "", comment);
}

static void write_packet(const struct output *o, const struct drb_capture_slot *p)
{
	char comment[80];

	describe(comment, sizeof(comment), o->session, p);
	if (p->port >= o->session->all.port_count)
		return;
	if (o->pcapng)
		pcapng_write(o->file,
			     &(struct pcapng_packet){.interface = p->port,
						     .time_ns = p->time_ns + (uint64_t)o->real_ns,
						     .length = p->length,
						     .captured = p->captured,
						     .bytes = p->bytes,
						     .direction = goes_out(p) ? PCAPNG_OUTBOUND
									      : PCAPNG_INBOUND,
						     .comment = comment});
	else
		write_line(o, p, comment);
}

static void write_head(const struct output *o, uint32_t snap)
{
	const struct drb_switch_all *all = &o->session->all;

	pcapng_begin(o->file, "drbctl " DRB_VERSION);
	for (uint32_t i = 0; i < all->port_count; i++) {
		char name[2 * DRB_NAME_MAX], description[3 * DRB_NAME_MAX];
		snprintf(name, sizeof(name), "%s.%s", all->info.name, all->ports[i].name);
		snprintf(description, sizeof(description), "to %s", all->ports[i].peer);
		pcapng_interface(o->file, name, description, snap);
	}
}

// Writes the number of lost packets: for each port into the file, and for all to standard error.
static void write_end(const struct output *o, uint64_t written)
{
	uint64_t all_lost = 0, matched, lost;

	for (uint32_t i = 0; i < o->session->all.port_count; i++) {
		session_count(o->session, i, &matched, &lost);
		all_lost += lost;
		if (o->pcapng)
			pcapng_statistics(o->file, i, drb_clock_now() + (uint64_t)o->real_ns,
					  matched, lost);
	}
	drb_info("%" PRIu64 " packets captured, %" PRIu64 " lost", written, all_lost);
}

// Copies packets until `most` are written (0: no limit), the user interrupts, or the switch ends.
// *ended is true if the switch ended. Returns the number of packets written.
static uint64_t copy_packets(struct session *s, const struct output *o, uint64_t most, bool *ended)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	struct drb_capture_slot packet;
	uint64_t written = 0;
	bool goes_on = true;

	while (!ferror(o->file) && (most == 0 || written < most)) {
		if (session_next(s, &packet)) {
			write_packet(o, &packet);
			written++;
			continue;
		}
		fflush(o->file);
		if (!goes_on)
			break;
		if (drb_interrupted())
			session_end(s); // packets captured before this are still read
		*ended = !drb_interrupted() && !session_goes_on(s);
		goes_on = !drb_interrupted() && !*ended;
		if (goes_on)
			nanosleep(&pause, NULL);
	}
	return written;
}

static int capture_at(const struct options *o, const struct drb_switch_socket *at, const char *port)
{
	struct bpf_program program = {0};
	struct session s;

	if (*o->filter)
		session_compile(o->filter, &program);
	const struct session_filter filter = {port, o->snap, &program};
	int rc = session_open(&s, &o->ctl, at, &filter);
	pcap_freecode(&program);
	if (rc < 0)
		return DRB_EXIT_FAILED;
	// FILE is opened only now, because a capture that cannot start must not truncate an
	// existing file.
	FILE *file = drb_file_write(o->path);
	const struct output output = {file, o->path != NULL, &s,
				      drb_clock_ns(CLOCK_REALTIME) - (int64_t)drb_clock_now(),
				      drb_info_addresses(&s.all.info)};
	if (output.pcapng)
		write_head(&output, o->snap);
	fflush(file);
	drb_info("capturing at %s", o->where);
	if (strcmp(o->filter, "icmp") == 0)
		drb_info("icmp is that of IPv4: pings by name are icmp6");
	bool ended = false;
	uint64_t written = copy_packets(&s, &output, o->count, &ended);
	session_end(&s);
	write_end(&output, written);
	session_close(&s);
	int code = drb_file_written(file, o->path);
	if (!ended)
		return code;
	drb_error("%s: the switch has ended: packets that it had not passed on are lost", o->where);
	return DRB_EXIT_FAILED;
}

// Finds the stats socket of the switch; false: the switch is not running.
static bool find_switch(const struct ctl *ctl, const char *instance,
			struct drb_switch_socket *socket)
{
	struct drb_switch_socket *at;
	size_t count;
	bool found = false;

	if (drb_telemetry_scan(ctl->runtime, NULL, &at, &count) < 0)
		drb_die("out of memory");
	for (size_t i = 0; i < count && !found; i++) {
		found = strcmp(at[i].instance, instance) == 0;
		*socket = at[i];
	}
	free(at);
	return found;
}

int ctl_capture(int argc, char **argv)
{
	struct options o = {.ctl = ctl_defaults(), .snap = DRB_CAPTURE_BYTES};
	const struct drb_options sets[] = {{.option = option_table, &o}, CTL_SET(&o.ctl), {0}};
	struct drb_switch_socket socket;
	char name[2 * DRB_NAME_MAX], instance[DRB_NAME_MAX], *port;

	drb_options_parse(
		sets,
		"Captures what the ports of a switch receive, send and drop, with any driver. A "
		"comment has the direction, how a packet was sent up, the packets in the queue "
		"when "
		"it left, itself included, and why it was dropped. FILTER is as in tcpdump. The "
		"end reports how many packets the capture missed. Ends on SIGINT or SIGTERM.",
		argc, argv);
	take_words(&o);
	// SA_RESTART: a signal does not cut off a write to a slow reader. SA_RESETHAND: if the
	// reader has stopped reading, a second signal ends the program.
	drb_interrupt_catch(SA_RESTART | SA_RESETHAND);
	signal(SIGPIPE, SIG_IGN);
	snprintf(name, sizeof(name), "%s", o.where);
	if ((port = strchr(name, '.')))
		*port++ = '\0';
	ctl_instance(&o.ctl, name, instance);
	if (!find_switch(&o.ctl, instance, &socket)) {
		ctl_say_none(&o.ctl, instance);
		return DRB_EXIT_FAILED;
	}
	return capture_at(&o, &socket, port);
}
