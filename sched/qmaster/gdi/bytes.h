/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in a packed buffer: big endian, at any address. Used only in this directory. */
#ifndef SCHED_QMASTER_GDI_BYTES_H
#define SCHED_QMASTER_GDI_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define GDI_VERSION_BUFFER 0x10020000u	/* second word of each buffer of 8.1.9, after a word of 0 */
/* Status of an element: with its own descriptor, in a list, in a field. */
#define GDI_STATUS_FREE 1u
#define GDI_STATUS_LISTED 2u
#define GDI_STATUS_OBJECT 8u

static inline uint32_t bytes_u32(const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return be32toh(value);
}

static inline double bytes_double(const unsigned char *at)
{
	uint64_t bits;
	double value;

	memcpy(&bits, at, sizeof(bits));
	bits = be64toh(bits);
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/*
 * Return the NUL of the text that begins at `at`, NULL if there is none before `end`. Optimised for
 * short texts.
 */
static inline const unsigned char *text_end(const unsigned char *at, const unsigned char *end)
{
	while (end - at >= 8) {
		uint64_t word, zeros;

		memcpy(&word, at, sizeof(word));
		word = le64toh(word);
		/* The lowest bit set is always correct. */
		zeros = (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
		if (zeros)
			return at + __builtin_ctzll(zeros) / 8;
		at += 8;
	}
	return at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
}

/* Return the number, or the kind, of the field in a column, from the words of a descriptor. */
static inline uint32_t words_number(const unsigned char *words, uint32_t column)
{
	return bytes_u32(words + 8 * (size_t)column);
}

static inline unsigned words_kind(const unsigned char *words, uint32_t column)
{
	return words[8 * (size_t)column + 7];
}

#endif
