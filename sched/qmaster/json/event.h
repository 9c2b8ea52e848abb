/* SPDX-License-Identifier: Apache-2.0 */
/* One event of fairlead-events(5): what it may hold, and which call of the mirror it is. */
#ifndef SCHED_QMASTER_JSON_EVENT_H
#define SCHED_QMASTER_JSON_EVENT_H

#include "sched/qmaster/json/members.h"
#include "sched/mirror/mirror.h"

#define SEQ_MAX 9007199254740991	/* 2^53 - 1; of orders, too */

struct event {			/* the members of all types next to each other */
	struct job_spec job;		/* job_number here for all types */
	struct numbers hold_jid;
	uint32_t task;
	int64_t start_time;
	int64_t end_time;
	struct grants granted;
	struct allocated allocated;
	double usage_raw;
	const char *granted_pe, *state, *queue, *host;
	uint32_t slots;
	bool available;
	struct usage_values scaled_usage;
	struct object_usage object;
	struct load_reports load;
	int64_t order;
	const char *text;
};

struct order_answer {		/* what the qmaster says of orders; not the mirror's affair */
	uint64_t number;	/* of the order; orders_taken: up to this one */
	uint32_t job_number, task;
	const char *text;	/* borrowed from the event */
};

/* enum slurm_member bits begin here; those below are enum job_member */
#define GIVEN_SLURM 32
#define GIVEN_USAGE ((uint64_t)1 << 63)	/* scaled_usage was there */

enum event_effect {		/* what a process wants to know of it */
	EFFECT_NONE, EFFECT_SUBMITTED, EFFECT_FINISHED,
	EFFECT_SNAPSHOT_BEGIN, EFFECT_SNAPSHOT_END,
	/* nothing to apply: the caller looks at the answer */
	EFFECT_ORDERS_TAKEN, EFFECT_ORDER_REFUSED,
	EFFECT_RELOAD,		/* nothing to apply: the caller reads the configuration */
};

struct event_type {
	const char *name;
	enum event_effect effect;
	bool partial;		/* only KEY members must be there */
	const struct member *members;
	size_t nmembers;
	/* NULL: nothing */
	int (*apply)(struct mirror *m, struct event *event, uint64_t given, struct error *error);
};

/* NULL if there is none of this name. */
const struct event_type *event_type(const char *name);

/*
 * Check the members and make the call. 0, or an error of mirror.h; then nothing has changed.
 * `answer` is filled where there is nothing to call.
 */
int event_apply(const struct event_type *type, const struct value *object, struct mirror *m, struct order_answer *answer,
		struct error *error);

#endif
