// SPDX-License-Identifier: BSD-3-Clause
// Speed of transfers on one core, as in `drblab hosts`, as one JSON object a line. Prints the CPU
// time of the best of three rounds.
//   transfers_bench [NAME]    runs only the source of this name

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/flows/sizes.h"
#include "sim/flows/transfers.h"

// Packets of a transfer of a permutation, which begins anew after its end
#define PERMUTED 1000
#define ROUNDS 3

static const struct source {
	const char *name;
	enum drb_scheme scheme;
	enum drb_sim_source source;
	enum drb_sim_hosts hosts;
} sources[] = {
	{"open", DRB_SCHEME_DRB, DRB_SIM_OPEN, DRB_HOSTS_FLOW},
	{"window", DRB_SCHEME_ECMP, DRB_SIM_WINDOW, DRB_HOSTS_FLOW},
	{"spray", DRB_SCHEME_DRB, DRB_SIM_SPRAY, DRB_HOSTS_FLOW},
	{"hosts spray", DRB_SCHEME_ECMP, DRB_SIM_SPRAY, DRB_HOSTS_SPRAY},
	{"hosts reps", DRB_SCHEME_ECMP, DRB_SIM_SPRAY, DRB_HOSTS_REPS},
};

struct bench {
	struct drb_transfers *transfers;
	struct drb_rng rng;
	struct drb_sizes sizes;
	// Slots between transfers that begin at random times; 0 means a permutation
	double next, pause;
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void begin_again(void *context, uint32_t transfer)
{
	struct bench *b = context;
	struct drb_transfer t = b->transfers->transfer[transfer];

	if (b->pause > 0)
		return;
	drb_transfers_add(b->transfers, &(struct drb_transfer){.source = t.source,
							       .dest = t.dest,
							       .size = t.size,
							       .start = t.finish});
}

static void begin_all(struct bench *b)
{
	const uint32_t hosts = b->transfers->setup.tree.hosts;
	uint32_t *order = malloc(hosts * sizeof(*order));

	drb_rng_permutation(&b->rng, order, hosts);
	for (uint32_t i = 0; i < hosts; i++)
		drb_transfers_add(b->transfers,
				  &(struct drb_transfer){.source = order[i],
							 .dest = order[(i + 1) % hosts],
							 .size = PERMUTED});
	free(order);
}

static void begin_due(struct bench *b)
{
	const uint32_t hosts = b->transfers->setup.tree.hosts;
	const uint64_t slot = drb_transfers_slot(b->transfers);

	for (; b->next < (double)slot + 1; b->next -= b->pause * log1p(-drb_rng_unit(&b->rng))) {
		struct drb_transfer t = {.source = drb_rng_below(&b->rng, hosts), .start = slot};
		t.dest = (t.source + 1 + drb_rng_below(&b->rng, hosts - 1)) % hosts;
		t.size = drb_sizes_draw(&b->sizes, &b->rng);
		drb_transfers_add(b->transfers, &t);
	}
}

static void step(struct bench *b, uint32_t slots)
{
	for (uint32_t i = 0; i < slots; i++) {
		if (b->pause > 0)
			begin_due(b);
		drb_transfers_step(b->transfers);
	}
}

static double speed(struct bench *b, uint32_t slots)
{
	double best = 0;

	step(b, slots);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t hops = drb_packet_counted(b->transfers->sim).hops;
		double start = cpu_seconds();
		step(b, slots);
		hops = drb_packet_counted(b->transfers->sim).hops - hops;
		best = fmax(best, (double)hops / (cpu_seconds() - start));
	}
	return best;
}

static void run(const struct source *source, uint32_t arity, double load, uint32_t slots)
{
	struct drb_transfers_setup s = {.scheme = source->scheme,
					.choices = 2,
					.threshold = 1,
					.queue = UINT32_MAX,
					.source = source->source,
					.hosts = source->hosts,
					.mark = 20,
					.timeout = 1000,
					.timer_each = source->source == DRB_SIM_SPRAY,
					.ack_hop = 1,
					.delay = {.link = {0, 3, 3, 3}},
					.seed = 1,
					.memory = UINT64_C(4) << 30};
	struct bench b = {.rng = drb_rng_seed(1, 9)};
	char error[DRB_SIZES_ERROR_MAX];

	if (drb_tree_init(&s.tree, 3, arity) < 0 || drb_transfers_new(&b.transfers, &s) < 0 ||
	    drb_sizes_open("websearch", &b.sizes, error) < 0)
		return;
	b.transfers->on_over = begin_again;
	b.transfers->context = &b;
	if (load > 0)
		b.pause = drb_sizes_mean(&b.sizes) / (load * s.tree.hosts);
	else
		begin_all(&b);
	printf("{\"bench\":\"sim_transfers\",\"layers\":3,\"arity\":%u,\"source\":\"%s\","
	       "\"traffic\":\"%s\",\"packet_hops_per_second\":%.4g}\n",
	       arity, source->name, load > 0 ? "websearch" : "permutation", speed(&b, slots));
	fflush(stdout);
	drb_sizes_free(&b.sizes);
	drb_transfers_free(b.transfers);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		if (argc > 1 && strcmp(argv[1], sources[i].name) != 0)
			continue;
		run(&sources[i], 8, 0, 3000);
		run(&sources[i], 8, 0.5, 6000);
		run(&sources[i], 24, 0, 150);
		run(&sources[i], 24, 0.5, 300);
	}
	return 0;
}
