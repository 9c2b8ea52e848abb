/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory performance of this machine, for comparison with other figures: `stream [--megabytes N]`.
 *
 *     bandwidth   reading, copying, triad a = b + x c; with one thread and with one on each CPU
 *     latency     loads that each need the result of the previous one, over sets of several sizes
 *
 * Arrays have 256 MiB, or four times the largest cache if that is more. They have ordinary pages,
 * and each thread touches its share itself. The best of some repeats counts, because other load may
 * slow a repeat down but never speeds one up. One JSON line is printed for each. GB = 10^9 bytes.
 * Bytes that are read and bytes that are written count. Bytes that the caches fetch before a write
 * do not count.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/measure.h"

#define MEGABYTE (1ul << 20)
#define PAGE 4096ul		/* shares of threads consist of whole pages */
#define MOST_MEGABYTES 4096ul
#define LINE_WORDS 8u		/* words of a cache line */
#define LOADS 2000000u
#define REPEATS 7

/* vector that the compiler maps to the machine's registers */
typedef double vector __attribute__((vector_size(32)));

struct share {			/* part of the three arrays for one thread */
	char *a, *b, *c;
	size_t bytes;
};

struct kernel {
	const char *name;
	void (*run)(const struct share *share);
	unsigned arrays;	/* arrays that are read or written */
};

struct team {			/* threads that do the same work at the same time */
	const struct kernel *kernel;
	pthread_barrier_t barrier;
	struct share share;	/* the whole arrays */
	unsigned threads;
	double best_ns;		/* time of the first thread */
};

struct member {
	struct team *team;
	unsigned number;
	pthread_t thread;
};

static volatile uint64_t sink;	/* results are stored here, so that they are computed */

/* Bandwidth */

/*
 * Search for a byte that does not occur: the C library's widest loads with almost no work between
 * them.
 */
static void share_read(const struct share *share)
{
	sink = memchr(share->a, 0xff, share->bytes) != NULL;
}

static void share_copy(const struct share *share)
{
	memcpy(share->b, share->a, share->bytes);
	sink = (uint64_t)share->b[share->bytes / 2];
}

static void share_triad(const struct share *share)
{
	vector *a = (vector *)share->a, *b = (vector *)share->b, *c = (vector *)share->c;
	const vector x = { 3, 3, 3, 3 };

	for (size_t i = 0; i < share->bytes / sizeof(vector); i++)
		a[i] = b[i] + x * c[i];
	sink = (uint64_t)share->a[share->bytes / 2];
}

/*
 * Bind each thread to a CPU of its own, because a thread that moves away from its memory measures
 * something different.
 */
static void cpu_bind(unsigned number)
{
	cpu_set_t allowed, one;

	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && number-- == 0) {
			CPU_SET(cpu, &one);
			sched_setaffinity(0, sizeof(one), &one);
			return;
		}
}

static size_t share_bytes(size_t bytes, unsigned threads)
{
	return bytes / threads & ~(PAGE - 1);
}

static void *member_run(void *context)
{
	struct member *member = context;
	struct team *team = member->team;
	size_t bytes = share_bytes(team->share.bytes, team->threads), offset = bytes * member->number;
	struct share share = { team->share.a + offset, team->share.b + offset, team->share.c + offset, bytes };

	cpu_bind(member->number);
	memset(share.a, 0, bytes);
	memset(share.b, 0, bytes);
	memset(share.c, 0, bytes);
	for (int i = 0; i < REPEATS; i++) {
		double begin, took;

		pthread_barrier_wait(&team->barrier);
		begin = now_ns();
		team->kernel->run(&share);
		pthread_barrier_wait(&team->barrier);
		took = now_ns() - begin;
		if (member->number == 0 && (i == 0 || took < team->best_ns))
			team->best_ns = took;
	}
	return NULL;
}

/*
 * Run the threads. If a thread cannot be started, the others would wait for it at the barrier for
 * ever, so the program ends.
 */
static int team_run(struct team *team)
{
	struct member *members = calloc(team->threads, sizeof(*members));
	int code = members ? pthread_barrier_init(&team->barrier, NULL, team->threads) : ENOMEM;

	if (code != 0) {
		free(members);
		return -code;
	}
	for (unsigned i = 0; i < team->threads; i++) {
		members[i] = (struct member){ .team = team, .number = i };
		code = pthread_create(&members[i].thread, NULL, member_run, &members[i]);
		if (code != 0) {
			fprintf(stderr, "stream: thread %u: %s\n", i + 1, strerror(code));
			exit(1);
		}
	}
	for (unsigned i = 0; i < team->threads; i++)
		pthread_join(members[i].thread, NULL);
	pthread_barrier_destroy(&team->barrier);
	free(members);
	return 0;
}

static int measure_bandwidth(const struct kernel *kernel, size_t bytes, unsigned threads)
{
	char *memory = mmap(NULL, 3 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct team team = { .kernel = kernel,
			     .threads = threads,
			     .share = { memory, memory + bytes, memory + 2 * bytes, bytes } };
	int code;

	if (memory == MAP_FAILED)
		return -errno;
	code = team_run(&team);
	munmap(memory, 3 * bytes);
	if (code == 0)
		printf("{\"what\":\"stream\",\"kernel\":\"%s\",\"threads\":%u,\"bytes\":%zu,\"gb_per_s\":%.2f}\n",
		       kernel->name, threads, bytes,
		       (double)(kernel->arrays * threads * share_bytes(bytes, threads)) / team.best_ns);
	return code;
}

/* Latency */

static uint64_t next_random(uint64_t *state)	/* xorshift64 */
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/*
 * Store in the first word of each line the index of another line, so that all lines form one cycle
 * (Sattolo).
 */
static void lines_shuffle(uint64_t *words, size_t lines)
{
	uint64_t state = 88172645463325252u;

	for (size_t i = 0; i < lines; i++)
		words[i * LINE_WORDS] = i;
	for (size_t i = lines - 1; i > 0; i--) {
		uint64_t j = next_random(&state) % i, line = words[i * LINE_WORDS];

		words[i * LINE_WORDS] = words[j * LINE_WORDS];
		words[j * LINE_WORDS] = line;
	}
}

static double loads_ns(const uint64_t *words)
{
	double begin = now_ns();
	uint64_t line = 0;

	for (unsigned i = 0; i < LOADS; i++)
		line = words[line * LINE_WORDS];
	sink = line;
	return (now_ns() - begin) / LOADS;
}

static int measure_latency(size_t bytes)
{
	uint64_t *words = malloc(bytes);
	double best = 0;

	if (!words)
		return -ENOMEM;
	lines_shuffle(words, bytes / sizeof(uint64_t) / LINE_WORDS);
	for (int i = 0; i < REPEATS; i++) {
		double took = loads_ns(words);

		if (i == 0 || took < best)
			best = took;
	}
	free(words);
	printf("{\"what\":\"latency\",\"bytes\":%zu,\"ns\":%.2f}\n", bytes, best);
	return 0;
}

/* The program */

static size_t usual_bytes(void)
{
	long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
	size_t bytes = 256 * MEGABYTE;

	if (cache > 0 && 4 * (size_t)cache > bytes)
		bytes = 4 * (size_t)cache;
	return bytes < MOST_MEGABYTES * MEGABYTE ? bytes & ~(MEGABYTE - 1) : MOST_MEGABYTES * MEGABYTE;
}

static int measure(size_t bytes)
{
	static const struct kernel kernels[] = { { "read", share_read, 1 },
						 { "copy", share_copy, 2 },
						 { "triad", share_triad, 3 } };
	unsigned all = cpus();
	int code = 0;

	for (size_t k = 0; code == 0 && k < sizeof(kernels) / sizeof(*kernels); k++) {
		code = measure_bandwidth(&kernels[k], bytes, 1);
		if (code == 0 && all > 1)
			code = measure_bandwidth(&kernels[k], bytes, all);
	}
	for (size_t set = 16 << 10; code == 0 && set <= bytes; set *= 4)
		code = measure_latency(set);
	return code;
}

int main(int argc, char **argv)
{
	static const struct option names[] = { { "megabytes", 1, 0, 'm' }, { 0 } };
	size_t bytes = usual_bytes();
	int code;

	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1; )
		bytes = c == 'm' ? strtoull(optarg, NULL, 10) * MEGABYTE : 0;
	if (optind < argc || bytes < MEGABYTE || bytes > MOST_MEGABYTES * MEGABYTE || bytes / cpus() < PAGE) {
		fprintf(stderr, "usage: stream [--megabytes 1..%lu]\n", MOST_MEGABYTES);
		return 2;
	}
	code = measure(bytes);
	if (code != 0)
		fprintf(stderr, "stream: out of memory for three times %zu bytes: %s\n", bytes, strerror(-code));
	return code == 0 && fflush(stdout) == 0 ? 0 : 1;
}
