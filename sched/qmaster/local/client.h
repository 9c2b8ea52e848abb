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
enum watched { WATCHED_LISTENER, WATCHED_CLIENT, WATCHED_ENDS };

#define REQUEST_LINE_BYTES (1u << 20)	/* longest request, and news that nobody reads */

struct bytes {
	char *text;
	size_t used, capacity;
};

struct selecting;

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
	bool served;		/* in this turn, the whole request or a part of it */
	bool aside;		/* its request was undone with the turn, and is tried again */
	/* in which its request was served so far, and those of others in between */
	uint64_t parts, before;
	size_t line;		/* bytes of its request in `in`, complete */
	json_t *results;	/* of its request; NULL: none yet */
	size_t committed;	/* so many of them are of parts that are stored */
	uint64_t compared;	/* by its request: see select.c */
	struct selecting *selecting;	/* what is still to be done of it; NULL: nothing */
	/* the job whose news it gets once this turn is committed, and gets; 0: none */
	uint32_t wants, follows;
	bool resumes;		/* and those that it has missed */
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
	size_t nfollowing;	/* those with `wants` or `follows` */
	struct turns turns;
	/* of the thread's processor time: a request that can be parted goes on in another turn */
	uint64_t part_end_ns;
};

int clients_open(struct local *l, struct error *error);
void clients_close(struct local *l);
void clients_accept(struct local *l);
void client_handle(struct local *l, struct client *c);
/* The requests that are complete, as far as their users' shares of this turn go. */
void clients_serve(struct local *l);
/* its request, or a part of it; one of a turn that was undone, too */
void client_serve(struct local *l, struct client *c);
void clients_sweep(struct local *l);	/* those that do not move */
/*
 * A line that it has not asked for just now; the reference is taken. Who does not read them is let
 * go.
 */
void client_tell(struct local *l, struct client *c, json_t *line);
bool client_is_operator(const struct client *c);
bool client_may_change(const struct client *c, const struct local_job *job);

/* Answers.c */
void clients_answer(struct local *l);	/* all requests of this turn */
/*
 * Those of a turn that was undone wait for client_again() or client_refuse(); the next one of them,
 * NULL: none is left. Of a request that took several turns those before this one are stored: it is
 * not tried again, and told why.
 */
void clients_set_aside(struct local *l, const char *why);
struct client *clients_aside(const struct local *l);
void client_again(struct local *l, struct client *c);
void client_refuse(struct local *l, struct client *c, const char *why);	/* it was not done */

/* Follow.c: clients that are told what becomes of a job */

/* -EINVAL: there are too many */
int follow_admit(const struct local *l, const struct client *c, struct error *error);
/* to be one of them, with this turn's commit */
void follow_wish(struct local *l, struct client *c, uint32_t job_number);
void follow_forget(struct local *l, struct client *c);				/* there was none */
/* After a commit: replies are out, and what is due for its tasks is not done yet. */
void follow_settle(struct local *l);

#endif
