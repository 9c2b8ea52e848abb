/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resources granted to a task: typed in memory, and in its row of the store a JSON array as in the
 * order. The row's text is made once and does not change during the life of the task.
 */
#ifndef SCHED_QMASTER_LOCAL_GRANTED_H
#define SCHED_QMASTER_LOCAL_GRANTED_H

#include "sched/mirror/grant.h"
#include "sched/qmaster/members/values.h"

struct task_granted {			/* Zero-initialized. */
	struct grants on;		/* queue instances, the master's first */
	char *pe;			/* NULL: none */
	char *row;
	struct granted *items;		/* items of `on`, followed by their texts */
};

/* Copy what was granted. `pe` NULL or "": none. Returns 0 or -ENOMEM. */
int granted_take(struct task_granted *granted, const struct grants *on, const char *pe);
/*
 * Read what was granted from a row. `values` is only used during the call. Entries that are not
 * instances get no name or no slots. Returns -EINVAL if it is not a list or is empty, or -ENOMEM.
 */
int granted_read(struct task_granted *granted, struct values *values, const char *row, const char *pe);
void granted_free(struct task_granted *granted);

#endif
