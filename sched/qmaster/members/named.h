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
#include "sched/qmaster/members/reply_reason.h"

/* Members of job_add that named_check() can check, with NULL at the end. */
extern const char *const named_members[];

#define NAMED_OBJECT_BYTES 164		/* two parts of at most 80 bytes, and what separates them */

struct named_fault {
	struct error error;
	enum reply_reason reason;	/* REPLY_OTHER: the object is not unknown */
	char object[NAMED_OBJECT_BYTES];	/* name of the unknown object, perhaps shortened; "": none */
};

/*
 * Check the text of one member; a member that is not in named_members has no error. Returns 0,
 * -EINVAL with the fault if the cell has no such object or one of another type, or -ENOMEM. A
 * pattern for queues or environments is accepted, because it may match an object that is added
 * later.
 */
int named_check(const struct cell *cell, const char *member, const char *text, struct named_fault *fault);

#endif
