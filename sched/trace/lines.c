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

#include "conf/base/array.h"

#define FIRST_CAPACITY ((size_t)256 << 10)
#define ZLIB_BUFFER (128u << 10)

static int descriptor_open(struct trace_lines *lines, const char *path, struct error *error)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	struct stat is;
	int rc = 0;

	if (fd < 0 || fstat(fd, &is)) {
		rc = -errno;
		error_set(error, rc, "%.160s: %m", lines->path);
	} else if (S_ISDIR(is.st_mode)) {
		rc = error_set(error, -EISDIR, "%.160s is a directory; a file is expected, or - for standard input",
			       lines->path);
	}
	if (rc && fd >= 0)
		close(fd);
	return rc ? rc : fd;
}

int trace_lines_open(struct trace_lines *lines, const char *path, struct error *error)
{
	int fd;

	lines->path = strdup(strcmp(path, "-") ? path : "standard input");
	lines->buffer = malloc(FIRST_CAPACITY + 1);
	lines->capacity = FIRST_CAPACITY;
	if (!lines->path || !lines->buffer)
		return error_set(error, -ENOMEM, "out of memory");
	fd = descriptor_open(lines, path, error);
	if (fd < 0)
		return fd;
	lines->file = gzdopen(fd, "rb");
	if (!lines->file) {
		close(fd);
		return error_set(error, -ENOMEM, "out of memory");
	}
	gzbuffer(lines->file, ZLIB_BUFFER);
	return 0;
}

void trace_lines_close(struct trace_lines *lines)
{
	if (lines->file)
		gzclose_r(lines->file);
	free(lines->path);
	free(lines->buffer);
	*lines = (struct trace_lines){ 0 };
}

bool trace_lines_compressed(struct trace_lines *lines)
{
	return !gzdirect(lines->file);
}

/* Reject compressed files of other programs by their first bytes. */
static int magic_check(const struct trace_lines *lines, struct error *error)
{
	static const struct {
		const char *bytes, *program;
	} magics[] = { { "\x28\xb5\x2f\xfd", "zstd" }, { "BZh", "bzip2" }, { "\xfd" "7zXZ", "xz" } };

	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++) {
		size_t n = strlen(magics[i].bytes);

		if (lines->end >= n && memcmp(lines->buffer, magics[i].bytes, n) == 0)
			return error_set(
				error, -EINVAL,
				"%.100s is compressed by %s; only gzip is supported. Use %s -dc "
				"FILE, and - instead of FILE",
				lines->path, magics[i].program, magics[i].program);
	}
	return 0;
}

/* Return the reason why no more data was read. */
static int end_reason(struct trace_lines *lines, struct error *error)
{
	uint64_t line = lines->number + 1;
	int code, rc = -errno;
	const char *words = gzerror(lines->file, &code);

	if (code == Z_OK) {
		lines->ended = true;
		return 0;
	}
	if (code == Z_BUF_ERROR)
		return error_set(error, -EINVAL,
				 "%.90s:%" PRIu64
				 ": the compressed data ends here: the file was cut short",
				 lines->path, line);
	if (code == Z_ERRNO)
		return error_set(error, rc < 0 ? rc : -EIO, "%.90s:%" PRIu64 ": %s", lines->path, line,
				 strerror(rc < 0 ? -rc : EIO));
	if (code == Z_MEM_ERROR)
		return error_set(error, -ENOMEM, "out of memory");
	return error_set(error, -EINVAL, "%.90s:%" PRIu64 ": the compressed data is damaged: %.60s", lines->path, line,
			 words);
}

/* Read more data after the rest, which is moved to the beginning of the buffer. */
static int lines_fill(struct trace_lines *lines, struct error *error)
{
	int n;

	if (lines->begin > 0) {
		memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
		lines->end -= lines->begin;
		lines->begin = 0;
	}
	if (lines->end > LINE_MOST)
		return error_set(error, -EINVAL, "%.90s:%" PRIu64 ": a line of more than %zu bytes: not a trace",
				 lines->path, lines->number + 1, LINE_MOST);
	if (lines->end == lines->capacity) {
		if (array_grow(&lines->buffer, 2 * lines->capacity + 1, 1))
			return error_set(error, -ENOMEM, "out of memory");
		lines->capacity *= 2;
	}
	errno = 0;
	n = gzread(lines->file, lines->buffer + lines->end, (unsigned)(lines->capacity - lines->end));
	if (n <= 0)
		return end_reason(lines, error);
	lines->end += (size_t)n;
	return lines->number == 0 ? magic_check(lines, error) : 0;
}

/* Find the end of the line at `begin`: its newline, or the end of the file. */
static int end_find(struct trace_lines *lines, char **end, struct error *error)
{
	size_t searched = 0;
	int rc = 0;

	while (!(*end = memchr(lines->buffer + lines->begin + searched, '\n', lines->end - lines->begin - searched))) {
		searched = lines->end - lines->begin;
		if (lines->ended) {
			*end = lines->buffer + lines->end;
			return searched > 0 ? 0 : 1;
		}
		rc = lines_fill(lines, error);
		if (rc)
			return rc;
	}
	return 0;
}

int trace_lines_next(struct trace_lines *lines, char **line, size_t *n, struct error *error)
{
	char *end, *next;
	int rc = end_find(lines, &end, error);

	if (rc)
		return rc;
	lines->number++;
	*line = lines->buffer + lines->begin;
	next = end < lines->buffer + lines->end ? end + 1 : end;
	lines->begin = (size_t)(next - lines->buffer);
	if (memchr(*line, '\0', (size_t)(end - *line)))
		return error_set(error, -EINVAL, "%.90s:%" PRIu64 ": a NUL byte: not a text file", lines->path,
				 lines->number);
	if (end > *line && end[-1] == '\r')
		end--;
	*end = '\0';
	*n = (size_t)(end - *line);
	return 0;
}
