/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests to the scheduler of a local cell: one line of JSON, answered by one line, over a Unix
 * socket.
 *
 *     code = server_open(&s, cell);
 *     if (!code)
 *             code = server_ask(&s, request, false);          ... further requests in sequence
 *     server_close(&s);
 */
#ifndef CLI_SERVER_H
#define CLI_SERVER_H

#include <jansson.h>
#include <stdbool.h>

#define REQUEST_BYTES (1u << 20)	/* maximum size that the scheduler reads */

struct server {
	int fd;			/* -1: closed */
	unsigned patience_s;	/* seconds until an answer must arrive, 0: the default */
	const char *cell;	/* borrowed */
	bool json;		/* print answers unchanged */
	bool gathers;		/* collect the answers of several requests: server_gathered() */
	json_t *gathered;	/* results so far, NULL: none */
	const char *shown_by;	/* borrowed: command that shows the effect, NULL: stat */
	json_int_t job_number;	/* last job with a successful answer, 0: none */
	char *text;		/* received bytes that were not parsed yet */
	size_t used, capacity;
};

/*
 * Connect to the cell's scheduler, waiting two seconds for one that is being started. Verify that
 * the listener is root, the owner of the cell's directory, or this user. Any user may create a
 * socket in shared memory, and requests may contain secrets. Return an exit code, after a message
 * unless it is EXIT_OK.
 */
int server_open(struct server *server, const char *cell);
/*
 * Connect again, for repeated attempts. Only an unauthenticated peer is reported. Return 0 or
 * -errno.
 */
int server_open_again(struct server *server);
void server_close(struct server *server);

/*
 * Send a request and print the results. The function takes ownership of the request. NULL: memory
 * is exhausted. Successes are printed to stdout, with `terse` only the job number. Failures are
 * printed to stderr. With server->json, a line {"results":[{"code","job_number","text"}...]} with
 * all results is printed to stdout. Return the greatest of the exit codes.
 */
int server_ask(struct server *server, json_t *request, bool terse);

/*
 * With server->gathers: print all results, if there are any to print. Return `code`, or the exit
 * code of a failed output.
 */
int server_gathered(struct server *server, int code);

/*
 * Functions for following a job. server_send() takes ownership of the request and returns 0 or
 * -errno. server_line() returns the next line. NULL with errno EAGAIN: none has arrived. NULL with
 * errno 0: the connection has ended.
 */
int server_send(struct server *server, json_t *request);
json_t *server_line(struct server *server, int flags);

#endif
