/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/journal/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define WINDOW_LOG_MOST 23
#define PACKED_BYTES ((size_t)128 << 10)
#define ROOM_BYTES ((size_t)256 << 10)	/* that is made for what is unpacked next */

struct journal_reading {
	char path[256];			/* for messages */
	int fd;
	ZSTD_DCtx *zstd;
	char *packed;
	ZSTD_inBuffer in;
	uint64_t packed_bytes, bytes;	/* read, and unpacked, so far */
	/* unpacked: lines before `begin` are read, there is no newline before `scanned` */
	char *text;
	size_t begin, scanned, end, capacity;
	uint64_t line;
	bool ended;			/* the file */
	bool within;			/* a frame */
	bool cut;
};

uint64_t reading_line(const struct journal_reading *r)
{
	return r->line;
}

bool reading_is_cut(const struct journal_reading *r)
{
	return r->cut;
}

static int wrong(const struct journal_reading *r, struct error *error, const char *what)
{
	return error_set(error, -EPROTO, "%s: line %llu: %s", r->path, (unsigned long long)r->line + 1, what);
}

int reading_open(struct journal_reading **result, const char *path, struct error *error)
{
	struct journal_reading *r = calloc(1, sizeof(*r));
	struct stat st;

	*result = NULL;
	if (!r)
		return error_set(error, -ENOMEM, "out of memory");
	snprintf(r->path, sizeof(r->path), "%s", path);
	r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (r->fd < 0 || fstat(r->fd, &st)) {
		int rc = error_set(error, -errno, "%.180s: %s", path, strerror(errno));

		reading_close(r);
		return rc;
	}
	if (!S_ISREG(st.st_mode)) {
		reading_close(r);
		return error_set(error, -EINVAL, "%.180s is no regular file", path);
	}
	r->zstd = ZSTD_createDCtx();
	r->packed = malloc(PACKED_BYTES);
	if (!r->zstd || !r->packed || ZSTD_isError(ZSTD_DCtx_setParameter(r->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MOST))) {
		reading_close(r);
		return error_set(error, -ENOMEM, "out of memory");
	}
	r->in.src = r->packed;
	*result = r;
	return 0;
}

void reading_close(struct journal_reading *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	ZSTD_freeDCtx(r->zstd);
	free(r->packed);
	free(r->text);
	free(r);
}

static int fetch(struct journal_reading *r, struct error *error)
{
	ssize_t n = read(r->fd, r->packed, PACKED_BYTES);

	if (n < 0)
		return error_set(error, -errno, "%s: %s", r->path, strerror(errno));
	r->in.pos = 0;
	r->in.size = (size_t)n;
	r->packed_bytes += (uint64_t)n;
	r->ended = n == 0;
	return 0;
}

/* What is left of a line moves to the beginning; behind it there is room. */
static int make_room(struct journal_reading *r, struct error *error)
{
	if (r->begin > 0)
		memmove(r->text, r->text + r->begin, r->end - r->begin);
	r->scanned -= r->begin;
	r->end -= r->begin;
	r->begin = 0;
	if (r->capacity - r->end >= ROOM_BYTES)
		return 0;
	if (r->end > JOURNAL_LINE_BYTES)
		return wrong(r, error, "a line is longer than 16777216 bytes");
	char *text = realloc(r->text, r->end + 2 * ROOM_BYTES);

	if (!text)
		return error_set(error, -ENOMEM, "out of memory");
	r->text = text;
	r->capacity = r->end + 2 * ROOM_BYTES;
	return 0;
}

/* More text; none, and `ended`, at the end. */
static int unpack(struct journal_reading *r, struct error *error)
{
	ZSTD_outBuffer out;
	size_t left;
	int rc = make_room(r, error);

	if (rc == 0 && r->in.pos == r->in.size)
		rc = fetch(r, error);
	if (rc || r->ended)
		return rc;
	out = (ZSTD_outBuffer){ r->text + r->end, r->capacity - r->end, 0 };
	left = ZSTD_decompressStream(r->zstd, &out, &r->in);
	if (ZSTD_isError(left))
		return error_set(error, -EPROTO, "%s: byte %llu, line %llu: %s", r->path, (unsigned long long)(r->packed_bytes - r->in.size + r->in.pos),
				 (unsigned long long)r->line + 1, r->bytes + out.pos ? ZSTD_getErrorName(left) : "this is no journal: it is not compressed with zstd");
	r->within = left != 0;
	r->end += out.pos;
	r->bytes += out.pos;
	if (r->bytes > JOURNAL_FREE_BYTES && r->bytes / JOURNAL_RATIO > r->packed_bytes)
		return wrong(r, error, "it unpacks to more than 2000 times its size: no journal does");
	return 0;
}

int reading_next(struct journal_reading *r, const char **line, size_t *bytes, struct error *error)
{
	for (;;) {
		char *newline = r->end > r->scanned ? memchr(r->text + r->scanned, '\n', r->end - r->scanned) : NULL;
		int rc;

		if (newline) {
			*line = r->text + r->begin;
			*bytes = (size_t)(newline - *line);
			if (*bytes > JOURNAL_LINE_BYTES)
				return wrong(r, error, "a line is longer than 16777216 bytes");
			r->begin = r->scanned = (size_t)(newline + 1 - r->text);
			r->line++;
			return 1;
		}
		r->scanned = r->end;
		if (r->ended) {
			r->cut = r->within || r->end > r->begin;
			return 0;
		}
		rc = unpack(r, error);
		if (rc)
			return rc;
	}
}
