/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What keeps a message from being taken twice, late, or by somebody else than it was meant for.
 * CURVE says who sends; this says when.
 *
 * A message is a JSON object with the members
 *
 *     from      the sender's session: 32 hexadecimal digits, random
 *     to        the receiver's session, as the sender knows it
 *     number    1 and up, ascending in a session
 *     taken     the greatest number that the sender has taken from the receiver in this session
 *
 * Sessions begin so: the host sends {"hello":1,"from":H,"number":n}. The scheduler makes up a
 * session for it and answers {"welcome":1,"from":S,"to":H,...}. The first message from H to S makes
 * it the session in force. So a hello that is repeated later, by whom ever, brings nobody anything:
 * its sender would have to know the new S. A scheduler that does not know the session that a
 * message is for answers {"again":1,"to":H}, and the host begins anew.
 *
 * Numbers may be missing: what is sent is always the newest state, and the next message makes good
 * for a lost one.
 */
#ifndef WIRE_SESSION_H
#define WIRE_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define SESSION_DIGITS 32
#define SESSION_VERSION 1		/* of hello and welcome */

struct session {			/* zero: none */
	char own[SESSION_DIGITS + 1], peer[SESSION_DIGITS + 1];	/* "": not known */
	uint64_t sent;			/* last number used */
	uint64_t received;		/* last number taken */
	uint64_t acknowledged;		/* last number of ours that the peer has taken */
};

enum session_verdict { SESSION_TAKEN, SESSION_FOREIGN, SESSION_REPLAYED, SESSION_MALFORMED };

/* A fresh one with a random `own`. -errno of getrandom(2). */
int session_begin(struct session *session);

/* The message of a session: from, to, number, taken are added. 0 or -ENOMEM. */
int session_stamp(struct session *session, json_t *message);

/* May this message be taken? Only SESSION_TAKEN changes the session. `peer` must be known. */
enum session_verdict session_take(struct session *session, const json_t *message);

/*
 * The peer's name from a hello or a welcome becomes known, with the number of that message.
 * SESSION_MALFORMED: it has none.
 */
enum session_verdict session_meet(struct session *session, const json_t *message);

/* The member if it is a well-formed session, else NULL. Borrowed from the message. */
const char *session_member(const json_t *message, const char *member);

#endif
