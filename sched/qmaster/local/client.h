/* SPDX-License-Identifier: Apache-2.0 */
/* Who is connected to the socket of the local cell: clients.c, answers.c, follow.c. */
#ifndef SCHED_QMASTER_LOCAL_CLIENT_H
#define SCHED_QMASTER_LOCAL_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

#include "conf/error.h"
#include "sched/qmaster/local/turns.h"

struct local;
struct local_job;

/* what an event of epoll(7) is about: the first member of each */
enum watched { WATCHED_LISTENER, WATCHED_CLIENT, WATCHED_ENDS, WATCHED_ERRAND };

#define REQUEST_LINE_BYTES (1u << 20)	/* longest request, and news that nobody reads */

struct bytes {
	char *text;
	size_t used, capacity;
};

struct selecting;

/*
 *     NONE     nothing complete has come, or all that came is answered
 *       WAITS    a line is complete
 *       DONE     what has come is too long for a request
 *     WAITS    for its share of a turn
 *       SERVED   it has had one: it is done, or a part of it
 *     SERVED   until the end of the turn
 *       NONE     the turn is committed, the request done and answered
 *       WAITS    the turn is committed, the rest of the request is for another one
 *       ASIDE    the turn was undone
 *       DONE     the turn was undone, but earlier parts are stored: it is not tried again
 *     ASIDE    to be tried once more, alone
 *       SERVED   again
 *       NONE     refused and answered
 *     DONE     its answer goes out at the end of a turn, whatever becomes of that
 *       NONE     it is out
 */
enum client_request_state { REQUEST_NONE, REQUEST_WAITS, REQUEST_SERVED, REQUEST_ASIDE, REQUEST_DONE };

struct client_request {
	enum client_request_state state;
	size_t line;		/* its bytes, in what has come */
	const char *kind;	/* what it asks for; NULL: nothing known */
	json_t *results;	/* NULL: none yet */
	size_t told;		/* so many of them the log has: diary.h */
	size_t committed;	/* so many of them are of parts that are stored */
	struct selecting *selecting;	/* what is still to be done; NULL: nothing */
	uint64_t compared;	/* comparisons so far: select.c, unreserve.c */
	uint64_t parts;		/* turns in which it was served */
	bool changes;		/* something; of what is shown at once its answer says nothing before */
	bool shown;		/* that will be at the end of this turn */
	/* it is answered when a run that contains it is published, not before */
	bool until_run;
	/* requests of others, and parts of them, that were served since it came */
	uint64_t before;
};

struct client_following {	/* of the news of a job: follow.c */
	uint32_t wished;	/* with this turn's commit; 0: none */
	uint32_t job;		/* 0: none */
	bool resumes;		/* what has happened before is to be told first */
};

struct client {
	enum watched watched;
	struct waiter waiter;	/* for its turn */
	struct client *next;
	int fd;
	uid_t uid;
	gid_t gid;
	const char *owner, *group;	/* l->people's; during a request */
	struct bytes in, out;	/* what has come of a line; replies and news */
	size_t sent;		/* of `out` */
	struct client_request request;
	struct client_following following;
	uint64_t seen_ns;	/* when something moved last */
};

struct clients {
	enum watched watched;
	struct client *first;
	size_t n;
	int listen_fd;
	struct sockaddr_un address;
	/* no descriptors were left; nobody is accepted before. 0: all are */
	uint64_t paused_ns;
	size_t nfollowing;	/* those that follow a job, or wish to */
	struct turns turns;
	/* of the thread's processor time: a request that can be parted goes on in another turn */
	uint64_t part_end_ns;
};

int clients_open(struct local *local, struct error *error);
void clients_close(struct local *local);
void clients_accept(struct local *local);
void client_handle(struct local *local, struct client *client);
/* Serves requests that are complete, as far as their users' shares of this turn go. */
void clients_serve(struct local *local);
/* Serves its request, or a part of it; once more, if the turn of the first time was undone. */
void client_serve(struct local *local, struct client *client);
/* Closes connections on which nothing has moved for long. */
void clients_sweep(struct local *local);
/*
 * A line to it; takes the reference. A client that does not read is closed: `c` may be gone then.
 */
void client_tell(struct local *local, struct client *client, json_t *line);
bool client_is_operator(const struct client *client);
bool client_may_change(const struct client *client, const struct local_job *job);

/* Answers.c */

/*
 * The turn is committed: requests that are done are answered. Where readers are `shown` at its end
 * what was changed, those that have changed something are answered then, by the next call.
 */
void clients_answer(struct local *local, bool shown);
/*
 * The turn was undone: requests that were served in it are ASIDE, for client_serve() or
 * client_refuse(), or DONE, with `why` as the last result.
 */
void clients_set_aside(struct local *local, const char *why);
/* The next one that is ASIDE; NULL: none is left. */
struct client *clients_aside(const struct local *local);
void client_refuse(struct local *local, struct client *client, const char *why);

/* Follow.c: clients that are told what becomes of a job */

/* May it follow a job? -EINVAL: too many clients do. */
int follow_admit(const struct local *local, const struct client *client, struct error *error);
/* It will, once this turn is committed; forget: the turn was undone. */
void follow_wish(struct local *local, struct client *client, uint32_t job_number);
void follow_forget(struct local *local, struct client *client);
/*
 * The turn is committed: tells each of them what it has changed. After the answers, and before what
 * is due for the tasks is done.
 */
void follow_settle(struct local *local);

#endif
