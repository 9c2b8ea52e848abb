/* SPDX-License-Identifier: Apache-2.0 */
/* Clients connected to the socket of the local cell: clients.c, answers.c, follow.c. */
#ifndef SCHED_QMASTER_LOCAL_CLIENT_H
#define SCHED_QMASTER_LOCAL_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

#include "conf/base/error.h"
#include "sched/qmaster/local/results.h"
#include "sched/qmaster/local/turns.h"
#include "sched/qmaster/members/values.h"

struct local;
struct local_job;

/* Kind of object that an epoll(7) event refers to; first member of each object. */
enum watched { WATCHED_LISTENER, WATCHED_CLIENT, WATCHED_ENDS, WATCHED_ERRAND };

#define REQUEST_LINE_BYTES (1u << 20)	/* longest request, and most bytes of unread news */

struct bytes {
	char *text;
	size_t used, capacity;
};

struct selecting;

/*
 * State of a request, and the transitions from it:
 *
 *     NONE     no complete line has arrived, or every line is answered
 *       WAITS    a line is complete
 *       DONE     the input is too long for a request
 *     WAITS    until the user has a share of a turn
 *       SERVED   the request, or a part of it, was served
 *     SERVED   until the end of the turn
 *       NONE     the turn is committed, the request complete and answered
 *       WAITS    the turn is committed, the rest of the request follows in another turn
 *       ASIDE    the turn was undone
 *       DONE     the turn was undone, but earlier parts are stored: it is not tried again
 *     ASIDE    to be tried once more, alone
 *       SERVED   again
 *       NONE     refused and answered
 *     DONE     answered at the end of a turn, whether or not the turn is committed
 *       NONE     the answer was sent
 */
enum client_request_state { REQUEST_NONE, REQUEST_WAITS, REQUEST_SERVED, REQUEST_ASIDE, REQUEST_DONE };

struct client_request {
	enum client_request_state state;
	size_t line;		/* length of the line in `in` */
	const char *kind;	/* kind of request; NULL: not known */
	struct values values;	/* the line, from request_handle() until the answer */
	struct client_results results;
	size_t logged;		/* number of results that are in the log: diary.h */
	size_t committed;	/* number of results of parts that are stored */
	struct selecting *selecting;	/* rest of the request; NULL: none */
	uint64_t compared;	/* comparisons so far: select.c, unreserve.c */
	uint64_t parts;		/* turns in which the request was served */
	/*
	 * the request has changed something; its answer may have to wait until readers see the
	 * change
	 */
	bool changes;
	bool shown;		/* readers see the change at the end of this turn */
	/* to be answered when a run that contains the change is published */
	bool until_run;
	/* number of other requests and parts served since this one arrived */
	uint64_t before;
};

struct client_following {	/* The job whose news the client gets: follow.c. */
	uint32_t wished;	/* job to be followed after the commit of this turn; 0: none */
	uint32_t job;		/* followed job; 0: none */
	bool resumes;		/* earlier events are to be reported first */
};

struct client {
	enum watched watched;
	struct waiter waiter;	/* place in the queue for turns */
	struct client *next;
	int fd;
	uid_t uid;
	gid_t gid;
	const char *owner, *group;	/* names in local->people; valid during a request */
	struct bytes in, out;	/* received part of a line; replies and news */
	size_t sent;		/* sent bytes of `out` */
	struct client_request request;
	struct client_following following;
	uint64_t seen_ns;	/* time of the last progress */
};

struct clients {
	enum watched watched;
	struct client *first;
	size_t n;
	int listen_fd;
	struct sockaddr_un address;
	/*
	 * no descriptors were left: time at which connections are accepted again; 0: they are
	 * accepted
	 */
	uint64_t paused_ns;
	size_t nfollowing;	/* clients that follow a job or wish to */
	struct turns turns;
	struct out line;	/* line that is being written to a client */
	/* processor time of the thread at which a divisible request is continued in another turn */
	uint64_t part_end_ns;
};

int clients_open(struct local *local, struct error *error);
void clients_close(struct local *local);
void clients_accept(struct local *local);
void client_handle(struct local *local, struct client *client);
/* Serve complete requests, as far as their users' shares of this turn permit. */
void clients_serve(struct local *local);
/* Serve a request or a part of it. Also used to serve it again after the turn was undone. */
void client_serve(struct local *local, struct client *client);
/* Close connections without progress for a long time. */
void clients_sweep(struct local *local);
/* Begin a line to a client. The caller writes it without a newline. */
struct out *client_line_begin(struct local *local);
/*
 * Send the line. A client that does not read is closed, so `client` may be invalid afterwards. So
 * is a client whose line could not be written completely.
 */
void client_line_send(struct local *local, struct client *client);
bool client_is_operator(const struct client *client);
bool client_may_change(const struct client *client, const struct local_job *job);

/* answers.c */

/*
 * Answer complete requests of a committed turn. If readers see the changes at the end of the turn
 * (`shown`), requests with changes are answered by the next call.
 */
void clients_answer(struct local *local, bool shown);
/*
 * Handle requests that were served in an undone turn. They are ASIDE, for client_serve() or
 * client_refuse(), or DONE, with `why` as the last result.
 */
void clients_set_aside(struct local *local, const char *why);
/* Return the next client whose request is ASIDE, or NULL. */
struct client *clients_aside(const struct local *local);
void client_refuse(struct local *local, struct client *client, const char *why);

/* follow.c: clients that get the news of a job */

/* Check whether a client may follow a job. Returns -EINVAL if too many clients do. */
int follow_admit(const struct local *local, const struct client *client, struct error *error);
/*
 * Let the client follow a job after the commit of this turn. follow_forget(): the turn was undone.
 */
void follow_wish(struct local *local, struct client *client, uint32_t job_number);
void follow_forget(struct local *local, struct client *client);
/*
 * Report the changes of the committed turn to followers. Call after the answers are sent and before
 * the work that is due for tasks is done.
 */
void follow_settle(struct local *local);

#endif
