/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Request of a job: the members that the scheduler considers. Members of "job" in a request
 * (fairlead-local(7)), of job_add in fairlead-events(5), and in the store. Texts and arrays are
 * borrowed from the memory of the job.
 */
#ifndef SCHED_QMASTER_MEMBERS_JOB_REQUEST_H
#define SCHED_QMASTER_MEMBERS_JOB_REQUEST_H

#include "conf/base/error.h"
#include "sched/mirror/event.h"
#include "sched/qmaster/members/member_list.h"

struct job_request {
	/* Number, owner, group, times, tasks, holds and errors are those of struct local_job. */
	struct job_spec spec;
	const char *tasks;		/* ids of tasks as requested; NULL: not an array */
	struct member_list members;	/* order of all members that are set */
	/*
	 * Fault of the first member with a wrong form, and the position of the member in the text.
	 * The user gets this fault instead of a job. "": none.
	 */
	struct error fault;
	uint32_t fault_at;
};

/* Initialize a request without members. */
void job_request_init(struct job_request *request);
/*
 * Read a request from the store. Returns 0 or -ENOMEM. Members with a wrong form are kept as
 * values.
 */
int job_request_read(struct job_request *request, struct taking *taking, const struct value *object);
/*
 * Read a request of a user. Members that the cell completes are kept as values until
 * job_request_settle() is called for each of them: hold, hold_jid, hold_jid_ad, after_ok,
 * hard_resource_list and soft_resource_list. `object` NULL: no members. Returns 0 or -ENOMEM.
 */
int job_request_ask(struct job_request *request, struct taking *taking, const struct value *object);
int job_request_ask_member(struct job_request *request, struct taking *taking, const struct value *value);
/*
 * Read a member that is kept as a value. With `value`, the member gets this value first. Returns 0
 * or -ENOMEM.
 */
int job_request_settle(struct job_request *request, struct taking *taking, const char *name,
		       const struct value *value);
/* Set hold_jid. Returns 0 or -ENOMEM. */
int job_request_set_jobs(struct job_request *request, struct taking *taking, struct number_list jobs);
/* Set a text. Returns 0 or -ENOMEM. */
int job_request_set_text(struct job_request *request, struct taking *taking, const char *name, const char *text);
/* Set a number. Returns 0 or -ENOMEM. */
int job_request_set_integer(struct job_request *request, struct taking *taking, const char *name, int64_t number);
/* Set true or false. Returns 0 or -ENOMEM. */
int job_request_set_bool(struct job_request *request, struct taking *taking, const char *name, bool yes);
/*
 * Check that all members have their form. Returns 0, -EINVAL with the fault of the first one that
 * does not, or -ENOMEM.
 */
int job_request_check(struct job_request *request, struct taking *taking, struct error *error);
/* Set the members of `changes`; null sets the default. Returns 0 or -ENOMEM. */
int job_request_update(struct job_request *request, struct taking *taking, const struct job_request *changes);
/* Return whether a member is set, also to null. */
bool job_request_has(const struct job_request *request, const char *name);
/* Return a text, even if its form is wrong; NULL if it is missing or no text. */
const char *job_request_text(const struct job_request *request, const char *name);
/* Return an integer, even if it is out of range. Returns false if it is missing or no integer. */
bool job_request_integer(const struct job_request *request, const char *name, int64_t *number);
/* Write the members without the braces. */
void job_request_write(struct out *out, const struct job_request *request);

#endif
