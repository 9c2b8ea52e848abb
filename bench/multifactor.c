/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a pass of Slurm's multifactor priority costs: `multifactor [--jobs N] [--users N] [--workers
 * N] [--runs N] [--json] [--fairlead PROGRAM]`. Medians over runs that compute all priorities anew,
 * by phase; without --workers first one, then two. With --fairlead the program's `prio`, `prio
 * --json`, `share` and `stat` are timed on the same cell afterwards.
 *
 * `multifactor --write DIRECTORY [--jobs N] [--users N]` measures nothing: it writes the cell's
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
	unsigned workers;		/* 0: one, then two */
	int runs;
	bool json;
	const char *fairlead, *write;
};

_Static_assert(PHASE_LIST < PHASE_NORMALIZE && PHASE_NORMALIZE < PHASE_ORDER, "a pass is all before the order, but for the cluster");

struct series {				/* per job */
	unsigned workers;
	/* pass: what Slurm's is, from who takes part to the priorities */
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

/* Runs are so far apart that each is a pass. */
static int run_once(struct sched *s, int64_t *now)
{
	struct error error;
	int code = sched_run(s, *now, 1, &error);

	if (code != 0)
		fprintf(stderr, "multifactor: %s\n", error.text);
	*now += SLURM_CALC_PERIOD;
	return code;
}

static int measure_runs(struct sched *s, const struct options *o, unsigned workers, int64_t *now, struct series *series)
{
	static double phase[PHASES][MOST_RUNS], total[MOST_RUNS], pass[MOST_RUNS];
	double jobs = (double)o->shape.jobs;
	int code = sched_workers(s, workers);

	/* each generation's memory is made in its first run */
	for (unsigned i = 0; code == 0 && i < GENERATIONS; i++)
		code = run_once(s, now);
	for (int i = 0; code == 0 && i < o->runs; i++) {
		double begin = now_ns();
		struct profile profile;

		code = run_once(s, now);
		total[i] = now_ns() - begin;
		sched_profile(s, &profile);
		pass[i] = 0;
		for (int p = 0; p < PHASES; p++) {
			phase[p][i] = (double)profile.ns[p];
			pass[i] += p != PHASE_CLUSTER && p <= PHASE_NORMALIZE ? phase[p][i] : 0;
		}
	}
	if (code != 0)
		return code;
	*series = (struct series){ .workers = workers, .run = figure_of(total, o->runs, jobs), .pass = figure_of(pass, o->runs, jobs) };
	for (int p = 0; p < PHASES; p++)
		series->phase[p] = figure_of(phase[p], o->runs, jobs);
	return 0;
}

/* The best of some: starting a process is the noisy part. */
static int measure_reading(const struct options *o, const char *cell, struct reading *r)
{
	char command[1024];

	snprintf(command, sizeof(command), "'%s' -c '%s' %s >/dev/null", o->fairlead, cell, r->command);
	for (int i = 0; i < READ_REPEATS; i++) {
		double begin = now_ns(), took;

		if (system(command) != 0) {
			fprintf(stderr, "multifactor: %s failed\n", command);
			return -EIO;
		}
		took = (now_ns() - begin) / (double)o->shape.jobs;
		if (i == 0 || took < r->ns)
			r->ns = took;
	}
	return 0;
}

static int measure_readings(const struct options *o, const char *cell, struct result *r)
{
	static const char *const commands[] = { "prio", "prio --json", "share", "stat" };
	int code = 0;

	for (size_t i = 0; code == 0 && i < sizeof(commands) / sizeof(*commands); i++) {
		r->readings[i].command = commands[i];
		code = measure_reading(o, cell, &r->readings[i]);
		r->nreadings += code == 0;
	}
	return code;
}

static int measure_sched(struct sched *s, const struct options *o, const char *cell, struct result *r)
{
	unsigned first = o->workers ? o->workers : 1, last = o->workers ? o->workers : 2;
	int64_t now = SLURM_NOW;
	int code = slurm_jobs_add(sched_mirror(s), &o->shape);

	for (unsigned workers = first; code == 0 && workers <= last; workers++)
		code = measure_runs(s, o, workers, &now, &r->series[r->nseries++]);
	if (code == 0 && o->fairlead)
		code = measure_readings(o, cell, r);
	return code;
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
		sched_dispatch(s, false);
		code = measure_sched(s, o, cell, r);
	} else {
		report_print(&report, stderr);
		fprintf(stderr, "multifactor: %s\n", error.text);
	}
	sched_destroy(s);
	report_free(&report);
	unlink(paths.state);
	unlink(paths.lock);
	rmdir(paths.directory);
	return code;
}

/* Output */

static void print_shape(const char *what, const struct options *o, unsigned workers)
{
	printf("{\"what\":\"%s\",\"jobs\":%zu,\"associations\":%zu,\"workers\":%u", what, o->shape.jobs, slurm_associations(&o->shape), workers);
}

static void print_figure(const char *name, const struct figure *f)
{
	printf(",\"%sns_per_job\":%.1f,\"best_%sns_per_job\":%.1f", name, f->median, name, f->best);
}

static void print_json(const struct options *o, const struct result *r)
{
	for (int i = 0; i < r->nseries; i++) {
		const struct series *s = &r->series[i];

		print_shape("multifactor", o, s->workers);
		print_figure("", &s->run);
		print_figure("pass_", &s->pass);
		printf("}\n");
		for (int p = 0; p < PHASES; p++) {
			print_shape("multifactor_phase", o, s->workers);
			printf(",\"phase\":\"%s\"", phase_name((enum phase)p));
			print_figure("", &s->phase[p]);
			printf("}\n");
		}
	}
	for (int i = 0; i < r->nreadings; i++)
		printf("{\"what\":\"multifactor_read\",\"jobs\":%zu,\"associations\":%zu,\"command\":\"%s\",\"ns_per_job\":%.1f}\n", o->shape.jobs,
		       slurm_associations(&o->shape), r->readings[i].command, r->readings[i].ns);
}

static void print_line(const char *name, const struct figure *f)
{
	printf("  %-14s %8.1f ns/job (best %.1f)\n", name, f->median, f->best);
}

static void print_table(const struct options *o, const struct result *r)
{
	for (int i = 0; i < r->nseries; i++) {
		const struct series *s = &r->series[i];

		printf("multifactor  jobs %zu  associations %zu  workers %u  ns/job %.1f (best %.1f)\n", o->shape.jobs, slurm_associations(&o->shape),
		       s->workers, s->run.median, s->run.best);
		for (int p = 0; p < PHASES; p++)
			print_line(phase_name((enum phase)p), &s->phase[p]);
		print_line("the pass of it", &s->pass);
	}
	for (int i = 0; i < r->nreadings; i++)
		printf("  %-14s %8.1f ns/job\n", r->readings[i].command, r->readings[i].ns);
}

/* What to do */

static int write_all(const struct options *o)
{
	int code = slurm_cell_write(o->write, &o->shape);

	if (code == 0)
		code = slurm_jobs_write(stdout, &o->shape);
	return code;
}

static int measure_all(const struct options *o)
{
	struct result result = { .nseries = 0 };
	char directory[BENCH_PATH];
	int code = bench_directory(directory);

	if (code)
		return code;
	code = slurm_cell_write(directory, &o->shape);
	if (code == 0)
		code = measure(o, directory, &result);
	bench_cell_remove(directory);
	if (code == 0)
		(o->json ? print_json : print_table)(o, &result);
	return code;
}

static int parse(int argc, char **argv, struct options *o)
{
	static const struct option names[] = { { "jobs", 1, 0, 'j' }, { "users", 1, 0, 'u' }, { "runs", 1, 0, 'r' }, { "json", 0, 0, 'J' },
					       { "fairlead", 1, 0, 'f' }, { "workers", 1, 0, 'w' }, { "write", 1, 0, 'W' }, { 0 } };

	*o = (struct options){ .shape = { .jobs = 1000000, .users = 10000, .seed = 1 }, .runs = 7 };
	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1; ) {
		if (c == 'j')
			o->shape.jobs = strtoull(optarg, NULL, 10);
		else if (c == 'u')
			o->shape.users = strtoull(optarg, NULL, 10);
		else if (c == 'r')
			o->runs = atoi(optarg);
		else if (c == 'w')
			o->workers = (unsigned)strtoul(optarg, NULL, 10);
		else if (c == 'J')
			o->json = true;
		else if (c == 'f')
			o->fairlead = optarg;
		else if (c == 'W')
			o->write = optarg;
		else
			return -EINVAL;
	}
	return optind == argc && o->workers <= MOST_WORKERS && o->shape.jobs > 0 && o->shape.jobs <= MOST_JOBS && o->shape.users > 0 &&
	       o->shape.users <= MOST_JOBS && o->runs > 0 && o->runs <= MOST_RUNS ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
	struct options options;
	int code;

	if (parse(argc, argv, &options) != 0) {
		fprintf(stderr, "usage: multifactor [--jobs N] [--users N] [--workers N] [--runs N] [--json] [--fairlead PROGRAM | --write DIRECTORY]\n");
		return 2;
	}
	code = options.write ? write_all(&options) : measure_all(&options);
	if (code != 0) {
		fprintf(stderr, "multifactor: %s\n", strerror(-code));
		return 1;
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
