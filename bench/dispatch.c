/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of job starts: a cluster of free slots, a much longer queue, and one run that fills the
 * cluster. The orders are made void between repeats, so that each repeat finds the same state.
 * Times are of the whole run and of its phases. The time per start is the sum of the phases
 * `cluster` (slots and usage of running tasks), `dispatch` and `orders`, divided by the number of
 * starts.
 *
 * Memory is the memory that malloc has handed out: for the scheduler with its hosts and queue
 * instances before the first job, and for the starts of a run.
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
	/* ns; `starting`: sum of three phases of a run */
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

/* Cancel the starts of the last run. */
static int orders_forget(struct sched *sched)
{
	struct orders *orders = sched_orders(sched);
	struct error error;
	int code = 0;

	for (const struct order *order = orders_after(orders, 0); order && code == 0;
	     order = orders_after(orders, order->number))
		code = mirror_order_void(sched_mirror(sched), order->job_number, order->task, order->number, &error);
	orders_void(orders);
	if (code != 0)
		fprintf(stderr, "dispatch: %s\n", error.text);
	return code;
}

static int run(struct sched *sched, int64_t now)
{
	struct error error;
	int code = sched_run(sched, now, 1, &error);

	if (code != 0)
		fprintf(stderr, "dispatch: %s\n", error.text);
	return code;
}

static double starting_ns(const struct profile *profile)
{
	return (double)(profile->ns[PHASE_CLUSTER] + profile->ns[PHASE_DISPATCH] + profile->ns[PHASE_ORDERS]);
}

static int measure_runs(struct sched *sched, const struct options *options, int64_t now, struct result *result)
{
	static double total[MOST_RUNS], starting[MOST_RUNS], phase[PHASES][MOST_RUNS];
	struct profile profile;
	int code = 0;

	for (int i = 0; i < options->runs && code == 0; i++) {
		double before = held_bytes(), begin = now_ns();

		code = run(sched, now);
		if (code != 0)
			return code;
		total[i] = now_ns() - begin;
		sched_profile(sched, &profile);
		starting[i] = starting_ns(&profile);
		for (int p = 0; p < PHASES; p++)
			phase[p][i] = (double)profile.ns[p];
		result->bytes_per_start = profile.starts ? (held_bytes() - before) / (double)profile.starts : 0;
		code = orders_forget(sched);
	}
	result->run = figure_of(total, options->runs, 1);
	result->starting = figure_of(starting, options->runs, 1);
	for (int p = 0; p < PHASES; p++)
		result->phase[p] = figure_of(phase[p], options->runs, 1);
	result->starts = profile.starts;
	result->reservations = profile.reservations;
	return code;
}

/* Measure the scheduler. The first run allocates its memory and is not counted. */
static int measure_sched(struct sched *sched, const struct options *options, struct result *result)
{
	const int64_t now = 1700000000;
	double empty = held_bytes();
	int code = farm_add_hosts(sched_mirror(sched), &options->farm);

	if (code == 0)
		code = run(sched, now);
	result->bytes_per_instance = (held_bytes() - empty) / (double)(options->farm.hosts * options->farm.queues);
	if (code == 0)
		code = farm_add_jobs(sched_mirror(sched), &options->farm, now);
	for (int i = 0; i < 2 && code == 0; i++) {
		code = run(sched, now);
		if (code == 0)
			code = orders_forget(sched);
	}
	return code ? code : measure_runs(sched, options, now, result);
}

static int measure(const struct options *options, const char *cell, struct result *result)
{
	const struct segment_options defaults = { .group = -1 };
	struct report report = { 0 };
	struct error error = { "" };
	struct segment_paths paths;
	struct sched *sched = NULL;
	int code = segment_paths(&paths, cell);

	if (code != 0)
		return code;
	code = sched_create(&sched, cell, &defaults, &report, &error);
	if (code == 0) {
		code = measure_sched(sched, options, result);
	} else {
		report_print(&report, stderr);
		fprintf(stderr, "dispatch: %s\n", error.text);
	}
	sched_destroy(sched);
	report_free(&report);
	unlink(paths.state);
	unlink(paths.lock);
	rmdir(paths.directory);
	return code;
}

/* Output */

static double per_start(double ns, const struct result *result)
{
	return result->starts ? ns / (double)result->starts : 0;
}

static void print_shape(const char *what, const struct farm *farm)
{
	printf("{\"what\":\"%s\",\"farm\":\"%s\",\"jobs\":%zu,\"hosts\":%zu,\"instances\":%zu,\"categories\":%zu,"
	       "\"adjust\":%d,"
	       "\"running\":%zu,\"wanting_reservation\":%zu,\"max_reservation\":%zu",
	       what, farm->kind == FARM_PLAIN ? "plain" : "mixed", farm->jobs, farm->hosts, farm->hosts * farm->queues,
	       farm->categories, farm->adjust, farm->running * farm->hosts * farm->queues, farm->reservations,
	       farm->reserve ? farm->reservations : 0);
}

static void print_json(const struct options *options, const struct result *result)
{
	print_shape("dispatch", &options->farm);
	printf(",\"starts\":%llu,\"reservations\":%llu,\"run_ns\":%.0f,\"best_run_ns\":%.0f,\"ns_per_start\":%.1f,"
	       "\"best_ns_per_start\":%.1f,"
	       "\"bytes_per_start\":%.1f,\"bytes_per_instance\":%.1f}\n",
	       (unsigned long long)result->starts, (unsigned long long)result->reservations, result->run.median,
	       result->run.best, per_start(result->starting.median, result), per_start(result->starting.best, result),
	       result->bytes_per_start, result->bytes_per_instance);
	for (int p = 0; p < PHASES; p++) {
		print_shape("dispatch_phase", &options->farm);
		printf(",\"phase\":\"%s\",\"ns\":%.0f,\"best_ns\":%.0f}\n", phase_name((enum phase)p),
		       result->phase[p].median, result->phase[p].best);
	}
}

static void print_table(const struct options *options, const struct result *result)
{
	const struct farm *farm = &options->farm;

	printf("dispatch  jobs %zu  instances %zu  categories %zu  adjust %d  starts %llu  reservations %llu\n",
	       farm->jobs, farm->hosts * farm->queues, farm->categories, farm->adjust,
	       (unsigned long long)result->starts, (unsigned long long)result->reservations);
	printf("  %-10s %8.1f ms (best %.1f)\n", "run", result->run.median / 1e6, result->run.best / 1e6);
	printf("  %-10s %8.1f ns (best %.1f): cluster, dispatch, orders\n", "a start",
	       per_start(result->starting.median, result), per_start(result->starting.best, result));
	for (int p = 0; p < PHASES; p++)
		printf("  %-10s %8.1f ms (best %.1f)  %4.1f %%\n", phase_name((enum phase)p),
		       result->phase[p].median / 1e6, result->phase[p].best / 1e6,
		       100 * result->phase[p].median / result->run.median);
	printf("  memory     %8.1f bytes/start, %.1f bytes/instance\n", result->bytes_per_start,
	       result->bytes_per_instance);
}

/* Options */

static int usage(void)
{
	fprintf(stderr,
		"usage: dispatch [--plain] [--jobs N] [--hosts N] [--queues N] [--slots N] [--categories N] "
		"[--adjust 0|1] [--running N]\n"
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
static const struct farm plain = { .kind = FARM_PLAIN, .jobs = 10000, .hosts = 1000, .queues = 1, .slots = 10,
				   .categories = 20, .seed = 1,
				   .adjust = true, .reserve = true };
static const struct farm mixed = { .kind = FARM_MIXED, .jobs = 1000000, .hosts = 5000, .queues = 2, .slots = 5,
				   .categories = 100, .seed = 1,
				   .adjust = true, .reserve = true };

static bool farm_is_sane(const struct farm *farm)
{
	return farm->jobs > 0 && farm->jobs <= MOST_JOBS && farm->hosts > 0 && farm->hosts <= MOST_HOSTS &&
	       farm->queues > 0 && farm->queues <= 100 && farm->slots > 0 && farm->slots <= 1000 &&
	       farm->categories > 0 && farm->categories <= MOST_JOBS && farm->running <= farm->slots &&
	       farm->reservations <= farm->jobs;
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option names[] = { { "jobs", 1, 0, 'j' },
					       { "hosts", 1, 0, 'h' },
					       { "queues", 1, 0, 'q' },
					       { "slots", 1, 0, 's' },
					       { "categories", 1, 0, 'c' },
					       { "adjust", 1, 0, 'a' },
					       { "running", 1, 0, 'R' },
					       { "reservations", 1, 0, 'v' },
					       { "no-reserve", 0, 0, 'n' },
					       { "runs", 1, 0, 'r' },
					       { "plain", 0, 0, 'p' },
					       { "json", 0, 0, 'J' },
					       { 0 } };
	struct farm *farm = &options->farm;

	*options = (struct options){ .farm = mixed, .runs = 5 };
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--plain") == 0)
			*farm = plain;
	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1; ) {
		size_t value = 0;

		if (c == '?' || (optarg && !parse_size(optarg, &value)))
			return -EINVAL;
		switch (c) {
		case 'j': farm->jobs = value; break;
		case 'h': farm->hosts = value; break;
		case 'q': farm->queues = value; break;
		case 's': farm->slots = value; break;
		case 'c': farm->categories = value; break;
		case 'a': farm->adjust = value == 1; break;
		case 'R': farm->running = value; break;
		case 'v': farm->reservations = value; break;
		case 'n': farm->reserve = false; break;
		case 'r': options->runs = value <= MOST_RUNS ? (int)value : 0; break;
		case 'J': options->json = true; break;
		}
	}
	return optind == argc && farm_is_sane(farm) && options->runs > 0 ? 0 : -EINVAL;
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
