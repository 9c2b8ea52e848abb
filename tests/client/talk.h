/* SPDX-License-Identifier: Apache-2.0 */
/* A connection whose other end is the test. */
#ifndef TESTS_CLIENT_TALK_H
#define TESTS_CLIENT_TALK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sched/client/request.h"

struct talk {
	struct connection connection;
	int scheduler;			/* the other end; -1: closed */
	struct messages messages;
};

static inline void talk_begin(struct talk *talk)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	*talk = (struct talk){ .connection = { .fd = ends[0], .cell = "/cell", .patience_s = 1 }, .scheduler = ends[1] };
}

static inline void talk_say(struct talk *talk, const char *text)
{
	assert_int_equal(write(talk->scheduler, text, strlen(text)), (ssize_t)strlen(text));
}

static inline void talk_hang_up(struct talk *talk)
{
	close(talk->scheduler);
	talk->scheduler = -1;
}

/* Return the next line that the client has sent. The caller drops it. */
static inline json_t *talk_heard(struct talk *talk)
{
	static char text[REQUEST_LINE_BYTES];
	size_t n = 0;
	json_t *line;

	do
		assert_int_equal(read(talk->scheduler, text + n, 1), 1);
	while (text[n++] != '\n');
	line = json_loadb(text, n, 0, NULL);
	assert_non_null(line);
	return line;
}

static inline void talk_end(struct talk *talk)
{
	connection_close(&talk->connection);
	if (talk->scheduler >= 0)
		close(talk->scheduler);
	messages_free(&talk->messages);
}

#endif
