/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host's end of the wire.
 *
 *     spoke_open(&spoke, &options, &calls, &error)
 *     poll(spoke_fd(spoke)) -> spoke_handle(spoke)	never waits, except for MUNGE's daemon when a session begins
 *     spoke_report(spoke, &report)			false: nobody is there; say it again, newer, when somebody is
 *     spoke_close(spoke)
 *
 * It connects, and connects again, for ever. Nothing that could not be sent at once is kept.
 */
#ifndef WIRE_SPOKE_H
#define WIRE_SPOKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"
#include "sched/wire/content.h"

struct spoke;

struct spoke_options {			/* strings are copied */
	const char *scheduler;		/* "tcp://HOST:PORT" */
	const char *keys;		/* directory: scheduler.pub, hosts/NAME.key */
	const char *name;		/* of this host, as the scheduler knows it */
	/* how often it means to report; nothing heard for three times as long: begin anew */
	unsigned report_s;
	bool munge;			/* prove with a credential of MUNGE who runs this */
	const char *munge_socket;	/* NULL: libmunge's default */
};

struct spoke_calls {			/* called from spoke_handle() alone */
	void *context;
	void (*up)(void *context);	/* a session has begun */
	void (*down)(void *context);	/* it is over: the scheduler is away, or another one */
	/* the newest complete set */
	void (*tickets)(void *context, const struct wire_task *tasks, size_t n);
	void (*odd)(void *context, const char *text);
};

struct spoke_counts {
	uint64_t taken, foreign, replayed, malformed;
};

/* -EINVAL (endpoint, name), errors of key_read(), -ENOMEM; with the reason. *spoke is NULL then. */
int spoke_open(struct spoke **spoke, const struct spoke_options *options, const struct spoke_calls *calls,
	       struct error *error);
void spoke_close(struct spoke *spoke);	/* NULL: nothing */

int spoke_fd(const struct spoke *spoke);
void spoke_handle(struct spoke *spoke);

bool spoke_is_up(const struct spoke *spoke);

/* The number of the message that said it; 0: it could not be sent. */
uint64_t spoke_report(struct spoke *spoke, const struct wire_report *report);

/* The greatest number of this session that the scheduler has taken. */
uint64_t spoke_taken(const struct spoke *spoke);

struct spoke_counts spoke_counts(const struct spoke *spoke);

#endif
