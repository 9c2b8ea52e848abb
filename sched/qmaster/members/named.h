/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a job names, held against the cell: resources with the values asked for, queues, parallel
 * and checkpointing environments. A job that names what there is not would wait for ever.
 */
#ifndef SCHED_QMASTER_MEMBERS_NAMED_H
#define SCHED_QMASTER_MEMBERS_NAMED_H

#include "conf/cell.h"
#include "conf/error.h"

/* Members of job_add of which named_check() knows what they name; NULL behind the last one. */
extern const char *const named_members[];

/*
 * The text of one of these members; of any other there is nothing to say. 0; -EINVAL: the cell has
 * not what it names, or not of that kind, and `error` says which; -ENOMEM. Of queues and
 * environments a pattern is fine: it may match what comes later.
 */
int named_check(const struct cell *cell, const char *member, const char *text, struct error *error);

#endif
