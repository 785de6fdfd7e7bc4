// SPDX-License-Identifier: BSD-3-Clause
// Events over a real HTTP daemon: a snapshot that is published while a stream checks for one is not
// missed. The test is the poller, and publishes just after the stream has checked.
#include "fixtures/unit.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "ctl/serve/event_stream.h"

#define WITHIN_MS 10000

static struct poller poller;
static struct event_streams streams;
static struct snapshot snapshots[3]; // each is published once
static unsigned published, looks;
static bool publish_in_look; // in the second check, while the stream is within poller_next()
static pthread_t publisher;

static void publish(void)
{
	static char text[3][2] = {"1", "2", "3"};
	struct snapshot *s = &snapshots[published];

	s->number = published + 1;
	s->texts[SNAPSHOT_JSON].text = text[published++];
	__atomic_store_n(&poller.last, s, __ATOMIC_SEQ_CST);
}

static void *publish_and_wake(void *arg)
{
	publish();
	event_streams_wake(&streams);
	return arg;
}

struct snapshot *poller_next(struct poller *p, uint64_t number)
{
	(void)number;
	struct snapshot *last = __atomic_load_n(&p->last, __ATOMIC_SEQ_CST);

	// The stream has sent the first snapshot and checks for another: this one is published now.
	// Its wake-up may have to wait for a lock.
	if (++looks == 2 && publish_in_look) {
		pthread_create(&publisher, NULL, publish_and_wake, NULL);
		usleep(100000);
	}
	return last;
}

const char *snapshot_text(struct snapshot *p, enum snapshot_text which, size_t *length)
{
	*length = 1;
	return p->texts[which].text;
}

void snapshot_release(struct snapshot *p)
{
	(void)p; // the test owns them
}

static enum MHD_Result answer(void *cls, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *data,
			      size_t *size, void **request)
{
	struct MHD_Response *response = event_stream_new(&streams, c);

	(void)cls, (void)url, (void)method, (void)version, (void)data, (void)size, (void)request;
	assert_non_null(response);
	enum MHD_Result rc = MHD_queue_response(c, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return rc;
}

static int connect_to(struct MHD_Daemon *daemon)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(info->port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(send(fd, request, sizeof(request) - 1, 0), sizeof(request) - 1);
	return fd;
}

// Returns whether this event arrives. `seen` gets the text up to it.
static bool comes(int fd, const char *event, char seen[4096])
{
	size_t length = strlen(seen);

	while (!strstr(seen, event)) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		if (poll(&p, 1, WITHIN_MS) != 1)
			return false;
		ssize_t n = recv(fd, seen + length, 4095 - length, 0);
		if (n <= 0)
			return false;
		length += (size_t)n;
		seen[length] = '\0';
	}
	return true;
}

static void watch(void)
{
	char seen[4096] = "";

	event_streams_init(&streams, &poller);
	publish();
	struct MHD_Daemon *daemon =
		MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0,
				 NULL, NULL, answer, NULL, MHD_OPTION_END);
	assert_non_null(daemon);
	int fd = connect_to(daemon);
	assert_true(comes(fd, "data: 1\n\n", seen));
	if (!publish_in_look)
		publish_and_wake(NULL);
	assert_true(comes(fd, "data: 2\n\n", seen));
	publish_and_wake(NULL);
	assert_true(comes(fd, "data: 3\n\n", seen));
	event_streams_end(&streams);
	close(fd);
	MHD_stop_daemon(daemon);
	if (publish_in_look)
		pthread_join(publisher, NULL);
	published = looks = 0;
}

TEST(each_snapshot_is_an_event)
{
	publish_in_look = false;
	watch();
}

TEST(one_that_comes_during_a_look_is_not_missed)
{
	publish_in_look = true;
	watch();
}

TEST_MAIN(NULL, NULL)
