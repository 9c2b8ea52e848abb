/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this machine's memory can do, for figures to stand beside: copying and reading 256 MiB, and loads of which each needs
 * the result of the one before. One thread, ordinary pages, the best of some repeats: others may slow a repeat down, nothing
 * speeds one up. One JSON line each. GB = 10^9 bytes; a copied byte counts once.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BYTES (256u << 20)
#define WORDS (BYTES / sizeof(uint64_t))
#define LINE_WORDS 8u		/* a cacheline */
#define LINES (WORDS / LINE_WORDS)
#define LOADS 2000000u
#define REPEATS 7

static volatile uint64_t sink;	/* results go here, so that they are computed */

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void copy_words(uint64_t *words, uint64_t *other)
{
	memcpy(other, words, BYTES);
	sink = other[WORDS / 2];
}

/* A search for a byte that is not there: the C library's widest loads, and next to no work between them. */
static void read_words(uint64_t *words, uint64_t *other)
{
	(void)other;
	sink = memchr(words, 0xff, BYTES) != NULL;
}

static void load_words(uint64_t *words, uint64_t *other)
{
	uint64_t line = 0;

	(void)other;
	for (unsigned i = 0; i < LOADS; i++)
		line = words[line * LINE_WORDS];
	sink = line;
}

static uint64_t next_random(uint64_t *state)	/* xorshift64 */
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* The first word of each line names another line: one cycle over all of them (Sattolo). */
static void lines_shuffle(uint64_t *words)
{
	uint64_t state = 88172645463325252u;

	for (size_t i = 0; i < LINES; i++)
		words[i * LINE_WORDS] = i;
	for (size_t i = LINES - 1; i > 0; i--) {
		uint64_t j = next_random(&state) % i, line = words[i * LINE_WORDS];

		words[i * LINE_WORDS] = words[j * LINE_WORDS];
		words[j * LINE_WORDS] = line;
	}
}

static double best_ns(void (*kernel)(uint64_t *, uint64_t *), uint64_t *words, uint64_t *other)
{
	double best = 0;

	for (int i = 0; i < REPEATS; i++) {
		double begin = now_ns(), took;

		kernel(words, other);
		took = now_ns() - begin;
		if (i == 0 || took < best)
			best = took;
	}
	return best;
}

static void print_kernel(const char *kernel, const char *unit, double value)
{
	printf("{\"what\":\"stream\",\"kernel\":\"%s\",\"bytes\":%u,\"%s\":%.2f}\n", kernel, BYTES, unit, value);
}

int main(void)
{
	uint64_t *words = malloc(BYTES), *other = malloc(BYTES);
	int code = 1;

	if (words && other) {
		memset(words, 1, BYTES);
		memset(other, 2, BYTES);
		print_kernel("copy", "gb_per_s", BYTES / best_ns(copy_words, words, other));
		print_kernel("read", "gb_per_s", BYTES / best_ns(read_words, words, other));
		lines_shuffle(words);
		print_kernel("load", "ns", best_ns(load_words, words, other) / LOADS);
		code = fflush(stdout) == 0 ? 0 : 1;
	} else {
		fprintf(stderr, "stream: no memory for two times %u bytes\n", BYTES);
	}
	free(words);
	free(other);
	return code;
}
