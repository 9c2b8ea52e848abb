/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress of a host's connection to the scheduler.
 *
 * ZeroMQ repeats failed connections by itself without reporting them. Its socket events are
 * therefore read here, so that the host can report why it has no connection.
 */
#ifndef WIRE_APPROACH_H
#define WIRE_APPROACH_H

#include <stdbool.h>

enum approach_outcome {
	APPROACH_NO_LISTENER,	/* no process accepts the connection */
	/* a process accepts the connection and closes it before it is encrypted */
	APPROACH_BROKEN,
	APPROACH_REFUSED,	/* the scheduler does not know the host's key */
	APPROACH_ESTABLISHED,	/* the handshake was successful */
};

struct approach {			/* Zero-initialized; freed by approach_close(). */
	void *monitor;
	bool connected;			/* in the current attempt */
	enum approach_outcome outcome;	/* outcome of the previous attempt */
};

/*
 * Watch a socket before it is connected. A later call replaces the watched socket. Returns -errno.
 */
int approach_open(struct approach *approach, void *zmq, void *socket);
/* Read the events that have occurred since the last call. */
void approach_read(struct approach *approach);
/* Return the outcome as a clause for people. */
const char *approach_why(enum approach_outcome outcome);
void approach_close(struct approach *approach);

#endif
