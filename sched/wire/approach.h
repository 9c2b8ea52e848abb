/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a host has come on its way to the scheduler: ZeroMQ tries again by itself and says
 * nothing, so its events are watched, and whoever waits can be told why.
 */
#ifndef WIRE_APPROACH_H
#define WIRE_APPROACH_H

#include <stdbool.h>

enum approach_outcome {
	APPROACH_NOBODY,	/* nobody takes the connection */
	APPROACH_BROKEN,	/* somebody does, and ends it before it is encrypted */
	APPROACH_REFUSED,	/* the scheduler does not know our key */
	APPROACH_MET,		/* it does */
};

struct approach {			/* zero at first; approach_close() */
	void *monitor;
	bool connected;			/* this time */
	enum approach_outcome outcome;	/* of the last time */
};

/* Of a socket that is to be connected. -errno; a new one takes the place of the one before. */
int approach_open(struct approach *approach, void *zmq, void *socket);
/* Takes what has happened since the last call. */
void approach_look(struct approach *approach);
/* For people: "nobody takes the connection". */
const char *approach_why(enum approach_outcome outcome);
void approach_close(struct approach *approach);

#endif
