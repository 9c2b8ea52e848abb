/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has the place of the scheduler, event client 1, as the qmaster tells it. It keeps one that
 * has died without a word for ten minutes and more, and tells it like a living one, but for the
 * time at which it was heard last: that stands still.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_HOLDER_H
#define SCHED_QMASTER_GRIDENGINE_HOLDER_H

#include "sched/qmaster/gridengine/inside.h"

#define HOLDER_NAME "fairlead."		/* EV_name of ours; the process's number follows */

enum holder_life { HOLDER_UNSURE, HOLDER_LIVES, HOLDER_DEAD };

struct holder {
	bool known;			/* the qmaster has told, on this connection */
	bool manager;			/* what it was asked by is one, and may order */
	bool taken;			/* somebody is registered; as follows */
	bool builtin;			/* the qmaster's own thread */
	bool us;			/* this connection of ours */
	bool idle;			/* nothing that was delivered is still worked on */
	enum holder_life life;
	uint32_t d_time;		/* seconds between deliveries */
	uint32_t connection;		/* id of its connection */
	uint32_t heard;			/* EV_last_heard_from */
	uint64_t heard_ns;		/* when we first saw that, CLOCK_MONOTONIC */
	char host[256], name[64];
};

/* Asks the qmaster. The number of the request; 0: it can't be asked, with the reason. */
uint64_t holder_ask(struct sge *sge, struct error *error);

/*
 * The answer: `h`, which is as after the last one, is brought up to date. -EPROTO, or it was
 * refused.
 */
int holder_take(const struct sge *sge, struct holder *holder, const unsigned char *bytes, size_t n,
		struct error *error);

/* May it be taken from him without harm: there is none, or no living one? */
bool holder_is_gone(const struct holder *holder);

/*
 * When he is dead unless he is heard before, CLOCK_MONOTONIC; UINT64_MAX: that does not make him
 * so.
 */
uint64_t holder_dead_ns(const struct holder *holder);

/* For messages: "the built-in scheduler", "fairlead.812 on sgehost", "nobody". */
void holder_describe(const struct holder *holder, char *text, size_t size);

#endif
