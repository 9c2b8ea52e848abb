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
#include "conf/utf8.h"

#define BLANKS " \t\r"

enum { FILE_LIMIT = 1 << 30 };

static int text_fault(struct text *t, int rc, const char *reason)
{
	report_add(t->report, FAULT, t->path, 0, "cannot be read: %s", reason);
	return rc;
}

static int text_fill(struct text *t, int fd, size_t size)
{
	ssize_t n = 1;

	t->bytes = malloc(size + 1);
	if (!t->bytes)
		return text_fault(t, -ENOMEM, strerror(ENOMEM));
	t->next = t->end = t->bytes;
	while (n != 0 && t->end < t->bytes + size) {
		n = read(fd, t->end, (size_t)(t->bytes + size - t->end));
		if (n < 0 && errno != EINTR)
			return text_fault(t, -EIO, strerror(errno));
		t->end += n > 0 ? n : 0;
	}
	return 0;
}

/*
 * A NUL would end a string early and hide what follows; as another control character it is found
 * and reported.
 */
static void text_unhide_nuls(struct text *t)
{
	char *at = t->bytes;

	while ((at = memchr(at, '\0', (size_t)(t->end - at))))
		*at = '\1';
}

static int text_give(struct text *t)
{
	const struct cell_file *file = cell_source_find(t->report->source, t->path);
	size_t size = file ? strlen(file->text) : 0;

	if (!file)
		return -ENOENT;
	t->bytes = malloc(size + 1);
	if (!t->bytes)
		return text_fault(t, -ENOMEM, strerror(ENOMEM));
	memcpy(t->bytes, file->text, size);
	t->next = t->bytes;
	t->end = t->bytes + size;
	return 0;
}

static int text_note(struct text *t, const struct cell_file *like)
{
	if (!t->report->source || cell_source_note(t->report->source, t->path, t->bytes, (size_t)(t->end - t->bytes), like) == 0)
		return 0;
	text_fault(t, -ENOMEM, strerror(ENOMEM));
	text_close(t);
	return -ENOMEM;
}

int text_open(struct text *t, const char *path, struct report *report)
{
	struct stat st;
	int fd, rc;

	*t = (struct text){ .path = path, .report = report, .next_number = 1 };
	if (report->source && report->source->given) {
		rc = text_give(t);
		return rc ? rc : text_note(t, &(struct cell_file){ 0 });
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? -ENOENT : text_fault(t, -EIO, strerror(errno));
	if (fstat(fd, &st) < 0)
		rc = text_fault(t, -EIO, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		rc = text_fault(t, -EIO, "it is no plain file");
	else if (st.st_size > FILE_LIMIT)
		rc = text_fault(t, -EIO, "it is larger than 1 GiB");
	else
		rc = text_fill(t, fd, (size_t)st.st_size);
	close(fd);
	if (rc) {
		text_close(t);
		return rc;
	}
	text_unhide_nuls(t);
	return text_note(t, &(struct cell_file){ .hidden = ~st.st_mode & 0044, .group = st.st_gid });
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
 * One line of the file, taken off: where its text ends, and whether the next line goes on with it.
 */
static char *text_take(struct text *t, bool *continues)
{
	char *begin = t->next, *newline = memchr(begin, '\n', (size_t)(t->end - begin)), *end = newline ? newline : t->end, *comment;

	t->next = newline ? newline + 1 : t->end;
	t->next_number++;
	*continues = false;
	comment = memchr(begin, '#', (size_t)(end - begin));
	if (comment)
		return comment;
	if (newline && end > begin && end[-1] == '\r')
		end--;
	*continues = newline && end > begin && end[-1] == '\\';
	return *continues ? end - 1 : end;
}

static char *text_join(struct text *t)
{
	char *line = t->next, *out = line, *begin, *end;
	bool continues;
	size_t size;

	t->number = t->next_number;
	do {
		begin = t->next;
		end = text_take(t, &continues);
		begin = text_trim(begin, end, &size);
		if (out > line && size > 0 && out[-1] != ',')
			*out++ = ' ';
		memmove(out, begin, size);
		out += size;
	} while (continues);
	*out = '\0';
	return line;
}

static char *text_as_it_is(struct text *t)
{
	char *line = t->next, *newline = memchr(line, '\n', (size_t)(t->end - line)), *end = newline ? newline : t->end;

	t->number = t->next_number++;
	t->next = newline ? newline + 1 : t->end;
	while (end > line && strchr(BLANKS, end[-1]))
		end--;
	*end = '\0';
	return line;
}

/* Blanks behind a backslash are taken for none: nobody sees them. */
static char *text_without_comment_lines(struct text *t)
{
	char *line = t->next, *out = line, *begin, *end, *newline;
	bool continues = true, began = false;
	size_t size;

	t->number = t->next_number;
	while (continues && t->next < t->end) {
		newline = memchr(t->next, '\n', (size_t)(t->end - t->next));
		end = newline ? newline : t->end;
		begin = text_trim(t->next, end, &size);
		t->next = newline ? newline + 1 : t->end;
		t->next_number++;
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

char *text_line(struct text *t)
{
	char *line;

	while (t->next < t->end) {
		line = t->as_it_is ? text_as_it_is(t) : t->comment_lines ? text_without_comment_lines(t) : text_join(t);
		if (!*line)
			continue;
		if (utf8_clean(line))
			report_add(t->report, FAULT, t->path, t->number,
				   "found a byte that is no text: printable characters in UTF-8 are allowed");
		return line;
	}
	return NULL;
}

void text_close(struct text *t)
{
	free(t->bytes);
	t->bytes = t->next = t->end = NULL;
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
