// SPDX-License-Identifier: BSD-3-Clause
// The forwarding decision for a received burst: destination label -> up or down -> port -> queue.
#include "switch/datapath/routing/flow_assign.h"
#include "switch/datapath/uplink.h"
#include "switch/datapath/routing/detour.h"
#include "switch/datapath/enqueue.h"

static inline uint64_t packed_occupancy(const struct drb_worker *w)
{
	uint64_t packed = 0;

	for (uint32_t i = w->down_ports; w->queued > 0 && i < w->ports; i++)
		packed += w->occupancy[i] * drb_packed_one(i - w->down_ports);
	return packed;
}

// The places in packed loads of some uplinks.
static inline uint64_t packed_mask(uint32_t uplinks)
{
	uint64_t mask = 0;

	for (; uplinks; uplinks &= uplinks - 1)
		mask |= drb_packed_one((uint32_t)__builtin_ctz(uplinks)) * DRB_PACKED_MAX;
	return mask;
}

// Bursts without a load, which a scheme with a threshold decides by effective_scheme().
static inline __attribute__((always_inline)) bool is_idle(struct how how)
{
	return how.unloaded || how.scheme == DRB_SCHEME_DMODK;
}

// Decides on every packet of a burst and puts it where it belongs, when every queue has room for
// the burst in one piece.
static inline __attribute__((always_inline)) void forward_open(struct drb_worker *w, uint32_t in,
							       struct rte_mbuf **packets,
							       uint32_t count, const struct how how)
{
	const struct drb_choice choice = choice_of(w, how);
	const struct drb_classifier classifier = w->port[in].classifier;
	const uint32_t each = shares(how, choice.uplinks);
	const uint32_t waits = reads_loads(how) ? drb_waiting_uplinks(w) : 0;
	const uint64_t packed_waits = how.packed && !how.unloaded ? packed_mask(waits) : 0;
	uint32_t load[DRB_PORTS_MAX];
	struct drb_loads loads = {.at = how.packed ? NULL : load};
	struct turns turns = turns_open(w, how);
	struct decided decided = {0};
	struct drb_enqueue_batch batch;
	uint8_t class[DRB_BURST_MAX];
	uint32_t size = packets[0]->pkt_len, mixed = 0;

	if (how.packed && !how.unloaded)
		loads.packed = w->shared_load.packed + packed_occupancy(w);
	else if (reads_loads(how))
		drb_shared_load_sum(w, load);
	for (uint32_t i = 0, end; i < count; i = end) {
		uint64_t bits = each == UINT32_MAX ? 0 : drb_rng_next(&w->rng);
		end = count - i > each ? i + each : count;
		for (uint32_t k = i; k < end; k++) {
			struct rte_mbuf *m = packets[k];
			uint32_t out = drb_classify(&classifier, m);
			mixed |= m->pkt_len ^ size;
			if (how.scheme != DRB_SCHEME_DMODK && out >= DRB_CLASS_UP) {
				uint32_t up = decide(w, how, &choice, loads, &turns, m,
						     out - DRB_CLASS_UP, &bits, &decided);
				if (how.packed && !how.unloaded)
					loads.packed += drb_packed_one(up) & packed_waits;
				else if (reads_loads(how))
					load[up] += waits >> up & 1;
				out = DRB_CLASS_UP + up;
			}
			class[k] = (uint8_t)out;
		}
	}
	drb_enqueue_begin(&batch, w, in, mixed ? 0 : size);
	for (uint32_t i = 0; i < count; i++)
		drb_enqueue_add(&batch, class[i], packets[i]);
	turns_close(w, how, &turns, decided.walked);
	w->routing.up_walked += decided.walked;
	uint32_t up = drb_enqueue_commit(&batch, w, decided.redirected);
	if (is_idle(how))
		drb_sample_idle(w, up - decided.walked);
}

// The same for queues that may get full.
static inline __attribute__((always_inline)) void forward_queued(struct drb_worker *w, uint32_t in,
								 struct rte_mbuf **packets,
								 uint32_t count,
								 const struct how how)
{
	const struct drb_choice choice = choice_of(w, how);
	const struct drb_classifier classifier = w->port[in].classifier;
	const uint32_t waits = drb_waiting_uplinks(w);
	uint32_t load[DRB_UPLINKS_MAX];
	const struct drb_loads loads = {.at = load};
	const uint32_t each = shares(how, choice.uplinks);
	struct turns turns = turns_open(w, how);
	struct decided decided = {0};
	uint32_t up = 0, exceptions = 0, left = 0;
	struct rte_mbuf *odd[DRB_BURST_MAX];
	uint64_t octets = 0, bits = 0;

	drb_shared_load_sum(w, load);
	for (uint32_t i = 0; i < count; i++) {
		struct rte_mbuf *m = packets[i];
		uint32_t out = drb_classify(&classifier, m);
		octets += m->pkt_len;
		if (each != UINT32_MAX && left-- == 0) {
			bits = drb_rng_next(&w->rng);
			left = each - 1;
		}
		if (out >= DRB_CLASS_UP) {
			uint32_t uplink = decide(w, how, &choice, loads, &turns, m,
						 out - DRB_CLASS_UP, &bits, &decided);
			up++;
			if (drb_enqueue(w, w->down_ports + uplink, m))
				load[uplink] += waits >> uplink & 1;
		} else if (unlikely(out == in || out == DRB_CLASS_EXCEPTION)) {
			odd[exceptions++] = m;
		} else {
			drb_enqueue(w, out, m);
		}
	}
	turns_close(w, how, &turns, up);
	w->port[in].in_packets += count;
	w->port[in].in_octets += octets;
	w->routing.down += count - up - exceptions;
	w->routing.up_default += up - decided.redirected;
	w->routing.up_redirected += decided.redirected;
	w->routing.up_walked += decided.walked;
	if (is_idle(how))
		drb_sample_idle(w, up - decided.walked);
	drb_exceptions(w, in, odd, exceptions);
}

// Flow and flowlet units: uplinks are assigned to the whole burst, then its packets are queued.
static void forward_assigned_open(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets,
				  uint32_t count, const struct drb_assigned *to)
{
	struct drb_enqueue_batch batch;
	uint32_t redirected = 0;

	drb_enqueue_begin(&batch, w, in, 0);
	for (uint32_t i = 0; i < count; i++) {
		size_t class = to->class[i];
		if (class >= DRB_CLASS_UP) {
			redirected += to->uplink[i] != class - DRB_CLASS_UP;
			class = DRB_CLASS_UP + to->uplink[i];
		}
		drb_enqueue_add(&batch, class, packets[i]);
	}
	drb_enqueue_commit(&batch, w, redirected);
}

static void forward_assigned_queued(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets,
				    uint32_t count, const struct drb_assigned *to)
{
	struct drb_worker_port *port = &w->port[in];
	uint32_t redirected = 0, up = 0, odd = 0;
	uint64_t octets = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t out = to->class[i];
		octets += packets[i]->pkt_len;
		if (out >= DRB_CLASS_UP) {
			redirected += to->uplink[i] != out - DRB_CLASS_UP;
			up++;
			out = w->down_ports + to->uplink[i];
		} else if (unlikely(out == in || out == DRB_CLASS_EXCEPTION)) {
			drb_exceptions(w, in, &packets[i], 1);
			odd++;
			continue;
		}
		drb_enqueue(w, out, packets[i]);
	}
	port->in_packets += count;
	port->in_octets += octets;
	w->routing.down += count - up - odd;
	w->routing.up_default += up - redirected;
	w->routing.up_redirected += redirected;
}

static void forward_assigned(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets,
			     uint32_t count)
{
	struct drb_assigned assigned;

	drb_assign_burst(w, in, packets, count, &assigned);
	if (likely(drb_enqueue_fits(w, count)))
		forward_assigned_open(w, in, packets, count, &assigned);
	else
		forward_assigned_queued(w, in, packets, count, &assigned);
}

static inline __attribute__((always_inline)) void forward(struct drb_worker *w, uint32_t in,
							  struct rte_mbuf **packets, uint32_t count,
							  bool open, const struct how how)
{
	if (open)
		forward_open(w, in, packets, count, how);
	else
		forward_queued(w, in, packets, count, how);
}

// No uplink has a load, nor gets one by this burst.
static bool unloaded(const struct drb_worker *w)
{
	return !w->paced && w->queued == 0 && w->shared_load.most == 0;
}

// A simpler scheme that decides as the configured one does at this burst.
static inline enum drb_scheme effective_scheme(const struct drb_worker *w)
{
	enum drb_scheme scheme = w->choice.scheme;

	// A single uplink leaves no choice.
	if (w->choice.uplinks < 2)
		return DRB_SCHEME_DMODK;
	if (!unloaded(w))
		return scheme;
	// None is below default - T, and the least loaded of any is a random one.
	if (scheme == DRB_SCHEME_DRB)
		return DRB_SCHEME_DMODK;
	return scheme == DRB_SCHEME_MICRO || scheme == DRB_SCHEME_LEAST ? DRB_SCHEME_VLB : scheme;
}

// Without an uplink that has a load, each of a round is taken when it is its turn.
static inline __attribute__((always_inline)) void by_walk(struct drb_worker *w, uint32_t in,
							  struct rte_mbuf **packets, uint32_t count,
							  bool open, bool packed)
{
#define FORWARD(...)                                                                               \
	forward(w, in, packets, count, open, (struct how){.scheme = DRB_SCHEME_WALK, __VA_ARGS__})
	if (w->turns.walk.rest >= count && unloaded(w))
		FORWARD(.packed = true, .unloaded = true, .resting = true);
	else if (w->turns.walk.rest >= count)
		FORWARD(.packed = packed, .resting = true);
	else if (unloaded(w))
		FORWARD(.packed = true, .unloaded = true);
	else if (w->choice.choices > 2)
		FORWARD(.many = true);
	else
		FORWARD(.packed = packed);
#undef FORWARD
}

static inline __attribute__((always_inline)) void by_scheme(struct drb_worker *w, uint32_t in,
							    struct rte_mbuf **packets,
							    uint32_t count, bool open, bool packed)
{
#define FORWARD(name, ...)                                                                         \
	forward(w, in, packets, count, open, (struct how){.scheme = name, __VA_ARGS__})
#define CASE(name, ...)                                                                            \
	case name:                                                                                 \
		FORWARD(name, __VA_ARGS__);                                                        \
		break
#define CASE_THRESHOLD(name)                                                                       \
	case name:                                                                                 \
		if (name == DRB_SCHEME_ROTATE && unloaded(w))                                      \
			FORWARD(name, .packed = true, .unloaded = true);                           \
		else if (w->choice.choices > 2)                                                    \
			FORWARD(name, .many = true);                                               \
		else                                                                               \
			FORWARD(name, .packed = packed);                                           \
		break
	switch (effective_scheme(w)) {
		CASE_THRESHOLD(DRB_SCHEME_DRB);
		CASE_THRESHOLD(DRB_SCHEME_ROTATE);
	case DRB_SCHEME_WALK:
		by_walk(w, in, packets, count, open, packed);
		break;
		CASE(DRB_SCHEME_DMODK);
		CASE(DRB_SCHEME_VLB);
		CASE(DRB_SCHEME_MICRO, .packed = packed);
		CASE(DRB_SCHEME_ECMP);
		CASE(DRB_SCHEME_LEAST);
	case DRB_SCHEME_COUNT:
		break;
	}
#undef CASE_THRESHOLD
#undef CASE
#undef FORWARD
}

static void by_scheme_queued(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets,
			     uint32_t count)
{
	by_scheme(w, in, packets, count, false, false);
}

static void by_scheme_open(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets,
			   uint32_t count)
{
	by_scheme(w, in, packets, count, true, false);
}

static void by_scheme_packed(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets,
			     uint32_t count)
{
	by_scheme(w, in, packets, count, true, true);
}

static inline __attribute__((always_inline)) void recorded(struct drb_worker *w, uint32_t in,
							   struct rte_mbuf **packets,
							   uint32_t count, enum drb_scheme scheme)
{
	if (w->choice.choices > 2)
		forward_queued(w, in, packets, count,
			       (struct how){.scheme = scheme, .many = true, .record = true});
	else
		forward_queued(w, in, packets, count,
			       (struct how){.scheme = scheme, .record = true});
}

static void by_threshold_recorded(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets,
				  uint32_t count)
{
	switch (w->choice.scheme) {
	case DRB_SCHEME_ROTATE:
		recorded(w, in, packets, count, DRB_SCHEME_ROTATE);
		break;
	case DRB_SCHEME_WALK:
		recorded(w, in, packets, count, DRB_SCHEME_WALK);
		break;
	default:
		recorded(w, in, packets, count, DRB_SCHEME_DRB);
		break;
	}
}

// True if the loads of the uplinks still fit a register after count more packets.
static bool packs(const struct drb_worker *w, uint32_t count)
{
	uint32_t longest = 0; // of this worker's; an upper bound is all that is needed

	if (w->choice.uplinks > DRB_PACKED_UPLINKS)
		return false;
	for (uint32_t i = w->down_ports; w->queued > 0 && i < w->ports; i++)
		longest = w->occupancy[i] > longest ? w->occupancy[i] : longest;
	return w->shared_load.most + longest + count <= DRB_PACKED_MAX;
}

void drb_forward_burst(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets, uint32_t count)
{
	if (w->choice.scheme == DRB_SCHEME_WALK && in >= w->down_ports && w->turns.layer == 1)
		drb_turns_unmark(&w->turns, packets, count);
	if (unlikely(w->dead))
		count = drb_detour_burst(w, in, packets, count);
	if (unlikely(count == 0))
		return;
	if (w->assigns)
		forward_assigned(w, in, packets, count);
	else if (unlikely(drb_sample_burst(w)) && !unloaded(w))
		by_threshold_recorded(w, in, packets, count);
	else if (unlikely(!drb_enqueue_fits(w, count)))
		by_scheme_queued(w, in, packets, count);
	else if (packs(w, count))
		by_scheme_packed(w, in, packets, count);
	else
		by_scheme_open(w, in, packets, count);
}
