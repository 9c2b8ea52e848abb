/* SPDX-License-Identifier: Apache-2.0 */
/* Events about jobs: added, modified, deleted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/tables.h"

#define NEEDS_EXTRA \
	(JOB_DEADLINE | JOB_EXECUTION_TIME | JOB_HOLD_JID | JOB_HOLD_JID_AD | JOB_TASKS | JOB_TC | JOB_HOLD | JOB_ERROR | JOB_DEPENDED)
#define SLURM_NEEDS_EXTRA (SLURM_ELIGIBLE_TIME | SLURM_NICE | SLURM_SITE_FACTOR | SLURM_DIRECT_PRIORITY)

/* what is kept by row, as every job has it */
#define SLURM_COMPUTED (SLURM_ACCRUE_TIME | SLURM_PRIORITY)

struct job_parts {		/* what a job is about to hold */
	uint32_t class_id, request, name;
	uint32_t allocated;	/* NONE: nothing, or it stays */
};

static int check(const struct mirror *m, const struct job_spec *spec, struct error *error)
{
	if (spec->given & JOB_PRIORITY && (spec->priority < -1023 || spec->priority > 1024))
		return error_set(error, -EINVAL, "\"priority\" is %d: allowed are -1023 to 1024", spec->priority);
	if (spec->given & JOB_SUBMISSION_TIME && spec->submission_time < 0)
		return error_set(error, -EINVAL, "\"submission_time\" is negative");
	if (spec->slurm.given & SLURM_ALLOCATED && slurm_check_tres(m, spec->slurm.allocated.tres, error))
		return -EINVAL;
	return slurm_check_tres(m, spec->slurm.tres, error) ? -EINVAL : condor_check(&spec->condor, error);
}

/* Most jobs are eligible from their submission on, and then have nothing that is rare. */
static bool needs_extra(const struct job_spec *spec)
{
	uint32_t given = spec->slurm.given;

	if (spec->given & JOB_SUBMISSION_TIME && spec->slurm.eligible_time == spec->submission_time)
		given &= ~(uint32_t)SLURM_ELIGIBLE_TIME;
	return spec->given & NEEDS_EXTRA || given & SLURM_NEEDS_EXTRA;
}

static uint32_t name_hold(struct mirror *m, const char *name)
{
	return strings_hold(m->strings, name ? name : "");
}

static void parts_drop(struct mirror *m, const struct job_parts *parts)
{
	if (parts->class_id != NONE)
		classes_drop(&m->classes, parts->class_id);
	if (parts->request != NONE)
		requests_drop(&m->requests, parts->request);
	if (parts->allocated != NONE)
		requests_drop(&m->requests, parts->allocated);
	strings_drop(m->strings, parts->name);
}

static void set_kind(struct jobs *j, uint32_t row, uint16_t flag, bool on)
{
	j->kind[row] = on ? j->kind[row] | flag : j->kind[row] & (uint16_t)~flag;
}

static void set_plain(struct jobs *j, uint32_t row, const struct job_spec *spec)
{
	if (spec->given & JOB_PRIORITY)
		job_fact(j, row, priority) = (uint16_t)(1024 + spec->priority);
	if (spec->given & JOB_SUBMISSION_TIME)
		job_fact(j, row, submission) = spec->submission_time;
	if (spec->given & JOB_RESERVE)
		job_fact(j, row, wishes) = spec->reserve ? JOB_WISHES_RESERVATION : 0;
	if (spec->slurm.given & SLURM_ACCRUE_TIME)
		j->slurm[row].accrue = spec->slurm.accrue_time;
	if (spec->slurm.given & SLURM_PRIORITY)
		j->slurm[row].priority = spec->slurm.priority;
	if (condor_has_numbers(&spec->condor))
		condor_set_numbers(&j->condor[row], &spec->condor);
}

/* Columns that not all jobs have. */
static int reserve_rare(struct jobs *j, const struct job_spec *spec)
{
	return (spec->slurm.given & SLURM_COMPUTED && jobs_reserve_slurm(j)) || (condor_has_numbers(&spec->condor) && jobs_reserve_condor(j)) ?
		       -ENOMEM : 0;
}

/* Job_add */

static int parts_hold(struct mirror *m, const struct job_spec *spec, struct job_parts *parts, struct error *error)
{
	const char *department = (spec->department && *spec->department) || spec->complete ? spec->department : cell_department_of(m->cell, spec->owner);
	struct request_texts request = request_texts_of(spec);
	struct accounting_names from = { 0 };
	char *copy = NULL;
	int rc = spec->condor.given ? accounting_names_of(m, &spec->condor, NULL, &from) : 0;
	const struct class_texts class = { spec->owner, spec->project, department, spec->complete && !spec->account ? "" : slurm_account(m, spec->owner, spec->account, &copy),
					   from.group, from.user, from.domain, spec->jobshare, spec->override_tickets };

	if (rc == 0 && class.account)
		parts->class_id = classes_hold(&m->classes, &class);
	free(copy);
	if (spec->condor.given)
		accounting_names_free(&from);
	parts->name = name_hold(m, spec->name);
	if (parts->class_id == NONE || parts->name == NONE)
		return error_set(error, -ENOMEM, "out of memory");
	if (!spec->complete)
		request.qos = slurm_qos_of(m, parts->class_id, request.partition, request.qos);
	if (condor_changes_ad(&spec->condor))
		request.ad = condor_ad(m, &spec->condor, NONE, &rc, error);
	return rc ? rc : requests_hold(&m->requests, m->cell, &request, &parts->request, error);
}

static int insert(struct mirror *m, struct state *s, const struct job_spec *spec, const struct job_parts *parts, struct error *error)
{
	struct jobs *j = &s->jobs;
	bool waits = true;
	uint32_t row;

	if (jobs_reserve(j) || reserve_rare(j, spec))
		return error_set(error, -ENOMEM, "out of memory for job %u", spec->job_number);
	row = jobs_insert(j, spec->job_number);
	if (needs_extra(spec)) {
		struct job_extra *extra = jobs_extra(j, row);

		if (!extra || extra_set(m, s, row, extra, spec)) {
			jobs_remove(j, row);
			return error_set(error, -ENOMEM, "out of memory for job %u", spec->job_number);
		}
		extra->is_array = spec->given & JOB_TASKS;
		set_kind(j, row, JOB_ARRAY, extra->is_array);
		waits = !extra->is_array || extra->waiting.n > 0;
	}
	job_fact(j, row, class_id) = parts->class_id;
	job_fact(j, row, category) = parts->request;
	job_fact(j, row, name) = parts->name;
	set_plain(j, row, spec);
	set_kind(j, row, JOB_PENDING, waits);
	return 0;
}

int mirror_job_add(struct mirror *m, const struct job_spec *spec, struct error *error)
{
	struct state *s = mirror_target(m);
	struct job_parts parts = { NONE, NONE, NONE, NONE };
	int rc = check(m, spec, error);

	if (rc != 0)
		return rc;
	if (spec->job_number == 0)
		return error_set(error, -EINVAL, "\"job_number\" is 0");
	if (!spec->owner || !*spec->owner)
		return error_set(error, -EINVAL, "\"owner\" is missing");
	if (jobs_find(&s->jobs, spec->job_number) != INDEX_NONE)
		return error_set(error, -EEXIST, "job %u exists already", spec->job_number);
	rc = parts_hold(m, spec, &parts, error);
	if (rc == 0)
		rc = insert(m, s, spec, &parts, error);
	if (rc == 0)
		classes_admit(&m->classes, m->cell, parts.class_id);
	else
		parts_drop(m, &parts);
	return rc;
}

/* Job_modify */

static uint32_t changed_class(struct mirror *m, const struct job_spec *spec, uint32_t old)
{
	struct class_key key = *classes_key(&m->classes, old);
	char *owner = text_chosen(m, spec->given & JOB_OWNER, spec->owner, key.owner);
	char *project = text_chosen(m, spec->given & JOB_PROJECT, spec->project, key.project);
	char *department = text_chosen(m, spec->given & JOB_DEPARTMENT, spec->department, key.department);
	char *kept = text_chosen(m, false, NULL, key.account), *copy = NULL;
	const char *account = spec->given & JOB_ACCOUNT ? slurm_account(m, owner ? owner : "", spec->account, &copy) : kept;
	struct accounting_names from;
	int rc = accounting_names_of(m, &spec->condor, &key, &from);
	const struct class_texts texts = {
		owner, project, department && *department ? department : cell_department_of(m->cell, owner ? owner : ""), account,
		from.group, from.user, from.domain,
		spec->given & JOB_JOBSHARE ? spec->jobshare : key.jobshare,
		spec->given & JOB_OVERRIDE_TICKETS ? spec->override_tickets : key.override_tickets };
	uint32_t id = rc == 0 && owner && project && department && kept && account ? classes_hold(&m->classes, &texts) : NONE;

	free(owner);
	free(project);
	free(department);
	free(kept);
	free(copy);
	accounting_names_free(&from);
	return id;
}

/*
 * What is started can't wait as well, unless it was ordered only: then it does wait in the qmaster.
 */
static int check_tasks(const struct state *s, uint32_t row, const struct job_spec *spec, struct error *error)
{
	for (uint32_t t = s->jobs.first_task[row]; t != NONE; t = s->tasks.items[t].next)
		if (!s->tasks.items[t].order && ranges_contain(&spec->tasks, s->tasks.items[t].id))
			return error_set(error, -EEXIST, "\"tasks\" has task %u of job %u, which is started: allowed are those that are not",
					 s->tasks.items[t].id, spec->job_number);
	return 0;
}

/*
 * What was ordered to start and is not among those that wait in the qmaster is gone: its order will
 * be refused.
 */
static void drop_ordered(struct mirror *m, struct state *s, uint32_t row, const struct ranges *waiting)
{
	uint32_t next;

	for (uint32_t t = s->jobs.first_task[row]; t != NONE; t = next) {
		next = s->tasks.items[t].next;
		if (s->tasks.items[t].order && !ranges_contain(waiting, s->tasks.items[t].id))
			tasks_remove(s, t, m->strings);
	}
}

static int apply(struct mirror *m, struct state *s, uint32_t row, const struct job_spec *spec)
{
	struct jobs *j = &s->jobs;
	struct job_extra *extra;

	if (jobs_reserve_move(j) || jobs_reserve_row(j, row) || reserve_rare(j, spec))
		return -ENOMEM;
	if (needs_extra(spec)) {
		extra = jobs_extra(j, row);
		if (!extra || extra_set(m, s, row, extra, spec))
			return -ENOMEM;
		if (spec->given & JOB_TASKS) {
			extra->is_array = extra->is_array || spec->tasks.n > 0 || j->first_task[row] == NONE;
			if (extra->is_array)
				drop_ordered(m, s, row, &spec->tasks);
			set_kind(j, row, JOB_ARRAY, extra->is_array);
			set_kind(j, row, JOB_PENDING, extra->waiting.n > 0 || (!extra->is_array && j->first_task[row] == NONE));
		}
	}
	if (j->slurm && j->kind[row] & JOB_PENDING)
		j->slurm[row].priority = 0;	/* to be computed anew: INCR_ONLY is about passes */
	set_plain(j, row, spec);
	return jobs_move_to_end(j, row);	/* has room */
}

int mirror_job_modify(struct mirror *m, const struct job_spec *spec, struct error *error)
{
	struct state *s = mirror_target(m);
	uint32_t row = jobs_find(&s->jobs, spec->job_number);
	struct job_parts parts = { NONE, NONE, NONE, NONE };
	int64_t submitted;
	int rc = check(m, spec, error);

	if (rc != 0)
		return rc;
	if (row == INDEX_NONE)
		return error_set(error, -ENOENT, "there is no job %u", spec->job_number);
	submitted = job_fact(&s->jobs, row, submission);
	if (spec->given & JOB_OWNER && (!spec->owner || !*spec->owner))
		return error_set(error, -EINVAL, "\"owner\" is empty");
	rc = check_tasks(s, row, spec, error);
	if (rc == 0)
		parts.class_id = changed_class(m, spec, job_fact(&s->jobs, row, class_id));
	if (parts.class_id != NONE)
		rc = request_changed(m, spec, parts.class_id, job_fact(&s->jobs, row, category), &parts.request, error);
	if (rc == 0 && parts.class_id != NONE)
		rc = slurm_changed_allocation(m, s, row, parts.class_id, spec, &parts.allocated, error);
	parts.name = spec->given & JOB_NAME ? name_hold(m, spec->name) :
		     strings_hold(m->strings, strings_text(m->strings, job_fact(&s->jobs, row, name)));
	if (rc == 0 && (parts.class_id == NONE || parts.name == NONE ||
			  (spec->given & JOB_SUBMISSION_TIME && mirror_meet_before(m, s, row)) || apply(m, s, row, spec)))
		rc = error_set(error, -ENOMEM, "out of memory for job %u", spec->job_number);
	if (rc != 0) {
		parts_drop(m, &parts);
		return rc;
	}

	struct job_parts old = { job_fact(&s->jobs, row, class_id), job_fact(&s->jobs, row, category), job_fact(&s->jobs, row, name),
				 slurm_set_allocation(&s->jobs, row, parts.allocated) };

	job_fact(&s->jobs, row, class_id) = parts.class_id;
	job_fact(&s->jobs, row, category) = parts.request;
	job_fact(&s->jobs, row, name) = parts.name;
	classes_admit(&m->classes, m->cell, parts.class_id);
	parts_drop(m, &old);
	if (spec->given & JOB_SUBMISSION_TIME)
		mirror_submission_changed(s, spec->job_number, submitted, spec->submission_time);
	return 0;
}

int mirror_job_keep(struct mirror *m, uint32_t job_number, struct error *error)
{
	struct state *s = mirror_target(m);
	uint32_t row = jobs_find(&s->jobs, job_number);
	struct job_extra *extra;

	if (row == INDEX_NONE)
		return error_set(error, -ENOENT, "there is no job %u", job_number);
	extra = jobs_reserve_row(&s->jobs, row) ? NULL : jobs_extra(&s->jobs, row);
	if (!extra)
		return error_set(error, -ENOMEM, "out of memory for job %u", job_number);
	extra->stays = true;
	return 0;
}

/* Job_delete */

/*
 * Its started tasks end with it. The last entry says that its number is free, once all that ended
 * before it has been booked; most jobs have nothing to book.
 */
int mirror_job_delete(struct mirror *m, uint32_t job_number, struct error *error)
{
	struct state *s = mirror_target(m);
	uint32_t row = jobs_find(&s->jobs, job_number);
	size_t started = 0;

	if (row == INDEX_NONE)
		return error_set(error, -ENOENT, "there is no job %u", job_number);
	for (uint32_t t = s->jobs.first_task[row]; t != NONE; t = s->tasks.items[t].next)
		started++;
	if (started > 0 || s->nended > 0 || debited_find(s, job_number)) {
		if (state_reserve_ended(s, started + 1))
			return error_set(error, -ENOMEM, "out of memory for job %u", job_number);
		while (s->jobs.first_task[row] != NONE)
			state_end_task(m, s, s->jobs.first_task[row], JOB_DELETED);
		s->ended[s->nended++] = (struct ended_task){ .number = job_number, .submission_time = job_fact(&s->jobs, row, submission),
							     .class_id = job_fact(&s->jobs, row, class_id), .ending = JOB_DELETED, .closes = true };
		classes_hold_again(&m->classes, job_fact(&s->jobs, row, class_id));
	}
	state_remove_job(m, s, row);
	return 0;
}
