/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/text_file.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int room_make(char **text, size_t used, size_t *capacity)
{
	size_t wanted = *capacity ? 2 * *capacity : 4096;
	char *more;

	if (used + 1 < *capacity)
		return 0;
	if (used > TEXT_FILE_BYTES)
		return -EFBIG;
	more = realloc(*text, wanted);
	if (!more)
		return -ENOMEM;
	*text = more;
	*capacity = wanted;
	return 0;
}

int text_file_read(int fd, char **text, size_t *bytes)
{
	size_t capacity = 0;
	ssize_t n = 1;
	int rc = 0;

	*text = NULL;
	*bytes = 0;
	while (n > 0 && (rc = room_make(text, *bytes, &capacity)) == 0) {
		do
			n = read(fd, *text + *bytes, capacity - *bytes - 1);
		while (n < 0 && errno == EINTR);
		*bytes += n > 0 ? (size_t)n : 0;
	}
	rc = n < 0 ? -errno : rc ? rc : *bytes > TEXT_FILE_BYTES ? -EFBIG : 0;
	if (rc) {
		free(*text);
		*text = NULL;
		return rc;
	}
	(*text)[*bytes] = '\0';
	return 0;
}

int text_file_check(const char *text, size_t bytes, unsigned *line)
{
	const char *end = text + bytes, *next;

	if (memchr(text, '\0', bytes))
		return -ENOEXEC;
	for (*line = 1; text < end; text = next, ++*line) {
		next = memchr(text, '\n', (size_t)(end - text));
		next = next ? next + 1 : end;
		json_t *string = json_stringn(text, (size_t)(next - text));

		if (!string)
			return -EILSEQ;
		json_decref(string);
	}
	return 0;
}
