// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/serve/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <microhttpd.h>

#include "common/cli/log.h"
#include "ctl/metrics/exposition.h"
#include "ctl/serve/connections.h"
#include "ctl/serve/event_stream.h"
#include "ctl/serve/page.h"

// Bounds on the cost of clients: connections at a time, bytes of headers, seconds without a byte.
// connections.h keeps fewer connections than this. The difference is for event streams and for
// connections that are being closed. An event stream sends bytes at every interval.
#define CONNECTIONS_MAX (CONNECTIONS_KEPT + 2 * EVENT_STREAMS_MAX + 100)
#define CONNECTION_BYTES 32768
#define IDLE_SECONDS 15

struct http_server {
	struct MHD_Daemon *daemon;
	struct poller *poller;
	struct history *history;
	struct event_streams streams;
	struct connections connections;
	char hosts[8][HTTP_HOST_MAX + 8]; // values of Host that are served, up to ""
	bool any;                         // it listens at every address of this machine
	uint16_t port;                    // that it listens at
};

// These headers keep a browser from loading or running anything of another site, and other sites
// from showing this page in a frame.
static void add_security_headers(struct MHD_Response *response)
{
	MHD_add_response_header(response, "Content-Security-Policy",
				"default-src 'self'; style-src 'self' 'unsafe-inline'; img-src "
				"'self' data: blob:; frame-ancestors 'none'; base-uri 'none'");
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
}

static enum MHD_Result answer(struct MHD_Connection *c, unsigned status, const char *type,
			      struct MHD_Response *response)
{
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	add_security_headers(response);
	enum MHD_Result rc = MHD_queue_response(c, status, response);
	MHD_destroy_response(response);
	return rc;
}

static enum MHD_Result request_refuse(struct MHD_Connection *c, unsigned status, const char *why)
{
	return answer(c, status, "text/plain; charset=utf-8",
		      MHD_create_response_from_buffer(strlen(why), (void *)(uintptr_t)why,
						      MHD_RESPMEM_PERSISTENT));
}

static void release_snapshot(void *snapshot)
{
	snapshot_release(snapshot);
}

// Answers with a text of the last snapshot. All clients share it, so slow clients cost no copies.
static enum MHD_Result answer_text(struct http_server *s, struct MHD_Connection *c,
				   enum snapshot_text which, const char *type)
{
	struct snapshot *p = poller_last(s->poller);
	size_t length;
	const char *text = snapshot_text(p, which, &length);
	struct MHD_Response *response =
		text ? MHD_create_response_from_buffer_with_free_callback_cls(
			       length, (void *)(uintptr_t)text, release_snapshot, p)
		     : NULL;

	if (!response)
		snapshot_release(p);
	return answer(c, MHD_HTTP_OK, type, response);
}

static enum MHD_Result metrics(struct http_server *s, struct MHD_Connection *c)
{
	return answer_text(s, c, SNAPSHOT_METRICS, METRICS_CONTENT_TYPE);
}

static enum MHD_Result state(struct http_server *s, struct MHD_Connection *c)
{
	return answer_text(s, c, SNAPSHOT_JSON, "application/json");
}

static ssize_t read_nothing(void *unused, uint64_t position, char *to, size_t room)
{
	(void)unused, (void)position, (void)to, (void)room;
	return MHD_CONTENT_READER_END_OF_STREAM;
}

// Returns the reply to HEAD for a stream: headers without a length, because streams have none. HTTP
// 1.0 avoids chunked encoding, for which libmicrohttpd would send a chunk after the headers.
static struct MHD_Response *headers_of_stream(void)
{
	struct MHD_Response *response =
		MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1, read_nothing, NULL, NULL);

	if (response)
		MHD_set_response_options(response, MHD_RF_HTTP_VERSION_1_0_ONLY, MHD_RO_END);
	return response;
}

static enum MHD_Result history(struct http_server *s, struct MHD_Connection *c, bool head)
{
	return answer(c, MHD_HTTP_OK, "application/x-ndjson",
		      head ? headers_of_stream() : history_response(s->history));
}

static enum MHD_Result events(struct http_server *s, struct MHD_Connection *c, bool head)
{
	struct MHD_Response *response =
		head ? headers_of_stream() : event_stream_new(&s->streams, c);

	if (head)
		return answer(c, MHD_HTTP_OK, "text/event-stream", response);
	if (!response)
		return request_refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, "too many viewers\n");
	connections_except(&s->connections, c);
	return answer(c, MHD_HTTP_OK, "text/event-stream", response);
}

static bool parse_address(const struct http_address *a, struct sockaddr_storage *address)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)address;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;

	memset(address, 0, sizeof(*address));
	if (inet_pton(AF_INET, a->host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(a->port);
		return true;
	}
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(a->port);
	return inet_pton(AF_INET6, a->host, &v6->sin6_addr) == 1;
}

// True if a Host is an address with the port of this server, such as "192.0.2.7:9110" or
// "[2001:db8::7]:9110". Another site can rebind a name to this server, but not an address.
static bool is_address(const struct http_server *s, const char *host)
{
	const char *colon = strrchr(host, ':');
	struct http_address a = {.port = s->port};
	struct sockaddr_storage unused;
	char port[8];
	size_t length = colon ? (size_t)(colon - host) : 0;

	snprintf(port, sizeof(port), ":%u", s->port);
	if (!colon || strcmp(colon, port) != 0) // browsers omit port 80
		length = s->port == 80 ? strlen(host) : 0;
	bool brackets = length > 2 && host[0] == '[' && host[length - 1] == ']';
	if (length - 2 * brackets >= sizeof(a.host))
		return false;
	memcpy(a.host, host + brackets, length - 2 * brackets);
	return length && parse_address(&a, &unused) && brackets == (strchr(a.host, ':') != NULL);
}

// Refuses DNS rebinding: if another site makes its own name resolve to this server, the browser
// sends that name as Host.
static bool host_is_ours(const struct http_server *s, struct MHD_Connection *c)
{
	const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

	for (size_t i = 0; host && *s->hosts[i]; i++) {
		if (strcasecmp(host, s->hosts[i]) == 0)
			return true;
	}
	return host && s->any && is_address(s, host);
}

static enum MHD_Result handle(void *server, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *body,
			      size_t *body_size, void **seen)
{
	struct http_server *s = server;
	const struct page_file *file;

	(void)version, (void)body;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return request_refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "read only: GET\n");
	if (!*seen || *body_size) { // the first call has only the headers; bodies are discarded
		*seen = s;
		*body_size = 0;
		connections_asked(&s->connections, c);
		return MHD_YES;
	}
	if (!host_is_ours(s, c))
		return request_refuse(
			c, MHD_HTTP_MISDIRECTED_REQUEST,
			"not a name of this server (drbctl serve --host NAME adds one)\n");
	if (strcmp(url, "/metrics") == 0)
		return metrics(s, c);
	if (strcmp(url, "/api/state") == 0)
		return state(s, c);
	const bool head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
	if (strcmp(url, "/api/history") == 0)
		return history(s, c, head);
	if (strcmp(url, "/events") == 0)
		return events(s, c, head);
	if ((file = page_find(url)))
		return answer(c, MHD_HTTP_OK, file->type,
			      MHD_create_response_from_buffer(file->length,
							      (void *)(uintptr_t)file->data,
							      MHD_RESPMEM_PERSISTENT));
	return request_refuse(c, MHD_HTTP_NOT_FOUND,
			      "nothing here; see /, /metrics, /api/state, /api/history, /events\n");
}

static void name_hosts(struct http_server *s, const struct http_address *a, const char *name)
{
	const bool v6 = strchr(a->host, ':');
	size_t n = 0;

	snprintf(s->hosts[n++], sizeof(s->hosts[0]), v6 ? "[%s]:%u" : "%s:%u", a->host, a->port);
	snprintf(s->hosts[n++], sizeof(s->hosts[0]), "localhost:%u", a->port);
	if (name) {
		snprintf(s->hosts[n++], sizeof(s->hosts[0]), "%s:%u", name, a->port);
		snprintf(s->hosts[n++], sizeof(s->hosts[0]), "%s", name);
	}
	if (a->port == 80) { // browsers omit this port
		snprintf(s->hosts[n++], sizeof(s->hosts[0]), v6 ? "[%s]" : "%s", a->host);
		snprintf(s->hosts[n++], sizeof(s->hosts[0]), "localhost");
	}
}

bool http_is_any(const struct http_address *listen)
{
	struct sockaddr_storage address;

	if (!parse_address(listen, &address))
		return false;
	if (address.ss_family == AF_INET)
		return ((struct sockaddr_in *)&address)->sin_addr.s_addr == INADDR_ANY;
	return IN6_IS_ADDR_UNSPECIFIED(&((struct sockaddr_in6 *)&address)->sin6_addr);
}

int http_listen(const struct http_address *at)
{
	struct sockaddr_storage address;
	const int on = 1;

	if (!parse_address(at, &address)) {
		drb_error("cannot listen on '%s': must be an IPv4 or IPv6 address", at->host);
		return -1;
	}
	const bool v6 = address.ss_family == AF_INET6;
	int fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
	    (!v6 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0) &&
	    bind(fd, (struct sockaddr *)&address,
		 v6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in)) == 0 &&
	    listen(fd, SOMAXCONN) == 0)
		return fd;
	drb_error("cannot listen on %s:%u: %s", at->host, at->port, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

struct http_server *http_start(const struct http_address *listen, int listener,
			       const char *host_name, const struct http_source *source)
{
	struct http_server *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
			 (strchr(listen->host, ':') ? MHD_USE_IPv6 : 0);
	s->poller = source->poller;
	s->history = source->history;
	event_streams_init(&s->streams, s->poller);
	name_hosts(s, listen, host_name);
	s->any = http_is_any(listen);
	s->port = listen->port;
	s->daemon = MHD_start_daemon(flags, 0, NULL, NULL, handle, s, MHD_OPTION_LISTEN_SOCKET,
				     listener, MHD_OPTION_CONNECTION_LIMIT,
				     (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
				     (size_t)CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT,
				     (unsigned)IDLE_SECONDS, MHD_OPTION_NOTIFY_CONNECTION,
				     connections_notify, &s->connections, MHD_OPTION_END);
	if (s->daemon)
		return s;
	drb_error("cannot serve HTTP: %s", strerror(errno));
	free(s);
	return NULL;
}

void http_wake(void *server)
{
	struct http_server *s = server;

	event_streams_wake(&s->streams);
}

void http_stop(struct http_server *s)
{
	event_streams_end(&s->streams);
	MHD_stop_daemon(s->daemon);
	free(s);
}
