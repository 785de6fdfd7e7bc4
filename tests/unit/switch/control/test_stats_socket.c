// SPDX-License-Identifier: BSD-3-Clause
// Clients of a stats socket that runs in the event loop of the test. Sockets are real, and commands
// are the test's own.
#include "fixtures/unit.h"

#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <event2/event.h>

#include "common/cli/clock.h"
#include "common/cli/file_limit.h"
#include "common/cli/operators.h"
#include "switch/control/stats_socket.h"

#define PATIENT_NS UINT64_C(20000000000)

static struct event_base *base;
static struct drb_stats_socket *stats;
static char folder[64], path[96];
static char asked[4096]; // first character of the parameter of each served request; '-': none

static json_t *echo(const char *parameter, void *context)
{
	assert_ptr_equal(context, &base);
	asked[strlen(asked)] = parameter ? *parameter : '-';
	return parameter ? json_string(parameter) : json_string("nothing");
}

static json_t *longest(const char *parameter, void *context)
{
	static char text[DRB_STATS_REPLY_MAX - sizeof("{\"/longest\":\"\"}") + 1];

	(void)parameter, (void)context;
	return json_string(memset(text, 'x', sizeof(text) - 1));
}

// Requests up to this number are answered. Each request gets the next number when it asks first.
static uint64_t open_to;

static bool is_ready(uint64_t *number, void *context)
{
	static uint64_t next;

	assert_ptr_equal(context, &base);
	if (*number == 0)
		*number = ++next;
	return *number <= open_to;
}

static struct drb_stats_request *begun; // the last order that began

static void begin_order(const char *parameter, struct drb_stats_request *request, void *context)
{
	assert_ptr_equal(context, &base);
	asked[strlen(asked)] = parameter ? *parameter : '-';
	begun = request;
}

static const struct drb_stats_command commands[] = {
	{"/echo", "Says it again", .reply = echo},
	{"/longest", "As long as may be", .reply = longest},
	{"/later", "Says it again, later", .reply = echo, .ready = is_ready},
	{"/order", "Is begun, and ended by the test", .begin = begin_order}};

static struct drb_operators operators;
static const struct drb_stats_service service = {commands, ARRAY_SIZE(commands), &base, &operators};

static int begin(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/drb-test-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/socket", folder);
	memset(asked, 0, sizeof(asked));
	base = event_base_new();
	operators = (struct drb_operators){getuid(), (gid_t)-1};
	stats = drb_stats_socket_open(base, path, &service);
	return base && stats ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	drb_stats_socket_close(stats);
	event_base_free(base);
	return rmdir(folder); // so the socket is gone
}

// Returns the next reply as text. "": the connection was closed.
static const char *receive(int fd)
{
	static char text[1 << 20];
	const uint64_t until = drb_clock_now() + PATIENT_NS;
	ssize_t size;

	while ((size = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT)) < 0 && errno == EAGAIN) {
		assert_true(drb_clock_now() < until);
		event_base_loop(base, EVLOOP_NONBLOCK);
	}
	text[size > 0 ? size : 0] = '\0';
	return text;
}

static void request(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT), strlen(text));
}

static void says(int fd, const char *text, const char *want)
{
	request(fd, text);
	assert_string_equal(receive(fd), want);
}

static int connect_to(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, path);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static int greeted(void)
{
	int fd = connect_to();

	assert_non_null(strstr(receive(fd), "max_output_len"));
	return fd;
}

static bool is_open(int fd)
{
	char byte;

	event_base_loop(base, EVLOOP_NONBLOCK);
	return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
}

static void answer_up_to(uint64_t number)
{
	open_to = number;
	drb_stats_socket_look(stats);
}

TEST_WITH(dpdk_s_protocol, begin, end)
{
	int fd = connect_to();
	json_t *greeting = json_loads(receive(fd), 0, NULL);

	assert_int_equal(json_integer_value(json_object_get(greeting, "pid")), getpid());
	assert_int_equal(json_integer_value(json_object_get(greeting, "max_output_len")),
			 DRB_STATS_REPLY_MAX);
	assert_non_null(strstr(json_string_value(json_object_get(greeting, "version")), "DPDK"));
	request(fd, "/info");
	json_t *info = json_loads(receive(fd), 0, NULL);
	assert_true(json_equal(json_object_get(info, "/info"), greeting));
	json_decref(greeting);
	json_decref(info);
	says(fd, "/",
	     "{\"/\":[\"/\",\"/help\",\"/info\",\"/echo\",\"/longest\",\"/later\",\"/order\"]}");
	says(fd, "/help,/echo", "{\"/help\":{\"/echo\":\"Says it again\"}}");
	says(fd, "/help,/nothing", "{\"/help\":null}");
	says(fd, "/help", "{\"/help\":null}");
	close(fd);
}

TEST_WITH(parameters_follow_a_comma, begin, end)
{
	int fd = greeted();

	says(fd, "/echo", "{\"/echo\":\"nothing\"}");
	says(fd, "/echo,", "{\"/echo\":\"nothing\"}");
	says(fd, "/echo,a,b", "{\"/echo\":\"a,b\"}");
	says(fd, "/nothing,a", "{\"/nothing\":null}");
	says(fd, ",", "{\"\":null}");
	// Bytes of a command that are no text become "?". A value that is no text becomes null.
	says(fd, "/\x01\xff\"\x7f", "{\"/??\\\"?\":null}");
	says(fd, "/echo,\xff", "{\"/echo\":null}");
	close(fd);
}

TEST_WITH(the_longest_reply_comes_in_one_piece, begin, end)
{
	int fd = greeted();

	for (int i = 0; i < 3; i++) {
		request(fd, "/longest");
		assert_int_equal(strlen(receive(fd)), DRB_STATS_REPLY_MAX - 1);
	}
	close(fd);
}

TEST_WITH(what_is_no_request_ends_the_connection, begin, end)
{
	char too_long[1025] = {0};
	int fd = greeted();

	memset(too_long, '/', 1023);
	request(fd, too_long);
	assert_non_null(strstr(receive(fd), "null")); // the greatest length
	memset(too_long, '/', 1024);
	request(fd, too_long);
	assert_string_equal(receive(fd), "");
	close(fd);
	fd = greeted();
	request(fd, "");
	assert_string_equal(receive(fd), "");
	close(fd);
}

// A client may close its connection, or one direction of it, after a request. Other clients are
// served.
TEST_WITH(who_asks_may_go, begin, end)
{
	int half = greeted(), gone = greeted(), other = greeted();

	request(half, "/echo,h");
	shutdown(half, SHUT_WR);
	request(gone, "/longest");
	close(gone);
	says(other, "/echo,o", "{\"/echo\":\"o\"}");
	assert_string_equal(receive(half), "{\"/echo\":\"h\"}");
	close(half);
	close(other);
}

TEST_WITH(each_has_its_turn, begin, end)
{
	int many = greeted(), one = greeted();

	for (int i = 0; i < 50; i++)
		request(many, "/echo,m");
	request(one, "/echo,1");
	receive(one);
	assert_true(strchr(asked, '1') - asked <= 1);
	close(many);
	close(one);
}

// While a reply is delayed, other clients and the event loop do not wait. The next request of the
// same client waits for it.
TEST_WITH(who_waits_keeps_nobody, begin, end)
{
	int first = greeted(), second = greeted(), gone = greeted(), other = greeted();

	request(first, "/later,1");
	request(first, "/echo,e");
	request(second, "/later,2");
	request(gone, "/later,3");
	close(gone);
	for (int i = 0; i < 50; i++)
		says(other, "/echo,o", "{\"/echo\":\"o\"}");
	assert_int_equal(strspn(asked, "o"), 50);
	answer_up_to(1);
	assert_string_equal(receive(first), "{\"/later\":\"1\"}");
	assert_string_equal(receive(first), "{\"/echo\":\"e\"}");
	assert_true(is_open(second));
	answer_up_to(2);
	assert_string_equal(receive(second), "{\"/later\":\"2\"}");
	says(second, "/echo,s", "{\"/echo\":\"s\"}");
	assert_string_equal(asked + 50, "1e2s");
	close(first);
	close(second);
	close(other);
}

static struct drb_stats_request *begin_by(int fd, const char *text)
{
	const uint64_t until = drb_clock_now() + PATIENT_NS;

	begun = NULL;
	request(fd, text);
	while (!begun) {
		assert_true(drb_clock_now() < until);
		event_base_loop(base, EVLOOP_NONBLOCK);
	}
	return begun;
}

// The reply comes when the order is over. After a second, the client gets a reply that the order
// goes on, and its result is dropped later. The result is also dropped if the client is gone.
TEST_WITH(orders_take_a_while, begin, end)
{
	int fd = greeted(), gone = greeted();
	struct drb_stats_request *first = begin_by(fd, "/order,1"),
				 *lost = begin_by(gone, "/order,2");
	const uint64_t asked_ns = drb_clock_now();

	close(gone);
	assert_true(is_open(fd));
	drb_stats_reply(first, json_string("done"));
	drb_stats_reply(lost, json_string("lost"));
	assert_string_equal(receive(fd), "{\"/order\":\"done\"}");
	first = begin_by(fd, "/order,3");
	assert_string_equal(receive(fd), "{\"/order\":\"" DRB_STATS_LATE "\"}");
	assert_in_range((drb_clock_now() - asked_ns) / 1000000, DRB_STATS_REPLY_WITHIN_MS - 50,
			20000);
	says(fd, "/echo,e", "{\"/echo\":\"e\"}");
	drb_stats_reply(first, json_string("late"));
	assert_true(is_open(fd));
	assert_string_equal(asked, "123e");
	close(fd);
}

// The requests of a client that does not read wait, while other clients are served. Once it reads,
// it is served as well.
TEST_WITH(who_does_not_read_is_not_asked, begin, end)
{
	int greedy = greeted(), other = greeted();
	uint32_t sent = 0;

	while (sent < 20 && send(greedy, "/longest", 8, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		sent++;
	request(greedy, "/echo,g");
	for (int i = 0; i < 50; i++)
		says(other, "/echo,o", "{\"/echo\":\"o\"}");
	assert_int_equal(strlen(asked), 50);
	for (uint32_t i = 0; i < sent; i++)
		assert_int_equal(strlen(receive(greedy)), DRB_STATS_REPLY_MAX - 1);
	assert_string_equal(receive(greedy), "{\"/echo\":\"g\"}");
	close(greedy);
	close(other);
}

TEST_WITH(who_does_not_read_for_long_is_let_go, begin, end)
{
	const uint64_t began = drb_clock_now();
	int fd = greeted();

	for (int i = 0; i < 20; i++)
		request(fd, "/longest");
	while (send(fd, "/", 1, MSG_DONTWAIT | MSG_NOSIGNAL) > 0 || errno == EAGAIN) {
		assert_true(drb_clock_now() - began < PATIENT_NS);
		event_base_loop(base, EVLOOP_ONCE);
	}
	assert_true(errno == EPIPE || errno == ECONNRESET);
	assert_true(drb_clock_now() - began >= DRB_STATS_TAKE_WITHIN_S * UINT64_C(1000000000));
	close(fd);
}

// Beyond the limit, the client that has been silent for the longest time is closed. The first
// client sends another request, so it stays.
TEST_WITH(the_longest_silent_makes_room, begin, end)
{
	static int fd[DRB_STATS_CLIENTS_MAX + 3];
	const uint32_t all = ARRAY_SIZE(fd);

	if (drb_files_allow(4 * DRB_STATS_CLIENTS_MAX) < 4 * DRB_STATS_CLIENTS_MAX)
		skip();
	end(NULL);
	begin(NULL); // with the new limit of descriptors
	for (uint32_t i = 0; i < DRB_STATS_CLIENTS_MAX; i++)
		fd[i] = greeted();
	says(fd[0], "/echo", "{\"/echo\":\"nothing\"}");
	for (uint32_t i = DRB_STATS_CLIENTS_MAX; i < all; i++)
		fd[i] = greeted();
	for (uint32_t i = 0; i < all; i++) {
		assert_int_equal(is_open(fd[i]), i == 0 || i > 3);
		close(fd[i]);
	}
}

TEST_WITH(the_name_is_its_owner_s, begin, end)
{
	struct drb_stats_socket *other;
	char left[100];
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode, S_IFSOCK | 0600);
	// The socket that a killed process left is replaced.
	snprintf(left, sizeof(left), "%s2", path);
	assert_int_equal(link(path, left), 0);
	other = drb_stats_socket_open(base, left, &service);
	assert_non_null(other);
	drb_stats_socket_close(other);
	assert_int_equal(access(left, F_OK), -1);
	assert_null(drb_stats_socket_open(base, "/nonexistent/socket", &service));
}

// Root, the user who started the switch, and members of one group may give orders. All others may
// only read.
TEST_WITH(operators_give_orders, begin, end)
{
	static const struct {
		uid_t user;
		gid_t primary, others[3];
		bool may;
	} clients[] = {
		{0, 5003, {5003, 5003, 5003}, true},     {5001, 5003, {5003, 5003, 5003}, true},
		{5002, 5003, {4999, 5003, 5004}, false}, {5002, 5000, {4999, 5003, 5004}, true},
		{5002, 5003, {5000, 5003, 5004}, true},  {5002, 5003, {4998, 5000, 5004}, true},
		{5002, 5003, {4998, 4999, 5000}, true}};

	operators = (struct drb_operators){5001, 5000};
	drb_stats_socket_close(stats);
	stats = drb_stats_socket_open(base, path, &service);
	assert_non_null(stats);
	assert_int_equal(chmod(folder, 0711), 0);
	for (size_t i = 0; i < ARRAY_SIZE(clients); i++) {
		if (setgroups(3, clients[i].others) < 0 || setegid(clients[i].primary) < 0 ||
		    seteuid(clients[i].user) < 0)
			skip(); // takes root, and a user namespace with these
		int fd = connect_to();
		assert_int_equal(seteuid(0), 0);
		receive(fd);
		says(fd, "/echo,e", "{\"/echo\":\"e\"}");
		if (clients[i].may) {
			drb_stats_reply(begin_by(fd, "/order,o"), json_string("o"));
			assert_string_equal(receive(fd), "{\"/order\":\"o\"}");
		} else {
			request(fd, "/order,o");
			assert_non_null(strstr(receive(fd), "\"error: only root"));
		}
		close(fd);
	}
	assert_int_equal(setegid(0), 0);
}

TEST_MAIN(NULL, NULL)
