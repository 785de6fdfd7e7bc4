// SPDX-License-Identifier: BSD-3-Clause
// drbctl serve: metrics and a live map of the fabric over HTTP.
#include "ctl/verbs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/file_limit.h"
#include "common/cli/log.h"
#include "common/cli/options.h"
#include "common/cli/quantity.h"
#include "common/cli/user.h"
#include "common/telemetry/telemetry_client.h"
#include "ctl/ctl.h"
#include "ctl/serve/confine.h"
#include "ctl/serve/history.h"
#include "ctl/serve/http.h"

#define LISTEN_DEFAULT "127.0.0.1:9110"
#define KEEP_DEFAULT_NS UINT64_C(600000000000)
#define FILES_WANTED 4096 // for connections of clients, and a socket for each switch

struct options {
	struct ctl ctl;
	struct http_address listen;
	const char *host;
	uint64_t interval_ns, keep_ns;
};

struct serving {
	struct poller poller;
	struct history history;
	struct http_server *server;
};

static void parse_listen(const struct drb_option *o, const char *text, void *address)
{
	struct http_address *a = address;
	const char *colon = strrchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : 0;
	bool brackets = length >= 2 && text[0] == '[' && text[length - 1] == ']';
	uint32_t port;

	(void)o;
	if (!length || drb_parse_u32(colon + 1, 1, UINT16_MAX, &port) < 0 ||
	    length - 2 * brackets >= sizeof(a->host))
		drb_die("--listen '%s': must be ADDRESS:PORT, such as " LISTEN_DEFAULT, text);
	snprintf(a->host, sizeof(a->host), "%.*s", (int)length - 2 * brackets, text + brackets);
	a->port = (uint16_t)port;
}

static void parse_host(const struct drb_option *o, const char *text, void *host)
{
	(void)o;
	if (!*text || strlen(text) > HTTP_HOST_MAX)
		drb_die("--host '%s': must be a name of 1 to %d characters", text, HTTP_HOST_MAX);
	*(const char **)host = text;
}

#define AT(field) offsetof(struct options, field)

static const struct drb_option option_table[] = {
	{"--listen", "ADDRESS:PORT",
	 "Where to serve (default " LISTEN_DEFAULT "; an IPv6 address in brackets)",
	 .kind = DRB_OPTION_OTHER, AT(listen), .parse = parse_listen},
	{"--host", "NAME",
	 "Additional name of this machine that browsers may use, besides the address and "
	 "localhost",
	 .kind = DRB_OPTION_OTHER, AT(host), .parse = parse_host},
	{"--interval", "TIME", "Time between two polls of the switches (default 1s)",
	 .kind = DRB_OPTION_TIME, AT(interval_ns), 100e6, .letter = 'i'},
	{"--keep", "TIME",
	 "Begin the map with this past of the switches (default 600s; 0s: none). Above "
	 "64 MiB, older polls become rarer",
	 .kind = DRB_OPTION_TIME, AT(keep_ns), 0},
	{0},
};

// Gives up root, which is not needed once the program listens. The process becomes the user of the
// switches (common/cli/user.h), because it asks their stats sockets. Returns 0, or -errno with a
// message printed.
static int leave_root(void)
{
	struct drb_user user;

	if (!drb_user_find(&user))
		return 0;
	int rc = setenv("RUNTIME_DIRECTORY", drb_telemetry_runtime(), 1) < 0 ? -errno : 0;
	if (rc == 0)
		rc = drb_user_become(&user);
	if (rc == 0)
		drb_user_warn(&user);
	else
		drb_error("cannot become user %s: %s", user.name, strerror(-rc));
	return rc;
}

// The poller's thread calls this after each poll. The main thread calls it once before that thread
// starts.
static void on_snapshot(void *serving)
{
	struct serving *s = serving;
	struct snapshot *p = poller_last(&s->poller);
	size_t length;
	const char *text = s->history.keep_ns ? snapshot_text(p, SNAPSHOT_JSON, &length) : NULL;

	// The history comes first, because clients that learn of this poll read it there.
	if (text)
		history_add(&s->history, p->poll.time_ns, text, length);
	snapshot_release(p);
	if (s->server)
		http_wake(s->server);
}

// Serves until a signal of the set. Returns the exit status.
static int serve_until(struct serving *s, const struct options *o, int listener,
		       const sigset_t *ends)
{
	const struct http_source source = {&s->poller, &s->history};
	const bool ipv6 = strchr(o->listen.host, ':');
	int signal, code = DRB_EXIT_FAILED;

	on_snapshot(s);
	s->server = http_start(&o->listen, listener, o->host, &source);
	if (s->server && poller_start(&s->poller) == 0) {
		drb_info("serving http://%s%s%s:%u/ (metrics at /metrics)%s", ipv6 ? "[" : "",
			 o->listen.host, ipv6 ? "]" : "", o->listen.port,
			 http_is_any(&o->listen) && !o->host
				 ? ", by any address of this machine; by a name with --host NAME"
				 : "");
		sigwait(ends, &signal);
		poller_stop(&s->poller);
		code = DRB_EXIT_OK;
	}
	if (s->server)
		http_stop(s->server);
	else
		close(listener);
	return code;
}

static int serve(const struct options *o)
{
	struct serving s = {.poller = {.switches = ctl_poller(&o->ctl),
				       .interval_ns = o->interval_ns,
				       .on_snapshot = on_snapshot,
				       .context = &s}};
	sigset_t ends;

	// Block signals before threads are started, which inherit the mask.
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	drb_user_gains_nothing();
	drb_files_allow(FILES_WANTED);
	const int listener = http_listen(&o->listen);
	if (listener < 0)
		return DRB_EXIT_USAGE;
	const char *runtime = o->ctl.runtime ? o->ctl.runtime : drb_telemetry_runtime();
	// Confine the program before it reads anything from clients or switches.
	if (leave_root() < 0 || serve_confine(runtime) < 0 || poller_init(&s.poller) < 0) {
		close(listener);
		return DRB_EXIT_FAILED;
	}
	history_init(&s.history, o->keep_ns);
	const int code = serve_until(&s, o, listener, &ends);
	history_free(&s.history);
	poller_free(&s.poller);
	return code;
}

int ctl_serve(int argc, char **argv)
{
	struct options o = {
		.ctl = ctl_defaults(), .interval_ns = 1000000000, .keep_ns = KEEP_DEFAULT_NS};
	const struct drb_options sets[] = {{.option = option_table, &o}, CTL_SET(&o.ctl), {0}};

	parse_listen(NULL, LISTEN_DEFAULT, &o.listen);
	o.ctl.timeout_ms = METRICS_TIMEOUT_MS;
	drb_options_parse(
		sets,
		"Serves the counters of all running switches, or of those of --fabric: / is a "
		"live map of the fabric, /metrics is for Prometheus, /api/state is JSON, /events "
		"is the same as server-sent events, /api/history is a recording of the last "
		"minutes, compressed by gzip. Read only. Ends on SIGINT or SIGTERM.",
		argc, argv);
	return serve(&o);
}
