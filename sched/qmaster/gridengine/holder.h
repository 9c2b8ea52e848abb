/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The holder of the scheduler role, which is event client 1, as reported by the qmaster. The
 * qmaster keeps a client that has died silently for at least ten minutes. It reports such a client
 * like a living one, except that the time at which it was last heard does not change.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_HOLDER_H
#define SCHED_QMASTER_GRIDENGINE_HOLDER_H

#include "sched/qmaster/gridengine/inside.h"

#define HOLDER_NAME "fairlead."		/* EV_name of our processes; the process id follows */

enum holder_life { HOLDER_UNSURE, HOLDER_LIVES, HOLDER_DEAD };

struct holder {
	bool known;			/* the qmaster has answered on this connection */
	bool manager;			/* the user that has asked is a manager and may order */
	bool taken;			/* a client is registered; the members below describe it */
	bool builtin;			/* the qmaster's own thread */
	bool us;			/* this connection */
	bool idle;			/* no delivery is still being handled */
	enum holder_life life;
	uint32_t d_time;		/* seconds between deliveries */
	uint32_t connection;		/* id of its connection */
	uint32_t heard;			/* EV_last_heard_from */
	uint64_t heard_ns;		/* time when `heard` last changed for us, CLOCK_MONOTONIC */
	char host[256], name[64];
};

/*
 * Ask the qmaster for the holder. Returns the number of the request. 0: not possible, with the
 * reason.
 */
uint64_t holder_ask(struct sge *sge, struct error *error);

/*
 * Update `holder`, which has the last state, from the answer. -EPROTO, or the request was refused.
 */
int holder_take(const struct sge *sge, struct holder *holder, const unsigned char *bytes, size_t n,
		struct error *error);

/* Return whether the role can be taken without harm: there is no holder, or the holder is dead. */
bool holder_is_gone(const struct holder *holder);

/*
 * Return when the holder counts as dead unless it is heard before, CLOCK_MONOTONIC. UINT64_MAX:
 * never.
 */
uint64_t holder_dead_ns(const struct holder *holder);

/*
 * Describe the holder in messages: "the built-in scheduler", "fairlead.812 on sgehost", "no
 * scheduler".
 */
void holder_describe(const struct holder *holder, char *text, size_t size);

#endif
