/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/trace/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "conf/array.h"

#define FIRST_CAPACITY ((size_t)256 << 10)
#define ZLIB_BUFFER (128u << 10)

static int descriptor_open(struct trace_lines *l, const char *path, struct error *e)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	struct stat is;
	int rc = 0;

	if (fd < 0 || fstat(fd, &is)) {
		rc = -errno;
		error_set(e, rc, "%.160s: %m", l->path);
	} else if (S_ISDIR(is.st_mode)) {
		rc = error_set(e, -EISDIR, "%.160s is a directory; a trace is a file, or - for standard input", l->path);
	} else {
		l->bytes = S_ISREG(is.st_mode) ? (int64_t)is.st_size : -1;
	}
	if (rc && fd >= 0)
		close(fd);
	return rc ? rc : fd;
}

int trace_lines_open(struct trace_lines *l, const char *path, struct error *e)
{
	int fd;

	l->path = strdup(strcmp(path, "-") ? path : "standard input");
	l->buffer = malloc(FIRST_CAPACITY + 1);
	l->capacity = FIRST_CAPACITY;
	if (!l->path || !l->buffer)
		return error_set(e, -ENOMEM, "out of memory");
	fd = descriptor_open(l, path, e);
	if (fd < 0)
		return fd;
	l->file = gzdopen(fd, "rb");
	if (!l->file) {
		close(fd);
		return error_set(e, -ENOMEM, "out of memory");
	}
	gzbuffer(l->file, ZLIB_BUFFER);
	return 0;
}

void trace_lines_close(struct trace_lines *l)
{
	if (l->file)
		gzclose_r(l->file);
	free(l->path);
	free(l->buffer);
	*l = (struct trace_lines){ 0 };
}

bool trace_lines_compressed(struct trace_lines *l)
{
	return !gzdirect(l->file);
}

double trace_lines_progress(const struct trace_lines *l)
{
	int64_t at = l->bytes > 0 ? (int64_t)gzoffset(l->file) : -1;

	if (at < 0)
		return l->bytes == 0 ? 1 : -1;
	return at < l->bytes ? (double)at / (double)l->bytes : 1;
}

/* What others compress begins so. */
static int magic_look(const struct trace_lines *l, struct error *e)
{
	static const struct {
		const char *bytes, *program;
	} magics[] = { { "\x28\xb5\x2f\xfd", "zstd" }, { "BZh", "bzip2" }, { "\xfd" "7zXZ", "xz" } };

	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++) {
		size_t n = strlen(magics[i].bytes);

		if (l->end >= n && memcmp(l->buffer, magics[i].bytes, n) == 0)
			return error_set(e, -EINVAL, "%.100s is compressed by %s, and only gzip is read here: %s -dc FILE, and - in the place of FILE", l->path,
					 magics[i].program, magics[i].program);
	}
	return 0;
}

/* Nothing more came: why. */
static int end_reason(struct trace_lines *l, struct error *e)
{
	uint64_t line = l->number + 1;
	int code, rc = -errno;
	const char *words = gzerror(l->file, &code);

	if (code == Z_OK) {
		l->ended = true;
		return 0;
	}
	if (code == Z_BUF_ERROR)
		return error_set(e, -EINVAL, "%.90s:%" PRIu64 ": the compressed data ends here, in the middle: the file was cut short", l->path, line);
	if (code == Z_ERRNO)
		return error_set(e, rc < 0 ? rc : -EIO, "%.90s:%" PRIu64 ": %s", l->path, line, strerror(rc < 0 ? -rc : EIO));
	if (code == Z_MEM_ERROR)
		return error_set(e, -ENOMEM, "out of memory");
	return error_set(e, -EINVAL, "%.90s:%" PRIu64 ": the compressed data is damaged: %.60s", l->path, line, words);
}

/* More bytes behind those that are there, which move to the front. */
static int lines_fill(struct trace_lines *l, struct error *e)
{
	int n;

	if (l->begin > 0) {
		memmove(l->buffer, l->buffer + l->begin, l->end - l->begin);
		l->end -= l->begin;
		l->begin = 0;
	}
	if (l->end > LINE_MOST)
		return error_set(e, -EINVAL, "%.90s:%" PRIu64 ": a line of more than %zu bytes: no trace has such", l->path, l->number + 1, LINE_MOST);
	if (l->end == l->capacity) {
		if (array_grow(&l->buffer, 2 * l->capacity + 1, 1))
			return error_set(e, -ENOMEM, "out of memory");
		l->capacity *= 2;
	}
	errno = 0;
	n = gzread(l->file, l->buffer + l->end, (unsigned)(l->capacity - l->end));
	if (n <= 0)
		return end_reason(l, e);
	l->end += (size_t)n;
	return l->number == 0 ? magic_look(l, e) : 0;
}

/* Where the line ends that begins at `begin`: at its newline, or behind the last byte. */
static int end_find(struct trace_lines *l, char **end, struct error *e)
{
	size_t searched = 0;
	int rc = 0;

	while (!(*end = memchr(l->buffer + l->begin + searched, '\n', l->end - l->begin - searched))) {
		searched = l->end - l->begin;
		if (l->ended) {
			*end = l->buffer + l->end;
			return searched > 0 ? 0 : 1;
		}
		rc = lines_fill(l, e);
		if (rc)
			return rc;
	}
	return 0;
}

int trace_lines_next(struct trace_lines *l, char **line, size_t *n, struct error *e)
{
	char *end, *next;
	int rc = end_find(l, &end, e);

	if (rc)
		return rc;
	l->number++;
	*line = l->buffer + l->begin;
	next = end < l->buffer + l->end ? end + 1 : end;
	l->begin = (size_t)(next - l->buffer);
	if (memchr(*line, '\0', (size_t)(end - *line)))
		return error_set(e, -EINVAL, "%.90s:%" PRIu64 ": a NUL byte: this is no text", l->path, l->number);
	if (end > *line && end[-1] == '\r')
		end--;
	*end = '\0';
	*n = (size_t)(end - *line);
	return 0;
}
