// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A telemetry server in a thread of the test: one connection, answered by a script.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#define GREETING "{\"version\":\"DPDK 22.11.11\",\"pid\":4711,\"max_output_len\":16384}"
// Where an answer is expected the client has all the time a busy machine may need; where none comes
// the test need not wait long for that.
#define PATIENT_MS 20000
#define IMPATIENT_MS 100

// One connection, then the server is done.
struct script {
	const char *greeting;   // NULL: none
	const char *replies[4]; // one per command; NULL: silence
	size_t pad;             // blanks put in front of the first reply
	uint32_t delay_ms;      // before each reply
	bool hang_up;           // closes instead of the first reply
	uint32_t timeout_ms;    // of the client; 0: PATIENT_MS
	bool refused;           // the system would not send the reply
	char asked[4][64];      // what the client sent
};

struct server {
	struct script *script;
	int listener;
	pthread_t thread;
	char folder[64], path[108];
};

static inline void pause_ms(uint32_t ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static inline void reply(int fd, struct script *s, size_t i)
{
	size_t pad = i == 0 ? s->pad : 0, length = strlen(s->replies[i]);
	char *text = malloc(pad + length);

	memset(text, ' ', pad);
	memcpy(text + pad, s->replies[i], length);
	s->refused = send(fd, text, pad + length, MSG_NOSIGNAL) < 0;
	free(text);
}

static inline void *serve(void *arg)
{
	struct server *server = arg;
	struct script *s = server->script;
	int fd = accept(server->listener, NULL, NULL), room = 4 << 20;

	if (fd < 0)
		return NULL;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)); // needs privilege
	if (s->greeting)
		send(fd, s->greeting, strlen(s->greeting), MSG_NOSIGNAL);
	for (size_t i = 0; i < ARRAY_SIZE(s->replies); i++) {
		ssize_t got = recv(fd, s->asked[i], sizeof(s->asked[i]) - 1, 0);
		if (got <= 0 || s->hang_up)
			break;
		pause_ms(s->delay_ms);
		if (s->replies[i])
			reply(fd, s, i);
	}
	close(fd);
	return NULL;
}

static inline int listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 1), 0);
	return fd;
}

static inline void start(struct server *server, struct script *script)
{
	*server = (struct server){.script = script, .folder = "/tmp/drb-test-XXXXXX"};
	assert_non_null(mkdtemp(server->folder));
	snprintf(server->path, sizeof(server->path), "%s/socket", server->folder);
	server->listener = listen_at(server->path);
	assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static inline void stop(struct server *server)
{
	shutdown(server->listener, SHUT_RDWR); // wakes accept()
	pthread_join(server->thread, NULL);
	close(server->listener);
	unlink(server->path);
	rmdir(server->folder);
}
