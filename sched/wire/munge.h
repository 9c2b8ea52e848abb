/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MUNGE, where a site has it: a credential says which user on a machine of the site has made it, and can be decoded once. Ours is bound to the
 * host's name and session, so that it opens no other one.
 *
 * Decoding asks a daemon, which may take its time: a thread does that, and the answer comes through a ZeroMQ socket. The only user of
 * libmunge.
 */
#ifndef WIRE_MUNGE_H
#define WIRE_MUNGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "conf/error.h"

#define MUNGE_TAG 600			/* bytes of what a credential is for, with the NUL */
#define MUNGE_CREDENTIAL 8192		/* longest one, with the NUL */

/* What a credential of this host in this session says. */
void munge_tag(char tag[MUNGE_TAG], const char *host, const char *session);

/* A credential for this text, to be freed. Waits for the daemon. NULL, with the reason. */
char *munge_make(const char *socket, const char *tag, struct error *error);

struct munge;				/* the thread that decodes */

struct munge_answer {
	char tag[MUNGE_TAG];		/* as asked */
	bool good;			/* says that tag, was not used before, and is of root or our user */
	char text[160];			/* if not: why */
};

/* -errno. The ZeroMQ context is borrowed. */
int munge_open(struct munge **m, void *zmq, const char *socket);
void munge_close(struct munge *m);

/* To be watched: readable when an answer is there. */
void *munge_socket(struct munge *m);

/* -EAGAIN: too many are being decoded; -EMSGSIZE. */
int munge_ask(struct munge *m, const char *tag, const char *credential);

/* false: no answer is there. */
bool munge_answered(struct munge *m, struct munge_answer *answer);

#endif
