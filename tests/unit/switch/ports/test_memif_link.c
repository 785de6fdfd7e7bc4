// SPDX-License-Identifier: BSD-3-Clause
// Links of memif ports by their sockets: both ends meet in any order and again after one has gone, and a worker that is
// stuck keeps what it has.
#include "fixtures/unit.h"

#include <sys/epoll.h>

#include "common/cli/log.h"
#include "fixtures/memif_ends.h"

TEST_WITH(they_meet_in_any_order, NULL, stop_both)
{
	const int before = next_fd();

	meet();
	rings_are_shared();
	stop(&upper);
	stop(&lower);
	assert_int_equal(next_fd(), before);
	start(&upper, false);
	turns(50);
	workers_have_nothing(&upper);
	assert_true(connects > 1);
	start(&lower, true);
	soon(both_up);
	rings_are_shared();
}

TEST_WITH(either_may_go_and_come_again, NULL, stop_both)
{
	meet();
	for (int i = 0; i < 3; i++) {
		stop(&upper);
		soon(lower_is_down);
		workers_have_nothing(&lower);
		start(&upper, false);
		soon(both_up);
		rings_are_shared();
		stop(&lower);
		soon(upper_is_down);
		workers_have_nothing(&upper);
		start(&lower, true);
		soon(both_up);
		rings_are_shared();
	}
}

// What a worker may be using stays, and nobody new comes, until it has let go.
TEST_WITH(a_stuck_worker_keeps_its_rings, NULL, stop_both)
{
	meet();
	struct drb_memif_ring *ring = queue_of(&lower, 0)->rx.ring;
	lower.stuck = true;
	stop(&upper);
	soon(lower_is_down);
	assert_false(sees_carrier(&lower));
	assert_non_null(strstr(drb_msg_last(), "port u0: its memif peer comes or goes"));
	drb_memif_links_settle(lower.links);
	const uint32_t changes = lower.changes;
	start(&upper, false);
	turns(300);
	assert_in_range(lower.changes, changes + 1, changes + 6); // it is tried again, in good time
	assert_int_equal(ring->cookie, DRB_MEMIF_COOKIE);
	assert_ptr_equal(queue_of(&lower, 0)->rx.ring, ring);
	assert_false(is_up(&upper));
	lower.stuck = false;
	soon(both_up);
	rings_are_shared();
}

// Nor does a link come up that some worker does not know of.
TEST_WITH(a_stuck_worker_gets_no_rings, NULL, stop_both)
{
	start(&lower, true);
	lower.stuck = true;
	start(&upper, false);
	turns(300);
	assert_false(is_up(&lower));
	workers_have_nothing(&lower);
	workers_have_nothing(&upper);
	lower.stuck = false;
	soon(both_up);
	rings_are_shared();
}

// A bell wakes who sleeps on it as long as there is a link, whatever the peer still does with it.
TEST_WITH(bells_are_heard, NULL, stop_both)
{
	const uint64_t one = 1;
	struct epoll_event events[4];
	int set = epoll_create1(EPOLL_CLOEXEC), bell;

	start(&lower, true);
	drb_memif_port.wake->watch(lower.set.port[0].queue[0], set);
	start(&upper, false);
	soon(both_up);
	bell = dup(queue_of(&upper, 0)->tx.fd);
	assert_int_equal(epoll_wait(set, events, 4, 0), 0);
	assert_int_equal(write(bell, &one, sizeof(one)), sizeof(one));
	assert_int_equal(epoll_wait(set, events, 4, 0), 1);
	assert_int_equal(epoll_wait(set, events, 4, 0), 0);
	stop(&upper);
	soon(lower_is_down);
	assert_int_equal(write(bell, &one, sizeof(one)), sizeof(one));
	assert_int_equal(epoll_wait(set, events, 4, 0), 0);
	close(bell);
	start(&upper, false);
	soon(both_up);
	assert_int_equal(write(queue_of(&upper, 0)->tx.fd, &one, sizeof(one)), sizeof(one));
	assert_int_equal(epoll_wait(set, events, 4, 0), 1);
	close(set);
}

// A switch that has waited for its links long enough says which are missing, and takes them when they come.
TEST_WITH(missing_links_are_named, NULL, stop_both)
{
	start(&upper, false);
	drb_memif_links_settle(upper.links);
	assert_non_null(strstr(drb_msg_last(), "port d0: s2-0 has not come to "));
	turns(150);
	assert_in_range(connects, 2, 4); // every 100 ms
	start(&lower, true);
	soon(both_up);
}

// With fewer workers at the other end, those of this one that have no ring there have no link.
TEST_WITH(workers_without_a_ring_are_told_of, NULL, stop_both)
{
	for (int fewer_at_server = 0; fewer_at_server < 2; fewer_at_server++) {
		struct end *more = fewer_at_server ? &upper : &lower;
		start_with(&lower, true, fewer_at_server ? 1 : 2);
		start_with(&upper, false, fewer_at_server ? 2 : 1);
		soon(both_up);
		assert_true(queue_of(more, 0)->base.connected);
		assert_false(queue_of(more, 1)->base.connected);
		assert_non_null(strstr(drb_msg_last(),
				       "the other end of the memif link has 1 queues "
				       "for 2 workers"));
		stop_both(NULL);
	}
}

TEST_MAIN(make_folder, remove_folder)
