/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run costs after few changes: `steps [--jobs N] [--running N] [--hosts N] [--users N]
 * [--groups N] [--reservations N] [--limits N] [--ends N] [--steps N] [--algorithm A] [--publish]
 * [--json]`.
 * The queue is held at N pending jobs while tasks end and others start: held.h. Medians over the
 * steps, by phase; the mean, too, since a step that starts something costs more than one that does
 * not. Nothing is published, as in a replay; with --publish each run is, into memory of its own.
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

/* ns of a run; changes: of telling what happened before it */
struct result {
	struct step_figure run, change, phase[PHASES];
	double starts, pending, running;	/* means */
};

static struct step_figure step_figure_of(double *values, size_t n)
{
	struct step_figure f = { .mean = 0 };

	for (size_t i = 0; i < n; i++)
		f.mean += values[i] / (double)n;
	f.figure = figure_of(values, (int)n, 1);
	return f;
}

static int step(struct held *h, double *change_ns, double *run_ns)
{
	double begin = now_ns(), told;
	struct error error;
	int code = held_change(h);

	told = now_ns();
	if (code == 0 && (code = sched_run(h->s, h->now, 1, &error)) != 0)
		fprintf(stderr, "steps: %s\n", error.text);
	*run_ns = now_ns() - told;
	if (code == 0)
		code = held_start(h);
	*change_ns = now_ns() - begin - *run_ns;
	return code;
}

static int measure_steps(struct held *h, const struct options *o, double *values, struct result *r)
{
	double *run = values, *change = values + o->steps, *phases = change + o->steps, unused;
	struct profile profile;
	int code = 0;

	for (int i = 0; code == 0 && i < SETTLE_STEPS; i++)
		code = step(h, &unused, &unused);
	for (size_t i = 0; code == 0 && i < o->steps; i++) {
		code = step(h, &change[i], &run[i]);
		sched_profile(h->s, &profile);
		for (size_t p = 0; p < PHASES; p++)
			phases[p * o->steps + i] = (double)profile.ns[p];
		r->starts += (double)profile.starts / (double)o->steps;
		r->pending += (double)profile.pending_jobs / (double)o->steps;
		r->running += (double)profile.started_tasks / (double)o->steps;
	}
	r->run = step_figure_of(run, o->steps);
	r->change = step_figure_of(change, o->steps);
	for (size_t p = 0; p < PHASES; p++)
		r->phase[p] = step_figure_of(phases + p * o->steps, o->steps);
	return code;
}

/* NULL, and why on stderr. */
static struct sched *sched_private(const char *directory)
{
	struct report report = { 0 };
	struct error error;
	struct sched *s;

	if (sched_create_detached(&s, directory, NULL, 0, &report, &error) != 0) {
		report_print(&report, stderr);
		fprintf(stderr, "steps: %s\n", error.text);
	}
	report_free(&report);
	return s;
}

static int measure(const char *directory, const struct options *o, struct result *r)
{
	double *values = calloc((2 + PHASES) * o->steps, sizeof(*values));
	struct sched *s = sched_private(directory);
	struct held h = { .ends = NULL };
	int code = s && values ? held_begin(&h, s, &o->shape) : -ENOMEM;

	if (code == 0) {
		sched_publishes(s, o->publish);
		code = measure_steps(&h, o, values, r);
	}
	held_free(&h);
	sched_destroy(s);
	free(values);
	return code;
}

/* Output */

static void print_json(const struct options *o, const struct result *r)
{
	const struct held_shape *h = &o->shape;

	printf("{\"what\":\"steps\",\"policy\":\"%s\",\"jobs\":%zu,\"running\":%zu,\"hosts\":%zu,\"users\":%zu,\"max_reservation\":%zu,\"ends\":%zu,"
	       "\"starts_each\":%.3f,\"run_ns\":%.0f,\"best_run_ns\":%.0f,\"mean_run_ns\":%.0f,\"change_ns\":%.0f}\n",
	       h->algorithm, h->pending, h->running, h->hosts, h->users, h->reservations, h->ends, r->starts, r->run.figure.median,
	       r->run.figure.best, r->run.mean, r->change.figure.median);
	for (int p = 0; p < PHASES; p++)
		printf("{\"what\":\"steps_phase\",\"policy\":\"%s\",\"jobs\":%zu,\"running\":%zu,\"hosts\":%zu,\"users\":%zu,\"max_reservation\":%zu,"
		       "\"ends\":%zu,\"phase\":\"%s\",\"ns\":%.0f,\"best_ns\":%.0f,\"mean_ns\":%.0f}\n",
		       h->algorithm, h->pending, h->running, h->hosts, h->users, h->reservations, h->ends, phase_name((enum phase)p),
		       r->phase[p].figure.median, r->phase[p].figure.best, r->phase[p].mean);
}

static void print_line(const char *name, const struct step_figure *f)
{
	printf("  %-10s %10.1f us   best %10.1f   mean %10.1f\n", name, f->figure.median / 1e3, f->figure.best / 1e3, f->mean / 1e3);
}

static void print_table(const struct options *o, const struct result *r)
{
	printf("steps  %s  pending %.0f  running %.0f  hosts %zu  max_reservation %zu  ends %zu  starts %.2f a run\n", o->shape.algorithm, r->pending,
	       r->running, o->shape.hosts, o->shape.reservations, o->shape.ends, r->starts);
	print_line("run", &r->run);
	for (int p = 0; p < PHASES; p++)
		print_line(phase_name((enum phase)p), &r->phase[p]);
	print_line("telling", &r->change);
}

/* Options */

static int usage(void)
{
	fprintf(stderr, "usage: steps [--jobs N] [--running N] [--hosts N] [--users N] [--groups N] [--reservations N] [--limits N] [--ends N]\n"
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

static bool is_sane(const struct options *o)
{
	const struct held_shape *h = &o->shape;

	return h->pending <= 100000000 && h->running > 0 && h->running <= HELD_SLOTS && h->hosts > 0 && h->hosts <= HELD_SLOTS && h->users > 0 &&
	       h->users <= 1000000 && h->groups > 0 && h->groups <= 100000 && h->reservations <= 1000000 && h->limits > 0 && h->limits <= 1000000 &&
	       h->ends <= 1000000 && o->steps > 0 && o->steps <= MOST_STEPS;
}

static int parse(int argc, char **argv, struct options *o)
{
	static const struct option names[] = { { "jobs", 1, 0, 'j' }, { "running", 1, 0, 'R' }, { "hosts", 1, 0, 'h' }, { "users", 1, 0, 'u' },
					       { "groups", 1, 0, 'g' }, { "reservations", 1, 0, 'v' }, { "limits", 1, 0, 'l' },
					       { "ends", 1, 0, 'e' }, { "steps", 1, 0, 's' }, { "algorithm", 1, 0, 'A' }, { "publish", 0, 0, 'P' },
					       { "json", 0, 0, 'J' }, { 0 } };

	*o = (struct options){ .shape = { .pending = 1000, .running = 1000, .hosts = 1, .users = 582, .groups = 305, .reservations = 10,
					  .limits = 48, .ends = 1, .algorithm = "default", .seed = 1 }, .steps = 200 };
	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1; ) {
		size_t value = 0;

		if (c == '?' || (c != 'A' && optarg && !parse_size(optarg, &value)))
			return -EINVAL;
		switch (c) {
		case 'j': o->shape.pending = value; break;
		case 'R': o->shape.running = value; break;
		case 'h': o->shape.hosts = value; break;
		case 'u': o->shape.users = value; break;
		case 'g': o->shape.groups = value; break;
		case 'v': o->shape.reservations = value; break;
		case 'l': o->shape.limits = value; break;
		case 'e': o->shape.ends = value; break;
		case 's': o->steps = value; break;
		case 'A': o->shape.algorithm = optarg; break;
		case 'P': o->publish = true; break;
		case 'J': o->json = true; break;
		}
	}
	return optind == argc && is_sane(o) ? 0 : -EINVAL;
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
