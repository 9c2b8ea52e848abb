/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of a full scheduling run: `full_run [--jobs N] [--users N] [--workers N] [--runs N]
 * [--changed PERCENT] [--json] [--stat PROGRAM]`. Prints medians over the runs of one process, and
 * the best run. The phases add up to the run. --workers 0 means one worker per CPU. With --stat the
 * program is run on the cell afterwards and its time per job is printed. With --changed the runs
 * are repeated for each pattern of churn.h, and PERCENT of the jobs are changed before each run.
 *
 * Memory is the total cost of the jobs: pages of the segment's files and memory of malloc. Pages
 * are counted in the file system, so a page counts once even if several processes have it mapped.
 * All populated generations count, not only the current one. Memory of malloc includes room to
 * grow, whether it has been touched or not. The memory of the same scheduler without a job, mostly
 * its configuration, is subtracted and printed separately.
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
	double used_bytes, held_bytes;	/* memory of malloc: in use; obtained from the system */
};

struct series {			/* figures of a series of runs, per job */
	struct figure run, phase[PHASES];
	struct figure change;	/* per change that was reported before the run, not per job */
	size_t changes;		/* changes before each run */
	/*
	 * chunks of the job table after the last run, and the number that is shared with the run
	 * before
	 */
	uint64_t chunks, chunks_shared;
};

struct result {			/* per job */
	struct series unchanged, changed[CHANGE_PATTERNS];
	double add_ns, stat_ns, stat_json_ns;
	double explain_ns;		/* for one job, not per job */
	double generation_bytes;	/* size of one generation */
	double shared_bytes, private_bytes;	/* memory of all generations; of the process */
	double cell_bytes;		/* scheduler without a job, not per job */
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
 * Compute the memory of the jobs. Free memory left by reading the configuration may be used by the
 * jobs. It is not subtracted, because the jobs need it.
 */
static void memory_result(struct result *result, const struct memory *empty, const struct memory *full, size_t jobs)
{
	result->cell_bytes = empty->shared_bytes + empty->used_bytes;
	result->shared_bytes = (full->shared_bytes - empty->shared_bytes) / (double)jobs;
	result->private_bytes = (full->held_bytes - empty->used_bytes) / (double)jobs;
}

/* Time */

/* Make one run per generation, because each generation allocates its memory in its first run. */
static int runs_settle(struct sched *sched, int64_t now)
{
	struct error error;

	for (unsigned i = 0; i < GENERATIONS; i++)
		if (sched_run(sched, now, 1, &error) != 0) {
			fprintf(stderr, "full_run: %s\n", error.text);
			return -ENOMEM;
		}
	return 0;
}

/* Measure runs. If `changes` is NULL, only time passes between the runs. */
static int measure_runs(struct sched *sched, const struct options *options, struct churn *changes,
			enum change_pattern pattern, int64_t now, struct series *series)
{
	static double phase[PHASES][MOST_RUNS], total[MOST_RUNS], change[MOST_RUNS];
	double jobs = (double)options->shape.jobs;
	struct profile profile;
	struct error error;
	int code = 0;

	for (int i = 0; i < options->runs; i++) {
		double reported = now_ns(), begin;

		if (changes)
			code = churn_make(changes, pattern, now + i, &error);
		begin = now_ns();
		if (code == 0)
			code = sched_run(sched, now + i, 1, &error);
		if (code != 0) {
			fprintf(stderr, "full_run: %s\n", error.text);
			return code;
		}
		total[i] = now_ns() - begin;
		change[i] = begin - reported;
		sched_profile(sched, &profile);
		for (int p = 0; p < PHASES; p++)
			phase[p][i] = (double)profile.ns[p];
	}
	series->run = figure_of(total, options->runs, jobs);
	for (int p = 0; p < PHASES; p++)
		series->phase[p] = figure_of(phase[p], options->runs, jobs);
	series->chunks = profile.chunks;
	series->chunks_shared = profile.chunks_shared;
	series->changes = changes ? changes->per_round : 0;
	series->change = figure_of(change, options->runs, series->changes ? (double)series->changes : 1);
	return 0;
}

static int measure_changed(struct sched *sched, const struct options *options, int64_t now, struct result *result)
{
	struct churn changes;
	int code = 0;

	churn_begin(&changes, sched_mirror(sched), &options->shape, options->changed_percent, now);
	for (int p = 0; code == 0 && p < CHANGE_PATTERNS; p++, now += options->runs)
		code = measure_runs(sched, options, &changes, (enum change_pattern)p, now, &result->changed[p]);
	return code;
}

/* Measure a command and keep the best time, because the time to start a process varies. */
static int measure_verb(const struct options *options, const char *cell, const char *verb, double *ns)
{
	char command[1024];

	snprintf(command, sizeof(command), "'%s' -c '%s' %s >/dev/null", options->stat, cell, verb);
	for (int i = 0; i < STAT_REPEATS; i++) {
		double begin = now_ns(), took;

		if (system(command) != 0) {
			fprintf(stderr, "full_run: %s failed\n", command);
			return -EIO;
		}
		took = (now_ns() - begin) / (double)options->shape.jobs;
		if (i == 0 || took < *ns)
			*ns = took;
	}
	return 0;
}

/* Measure `explain` for one job from the middle of the queue. */
static int measure_explain(const struct options *options, const char *cell, struct result *result)
{
	char verb[64];
	int code;

	snprintf(verb, sizeof(verb), "explain %zu", options->shape.jobs / 2 + 2);
	code = measure_verb(options, cell, verb, &result->explain_ns);
	result->explain_ns *= (double)options->shape.jobs;
	return code;
}

static int measure_jobs(struct sched *sched, const struct options *options, const struct segment_paths *paths,
			int64_t now, struct result *result)
{
	struct memory empty = memory_now(paths), full;
	double begin = now_ns();
	struct profile profile;
	int code = bench_jobs_add(sched_mirror(sched), &options->shape, now);

	result->add_ns = (now_ns() - begin) / (double)options->shape.jobs;
	if (code == 0)
		code = runs_settle(sched, now);
	if (code == 0)
		code = measure_runs(sched, options, NULL, CHANGE_SPREAD, now + 1, &result->unchanged);
	full = memory_now(paths);
	memory_result(result, &empty, &full, options->shape.jobs);
	sched_profile(sched, &profile);
	result->generation_bytes = (double)profile.shared_bytes / (double)options->shape.jobs;
	return code;
}

static int measure_sched(struct sched *sched, const struct options *options, const char *cell,
			 const struct segment_paths *paths, struct result *result)
{
	const int64_t now = 1700000000;
	int code = sched_workers(sched, options->workers);

	if (code == 0)
		code = runs_settle(sched, now);
	if (code == 0)
		code = measure_jobs(sched, options, paths, now, result);
	if (code == 0 && options->stat)
		code = measure_verb(options, cell, "stat -pri -urg -ext", &result->stat_ns);
	if (code == 0 && options->stat)
		code = measure_verb(options, cell, "stat --json", &result->stat_json_ns);
	if (code == 0 && options->stat)
		code = measure_explain(options, cell, result);
	if (code == 0 && options->changed_percent > 0)
		code = measure_changed(sched, options, now + 1 + options->runs, result);
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
		code = measure_sched(sched, options, cell, &paths, result);
	} else {
		report_print(&report, stderr);
		fprintf(stderr, "full_run: %s\n", error.text);
	}
	sched_destroy(sched);
	report_free(&report);
	unlink(paths.state);
	unlink(paths.lock);
	rmdir(paths.directory);
	return code;
}

/* Output */

static void print_shape(const char *what, const struct options *options)
{
	printf("{\"what\":\"%s\",\"policy\":\"default\",\"jobs\":%zu,\"users\":%zu,\"workers\":%u", what,
	       options->shape.jobs, options->shape.users, options->workers);
}

static void print_figure(const char *unit, const struct figure *figure)
{
	printf(",\"ns_per_%s\":%.1f,\"best_ns_per_%s\":%.1f", unit, figure->median, unit, figure->best);
}

static void print_chunks(const struct series *series)
{
	printf(",\"chunks\":%llu,\"chunks_shared\":%llu", (unsigned long long)series->chunks,
	       (unsigned long long)series->chunks_shared);
}

static void print_phases(const struct options *options, const struct series *series, const char *pattern)
{
	for (int p = 0; p < PHASES; p++) {
		print_shape("phase", options);
		printf(",\"changes\":\"%s\",\"phase\":\"%s\"", pattern, phase_name((enum phase)p));
		print_figure("job", &series->phase[p]);
		printf("}\n");
	}
}

static void print_changed(const struct options *options, const struct series *series, const char *pattern)
{
	print_shape("changed_run", options);
	printf(",\"changes\":\"%s\",\"percent\":%.3g,\"changed_jobs\":%zu", pattern, options->changed_percent,
	       series->changes);
	print_figure("job", &series->run);
	print_figure("change", &series->change);
	print_chunks(series);
	printf("}\n");
	print_phases(options, series, pattern);
}

static void print_json(const struct options *options, const struct result *result)
{
	print_shape("full_run", options);
	print_figure("job", &result->unchanged.run);
	printf(",\"bytes_per_job\":%.1f,\"shared_bytes_per_job\":%.1f,\"generation_bytes_per_job\":%.1f,"
	       "\"cell_bytes\":%.0f,"
	       "\"add_ns_per_job\":%.1f",
	       result->shared_bytes + result->private_bytes, result->shared_bytes, result->generation_bytes,
	       result->cell_bytes, result->add_ns);
	print_chunks(&result->unchanged);
	printf("}\n");
	print_phases(options, &result->unchanged, "none");
	for (int p = 0; options->changed_percent > 0 && p < CHANGE_PATTERNS; p++)
		print_changed(options, &result->changed[p], change_name((enum change_pattern)p));
	if (options->stat)
		printf("{\"what\":\"stat\",\"jobs\":%zu,\"users\":%zu,\"text_ns_per_job\":%.1f,"
		       "\"json_ns_per_job\":%.1f,\"explain_ns\":%.0f}\n",
		       options->shape.jobs, options->shape.users, result->stat_ns, result->stat_json_ns,
		       result->explain_ns);
}

static void print_line(const char *name, const struct figure *figure, const char *note)
{
	printf("  %-10s %8.1f ns/job (best %.1f)%s\n", name, figure->median, figure->best, note);
}

static void print_table(const struct options *options, const struct result *result)
{
	printf("full_run  jobs %zu  users %zu  workers %u  ns/job %.1f (best %.1f)\n", options->shape.jobs,
	       options->shape.users, options->workers, result->unchanged.run.median, result->unchanged.run.best);
	printf("  bytes/job %.1f: shared %.1f (one generation %.1f), private %.1f; without a job %.1f MB\n",
	       result->shared_bytes + result->private_bytes, result->shared_bytes, result->generation_bytes,
	       result->private_bytes, result->cell_bytes / 1e6);
	for (int p = 0; p < PHASES; p++)
		print_line(phase_name((enum phase)p), &result->unchanged.phase[p], "");
	printf("  %-10s %8.1f ns/job (adding the jobs, before the runs)\n", "add", result->add_ns);
	for (int p = 0; options->changed_percent > 0 && p < CHANGE_PATTERNS; p++) {
		char note[96];

		snprintf(note, sizeof(note), " the run after changes; %llu of %llu chunks shared",
			 (unsigned long long)result->changed[p].chunks_shared,
			 (unsigned long long)result->changed[p].chunks);
		print_line(change_name((enum change_pattern)p), &result->changed[p].run, note);
	}
	if (options->stat)
		printf("  %-10s %8.1f ns/job text, %.1f ns/job --json; explain %.3f s a job\n", "stat", result->stat_ns,
		       result->stat_json_ns, result->explain_ns / 1e9);
}

static int usage(void)
{
	fprintf(stderr,
		"usage: full_run [--jobs N] [--users N] [--workers N] [--runs N] [--changed PERCENT] [--json] "
		"[--stat PROGRAM]\n");
	return 2;
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option names[] = { { "jobs", 1, 0, 'j' },	 { "users", 1, 0, 'u' },
					       { "runs", 1, 0, 'r' },	 { "json", 0, 0, 'J' },
					       { "changed", 1, 0, 'c' }, { "stat", 1, 0, 's' },
					       { "workers", 1, 0, 'w' }, { 0 } };

	*options = (struct options){ .shape = { .jobs = 100000, .users = 1000, .seed = 1 }, .runs = 7, .workers = 1 };
	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1; ) {
		if (c == 'j')
			options->shape.jobs = strtoull(optarg, NULL, 10);
		else if (c == 'u')
			options->shape.users = strtoull(optarg, NULL, 10);
		else if (c == 'r')
			options->runs = atoi(optarg);
		else if (c == 'w' && *optarg >= '0' && *optarg <= '9')
			options->workers = (unsigned)strtoul(optarg, NULL, 10);
		else if (c == 'c')
			options->changed_percent = atof(optarg);
		else if (c == 'J')
			options->json = true;
		else if (c == 's')
			options->stat = optarg;
		else
			return -EINVAL;
	}
	options->workers = options->workers ? options->workers : cpus();
	return optind == argc && options->workers <= MOST_WORKERS && options->shape.jobs > 0 &&
			       options->shape.jobs <= MOST_JOBS && options->shape.users > 0 &&
			       options->shape.users <= MOST_JOBS && options->runs > 0 && options->runs <= MOST_RUNS &&
			       options->changed_percent >= 0 && options->changed_percent <= 100
		       ? 0
		       : -EINVAL;
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
