/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check of the file's pages on disk. Pages without a newer version in the log must match their
 * checksums.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/store/base.h"

#define PIECE_PAGES 64
/* page that SQLite uses for locks and not for data */
#define LOCK_BYTE_PAGE (0x40000000 / PAGE_SIZE + 1)
/* offset in the file's header: first page of the list of free pages */
#define FREE_NEXT 32

struct free_pages {			/* pages whose content is unused */
	uint8_t *bits;
	uint32_t pages;
};

static bool is_blank(const unsigned char *page)
{
	return page[0] == 0 && memcmp(page, page + 1, PAGE_SIZE - 1) == 0;
}

static int page_read(int fd, unsigned char *page, uint32_t number)
{
	ssize_t n = pread(fd, page, PAGE_SIZE, (off_t)(number - 1) * PAGE_SIZE);

	return n < 0 ? -errno : n < PAGE_SIZE ? -ENODATA : 0;
}

/*
 * Read the list of free pages. It is a list of pages, each with the number of the next one, the
 * number of entries, and the entries.
 */
static int free_pages_read(int fd, struct free_pages *free)
{
	unsigned char page[PAGE_SIZE];
	int rc = page_read(fd, page, 1);
	uint32_t next = rc ? 0 : bytes_number(page + FREE_NEXT), left = free->pages;

	free->bits = calloc(free->pages / 8 + 1, 1);
	if (!free->bits)
		return -ENOMEM;
	while (rc == 0 && next > 0 && next <= free->pages && left-- > 0) {
		rc = page_read(fd, page, next);
		free->bits[next / 8] |= (uint8_t)(1u << next % 8);
		for (uint32_t i = 0; rc == 0 && i < bytes_number(page + 4) && i < PAGE_SIZE / 4 - 4; i++) {
			uint32_t leaf = bytes_number(page + 8 + 4 * i);

			if (leaf <= free->pages)
				free->bits[leaf / 8] |= (uint8_t)(1u << leaf % 8);
		}
		next = bytes_number(page);
	}
	return rc;
}

static int page_look(struct sums_look *look, unsigned char *page, uint32_t number, struct free_pages *free)
{
	int rc = 0;

	if (page_stamp(page) != 0) {
		if (!page_fits(page, number))
			look->damaged(look->context, number);
		return 0;
	}
	if (is_blank(page)) {
		if (!free->bits)
			rc = free_pages_read(look->fd, free);
		if (rc == 0 && !(free->bits[number / 8] >> number % 8 & 1))
			look->damaged(look->context, number);
		return rc;
	}
	look->unstamped++;
	if (!look->stamps)
		return 0;
	page_stamp_put(page, page_sum(page, number));
	return pwrite(look->fd, page + PAGE_SIZE - PAGE_RESERVE, PAGE_RESERVE,
		      (off_t)number * PAGE_SIZE - PAGE_RESERVE) == PAGE_RESERVE
		       ? 0
		       : -EIO;
}

/* Check the pages up to `last`, which are in the file. */
static int pages_read(struct sums_look *look, const struct log_view *log, uint32_t last, unsigned char *pieces,
		      struct free_pages *free)
{
	int rc = 0;

	for (uint64_t first = 1; rc == 0 && first <= last; first += PIECE_PAGES) {
		uint32_t n = last - first < PIECE_PAGES ? (uint32_t)(last - first + 1) : PIECE_PAGES;
		ssize_t got = pread(look->fd, pieces, (size_t)n * PAGE_SIZE, (off_t)(first - 1) * PAGE_SIZE);

		if (got < 0)
			rc = -errno;
		for (uint32_t i = 0; rc == 0 && i < n; i++) {
			uint32_t page = (uint32_t)first + i;

			if (log_has_page(log, page) || page == LOCK_BYTE_PAGE)
				continue;
			if ((size_t)got >= (size_t)(i + 1) * PAGE_SIZE)
				rc = page_look(look, pieces + (size_t)i * PAGE_SIZE, page, free);
			else
				look->missing++;
		}
	}
	return rc;
}

/*
 * Return the number of pages to check. The file's header or the log has the total, which may be
 * wrong.
 */
static uint32_t pages_there(struct sums_look *look, const struct log_view *log, off_t size)
{
	uint64_t there = (uint64_t)size / PAGE_SIZE;

	if (there >= look->pages)
		return look->pages;
	look->missing = (uint32_t)(look->pages - there - log_pages_behind(log, there));
	if (there < LOCK_BYTE_PAGE && LOCK_BYTE_PAGE <= look->pages && !log_has_page(log, LOCK_BYTE_PAGE))
		look->missing--;
	return (uint32_t)there;
}

int sums_look(struct sums_look *look, const struct log_view *log)
{
	unsigned char header[DATABASE_HEADER_BYTES], *pieces;
	struct free_pages free_pages = { .bits = NULL };
	ssize_t n = pread(look->fd, header, sizeof(header), 0);
	struct stat st;
	int rc;

	look->unstamped = look->missing = 0;
	if (n < 0 || fstat(look->fd, &st))
		return -errno;
	if (n < (ssize_t)sizeof(header) || !header_has_sums(header))
		return 0;
	look->pages = log->frames ? log->pages : bytes_number(header + 28);
	free_pages.pages = pages_there(look, log, st.st_size);
	pieces = malloc((size_t)PIECE_PAGES * PAGE_SIZE);
	rc = pieces ? pages_read(look, log, free_pages.pages, pieces, &free_pages) : -ENOMEM;
	free(pieces);
	free(free_pages.bits);
	return rc;
}

/* Find the tree that has the page. "" if this is not possible. Damaged pages are read for this. */
void page_name(sqlite3 *db, uint32_t number, char *name, size_t size)
{
	sqlite3_stmt *statement = NULL;

	*name = '\0';
	if (sqlite3_prepare_v2(db, "SELECT name FROM dbstat WHERE pageno = ? LIMIT 1", -1, &statement, NULL) ==
		    SQLITE_OK &&
	    sqlite3_bind_int64(statement, 1, number) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
		snprintf(name, size, "%s", sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
}
