/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where events come from and answers go to:
 *
 *     -            standard input; answers to standard output, or back if it is a socket
 *     fd:N         an inherited descriptor; the same
 *     unix:PATH    a socket on which a qmaster connects; one connection at a time, from our user
 *                  or root
 *     PATH         a file; answers to standard output
 *
 * A stream that ends stays ended; a connection may be followed by another one. Whoever does not
 * read the answers is dropped when OUTBOX_BYTES of them have piled up, or when some have waited for
 * SOURCE_TICKS intervals and none was read.
 *
 * Who has much to say, and can wait with it, asks source_has_room() first: such lines drop nobody.
 */
#ifndef SCHED_QMASTER_JSON_SOURCE_H
#define SCHED_QMASTER_JSON_SOURCE_H

#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "conf/error.h"
#include "sched/qmaster/json/lines.h"
#include "sched/qmaster/json/outbox.h"

#define SOURCE_LOW_BYTES (256u << 10)
#define SOURCE_TICKS 10

struct source_calls {
	struct lines_calls lines;
	/* the stream ended, or the connection is gone; context of `lines` */
	void (*broken)(void *context);
};

enum source_fd { SOURCE_LISTEN, SOURCE_IN, SOURCE_OUT, SOURCE_FDS };

struct source {			/* private to source.c and listen.c */
	struct source_calls calls;
	struct lines lines;
	struct outbox outbox;
	char *path;		/* of the listening socket; NULL: a stream */
	struct stat identity;	/* of that file, so that only our own one is removed */
	int listen_fd, in_fd, out_fd;	/* -1: none */
	bool in_socket, out_socket;
	bool drop;		/* give the connection up as soon as no line is being handled */
	unsigned ticks;		/* that answers wait for a peer who takes none */
	bool patient;		/* set by the caller: rather wait than lose answers */
};

/*
 * 0 or -errno with the reason: -ENOENT, -EACCES, -EADDRINUSE, -EINVAL, ... source_close() must
 * follow in each case.
 */
int source_open(struct source *source, const char *where, const struct source_calls *calls, struct error *error);
void source_close(struct source *source);

/* Whether `where` is a socket to listen on. */
bool source_is_socket(const char *where);

/* Can anything come any more? */
/* Somebody is connected, or the stream has not ended. */
bool source_is_there(const struct source *source);
bool source_ended(const struct source *source);

/* What to wait for; unused entries have fd -1. Then, after poll(2): accept, read once, send. */
void source_watch(const struct source *source, struct pollfd fds[SOURCE_FDS]);
void source_handle(struct source *source, const struct pollfd fds[SOURCE_FDS]);

/* One line with its newline. A no-op when nobody is there. */
void source_answer(struct source *source, const char *line, size_t length);

/*
 * Is somebody there who has less than SOURCE_LOW_BYTES to read? Then a line of OUTBOX_BYTES / 2
 * does no harm.
 */
bool source_has_room(const struct source *source);

/* Is somebody there who has read all? */
bool source_is_idle(const struct source *source);

/* An interval has passed. */
void source_tick(struct source *source);

/* Send what is left, for at most `timeout_ms` without progress. */
void source_drain(struct source *source, int timeout_ms);

/* listen.c */
int listen_open(struct source *source, const char *path, struct error *error);
void listen_accept(struct source *source);
void listen_close(struct source *source);

#endif
