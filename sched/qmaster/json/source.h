/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where events come from and answers go to:
 *
 *     -            standard input; answers to standard output, or back if it is a socket
 *     fd:N         an inherited descriptor; answers as above
 *     unix:PATH    a socket on which a qmaster connects; one connection at a time, from the
 *                  scheduler's user or root
 *     PATH         a file; answers to standard output
 *
 * After a stream has ended there are no more events. After a connection has ended there may be
 * another one. A peer that does not read its answers is dropped when OUTBOX_BYTES of them are
 * waiting, or when answers have waited for SOURCE_TICKS intervals and none was read.
 *
 * A caller that has many lines which can wait asks source_has_room() first. Then a peer is never
 * dropped because of these lines.
 */
#ifndef SCHED_QMASTER_JSON_SOURCE_H
#define SCHED_QMASTER_JSON_SOURCE_H

#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "conf/base/error.h"
#include "sched/qmaster/json/lines.h"
#include "sched/qmaster/json/outbox.h"

#define SOURCE_LOW_BYTES (256u << 10)
#define SOURCE_TICKS 10

struct source_calls {
	struct lines_calls lines;
	/* Note that the stream has ended or the connection is gone. Uses the context of `lines`. */
	void (*broken)(void *context);
};

enum source_fd { SOURCE_LISTEN, SOURCE_IN, SOURCE_OUT, SOURCE_FDS };

struct source {			/* private to source.c and listen.c */
	struct source_calls calls;
	struct lines lines;
	struct outbox outbox;
	char *path;		/* path of the listening socket; NULL: a stream */
	struct stat identity;	/* identity of that file, so that only our own file is removed */
	int listen_fd, in_fd, out_fd;	/* -1: none */
	bool in_socket, out_socket;
	bool drop;		/* close the connection as soon as no line is being handled */
	unsigned ticks;		/* intervals for which answers have waited without being read */
	bool patient;		/* set by the caller: wait instead of losing answers */
};

/*
 * Open the source. Returns 0 or -errno with the reason: -ENOENT, -EACCES, -EADDRINUSE, -EINVAL, ...
 * Call source_close() in each case.
 */
int source_open(struct source *source, const char *where, const struct source_calls *calls, struct error *error);
void source_close(struct source *source);

/* Return whether `where` is a socket to listen on. */
bool source_is_socket(const char *where);

/*
 * source_is_there() returns whether a peer is connected or the stream has not ended. source_ended()
 * returns whether no further event can come.
 */
bool source_is_there(const struct source *source);
bool source_ended(const struct source *source);

/*
 * source_watch() fills in what to wait for; unused entries have fd -1. After poll(2),
 * source_handle() accepts a connection, reads once and sends.
 */
void source_watch(const struct source *source, struct pollfd fds[SOURCE_FDS]);
void source_handle(struct source *source, const struct pollfd fds[SOURCE_FDS]);

/* Send one line with its newline. No-op if there is no peer. */
void source_answer(struct source *source, const char *line, size_t length);

/*
 * Return whether there is a peer with less than SOURCE_LOW_BYTES to read. Then a line of
 * OUTBOX_BYTES / 2 cannot cause it to be dropped.
 */
bool source_has_room(const struct source *source);

/* Return whether there is a peer that has read every line. */
bool source_is_idle(const struct source *source);

/* Note that an interval has passed. */
void source_tick(struct source *source);

/* Send the remaining lines, waiting at most `timeout_ms` without progress. */
void source_drain(struct source *source, int timeout_ms);

/* listen.c */
int listen_open(struct source *source, const char *path, struct error *error);
void listen_accept(struct source *source);
void listen_close(struct source *source);

#endif
