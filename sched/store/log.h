/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Write-ahead log beside the file, read without SQLite. SQLite itself uses the log up to the first
 * frame that does not fit and silently ignores the rest. Section 4 of the description of SQLite's
 * file format defines the log.
 *
 * Each frame (a page) has a checksum of itself and of everything before it, and the salts of the
 * log's header; a log that is restarted has other salts. A transaction ends with the commit, a
 * frame with the number of pages that the file has then.
 *
 * Torn and damaged frames are distinguished as follows. A transaction is completely on disk before
 * the next one begins, and before it is reported. So a power failure can tear only the last
 * transaction of the log. If a frame does not fit, and another frame fits after the first commit
 * that follows it, then the frame was damaged later. A log is cut to its last commit before the
 * first transaction of a process, and after each failed one (disk.c). So no other frames with its
 * salts ever follow the last commit.
 */
#ifndef SCHED_STORE_LOG_H
#define SCHED_STORE_LOG_H

#include "conf/base/error.h"
#include "sched/store/page.h"

#define LOG_HEADER_BYTES 32
#define LOG_FRAME_HEADER_BYTES 24
#define LOG_FRAME_BYTES (LOG_FRAME_HEADER_BYTES + PAGE_SIZE)

/* Return the end of frame n, from 1. A log without frames is empty. */
static inline int64_t log_end(uint64_t frames)
{
	return frames ? LOG_HEADER_BYTES + (int64_t)frames * LOG_FRAME_BYTES : 0;
}

/*
 * Return whether this page of frame n matches its checksum. `before` has the 8 bytes of the
 * previous checksum, `header` is the header of the frame.
 */
bool log_frame_fits(const unsigned char *before, const unsigned char *header, const unsigned char *page,
		    bool big_endian);
bool log_is_big_endian(const unsigned char *log_header);

struct log_view {
	uint64_t frames;		/* up to the last commit */
	uint64_t commits;
	uint32_t pages;			/* pages of the file after the last commit; 0: no commit */
	uint64_t damaged;		/* number of a damaged frame, from 1; 0: none */
	bool header_damaged;
	/* pages of the file with a newer version in the log, each once, ascending */
	uint32_t *newer;
	uint64_t nnewer;		/* at most the number of frames */
};

/*
 * Read a log from its beginning to its end; a missing log is empty. log_view_free() must follow.
 * -EUCLEAN: the log is damaged; `error` has the position and the remedy, and the view describes the
 * log before it. -EIO, -EACCES, -ENOMEM, ...
 */
int log_look(struct log_view *view, const char *path, struct error *error);
void log_view_free(struct log_view *view);

/* Return whether the log has a newer version of this page. */
bool log_has_page(const struct log_view *view, uint32_t page);
/* Return the number of pages in the log with numbers above this one. */
uint64_t log_pages_behind(const struct log_view *view, uint64_t page);

/*
 * Write the log's frames once more, cut the data after them, and wait for the disk. After an
 * earlier failed sync, data may count as written that is not.
 */
int log_renew(const struct log_view *view, const char *path, struct error *error);

#endif
