/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The write-ahead log beside the file, read without SQLite, which takes the log up to the first
 * frame that does not fit and drops the rest without a word. The format is that of SQLite's files,
 * section 4.
 *
 * Each frame (a page) has a checksum of itself and of all before it, and the salts of the log's
 * header: a log that begins anew has others. A transaction ends with a frame that says how many
 * pages the file has then, the commit.
 *
 * What is torn and what is damaged: a transaction is on the disk as a whole before the next one
 * begins, and before anybody hears of it. So only the last one in the log can be torn by a power
 * failure: if a frame does not fit, and behind the first commit after it there is another frame
 * that does, then it was damaged later. A log is cut back to its last commit before the first
 * transaction of a process, and after each one that failed (disk.c): no other frames with its salts
 * are ever behind it.
 */
#ifndef SCHED_STORE_LOG_H
#define SCHED_STORE_LOG_H

#include "conf/error.h"
#include "sched/store/page.h"

#define LOG_HEADER_BYTES 32
#define LOG_FRAME_HEADER_BYTES 24
#define LOG_FRAME_BYTES (LOG_FRAME_HEADER_BYTES + PAGE_SIZE)

/* Where frame n ends, from 1; the log that has none is empty. */
static inline int64_t log_end(uint64_t frames)
{
	return frames ? LOG_HEADER_BYTES + (int64_t)frames * LOG_FRAME_BYTES : 0;
}

/*
 * Does this page of frame n have the checksum in it? `before` has the 8 bytes of the checksum
 * before it, `header` that of the frame.
 */
bool log_frame_fits(const unsigned char *before, const unsigned char *header, const unsigned char *page,
		    bool big_endian);
bool log_is_big_endian(const unsigned char *log_header);

struct log_view {
	uint64_t frames;		/* up to the last commit */
	uint64_t commits;
	uint32_t pages;			/* of the file as of then; 0: without commit */
	uint64_t damaged;		/* a frame, from 1; 0: none */
	bool header_damaged;
	/* pages of the file of which the log has a newer one, each once, in order */
	uint32_t *newer;
	uint64_t nnewer;		/* never more than there are frames */
};

/*
 * Read a log from its beginning to its end; one that is not there is empty. log_view_free() must
 * follow. -EUCLEAN: it is damaged, and `error` says where and what to do; the view says what is
 * before that. -EIO, -EACCES, -ENOMEM, ...
 */
int log_look(struct log_view *view, const char *path, struct error *error);
void log_view_free(struct log_view *view);

/* Does the log have a newer page in the place of this one? */
bool log_has_page(const struct log_view *view, uint32_t page);
/* How many pages behind this one has the log? */
uint64_t log_pages_behind(const struct log_view *view, uint64_t page);

/*
 * Write the log's frames once more, cut what is behind them, and wait for the disk: if a sync has
 * failed before, it counts as written what is not.
 */
int log_renew(const struct log_view *view, const char *path, struct error *error);

#endif
