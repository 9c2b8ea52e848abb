/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a full scheduling run costs: `full_run [--jobs N] [--users N] [--runs N] [--json] [--stat PROGRAM]`. Medians over the
 * runs of one process, and the best run; phases add up to the run. With --stat the program is run on the cell afterwards and
 * its time is given per job.
 *
 * Memory is what the jobs cost in all: pages of the segment's files (counted in the file system, so each once, whoever maps
 * them; all generations that stay populated, not only the current one) and everything malloc holds, room to grow included,
 * whether touched or not. What the same scheduler holds without a job, its configuration above all, is taken off and told apart.
 */
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/cell.h"
#include "sched/sched.h"
#include "shm/layout.h"
#include "shm/segment.h"

#define MOST_RUNS 101
#define MOST_JOBS 100000000
#define STAT_REPEATS 3

struct options {
	struct bench_shape shape;
	int runs;
	bool json;
	const char *stat;
};

struct memory {
	double shared_bytes;		/* pages of the segment's files */
	double used_bytes, held_bytes;	/* of malloc: handed out; taken from the system */
};

struct result {			/* per job */
	double phase_ns[PHASES];	/* medians */
	double run_ns, best_ns, add_ns, stat_ns, stat_json_ns;
	double generation_bytes;	/* of one generation */
	double shared_bytes, private_bytes;	/* of all generations; of the process */
	double cell_bytes;		/* not per job: the scheduler without a job */
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), by_value);
	return values[n / 2];
}

/* ---- memory ---------------------------------------------------------------------------------------------------------------------- */

static double file_bytes(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? 512.0 * (double)st.st_blocks : 0;
}

static struct memory memory_now(const struct segment_paths *paths)
{
	struct mallinfo2 heap = mallinfo2();

	return (struct memory){ .shared_bytes = file_bytes(paths->state) + file_bytes(paths->readers),
				.used_bytes = (double)heap.uordblks + (double)heap.hblkhd,
				.held_bytes = (double)heap.arena + (double)heap.hblkhd };
}

/* What reading the cell left behind in malloc may serve the jobs now: not taken off, the jobs need it. */
static void memory_result(struct result *r, const struct memory *empty, const struct memory *full, size_t jobs)
{
	r->cell_bytes = empty->shared_bytes + empty->used_bytes;
	r->shared_bytes = (full->shared_bytes - empty->shared_bytes) / (double)jobs;
	r->private_bytes = (full->held_bytes - empty->used_bytes) / (double)jobs;
}

/* ---- time ------------------------------------------------------------------------------------------------------------------------ */

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

static int measure_runs(struct sched *s, const struct options *o, struct result *r, int64_t now)
{
	static double phase[PHASES][MOST_RUNS], total[MOST_RUNS];
	struct profile profile;
	struct error error;

	for (int i = 0; i < o->runs; i++) {
		double begin = now_ns();

		if (sched_run(s, now + i, 1, &error) != 0) {
			fprintf(stderr, "full_run: %s\n", error.text);
			return -ENOMEM;
		}
		total[i] = now_ns() - begin;
		sched_profile(s, &profile);
		for (int p = 0; p < PHASES; p++)
			phase[p][i] = (double)profile.ns[p];
	}
	r->run_ns = median(total, o->runs) / (double)o->shape.jobs;
	r->best_ns = total[0] / (double)o->shape.jobs;	/* sorted now */
	for (int p = 0; p < PHASES; p++)
		r->phase_ns[p] = median(phase[p], o->runs) / (double)o->shape.jobs;
	r->generation_bytes = (double)profile.shared_bytes / (double)o->shape.jobs;
	return 0;
}

/* The best of some: starting a process is the noisy part. */
static int measure_stat(const struct options *o, const char *cell, const char *format, double *ns)
{
	char command[1024];

	snprintf(command, sizeof(command), "'%s' -c '%s' stat %s >/dev/null", o->stat, cell, format);
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

static int measure_sched(struct sched *s, const struct options *o, const char *cell, const struct segment_paths *paths,
			 struct result *r)
{
	const int64_t now = 1700000000;
	struct memory empty, full;
	double begin;
	int code = runs_settle(s, now);

	empty = memory_now(paths);
	begin = now_ns();
	if (code == 0)
		code = bench_jobs_add(sched_mirror(s), &o->shape, now);
	r->add_ns = (now_ns() - begin) / (double)o->shape.jobs;
	if (code == 0)
		code = runs_settle(s, now);
	if (code == 0)
		code = measure_runs(s, o, r, now + 1);
	full = memory_now(paths);
	memory_result(r, &empty, &full, o->shape.jobs);
	if (code == 0 && o->stat)
		code = measure_stat(o, cell, "-pri -urg -ext", &r->stat_ns);
	if (code == 0 && o->stat)
		code = measure_stat(o, cell, "--json", &r->stat_json_ns);
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
	unlink(paths.readers);
	unlink(paths.lock);
	return code;
}

/* ---- output ---------------------------------------------------------------------------------------------------------------------- */

static void print_json(const struct options *o, const struct result *r)
{
	printf("{\"what\":\"full_run\",\"policy\":\"default\",\"jobs\":%zu,\"users\":%zu,\"workers\":1,\"ns_per_job\":%.1f,"
	       "\"best_ns_per_job\":%.1f,\"bytes_per_job\":%.1f,\"shared_bytes_per_job\":%.1f,\"generation_bytes_per_job\":%.1f,"
	       "\"cell_bytes\":%.0f,\"add_ns_per_job\":%.1f",
	       o->shape.jobs, o->shape.users, r->run_ns, r->best_ns, r->shared_bytes + r->private_bytes, r->shared_bytes,
	       r->generation_bytes, r->cell_bytes, r->add_ns);
	for (int p = 0; p < PHASES; p++)
		printf(",\"%s_ns_per_job\":%.1f", phase_name((enum phase)p), r->phase_ns[p]);
	printf("}\n");
	if (o->stat)
		printf("{\"what\":\"stat\",\"jobs\":%zu,\"users\":%zu,\"text_ns_per_job\":%.1f,\"json_ns_per_job\":%.1f}\n",
		       o->shape.jobs, o->shape.users, r->stat_ns, r->stat_json_ns);
}

static void print_table(const struct options *o, const struct result *r)
{
	printf("full_run  jobs %zu  users %zu  ns/job %.1f (best %.1f)\n", o->shape.jobs, o->shape.users, r->run_ns, r->best_ns);
	printf("  bytes/job %.1f: shared %.1f (one generation %.1f), private %.1f; without a job %.1f MB\n",
	       r->shared_bytes + r->private_bytes, r->shared_bytes, r->generation_bytes, r->private_bytes, r->cell_bytes / 1e6);
	for (int p = 0; p < PHASES; p++)
		printf("  %-10s %8.1f ns/job\n", phase_name((enum phase)p), r->phase_ns[p]);
	printf("  %-10s %8.1f ns/job (taking the jobs in, before)\n", "add", r->add_ns);
	if (o->stat)
		printf("  %-10s %8.1f ns/job text, %.1f ns/job --json\n", "stat", r->stat_ns, r->stat_json_ns);
}

static int usage(void)
{
	fprintf(stderr, "usage: full_run [--jobs N] [--users N] [--runs N] [--json] [--stat PROGRAM]\n");
	return 2;
}

static int parse(int argc, char **argv, struct options *o)
{
	static const struct option names[] = { { "jobs", 1, 0, 'j' }, { "users", 1, 0, 'u' }, { "runs", 1, 0, 'r' }, { "json", 0, 0, 'J' },
					       { "stat", 1, 0, 's' }, { 0 } };

	*o = (struct options){ .shape = { .jobs = 100000, .users = 1000, .seed = 1 }, .runs = 7 };
	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1; ) {
		if (c == 'j')
			o->shape.jobs = strtoull(optarg, NULL, 10);
		else if (c == 'u')
			o->shape.users = strtoull(optarg, NULL, 10);
		else if (c == 'r')
			o->runs = atoi(optarg);
		else if (c == 'J')
			o->json = true;
		else if (c == 's')
			o->stat = optarg;
		else
			return -EINVAL;
	}
	return optind == argc && o->shape.jobs > 0 && o->shape.jobs <= MOST_JOBS && o->shape.users > 0 &&
	       o->shape.users <= MOST_JOBS && o->runs > 0 && o->runs <= MOST_RUNS ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
	const char *parent = getenv("TMPDIR");
	char directory[256];
	struct options options;
	struct result result = { .run_ns = 0 };
	int code;

	if (parse(argc, argv, &options) != 0)
		return usage();
	snprintf(directory, sizeof(directory), "%s/fairlead-bench-XXXXXX", parent && *parent ? parent : "/tmp");
	if (!mkdtemp(directory)) {
		perror(directory);
		return 1;
	}
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
