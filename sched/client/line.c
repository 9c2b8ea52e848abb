/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define REPLY_BYTES (64u << 20)	/* a line for each of a few hundred thousand jobs */

bool line_can_hold(const char *text, size_t length)
{
	json_t *string = json_stringn(text, length);
	bool can = string != NULL;

	json_decref(string);
	return can;
}

static int bytes_send(const struct connection *connection, const char *text, size_t length)
{
	while (length) {
		ssize_t n = send(connection->fd, text, length, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			text += n;
			length -= (size_t)n;
		}
	}
	return 0;
}

int line_begin(struct out *line)
{
	return out_open_memory(line, REQUEST_LINE_BYTES + 1);
}

int line_send(struct connection *connection, struct out *line)
{
	const char *text;
	size_t length;
	int rc;

	json_write_literal(line, "\n");
	rc = out_held(line, &text, &length);
	if (rc == 0)
		rc = bytes_send(connection, text, length);
	out_close(line);
	return rc;
}

static int room_make(struct connection *connection)
{
	size_t capacity = connection->capacity ? 2 * connection->capacity : 4096;
	char *text;

	if (connection->used < connection->capacity)
		return 0;
	if (capacity > REPLY_BYTES)
		return -EMSGSIZE;
	text = realloc(connection->text, capacity);
	if (!text)
		return -ENOMEM;
	connection->text = text;
	connection->capacity = capacity;
	return 0;
}

/* Take a line. Further lines that have arrived stay for the next call. */
static json_t *line_take(struct connection *connection, const char *end)
{
	size_t length = (size_t)(end - connection->text);
	json_t *line = json_loadb(connection->text, length, JSON_REJECT_DUPLICATES, NULL);

	connection->used -= length + 1;
	memmove(connection->text, end + 1, connection->used);
	return line ? line : json_null();
}

int line_receive(struct connection *connection, int flags, json_t **line)
{
	const char *end;
	size_t seen = 0;

	*line = NULL;
	while (!connection->used ||
	       !(end = memchr(connection->text + seen, '\n', connection->used - seen))) {
		int rc = room_make(connection);
		ssize_t n;

		if (rc)
			return rc;
		seen = connection->used;
		n = recv(connection->fd, connection->text + connection->used, connection->capacity - connection->used,
			 flags);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0 ? 1 : errno == EWOULDBLOCK ? -EAGAIN : -errno;
		connection->used += (size_t)n;
	}
	*line = line_take(connection, end);
	return 0;
}
