/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of a negotiation cycle: `negotiate [--slots N] [--submitters N] [--groups N] [--classes N]
 * [--jobs N] [--runs N] [--shape NAME] [--json]`. Times are by shape of the pool and by phase, on
 * one core, from slots and requests in memory to the list of matches:
 *
 *     empty        all slots are free: as many matches as slots
 *     changing     all but one in a hundred are claimed; freed slots go to other submitters
 *     submission   one slot is free, and there is one more job than before
 *     crumbs       50 submitters per slot: all shares are below one slot
 *     job_classes  each job has a class and an autocluster of its own
 *     slot_ranks   jobs rank each slot differently, by its speed
 *     preempting   all slots are claimed, the same number by each submitter, and
 *                  PREEMPTION_REQUIREMENTS is the usual one: an hour, and 20 % better; nearly all
 *                  slots change their owner
 *     pieces       partitionable slots of 32 processors
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure.h"
#include "bench/negotiate_pool.h"

#define MOST_RUNS 101

enum { PHASE_TAKE, PHASE_ACCOUNT, PHASE_PREPARE, PHASE_QUOTA, PHASE_MATCH, NPHASES };
static const char *const phase_names[NPHASES] = { "take", "account", "prepare", "quota", "match" };

struct measured {
	const char *shape;
	size_t matches;
	/* first cycle, or the cycle that claims slots before the second one */
	double first_ns;
	struct figure cycle, phases[NPHASES];
};

struct options {
	struct pool_shape shape;
	const char *only;
	int runs;
	bool json;
};

static const struct {
	const char *name;
	const char *config;
	size_t slots, per_slot;
	bool jobs, ranks, preempting, partitionable;
} shapes[] = {
	{ .name = "empty", .config = "" },
	{ .name = "changing", .config = "" },
	{ .name = "submission", .config = "" },
	{ .name = "crumbs", .config = "", .per_slot = 50 },
	{ .name = "job_classes", .config = "", .jobs = true },
	{ .name = "slot_ranks", .config = "", .ranks = true },
	{ .name = "preempting", .preempting = true,
	  .config = "PREEMPTION_REQUIREMENTS = (time() - EnteredCurrentState > 3600) && (RemoteUserPrio > "
		    "SubmitterUserPrio * 1.2)\n" },
	{ .name = "pieces", .config = "", .partitionable = true },
};
#define NSHAPES (sizeof(shapes) / sizeof(*shapes))

/* Prepare the state before the measured cycle. */
static int shape_prepare(struct bench_pool *pool, size_t which)
{
	const char *name = shapes[which].name;

	if (strcmp(name, "changing") == 0)
		return bench_pool_claim(pool, 100);
	if (strcmp(name, "submission") == 0)
		return bench_pool_claim(pool, 0);
	if (strcmp(name, "preempting") == 0)
		return bench_pool_claim_all(pool);
	return 0;
}

static struct pool_shape shape_of(const struct options *options, size_t which)
{
	struct pool_shape shape = options->shape;

	shape.config = shapes[which].config;
	shape.ranks = shapes[which].ranks;
	shape.partitionable = shapes[which].partitionable;
	if (shapes[which].per_slot)
		shape.slots = shape.submitters / shapes[which].per_slot + 1;
	if (shapes[which].jobs)
		shape.classes = shape.jobs;
	shape.alone = shapes[which].jobs;
	if (shapes[which].ranks)
		shape.kinds = 20;
	return shape;
}

static int measure(const struct options *options, size_t which, struct measured *measured)
{
	static double total[MOST_RUNS], phases[NPHASES][MOST_RUNS];
	struct pool_shape shape = shape_of(options, which);
	struct bench_pool pool;
	int rc = bench_pool_create(&pool, &shape);

	measured->shape = shapes[which].name;
	/* the first cycle computes permanent data about classes */
	for (int run = -1; run < options->runs && rc == 0; run++) {
		int at = run < 0 ? 0 : run;
		double begin, took;

		rc = bench_pool_reset(&pool);
		if (rc == 0)
			rc = shape_prepare(&pool, which);
		begin = now_ns();
		if (rc == 0)
			rc = bench_pool_take(&pool);
		took = now_ns() - begin;
		if (rc == 0)
			rc = bench_pool_cycle(&pool);
		phases[PHASE_TAKE][at] = took;
		phases[PHASE_ACCOUNT][at] = (double)pool.result.account_ns;
		phases[PHASE_PREPARE][at] = (double)pool.result.slice_ns;
		phases[PHASE_QUOTA][at] = (double)pool.result.quota_ns;
		phases[PHASE_MATCH][at] = (double)pool.result.match_ns;
		total[at] = now_ns() - begin;
		if (run < 0)
			measured->first_ns = total[at];
		measured->matches = pool.result.nmatches;
	}
	measured->cycle = figure_of(total, options->runs, 1);
	for (int i = 0; i < NPHASES; i++)
		measured->phases[i] = figure_of(phases[i], options->runs, 1);
	bench_pool_destroy(&pool);
	return rc;
}

static void print_shape(const char *what, const struct options *options, const struct measured *measured)
{
	printf("{\"what\":\"%s\",\"shape\":\"%s\",\"slots\":%zu,\"submitters\":%zu,\"groups\":%zu,\"classes\":%zu,"
	       "\"jobs\":%zu",
	       what, measured->shape, options->shape.slots, options->shape.submitters, options->shape.groups,
	       options->shape.classes, options->shape.jobs);
}

static void print_json(const struct options *options, const struct measured *measured)
{
	print_shape("negotiate", options, measured);
	printf(",\"matches\":%zu,\"first_ns\":%.0f,\"ns\":%.0f,\"best_ns\":%.0f}\n", measured->matches,
	       measured->first_ns, measured->cycle.median, measured->cycle.best);
	for (int i = 0; i < NPHASES; i++) {
		print_shape("negotiate_phase", options, measured);
		printf(",\"phase\":\"%s\",\"ns\":%.0f,\"best_ns\":%.0f}\n", phase_names[i], measured->phases[i].median,
		       measured->phases[i].best);
	}
}

static void print_table(const struct measured *measured)
{
	printf("%-12s %10.3f ms (best %.3f, first %.3f)  %zu matches:", measured->shape, measured->cycle.median / 1e6,
	       measured->cycle.best / 1e6, measured->first_ns / 1e6, measured->matches);
	for (int i = 0; i < NPHASES; i++)
		printf("  %s %.3f", phase_names[i], measured->phases[i].median / 1e6);
	printf("\n");
}

static int number(const char *text, size_t *value)
{
	char *end;

	*value = strtoull(text, &end, 10);
	return *text >= '1' && *text <= '9' && !*end && *value <= 100000000 ? 0 : -EINVAL;
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option names[] = {
		{ "slots", 1, 0, 's' },	  { "submitters", 1, 0, 'u' }, { "groups", 1, 0, 'g' },
		{ "classes", 1, 0, 'c' }, { "jobs", 1, 0, 'j' },       { "runs", 1, 0, 'r' },
		{ "shape", 1, 0, 'S' },	  { "json", 0, 0, 'J' },       { 0 }
	};
	size_t runs = 5;
	int rc = 0;

	*options = (struct options){
		.shape = { .slots = 100000, .submitters = 5000, .groups = 500, .classes = 10000, .jobs = 1000000 }
	};
	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1 && rc == 0; ) {
		size_t *to[] = { ['s'] = &options->shape.slots,	 ['u'] = &options->shape.submitters,
				 ['g'] = &options->shape.groups, ['c'] = &options->shape.classes,
				 ['j'] = &options->shape.jobs,	 ['r'] = &runs };

		if (c == 'S')
			options->only = optarg;
		else if (c == 'J')
			options->json = true;
		else
			rc = c == '?' ? -EINVAL : number(optarg, to[c]);
	}
	options->runs = (int)runs;
	return rc == 0 && optind == argc && runs <= MOST_RUNS ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
	struct options options;
	bool found = false;

	if (parse(argc, argv, &options) < 0) {
		fprintf(stderr,
			"usage: negotiate [--slots N] [--submitters N] [--groups N] [--classes N] [--jobs N] "
			"[--runs N] [--shape NAME] [--json]\n");
		return 2;
	}
	for (size_t i = 0; i < NSHAPES; i++) {
		struct measured measured = { 0 };
		int rc;

		if (options.only && strcmp(options.only, shapes[i].name) != 0)
			continue;
		found = true;
		rc = measure(&options, i, &measured);
		if (rc < 0) {
			fprintf(stderr, "negotiate: %s: %s\n", shapes[i].name, strerror(-rc));
			return 1;
		}
		if (options.json)
			print_json(&options, &measured);
		else
			print_table(&measured);
		fflush(stdout);
	}
	if (!found)
		fprintf(stderr, "negotiate: there is no shape %s\n", options.only);
	return found ? 0 : 2;
}
