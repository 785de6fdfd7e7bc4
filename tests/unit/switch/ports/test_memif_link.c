// SPDX-License-Identifier: BSD-3-Clause
// Links of memif ports over their sockets. Both ends connect in any order, and again after one has
// gone. A stuck worker keeps its rings.
#include "fixtures/unit.h"

#include <sys/epoll.h>

#include "common/cli/log.h"
#include "fixtures/memif_ends.h"

TEST_WITH(they_meet_in_any_order, NULL, stop_both)
{
	assert_int_equal(drb_doorbell_open(WORKERS), 0); // once for all tests
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

// Rings that a worker may be using stay mapped, and no peer can connect, until it releases them.
TEST_WITH(a_stuck_worker_keeps_its_rings, NULL, stop_both)
{
	meet();
	struct drb_memif_ring *ring = queue_of(&lower, 0)->rx.ring;
	lower.stuck = true;
	stop(&upper);
	soon(lower_is_down);
	assert_false(sees_carrier(&lower));
	drb_memif_links_look(lower.links, true);
	start(&upper, false);
	turns(300);
	assert_int_equal(ring->cookie, DRB_MEMIF_COOKIE);
	assert_ptr_equal(queue_of(&lower, 0)->rx.ring, ring);
	assert_false(is_up(&upper));
	unstick(&lower);
	soon(both_up);
	rings_are_shared();
}

// A link does not come up before all workers have its rings.
TEST_WITH(a_stuck_worker_gets_no_rings, NULL, stop_both)
{
	start(&lower, true);
	lower.stuck = true;
	start(&upper, false);
	turns(300);
	assert_non_null(strstr(drb_msg_last(), "port u0: its memif peer waits for a worker"));
	assert_false(is_up(&lower));
	workers_have_nothing(&lower);
	workers_have_nothing(&upper);
	unstick(&lower);
	soon(both_up);
	rings_are_shared();
}

// A bell wakes the worker that waits for it only while there is a link, even if the peer goes on
// ringing it.
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

// A switch that has waited for its links long enough reports the missing ones, and accepts them
// when they come.
TEST_WITH(missing_links_are_named, NULL, stop_both)
{
	start(&upper, false);
	drb_memif_links_look(upper.links, true);
	assert_non_null(strstr(drb_msg_last(), "port d0: s2-0 has not come to "));
	turns(150);
	assert_in_range(connects, 2, 4); // every 100 ms
	start(&lower, true);
	soon(both_up);
}

// A peer that has come and left is not reported as missing.
TEST_WITH(links_that_were_up_are_not_missing, NULL, stop_both)
{
	start(&lower, true);
	start(&upper, false);
	soon(both_up);
	stop(&upper);
	soon(lower_is_down);
	drb_info("nothing is said after this");
	drb_memif_links_look(lower.links, true);
	assert_string_equal(drb_msg_last(), "nothing is said after this");
}

// Each rest of a doorbell is named once, however long it lasts.
TEST_WITH(doorbells_that_rest_are_named, NULL, stop_both)
{
	start(&lower, true);
	start(&upper, false);
	soon(both_up);
	for (int rests = 0; rests < 2; rests++) {
		atomic_store(&queue_of(&upper, 0)->tx.slow, DRB_DOORBELL_RESTS);
		drb_memif_links_look(upper.links, false);
		assert_non_null(strstr(drb_msg_last(), "its memif peer is not woken for a while"));
		drb_info("nothing is said after this");
		drb_memif_links_look(upper.links, false);
		atomic_store(&queue_of(&upper, 0)->tx.slow, DRB_DOORBELL_RESTS - 1);
		drb_memif_links_look(upper.links, false);
		assert_string_equal(drb_msg_last(), "nothing is said after this");
	}
}

// If the other end has fewer workers, the workers of this end without a ring have no link.
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
