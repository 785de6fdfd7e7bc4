// SPDX-License-Identifier: BSD-3-Clause
// wakes PORT OTHER: prints the CPU time in us that two processes need for a round. One sends a
// frame by PORT of a veth pair; the other sleeps until it receives the frame at OTHER, and answers.
// Pauses are like those of idle switches. Tells what a machine needs for the work of idle switches;
// most of it is waking an idle CPU.
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 60
#define PAUSE_NS 48000000 // outlasts caches, like the time between two hellos of a switch
#define ETHERTYPE 0x88b6  // for local experiments

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int open_port(const char *name)
{
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETHERTYPE));
	struct sockaddr_ll address = {.sll_family = AF_PACKET,
				      .sll_protocol = htons(ETHERTYPE),
				      .sll_ifindex = (int)if_nametoindex(name)};

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		fail(name);
	return fd;
}

static double cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void send_frame(int fd)
{
	const unsigned char frame[72] = {[12] = ETHERTYPE >> 8, [13] = ETHERTYPE & 0xff};

	if (send(fd, frame, sizeof(frame), 0) < 0)
		fail("send");
}

static void wait_for_frame(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	unsigned char frame[128];

	if (poll(&p, 1, 5000) != 1 || recv(fd, frame, sizeof(frame), 0) < 0)
		fail("no frame");
}

static double answer(int fd)
{
	double began = cpu_us();

	for (int i = 0; i < ROUNDS; i++) {
		wait_for_frame(fd);
		send_frame(fd);
	}
	return cpu_us() - began;
}

static double ask(int fd)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	double began = cpu_us();

	for (int i = 0; i < ROUNDS; i++) {
		nanosleep(&pause, NULL);
		send_frame(fd);
		wait_for_frame(fd);
	}
	return cpu_us() - began;
}

int main(int argc, char **argv)
{
	int result[2];
	double asked, answered;

	if (argc != 3 || pipe(result) < 0)
		return 2;
	// Open both before the first frame.
	int port = open_port(argv[1]), other = open_port(argv[2]);
	pid_t child = fork();
	if (child < 0)
		fail("fork");
	if (child == 0) {
		answered = answer(other);
		return write(result[1], &answered, sizeof(answered)) != sizeof(answered);
	}
	asked = ask(port);
	if (read(result[0], &answered, sizeof(answered)) != sizeof(answered))
		fail("child");
	waitpid(child, NULL, 0);
	printf("%.0f\n", (asked + answered) / ROUNDS);
	return 0;
}
