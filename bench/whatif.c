/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of an answer of fairlead whatif, from the start of its process to its end, and in processor
 * time: `whatif [--jobs N] [--users N] [--runs N] [--json] FAIRLEAD`. The change affects almost all
 * jobs. Prints medians and the best.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/cell.h"
#include "bench/measure.h"
#include "sched/sched.h"
#include "shm/segment.h"

#define MOST_RUNS 101
#define MOST_JOBS 10000000
#define EXIT_SOMETHING_DIFFERS 1

static const int questions[] = { 1, 2, 10 };
enum { QUESTIONS = sizeof(questions) / sizeof(*questions) };

struct options {
	struct bench_shape shape;
	int runs;
	bool json;
	const char *program;
};

/* Write the command with "--set weight_urgency=0.1 --or --set weight_urgency=0.2 ...". */
static void command_make(char command[2000], const struct options *options, const char *cell, int n)
{
	int used = snprintf(command, 2000, "'%.400s' -c '%.400s' whatif --json --rows 20", options->program, cell);

	for (int k = 1; k <= n; k++)
		used += snprintf(command + used, 2000 - (size_t)used, "%s --set weight_urgency=%g",
				 k > 1 ? " --or" : "", 0.25 + 0.1 * k);
	snprintf(command + used, 2000 - (size_t)used, " >/dev/null");
}

/* Return the CPU time of all child processes that have ended. */
static double cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return 1e9 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e3 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

struct answer { struct figure wall, cpu; };

static int measure(const struct options *options, const char *cell, int n, struct answer *answer)
{
	static double ns[MOST_RUNS], cpu[MOST_RUNS];
	char command[2000];

	command_make(command, options, cell, n);
	for (int i = 0; i < options->runs; i++) {
		double begin = now_ns(), used = cpu_ns();
		int status = system(command);

		ns[i] = now_ns() - begin;
		cpu[i] = cpu_ns() - used;
		if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SOMETHING_DIFFERS) {
			fprintf(stderr, "whatif: %s: failed\n", command);
			return -EIO;
		}
	}
	*answer = (struct answer){ figure_of(ns, options->runs, 1), figure_of(cpu, options->runs, 1) };
	return 0;
}

static void print(const struct options *options, int n, const struct answer *answer)
{
	if (options->json)
		printf("{\"what\":\"whatif\",\"policy\":\"default\",\"jobs\":%zu,\"users\":%zu,\"workers\":1,"
		       "\"questions\":%d,\"ns\":%.0f,\"best_ns\":%.0f,"
		       "\"cpu_ns\":%.0f,\"best_cpu_ns\":%.0f}\n",
		       options->shape.jobs, options->shape.users, n, answer->wall.median, answer->wall.best,
		       answer->cpu.median, answer->cpu.best);
	else
		printf("whatif  jobs %zu  users %zu  questions %2d  ms %8.1f (best %.1f)  of a processor %8.1f (best "
		       "%.1f)\n",
		       options->shape.jobs, options->shape.users, n, answer->wall.median / 1e6, answer->wall.best / 1e6,
		       answer->cpu.median / 1e6, answer->cpu.best / 1e6);
}

static int measure_all(const struct options *options, const char *cell)
{
	const struct segment_options defaults = { .group = -1 };
	const int64_t now = 1700000000;
	struct report report = { 0 };
	struct error error = { "" };
	struct segment_paths paths;
	struct answer answer;
	struct sched *sched = NULL;
	int rc = segment_paths(&paths, cell);

	rc = rc ? rc : sched_create(&sched, cell, &defaults, &report, &error);
	rc = rc ? rc : bench_jobs_add(sched_mirror(sched), &options->shape, now);
	rc = rc ? rc : sched_run(sched, now, 1, &error);
	if (rc)
		fprintf(stderr, "whatif: %s\n", error.text);
	for (int k = 0; rc == 0 && k < QUESTIONS; k++) {
		rc = measure(options, cell, questions[k], &answer);
		if (rc == 0)
			print(options, questions[k], &answer);
	}
	sched_destroy(sched);
	report_free(&report);
	unlink(paths.state);
	unlink(paths.lock);
	rmdir(paths.directory);
	return rc;
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option names[] = {
		{ "jobs", 1, 0, 'j' }, { "users", 1, 0, 'u' }, { "runs", 1, 0, 'r' }, { "json", 0, 0, 'J' }, { 0 }
	};

	*options = (struct options){ .shape = { .jobs = 1000000, .users = 1000, .seed = 1 }, .runs = 5 };
	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1; ) {
		if (c == 'j')
			options->shape.jobs = strtoull(optarg, NULL, 10);
		else if (c == 'u')
			options->shape.users = strtoull(optarg, NULL, 10);
		else if (c == 'r')
			options->runs = atoi(optarg);
		else if (c == 'J')
			options->json = true;
		else
			return -EINVAL;
	}
	options->program = optind + 1 == argc ? argv[optind] : NULL;
	return options->program && options->shape.jobs > 0 && options->shape.jobs <= MOST_JOBS &&
			       options->shape.users > 0 && options->shape.users <= options->shape.jobs &&
			       options->runs > 0 && options->runs <= MOST_RUNS
		       ? 0
		       : -EINVAL;
}

int main(int argc, char **argv)
{
	char directory[BENCH_PATH];
	struct options options;
	int code;

	if (parse(argc, argv, &options) != 0) {
		fprintf(stderr, "usage: whatif [--jobs N] [--users N] [--runs N] [--json] FAIRLEAD\n");
		return 2;
	}
	if (bench_directory(directory))
		return 1;
	code = bench_cell_write(directory, &options.shape);
	if (code == 0)
		code = measure_all(&options, directory);
	bench_cell_remove(directory);
	if (code != 0)
		fprintf(stderr, "whatif: %s\n", strerror(-code));
	return code != 0 || fflush(stdout) != 0;
}
