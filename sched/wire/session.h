/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions: protection against messages that are repeated, late or meant for another receiver.
 * CURVE identifies the sender; a session orders its messages.
 *
 * A message is a JSON object with the members
 *
 *     from      the sender's session: 32 hexadecimal digits, random
 *     to        the receiver's session, as the sender knows it
 *     number    1 and up, ascending in a session
 *     taken     the greatest number that the sender has taken from the receiver in this session
 *
 * To begin a session, the host sends {"hello":1,"from":H,"number":n}. The scheduler creates a
 * session and answers {"welcome":1,"from":S,"to":H,...}. The first message from H to S activates
 * the session. A repeated hello is therefore harmless: its sender does not know the new S. If the
 * scheduler does not know the session of a message, it answers {"again":1,"to":H}, and the host
 * begins a new session.
 *
 * Numbers may be missing. Every message carries the newest state, so the next message replaces a
 * lost one.
 */
#ifndef WIRE_SESSION_H
#define WIRE_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define SESSION_DIGITS 32
#define SESSION_VERSION 1		/* version in hello and welcome */

struct session {			/* Zero-initialized: no session. */
	char own[SESSION_DIGITS + 1], peer[SESSION_DIGITS + 1];	/* "": not known */
	uint64_t sent;			/* last number used */
	uint64_t received;		/* last number taken */
	uint64_t acknowledged;		/* our last number that the peer has taken */
};

enum session_verdict { SESSION_TAKEN, SESSION_FOREIGN, SESSION_REPLAYED, SESSION_MALFORMED };

/* Begin a session with a random `own`. Returns 0 or -errno of getrandom(2). */
int session_begin(struct session *session);

/* Add from, to, number and taken to a message. Returns 0 or -ENOMEM. */
int session_stamp(struct session *session, json_t *message);

/*
 * Check whether a message is valid in this session. Only SESSION_TAKEN changes the session. `peer`
 * must be known.
 */
enum session_verdict session_take(struct session *session, const json_t *message);

/*
 * Set the peer from a hello or welcome message, and the number of that message as received. Returns
 * SESSION_MALFORMED if the message has no valid sender or number.
 */
enum session_verdict session_meet(struct session *session, const json_t *message);

/* Return the member if it is a well-formed session, else NULL. Borrowed from the message. */
const char *session_member(const json_t *message, const char *member);

#endif
