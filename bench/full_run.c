/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a full scheduling run costs: `full_run [--jobs N] [--users N] [--workers N] [--runs N]
 * [--changed PERCENT] [--json] [--stat PROGRAM]`. Medians over the runs of one process, and the
 * best run; phases add up to the run. --workers 0 is one for each CPU. With --stat the program is
 * run on the cell afterwards and its time is given per job. With --changed the runs are repeated
 * for each pattern of changes.h, so many percent of the jobs being changed before each of them.
 *
 * Memory is what the jobs cost in all: pages of the segment's files (counted in the file system, so
 * each once, whoever maps them; all generations that stay populated, not only the current one) and
 * everything malloc holds, room to grow included, whether touched or not. What the same scheduler
 * holds without a job, its configuration above all, is taken off and told apart.
 */
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/cell.h"
#include "bench/churn.h"
#include "bench/measure.h"
#include "sched/sched.h"
#include "shm/layout.h"
#include "shm/segment.h"

#define MOST_RUNS 101
#define MOST_JOBS 100000000
#define MOST_WORKERS 1024
#define STAT_REPEATS 3

struct options {
	struct bench_shape shape;
	unsigned workers;
	int runs;
	double changed_percent;		/* 0: no runs after changes */
	bool json;
	const char *stat;
};

struct memory {
	double shared_bytes;		/* pages of the segment's files */
	double used_bytes, held_bytes;	/* of malloc: handed out; taken from the system */
};

struct series {			/* of runs; per job */
	struct figure run, phase[PHASES];
	struct figure change;	/* not per job but per change that was told before the run */
	size_t changes;		/* before each run */
	/* of the job table, after the last run; of these, those of the run before */
	uint64_t chunks, chunks_shared;
};

struct result {			/* per job */
	struct series unchanged, changed[CHANGE_PATTERNS];
	double add_ns, stat_ns, stat_json_ns;
	double explain_ns;		/* not per job: of one job */
	double generation_bytes;	/* of one generation */
	double shared_bytes, private_bytes;	/* of all generations; of the process */
	double cell_bytes;		/* not per job: the scheduler without a job */
};

/* Memory */

static double file_bytes(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? 512.0 * (double)st.st_blocks : 0;
}

static struct memory memory_now(const struct segment_paths *paths)
{
	struct mallinfo2 heap = mallinfo2();

	return (struct memory){ .shared_bytes = file_bytes(paths->state),
				.used_bytes = (double)heap.uordblks + (double)heap.hblkhd,
				.held_bytes = (double)heap.arena + (double)heap.hblkhd };
}

/*
 * What reading the cell left behind in malloc may serve the jobs now: not taken off, the jobs need
 * it.
 */
static void memory_result(struct result *r, const struct memory *empty, const struct memory *full, size_t jobs)
{
	r->cell_bytes = empty->shared_bytes + empty->used_bytes;
	r->shared_bytes = (full->shared_bytes - empty->shared_bytes) / (double)jobs;
	r->private_bytes = (full->held_bytes - empty->used_bytes) / (double)jobs;
}

/* Time */

/* Each generation's memory is made in its first run. */
static int runs_settle(struct sched *s, int64_t now)
{
	struct error error;

	for (unsigned i = 0; i < GENERATIONS; i++)
		if (sched_run(s, now, 1, &error) != 0) {
			fprintf(stderr, "full_run: %s\n", error.text);
			return -ENOMEM;
		}
	return 0;
}

/* `changes` NULL: nothing happens between the runs but that time goes on. */
static int measure_runs(struct sched *s, const struct options *o, struct churn *changes, enum change_pattern pattern, int64_t now,
			struct series *series)
{
	static double phase[PHASES][MOST_RUNS], total[MOST_RUNS], change[MOST_RUNS];
	double jobs = (double)o->shape.jobs;
	struct profile profile;
	struct error error;
	int code = 0;

	for (int i = 0; i < o->runs; i++) {
		double told = now_ns(), begin;

		if (changes)
			code = churn_make(changes, pattern, now + i, &error);
		begin = now_ns();
		if (code == 0)
			code = sched_run(s, now + i, 1, &error);
		if (code != 0) {
			fprintf(stderr, "full_run: %s\n", error.text);
			return code;
		}
		total[i] = now_ns() - begin;
		change[i] = begin - told;
		sched_profile(s, &profile);
		for (int p = 0; p < PHASES; p++)
			phase[p][i] = (double)profile.ns[p];
	}
	series->run = figure_of(total, o->runs, jobs);
	for (int p = 0; p < PHASES; p++)
		series->phase[p] = figure_of(phase[p], o->runs, jobs);
	series->chunks = profile.chunks;
	series->chunks_shared = profile.chunks_shared;
	series->changes = changes ? changes->per_round : 0;
	series->change = figure_of(change, o->runs, series->changes ? (double)series->changes : 1);
	return 0;
}

static int measure_changed(struct sched *s, const struct options *o, int64_t now, struct result *r)
{
	struct churn changes;
	int code = 0;

	churn_begin(&changes, sched_mirror(s), &o->shape, o->changed_percent, now);
	for (int p = 0; code == 0 && p < CHANGE_PATTERNS; p++, now += o->runs)
		code = measure_runs(s, o, &changes, (enum change_pattern)p, now, &r->changed[p]);
	return code;
}

/* The best of some: starting a process is the noisy part. */
static int measure_verb(const struct options *o, const char *cell, const char *verb, double *ns)
{
	char command[1024];

	snprintf(command, sizeof(command), "'%s' -c '%s' %s >/dev/null", o->stat, cell, verb);
	for (int i = 0; i < STAT_REPEATS; i++) {
		double begin = now_ns(), took;

		if (system(command) != 0) {
			fprintf(stderr, "full_run: %s failed\n", command);
			return -EIO;
		}
		took = (now_ns() - begin) / (double)o->shape.jobs;
		if (i == 0 || took < *ns)
			*ns = took;
	}
	return 0;
}

/* One job from the middle of the queue. */
static int measure_explain(const struct options *o, const char *cell, struct result *r)
{
	char verb[64];
	int code;

	snprintf(verb, sizeof(verb), "explain %zu", o->shape.jobs / 2 + 2);
	code = measure_verb(o, cell, verb, &r->explain_ns);
	r->explain_ns *= (double)o->shape.jobs;
	return code;
}

static int measure_jobs(struct sched *s, const struct options *o, const struct segment_paths *paths, int64_t now, struct result *r)
{
	struct memory empty = memory_now(paths), full;
	double begin = now_ns();
	struct profile profile;
	int code = bench_jobs_add(sched_mirror(s), &o->shape, now);

	r->add_ns = (now_ns() - begin) / (double)o->shape.jobs;
	if (code == 0)
		code = runs_settle(s, now);
	if (code == 0)
		code = measure_runs(s, o, NULL, CHANGE_SPREAD, now + 1, &r->unchanged);
	full = memory_now(paths);
	memory_result(r, &empty, &full, o->shape.jobs);
	sched_profile(s, &profile);
	r->generation_bytes = (double)profile.shared_bytes / (double)o->shape.jobs;
	return code;
}

static int measure_sched(struct sched *s, const struct options *o, const char *cell, const struct segment_paths *paths,
			 struct result *r)
{
	const int64_t now = 1700000000;
	int code = sched_workers(s, o->workers);

	if (code == 0)
		code = runs_settle(s, now);
	if (code == 0)
		code = measure_jobs(s, o, paths, now, r);
	if (code == 0 && o->stat)
		code = measure_verb(o, cell, "stat -pri -urg -ext", &r->stat_ns);
	if (code == 0 && o->stat)
		code = measure_verb(o, cell, "stat --json", &r->stat_json_ns);
	if (code == 0 && o->stat)
		code = measure_explain(o, cell, r);
	if (code == 0 && o->changed_percent > 0)
		code = measure_changed(s, o, now + 1 + o->runs, r);
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
		code = measure_sched(s, o, cell, &paths, r);
	} else {
		report_print(&report, stderr);
		fprintf(stderr, "full_run: %s\n", error.text);
	}
	sched_destroy(s);
	report_free(&report);
	unlink(paths.state);
	unlink(paths.lock);
	rmdir(paths.directory);
	return code;
}

/* Output */

static void print_shape(const char *what, const struct options *o)
{
	printf("{\"what\":\"%s\",\"policy\":\"default\",\"jobs\":%zu,\"users\":%zu,\"workers\":%u", what, o->shape.jobs, o->shape.users,
	       o->workers);
}

static void print_figure(const char *unit, const struct figure *f)
{
	printf(",\"ns_per_%s\":%.1f,\"best_ns_per_%s\":%.1f", unit, f->median, unit, f->best);
}

static void print_chunks(const struct series *series)
{
	printf(",\"chunks\":%llu,\"chunks_shared\":%llu", (unsigned long long)series->chunks, (unsigned long long)series->chunks_shared);
}

static void print_phases(const struct options *o, const struct series *series, const char *pattern)
{
	for (int p = 0; p < PHASES; p++) {
		print_shape("phase", o);
		printf(",\"changes\":\"%s\",\"phase\":\"%s\"", pattern, phase_name((enum phase)p));
		print_figure("job", &series->phase[p]);
		printf("}\n");
	}
}

static void print_changed(const struct options *o, const struct series *series, const char *pattern)
{
	print_shape("changed_run", o);
	printf(",\"changes\":\"%s\",\"percent\":%.3g,\"changed_jobs\":%zu", pattern, o->changed_percent, series->changes);
	print_figure("job", &series->run);
	print_figure("change", &series->change);
	print_chunks(series);
	printf("}\n");
	print_phases(o, series, pattern);
}

static void print_json(const struct options *o, const struct result *r)
{
	print_shape("full_run", o);
	print_figure("job", &r->unchanged.run);
	printf(",\"bytes_per_job\":%.1f,\"shared_bytes_per_job\":%.1f,\"generation_bytes_per_job\":%.1f,\"cell_bytes\":%.0f,"
	       "\"add_ns_per_job\":%.1f",
	       r->shared_bytes + r->private_bytes, r->shared_bytes, r->generation_bytes, r->cell_bytes, r->add_ns);
	print_chunks(&r->unchanged);
	printf("}\n");
	print_phases(o, &r->unchanged, "none");
	for (int p = 0; o->changed_percent > 0 && p < CHANGE_PATTERNS; p++)
		print_changed(o, &r->changed[p], change_name((enum change_pattern)p));
	if (o->stat)
		printf("{\"what\":\"stat\",\"jobs\":%zu,\"users\":%zu,\"text_ns_per_job\":%.1f,\"json_ns_per_job\":%.1f,\"explain_ns\":%.0f}\n",
		       o->shape.jobs, o->shape.users, r->stat_ns, r->stat_json_ns, r->explain_ns);
}

static void print_line(const char *name, const struct figure *f, const char *note)
{
	printf("  %-10s %8.1f ns/job (best %.1f)%s\n", name, f->median, f->best, note);
}

static void print_table(const struct options *o, const struct result *r)
{
	printf("full_run  jobs %zu  users %zu  workers %u  ns/job %.1f (best %.1f)\n", o->shape.jobs, o->shape.users, o->workers,
	       r->unchanged.run.median, r->unchanged.run.best);
	printf("  bytes/job %.1f: shared %.1f (one generation %.1f), private %.1f; without a job %.1f MB\n",
	       r->shared_bytes + r->private_bytes, r->shared_bytes, r->generation_bytes, r->private_bytes, r->cell_bytes / 1e6);
	for (int p = 0; p < PHASES; p++)
		print_line(phase_name((enum phase)p), &r->unchanged.phase[p], "");
	printf("  %-10s %8.1f ns/job (taking the jobs in, before)\n", "add", r->add_ns);
	for (int p = 0; o->changed_percent > 0 && p < CHANGE_PATTERNS; p++) {
		char note[96];

		snprintf(note, sizeof(note), " the run after changes; %llu of %llu chunks shared",
			 (unsigned long long)r->changed[p].chunks_shared, (unsigned long long)r->changed[p].chunks);
		print_line(change_name((enum change_pattern)p), &r->changed[p].run, note);
	}
	if (o->stat)
		printf("  %-10s %8.1f ns/job text, %.1f ns/job --json; explain %.3f s a job\n", "stat", r->stat_ns, r->stat_json_ns,
		       r->explain_ns / 1e9);
}

static int usage(void)
{
	fprintf(stderr, "usage: full_run [--jobs N] [--users N] [--workers N] [--runs N] [--changed PERCENT] [--json] [--stat PROGRAM]\n");
	return 2;
}

static int parse(int argc, char **argv, struct options *o)
{
	static const struct option names[] = { { "jobs", 1, 0, 'j' }, { "users", 1, 0, 'u' }, { "runs", 1, 0, 'r' }, { "json", 0, 0, 'J' },
					       { "changed", 1, 0, 'c' }, { "stat", 1, 0, 's' }, { "workers", 1, 0, 'w' }, { 0 } };

	*o = (struct options){ .shape = { .jobs = 100000, .users = 1000, .seed = 1 }, .runs = 7, .workers = 1 };
	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1; ) {
		if (c == 'j')
			o->shape.jobs = strtoull(optarg, NULL, 10);
		else if (c == 'u')
			o->shape.users = strtoull(optarg, NULL, 10);
		else if (c == 'r')
			o->runs = atoi(optarg);
		else if (c == 'w' && *optarg >= '0' && *optarg <= '9')
			o->workers = (unsigned)strtoul(optarg, NULL, 10);
		else if (c == 'c')
			o->changed_percent = atof(optarg);
		else if (c == 'J')
			o->json = true;
		else if (c == 's')
			o->stat = optarg;
		else
			return -EINVAL;
	}
	o->workers = o->workers ? o->workers : cpus();
	return optind == argc && o->workers <= MOST_WORKERS && o->shape.jobs > 0 && o->shape.jobs <= MOST_JOBS && o->shape.users > 0 &&
	       o->shape.users <= MOST_JOBS && o->runs > 0 && o->runs <= MOST_RUNS && o->changed_percent >= 0 &&
	       o->changed_percent <= 100 ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
	char directory[BENCH_PATH];
	struct options options;
	struct result result = { .add_ns = 0 };
	int code;

	if (parse(argc, argv, &options) != 0)
		return usage();
	if (bench_directory(directory))
		return 1;
	code = bench_cell_write(directory, &options.shape);
	if (code == 0)
		code = measure(&options, directory, &result);
	bench_cell_remove(directory);
	if (code != 0) {
		fprintf(stderr, "full_run: %s\n", strerror(-code));
		return 1;
	}
	(options.json ? print_json : print_table)(&options, &result);
	return fflush(stdout) == 0 ? 0 : 1;
}
