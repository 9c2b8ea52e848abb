/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Change of the configuration, from the texts of a qmaster's objects until it is active. `reload
 * [--hosts N] [--users N] [--queues N]` makes a cell of this size and prints a JSON line, the best
 * of some repeats:
 *
 *     load_ns      reading the texts into an immutable cell and freeing it
 *     reload_ns    everything: reading the cell and activating it in place of the previous one
 *     run_ns       first run afterwards
 *     idle_run_ns  run without any change
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure.h"
#include "conf/lists.h"
#include "sched/sched.h"
#include "shm/segment.h"

#define REPEATS 7
#define NOW 1700000000
#define MOST 1000000

struct shape {
	unsigned hosts, users, queues;
};

static struct cell_files files;

static void file_add(const char *name, char *text)
{
	struct cell_file *file = array_add(&files.items, &files.n, sizeof(*file));

	if (!file || !text || !(file->name = strdup(name))) {
		fprintf(stderr, "reload: out of memory\n");
		exit(1);
	}
	file->text = text;
}

static void host_write(unsigned i)
{
	char name[40], *text = NULL;

	snprintf(name, sizeof(name), "hosts/node%05u", i);
	if (asprintf(
		    &text,
		    "hostname              node%05u\nload_scaling          NONE\ncomplex_values        mem_free=64G,"
		    "slots=32\n"
		    "load_values           NONE\nprocessors            32\nuser_lists            NONE\n"
		    "xuser_lists           NONE\nprojects              NONE\nxprojects             NONE\n"
		    "usage_scaling         NONE\n"
		    "report_variables      NONE\n",
		    i) < 0)
		text = NULL;
	file_add(name, text);
}

/* Write a group of a hundred hosts. */
static void group_write(unsigned group, unsigned hosts)
{
	char name[40], *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	snprintf(name, sizeof(name), "hgrp/@rack%03u", group);
	fprintf(out, "group_name @rack%03u\nhostlist", group);
	for (unsigned i = 100 * group; i < 100 * group + 100 && i < hosts; i++)
		fprintf(out, "%snode%05u", i % 6 ? " " : " \\\n         ", i);
	fprintf(out, "\n");
	fclose(out);
	file_add(name, text);
}

static void queue_write(unsigned i)
{
	static const char *const limits[] = { "rt", "cpu", "fsize", "data", "stack", "core", "rss", "vmem" };
	char name[40], *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	snprintf(name, sizeof(name), "queue/q%03u", i);
	fprintf(out,
		"qname q%03u\nhostlist @rack%03u\nseq_no %u\nload_thresholds np_load_avg=1.75\n"
		"suspend_thresholds NONE\nnsuspend 1\n"
		"suspend_interval 00:05:00\npriority 0\nmin_cpu_interval 00:05:00\nprocessors UNDEFINED\nqtype BATCH "
		"INTERACTIVE\nckpt_list NONE\n"
		"pe_list NONE\nrerun FALSE\nslots 8,[node%05u=4]\ntmpdir /tmp\nshell /bin/sh\nprolog NONE\n"
		"epilog NONE\n"
		"shell_start_mode posix_compliant\nstarter_method NONE\nsuspend_method NONE\nresume_method NONE\n"
		"terminate_method NONE\n"
		"notify 00:00:60\nowner_list NONE\nuser_lists NONE\nxuser_lists NONE\nsubordinate_list NONE\n"
		"complex_values NONE\nprojects NONE\n"
		"xprojects NONE\ncalendar NONE\ninitial_state default\n",
		i, i, i, 100 * i);
	for (size_t k = 0; k < sizeof(limits) / sizeof(*limits); k++)
		fprintf(out, "s_%s INFINITY\nh_%s INFINITY\n", limits[k], limits[k]);
	fclose(out);
	file_add(name, text);
}

static void user_write(unsigned i)
{
	char name[40], *text = NULL;

	snprintf(name, sizeof(name), "users/user%05u", i);
	if (asprintf(&text, "name user%05u\noticket 0\nfshare 100\ndelete_time 0\ndefault_project NONE\n", i) < 0)
		text = NULL;
	file_add(name, text);
}

static void cell_write(const struct shape *shape)
{
	for (unsigned i = 0; i < shape->hosts; i++)
		host_write(i);
	for (unsigned i = 0; i < (shape->hosts + 99) / 100; i++)
		group_write(i, shape->hosts);
	for (unsigned i = 0; i < shape->queues; i++)
		queue_write(i);
	for (unsigned i = 0; i < shape->users; i++)
		user_write(i);
	cell_files_sort(&files);
}

/* Report the queue instances. Each queue has one on each host of its group. */
static int instances_report(struct sched *sched, const struct shape *shape, struct error *error)
{
	char name[40];
	int rc = 0;

	for (unsigned q = 0; rc == 0 && q < shape->queues; q++)
		for (unsigned h = 100 * q; rc == 0 && h < 100 * q + 100 && h < shape->hosts; h++) {
			snprintf(name, sizeof(name), "q%03u@node%05u", q, h);
			rc = mirror_queue_instance(sched_mirror(sched), name, 8, "", error);
		}
	return rc;
}

static double run_ns(struct sched *sched, int64_t now, int *rc, struct error *error)
{
	double begin = now_ns();

	*rc = *rc ? *rc : sched_run(sched, now, 0, error);
	return now_ns() - begin;
}

static double load_ns(int *rc)
{
	struct report report = { 0 };
	struct cell cell;
	double begin = now_ns(), took;

	*rc = *rc ? *rc : cell_load_files(&cell, "/cell", &files, &report);
	if (report.faults > 0) {
		report_print(&report, stderr);
		*rc = *rc ? *rc : -1;
	}
	cell_free(&cell);
	took = now_ns() - begin;
	report_free(&report);
	return took;
}

static double reload_ns(struct sched *sched, int *rc, struct error *error)
{
	struct report report = { 0 };
	double begin = now_ns();

	*rc = *rc ? *rc : sched_reload_texts(sched, &files, &report, error);
	report_free(&report);
	return now_ns() - begin;
}

static int measure(struct sched *sched, const struct shape *shape, struct error *error)
{
	double load[REPEATS], reload[REPEATS], run[REPEATS], idle[REPEATS];
	int rc = instances_report(sched, shape, error);

	for (int i = 0; i < REPEATS; i++) {
		load[i] = load_ns(&rc);
		reload[i] = reload_ns(sched, &rc, error);
		run[i] = run_ns(sched, NOW + 2 * i, &rc, error);
		idle[i] = run_ns(sched, NOW + 2 * i + 1, &rc, error);
	}
	if (rc == 0)
		printf("{\"what\":\"reload\",\"hosts\":%u,\"users\":%u,\"queues\":%u,\"load_ns\":%.0f,"
		       "\"reload_ns\":%.0f,\"run_ns\":%.0f,\"idle_run_ns\":%.0f}\n",
		       shape->hosts, shape->users, shape->queues, figure_of(load, REPEATS, 1).best,
		       figure_of(reload, REPEATS, 1).best, figure_of(run, REPEATS, 1).best,
		       figure_of(idle, REPEATS, 1).best);
	return rc;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "hosts", required_argument, NULL, 'h' },
						 { "users", required_argument, NULL, 'u' },
						 { "queues", required_argument, NULL, 'q' },
						 { 0 } };
	const struct segment_options segment = { .group = -1 };
	struct shape shape = { 10000, 1000, 100 };
	char directory[BENCH_PATH];
	struct segment_paths paths;
	struct error error = { "" };
	struct sched *s = NULL;
	int letter, rc;

	while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1) {
		long n = letter == '?' ? 0 : strtol(optarg, NULL, 10);

		if (n < 1 || n > MOST) {
			fprintf(stderr, "reload [--hosts N] [--users N] [--queues N], each from 1 to %d\n", MOST);
			return 2;
		}
		*(letter == 'h' ? &shape.hosts : letter == 'u' ? &shape.users : &shape.queues) = (unsigned)n;
	}
	cell_write(&shape);
	if (bench_directory(directory) || segment_paths(&paths, directory))
		return 1;
	rc = sched_create_empty(&s, directory, &segment, &error);
	rc = rc ? rc : measure(s, &shape, &error);
	if (rc)
		fprintf(stderr, "reload: %s\n", error.text);
	sched_destroy(s);
	unlink(paths.state);
	unlink(paths.lock);
	rmdir(paths.directory);
	rmdir(directory);
	cell_files_free(&files);
	return rc != 0;
}
