/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Effect of readers on the scheduler: `run_under_readers [--jobs N] [--repeat K] [--json]`. It
 * makes full runs beside 1 process, as many as there are processors, and 8 processes that begin and
 * end sections without a pause, and alternately beside as many processes that only count. Both
 * kinds take processors from the scheduler, so the difference is the cost of readers. Times of a
 * run are wall times, which depend on the assignment of processors if there are few, and processor
 * times of the scheduler, which do not. Printed are medians and ratios of medians.
 */
#include <getopt.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "bench/cell.h"
#include "sched/sched.h"
#include "sched/run/records.h"
#include "shm/attach.h"
#include "tests/shm/cell.h"

#define MOST_READERS 64
#define MOST_ROUNDS 50
#define RUNS 3				/* runs of the scheduler in a round */
#define NOW 1700000000

enum kind { READING, COUNTING, KINDS };

struct figures {
	double wall[KINDS][MOST_ROUNDS * RUNS], cpu[KINDS][MOST_ROUNDS * RUNS];
};

static struct shm_cell cell;

static double clock_ns(clockid_t clock)
{
	struct timespec timespec;

	clock_gettime(clock, &timespec);
	return 1e9 * (double)timespec.tv_sec + (double)timespec.tv_nsec;
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

static void spinner_run(enum kind kind)
{
	volatile uint64_t sum = 0;
	struct attachment attachment;
	struct view view;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (kind == COUNTING)
		sum++;
	if (attach_open(&attachment, cell.directory, RECORDS_VERSION))
		_exit(1);
	for (;;) {
		attach_begin(&attachment, &view);
		sum += LOAD_ONCE(records_run(&view)->run);
		attach_end(&attachment, &view);
	}
}

/* Kill the spinners. Returns false if one could not start or has ended by itself. */
static bool spinners_end(pid_t *pids, unsigned n, bool good)
{
	int status;

	for (unsigned i = 0; i < n; i++) {
		kill(pids[i], SIGKILL);
		good = waitpid(pids[i], &status, 0) == pids[i] && WIFSIGNALED(status) && good;
	}
	return good;
}

static bool round_run(struct sched *sched, enum kind kind, unsigned readers, int round, struct figures *figures)
{
	pid_t pids[MOST_READERS];
	unsigned started = 0;
	struct error error;
	bool good = true;

	for (; started < readers && good; started += good) {
		pids[started] = fork();
		if (pids[started] == 0)
			spinner_run(kind);
		good = pids[started] > 0;
	}
	nanosleep(&(struct timespec) { 0, 20000000 }, NULL);		/* wait until they spin */
	for (int i = 0; i < RUNS && good; i++) {
		double wall = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

		good = sched_run(sched, NOW, 1, &error) == 0;
		figures->wall[kind][round * RUNS + i] = clock_ns(CLOCK_MONOTONIC) - wall;
		figures->cpu[kind][round * RUNS + i] = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	}
	return spinners_end(pids, started, good);
}

static bool measure(struct sched *s, size_t jobs, unsigned readers, int rounds, bool json)
{
	static struct figures figures;
	double wall[KINDS], cpu[KINDS];

	for (int round = 0; round < rounds; round++)
		if (!round_run(s, READING, readers, round, &figures) ||
		    !round_run(s, COUNTING, readers, round, &figures)) {
			fprintf(stderr, "run_under_readers: %u readers cannot be measured\n", readers);
			return false;
		}
	for (int kind = 0; kind < KINDS; kind++) {
		wall[kind] = median(figures.wall[kind], rounds * RUNS);
		cpu[kind] = median(figures.cpu[kind], rounds * RUNS);
	}
	if (json)
		printf("{\"what\":\"run_under_readers\",\"jobs\":%zu,\"readers\":%u,\"run_ns\":%.0f,"
		       "\"run_ns_plain_spinners\":%.0f,\"ratio\":%.3f,"
		       "\"cpu_ns\":%.0f,\"cpu_ns_plain_spinners\":%.0f,\"cpu_ratio\":%.3f}\n",
		       jobs, readers, wall[READING], wall[COUNTING], wall[READING] / wall[COUNTING], cpu[READING],
		       cpu[COUNTING], cpu[READING] / cpu[COUNTING]);
	else
		printf("  a run under %u readers  %8.2f ms, under plain spinners %8.2f ms: %.3f x   processor time "
		       "%8.2f, %8.2f ms: %.3f x\n",
		       readers, wall[READING] / 1e6, wall[COUNTING] / 1e6, wall[READING] / wall[COUNTING],
		       cpu[READING] / 1e6, cpu[COUNTING] / 1e6, cpu[READING] / cpu[COUNTING]);
	return fflush(stdout) == 0;
}

static bool measure_all(struct sched *sched, size_t jobs, int rounds, bool json)
{
	unsigned processors = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	const unsigned counts[] = { 0, 1, processors < 8 ? processors : 8, processors < 8 ? 8 : processors };
	struct error error;
	bool good = true;

	/* a generation allocates its memory in its first run */
	for (unsigned i = 0; i < GENERATIONS && good; i++)
		good = sched_run(sched, NOW, 1, &error) == 0;
	for (int i = 0; i < 4 && good; i++)
		if ((i == 0 || counts[i] > counts[i - 1]) && counts[i] <= MOST_READERS)
			good = measure(sched, jobs, counts[i], rounds, json);
	return good;
}

static int run(const struct bench_shape *shape, int rounds, bool json)
{
	const struct segment_options defaults = { .group = -1 };
	struct report report = { 0 };
	struct error error = { "" };
	struct sched *sched = NULL;
	int err = bench_cell_write(cell.directory, shape);

	if (!err)
		err = sched_create(&sched, cell.directory, &defaults, &report, &error);
	if (err)
		fprintf(stderr, "run_under_readers: %s\n", *error.text ? error.text : strerror(-err));
	else
		err = bench_jobs_add(sched_mirror(sched), shape, NOW);
	if (!err && !measure_all(sched, shape->jobs, rounds, json))
		err = -EIO;
	sched_destroy(sched);
	report_free(&report);
	return err;
}

int main(int argc, char **argv)
{
	static const struct option names[] = {
		{ "jobs", 1, 0, 'j' }, { "repeat", 1, 0, 'k' }, { "json", 0, 0, 'J' }, { 0 }
	};
	struct bench_shape shape = { .jobs = 100000, .users = 1000, .seed = 1 };
	bool json = false, understood = true;
	int rounds = 5;

	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1; ) {
		understood &= c != '?';
		json |= c == 'J';
		if (c == 'j')
			shape.jobs = strtoul(optarg, NULL, 10);
		if (c == 'k')
			rounds = atoi(optarg);
	}
	if (!understood || optind != argc || shape.jobs < 1 || shape.jobs > 100000000 || rounds < 1 ||
	    rounds > MOST_ROUNDS) {
		fprintf(stderr, "usage: run_under_readers [--jobs N] [--repeat K] [--json]\n");
		return 2;
	}
	if (shm_cell_make(&cell)) {
		perror("run_under_readers: /dev/shm");
		return 1;
	}
	int err = run(&shape, rounds, json);

	bench_cell_remove(cell.directory);
	shm_cell_clear(&cell);
	return err ? 1 : 0;
}
