/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a round of steering costs on a host with many processes, beside the bare cost of reading the same files of /proc for each of them:
 *
 *     host_round [--json] [--processes N] [--tasks N] [--rounds N] [--running]
 *
 * The processes are real: N children, in as many sessions as there are tasks. They sleep, or all use CPU time now and then (--running).
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/measure.h"
#include "sched/host/host.h"

#define SETTLING 64		/* rounds before the first one that is measured: all have been looked at */

struct options {
	long processes, tasks, rounds;
	int json, running;
};

static pid_t *pids;
static long npids;

static void usage_exit(void)
{
	fprintf(stderr, "usage: host_round [--json] [--processes N] [--tasks N] [--rounds N] [--running]\n");
	exit(2);
}

static long number(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*end || end == text || n < 1 || n > 1000000)
		usage_exit();
	return n;
}

static void options_read(struct options *o, int argc, char **argv)
{
	static const struct option names[] = {
		{ "json", no_argument, NULL, 'j' }, { "processes", required_argument, NULL, 'p' }, { "tasks", required_argument, NULL, 't' },
		{ "rounds", required_argument, NULL, 'r' }, { "running", no_argument, NULL, 'u' }, { 0 },
	};

	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
		if (c == 'j')
			o->json = 1;
		else if (c == 'u')
			o->running = 1;
		else if (c == 'p')
			o->processes = number(optarg);
		else if (c == 't')
			o->tasks = number(optarg);
		else if (c == 'r')
			o->rounds = number(optarg);
		else
			usage_exit();
	}
	if (optind < argc || o->tasks > o->processes)
		usage_exit();
}

/* ---- the processes --------------------------------------------------------------------------------------------------- */

static void on_signal(int sig)
{
	struct timespec t;

	(void)sig;
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while (t.tv_nsec % 20000000 < 10000000);
}

static void sleep_for_ever(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGUSR1, on_signal);
	for (;;)
		pause();
}

static void session_run(long members)
{
	setsid();
	for (long k = 1; k < members; k++)
		if (fork() == 0)
			break;
	sleep_for_ever();
}

static void sessions_end(long tasks)
{
	for (long k = 0; k < tasks && pids[k] > 0; k++)
		kill(-pids[k], SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static void sessions_start(const struct options *o)
{
	for (; npids < o->tasks; npids++) {
		long members = o->processes / o->tasks + (npids < o->processes % o->tasks);

		pids[npids] = fork();
		if (pids[npids] == 0)
			session_run(members);
		if (pids[npids] < 0) {
			perror("host_round: fork");
			sessions_end(npids);
			exit(1);
		}
	}
}

/* ---- what is measured ------------------------------------------------------------------------------------------------ */

static uint32_t all_processes(struct host *h, long tasks)
{
	struct host_usage usage;
	uint32_t n = 0;

	for (long k = 0; k < tasks; k++)
		n += host_task_usage(h, (uint32_t)k + 1, 0, &usage) == 0 ? usage.processes : 0;
	return n;
}

static int host_begin(struct host **h, const struct options *o)
{
	struct host_options options = HOST_OPTIONS;
	struct error error = { "" };

	options.force = LEVER_NICE;
	if (host_open(h, &options, &error)) {
		fprintf(stderr, "host_round: %s\n", error.text);
		return -1;
	}
	for (long k = 0; k < o->tasks; k++)
		host_task_add(*h, (uint32_t)k + 1, 0, &(struct host_where){ .session = pids[k] });
	for (int k = 0; k < 2000 && (k < SETTLING || all_processes(*h, o->tasks) < (uint32_t)o->processes); k++)
		host_round(*h, 0);
	return 0;
}

static void wake(const struct options *o)
{
	for (long k = 0; o->running && k < o->tasks; k++)
		kill(-pids[k], SIGUSR1);
	if (o->running)
		usleep(200000);
}

/* Each process's two files, nothing made of them. */
static double bare_ns(void)
{
	static const char *const files[] = { "stat", "io" };
	int proc = open("/proc", O_RDONLY | O_DIRECTORY), fd;
	char path[64], text[1024];
	double begin = now_ns();

	for (long k = 0; k < npids; k++) {
		for (int i = 0; i < 2; i++) {
			snprintf(path, sizeof(path), "%d/%s", (int)pids[k], files[i]);
			fd = openat(proc, path, O_RDONLY);
			if (fd >= 0 && read(fd, text, sizeof(text)) >= 0)
				close(fd);
		}
	}
	close(proc);
	return now_ns() - begin;
}

static void tell(const struct options *o, struct figure round, struct figure change, double bare)
{
	const char *format = o->json ? "{\"what\":\"host_round\",\"processes\":%ld,\"tasks\":%ld,\"running\":%s,\"round_ns\":%.0f,\"best_round_ns\":%.0f,"
				       "\"change_ns\":%.0f,\"bare_ns\":%.0f,\"ratio_to_bare\":%.3f}\n" :
				       "processes %ld  tasks %ld  running %s  round %.0f ns  best %.0f ns  with new levels %.0f ns  bare reading %.0f ns  ratio %.3f\n";

	printf(format, o->processes, o->tasks, o->running ? "true" : "false", round.median, round.best, change.median, bare, round.median / bare);
}

static void measure(struct host *h, const struct options *o)
{
	double *round = calloc((size_t)o->rounds, sizeof(*round)), *change = calloc((size_t)o->rounds, sizeof(*change)), bare, begin;

	if (!round || !change)
		exit(1);
	bare = bare_ns() / (double)npids * (double)o->processes;
	for (long k = 0; k < o->rounds; k++) {
		wake(o);
		begin = now_ns();
		host_round(h, 0);
		round[k] = now_ns() - begin;
	}
	for (long k = 0; k < o->rounds; k++) {
		for (long i = 0; i < o->tasks; i++)
			host_tickets(h, (uint32_t)i + 1, 0, (double)((i + k) % 7 * 100));
		begin = now_ns();
		host_round(h, ((uint64_t)k + 1) * 10000000000u);
		change[k] = now_ns() - begin;
	}
	tell(o, figure_of(round, (int)o->rounds, 1), figure_of(change, (int)o->rounds, 1), bare);
	free(round);
	free(change);
}

int main(int argc, char **argv)
{
	struct options o = { .processes = 10000, .tasks = 1000, .rounds = 21 };
	struct host *h;
	int code = 1;

	options_read(&o, argc, argv);
	pids = calloc((size_t)o.tasks, sizeof(*pids));
	if (!pids)
		return 1;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sessions_start(&o);
	if (host_begin(&h, &o) == 0) {
		measure(h, &o);
		host_close(h);
		code = 0;
	}
	sessions_end(o.tasks);
	free(pids);
	return code;
}
