/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of a run after few changes: `steps [--jobs N] [--running N] [--hosts N] [--users N]
 * [--groups N] [--reservations N] [--limits N] [--ends N] [--steps N] [--algorithm A] [--publish]
 * [--json]`.
 *
 * The queue is kept at N pending jobs while tasks end and others start: held.h. Prints medians over
 * the steps by phase, and the mean, because a step that starts a job costs more than one that does
 * not. Nothing is published, as in a replay. With --publish each run is published into private
 * memory.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cell.h"
#include "bench/held.h"
#include "bench/measure.h"
#include "sched/detach.h"

#define MOST_STEPS 1000000
#define SETTLE_STEPS 20

struct options {
	struct held_shape shape;
	size_t steps;
	bool publish, json;
};

struct step_figure {
	struct figure figure;
	double mean;
};

/* ns of a run; change: reporting the events before it */
struct result {
	struct step_figure run, change, phase[PHASES];
	double starts, pending, running;	/* means */
};

static struct step_figure step_figure_of(double *values, size_t n)
{
	struct step_figure figure = { .mean = 0 };

	for (size_t i = 0; i < n; i++)
		figure.mean += values[i] / (double)n;
	figure.figure = figure_of(values, (int)n, 1);
	return figure;
}

static int step(struct held *held, double *change_ns, double *run_ns)
{
	double begin = now_ns(), reported;
	struct error error;
	int code = held_change(held);

	reported = now_ns();
	if (code == 0 && (code = sched_run(held->s, held->now, 1, &error)) != 0)
		fprintf(stderr, "steps: %s\n", error.text);
	*run_ns = now_ns() - reported;
	if (code == 0)
		code = held_start(held);
	*change_ns = now_ns() - begin - *run_ns;
	return code;
}

static int measure_steps(struct held *held, const struct options *options, double *values, struct result *result)
{
	double *run = values, *change = values + options->steps, *phases = change + options->steps, unused;
	struct profile profile;
	int code = 0;

	for (int i = 0; code == 0 && i < SETTLE_STEPS; i++)
		code = step(held, &unused, &unused);
	for (size_t i = 0; code == 0 && i < options->steps; i++) {
		code = step(held, &change[i], &run[i]);
		sched_profile(held->s, &profile);
		for (size_t p = 0; p < PHASES; p++)
			phases[p * options->steps + i] = (double)profile.ns[p];
		result->starts += (double)profile.starts / (double)options->steps;
		result->pending += (double)profile.pending_jobs / (double)options->steps;
		result->running += (double)profile.started_tasks / (double)options->steps;
	}
	result->run = step_figure_of(run, options->steps);
	result->change = step_figure_of(change, options->steps);
	for (size_t p = 0; p < PHASES; p++)
		result->phase[p] = step_figure_of(phases + p * options->steps, options->steps);
	return code;
}

/* Create the scheduler. Returns NULL with a message on stderr. */
static struct sched *sched_private(const char *directory)
{
	struct report report = { 0 };
	struct error error;
	struct sched *sched;

	if (sched_create_detached(&sched, directory, NULL, 0, &report, &error) != 0) {
		report_print(&report, stderr);
		fprintf(stderr, "steps: %s\n", error.text);
	}
	report_free(&report);
	return sched;
}

static int measure(const char *directory, const struct options *options, struct result *result)
{
	double *values = calloc((2 + PHASES) * options->steps, sizeof(*values));
	struct sched *sched = sched_private(directory);
	struct held held = { .ends = NULL };
	int code = sched && values ? held_begin(&held, sched, &options->shape) : -ENOMEM;

	if (code == 0) {
		sched_publishes(sched, options->publish);
		code = measure_steps(&held, options, values, result);
	}
	held_free(&held);
	sched_destroy(sched);
	free(values);
	return code;
}

/* Output */

static void print_json(const struct options *options, const struct result *result)
{
	const struct held_shape *shape = &options->shape;

	printf("{\"what\":\"steps\",\"policy\":\"%s\",\"jobs\":%zu,\"running\":%zu,\"hosts\":%zu,\"users\":%zu,"
	       "\"max_reservation\":%zu,\"ends\":%zu,"
	       "\"starts_each\":%.3f,\"run_ns\":%.0f,\"best_run_ns\":%.0f,\"mean_run_ns\":%.0f,\"change_ns\":%.0f}\n",
	       shape->algorithm, shape->pending, shape->running, shape->hosts, shape->users, shape->reservations,
	       shape->ends, result->starts, result->run.figure.median, result->run.figure.best, result->run.mean,
	       result->change.figure.median);
	for (int p = 0; p < PHASES; p++)
		printf("{\"what\":\"steps_phase\",\"policy\":\"%s\",\"jobs\":%zu,\"running\":%zu,\"hosts\":%zu,"
		       "\"users\":%zu,\"max_reservation\":%zu,"
		       "\"ends\":%zu,\"phase\":\"%s\",\"ns\":%.0f,\"best_ns\":%.0f,\"mean_ns\":%.0f}\n",
		       shape->algorithm, shape->pending, shape->running, shape->hosts, shape->users,
		       shape->reservations, shape->ends, phase_name((enum phase)p), result->phase[p].figure.median,
		       result->phase[p].figure.best, result->phase[p].mean);
}

static void print_line(const char *name, const struct step_figure *figure)
{
	printf("  %-10s %10.1f us   best %10.1f   mean %10.1f\n", name, figure->figure.median / 1e3,
	       figure->figure.best / 1e3, figure->mean / 1e3);
}

static void print_table(const struct options *options, const struct result *result)
{
	printf("steps  %s  pending %.0f  running %.0f  hosts %zu  max_reservation %zu  ends %zu  starts %.2f a run\n",
	       options->shape.algorithm, result->pending, result->running, options->shape.hosts,
	       options->shape.reservations, options->shape.ends, result->starts);
	print_line("run", &result->run);
	for (int p = 0; p < PHASES; p++)
		print_line(phase_name((enum phase)p), &result->phase[p]);
	print_line("telling", &result->change);
}

/* Options */

static int usage(void)
{
	fprintf(stderr,
		"usage: steps [--jobs N] [--running N] [--hosts N] [--users N] [--groups N] [--reservations N] "
		"[--limits N] [--ends N]\n"
		"             [--steps N] [--algorithm default|multifactor|userprio] [--publish] [--json]\n");
	return 2;
}

static bool parse_size(const char *text, size_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

static bool is_sane(const struct options *options)
{
	const struct held_shape *shape = &options->shape;

	return shape->pending <= 100000000 && shape->running > 0 && shape->running <= HELD_SLOTS && shape->hosts > 0 &&
	       shape->hosts <= HELD_SLOTS && shape->users > 0 && shape->users <= 1000000 && shape->groups > 0 &&
	       shape->groups <= 100000 && shape->reservations <= 1000000 && shape->limits > 0 &&
	       shape->limits <= 1000000 && shape->ends <= 1000000 && options->steps > 0 && options->steps <= MOST_STEPS;
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option names[] = { { "jobs", 1, 0, 'j' },
					       { "running", 1, 0, 'R' },
					       { "hosts", 1, 0, 'h' },
					       { "users", 1, 0, 'u' },
					       { "groups", 1, 0, 'g' },
					       { "reservations", 1, 0, 'v' },
					       { "limits", 1, 0, 'l' },
					       { "ends", 1, 0, 'e' },
					       { "steps", 1, 0, 's' },
					       { "algorithm", 1, 0, 'A' },
					       { "publish", 0, 0, 'P' },
					       { "json", 0, 0, 'J' },
					       { 0 } };

	*options = (struct options){ .shape = { .pending = 1000,
						.running = 1000,
						.hosts = 1,
						.users = 582,
						.groups = 305,
						.reservations = 10,
						.limits = 48,
						.ends = 1,
						.algorithm = "default",
						.seed = 1 },
				     .steps = 200 };
	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1; ) {
		size_t value = 0;

		if (c == '?' || (c != 'A' && optarg && !parse_size(optarg, &value)))
			return -EINVAL;
		switch (c) {
		case 'j': options->shape.pending = value; break;
		case 'R': options->shape.running = value; break;
		case 'h': options->shape.hosts = value; break;
		case 'u': options->shape.users = value; break;
		case 'g': options->shape.groups = value; break;
		case 'v': options->shape.reservations = value; break;
		case 'l': options->shape.limits = value; break;
		case 'e': options->shape.ends = value; break;
		case 's': options->steps = value; break;
		case 'A': options->shape.algorithm = optarg; break;
		case 'P': options->publish = true; break;
		case 'J': options->json = true; break;
		}
	}
	return optind == argc && is_sane(options) ? 0 : -EINVAL;
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
	code = held_write(directory, &options.shape);
	if (code == 0)
		code = measure(directory, &options, &result);
	bench_cell_remove(directory);
	if (code != 0) {
		fprintf(stderr, "steps: %s\n", strerror(-code));
		return 1;
	}
	(options.json ? print_json : print_table)(&options, &result);
	return fflush(stdout) == 0 ? 0 : 1;
}
