/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/cell_source.h"
#include "conf/base/utf8.h"

#define BLANKS " \t\r"

enum { FILE_LIMIT = 1 << 30 };

static int text_fault(struct text *text, int rc, const char *reason)
{
	report_add(text->report, FAULT, text->path, 0, "cannot be read: %s", reason);
	return rc;
}

static int text_fill(struct text *text, int fd, size_t size)
{
	ssize_t n = 1;

	text->bytes = malloc(size + 1);
	if (!text->bytes)
		return text_fault(text, -ENOMEM, strerror(ENOMEM));
	text->next = text->end = text->bytes;
	while (n != 0 && text->end < text->bytes + size) {
		n = read(fd, text->end, (size_t)(text->bytes + size - text->end));
		if (n < 0 && errno != EINTR)
			return text_fault(text, -EIO, strerror(errno));
		text->end += n > 0 ? n : 0;
	}
	return 0;
}

/*
 * Replace NUL bytes, which would end a string early and hide the rest. As other control characters
 * they are found and reported.
 */
static void text_unhide_nuls(struct text *text)
{
	char *at = text->bytes;

	while ((at = memchr(at, '\0', (size_t)(text->end - at))))
		*at = '\1';
}

static int text_give(struct text *text)
{
	const struct cell_file *file = cell_source_find(text->report->source, text->path);
	size_t size = file ? strlen(file->text) : 0;

	if (!file)
		return -ENOENT;
	text->bytes = malloc(size + 1);
	if (!text->bytes)
		return text_fault(text, -ENOMEM, strerror(ENOMEM));
	memcpy(text->bytes, file->text, size);
	text->next = text->bytes;
	text->end = text->bytes + size;
	return 0;
}

static int text_note(struct text *text, const struct cell_file *like)
{
	if (!text->report->source || cell_source_note(text->report->source, text->path, text->bytes,
						      (size_t)(text->end - text->bytes), like) == 0)
		return 0;
	text_fault(text, -ENOMEM, strerror(ENOMEM));
	text_close(text);
	return -ENOMEM;
}

int text_open(struct text *text, const char *path, struct report *report)
{
	struct stat st;
	int fd, rc;

	*text = (struct text){ .path = path, .report = report, .next_number = 1 };
	if (report->source && report->source->given) {
		rc = text_give(text);
		return rc ? rc : text_note(text, &(struct cell_file){ 0 });
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? -ENOENT : text_fault(text, -EIO, strerror(errno));
	if (fstat(fd, &st) < 0)
		rc = text_fault(text, -EIO, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		rc = text_fault(text, -EIO, "it is not a regular file");
	else if (st.st_size > FILE_LIMIT)
		rc = text_fault(text, -EIO, "it is larger than 1 GiB");
	else
		rc = text_fill(text, fd, (size_t)st.st_size);
	close(fd);
	if (rc) {
		text_close(text);
		return rc;
	}
	text_unhide_nuls(text);
	return text_note(text, &(struct cell_file){ .hidden = ~st.st_mode & 0044, .group = st.st_gid });
}

static char *text_trim(char *begin, char *end, size_t *size)
{
	while (begin < end && strchr(BLANKS, *begin))
		begin++;
	while (end > begin && strchr(BLANKS, end[-1]))
		end--;
	*size = (size_t)(end - begin);
	return begin;
}

/*
 * Take one line off the file. Returns the end of its text. `*continues` says whether the next line
 * continues it.
 */
static char *text_take(struct text *text, bool *continues)
{
	char *begin = text->next, *newline = memchr(begin, '\n', (size_t)(text->end - begin)),
	     *end = newline ? newline : text->end, *comment;

	text->next = newline ? newline + 1 : text->end;
	text->next_number++;
	*continues = false;
	comment = memchr(begin, '#', (size_t)(end - begin));
	if (comment)
		return comment;
	if (newline && end > begin && end[-1] == '\r')
		end--;
	*continues = newline && end > begin && end[-1] == '\\';
	return *continues ? end - 1 : end;
}

static char *text_join(struct text *text)
{
	char *line = text->next, *out = line, *begin, *end;
	bool continues;
	size_t size;

	text->number = text->next_number;
	do {
		begin = text->next;
		end = text_take(text, &continues);
		begin = text_trim(begin, end, &size);
		if (out > line && size > 0 && out[-1] != ',')
			*out++ = ' ';
		memmove(out, begin, size);
		out += size;
	} while (continues);
	*out = '\0';
	return line;
}

static char *text_as_it_is(struct text *text)
{
	char *line = text->next, *newline = memchr(line, '\n', (size_t)(text->end - line)),
	     *end = newline ? newline : text->end;

	text->number = text->next_number++;
	text->next = newline ? newline + 1 : text->end;
	while (end > line && strchr(BLANKS, end[-1]))
		end--;
	*end = '\0';
	return line;
}

/*
 * Take a line with its continuation lines, without whole-line comments. Blanks after a backslash
 * are ignored, because users cannot see them.
 */
static char *text_without_comment_lines(struct text *text)
{
	char *line = text->next, *out = line, *begin, *end, *newline;
	bool continues = true, began = false;
	size_t size;

	text->number = text->next_number;
	while (continues && text->next < text->end) {
		newline = memchr(text->next, '\n', (size_t)(text->end - text->next));
		end = newline ? newline : text->end;
		begin = text_trim(text->next, end, &size);
		text->next = newline ? newline + 1 : text->end;
		text->next_number++;
		if (size > 0 && *begin == '#' && began)
			continue;
		continues = size > 0 && *begin != '#' && begin[size - 1] == '\\';
		if (size > 0 && *begin == '#')
			size = 0;
		memmove(out, begin, size - continues);
		out += size - continues;
		began = true;
	}
	text_trim(line, out, &size);
	line[size] = '\0';
	return line;
}

char *text_line(struct text *text)
{
	char *line;

	while (text->next < text->end) {
		line = text->as_it_is	     ? text_as_it_is(text)
		       : text->comment_lines ? text_without_comment_lines(text)
					     : text_join(text);
		if (!*line)
			continue;
		if (utf8_clean(line))
			report_add(text->report, FAULT, text->path, text->number,
				   "found a byte that is not text: printable characters in UTF-8 are allowed");
		return line;
	}
	return NULL;
}

void text_close(struct text *text)
{
	free(text->bytes);
	text->bytes = text->next = text->end = NULL;
}

char *text_value(char *line)
{
	char *value = line + strcspn(line, BLANKS);

	if (*value)
		*value++ = '\0';
	return value + strspn(value, BLANKS);
}

bool text_is_none(const char *text)
{
	return !*text || !strcasecmp(text, "NONE");
}

char *text_word(char **rest, const char *separators)
{
	char *word = *rest + strspn(*rest, separators), *end = word + strcspn(word, separators);

	*rest = *end ? end + 1 : end;
	*end = '\0';
	return *word ? word : NULL;
}
