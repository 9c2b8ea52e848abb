/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of a journal: `journal [--jobs N] [--users N] [--runs N] [--changed PERCENT] [--file F]`.
 * The same scheduler runs alternately without and with a journal: full runs, runs after PERCENT of
 * the jobs have changed, and the changes themselves. A run starts when the journal has finished the
 * previous one (apart), or immediately (at_once). Times are processor times of the scheduler's
 * thread and of the journal's thread.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/cell.h"
#include "bench/measure.h"
#include "sched/qmaster/journal/journal.h"

#define MOST_RUNS 101

struct options {
	struct bench_shape shape;
	int runs;
	double changed_percent;
	const char *file;
};

struct figures {
	double off[MOST_RUNS], on[MOST_RUNS];	/* ns */
	/* CPU time of other threads of the process, with a journal: total in ns */
	double cpu;
};

static double cpu_ns(clockid_t clock)
{
	struct timespec timespec;

	clock_gettime(clock, &timespec);
	return (double)timespec.tv_sec * 1e9 + (double)timespec.tv_nsec;
}

static double others_ns(void)
{
	return cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns(CLOCK_THREAD_CPUTIME_ID);
}

struct bench {
	const struct options *options, *o;	/* options as given; options of a series */
	struct sched *sched;
	struct intake intake;
	struct run_journal *journal;
	int64_t now;
	uint32_t random;
};

static int begin(struct bench *bench)
{
	const struct journal_options options = { .path = bench->o->file, .bytes = (uint64_t)4 << 30 };
	struct error error = { "" };
	int rc = journal_open(&bench->journal, &options, bench->sched, &bench->intake, &error);

	/* the first run of a part is not measured */
	if (rc == 0) {
		journal_prepared(bench->journal);
		rc = sched_run(bench->sched, ++bench->now, 1, &error);
		journal_ran(bench->journal, rc, true);
		journal_drain(bench->journal);
	}
	if (rc)
		fprintf(stderr, "journal: %s\n", error.text);
	return rc;
}

static void end(struct bench *bench)
{
	journal_close(bench->journal);
	bench->journal = NULL;
}

static int one_run(struct bench *bench, double *ns)
{
	struct error error = { "" };
	double before = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	int rc;

	journal_prepared(bench->journal);
	rc = sched_run(bench->sched, ++bench->now, 1, &error);
	journal_ran(bench->journal, rc, true);
	*ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - before;
	if (rc)
		fprintf(stderr, "journal: %s\n", error.text);
	return rc;
}

/* Change -p of jobs all over the queue. */
static int change(struct bench *bench, size_t n, double *ns)
{
	struct error error = { "" };
	double before = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	struct event event;
	int rc = 0;

	event_init(&event, EVENT_JOB_MODIFY);
	event.job.given = JOB_PRIORITY;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		event.job.job_number = 1 + next_random(&bench->random) % (uint32_t)bench->o->shape.jobs;
		event.job.priority = -(int32_t)(next_random(&bench->random) % 1000);
		rc = intake_event(&bench->intake, &event, &error);
	}
	*ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - before;
	if (rc)
		fprintf(stderr, "journal: %s\n", error.text);
	return rc;
}

static int series(struct bench *bench, size_t changes, bool at_once, double *ns, double *change_ns)
{
	int rc = 0;

	for (int i = 0; rc == 0 && i < bench->o->runs; i++) {
		rc = changes ? change(bench, changes, &change_ns[i]) : 0;
		if (!at_once)
			journal_drain(bench->journal);
		rc = rc ? rc : one_run(bench, &ns[i]);
		if (!at_once)
			journal_drain(bench->journal);
	}
	return rc;
}

/*
 * Measure half of the runs without a journal before the runs with one, and the other half after
 * them, so that both find the same load of the machine.
 */
static int measure(struct bench *bench, size_t changes, bool at_once, struct figures *runs, struct figures *events)
{
	struct options all = *bench->o, half = all;
	int rc, first = half.runs = all.runs / 2;
	double before;

	bench->o = &half;
	rc = series(bench, changes, at_once, runs->off, events->off);
	bench->o = &all;
	rc = rc ? rc : begin(bench);
	before = others_ns();
	rc = rc ? rc : series(bench, changes, at_once, runs->on, events->on);
	journal_drain(bench->journal);
	runs->cpu = others_ns() - before;
	end(bench);
	half.runs = all.runs - first;
	bench->o = &half;
	rc = rc ? rc : series(bench, changes, at_once, runs->off + first, events->off + first);
	bench->o = bench->options;
	return rc;
}

static void print(const struct options *options, const char *what, const char *when, struct figures *figures,
		  double each, double thread_ns, double bytes)
{
	struct figure off = figure_of(figures->off, options->runs, each),
		      on = figure_of(figures->on, options->runs, each);

	/* negative if a state was compressed better than the previous one */
	bytes = bytes > 0 ? bytes : 0;
	thread_ns = thread_ns > 0 ? thread_ns : 0;
	printf("{\"what\":\"journal\",\"content\":\"%s\",\"when\":\"%s\",\"jobs\":%zu,\"users\":%zu,"
	       "\"ns_without\":%.1f,\"ns_with\":%.1f,\"ratio\":%.4f,"
	       "\"thread_ns\":%.1f,\"bytes_each\":%.1f}\n",
	       what, when, options->shape.jobs, options->shape.users, off.median, on.median,
	       off.median > 0 ? on.median / off.median : 0, thread_ns, bytes);
}

static double file_bytes(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (double)st.st_size : 0;
}

static int measure_all(struct bench *bench)
{
	static struct figures runs, events;
	const struct options *options = bench->o;
	size_t changes = (size_t)((double)options->shape.jobs * options->changed_percent / 100) + 1;
	double state;
	int rc = 0;

	for (int at_once = 0; rc == 0 && at_once < 2; at_once++) {
		const char *when = at_once ? "at_once" : "apart";

		rc = measure(bench, 0, at_once, &runs, &events);
		state = file_bytes(options->file);
		if (rc == 0)
			print(options, "full", when, &runs, (double)options->shape.jobs,
			      runs.cpu / options->runs / (double)options->shape.jobs,
			      state / (double)options->shape.jobs);
		rc = rc ? rc : measure(bench, changes, at_once, &runs, &events);
		if (rc)
			break;
		print(options, "changed", when, &runs, (double)options->shape.jobs,
		      runs.cpu / options->runs / (double)options->shape.jobs, 0);
		print(options, "event", when, &events, (double)changes, 0,
		      (file_bytes(options->file) - state) / ((double)changes * options->runs));
	}
	return rc;
}

static int options_take(struct options *options, int argc, char **argv)
{
	static const struct option table[] = { { "jobs", 1, NULL, 'j' }, { "users", 1, NULL, 'u' },
					       { "runs", 1, NULL, 'r' }, { "changed", 1, NULL, 'c' },
					       { "file", 1, NULL, 'f' }, { NULL, 0, NULL, 0 } };

	for (int c; (c = getopt_long(argc, argv, "", table, NULL)) != -1;)
		switch (c) {
		case 'j':
			options->shape.jobs = strtoul(optarg, NULL, 10);
			break;
		case 'u':
			options->shape.users = strtoul(optarg, NULL, 10);
			break;
		case 'r':
			options->runs = atoi(optarg);
			break;
		case 'c':
			options->changed_percent = strtod(optarg, NULL);
			break;
		case 'f':
			options->file = optarg;
			break;
		default:
			return 2;
		}
	return options->shape.jobs > 0 && options->shape.users > 0 && options->runs > 0 && options->runs <= MOST_RUNS &&
			       options->changed_percent >= 0 && options->changed_percent <= 100
		       ? 0
		       : 2;
}

int main(int argc, char **argv)
{
	struct options options = { .shape = { 1000000, 1000, 1 }, .runs = 11, .changed_percent = 1 };
	struct bench bench = { .options = &options, .o = &options, .now = 1700000000, .random = 7 };
	const struct segment_options defaults = { .group = -1 };
	char directory[BENCH_PATH], file[BENCH_PATH + 20];
	struct report report = { 0 };
	struct error error = { "" };
	struct segment_paths paths;
	int rc;

	if (options_take(&options, argc, argv)) {
		fprintf(stderr,
			"usage: journal [--jobs N] [--users N] [--runs 1..%d] [--changed PERCENT] [--file FILE]\n",
			MOST_RUNS);
		return 2;
	}
	if (bench_directory(directory))
		return 1;
	snprintf(file, sizeof(file), "%s/journal", directory);
	options.file = options.file ? options.file : file;
	rc = bench_cell_write(directory, &options.shape);
	rc = rc ? rc : sched_create(&bench.sched, directory, &defaults, &report, &error);
	if (rc == 0) {
		bench.intake =
			(struct intake){ .mirror = sched_mirror(bench.sched), .orders = sched_orders(bench.sched) };
		rc = bench_jobs_add(sched_mirror(bench.sched), &options.shape, bench.now);
		for (unsigned i = 0; rc == 0 && i < GENERATIONS; i++)
			rc = sched_run(bench.sched, ++bench.now, 1, &error);
		rc = rc ? rc : measure_all(&bench);
	}
	if (rc)
		fprintf(stderr, "journal: %s\n", error.text[0] ? error.text : strerror(-rc));
	sched_destroy(bench.sched);
	report_free(&report);
	if (segment_paths(&paths, directory) == 0) {
		unlink(paths.state);
		unlink(paths.lock);
		rmdir(paths.directory);
	}
	bench_cell_remove(directory);
	return rc != 0;
}
