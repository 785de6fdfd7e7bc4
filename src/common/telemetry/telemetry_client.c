// SPDX-License-Identifier: BSD-3-Clause
#include "common/telemetry/telemetry_client.h"

#include <errno.h>
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "core/counters.h"

// Deadlines of blocking calls are in ms, as for poll().
static uint64_t now_ms(void)
{
	return drb_clock_now() / 1000000;
}

// Waits until the socket is ready for these events. Returns 0, -ETIMEDOUT or another -errno.
static int wait_for(int fd, short events, uint64_t deadline)
{
	struct pollfd p = {.fd = fd, .events = events};

	for (;;) {
		uint64_t now = now_ms();
		int rc = poll(&p, 1, now < deadline ? (int)(deadline - now) : 0);
		if (rc > 0)
			return 0;
		if (rc == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

// Receives one message as allocated text with a terminating 0. Peeks first to learn its length.
static int receive(int fd, uint64_t deadline, char **text, size_t *length)
{
	int rc = wait_for(fd, POLLIN, deadline);

	if (rc < 0)
		return rc;
	ssize_t size = recv(fd, NULL, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
	if (size < 0)
		return -errno;
	if (size == 0)
		return -ECONNRESET;
	if (size > DRB_TELEMETRY_REPLY_MAX)
		return -EMSGSIZE;
	char *buf = malloc((size_t)size + 1);
	if (!buf)
		return -ENOMEM;
	size = recv(fd, buf, (size_t)size, MSG_DONTWAIT);
	if (size <= 0) {
		rc = size < 0 ? -errno : -ECONNRESET;
		free(buf);
		return rc;
	}
	buf[size] = '\0';
	*text = buf;
	*length = (size_t)size;
	return 0;
}

static int receive_object(int fd, uint64_t deadline, json_t **object)
{
	char *text = NULL;
	size_t length = 0;
	int rc = receive(fd, deadline, &text, &length);

	if (rc < 0)
		return rc;
	// Some versions of DPDK also send the terminating 0.
	while (length > 0 && text[length - 1] == '\0')
		length--;
	*object = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	if (json_is_object(*object))
		return 0;
	json_decref(*object);
	return -EPROTO;
}

static int connect_by(int fd, const char *path, uint64_t deadline)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const struct timespec pause = {.tv_nsec = 1000000};

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	while (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		// The backlog is full, and no event reports when it has space again.
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		if (now_ms() >= deadline)
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int greet(struct drb_telemetry *t, uint64_t deadline)
{
	json_t *greeting;
	int rc = receive_object(t->fd, deadline, &greeting);

	if (rc < 0)
		return rc;
	bool telemetry = json_is_string(json_object_get(greeting, "version")) &&
			 json_is_integer(json_object_get(greeting, "max_output_len"));
	const char *version = json_string_value(json_object_get(greeting, "drbswitch"));
	const json_t *format = json_object_get(greeting, "format");
	const bool later = format && json_integer_value(format) > DRB_STATS_FORMAT;
	t->pid = json_integer_value(json_object_get(greeting, "pid"));
	snprintf(t->version, sizeof(t->version), "%s", version ? version : "");
	json_decref(greeting);
	return !telemetry ? -EPROTO : later ? -EPROTONOSUPPORT : 0;
}

static int open_by(struct drb_telemetry *t, const char *path, uint64_t deadline)
{
	t->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (t->fd < 0)
		return -errno;
	int rc = connect_by(t->fd, path, deadline);
	if (rc < 0)
		drb_telemetry_close(t);
	return rc;
}

int drb_telemetry_open(struct drb_telemetry *t, const char *path, uint32_t timeout_ms)
{
	uint64_t deadline = now_ms() + timeout_ms;

	*t = (struct drb_telemetry){.timeout_ms = timeout_ms};
	int rc = open_by(t, path, deadline);
	if (rc == 0)
		rc = greet(t, deadline);
	if (rc < 0)
		drb_telemetry_close(t);
	return rc;
}

void drb_telemetry_close(struct drb_telemetry *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

static int send_command(int fd, const char *command, const char *param, uint64_t deadline)
{
	char text[256];
	int length = snprintf(text, sizeof(text), "%s%s%s", command, param ? "," : "",
			      param ? param : "");

	if (length < 0 || (size_t)length >= sizeof(text))
		return -EMSGSIZE;
	while (send(fd, text, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
		if (errno == EPIPE)
			return -ECONNRESET;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		int rc = wait_for(fd, POLLOUT, deadline);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int take_value(json_t *object, const char *command, json_t **reply)
{
	json_t *value = json_object_get(object, command);

	if (!value)
		return -EPROTO; // the reply to another command
	// DPDK replies null if a command is unknown or failed.
	if (json_is_null(value))
		return -EOPNOTSUPP;
	*reply = json_incref(value);
	return 0;
}

static int take_reply(int fd, const char *command, uint64_t deadline, json_t **reply)
{
	json_t *object = NULL;
	int rc = receive_object(fd, deadline, &object);

	if (rc == 0) {
		rc = take_value(object, command, reply);
		json_decref(object);
	}
	return rc;
}

int drb_telemetry_ask(struct drb_telemetry *t, const char *command, const char *param,
		      json_t **reply)
{
	uint64_t deadline = now_ms() + t->timeout_ms;

	if (t->fd < 0)
		return -ENOTCONN;
	int rc = send_command(t->fd, command, param, deadline);
	if (rc == 0)
		rc = take_reply(t->fd, command, deadline, reply);
	if (rc < 0 && rc != -EOPNOTSUPP)
		drb_telemetry_close(t);
	return rc;
}

// Returns the result of a step. Closes the connection, except if the step can be repeated or the
// command failed.
static int step(struct drb_telemetry *t, int rc)
{
	if (rc < 0 && rc != -ETIMEDOUT && rc != -EOPNOTSUPP)
		drb_telemetry_close(t);
	return rc;
}

int drb_telemetry_connect(struct drb_telemetry *t, const char *path)
{
	*t = (struct drb_telemetry){.fd = -1};
	return open_by(t, path, 0);
}

int drb_telemetry_greeted(struct drb_telemetry *t)
{
	return step(t, greet(t, 0));
}

int drb_telemetry_send(struct drb_telemetry *t, const char *command, const char *param)
{
	return step(t, send_command(t->fd, command, param, 0));
}

int drb_telemetry_take(struct drb_telemetry *t, const char *command, json_t **reply)
{
	return step(t, take_reply(t->fd, command, 0, reply));
}

static const char *text_of(int error)
{
	switch (error) {
	case -ENOENT:
	case -ECONNREFUSED:
		return "not running";
	case -EACCES:
	case -EPERM:
		return "another user's: no permission to ask it, try sudo";
	case -ETIMEDOUT:
		return "does not answer";
	case -EMSGSIZE:
	case -EPROTO:
	case -EPROTONOSUPPORT:
		return "sent a reply that cannot be understood";
	case -ECONNRESET:
		return "ended while it was asked";
	case -EIO:
		return "a worker of this switch is stuck: restart the switch";
	case -EOPNOTSUPP:
		return "could not answer";
	default:
		return strerror(-error);
	}
}

void drb_telemetry_explain(int error, const char *version, char text[DRB_TELEMETRY_TEXT_MAX])
{
	const bool format = error == -EPROTO || error == -EPROTONOSUPPORT;

	snprintf(text, DRB_TELEMETRY_TEXT_MAX, "%s", text_of(error));
	if (format && *version)
		snprintf(text, DRB_TELEMETRY_TEXT_MAX,
			 "%s: the switch is of version %.31s, this program of " DRB_VERSION,
			 text_of(error), version);
}

static const char *eal_runtime(void)
{
	const char *user = getenv("XDG_RUNTIME_DIR");

	if (geteuid() == 0)
		return "/var/run";
	return user ? user : "/tmp";
}

struct sockets {
	struct drb_switch_socket *at;
	size_t count, room;
};

static int add_socket(struct sockets *found, const char *fabric, const char *path)
{
	struct drb_switch_socket s;
	const char *end = strrchr(path, '/'), *name = end;

	while (name > path && name[-1] != '/')
		name--;
	if ((size_t)(end - name) >= sizeof(s.instance) || strlen(path) >= sizeof(s.path))
		return 0;
	snprintf(s.instance, sizeof(s.instance), "%.*s", (int)(end - name), name);
	snprintf(s.path, sizeof(s.path), "%s", path);
	if (drb_instance_parse(s.instance, s.fabric, &s.layer, &s.label) < 0 || s.layer == 0 ||
	    (fabric && strcmp(s.fabric, fabric) != 0))
		return 0;
	if (found->count == found->room) {
		size_t room = found->room ? 2 * found->room : 64;
		struct drb_switch_socket *more = realloc(found->at, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		found->at = more;
		found->room = room;
	}
	found->at[found->count++] = s;
	return 0;
}

static int scan_in(struct sockets *found, const char *runtime, const char *fabric)
{
	char pattern[512];
	glob_t paths;
	int rc = 0;

	if ((size_t)snprintf(pattern, sizeof(pattern), "%s/dpdk/*/" DRB_TELEMETRY_SOCKET,
			     runtime) >= sizeof(pattern))
		return 0;
	switch (glob(pattern, GLOB_NOSORT, NULL, &paths)) {
	case 0:
		break;
	case GLOB_NOSPACE:
		return -ENOMEM;
	default: // nothing is there, or it is not readable
		return 0;
	}
	for (size_t i = 0; i < paths.gl_pathc && rc == 0; i++)
		rc = add_socket(found, fabric, paths.gl_pathv[i]);
	globfree(&paths);
	return rc;
}

static int by_switch(const void *a, const void *b)
{
	const struct drb_switch_socket *x = a, *y = b;
	int fabric = strcmp(x->fabric, y->fabric);

	if (fabric)
		return fabric;
	if (x->layer != y->layer)
		return x->layer < y->layer ? -1 : 1;
	if (x->label != y->label)
		return x->label < y->label ? -1 : 1;
	return 0;
}

const char *drb_telemetry_runtime(void)
{
	const char *service = getenv("RUNTIME_DIRECTORY");

	return service ? service : eal_runtime();
}

int drb_telemetry_scan(const char *runtime, const char *fabric, struct drb_switch_socket **list,
		       size_t *count)
{
	const char *service = getenv("RUNTIME_DIRECTORY");
	struct sockets found = {0};
	int rc = 0;

	if (runtime) {
		rc = scan_in(&found, runtime, fabric);
	} else {
		if (service && strcmp(service, eal_runtime()) != 0)
			rc = scan_in(&found, service, fabric);
		if (rc == 0)
			rc = scan_in(&found, eal_runtime(), fabric);
	}
	if (rc < 0) {
		free(found.at);
		return rc;
	}
	if (found.count)
		qsort(found.at, found.count, sizeof(*found.at), by_switch);
	*list = found.at;
	*count = found.count;
	return 0;
}
