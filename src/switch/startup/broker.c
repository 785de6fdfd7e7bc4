// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/broker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "common/cli/log.h"
#include "common/cli/passing.h"
#include "switch/ports/memif/door.h"
#include "switch/ports/packet_socket/tx_socket.h"
#include "switch/startup/confine.h"
#include "switch/startup/log_file.h"
#include "switch/startup/privilege.h"

// A broker that does not answer within this time gets no more requests until it has answered.
#define ANSWER_WITHIN_S 2
#define END_WITHIN_MS 1000

#define NOTICE_MAX 1024

enum state { RUNS, STOPPED, GONE };

enum operation { OPEN_CONFIG, OPEN_SOCKET, OPEN_LOG, CONNECT, NOTIFY };

struct request {
	enum operation operation;
	uint32_t port;           // index of the port; only for CONNECT
	char notice[NOTICE_MAX]; // only for NOTIFY, which has no reply
};

// A reply is an int32_t: 0 or -errno.

// Constant from drb_broker_begin() on.
static struct drb_setup known; // a copy, because reloads change the original
static const char *config, *stats_folder;
static bool is_file;     // the config is a regular file, not a pipe, for instance
static int channel = -1; // to the broker; -1: there is none
static bool owes;        // no answer to the last request yet; owned by the background thread
// Owned by the control thread; other threads read `state`.
static pid_t process;    // of the broker; 0: it has ended
static atomic_int state; // of enum state

static bool is_client(uint32_t port)
{
	return port < known.down_ports + known.up_ports &&
	       known.ports[port].driver == DRB_DRIVER_MEMIF && !known.ports[port].up;
}

// Opens regular files only, and never blocks: a pipe, for instance, may make its reader wait.
static int open_config(void)
{
	struct stat st;
	int fd = is_file ? open(config, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;

	if (fd < 0)
		return is_file ? -errno : -ENXIO;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -ENXIO;
}

// Connects a socket that the switch has passed. Does not wait for a server that is stopped.
static int connect_to_server(uint32_t port, int fd)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int flags = fcntl(fd, F_GETFL);

	if (!is_client(port) || flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -EINVAL;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", known.ports[port].socket);
	return connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
}

static void answer(const struct request *request, int passed)
{
	int32_t reply = -EINVAL;
	int opened = -1;

	if (request->operation == NOTIFY) {
		sd_notifyf(0, "%.*s", NOTICE_MAX, request->notice);
		return;
	}
	if (request->operation == CONNECT) {
		reply = connect_to_server(request->port, passed);
	} else if (request->operation <= OPEN_LOG) {
		opened = request->operation == OPEN_CONFIG   ? open_config()
			 : request->operation == OPEN_SOCKET ? drb_packet_socket()
							     : drb_log_file_open();
		reply = opened < 0 ? opened : 0;
	}
	drb_pass(channel, &reply, sizeof(reply), opened, 0);
	if (opened >= 0)
		close(opened);
}

static void close_others(unsigned a, unsigned b)
{
	const unsigned low = a < b ? a : b, high = a < b ? b : a;

	if (low > 0)
		close_range(0, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
}

// True if the switch may need new packet sockets. With several workers, a port gets new sockets
// when its interface is created again (rebind.c). With one worker, the old socket is bound again.
static bool opens_sockets(void)
{
	bool any = false;

	for (uint32_t i = 0; i < known.down_ports + known.up_ports; i++)
		any |= known.ports[i].driver == DRB_DRIVER_AF_PACKET;
	return any && known.workers > 1;
}

// Runs the broker until the switch has ended. The broker holds the lock on the instance's name
// until it has removed the folder.
static _Noreturn void serve(int lock)
{
	static const int ignored[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT};
	struct request request;
	ssize_t length;
	int passed;

	prctl(PR_SET_NAME, "drb-broker");
	// The kernel reports the process that last took a lock. Take it here, so that another start
	// of the switch can name a stopped broker as its holder (instance.c). The kernel changes
	// the holder only if the kind of lock changes, so take a shared lock first.
	if (flock(lock, LOCK_SH | LOCK_NB) < 0 || flock(lock, LOCK_EX | LOCK_NB) < 0)
		_exit(1);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	close_others((unsigned)channel, (unsigned)lock);
	int32_t ready = drb_privilege_of_broker(opens_sockets());
	if (ready == 0)
		ready = drb_confine_broker(is_file ? config : NULL, stats_folder, &known);
	drb_pass(channel, &ready, sizeof(ready), -1, 0);
	while ((length = drb_take_passed(channel, &request, sizeof(request), &passed, 0)) > 0) {
		if (length == sizeof(request))
			answer(&request, passed);
		if (passed >= 0)
			close(passed);
	}
	for (uint32_t i = 0; i < known.down_ports + known.up_ports; i++) {
		if (drb_memif_is_server(&known.ports[i]))
			unlink(known.ports[i].socket);
	}
	rmdir(stats_folder); // fails if a killed switch left its socket, by which drbctl lists it
	_exit(0);
}

// Receives a reply. False: the broker is gone, or does not answer.
static bool reply_hear(int32_t *reply, int *passed, int flags)
{
	return drb_take_passed(channel, reply, sizeof(*reply), passed, flags) == sizeof(*reply);
}

// Ends the broker and waits until it has removed the folder, but not forever: it may be stopped.
static void broker_end(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	close(channel);
	channel = -1;
	for (uint32_t ms = 0; process && ms < END_WITHIN_MS && waitpid(process, NULL, WNOHANG) == 0;
	     ms++)
		nanosleep(&pause, NULL);
}

int drb_broker_begin(const char *path, const struct drb_setup *setup, const char *folder, int lock)
{
	int32_t ready = -ECHILD;
	struct stat st;
	int ends[2], passed;

	known = *setup;
	config = path;
	stats_folder = folder;
	is_file = stat(path, &st) == 0 && S_ISREG(st.st_mode);
	int rc = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0 ? -errno : 0;
	process = rc == 0 ? fork() : -1;
	if (process == 0) {
		channel = ends[1];
		serve(lock);
	}
	if (rc == 0) {
		rc = process < 0 ? -errno : 0;
		close(ends[1]);
		channel = ends[0];
	}
	if (rc == 0 && reply_hear(&ready, &passed, 0)) {
		const struct timeval within = {.tv_sec = ANSWER_WITHIN_S};
		setsockopt(channel, SOL_SOCKET, SO_RCVTIMEO, &within, sizeof(within));
		setsockopt(channel, SOL_SOCKET, SO_SNDTIMEO, &within, sizeof(within));
		atexit(broker_end);
	}
	rc = rc == 0 ? ready : rc;
	if (rc < 0)
		drb_error("cannot start the process that opens the config for this one: %s",
			  strerror(-rc));
	return rc;
}

// Drops a late answer, so that it is not taken for the answer to another request.
static void drop_late_answer(void)
{
	int32_t reply;
	int got;

	if (!owes || !reply_hear(&reply, &got, MSG_DONTWAIT))
		return;
	if (got >= 0)
		close(got);
	owes = false;
}

// Returns 0, a descriptor that came with the answer, or -errno.
static int broker_ask(const struct request *request, int passed)
{
	int32_t reply = 0;
	int got = -1;

	if (atomic_load(&state) != RUNS)
		return -ECHILD; // drb_broker_look() has logged it
	drop_late_answer();
	if (owes || drb_pass(channel, request, sizeof(*request), passed, 0) < 0 ||
	    !reply_hear(&reply, &got, 0)) {
		reply = -ECHILD;
		if (!owes && atomic_load(&state) == RUNS)
			drb_error(DRB_BROKER_GONE);
		owes = true;
	}
	return reply < 0 ? reply : got >= 0 ? got : 0;
}

int drb_broker_open_config(void)
{
	return broker_ask(&(struct request){.operation = OPEN_CONFIG}, -1);
}

int drb_broker_open_socket(void)
{
	return broker_ask(&(struct request){.operation = OPEN_SOCKET}, -1);
}

int drb_broker_open_log(void)
{
	return drb_log_file_name() ? broker_ask(&(struct request){.operation = OPEN_LOG}, -1)
				   : -ENXIO;
}

int drb_broker_connect(uint32_t port, int fd)
{
	return broker_ask(&(struct request){.operation = CONNECT, .port = port}, fd);
}

void drb_broker_notify(const char *format, ...)
{
	struct request request = {.operation = NOTIFY};
	va_list args;

	if (channel < 0 || !getenv("NOTIFY_SOCKET"))
		return;
	va_start(args, format);
	vsnprintf(request.notice, sizeof(request.notice), format, args);
	va_end(args);
	drb_pass(channel, &request, sizeof(request), -1, MSG_DONTWAIT);
}

void drb_broker_look(void)
{
	int status;

	while (process > 0 && waitpid(process, &status, WNOHANG | WUNTRACED | WCONTINUED) > 0) {
		const int before = atomic_load(&state);
		const int now = WIFSTOPPED(status) ? STOPPED : WIFCONTINUED(status) ? RUNS : GONE;
		atomic_store(&state, now);
		if (now == GONE)
			process = 0;
		if (now == RUNS)
			drb_info("the process that opens the config and connects memif links runs "
				 "again");
		else if (before == RUNS)
			drb_error(DRB_BROKER_GONE);
	}
}

const char *drb_broker_trouble(void)
{
	static const char *const trouble[] = {
		[RUNS] = NULL,
		[STOPPED] = "drb-broker is stopped: kill -CONT",
		[GONE] = "drb-broker is gone: restart the switch",
	};

	return trouble[atomic_load(&state)];
}
