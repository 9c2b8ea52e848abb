/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/members/event.h"

#include <errno.h>
#include <string.h>

#include "conf/base/nearest.h"
#include "conf/base/search.h"
#include "sched/qmaster/members/forms.h"

const struct event_form *event_form(const char *name)
{
	size_t at;

	lower_bound(at, nevent_forms, strcmp(event_forms[at].name, name) < 0);
	return at < nevent_forms && strcmp(event_forms[at].name, name) == 0 ? &event_forms[at] : NULL;
}

const struct event_form *event_form_of(enum event_type type)
{
	size_t i = 0;

	while (event_forms[i].type != type)
		i++;
	return &event_forms[i];
}

const char *event_nearest(const char *name)
{
	struct nearest nearest = { .name = name };

	for (size_t i = 0; i < nevent_forms; i++)
		nearest_look(&nearest, event_forms[i].name);
	return nearest.found;
}

const char *event_nearest_member(const struct event_form *form, const char *name)
{
	struct nearest nearest = { .name = name };

	for (size_t i = 0; i < form->nmembers; i++)
		nearest_look(&nearest, form->members[i].name);
	return nearest.found;
}

const char *event_name(enum event_type type)
{
	return event_form_of(type)->name;
}

static void job_given(const struct taking *taking, struct job_spec *job)
{
	job->given = taking->given[GIVEN_JOB];
	job->slurm.given = taking->given[GIVEN_SLURM];
	job->condor.given = taking->given[GIVEN_CONDOR];
}

const struct event_member *event_member(const struct event_form *form, const char *name)
{
	size_t at;

	lower_bound(at, form->nmembers, strcmp(form->members[at].name, name) < 0);
	return at < form->nmembers && strcmp(form->members[at].name, name) == 0 ? &form->members[at] : NULL;
}

uint32_t *event_job_bits(struct job_spec *job, const struct event_member *member)
{
	uint32_t *const bits[] = { [GIVEN_JOB] = &job->given,
				   [GIVEN_SLURM] = &job->slurm.given,
				   [GIVEN_CONDOR] = &job->condor.given };

	return bits[member->bit >> 32];
}

bool event_job_given(const struct event *event, const struct event_member *member)
{
	const uint32_t given[] = { event->job.given, event->job.slurm.given, event->job.condor.given };

	return given[member->bit >> 32] & (uint32_t)member->bit;
}

int event_read_job(const struct value *object, struct taking *taking, struct event *event)
{
	const struct event_form *form = event_form_of(EVENT_JOB_ADD);
	int rc = members_take(taking, form->members, form->nmembers, ALWAYS, object, event);

	job_given(taking, &event->job);
	return rc;
}

/* Check that the edit names a submitter and has a value exactly if it needs them. */
static int edit_check(struct taking *taking, const struct submitter_edit_event *event)
{
	bool needs_value = event->edit.kind <= EDIT_LAST, has_value = taking->given[GIVEN_JOB] & GIVEN_VALUE;

	if (needs_value != has_value)
		return error_set(&taking->error, -EINVAL,
				 needs_value ? "value: missing" : "value: not allowed with this edit");
	if (event->edit.duration && event->edit.kind != EDIT_FACTOR && event->edit.kind != EDIT_CEILING &&
	    event->edit.kind != EDIT_FLOOR)
		return error_set(&taking->error, -EINVAL,
				 "duration: only allowed with a factor, a ceiling or a floor");
	if ((event->edit.kind == EDIT_RESET_ALL) != !(event->customer && *event->customer))
		return error_set(&taking->error, -EINVAL,
				 event->edit.kind == EDIT_RESET_ALL ? "customer: not allowed with \"resetall\""
								    : "customer: missing");
	return 0;
}

int event_read(const struct event_form *form, const struct value *object, struct taking *taking, struct event *event)
{
	int rc;

	event_init(event, form->type);
	rc = members_take(taking, form->members, form->nmembers, form->partial ? KEY : REQUIRED, object, event);
	if (event->type == EVENT_JOB_ADD || event->type == EVENT_JOB_MODIFY)
		job_given(taking, &event->job);
	else if (event->type == EVENT_TASK_FINISH)
		event->task.has_usage = taking->given[GIVEN_JOB] & GIVEN_USAGE;
	else if (rc == 0 && event->type == EVENT_SUBMITTER_EDIT)
		rc = edit_check(taking, &event->submitter_edit);
	return rc;
}

void event_clear(struct event *event, struct taking *taking)
{
	if (event->type == EVENT_JOB_ADD || event->type == EVENT_JOB_MODIFY) {
		ranges_free(&event->job.tasks);
		for (int kind = 0; kind < HOLD_KINDS; kind++)
			ranges_free(&event->job.hold[kind]);
	} else if (event->type == EVENT_TASKS_ENROLLED) {
		ranges_free(&event->enrolled.tasks);
		ranges_free(&event->enrolled.error);
		ranges_free(&event->enrolled.restarted);
	}
	taking_clear(taking);
}
