// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as requests to the stats socket of a switch that forwards: each is answered with JSON,
// and the snapshot stays whole. Input: requests, ended by the byte 0.
#include "fuzz.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <jansson.h>

#include "switch/startup/eal.h"
#include "switch/datapath/changes.h"
#include "switch/datapath/idle.h"
#include "switch/control/stats_commands.h"
#include "switch/control/switch.h"
#include "fixtures/switch_eal.h"

// Each takes turns of several threads.
#define REQUESTS_MAX 20

static struct drb_switch self;
static char path[128];
static int fd = -1;

int LLVMFuzzerInitialize(int *argc, char ***argv);

// The control thread.
static void *serve(void *arg)
{
	(void)arg;
	event_base_dispatch(self.base);
	return NULL;
}

static void hear(void *s)
{
	drb_snapshots_look(s);
}

static void connect_to_switch(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char greeting[1024];

	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	strcpy(address.sun_path, path);
	require(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	require(recv(fd, greeting, sizeof(greeting), 0) > 0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static struct drb_config_override none = {.layer = -1, .label = -1};
	char folder[96];
	pthread_t thread;

	(void)argc, (void)argv;
	// libFuzzer's clock ticks in this thread alone; elsewhere it would end a call that waits.
	sigset_t alarm;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	require(mkdtemp(test_runtime) && setenv("RUNTIME_DIRECTORY", test_runtime, 1) == 0);
	snprintf(folder, sizeof(folder), "%s/dpdk", test_runtime);
	require(mkdir(folder, 0700) == 0);
	snprintf(folder, sizeof(folder), "%s/dpdk/fuzz-s1-0", test_runtime);
	require(mkdir(folder, 0700) == 0);
	snprintf(path, sizeof(path), "%s/dpdk_telemetry.v2", folder);
	self.config = "/nonexistent";
	self.override = &none;
	self.setup =
		setup_of("fabric: {layers: 2, arity: 4, name: fuzz}\nswitch: {layer: 1, label: 0}\n"
			 "link: {driver: none}\nprocess: {hugepages: \"no\"}\n");
	self.ports.count = self.setup.down_ports + self.setup.up_ports;
	require(drb_eal_init(&self.setup, false) == 0 &&
		drb_workers_init(&self.workers, &self.setup) == 0);
	require(drb_workers_attach(&self.workers, &self.ports, &self.setup) == 0);
	require(drb_workers_idle_init(&self.workers) == 0);
	require(self.base = event_base_new());
	require(drb_capture_open(&self) == 0 && drb_snapshots_open(&self) == 0 &&
		drb_changes_open(&self.workers, self.base, hear, &self) == 0 &&
		drb_background_open(&self.background, self.base) == 0 &&
		drb_reload_open(&self) == 0 && drb_stats_open(&self) == 0);
	require(drb_workers_start(&self.workers) == 0);
	self.ready = true;
	require(pthread_create(&thread, NULL, serve, NULL) == 0);
	pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	connect_to_switch();
	return 0;
}

// An empty request, which this never sends, ends the connection.
static void request(const uint8_t *text, size_t size)
{
	static char reply[1 << 20];
	static int null = -1, error = -1;

	if (null < 0) {
		null = memfd_create("messages", 0);
		error = dup(STDERR_FILENO);
		require(null >= 0 && error >= 0);
	}
	// Messages of the switch on standard error are discarded.
	require(ftruncate(null, 0) == 0);
	dup2(null, STDERR_FILENO);
	ssize_t sent = send(fd, text, size, MSG_NOSIGNAL);
	ssize_t len;
	do {
		len = sent < 0 ? sent : recv(fd, reply, sizeof(reply) - 1, 0);
	} while (len < 0 && errno == EINTR);
	dup2(error, STDERR_FILENO);
	require(sent == (ssize_t)size && len > 0);
	reply[len] = '\0';
	json_t *json = json_loadb(reply, (size_t)len, 0, NULL);
	if (!json) {
		fprintf(stderr, "no JSON: %s\n", reply);
		abort();
	}
	json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int requests = 0; size > 0 && requests < REQUESTS_MAX; requests++) {
		const uint8_t *end = memchr(data, 0, size);
		size_t length = end ? (size_t)(end - data) : size;
		if (length > 0)
			request(data, length);
		length += end != NULL;
		data += length;
		size -= length;
	}
	return 0;
}
