// SPDX-License-Identifier: BSD-3-Clause
// Events over a real HTTP daemon: a snapshot that is published while a stream checks for one is not
// missed. The test is the poller, and publishes just after the stream has checked. Hundreds of
// viewers get each snapshot; one that does not read is disconnected.
#include "fixtures/unit.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "ctl/serve/event_stream.h"

#define WITHIN_MS 10000
#define VIEWERS 300
#define LARGE (16 << 20) // bytes: more than the buffers of sockets take

static struct poller poller;
static struct event_streams streams;
static struct snapshot snapshots[EVENT_STREAM_BEHIND + 3]; // each is published once
static char *large; // text of the first snapshot; NULL: its number
static unsigned published, looks;
static bool publish_in_look; // in the second check, while the stream is within poller_next()
static pthread_t publisher;

static void publish(void)
{
	static char text[EVENT_STREAM_BEHIND + 3][8];
	struct snapshot *s = &snapshots[published];

	s->number = published + 1;
	snprintf(text[published], sizeof(text[0]), "%u", published + 1);
	s->texts[SNAPSHOT_JSON].text = published == 0 && large ? large : text[published];
	published++;
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
	*length = strlen(p->texts[which].text);
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

// Starts the daemon, and publishes the first snapshot.
static struct MHD_Daemon *start(void)
{
	event_streams_init(&streams, &poller);
	publish();
	struct MHD_Daemon *daemon =
		MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
				 NULL, answer, NULL, MHD_OPTION_END);
	assert_non_null(daemon);
	return daemon;
}

static void stop(struct MHD_Daemon *daemon)
{
	event_streams_end(&streams);
	MHD_stop_daemon(daemon);
	published = looks = 0;
}

static void watch(void)
{
	char seen[4096] = "";
	struct MHD_Daemon *daemon = start();
	int fd = connect_to(daemon);
	assert_true(comes(fd, "data: 1\n\n", seen));
	if (!publish_in_look)
		publish_and_wake(NULL);
	assert_true(comes(fd, "data: 2\n\n", seen));
	publish_and_wake(NULL);
	assert_true(comes(fd, "data: 3\n\n", seen));
	close(fd);
	stop(daemon);
	if (publish_in_look)
		pthread_join(publisher, NULL);
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

TEST(hundreds_of_viewers_get_each_snapshot)
{
	static char seen[VIEWERS][4096];
	int fd[VIEWERS];
	struct MHD_Daemon *daemon = start();

	memset(seen, 0, sizeof(seen));
	publish_in_look = false;
	for (int i = 0; i < VIEWERS; i++) {
		fd[i] = connect_to(daemon);
		assert_true(comes(fd[i], "data: 1\n\n", seen[i]));
	}
	publish_and_wake(NULL);
	for (int i = 0; i < VIEWERS; i++)
		assert_true(comes(fd[i], "data: 2\n\n", seen[i]));
	for (int i = 0; i < VIEWERS; i++)
		close(fd[i]);
	stop(daemon);
}

TEST(one_that_does_not_read_is_disconnected)
{
	char seen[4096] = "";
	static char octets[1 << 20];

	publish_in_look = false;
	large = malloc(LARGE + 1);
	assert_non_null(large);
	memset(large, 'x', LARGE);
	large[LARGE] = '\0';
	struct MHD_Daemon *daemon = start();
	int slow = connect_to(daemon);
	assert_true(comes(slow, "data: x", seen)); // it began to send the first snapshot
	*seen = '\0';
	publish();
	int fd = connect_to(daemon);
	assert_true(comes(fd, "data: 2\n\n", seen));
	for (int i = 0; i < EVENT_STREAM_BEHIND; i++) {
		char event[16];
		publish_and_wake(NULL);
		snprintf(event, sizeof(event), "data: %u\n\n", published);
		assert_true(comes(fd, event, seen));
	}
	size_t got = 0;
	for (ssize_t n; got < LARGE && (n = recv(slow, octets, sizeof(octets), 0)) > 0;)
		got += (size_t)n;
	assert_true(got < LARGE);
	close(slow);
	close(fd);
	stop(daemon);
	free(large);
	large = NULL;
}

TEST_MAIN(NULL, NULL)
