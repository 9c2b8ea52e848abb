/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of JSON on a connection. Only the files of this room use them. */
#ifndef CLIENT_LINE_H
#define CLIENT_LINE_H

#include <jansson.h>

#include "sched/client/connection.h"
#include "sched/process/json.h"

/* Return whether these bytes are UTF-8, so that a request can contain them. */
bool line_can_hold(const char *text, size_t length);

/* Begin a line that line_send() sends. Return 0 or -ENOMEM. */
int line_begin(struct out *line);
/*
 * Send a line that was written without its newline, and release it. Return 0, -EMSGSIZE if it has
 * more than REQUEST_LINE_BYTES, -ENOMEM, or an error of send(2).
 */
int line_send(struct connection *connection, struct out *line);

/*
 * Receive a line. If it is invalid, *line is the value null. The caller releases *line. `flags` are
 * those of recv(2). Return 0, 1 if the connection has ended, -EAGAIN if no line has arrived, or
 * another error of recv(2).
 */
int line_receive(struct connection *connection, int flags, json_t **line);

#endif
