// SPDX-License-Identifier: BSD-3-Clause
// The control channel of a memif link: both ends send the messages of the protocol, in its order,
// and both end up with the same rings.
#include "fixtures/unit.h"

#include "fixtures/memif_channel.h"

static struct drb_memif_channel server, client;

// Bytes of a message, in the layout of the protocol.
static const uint8_t *octets(const struct drb_memif_answer *a)
{
	return (const uint8_t *)&a->message;
}

static uint64_t number_at(const struct drb_memif_answer *a, size_t at, size_t length)
{
	uint64_t n = 0;

	memcpy(&n, octets(a) + at, length);
	return n;
}

TEST_WITH(a_server_says_what_the_protocol_has, begin_server, end_channel)
{
	assert_true(answer.any);
	assert_int_equal(number_at(&answer, 0, 2), 2); // HELLO
	assert_string_equal((const char *)octets(&answer) + 2, "drbswitch +u");
	assert_int_equal(number_at(&answer, 34, 2), 0x200);
	assert_int_equal(number_at(&answer, 36, 2), 0x200);
	assert_int_equal(number_at(&answer, 40, 2), QUEUES - 1);
	assert_int_equal(number_at(&answer, 42, 2), QUEUES - 1);
	assert_int_equal(number_at(&answer, 44, 1), 10);
	assert_null(hear_init());
	assert_int_equal(number_at(&answer, 0, 2), 1); // ACK
	drb_memif_channel_refuse("no", &answer);
	assert_int_equal(number_at(&answer, 0, 2), 8); // DISCONNECT
	assert_string_equal((const char *)octets(&answer) + 6, "no");
}

TEST_WITH(a_client_says_what_the_protocol_has, begin_client, end_channel)
{
	struct drb_memif_message greeting = hello("another");

	assert_false(answer.any);
	assert_null(hear(&greeting, -1));
	assert_int_equal(number_at(&answer, 0, 2), 3); // INIT
	assert_int_equal(number_at(&answer, 2, 2), 0x200);
	assert_int_equal(number_at(&answer, 4, 5), 0); // id, mode
	assert_string_equal((const char *)octets(&answer) + 33, "drbswitch +u");
	assert_null(hear_type(DRB_MEMIF_ACK));
	assert_int_equal(number_at(&answer, 0, 2), 4); // ADD_REGION
	assert_int_equal(number_at(&answer, 2, 2), 0);
	assert_int_equal(number_at(&answer, 4, 8), lseek(answer.fd, 0, SEEK_END));
	assert_true(fcntl(answer.fd, F_GET_SEALS) & F_SEAL_SHRINK);
	for (uint32_t ring = 0; ring < 2 * QUEUES; ring++) {
		assert_null(hear_type(DRB_MEMIF_ACK));
		assert_int_equal(number_at(&answer, 0, 2), 5);             // ADD_RING
		assert_int_equal(number_at(&answer, 2, 2), ring < QUEUES); // from the client
		assert_int_equal(number_at(&answer, 4, 2), ring % QUEUES); // index
		assert_int_equal(number_at(&answer, 6, 2), 0);             // region
		assert_int_equal(number_at(&answer, 8, 4), ring * RING_OCTETS);
		assert_int_equal(number_at(&answer, 12, 1), 10);
		assert_int_equal(number_at(&answer, 13, 2), 0);
		assert_true(answer.fd >= 0);
	}
	assert_null(hear_type(DRB_MEMIF_ACK));
	assert_int_equal(number_at(&answer, 0, 2), 6); // CONNECT
	assert_null(hear_type(DRB_MEMIF_CONNECTED));
	assert_false(answer.any);
	assert_int_equal(channel.stage, DRB_MEMIF_JOINED);
}

static uint8_t server_log2 = DRB_MEMIF_LOG2_RING, client_log2 = DRB_MEMIF_LOG2_RING;

// Joins both ends, with these numbers of queues, until neither has a message to send.
static void join(uint32_t at_server, uint32_t at_client)
{
	struct drb_memif_answer said, heard;

	drb_memif_channel_begin(&client, false, at_client, client_log2, &heard);
	drb_memif_channel_begin(&server, true, at_server, server_log2, &said);
	while (said.any) {
		assert_null(drb_memif_channel_hear(&client, &said.message, sizeof(said.message), -1,
						   &heard));
		if (!heard.any)
			break;
		assert_null(drb_memif_channel_hear(&server, &heard.message, sizeof(heard.message),
						   heard.fd < 0 ? -1 : dup(heard.fd), &said));
	}
	assert_int_equal(server.stage, DRB_MEMIF_JOINED);
	assert_int_equal(client.stage, DRB_MEMIF_JOINED);
}

static void end_both(void)
{
	drb_memif_channel_end(&server);
	drb_memif_channel_end(&client);
}

static void rings_are_shared(const struct drb_doorbell *one, const struct drb_doorbell *other)
{
	const uint64_t count = 3;
	uint64_t rung;

	assert_true(one->ring && other->ring && one->ring != other->ring);
	assert_int_equal(one->size, other->size);
	assert_int_equal(one->empty, other->empty);
	atomic_store(&one->ring->head, 77);
	assert_int_equal(atomic_load(&other->ring->head), 77);
	assert_int_equal(write(one->fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(read(other->fd, &rung, sizeof(rung)), sizeof(rung));
	assert_int_equal(rung, count);
	// Each descriptor has its own buffer, in the memory of both ends.
	for (uint32_t i = 0; i < one->size; i++) {
		const struct drb_memif_desc *d = &other->ring->desc[i];
		assert_int_equal(d->length, DRB_MEMIF_BUFFER);
		assert_true(d->offset + d->length <= other->memory->region[0].size);
		assert_true(i == 0 || d->offset == d[-1].offset + DRB_MEMIF_BUFFER);
	}
}

// Packets that one end sends arrive at the other, with equal and with different numbers of queues.
TEST(both_ends_have_the_same_rings)
{
	static const uint32_t queues[][3] = {
		{1, 1, 1}, {2, 2, 2}, {1, 2, 1}, {3, 1, 1}, {16, 16, 16}};
	const int before = next_fd();

	for (size_t i = 0; i < ARRAY_SIZE(queues); i++) {
		join(queues[i][0], queues[i][1]);
		for (uint32_t q = 0; q < queues[i][2]; q++) {
			rings_are_shared(drb_memif_channel_tx(&client, q),
					 drb_memif_channel_rx(&server, q));
			rings_are_shared(drb_memif_channel_tx(&server, q),
					 drb_memif_channel_rx(&client, q));
			assert_int_equal(drb_memif_channel_tx(&client, q)->empty, 0);
			assert_int_equal(drb_memif_channel_rx(&client, q)->empty, 1024);
		}
		for (uint32_t q = queues[i][2]; q < DRB_WORKERS_MAX; q++) {
			assert_null(drb_memif_channel_tx(&client, q)->ring);
			assert_null(drb_memif_channel_tx(&server, q)->ring);
		}
		assert_int_equal(server.takes, 1u << DRB_MEMIF_TAKES_UNFINISHED);
		assert_int_equal(client.takes, server.takes);
		end_both();
		assert_int_equal(next_fd(), before);
	}
}

// A ring has the shorter of the two lengths that both ends want.
TEST(shorter_rings)
{
	for (uint32_t shorter = 0; shorter < 2; shorter++) {
		server_log2 = shorter ? 6 : 8;
		client_log2 = shorter ? 8 : 6;
		join(1, 1);
		rings_are_shared(drb_memif_channel_tx(&client, 0),
				 drb_memif_channel_rx(&server, 0));
		assert_int_equal(drb_memif_channel_tx(&server, 0)->size, 64);
		assert_int_equal(drb_memif_channel_rx(&client, 0)->empty, 64);
		end_both();
	}
	server_log2 = client_log2 = DRB_MEMIF_LOG2_RING;
}

// Different rings have different buffers.
TEST(buffers_are_apart)
{
	uint64_t end = 0;

	join(2, 2);
	for (int from_client = 1; from_client >= 0; from_client--) {
		for (uint32_t q = 0; q < 2; q++) {
			const struct drb_memif_desc *d = client.bell[from_client][q].ring->desc;
			assert_true(d[0].offset >= end && d[0].offset >= 4 * RING_OCTETS);
			end = d[1023].offset + DRB_MEMIF_BUFFER;
		}
	}
	assert_int_equal(end, client.memory.region[0].size);
	end_both();
}

// A server that accepts shorter rings gets these.
TEST_WITH(rings_are_as_short_as_the_server_wants, begin_client, end_channel)
{
	struct drb_memif_message greeting = hello("small");

	greeting.hello.max_log2_size = 4;
	assert_null(hear(&greeting, -1));
	assert_null(hear_type(DRB_MEMIF_ACK));
	assert_null(hear_type(DRB_MEMIF_ACK));
	assert_int_equal(answer.message.ring.log2_size, 4);
	assert_int_equal(drb_memif_channel_rx(&channel, 0)->size, 16);
	assert_int_equal(drb_memif_channel_rx(&channel, 0)->empty, 16);
}

// The name of the other end says what it accepts, if it is a drbswitch.
TEST(names_tell_what_is_taken)
{
	static const struct {
		const char *name;
		bool takes;
	} said[] = {
		{"drbswitch +u", true},
		{"drbswitch +?u~", true}, // of a later release
		{"drbswitch +", false},
		{"drbswitch +x", false},
		{"DPDK 22.11.11", false},
		{"drbswitch 0.1 u", false},
		{"", false},
		{"drbswitch +0123456789012345678901u", false}, // behind the name
	};

	for (size_t i = 0; i < ARRAY_SIZE(said); i++) {
		struct drb_memif_message m = hello(said[i].name);
		assert_int_equal(begin_client(NULL), 0);
		assert_null(hear(&m, -1));
		assert_int_equal(channel.takes, said[i].takes);
		assert_int_equal(channel.ours, strncmp(said[i].name, "drbswitch +", 11) == 0);
		end_channel(NULL);
		m = (struct drb_memif_message){.type = DRB_MEMIF_INIT};
		m.init.version = DRB_MEMIF_VERSION;
		memcpy(m.init.name, said[i].name, strnlen(said[i].name, sizeof(m.init.name)));
		assert_int_equal(begin_server(NULL), 0);
		assert_null(hear(&m, -1));
		assert_int_equal(channel.takes, said[i].takes);
		assert_int_equal(channel.ours, strncmp(said[i].name, "drbswitch +", 11) == 0);
		end_channel(NULL);
	}
}

// Another version, link or mode is refused.
TEST(others_are_refused)
{
	struct drb_memif_message m = {.type = DRB_MEMIF_INIT};

	for (int wrong = 0; wrong < 3; wrong++) {
		m.init.version = wrong == 0 ? 0x300 : DRB_MEMIF_VERSION;
		m.init.id = wrong == 1;
		m.init.mode = wrong == 2;
		assert_int_equal(begin_server(NULL), 0);
		assert_non_null(hear(&m, -1));
		end_channel(NULL);
	}
	for (int wrong = 0; wrong < 2; wrong++) {
		struct drb_memif_message greeting = hello("later");
		greeting.hello.min_version = wrong == 0 ? 0x201 : 0x100;
		greeting.hello.max_version = wrong == 0 ? 0x300 : 0x1ff;
		assert_int_equal(begin_client(NULL), 0);
		assert_non_null(hear(&greeting, -1));
		end_channel(NULL);
	}
}

// An end that disconnects may give a reason, which is made fit for one log line.
TEST_WITH(goodbyes_are_heard, begin_server, end_channel)
{
	struct drb_memif_message m = {.type = DRB_MEMIF_DISCONNECT};

	strcpy(m.disconnect.why, "no\nroom");
	assert_non_null(hear(&m, -1));
	assert_string_equal(answer.goodbye, "no?room");
	memset(m.disconnect.why, 'w', sizeof(m.disconnect.why));
	assert_non_null(hear(&m, -1));
	assert_int_equal(strlen(answer.goodbye), sizeof(m.disconnect.why) - 1);
	assert_null(hear_init());
	assert_string_equal(answer.goodbye, "");
}

TEST_MAIN(NULL, NULL)
