/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of replaying a workload: a generated one, or the log of a site (--trace, or FAIRLEAD_TRACE),
 * on a machine of a given number of slots, with a share tree of its groups and reservations. With
 * --held the queue is kept at a number of pending jobs: one job arrives for each that starts. The
 * time includes submissions, runs and ends, and for a log also reading it.
 */
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench/measure.h"
#include "bench/workload.h"
#include "conf/lists.h"
#include "sched/detach.h"
#include "sched/replay/replay.h"

struct options {
	struct workload work;
	struct workload_policy policy;
	const char *trace;
	size_t held;			/* 0: jobs arrive at their submission times */
	size_t workers;
	uint32_t usage_s, sample_s;
	bool events, json;
};

struct result {
	struct replay_counts counts, before;	/* total, and the part before the measurement */
	double begin, ns, cpu_begin, cpu_ns, phases[PHASES], waited_s, used_s;	/* slots x s */
	int64_t first, last;
	uint64_t slots, sum_pending, sum_running, reservations, backfilled;
	/* bytes of the heap after half of the jobs and after all jobs have been submitted */
	double held_begin, held_end;
	long peak_kib;
	struct sched *sched;
};

/* Observers */

/* Return the processor time of this process, which depends little on other load of the machine. */
static double processor_ns(void)
{
	struct timespec timespec;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &timespec);
	return (double)timespec.tv_sec * 1e9 + (double)timespec.tv_nsec;
}

static double held_bytes(void)
{
	struct mallinfo2 heap = mallinfo2();

	return (double)heap.uordblks + (double)heap.hblkhd;
}

static void started(void *context, const struct replay_task *task)
{
	struct result *result = context;

	result->waited_s += (double)(task->start - task->submit);
	result->backfilled += task->backfilled;
}

static void ended(void *context, const struct replay_task *task, int64_t now)
{
	struct result *result = context;

	result->used_s += (double)task->run_s * task->slots;
	result->last = now;
}

static void ran(void *context, const struct replay_run *run)
{
	struct result *result = context;
	struct profile profile;

	result->slots = run->slots;
	result->sum_pending += run->pending;
	result->sum_running += run->running;
	result->reservations += run->reservations;
	sched_profile(result->sched, &profile);
	for (int i = 0; i < PHASES; i++)
		result->phases[i] += (double)profile.ns[i];
}

/* Empty observer, because the cost of publishing a run is in the phase publish. */
static void sampled(void *context, int64_t now, const struct fl_view *view)
{
	(void)context;
	(void)now;
	(void)view;
}

/* Sources of jobs */

struct source {
	struct trace *trace;		/* NULL: generated */
	struct workload_jobs jobs;
};

static int source_next(struct source *source, struct trace_job *job, struct error *error)
{
	return source->trace ? trace_next(source->trace, job, error) : workload_next(&source->jobs, job);
}

/* The replay */

static int feed(struct replay *replay, struct source *source, const struct options *options, struct result *result,
		struct error *error)
{
	struct trace_job job;
	int rc = 0;

	for (size_t n = 0; rc == 0; n++) {
		rc = source_next(source, &job, error);
		if (rc)
			break;
		result->first = result->first ? result->first : job.submit;
		if (n == options->work.jobs / 2)
			result->held_begin = held_bytes();
		rc = replay_job(replay, &job, error);
	}
	result->held_end = held_bytes();
	return rc == 1 ? replay_finish(replay, error) : rc;
}

/*
 * Feed jobs so that the number of pending jobs is constant whenever the queue is inspected. The
 * measurement starts when this number is reached.
 */
static int feed_held(struct replay *replay, struct source *source, const struct options *options, struct result *result,
		     struct error *error)
{
	struct replay_counts counts = { 0 };
	struct trace_job job;
	int64_t now = WORKLOAD_BEGIN;
	int rc = 0;

	result->first = now;
	while (rc == 0) {
		for (replay_counts(replay, &counts); rc == 0 && counts.waiting + counts.not_yet < options->held;
		     replay_counts(replay, &counts)) {
			rc = source_next(source, &job, error);
			job.submit = now;
			if (rc == 0)
				rc = replay_job(replay, &job, error);
		}
		now += options->policy.interval;
		if (rc == 0)
			rc = replay_until(replay, now, error);
		if (!result->before.started) {
			memset(result->phases, 0, sizeof(result->phases));
			replay_counts(replay, &result->before);
			result->held_begin = held_bytes();
			result->begin = now_ns();
			result->cpu_begin = processor_ns();
		}
	}
	result->held_end = held_bytes();
	return rc == 1 ? 0 : rc;
}

static int run(const struct options *o, struct sched *sched, struct result *result, struct error *error)
{
	const struct replay_options options = { .runs = o->events ? REPLAY_AT_EVENTS : REPLAY_BY_INTERVAL,
						.usage_s = o->usage_s,
						.sample_s = o->sample_s };
	const struct replay_watch watch = {
		.context = result, .started = started, .ended = ended, .ran = ran, .sample = sampled
	};
	struct source source = { .trace = NULL };
	struct rusage usage;
	struct replay *replay;
	int rc = replay_create(&replay, sched, &options, &watch, error);

	result->sched = sched;
	result->begin = now_ns();
	result->cpu_begin = processor_ns();
	workload_begin(&source.jobs, &o->work);
	if (rc == 0 && o->trace)
		rc = trace_open(&source.trace, o->trace, NULL, error);
	if (rc == 0)
		rc = (o->held ? feed_held : feed)(replay, &source, o, result, error);
	result->ns = now_ns() - result->begin;
	result->cpu_ns = processor_ns() - result->cpu_begin;
	if (rc == 0) {
		replay_counts(replay, &result->counts);
		result->counts.started -= result->before.started;
		result->counts.runs -= result->before.runs;
	}
	getrusage(RUSAGE_SELF, &usage);
	result->peak_kib = usage.ru_maxrss;
	replay_destroy(replay);
	trace_close(source.trace);
	return rc;
}

static int cell_make(struct options *options, struct cell_files *made, struct error *error)
{
	struct workload_groups groups = { 0 };
	struct cell_files policies = { 0 };
	struct report report = { 0 };
	struct cell cell;
	int rc = options->trace ? workload_groups_of_trace(&options->work, options->trace, &groups, error)
				: workload_groups_made(&options->work, &groups);

	if (rc == 0)
		rc = workload_cell(&policies, &options->policy, (const char *const *)groups.items, groups.n);
	if (rc == 0) {
		rc = cell_load_files(&cell, "(bench)", &policies, &report);
		if (rc == 0)
			rc = replay_cell_of_slots(made, &cell, options->work.slots, error);
		cell_free(&cell);
	}
	cell_files_free(&policies);
	report_free(&report);
	workload_groups_free(&groups);
	return rc;
}

static int measure(struct options *options, struct result *result, struct error *error)
{
	struct cell_files files = { 0 };
	struct report report = { 0 };
	struct sched *sched = NULL;
	int rc = cell_make(options, &files, error);

	if (rc == 0)
		rc = sched_create_detached(&sched, "(bench)", &files, 0, &report, error);
	report_print(&report, stderr);
	if (rc == 0 && options->workers > 1)
		rc = sched_workers(sched, (unsigned)options->workers);
	if (rc == 0)
		rc = run(options, sched, result, error);
	sched_destroy(sched);
	cell_files_free(&files);
	report_free(&report);
	return rc;
}

/* Output */

static double of(double value, double by)
{
	return by > 0 ? value / by : 0;
}

static double used_part(const struct result *result)
{
	return of(result->used_s, (double)result->slots * (double)(result->last - result->first));
}

static void print_json(const struct options *options, const struct result *result)
{
	const struct replay_counts *counts = &result->counts;

	printf("{\"what\":\"replay\",\"trace\":\"%s\",\"jobs\":%llu,\"slots\":%llu,\"held\":%zu,\"interval\":%u,"
	       "\"max_reservation\":%u,\"workers\":%zu",
	       options->trace ? "file" : "made", (unsigned long long)counts->taken, (unsigned long long)result->slots,
	       options->held, options->policy.interval, options->policy.reservations, options->workers);
	printf(",\"started\":%llu,\"refused\":%llu,\"runs\":%llu,\"skipped\":%llu,\"backfilled\":%llu,\"ns\":%.0f,"
	       "\"cpu_ns\":%.0f,\"ns_per_job\":%.1f,\"ns_per_run\":%.1f",
	       (unsigned long long)counts->started, (unsigned long long)counts->refused,
	       (unsigned long long)counts->runs, (unsigned long long)counts->skipped,
	       (unsigned long long)result->backfilled, result->ns, result->cpu_ns,
	       of(result->ns, (double)counts->started), of(result->ns, (double)counts->runs));
	printf(",\"pending_mean\":%.1f,\"running_mean\":%.1f,\"utilisation\":%.4f,\"wait_mean\":%.1f,"
	       "\"grown_bytes\":%.0f,\"peak_kib\":%ld}\n",
	       of((double)result->sum_pending, (double)counts->runs),
	       of((double)result->sum_running, (double)counts->runs), used_part(result),
	       of(result->waited_s, (double)counts->started),
	       result->held_end > result->held_begin ? result->held_end - result->held_begin : 0, result->peak_kib);
	for (int i = 0; i < PHASES; i++)
		printf("{\"what\":\"replay_phase\",\"trace\":\"%s\",\"held\":%zu,\"phase\":\"%s\",\"ns\":%.0f}\n",
		       options->trace ? "file" : "made", options->held, phase_name((enum phase)i), result->phases[i]);
}

static void print_table(const struct options *options, const struct result *result)
{
	const struct replay_counts *counts = &result->counts;
	double rest = result->ns;

	printf("replay  jobs %llu  started %llu  refused %llu  ended %llu  waiting %llu  slots %llu  interval %u s  "
	       "max_reservation %u\n",
	       (unsigned long long)counts->taken, (unsigned long long)counts->started,
	       (unsigned long long)counts->refused, (unsigned long long)counts->ended,
	       (unsigned long long)counts->waiting, (unsigned long long)result->slots, options->policy.interval,
	       options->policy.reservations);
	printf("  %.2f s (processor %.2f s)  %.1f us/job  runs %llu  %.1f us/run  skipped %llu  pending %.1f  "
	       "running %.1f\n",
	       result->ns / 1e9, result->cpu_ns / 1e9, of(result->ns, (double)counts->started) / 1e3,
	       (unsigned long long)counts->runs, of(result->ns, (double)counts->runs) / 1e3,
	       (unsigned long long)counts->skipped, of((double)result->sum_pending, (double)counts->runs),
	       of((double)result->sum_running, (double)counts->runs));
	printf("  utilisation %.1f %%  waited %.0f s  backfilled %.1f %%  reservations %.1f a run  memory: peak %ld "
	       "KiB, grown by %.0f B\n",
	       100 * used_part(result), of(result->waited_s, (double)counts->started),
	       of(100.0 * (double)result->backfilled, (double)counts->started),
	       of((double)result->reservations, (double)counts->runs), result->peak_kib,
	       result->held_end - result->held_begin);
	for (int i = 0; i < PHASES; i++) {
		printf("  %-10s %8.3f s  %5.1f %%  %8.2f us/run\n", phase_name((enum phase)i), result->phases[i] / 1e9,
		       100 * of(result->phases[i], result->ns), of(result->phases[i], (double)counts->runs) / 1e3);
		rest -= result->phases[i];
	}
	printf("  %-10s %8.3f s  %5.1f %%  %8.2f us/run\n", "replay", rest / 1e9, 100 * of(rest, result->ns),
	       of(rest, (double)counts->runs) / 1e3);
}

/* Options */

static int usage(void)
{
	fprintf(stderr,
		"usage: replay [--trace FILE] [--jobs N] [--users N] [--groups N] [--slots N] [--load PERCENT] "
		"[--held N] [--interval S]\n"
		"              [--flush S] [--usage S] [--reservations N] [--sample S] [--events] [--workers N] "
		"[--seed N] [--json]\n"
		"FAIRLEAD_TRACE names a log, too. With --held so many jobs wait all the time; with --sample runs are "
		"published\n");
	return 2;
}

static bool parse_size(const char *text, size_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *value <= 100000000;
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option names[] = { { "trace", 1, 0, 't' },
					       { "jobs", 1, 0, 'j' },
					       { "users", 1, 0, 'u' },
					       { "groups", 1, 0, 'g' },
					       { "slots", 1, 0, 's' },
					       { "load", 1, 0, 'l' },
					       { "held", 1, 0, 'h' },
					       { "interval", 1, 0, 'i' },
					       { "flush", 1, 0, 'f' },
					       { "usage", 1, 0, 'U' },
					       { "reservations", 1, 0, 'r' },
					       { "events", 0, 0, 'e' },
					       { "workers", 1, 0, 'w' },
					       { "sample", 1, 0, 'p' },
					       { "seed", 1, 0, 'S' },
					       { "json", 0, 0, 'J' },
					       { 0 } };

	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
		size_t value = 0;

		if (c == '?' || (optarg && c != 't' && !parse_size(optarg, &value)))
			return -EINVAL;
		switch (c) {
		case 't': options->trace = optarg; break;
		case 'j': options->work.jobs = value; break;
		case 'u': options->work.users = value; break;
		case 'g': options->work.groups = value; break;
		case 's': options->work.slots = value; break;
		case 'l': options->work.load = (double)value / 100; break;
		case 'h': options->held = value; break;
		case 'i': options->policy.interval = (uint32_t)value; break;
		case 'f': options->policy.flush = (uint32_t)value; break;
		case 'U': options->usage_s = (uint32_t)value; break;
		case 'r': options->policy.reservations = (uint32_t)value; break;
		case 'e': options->events = true; break;
		case 'p': options->sample_s = (uint32_t)value; break;
		case 'w': options->workers = value; break;
		case 'S': options->work.seed = (uint32_t)value; break;
		case 'J': options->json = true; break;
		}
	}
	options->work.jobs += options->held;
	return optind == argc && options->work.jobs && options->work.users && options->work.groups &&
			       options->work.load > 0 && options->policy.interval
		       ? 0
		       : -EINVAL;
}

int main(int argc, char **argv)
{
	struct options options = { .work = { .jobs = 20000, .users = 500, .groups = 50, .load = 0.9, .seed = 1 },
				   .policy = { .interval = 15, .reservations = 8 },
				   .trace = getenv("FAIRLEAD_TRACE"),
				   .workers = 1 };
	struct result result = { .ns = 0 };
	struct error error = { "" };
	int rc;

	if (parse(argc, argv, &options) != 0)
		return usage();
	if (!options.trace && !options.work.slots)
		options.work.slots = 4096;
	rc = measure(&options, &result, &error);
	if (rc) {
		fprintf(stderr, "replay: %s\n", error.text[0] ? error.text : strerror(-rc));
		return 1;
	}
	(options.json ? print_json : print_table)(&options, &result);
	return fflush(stdout) == 0 ? 0 : 1;
}
