/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking the scheduler of a local cell: one line of JSON there, one back, on a Unix socket.
 *
 *     code = server_open(&s, cell);
 *     if (!code)
 *             code = server_ask(&s, request, false);          ... more of them, one after the other
 *     server_close(&s);
 */
#ifndef CLI_SERVER_H
#define CLI_SERVER_H

#include <jansson.h>
#include <stdbool.h>

#define REQUEST_BYTES (1u << 20)	/* most of a request; the scheduler reads no more */

struct server {
	int fd;			/* -1: closed */
	const char *cell;	/* borrowed */
};

/*
 * Connects and makes sure that it is the cell's scheduler that listens: root, the owner of the cell's directory, or we ourselves. Anybody
 * may put a socket into shared memory, and what is submitted may hold secrets. An exit code, after a message if it is none of EXIT_OK.
 */
int server_open(struct server *s, const char *cell);
void server_close(struct server *s);

/*
 * Sends the request (taken; NULL: no memory), prints what has become of it: good news on stdout, with `terse` the number of the job only,
 * bad news on stderr. Returns the greatest of the exit codes.
 */
int server_ask(struct server *s, json_t *request, bool terse);

#endif
