/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead-relay: the published run on other machines.
 *
 *     relay/main.c      options and exit codes; the only file that ends the process
 *     relay/loop.c      signals and the loop of both sides
 *     relay/sender.c    reads the run on the scheduler's machine and sends it
 *     relay/receiver.c  receives it on another machine and publishes it there
 *     relay/message.c   the messages
 *     relay/image.c     copies of generations, and their differences
 */
#ifndef SCHED_RELAY_RELAY_H
#define SCHED_RELAY_RELAY_H

#include <stdint.h>
#include <sys/types.h>

#include "conf/base/error.h"

struct relay_options {
	const char *cell;		/* directory of the cell */
	const char *keys;
	const char *serve, *from;	/* endpoints; one of them is NULL */
	const char *name;		/* --from: name of this host */
	int interval_ms;		/* --serve: time between two checks for a new run */
	int64_t group;			/* --from: group of readers, -1: all users */
	uint64_t bytes;			/* --from: most shared memory; 0: the default */
};

/* Functions of a side that the loop calls. */
struct relay_side {
	void *side;
	int fd;				/* readable when handle() has work */
	void (*handle)(void *side);
	void (*tick)(void *side);	/* every interval_ms; NULL: none */
	int (*reload)(void *side, struct error *error);	/* SIGHUP; NULL: nothing to read again */
};

/*
 * Run until SIGTERM or SIGINT. Send READY=1 and watchdog messages to the service manager. Returns
 * 0 or -errno.
 */
int relay_loop(const struct relay_side *side, int interval_ms, struct error *error);

/* Run one side. Returns 0 after a signal, or -errno with the reason in `error`. */
int sender_run(const struct relay_options *options, struct error *error);
int receiver_run(const struct relay_options *options, struct error *error);

#endif
