/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MUNGE credentials. This is the only user of libmunge.
 *
 * A credential proves which user on a machine of the site made it, and can be decoded once. Ours is
 * bound to the name and the session of the host, so that it is valid for no other session.
 *
 * Decoding calls a daemon and may take time. A thread decodes; answers arrive through a ZeroMQ
 * socket.
 */
#ifndef WIRE_NOTARY_H
#define WIRE_NOTARY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "conf/base/error.h"

#define NOTARY_TAG 600 /* bytes of the text that a credential is bound to, including the NUL */
#define NOTARY_CREDENTIAL 8192		/* longest credential, including the NUL */

/* Write the text that the credential of this host is bound to in this session. */
void notary_tag(char tag[NOTARY_TAG], const char *host, const char *session);

/*
 * Make a credential for this text. Waits for the daemon.
 *
 * Returns a string that the caller frees, or NULL with the reason in `error`.
 */
char *notary_make(const char *socket, const char *tag, struct error *error);

struct notary;				/* The decoding thread and the socket to it. */

struct notary_answer {
	char tag[NOTARY_TAG];		/* tag of notary_ask() */
	/* made for `tag`, not used before, and made by root or our user */
	bool good;
	char text[160];			/* reason if not `good` */
};

/* Start the thread. The ZeroMQ context is borrowed. Returns 0 or -errno. */
int notary_open(struct notary **notary, void *zmq, const char *socket);
void notary_close(struct notary *notary);

/* Return the socket to be watched. It is readable when an answer is available. */
void *notary_socket(struct notary *notary);

/*
 * Ask the thread to decode a credential. Returns -EAGAIN if too many are being decoded, or
 * -EMSGSIZE.
 */
int notary_ask(struct notary *notary, const char *tag, const char *credential);

/* Read an answer. Returns false if no answer is available. */
bool notary_answered(struct notary *notary, struct notary_answer *answer);

#endif
