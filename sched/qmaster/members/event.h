/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON form of each event of fairlead-events(5), with the members it may have. */
#ifndef SCHED_QMASTER_MEMBERS_EVENT_H
#define SCHED_QMASTER_MEMBERS_EVENT_H

#include "sched/mirror/event.h"
#include "sched/qmaster/members/members.h"

#define SEQ_MAX 9007199254740991	/* 2^53 - 1; also the largest number of an order */

struct event_form {
	const char *name;
	enum event_type type;
	bool partial;		/* only KEY members are required */
	const struct event_member *members;
	size_t nmembers;
};

/* Return the form of an event, NULL if there is no event of this name. */
const struct event_form *event_form(const char *name);
const struct event_form *event_form_of(enum event_type type);
/*
 * Return the event or the member whose name is most similar to a misspelled `name`, NULL if no name
 * is similar.
 */
const char *event_nearest(const char *name);
const char *event_nearest_member(const struct event_form *form, const char *name);
const char *event_name(enum event_type type);	/* "job_add" */

/* Return the form of a member, NULL if the event has no member of this name. */
const struct event_member *event_member(const struct event_form *form, const char *name);
/* Return the set of given members that contains the bit of this member of job_add or job_modify. */
uint32_t *event_job_bits(struct job_spec *job, const struct event_member *member);
/* Return whether this member of job_add or job_modify is set. */
bool event_job_given(const struct event *event, const struct event_member *member);

/*
 * Read an event from an object. Returns 0, -EINVAL or -ENOMEM with the reason in taking->error.
 * Zero `taking` before the call, and call event_clear() in each case.
 */
int event_read(const struct event_form *form, const struct value *object, struct taking *taking, struct event *event);
/*
 * Read only members of a job, as in job_add, into an initialised job_add or job_modify. Members
 * that identify the job, such as its number and owner, may be missing. The caller fills them in.
 */
int event_read_job(const struct value *object, struct taking *taking, struct event *event);
void event_clear(struct event *event, struct taking *taking);

#endif
