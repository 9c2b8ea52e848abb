/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/store/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/search.h"

/* add 1 if checksums are of big-endian numbers */
#define MAGIC 0x377f0682u
#define PIECE_BYTES 65536

struct sum {
	uint32_t a, b;
};

struct log_scan {
	int fd;
	struct log_view *view;
	bool big_endian;
	uint64_t there;			/* number of complete frames in the file */
	uint64_t at;			/* current frame, from 1 */
	struct sum stored;		/* checksum in the previous frame */
	uint32_t salts[2];
	unsigned char frame[LOG_FRAME_BYTES];
};

/* Checksums */

static struct sum sum_read(const unsigned char *bytes)
{
	return (struct sum){ bytes_number(bytes), bytes_number(bytes + 4) };
}

static bool sum_equal(struct sum x, struct sum y)
{
	return x.a == y.a && x.b == y.b;
}

static struct sum sum_add(struct sum sum, const unsigned char *bytes, size_t n, bool big_endian)
{
	for (size_t i = 0; i < n; i += 8) {
		uint32_t word[2];

		memcpy(word, bytes + i, 8);
		sum.a += (big_endian ? be32toh(word[0]) : le32toh(word[0])) + sum.b;
		sum.b += (big_endian ? be32toh(word[1]) : le32toh(word[1])) + sum.a;
	}
	return sum;
}

/* Compute the checksum of a frame from the first 8 bytes of its header, and the page. */
static struct sum frame_sum(struct sum before, const unsigned char *header, const unsigned char *page, bool big_endian)
{
	return sum_add(sum_add(before, header, 8, big_endian), page, PAGE_SIZE, big_endian);
}

bool log_is_big_endian(const unsigned char *log_header)
{
	return log_header[3] & 1;
}

bool log_frame_fits(const unsigned char *before, const unsigned char *header, const unsigned char *page,
		    bool big_endian)
{
	return sum_equal(sum_read(header + 16), frame_sum(sum_read(before), header, page, big_endian));
}

/* Frames */

static int read_at(int fd, void *to, size_t n, int64_t at)
{
	ssize_t got = pread(fd, to, n, at);

	return got < 0 ? -errno : (size_t)got < n ? -ENODATA : 0;
}

static int frame_read(struct log_scan *scan, uint64_t n)
{
	scan->at = n;
	return read_at(scan->fd, scan->frame, LOG_FRAME_BYTES, log_end(n) - LOG_FRAME_BYTES);
}

static bool frame_has_salts(const struct log_scan *scan)
{
	return bytes_number(scan->frame + 8) == scan->salts[0] && bytes_number(scan->frame + 12) == scan->salts[1];
}

static uint32_t frame_page(const struct log_scan *scan)
{
	return bytes_number(scan->frame);
}

/* Return the number of pages of the file if this frame is a commit, otherwise 0. */
static uint32_t frame_commit(const struct log_scan *scan)
{
	return bytes_number(scan->frame + 4);
}

/* Return whether the frame follows the previous one, whatever comes before that. */
static bool frame_follows(struct log_scan *scan)
{
	bool follows =
		frame_has_salts(scan) && frame_page(scan) > 0 &&
		sum_equal(sum_read(scan->frame + 16),
			  frame_sum(scan->stored, scan->frame, scan->frame + LOG_FRAME_HEADER_BYTES, scan->big_endian));

	scan->stored = sum_read(scan->frame + 16);
	return follows;
}

/* Return the index of the first page that is not less than `page`. */
static uint64_t newer_place(const struct log_view *view, uint64_t page)
{
	uint64_t place;

	lower_bound(place, view->nnewer, view->newer[place] < page);
	return place;
}

bool log_has_page(const struct log_view *view, uint32_t page)
{
	uint64_t place = newer_place(view, page);

	return place < view->nnewer && view->newer[place] == page;
}

uint64_t log_pages_behind(const struct log_view *view, uint64_t page)
{
	return view->nnewer - newer_place(view, page + 1);
}

/* Log */

/* Read frames up to the first one that does not fit. */
static int frames_take(struct log_scan *scan, uint64_t up_to)
{
	int rc = 0;

	for (uint64_t n = 1; rc == 0 && n <= up_to; n++) {
		rc = frame_read(scan, n);
		if (rc != 0 || !frame_follows(scan))
			break;
		if (frame_commit(scan)) {
			scan->view->frames = n;
			scan->view->commits++;
			scan->view->pages = frame_commit(scan);
		}
	}
	return rc;
}

static int compare_pages(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int pages_take(struct log_scan *scan)
{
	struct log_view *view = scan->view;
	uint64_t taken = 0;
	int rc = 0;

	if (view->frames == 0)
		return 0;
	view->newer = malloc(view->frames * sizeof(*view->newer));
	if (!view->newer)
		return -ENOMEM;
	for (uint64_t n = 1; rc == 0 && n <= view->frames; n++) {
		rc = read_at(scan->fd, scan->frame, 4, log_end(n) - LOG_FRAME_BYTES);
		if (rc == 0 && frame_page(scan) <= view->pages)
			view->newer[taken++] = frame_page(scan);
	}
	qsort(view->newer, taken, sizeof(*view->newer), compare_pages);
	for (uint64_t i = 0; i < taken; i++)
		if (i == 0 || view->newer[i] != view->newer[i - 1])
			view->newer[view->nnewer++] = view->newer[i];
	return rc;
}

/* Decide whether the frame at scan->at, which does not fit, is the end of the log or damaged. */
static int rest_look(struct log_scan *scan)
{
	uint64_t bad = scan->at, commit = 0;
	int rc = 0;

	for (uint64_t n = bad + 1; rc == 0 && n <= scan->there; n++) {
		rc = frame_read(scan, n);
		if (rc != 0 || !frame_follows(scan))
			continue;
		if (commit) {
			scan->view->damaged = bad;
			return 0;
		}
		if (frame_commit(scan))
			commit = n;
	}
	return rc;
}

/* Decide whether the data after an impossible header is a log. */
static int headless_look(struct log_scan *scan)
{
	int rc = frame_read(scan, 1);

	scan->salts[0] = bytes_number(scan->frame + 8);
	scan->salts[1] = bytes_number(scan->frame + 12);
	scan->stored = sum_read(scan->frame + 16);
	for (uint64_t n = 2; rc == 0 && n <= scan->there && !scan->view->header_damaged; n++) {
		bool follows[2];
		struct sum stored = scan->stored;

		rc = frame_read(scan, n);
		for (int big = 0; rc == 0 && big < 2; big++) {
			scan->big_endian = big;
			scan->stored = stored;
			follows[big] = frame_follows(scan);
		}
		scan->view->header_damaged = rc == 0 && (follows[0] || follows[1]);
	}
	return rc;
}

static int scan_log(struct log_scan *scan, off_t size)
{
	unsigned char header[LOG_HEADER_BYTES];
	int rc = size < LOG_HEADER_BYTES ? 0 : read_at(scan->fd, header, sizeof(header), 0);

	if (rc != 0 || size < LOG_HEADER_BYTES + LOG_FRAME_BYTES)
		return rc;
	scan->there = (uint64_t)(size - LOG_HEADER_BYTES) / LOG_FRAME_BYTES;
	scan->big_endian = log_is_big_endian(header);
	if (bytes_number(header) >> 1 != MAGIC >> 1 || bytes_number(header + 8) != PAGE_SIZE ||
	    !sum_equal(sum_read(header + 24), sum_add((struct sum){ 0, 0 }, header, 24, scan->big_endian)))
		return headless_look(scan);
	scan->salts[0] = bytes_number(header + 16);
	scan->salts[1] = bytes_number(header + 20);
	scan->stored = sum_read(header + 24);
	rc = frames_take(scan, scan->there);
	if (rc == 0 && scan->at < scan->there)
		rc = rest_look(scan);
	return rc ? rc : pages_take(scan);
}

int log_look(struct log_view *view, const char *path, struct error *error)
{
	struct log_scan *scan = calloc(1, sizeof(*scan));
	struct stat st;
	int rc = scan ? 0 : -ENOMEM;

	*view = (struct log_view){ .frames = 0 };
	if (!scan)
		return error_set(error, rc, "out of memory");
	scan->view = view;
	scan->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (scan->fd < 0 && errno != ENOENT)
		rc = -errno;
	else if (scan->fd >= 0)
		rc = fstat(scan->fd, &st) ? -errno : scan_log(scan, st.st_size);
	if (scan->fd >= 0)
		close(scan->fd);
	free(scan);
	if (rc != 0)
		return error_set(error, rc, "%.120s: %s", path, strerror(-rc));
	if (view->header_damaged)
		return error_set(error, -EUCLEAN, "the log %.60s is damaged: header; see fairlead-store(5), DAMAGE",
				 path);
	if (view->damaged)
		return error_set(
			error, -EUCLEAN,
			"the log %.60s is damaged: frame %llu, with commits after it; see fairlead-store(5), DAMAGE",
			path, (unsigned long long)view->damaged);
	return 0;
}

void log_view_free(struct log_view *view)
{
	free(view->newer);
	*view = (struct log_view){ .frames = 0 };
}

/* Renewal */

static int piece_renew(int fd, unsigned char *piece, size_t n, int64_t at)
{
	int rc = read_at(fd, piece, n, at);
	ssize_t put = rc ? 0 : pwrite(fd, piece, n, at);

	return rc ? rc : put < 0 ? -errno : (size_t)put < n ? -ENOSPC : 0;
}

int log_renew(const struct log_view *view, const char *path, struct error *error)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY), rc = 0;
	unsigned char *piece = malloc(PIECE_BYTES);
	int64_t end = log_end(view->frames);

	if (fd < 0)
		rc = errno == ENOENT ? 0 : -errno;
	else if (!piece)
		rc = -ENOMEM;
	for (int64_t at = 0; fd >= 0 && rc == 0 && at < end; at += PIECE_BYTES)
		rc = piece_renew(fd, piece, (size_t)(end - at < PIECE_BYTES ? end - at : PIECE_BYTES), at);
	if (fd >= 0 && rc == 0 && (ftruncate(fd, end) || fsync(fd)))
		rc = -errno;
	if (fd >= 0)
		close(fd);
	free(piece);
	return rc ? error_set(error, rc, "cannot write the log %.80s: %s", path, strerror(-rc)) : 0;
}
