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
	unsigned patience_s;	/* that an answer may take; 0: as long as requests do */
	const char *cell;	/* borrowed */
	bool json;		/* answers are printed as they come */
	bool gathers;		/* that of several requests in one: server_gathered() */
	json_t *gathered;	/* results so far; NULL: none */
	const char *shown_by;	/* borrowed: the command that shows what was done; NULL: stat */
	json_int_t job_number;	/* the last one that good news were of; 0: none */
	char *text;		/* what has come and is not taken yet */
	size_t used, capacity;
};

/*
 * Connects, within two seconds to a scheduler that is being started, and makes sure that it is the
 * cell's that listens: root, the owner of the cell's directory, or we ourselves. Anybody may put a
 * socket into shared memory, and what is submitted may hold secrets. An exit code, after a message
 * if it is none of EXIT_OK.
 */
int server_open(struct server *server, const char *cell);
/* The same, as often as it may take: nothing is said but of a stranger. 0 or -errno. */
int server_open_again(struct server *server);
void server_close(struct server *server);

/*
 * Sends the request (taken; NULL: no memory), prints what has become of it: good news on stdout,
 * with `terse` the number of the job only, bad news on stderr; with s->json all of it on stdout, a
 * line {"results":[{"code","job_number","text"}...]}. Returns the greatest of the exit codes.
 */
int server_ask(struct server *server, json_t *request, bool terse);

/*
 * With s->gathers: prints all results, if that is due. Returns `code`, or that of a print that
 * fails.
 */
int server_gathered(struct server *server, int code);

/*
 * To follow a job: sends a request (taken), 0 or -errno; and the next line, NULL with errno: EAGAIN
 * there is none, 0 the connection has ended
 */
int server_send(struct server *server, json_t *request);
json_t *server_line(struct server *server, int flags);

#endif
