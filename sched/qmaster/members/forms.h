/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of event.c: the table of the members of each event. */
#ifndef SCHED_QMASTER_MEMBERS_FORMS_H
#define SCHED_QMASTER_MEMBERS_FORMS_H

#include "sched/qmaster/members/event.h"

/* Members of a job that are set, as bits of enum job_member, slurm_member and condor_member. */
enum given_family { GIVEN_JOB, GIVEN_SLURM, GIVEN_CONDOR };
#define GIVEN_USAGE 1		/* usage of a task */
#define GIVEN_VALUE 1		/* value of an edit */

extern const struct event_form event_forms[];	/* sorted by name */
extern const size_t nevent_forms;

#endif
