/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of a pass of Slurm's multifactor priority: `multifactor [--jobs N] [--users N] [--workers N]
 * [--runs N] [--json] [--fairlead PROGRAM]`. Prints medians, by phase, over runs that compute all
 * priorities again; without --workers first with one worker, then with two. With --fairlead the
 * program's `prio`, `prio --json`, `share` and `stat` are timed on the same cell afterwards.
 *
 * `multifactor --write DIRECTORY [--jobs N] [--users N]` measures nothing. It writes the cell's
 * files into the empty directory and the jobs to standard output, as events.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cell.h"
#include "bench/measure.h"
#include "bench/slurm_cell.h"
#include "sched/sched.h"
#include "shm/layout.h"
#include "shm/segment.h"

#define MOST_RUNS 101
#define MOST_JOBS 100000000
#define MOST_WORKERS 1024
#define READ_REPEATS 3

struct options {
	struct slurm_shape shape;
	unsigned workers;		/* 0: one worker, then two */
	int runs;
	bool json;
	const char *fairlead, *write;
};

_Static_assert(PHASE_LIST < PHASE_NORMALIZE && PHASE_NORMALIZE < PHASE_ORDER,
	       "a pass consists of all phases before order, except cluster");

struct series {				/* per job */
	unsigned workers;
	/* pass: the part that is a pass in Slurm, from the eligible jobs to their priorities */
	struct figure run, pass, phase[PHASES];
};

struct reading {
	const char *command;
	double ns;			/* per job */
};

struct result {
	struct series series[2];
	int nseries;
	struct reading readings[4];
	int nreadings;
};

/* Time */

/* Make a run. The clock advances so far that each run is a pass. */
static int run_once(struct sched *sched, int64_t *now)
{
	struct error error;
	int code = sched_run(sched, *now, 1, &error);

	if (code != 0)
		fprintf(stderr, "multifactor: %s\n", error.text);
	*now += SLURM_CALC_PERIOD;
	return code;
}

static int measure_runs(struct sched *sched, const struct options *options, unsigned workers, int64_t *now,
			struct series *series)
{
	static double phase[PHASES][MOST_RUNS], total[MOST_RUNS], pass[MOST_RUNS];
	double jobs = (double)options->shape.jobs;
	int code = sched_workers(sched, workers);

	/* a generation allocates its memory in its first run */
	for (unsigned i = 0; code == 0 && i < GENERATIONS; i++)
		code = run_once(sched, now);
	for (int i = 0; code == 0 && i < options->runs; i++) {
		double begin = now_ns();
		struct profile profile;

		code = run_once(sched, now);
		total[i] = now_ns() - begin;
		sched_profile(sched, &profile);
		pass[i] = 0;
		for (int p = 0; p < PHASES; p++) {
			phase[p][i] = (double)profile.ns[p];
			pass[i] += p != PHASE_CLUSTER && p <= PHASE_NORMALIZE ? phase[p][i] : 0;
		}
	}
	if (code != 0)
		return code;
	*series = (struct series){ .workers = workers,
				   .run = figure_of(total, options->runs, jobs),
				   .pass = figure_of(pass, options->runs, jobs) };
	for (int p = 0; p < PHASES; p++)
		series->phase[p] = figure_of(phase[p], options->runs, jobs);
	return 0;
}

/* Measure a command and keep the best time, because the time to start a process varies. */
static int measure_reading(const struct options *options, const char *cell, struct reading *reading)
{
	char command[1024];

	snprintf(command, sizeof(command), "'%s' -c '%s' %s >/dev/null", options->fairlead, cell, reading->command);
	for (int i = 0; i < READ_REPEATS; i++) {
		double begin = now_ns(), took;

		if (system(command) != 0) {
			fprintf(stderr, "multifactor: %s failed\n", command);
			return -EIO;
		}
		took = (now_ns() - begin) / (double)options->shape.jobs;
		if (i == 0 || took < reading->ns)
			reading->ns = took;
	}
	return 0;
}

static int measure_readings(const struct options *options, const char *cell, struct result *result)
{
	static const char *const commands[] = { "prio", "prio --json", "share", "stat" };
	int code = 0;

	for (size_t i = 0; code == 0 && i < sizeof(commands) / sizeof(*commands); i++) {
		result->readings[i].command = commands[i];
		code = measure_reading(options, cell, &result->readings[i]);
		result->nreadings += code == 0;
	}
	return code;
}

static int measure_sched(struct sched *sched, const struct options *options, const char *cell, struct result *result)
{
	unsigned first = options->workers ? options->workers : 1, last = options->workers ? options->workers : 2;
	int64_t now = SLURM_NOW;
	int code = slurm_jobs_add(sched_mirror(sched), &options->shape);

	for (unsigned workers = first; code == 0 && workers <= last; workers++)
		code = measure_runs(sched, options, workers, &now, &result->series[result->nseries++]);
	if (code == 0 && options->fairlead)
		code = measure_readings(options, cell, result);
	return code;
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
		sched_dispatch(sched, false);
		code = measure_sched(sched, options, cell, result);
	} else {
		report_print(&report, stderr);
		fprintf(stderr, "multifactor: %s\n", error.text);
	}
	sched_destroy(sched);
	report_free(&report);
	unlink(paths.state);
	unlink(paths.lock);
	rmdir(paths.directory);
	return code;
}

/* Output */

static void print_shape(const char *what, const struct options *options, unsigned workers)
{
	printf("{\"what\":\"%s\",\"jobs\":%zu,\"associations\":%zu,\"workers\":%u", what, options->shape.jobs,
	       slurm_associations(&options->shape), workers);
}

static void print_figure(const char *name, const struct figure *figure)
{
	printf(",\"%sns_per_job\":%.1f,\"best_%sns_per_job\":%.1f", name, figure->median, name, figure->best);
}

static void print_json(const struct options *options, const struct result *result)
{
	for (int i = 0; i < result->nseries; i++) {
		const struct series *series = &result->series[i];

		print_shape("multifactor", options, series->workers);
		print_figure("", &series->run);
		print_figure("pass_", &series->pass);
		printf("}\n");
		for (int p = 0; p < PHASES; p++) {
			print_shape("multifactor_phase", options, series->workers);
			printf(",\"phase\":\"%s\"", phase_name((enum phase)p));
			print_figure("", &series->phase[p]);
			printf("}\n");
		}
	}
	for (int i = 0; i < result->nreadings; i++)
		printf("{\"what\":\"multifactor_read\",\"jobs\":%zu,\"associations\":%zu,\"command\":\"%s\","
		       "\"ns_per_job\":%.1f}\n",
		       options->shape.jobs, slurm_associations(&options->shape), result->readings[i].command,
		       result->readings[i].ns);
}

static void print_line(const char *name, const struct figure *figure)
{
	printf("  %-14s %8.1f ns/job (best %.1f)\n", name, figure->median, figure->best);
}

static void print_table(const struct options *options, const struct result *result)
{
	for (int i = 0; i < result->nseries; i++) {
		const struct series *series = &result->series[i];

		printf("multifactor  jobs %zu  associations %zu  workers %u  ns/job %.1f (best %.1f)\n",
		       options->shape.jobs, slurm_associations(&options->shape), series->workers, series->run.median,
		       series->run.best);
		for (int p = 0; p < PHASES; p++)
			print_line(phase_name((enum phase)p), &series->phase[p]);
		print_line("of it the pass", &series->pass);
	}
	for (int i = 0; i < result->nreadings; i++)
		printf("  %-14s %8.1f ns/job\n", result->readings[i].command, result->readings[i].ns);
}

/* Actions */

static int write_all(const struct options *options)
{
	int code = slurm_cell_write(options->write, &options->shape);

	if (code == 0)
		code = slurm_jobs_write(stdout, &options->shape);
	return code;
}

static int measure_all(const struct options *options)
{
	struct result result = { .nseries = 0 };
	char directory[BENCH_PATH];
	int code = bench_directory(directory);

	if (code)
		return code;
	code = slurm_cell_write(directory, &options->shape);
	if (code == 0)
		code = measure(options, directory, &result);
	bench_cell_remove(directory);
	if (code == 0)
		(options->json ? print_json : print_table)(options, &result);
	return code;
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option names[] = { { "jobs", 1, 0, 'j' },	  { "users", 1, 0, 'u' },
					       { "runs", 1, 0, 'r' },	  { "json", 0, 0, 'J' },
					       { "fairlead", 1, 0, 'f' }, { "workers", 1, 0, 'w' },
					       { "write", 1, 0, 'W' },	  { 0 } };

	*options = (struct options){ .shape = { .jobs = 1000000, .users = 10000, .seed = 1 }, .runs = 7 };
	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1; ) {
		if (c == 'j')
			options->shape.jobs = strtoull(optarg, NULL, 10);
		else if (c == 'u')
			options->shape.users = strtoull(optarg, NULL, 10);
		else if (c == 'r')
			options->runs = atoi(optarg);
		else if (c == 'w')
			options->workers = (unsigned)strtoul(optarg, NULL, 10);
		else if (c == 'J')
			options->json = true;
		else if (c == 'f')
			options->fairlead = optarg;
		else if (c == 'W')
			options->write = optarg;
		else
			return -EINVAL;
	}
	return optind == argc && options->workers <= MOST_WORKERS && options->shape.jobs > 0 &&
			       options->shape.jobs <= MOST_JOBS && options->shape.users > 0 &&
			       options->shape.users <= MOST_JOBS && options->runs > 0 && options->runs <= MOST_RUNS
		       ? 0
		       : -EINVAL;
}

int main(int argc, char **argv)
{
	struct options options;
	int code;

	if (parse(argc, argv, &options) != 0) {
		fprintf(stderr,
			"usage: multifactor [--jobs N] [--users N] [--workers N] [--runs N] [--json] "
			"[--fairlead PROGRAM | --write DIRECTORY]\n");
		return 2;
	}
	code = options.write ? write_all(&options) : measure_all(&options);
	if (code != 0) {
		fprintf(stderr, "multifactor: %s\n", strerror(-code));
		return 1;
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
