/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host's end of the wire.
 *
 *     spoke_open(&spoke, &options, &calls, &error)
 *     poll(spoke_fd(spoke)) -> spoke_handle(spoke)
 *     spoke_report(spoke, &report)
 *     spoke_close(spoke)
 *
 * spoke_handle() does not wait, except for MUNGE's daemon when a session begins. spoke_report()
 * returns 0 if there is no session; report again, with newer values, after up() was called.
 *
 * The spoke repeats failed connections without limit. A message that cannot be sent at once is
 * dropped.
 */
#ifndef WIRE_SPOKE_H
#define WIRE_SPOKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/wire/content.h"

struct spoke;

struct spoke_options {			/* Options of spoke_open(). Strings are copied. */
	const char *scheduler;		/* "tcp://HOST:PORT" */
	const char *keys;		/* directory: scheduler.pub, hosts/NAME.key */
	const char *name;		/* name of this host, as the scheduler knows it */
	/* Seconds between reports. Three times as long without a message ends the session. */
	unsigned report_s;
	/* prove with a MUNGE credential which user runs this program */
	bool munge;
	const char *munge_socket;	/* NULL: libmunge's default */
};

struct spoke_calls {			/* Functions that only spoke_handle() calls. */
	void *context;
	void (*up)(void *context);	/* a session has begun */
	/* the session has ended: the scheduler is away or has restarted */
	void (*down)(void *context);
	/* newest complete set of tasks */
	void (*tickets)(void *context, const struct wire_task *tasks, size_t n);
	void (*odd)(void *context, const char *text);
};

/*
 * Open the spoke. On failure *spoke is NULL and `error` has the reason.
 *
 * Returns -EINVAL (endpoint, name), -ENOMEM, or an error of key_read().
 */
int spoke_open(struct spoke **spoke, const struct spoke_options *options, const struct spoke_calls *calls,
	       struct error *error);
void spoke_close(struct spoke *spoke);	/* NULL is allowed. */

int spoke_fd(const struct spoke *spoke);
void spoke_handle(struct spoke *spoke);

bool spoke_is_up(const struct spoke *spoke);

/* Send a report. Returns the number of the message, or 0 if it was not sent. */
uint64_t spoke_report(struct spoke *spoke, const struct wire_report *report);

/* Return the greatest number of this session that the scheduler has taken. */
uint64_t spoke_taken(const struct spoke *spoke);

#endif
