/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of a steering round on a host with many processes, and the bare cost of reading the same
 * files of /proc for each process:
 *
 *     host_round [--json] [--processes N] [--tasks N] [--rounds N] [--running]
 *
 * The processes are real: N children, in one session per task. They sleep, or each uses some CPU
 * time before each round (--running). The output has wall time, and processor time, which does not
 * depend on other load of the machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/measure.h"
#include "sched/host/host.h"

/* rounds before the first measured one, so that all processes have been inspected */
#define SETTLING 64
#define USED_EACH_NS 20000	/* CPU time that each running process uses */
#define BARE 5			/* repeats of reading the files */

struct options {
	long processes, tasks, rounds;
	int json, running;
};

struct round_cost {
	double wall_ns, cpu_ns;
};

static pid_t *leaders;
static _Atomic pid_t *members;		/* processes of all sessions; each writes its own entry */
static double *used_ns;			/* CPU time of each process before it was woken */

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

static void options_read(struct options *options, int argc, char **argv)
{
	static const struct option names[] = {
		{ "json", no_argument, NULL, 'j' },	   { "processes", required_argument, NULL, 'p' },
		{ "tasks", required_argument, NULL, 't' }, { "rounds", required_argument, NULL, 'r' },
		{ "running", no_argument, NULL, 'u' },	   { 0 },
	};

	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
		if (c == 'j')
			options->json = 1;
		else if (c == 'u')
			options->running = 1;
		else if (c == 'p')
			options->processes = number(optarg);
		else if (c == 't')
			options->tasks = number(optarg);
		else if (c == 'r')
			options->rounds = number(optarg);
		else
			usage_exit();
	}
	if (optind < argc || options->tasks > options->processes)
		usage_exit();
}

/* The processes */

static double used_now_ns(clockid_t clock)
{
	struct timespec timespec = { 0 };

	clock_gettime(clock, &timespec);
	return (double)timespec.tv_sec * 1e9 + (double)timespec.tv_nsec;
}

static void on_signal(int sig)
{
	double begin = used_now_ns(CLOCK_PROCESS_CPUTIME_ID);

	(void)sig;
	while (used_now_ns(CLOCK_PROCESS_CPUTIME_ID) - begin < USED_EACH_NS)
		;
}

static void member_run(_Atomic pid_t *self)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGUSR1, on_signal);
	*self = getpid();
	for (;;)
		pause();
}

static void session_run(_Atomic pid_t *self, long n)
{
	setsid();
	for (; n > 1; n--, self++) {
		pid_t pid = fork();

		if (pid < 0)
			_exit(1);
		if (pid == 0)
			break;
	}
	member_run(self);
}

static void sessions_end(long tasks)
{
	for (long k = 0; k < tasks && leaders[k] > 0; k++)
		kill(-leaders[k], SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static void sessions_refused(long started)
{
	fprintf(stderr, "host_round: this number of processes cannot be started\n");
	sessions_end(started);
	exit(1);
}

static void sessions_start(const struct options *options)
{
	_Atomic pid_t *first = members;

	for (long k = 0; k < options->tasks; k++) {
		long n = options->processes / options->tasks + (k < options->processes % options->tasks);

		leaders[k] = fork();
		if (leaders[k] == 0)
			session_run(first, n);
		if (leaders[k] < 0)
			sessions_refused(k);
		first += n;
	}
	for (long k = 0; k < options->processes; k++) {
		while (!members[k]) {
			if (waitpid(-1, NULL, WNOHANG) > 0)
				sessions_refused(options->tasks);
			usleep(1000);
		}
	}
}

static double member_used_ns(long k)
{
	clockid_t clock;

	return clock_getcpuclockid(members[k], &clock) ? 0 : used_now_ns(clock);
}

static void used_take(const struct options *options)
{
	for (long k = 0; k < options->processes; k++)
		used_ns[k] = member_used_ns(k);
}

/* Return the number of processes that have used at least this much CPU time since then. */
static long ran(const struct options *options, double least_ns)
{
	long n = 0;

	for (long k = 0; k < options->processes; k++)
		n += member_used_ns(k) - used_ns[k] >= least_ns;
	return n;
}

/*
 * Wake the processes and return when they have done their work, so that they do not take processors
 * from the measurement.
 */
static void wake(const struct options *options)
{
	if (!options->running)
		return;
	used_take(options);
	for (long k = 0; k < options->tasks; k++)
		kill(-leaders[k], SIGUSR1);
	for (int k = 0; k < 1000 && ran(options, USED_EACH_NS) < options->processes; k++)
		usleep(20000);
}

/* Measurement */

static uint32_t all_processes(struct host *host, long tasks)
{
	struct host_usage usage;
	uint32_t n = 0;

	for (long k = 0; k < tasks; k++)
		n += host_task_usage(host, (uint32_t)k + 1, 0, &usage) == 0 ? usage.processes : 0;
	return n;
}

static int host_begin(struct host **host, const struct options *o)
{
	struct host_options options = HOST_OPTIONS;
	struct error error = { "" };

	options.force = LEVER_NICE;
	/* like fairlead-hostd: listen for ends of processes if permitted */
	options.others = true;
	if (host_open(host, &options, &error)) {
		fprintf(stderr, "host_round: %s\n", error.text);
		return -1;
	}
	for (long k = 0; k < o->tasks; k++)
		host_task_add(*host, (uint32_t)k + 1, 0, &(struct host_where){ .session = leaders[k] });
	for (int k = 0; k < 2000 && (k < SETTLING || all_processes(*host, o->tasks) < (uint32_t)o->processes); k++)
		host_round(*host, 0);
	return 0;
}

static struct round_cost round_measure(struct host *host, uint64_t at_ns)
{
	struct round_cost cost = { .wall_ns = now_ns(), .cpu_ns = used_now_ns(CLOCK_PROCESS_CPUTIME_ID) };

	host_round(host, at_ns);
	return (struct round_cost){ now_ns() - cost.wall_ns, used_now_ns(CLOCK_PROCESS_CPUTIME_ID) - cost.cpu_ns };
}

/* Read the two files of each process without interpreting them. */
static double bare_cpu_ns(const struct options *options)
{
	static const char *const files[] = { "stat", "io" };
	int proc = open("/proc", O_RDONLY | O_DIRECTORY), fd;
	char path[64], text[1024];
	double begin = used_now_ns(CLOCK_PROCESS_CPUTIME_ID);

	for (long k = 0; k < options->processes; k++) {
		for (int i = 0; i < 2; i++) {
			snprintf(path, sizeof(path), "%d/%s", (int)members[k], files[i]);
			fd = openat(proc, path, O_RDONLY);
			if (fd >= 0 && read(fd, text, sizeof(text)) >= 0)
				close(fd);
		}
	}
	close(proc);
	return used_now_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
}

struct series {			/* values of several rounds */
	double *wall, *cpu;
	int n;
};

static struct series series_of(long rounds)
{
	struct series series = { calloc((size_t)rounds, sizeof(*series.wall)),
				 calloc((size_t)rounds, sizeof(*series.cpu)), 0 };

	if (!series.wall || !series.cpu)
		exit(1);
	return series;
}

static void series_add(struct series *series, struct round_cost cost)
{
	series->wall[series->n] = cost.wall_ns;
	series->cpu[series->n++] = cost.cpu_ns;
}

static void series_free(struct series *series)
{
	free(series->wall);
	free(series->cpu);
}

static void tell(const struct options *options, long moved, struct series *round, struct series *change, double bare)
{
	const char *format =
		options->json
			? "{\"what\":\"host_round\",\"processes\":%ld,\"tasks\":%ld,\"running\":%s,\"ran\":%ld,"
			  "\"round_ns\":%.0f,"
			  "\"best_round_ns\":%.0f,\"round_cpu_ns\":%.0f,\"change_ns\":%.0f,\"change_cpu_ns\":%.0f,"
			  "\"bare_cpu_ns\":%.0f,"
			  "\"ratio_to_bare\":%.3f}\n"
			: "processes %ld  tasks %ld  running %s  ran %ld  round %.0f ns  best %.0f ns  processor "
			  "%.0f ns  "
			  "with new levels %.0f ns  processor %.0f ns  bare reading %.0f ns  ratio %.3f\n";
	struct figure wall = figure_of(round->wall, round->n, 1), cpu = figure_of(round->cpu, round->n, 1);

	printf(format, options->processes, options->tasks, options->running ? "true" : "false", moved, wall.median,
	       wall.best, cpu.median, figure_of(change->wall, change->n, 1).median,
	       figure_of(change->cpu, change->n, 1).median, bare, cpu.median / bare);
}

static void measure(struct host *host, const struct options *options)
{
	struct series round = series_of(options->rounds), change = series_of(options->rounds);
	double bare[BARE];
	long moved;

	for (int k = 0; k < BARE; k++)
		bare[k] = bare_cpu_ns(options);
	used_take(options);
	for (long k = 0; k < options->rounds; k++) {
		wake(options);
		series_add(&round, round_measure(host, 0));
	}
	moved = ran(options, 1);
	for (long k = 0; k < options->rounds; k++) {
		for (long i = 0; i < options->tasks; i++)
			host_tickets(host, (uint32_t)i + 1, 0, (double)((i + k) % 7 * 100));
		series_add(&change, round_measure(host, ((uint64_t)k + 1) * 10000000000u));
	}
	tell(options, moved, &round, &change, figure_of(bare, BARE, 1).median);
	series_free(&round);
	series_free(&change);
}

static void room_make(const struct options *options)
{
	size_t n = (size_t)options->processes;

	leaders = calloc((size_t)options->tasks, sizeof(*leaders));
	used_ns = calloc(n, sizeof(*used_ns));
	members = mmap(NULL, n * sizeof(*members), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!leaders || !used_ns || members == MAP_FAILED)
		exit(1);
}

int main(int argc, char **argv)
{
	struct options options = { .processes = 10000, .tasks = 1000, .rounds = 21 };
	struct host *host;
	int code = 1;

	options_read(&options, argc, argv);
	room_make(&options);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sessions_start(&options);
	if (host_begin(&host, &options) == 0) {
		measure(host, &options);
		host_close(host);
		code = 0;
	}
	sessions_end(options.tasks);
	free(leaders);
	free(used_ns);
	return code;
}
