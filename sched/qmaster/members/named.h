/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking the names in a job against the cell: resources and their requested values, queues,
 * parallel and checkpointing environments. A job that requests an unknown object would be pending
 * for ever.
 */
#ifndef SCHED_QMASTER_MEMBERS_NAMED_H
#define SCHED_QMASTER_MEMBERS_NAMED_H

#include "conf/cell.h"
#include "conf/base/error.h"

/* Members of job_add that named_check() can check, with NULL at the end. */
extern const char *const named_members[];

/*
 * Check the text of one member; a member that is not in named_members has no error. Returns 0,
 * -EINVAL with the reason if the cell has no such object or one of another type, or -ENOMEM. A
 * pattern for queues or environments is accepted, because it may match an object that is added
 * later.
 */
int named_check(const struct cell *cell, const char *member, const char *text, struct error *error);

#endif
