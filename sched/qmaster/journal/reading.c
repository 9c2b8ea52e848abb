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
#define ROOM_BYTES ((size_t)256 << 10)	/* room for the next unpacked bytes */

struct journal_reading {
	char path[256];			/* for messages */
	int fd;
	ZSTD_DCtx *zstd;
	char *packed;
	ZSTD_inBuffer in;
	uint64_t packed_bytes, bytes;	/* bytes read and unpacked so far */
	/*
	 * Unpacked text. Lines before `begin` were read, and there is no newline before `scanned`.
	 */
	char *text;
	size_t begin, scanned, end, capacity;
	uint64_t line;
	bool ended;			/* end of the file was reached */
	bool within;			/* inside a frame */
	bool cut;
};

uint64_t reading_line(const struct journal_reading *reading)
{
	return reading->line;
}

bool reading_is_cut(const struct journal_reading *reading)
{
	return reading->cut;
}

static int wrong(const struct journal_reading *reading, struct error *error, const char *what)
{
	return error_set(error, -EPROTO, "%s: line %llu: %s", reading->path, (unsigned long long)reading->line + 1,
			 what);
}

int reading_open(struct journal_reading **result, const char *path, struct error *error)
{
	struct journal_reading *reading = calloc(1, sizeof(*reading));
	struct stat st;

	*result = NULL;
	if (!reading)
		return error_set(error, -ENOMEM, "out of memory");
	snprintf(reading->path, sizeof(reading->path), "%s", path);
	reading->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (reading->fd < 0 || fstat(reading->fd, &st)) {
		int rc = error_set(error, -errno, "%.180s: %s", path, strerror(errno));

		reading_close(reading);
		return rc;
	}
	if (!S_ISREG(st.st_mode)) {
		reading_close(reading);
		return error_set(error, -EINVAL, "%.180s is not a regular file", path);
	}
	reading->zstd = ZSTD_createDCtx();
	reading->packed = malloc(PACKED_BYTES);
	if (!reading->zstd || !reading->packed ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(reading->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MOST))) {
		reading_close(reading);
		return error_set(error, -ENOMEM, "out of memory");
	}
	reading->in.src = reading->packed;
	*result = reading;
	return 0;
}

void reading_close(struct journal_reading *reading)
{
	if (!reading)
		return;
	if (reading->fd >= 0)
		close(reading->fd);
	ZSTD_freeDCtx(reading->zstd);
	free(reading->packed);
	free(reading->text);
	free(reading);
}

static int fetch(struct journal_reading *reading, struct error *error)
{
	ssize_t n = read(reading->fd, reading->packed, PACKED_BYTES);

	if (n < 0)
		return error_set(error, -errno, "%s: %s", reading->path, strerror(errno));
	reading->in.pos = 0;
	reading->in.size = (size_t)n;
	reading->packed_bytes += (uint64_t)n;
	reading->ended = n == 0;
	return 0;
}

/* Move the rest of a line to the beginning and make room after it. */
static int make_room(struct journal_reading *reading, struct error *error)
{
	if (reading->begin > 0)
		memmove(reading->text, reading->text + reading->begin, reading->end - reading->begin);
	reading->scanned -= reading->begin;
	reading->end -= reading->begin;
	reading->begin = 0;
	if (reading->capacity - reading->end >= ROOM_BYTES)
		return 0;
	if (reading->end > JOURNAL_LINE_BYTES)
		return wrong(reading, error, "a line is longer than 16777216 bytes");
	char *text = realloc(reading->text, reading->end + 2 * ROOM_BYTES);

	if (!text)
		return error_set(error, -ENOMEM, "out of memory");
	reading->text = text;
	reading->capacity = reading->end + 2 * ROOM_BYTES;
	return 0;
}

/* Unpack more text. At the end there is none, and `ended` is set. */
static int unpack(struct journal_reading *reading, struct error *error)
{
	ZSTD_outBuffer out;
	size_t left;
	int rc = make_room(reading, error);

	if (rc == 0 && reading->in.pos == reading->in.size)
		rc = fetch(reading, error);
	if (rc || reading->ended)
		return rc;
	out = (ZSTD_outBuffer){ reading->text + reading->end, reading->capacity - reading->end, 0 };
	left = ZSTD_decompressStream(reading->zstd, &out, &reading->in);
	if (ZSTD_isError(left))
		return error_set(error, -EPROTO, "%s: byte %llu, line %llu: %s", reading->path,
				 (unsigned long long)(reading->packed_bytes - reading->in.size + reading->in.pos),
				 (unsigned long long)reading->line + 1,
				 reading->bytes + out.pos ? ZSTD_getErrorName(left)
							  : "not a journal: it is not compressed with zstd");
	reading->within = left != 0;
	reading->end += out.pos;
	reading->bytes += out.pos;
	if (reading->bytes > JOURNAL_FREE_BYTES && reading->bytes / JOURNAL_RATIO > reading->packed_bytes)
		return wrong(reading, error, "it unpacks to more than 2000 times its size, which no journal does");
	return 0;
}

int reading_next(struct journal_reading *reading, const char **line, size_t *bytes, struct error *error)
{
	for (;;) {
		char *newline = reading->end > reading->scanned ? memchr(reading->text + reading->scanned, '\n',
									 reading->end - reading->scanned)
								: NULL;
		int rc;

		if (newline) {
			*line = reading->text + reading->begin;
			*bytes = (size_t)(newline - *line);
			if (*bytes > JOURNAL_LINE_BYTES)
				return wrong(reading, error, "a line is longer than 16777216 bytes");
			reading->begin = reading->scanned = (size_t)(newline + 1 - reading->text);
			reading->line++;
			return 1;
		}
		reading->scanned = reading->end;
		if (reading->ended) {
			reading->cut = reading->within || reading->end > reading->begin;
			return 0;
		}
		rc = unpack(reading, error);
		if (rc)
			return rc;
	}
}
