/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of the store's file and their checksums. The checksum is in the last 8 bytes of a page,
 * which SQLite leaves unused (the file's header has their number at offset 20). It covers the
 * page's content and number, so that a page in a wrong position is detected too.
 *
 * 0 means that a page has no checksum, because SQLite itself writes 0 there. So pages that another
 * program has copied from the log to the file have no checksum; sqlite3(1) does so when it is the
 * last program to close the file. Such a page is accepted without a check.
 */
#ifndef SCHED_STORE_PAGE_H
#define SCHED_STORE_PAGE_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PAGE_SIZE 4096			/* page size of every store */
#define PAGE_RESERVE 8			/* for the checksum */
#define PAGE_WORDS (PAGE_SIZE / 8)
#define DATABASE_HEADER_BYTES 100

/*
 * Clear fields of the file's header, in page 1, that sqlite3(1) may rewrite when it makes a copy.
 * SQLite itself checks these fields.
 */
static inline void page_header_mask(unsigned char *header)
{
	memset(header + 18, 0, 2);	/* whether there is a log */
	memset(header + 24, 0, 8);	/* change counter, number of pages */
	memset(header + 40, 0, 4);	/* change counter of the schema */
	memset(header + 92, 0, 8);	/* change counter at the last write, version of SQLite */
}

/*
 * Mix a word into the sum. Each step is a permutation, so any change of one word changes the sum.
 */
static inline uint64_t page_mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
	return sum << 29 | sum >> 35;
}

static inline uint64_t page_words_sum(const unsigned char *bytes, size_t words, uint64_t lane[4])
{
	for (size_t i = 0; i < words; i += 4)
		/* four sums in parallel, since a single one would wait for each product */
		for (size_t k = 0; k < 4; k++) {
			uint64_t word;

			memcpy(&word, bytes + (i + k) * 8, 8);
			lane[k] = page_mix(lane[k], le64toh(word));
		}
	return lane[0];
}

static inline uint64_t page_sum(const unsigned char *page, uint32_t number)
{
	uint64_t lane[4] = { 1, 2, 3, 4 }, sum;
	/* parts in which bytes are cleared: the file's header, and the checksum */
	unsigned char part[128];
	const size_t words = sizeof(part) / 8;

	memcpy(part, page, sizeof(part));
	if (number == 1)
		page_header_mask(part);
	page_words_sum(part, words, lane);
	page_words_sum(page + sizeof(part), PAGE_WORDS - 2 * words, lane);
	memcpy(part, page + PAGE_SIZE - sizeof(part), sizeof(part) - PAGE_RESERVE);
	memset(part + sizeof(part) - PAGE_RESERVE, 0, PAGE_RESERVE);
	page_words_sum(part, words, lane);
	sum = page_mix(page_mix(page_mix(page_mix(number, lane[0]), lane[1]), lane[2]), lane[3]);
	return sum ? sum : 1;
}

static inline uint64_t page_stamp(const unsigned char *page)
{
	uint64_t stamp;

	memcpy(&stamp, page + PAGE_SIZE - PAGE_RESERVE, PAGE_RESERVE);
	return le64toh(stamp);
}

static inline void page_stamp_put(unsigned char *page, uint64_t stamp)
{
	stamp = htole64(stamp);
	memcpy(page + PAGE_SIZE - PAGE_RESERVE, &stamp, PAGE_RESERVE);
}

static inline bool page_fits(const unsigned char *page, uint32_t number)
{
	uint64_t stamp = page_stamp(page);

	return stamp == 0 || stamp == page_sum(page, number);
}

/* The file's header: the format of SQLite's files, section 1.3 */

static inline uint32_t bytes_number(const unsigned char *bytes)	/* big-endian */
{
	uint32_t number;

	memcpy(&number, bytes, 4);
	return be32toh(number);
}

static inline bool header_is_database(const unsigned char *header)
{
	return memcmp(header, "SQLite format 3", 16) == 0;
}

/* Return whether pages of this file have checksums. */
static inline bool header_has_sums(const unsigned char *header)
{
	return header_is_database(header) && header[16] == PAGE_SIZE >> 8 && header[17] == 0 &&
	       header[20] == PAGE_RESERVE;
}

#endif
