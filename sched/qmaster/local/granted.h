/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a task of the local cell was granted: in memory typed, in its row of the store as JSON, an
 * array as in the order. The row's text is made once, and stays as it is as long as the task is
 * there.
 */
#ifndef SCHED_QMASTER_LOCAL_GRANTED_H
#define SCHED_QMASTER_LOCAL_GRANTED_H

#include "sched/mirror/grant.h"

struct task_granted {			/* zero at first */
	struct grants on;		/* the master's first */
	char *pe;			/* NULL: none */
	char *row;
	struct granted *items;		/* of `on`, with their texts behind them */
};

/* Copies. `pe` NULL or "": none. -ENOMEM */
int granted_take(struct task_granted *granted, const struct grants *on, const char *pe);
/*
 * From a row. What is no instance has no name, or no slots. -EINVAL: it is no list, or empty;
 * -ENOMEM
 */
int granted_read(struct task_granted *granted, const char *row, const char *pe);
void granted_free(struct task_granted *granted);

#endif
