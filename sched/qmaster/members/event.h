/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON form of each event of fairlead-events(5): which members it may have. */
#ifndef SCHED_QMASTER_MEMBERS_EVENT_H
#define SCHED_QMASTER_MEMBERS_EVENT_H

#include "sched/mirror/event.h"
#include "sched/qmaster/members/members.h"

#define SEQ_MAX 9007199254740991	/* 2^53 - 1; of orders, too */

struct event_form {
	const char *name;
	enum event_type type;
	bool partial;		/* only KEY members must be there */
	const struct event_member *members;
	size_t nmembers;
};

/* NULL if there is none of this name. */
const struct event_form *event_form(const char *name);
const struct event_form *event_form_of(enum event_type type);
/* The event of which this is a slip of the pen, the member of an event; NULL: none is near. */
const char *event_nearest(const char *name);
const char *event_nearest_member(const struct event_form *form, const char *name);
const char *event_name(enum event_type type);	/* "job_add" */

/* Is a member of job_add or job_modify given? */
bool event_job_given(const struct event *event, const struct event_member *member);

/*
 * The event that the object tells of. 0, -EINVAL or -ENOMEM with the reason in taking->error.
 * event_clear() must follow in each case; `taking` is zero at first.
 */
int event_read(const struct event_form *form, const struct value *object, struct taking *taking, struct event *event);
/*
 * Members of a job alone, as job_add has them, into a job_add or job_modify that was initialised.
 * What makes up the job, its number, owner and so on, need not be among them: the caller fills it
 * in.
 */
int event_read_job(const struct value *object, struct taking *taking, struct event *event);
void event_clear(struct event *event, struct taking *taking);

#endif
