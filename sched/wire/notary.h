/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MUNGE, where a site has it: a credential says which user on a machine of the site has made it,
 * and can be decoded once. Ours is bound to the host's name and session, so that it opens no other
 * one.
 *
 * Decoding calls a daemon, which may take its time: a thread does that, and the answer comes
 * through a ZeroMQ socket. The only user of libmunge.
 */
#ifndef WIRE_NOTARY_H
#define WIRE_NOTARY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "conf/error.h"

#define NOTARY_TAG 600			/* bytes of what a credential is for, with the NUL */
#define NOTARY_CREDENTIAL 8192		/* longest one, with the NUL */

/* What a credential of this host in this session says. */
void notary_tag(char tag[NOTARY_TAG], const char *host, const char *session);

/* A credential for this text, to be freed. Waits for the daemon. NULL, with the reason. */
char *notary_make(const char *socket, const char *tag, struct error *error);

struct notary;				/* the thread that decodes */

struct notary_answer {
	char tag[NOTARY_TAG];		/* of notary_ask() */
	/* says that tag, was not used before, and is of root or our user */
	bool good;
	char text[160];			/* if not: why */
};

/* -errno. The ZeroMQ context is borrowed. */
int notary_open(struct notary **notary, void *zmq, const char *socket);
void notary_close(struct notary *notary);

/* To be watched: readable when an answer is there. */
void *notary_socket(struct notary *notary);

/* -EAGAIN: too many are being decoded; -EMSGSIZE. */
int notary_ask(struct notary *notary, const char *tag, const char *credential);

/* false: no answer is there. */
bool notary_answered(struct notary *notary, struct notary_answer *answer);

#endif
