/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of the store's file and the checksum that each has in its last 8 bytes, which SQLite leaves
 * alone (a file's header says how many at offset 20). It is that of the page's content and number,
 * so that a page in another's place is noticed, too.
 *
 * 0 is no checksum: SQLite never sees what stands there but 0, so pages that another program has
 * copied out of the log into the file, as sqlite3(1) does when it is the last to close it, have
 * none. Such a page is taken as it is.
 */
#ifndef SCHED_STORE_PAGE_H
#define SCHED_STORE_PAGE_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PAGE_SIZE 4096			/* of each store */
#define PAGE_RESERVE 8			/* for the checksum */
#define PAGE_WORDS (PAGE_SIZE / 8)
#define DATABASE_HEADER_BYTES 100

/*
 * In the header of the file, which is in page 1: what sqlite3(1) may rewrite when it makes a copy,
 * and which SQLite itself checks.
 */
static inline void page_header_mask(unsigned char *header)
{
	memset(header + 18, 0, 2);	/* is there a log? */
	memset(header + 24, 0, 8);	/* changes, pages */
	memset(header + 40, 0, 4);	/* changes of the schema */
	memset(header + 92, 0, 8);	/* as of which change, which SQLite */
}

/* Each step is a permutation: whatever changes in one word, the sum changes. */
static inline uint64_t page_mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
	return sum << 29 | sum >> 35;
}

static inline uint64_t page_words_sum(const unsigned char *bytes, size_t words, uint64_t lane[4])
{
	for (size_t i = 0; i < words; i += 4)
		/* four at once: one alone would wait for each product */
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
	/* what is not as it stands there: the file's header, and the checksum */
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

static inline uint32_t bytes_number(const unsigned char *bytes)	/* four, the highest first */
{
	uint32_t number;

	memcpy(&number, bytes, 4);
	return be32toh(number);
}

static inline bool header_is_database(const unsigned char *header)
{
	return memcmp(header, "SQLite format 3", 16) == 0;
}

/* Do pages of this file have checksums? */
static inline bool header_has_sums(const unsigned char *header)
{
	return header_is_database(header) && header[16] == PAGE_SIZE >> 8 && header[17] == 0 &&
	       header[20] == PAGE_RESERVE;
}

#endif
