/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file's bytes, and damage to them by chance. For one file of a program; include behind cmocka.h.
 * SEED=n in the environment begins elsewhere than the clock does.
 */
#ifndef TESTS_CONF_DAMAGE_H
#define TESTS_CONF_DAMAGE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct bytes {
	char data[1 << 16];
	size_t n;
};

/* Leaves as much room for what is inserted. */
static void file_read(struct bytes *b, const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f)
		fail_msg("%s is missing", path);
	b->n = fread(b->data, 1, sizeof(b->data) / 2, f);
	assert_true(feof(f));
	fclose(f);
}

static uint64_t seed;

static void seed_choose(void)
{
	const char *fixed = getenv("SEED");

	seed = fixed ? strtoull(fixed, NULL, 0) : (uint64_t)time(NULL);
	seed += !seed;
	print_message("SEED=%llu\n", (unsigned long long)seed);
}

static size_t chance(size_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return n ? seed % n : 0;
}

static void bytes_insert(struct bytes *b, size_t at, const char *text, size_t n)
{
	if (b->n + n > sizeof(b->data))
		return;
	memmove(b->data + at + n, b->data + at, b->n - at);
	memcpy(b->data + at, text, n);
	b->n += n;
}

static void bytes_delete(struct bytes *b, size_t at, size_t n)
{
	n = n < b->n - at ? n : b->n - at;
	memmove(b->data + at, b->data + at + n, b->n - at - n);
	b->n -= n;
}

/* Cut, taken out, a NUL, another byte, or one of the tokens that mean something to the reader. */
static void bytes_damage(struct bytes *b, const char *const *tokens, size_t ntokens)
{
	const char *token = tokens[chance(ntokens)];
	size_t at = chance(b->n + 1);

	switch (chance(6)) {
	case 0:
		b->n = at;
		break;
	case 1:
		bytes_delete(b, at, 1 + chance(20));
		break;
	case 2:
		bytes_insert(b, at, "\0", 1);
		break;
	case 3:
		if (at < b->n)
			b->data[at] = (char)chance(256);
		break;
	default:
		bytes_insert(b, at, token, strlen(token));
	}
}

#endif
