/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of a file and random damage to them. For one file of a program. Include after cmocka.h.
 * SEED=n in the environment replaces the clock as seed.
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

/* Read a file and reserve as much memory again for insertions. */
static void file_read(struct bytes *bytes, const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f)
		fail_msg("%s is missing", path);
	bytes->n = fread(bytes->data, 1, sizeof(bytes->data) / 2, f);
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

static void bytes_insert(struct bytes *bytes, size_t at, const char *text, size_t n)
{
	if (bytes->n + n > sizeof(bytes->data))
		return;
	memmove(bytes->data + at + n, bytes->data + at, bytes->n - at);
	memcpy(bytes->data + at, text, n);
	bytes->n += n;
}

static void bytes_delete(struct bytes *bytes, size_t at, size_t n)
{
	n = n < bytes->n - at ? n : bytes->n - at;
	memmove(bytes->data + at, bytes->data + at + n, bytes->n - at - n);
	bytes->n -= n;
}

/*
 * Truncate, remove, insert a NUL, change a byte, or insert a token that has a meaning for the
 * reader.
 */
static void bytes_damage(struct bytes *bytes, const char *const *tokens, size_t ntokens)
{
	const char *token = tokens[chance(ntokens)];
	size_t at = chance(bytes->n + 1);

	switch (chance(6)) {
	case 0:
		bytes->n = at;
		break;
	case 1:
		bytes_delete(bytes, at, 1 + chance(20));
		break;
	case 2:
		bytes_insert(bytes, at, "\0", 1);
		break;
	case 3:
		if (at < bytes->n)
			bytes->data[at] = (char)chance(256);
		break;
	default:
		bytes_insert(bytes, at, token, strlen(token));
	}
}

#endif
