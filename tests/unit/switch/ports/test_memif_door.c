// SPDX-License-Identifier: BSD-3-Clause
// A client that connects to a memif port, or a server that does not accept, blocks neither the loop
// nor a link.
#include "fixtures/unit.h"

#include <sys/stat.h>

#include "common/cli/log.h"
#include "fixtures/memif_ends.h"

static int come(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

// The type of the switch's message; 0: it has disconnected; -1: none.
static int said_to(int fd)
{
	struct drb_memif_message m = {0};

	for (int i = 0; i < 20; i++)
		turn();
	const ssize_t size = recv(fd, &m, sizeof(m), MSG_DONTWAIT);
	return size > 0 ? m.type : size == 0 || errno == ECONNRESET ? 0 : -1;
}

TEST_WITH(a_link_has_one_client, NULL, stop_both)
{
	meet();
	int other = come();
	assert_int_equal(said_to(other), DRB_MEMIF_DISCONNECT);
	assert_int_equal(said_to(other), 0);
	close(other);
	assert_true(both_up());
	rings_are_shared();
}

// A silent client keeps no other out.
TEST_WITH(silent_clients_give_way, NULL, stop_both)
{
	const mode_t mask = umask(027);

	start(&lower, true);
	assert_int_equal(umask(mask), 027); // files that are made later have their usual mode
	int silent = come(), next;
	assert_int_equal(said_to(silent), DRB_MEMIF_HELLO);
	next = come();
	assert_int_equal(said_to(next), DRB_MEMIF_HELLO);
	assert_int_equal(said_to(silent), 0);
	start(&upper, false);
	soon(both_up);
	assert_int_equal(said_to(next), 0);
	close(silent);
	close(next);
}

// A client that sends a wrong message gets a reason and is disconnected, and leaves nothing behind.
TEST_WITH(mistakes_end_a_channel, NULL, stop_both)
{
	struct drb_memif_message wrong = {.type = DRB_MEMIF_REGION};

	start(&lower, true);
	const int before = next_fd();
	for (int i = 0; i < 100; i++) {
		int fd = come();
		assert_int_equal(said_to(fd), DRB_MEMIF_HELLO);
		assert_int_equal(send(fd, &wrong, sizeof(wrong), 0), sizeof(wrong));
		assert_int_equal(said_to(fd), DRB_MEMIF_DISCONNECT);
		assert_int_equal(said_to(fd), 0);
		close(fd);
	}
	assert_int_equal(next_fd(), before);
	assert_non_null(strstr(drb_msg_last(),
			       "port u0: the other end of the memif link is refused: "
			       "a message came out of order"));
}

// The reason of a client that disconnects is logged.
TEST_WITH(goodbyes_are_told, NULL, stop_both)
{
	struct drb_memif_message bye = {.type = DRB_MEMIF_DISCONNECT, .disconnect.why = "no room"};

	start(&lower, true);
	int fd = come();
	assert_int_equal(said_to(fd), DRB_MEMIF_HELLO);
	assert_int_equal(send(fd, &bye, sizeof(bye), 0), sizeof(bye));
	assert_int_equal(said_to(fd), 0);
	assert_non_null(strstr(drb_msg_last(),
			       "port u0: the other end of the memif link hangs up: no room"));
	close(fd);
}

// The switch does not wait for a client that reads no answers.
TEST_WITH(unread_answers_keep_nobody, NULL, stop_both)
{
	struct drb_memif_message init = {.type = DRB_MEMIF_INIT};

	start(&lower, true);
	for (int i = 0; i < 20; i++) {
		int fd = come();
		init.init.version = DRB_MEMIF_VERSION;
		alarm(30);
		while (send(fd, &init, sizeof(init), MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
			event_base_loop(base, EVLOOP_NONBLOCK);
		alarm(0);
		close(fd);
	}
}

// A stopped server lets clients wait until its backlog is full: the client's loop continues.
TEST_WITH(a_stopped_server_keeps_nobody, NULL, stop_both)
{
	int door = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), waiting;

	assert_int_equal(bind(door, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(door, 0), 0);
	start(&upper, false);
	turns(250); // it waits for the greeting
	assert_int_equal(connects, 1);
	assert_int_equal(last_connect, 0);
	waiting = accept(door, NULL, NULL);
	close(waiting);
	int others = come(); // the only position
	turns(250);
	assert_int_equal(last_connect, -EAGAIN);
	assert_true(connects > 2);
	close(door);
	close(others);
	unlink(address.sun_path);
	start(&lower, true);
	soon(both_up);
}

// The socket of a server that was killed is replaced; that of a running server is not.
TEST_WITH(sockets_left_behind_give_way, NULL, stop_both)
{
	int door = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct drb_port second = {.kind = &drb_memif_port, .workers = 1};
	struct drb_port_setup setup = {.up = true, .name = "u1"};

	assert_int_equal(bind(door, (struct sockaddr *)&address, sizeof(address)), 0);
	close(door);
	start(&lower, true);
	snprintf(setup.socket, sizeof(setup.socket), "%s", address.sun_path);
	second.setup = &setup;
	assert_int_equal(second.kind->start(&second, "none"), -EINVAL);
	assert_non_null(strstr(drb_msg_last(), "port u1: cannot listen on \"/tmp/drb-test-memif-"));
	second.kind->stop(&second);
	assert_int_equal(access(address.sun_path, F_OK), 0);
}

TEST_MAIN(make_folder, remove_folder)
