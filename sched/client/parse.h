/* SPDX-License-Identifier: Apache-2.0 */
/* Replies in JSON. Only the files of this room use it. */
#ifndef CLIENT_PARSE_H
#define CLIENT_PARSE_H

#include <jansson.h>

#include "sched/client/reply.h"

/*
 * Read the results of a line. Return 0, -ENOMEM, or -EPROTO if the line has no results. The reply
 * is empty unless the function returns 0.
 */
int reply_parse(const json_t *line, struct reply *reply);

#endif
