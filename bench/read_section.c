/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of a read section for its reader: `read_section [--readers N] [--repeat K] [--json]`.
 * Without --readers it uses 1 reader, as many as there are processors, and 8. No process writes
 * meanwhile. Times are processor times of the reader, so that waiting for a processor does not
 * count.
 *
 * All schemes are measured in turn, in K rounds, each with N new readers that start together. ns is
 * the median of the rounds, min_ns the best. Ratios are medians of each round's own ratio, so that
 * changes in the load of the machine affect both sides. Each section loads one word through its
 * protection. liburcu's readers are threads of one process, since it supports nothing else.
 * liburcu-memb and -qsbr have their functions inlined, as their headers allow for small ones and as
 * our functions are. -memb-call calls the library, which is the default for programs.
 */
#include <getopt.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "bench/schemes.h"
#include "sched/run/records.h"
#include "tests/shm/cell.h"

#define MOST_ROUNDS 101
#define SECTIONS 1000000ul

static struct shm_cell cell;
static struct shared *shared;

/* A round of a scheme */

struct part {				/* work of one reader */
	const struct scheme *scheme;
	struct reader reader;
	pthread_t thread;
	pid_t pid;
};

static double cpu_ns(void)
{
	struct timespec timespec;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &timespec);
	return 1e9 * (double)timespec.tv_sec + (double)timespec.tv_nsec;
}

/*
 * Run a reader. Returns NULL, or the part if the reader could not begin. Such a reader still counts
 * as ready, so that the others do not wait for it.
 */
static void *part_run(void *argument)
{
	struct part *part = argument;
	struct reader *r = &part->reader;
	int err = part->scheme->enter(r);

	if (!err)
		r->sum = part->scheme->read(r, SECTIONS / 100);
	atomic_fetch_add(&shared->ready, 1);
	while (!err && !shared->go)
		sched_yield();
	if (err)
		return part;
	double begin = cpu_ns();

	r->sum += part->scheme->read(r, SECTIONS);
	shared->ns[r->number] = (cpu_ns() - begin) / SECTIONS;
	part->scheme->leave(r);
	return NULL;
}

static bool part_start(struct part *part)
{
	if (part->scheme->threads)
		return pthread_create(&part->thread, NULL, part_run, part) == 0;
	part->pid = fork();
	if (part->pid == 0)
		_exit(part_run(part) != NULL);
	return part->pid > 0;
}

static bool part_end(struct part *part)
{
	void *failed = NULL;
	int status;

	if (part->scheme->threads)
		return pthread_join(part->thread, &failed) == 0 && !failed;
	return waitpid(part->pid, &status, 0) == part->pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Return the mean of the readers, or 0 if some could not run. */
static double round_ns(const struct scheme *scheme, unsigned readers)
{
	static struct part parts[MOST_READERS];
	unsigned started = 0;
	bool good = true;
	double sum = 0;

	shared->go = false;
	shared->ready = 0;
	for (; started < readers && good; started += good) {
		parts[started] =
			(struct part){ .scheme = scheme,
				       .reader = { .number = started, .shared = shared, .cell = cell.directory } };
		good = part_start(&parts[started]);
	}
	while (shared->ready < started)
		sched_yield();
	shared->go = true;
	for (unsigned i = 0; i < started; i++) {
		good = part_end(&parts[i]) && good;
		sum += shared->ns[i];
	}
	return good ? sum / readers : 0;
}

/* Rounds and output */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct figures {			/* figures of a scheme by round, sorted at the end */
	double ns[MOST_ROUNDS], to_memb[MOST_ROUNDS], to_call[MOST_ROUNDS];
};

static double median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), by_value);
	return values[n / 2];
}

static void print_scheme(const char *name, unsigned readers, struct figures *figures, int rounds, bool json)
{
	double ns = median(figures->ns, rounds), to_memb = median(figures->to_memb, rounds),
	       to_call = median(figures->to_call, rounds);

	if (json)
		printf("{\"what\":\"read_section\",\"scheme\":\"%s\",\"readers\":%u,\"ns\":%.2f,\"min_ns\":%.2f,"
		       "\"ratio_to_memb\":%.2f,"
		       "\"ratio_to_memb_call\":%.2f}\n",
		       name, readers, ns, figures->ns[0], to_memb, to_call);
	else
		printf("  %-18s %7.2f ns   best %7.2f   %5.2f x liburcu-memb, %5.2f x called\n", name, ns,
		       figures->ns[0], to_memb, to_call);
}

static bool measure(unsigned readers, int rounds, bool json)
{
	static struct figures figures[SCHEMES];

	for (int k = 0; k < rounds; k++) {
		for (size_t i = 0; i < SCHEMES; i++)
			if ((figures[i].ns[k] = round_ns(&schemes[i], readers)) <= 0) {
				fprintf(stderr, "read_section: %s with %u readers cannot be measured\n", schemes[i].name,
					readers);
				return false;
			}
		for (size_t i = 0; i < SCHEMES; i++) {
			figures[i].to_memb[k] = figures[i].ns[k] / figures[MEMB].ns[k];
			figures[i].to_call[k] = figures[i].ns[k] / figures[MEMB_CALL].ns[k];
		}
	}
	if (!json)
		printf("a read section, %u reader%s\n", readers, readers == 1 ? "" : "s");
	for (size_t i = 0; i < SCHEMES; i++)
		print_scheme(schemes[i].name, readers, &figures[i], rounds, json);
	return fflush(stdout) == 0;
}

static int publish(struct segment *segment)
{
	const struct segment_options options = { .file_bytes = 64 << 20, .group = -1 };
	struct generation_writer writer;
	int err = segment_create(segment, cell.directory, &options, NULL);

	if (!err)
		err = generation_begin(&writer, segment);
	if (err)
		return err;
	run_head(writer.directory)->run = 1;
	generation_publish(&writer);
	return segment_announce(segment);
}

static int shared_make(void)
{
	pthread_rwlockattr_t attributes;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -ENOMEM;
	shared->pointer = &shared->word;
	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	return -pthread_rwlock_init(&shared->rwlock, &attributes);
}

static bool measure_all(unsigned only, int rounds, bool json)
{
	unsigned processors = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	unsigned counts[] = { only ? only : 1, processors < 8 ? processors : 8, processors < 8 ? 8 : processors };
	bool good = measure(counts[0], rounds, json);

	for (int i = 1; i < 3 && good && !only; i++)
		if (counts[i] > counts[i - 1] && counts[i] <= MOST_READERS)
			good = measure(counts[i], rounds, json);
	return good;
}

int main(int argc, char **argv)
{
	static const struct option names[] = {
		{ "readers", 1, 0, 'n' }, { "repeat", 1, 0, 'k' }, { "json", 0, 0, 'J' }, { 0 }
	};
	int rounds = 11, code = 1;
	unsigned readers = 0;
	bool json = false, understood = true;
	struct segment segment;

	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1; ) {
		understood &= c != '?';
		json |= c == 'J';
		if (c == 'n' && ((readers = (unsigned)strtoul(optarg, NULL, 10)) == 0 || readers > MOST_READERS))
			understood = false;
		if (c == 'k' && ((rounds = atoi(optarg)) < 1 || rounds > MOST_ROUNDS))
			understood = false;
	}
	if (!understood || optind != argc) {
		fprintf(stderr, "usage: read_section [--readers N] [--repeat K] [--json]\n");
		return 2;
	}
	if (shm_cell_make(&cell)) {
		perror("read_section: /dev/shm");
		return 1;
	}
	int err = shared_make();

	if (!err)
		err = publish(&segment);
	if (!err) {
		code = measure_all(readers, rounds, json) ? 0 : 1;
		segment_close(&segment);
	} else {
		fprintf(stderr, "read_section: %s\n", strerror(-err));
	}
	shm_cell_clear(&cell);
	return code;
}
