/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it costs to start jobs: a cluster full of free slots, a queue far longer than that, one run
 * that fills it. Between the repeats what was ordered is void, so each finds the same. Times are of
 * the whole run and of its phases; starts are what `cluster` (what there is, what running tasks
 * use), `dispatch` and `orders` are divided by.
 *
 * Memory is what malloc holds: of the scheduler with its hosts and queue instances before the first
 * job, and of the starts of a run.
 */
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cell.h"
#include "bench/farm.h"
#include "bench/measure.h"
#include "sched/sched.h"
#include "shm/segment.h"

#define MOST_RUNS 101
#define MOST_JOBS 100000000
#define MOST_HOSTS 1000000

struct options {
	struct farm farm;
	int runs;
	bool json;
};

struct result {
	/* ns; `starting`: of a run's three phases */
	struct figure run, phase[PHASES], starting;
	uint64_t starts, reservations;
	double bytes_per_instance, bytes_per_start;
};

static double held_bytes(void)
{
	struct mallinfo2 heap = mallinfo2();

	return (double)heap.uordblks + (double)heap.hblkhd;
}

/* Runs */

/* The starts of the last run have never been. */
static int orders_forget(struct sched *s)
{
	struct orders *orders = sched_orders(s);
	struct error error;
	int code = 0;

	for (const struct order *o = orders_after(orders, 0); o && code == 0; o = orders_after(orders, o->number))
		code = mirror_order_void(sched_mirror(s), o->job_number, o->task, o->number, &error);
	orders_void(orders);
	if (code != 0)
		fprintf(stderr, "dispatch: %s\n", error.text);
	return code;
}

static int run(struct sched *s, int64_t now)
{
	struct error error;
	int code = sched_run(s, now, 1, &error);

	if (code != 0)
		fprintf(stderr, "dispatch: %s\n", error.text);
	return code;
}

static double starting_ns(const struct profile *p)
{
	return (double)(p->ns[PHASE_CLUSTER] + p->ns[PHASE_DISPATCH] + p->ns[PHASE_ORDERS]);
}

static int measure_runs(struct sched *s, const struct options *o, int64_t now, struct result *r)
{
	static double total[MOST_RUNS], starting[MOST_RUNS], phase[PHASES][MOST_RUNS];
	struct profile profile;
	int code = 0;

	for (int i = 0; i < o->runs && code == 0; i++) {
		double before = held_bytes(), begin = now_ns();

		code = run(s, now);
		if (code != 0)
			return code;
		total[i] = now_ns() - begin;
		sched_profile(s, &profile);
		starting[i] = starting_ns(&profile);
		for (int p = 0; p < PHASES; p++)
			phase[p][i] = (double)profile.ns[p];
		r->bytes_per_start = profile.starts ? (held_bytes() - before) / (double)profile.starts : 0;
		code = orders_forget(s);
	}
	r->run = figure_of(total, o->runs, 1);
	r->starting = figure_of(starting, o->runs, 1);
	for (int p = 0; p < PHASES; p++)
		r->phase[p] = figure_of(phase[p], o->runs, 1);
	r->starts = profile.starts;
	r->reservations = profile.reservations;
	return code;
}

/* The first run makes its memory. */
static int measure_sched(struct sched *s, const struct options *o, struct result *r)
{
	const int64_t now = 1700000000;
	double empty = held_bytes();
	int code = farm_add_hosts(sched_mirror(s), &o->farm);

	if (code == 0)
		code = run(s, now);
	r->bytes_per_instance = (held_bytes() - empty) / (double)(o->farm.hosts * o->farm.queues);
	if (code == 0)
		code = farm_add_jobs(sched_mirror(s), &o->farm, now);
	for (int i = 0; i < 2 && code == 0; i++) {
		code = run(s, now);
		if (code == 0)
			code = orders_forget(s);
	}
	return code ? code : measure_runs(s, o, now, r);
}

static int measure(const struct options *o, const char *cell, struct result *r)
{
	const struct segment_options defaults = { .group = -1 };
	struct report report = { 0 };
	struct error error = { "" };
	struct segment_paths paths;
	struct sched *s = NULL;
	int code = segment_paths(&paths, cell);

	if (code != 0)
		return code;
	code = sched_create(&s, cell, &defaults, &report, &error);
	if (code == 0) {
		code = measure_sched(s, o, r);
	} else {
		report_print(&report, stderr);
		fprintf(stderr, "dispatch: %s\n", error.text);
	}
	sched_destroy(s);
	report_free(&report);
	unlink(paths.state);
	unlink(paths.lock);
	rmdir(paths.directory);
	return code;
}

/* Output */

static double per_start(double ns, const struct result *r)
{
	return r->starts ? ns / (double)r->starts : 0;
}

static void print_shape(const char *what, const struct farm *f)
{
	printf("{\"what\":\"%s\",\"farm\":\"%s\",\"jobs\":%zu,\"hosts\":%zu,\"instances\":%zu,\"categories\":%zu,\"adjust\":%d,"
	       "\"running\":%zu,\"wanting_reservation\":%zu,\"max_reservation\":%zu",
	       what, f->kind == FARM_PLAIN ? "plain" : "mixed", f->jobs, f->hosts, f->hosts * f->queues, f->categories,
	       f->adjust, f->running * f->hosts * f->queues, f->reservations, f->reserve ? f->reservations : 0);
}

static void print_json(const struct options *o, const struct result *r)
{
	print_shape("dispatch", &o->farm);
	printf(",\"starts\":%llu,\"reservations\":%llu,\"run_ns\":%.0f,\"best_run_ns\":%.0f,\"ns_per_start\":%.1f,\"best_ns_per_start\":%.1f,"
	       "\"bytes_per_start\":%.1f,\"bytes_per_instance\":%.1f}\n",
	       (unsigned long long)r->starts, (unsigned long long)r->reservations, r->run.median, r->run.best,
	       per_start(r->starting.median, r), per_start(r->starting.best, r), r->bytes_per_start, r->bytes_per_instance);
	for (int p = 0; p < PHASES; p++) {
		print_shape("dispatch_phase", &o->farm);
		printf(",\"phase\":\"%s\",\"ns\":%.0f,\"best_ns\":%.0f}\n", phase_name((enum phase)p), r->phase[p].median, r->phase[p].best);
	}
}

static void print_table(const struct options *o, const struct result *r)
{
	const struct farm *f = &o->farm;

	printf("dispatch  jobs %zu  instances %zu  categories %zu  adjust %d  starts %llu  reservations %llu\n", f->jobs, f->hosts * f->queues,
	       f->categories, f->adjust, (unsigned long long)r->starts, (unsigned long long)r->reservations);
	printf("  %-10s %8.1f ms (best %.1f)\n", "run", r->run.median / 1e6, r->run.best / 1e6);
	printf("  %-10s %8.1f ns (best %.1f): cluster, dispatch, orders\n", "a start", per_start(r->starting.median, r),
	       per_start(r->starting.best, r));
	for (int p = 0; p < PHASES; p++)
		printf("  %-10s %8.1f ms (best %.1f)  %4.1f %%\n", phase_name((enum phase)p), r->phase[p].median / 1e6, r->phase[p].best / 1e6,
		       100 * r->phase[p].median / r->run.median);
	printf("  memory     %8.1f bytes/start, %.1f bytes/instance\n", r->bytes_per_start, r->bytes_per_instance);
}

/* Options */

static int usage(void)
{
	fprintf(stderr, "usage: dispatch [--plain] [--jobs N] [--hosts N] [--queues N] [--slots N] [--categories N] [--adjust 0|1] [--running N]\n"
			"                [--reservations N [--no-reserve]] [--runs N] [--json]\n"
			"--slots and --running are of each queue instance\n");
	return 2;
}

static bool parse_size(const char *text, size_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

/*
 * 1,000 hosts, 10 slots each, 20 categories: a size for which figures of a Grid Engine are known.
 */
static const struct farm plain = { .kind = FARM_PLAIN, .jobs = 10000, .hosts = 1000, .queues = 1, .slots = 10, .categories = 20, .seed = 1,
				   .adjust = true, .reserve = true };
static const struct farm mixed = { .kind = FARM_MIXED, .jobs = 1000000, .hosts = 5000, .queues = 2, .slots = 5, .categories = 100, .seed = 1,
				   .adjust = true, .reserve = true };

static bool farm_is_sane(const struct farm *f)
{
	return f->jobs > 0 && f->jobs <= MOST_JOBS && f->hosts > 0 && f->hosts <= MOST_HOSTS && f->queues > 0 && f->queues <= 100 &&
	       f->slots > 0 && f->slots <= 1000 && f->categories > 0 && f->categories <= MOST_JOBS && f->running <= f->slots &&
	       f->reservations <= f->jobs;
}

static int parse(int argc, char **argv, struct options *o)
{
	static const struct option names[] = { { "jobs", 1, 0, 'j' }, { "hosts", 1, 0, 'h' }, { "queues", 1, 0, 'q' }, { "slots", 1, 0, 's' },
					       { "categories", 1, 0, 'c' }, { "adjust", 1, 0, 'a' }, { "running", 1, 0, 'R' },
					       { "reservations", 1, 0, 'v' }, { "no-reserve", 0, 0, 'n' }, { "runs", 1, 0, 'r' },
					       { "plain", 0, 0, 'p' }, { "json", 0, 0, 'J' }, { 0 } };
	struct farm *f = &o->farm;

	*o = (struct options){ .farm = mixed, .runs = 5 };
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--plain") == 0)
			*f = plain;
	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1; ) {
		size_t value = 0;

		if (c == '?' || (optarg && !parse_size(optarg, &value)))
			return -EINVAL;
		switch (c) {
		case 'j': f->jobs = value; break;
		case 'h': f->hosts = value; break;
		case 'q': f->queues = value; break;
		case 's': f->slots = value; break;
		case 'c': f->categories = value; break;
		case 'a': f->adjust = value == 1; break;
		case 'R': f->running = value; break;
		case 'v': f->reservations = value; break;
		case 'n': f->reserve = false; break;
		case 'r': o->runs = value <= MOST_RUNS ? (int)value : 0; break;
		case 'J': o->json = true; break;
		}
	}
	return optind == argc && farm_is_sane(f) && o->runs > 0 ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
	char directory[BENCH_PATH];
	struct options options;
	struct result result = { .starts = 0 };
	int code;

	if (parse(argc, argv, &options) != 0)
		return usage();
	if (bench_directory(directory))
		return 1;
	code = farm_write(directory, &options.farm);
	if (code == 0)
		code = measure(&options, directory, &result);
	bench_cell_remove(directory);
	if (code != 0) {
		fprintf(stderr, "dispatch: %s\n", strerror(-code));
		return 1;
	}
	(options.json ? print_json : print_table)(&options, &result);
	return fflush(stdout) == 0 ? 0 : 1;
}
