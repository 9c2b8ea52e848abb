/* SPDX-License-Identifier: Apache-2.0 */
/* Events about jobs: added, modified, deleted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/inside.h"

#define NEEDS_EXTRA \
	(JOB_DEADLINE | JOB_EXECUTION_TIME | JOB_HOLD_JID | JOB_HOLD_JID_AD | JOB_TASKS | JOB_TC | JOB_HOLD | \
	 JOB_ERROR | JOB_DEPENDED)
#define SLURM_NEEDS_EXTRA (SLURM_ELIGIBLE_TIME | SLURM_NICE | SLURM_SITE_FACTOR | SLURM_DIRECT_PRIORITY)

/* values that are stored by row, as every job has them */
#define SLURM_COMPUTED (SLURM_ACCRUE_TIME | SLURM_PRIORITY)

struct job_parts {		/* references that a job is about to hold */
	uint32_t class_id, request, name;
	uint32_t allocated;	/* request id; NONE: none, or unchanged */
};

static int check(const struct mirror *mirror, const struct job_spec *spec, struct error *error)
{
	if (spec->given & JOB_PRIORITY && (spec->priority < -1023 || spec->priority > 1024))
		return error_set(error, -EINVAL, "\"priority\" is %d: allowed are -1023 to 1024", spec->priority);
	if (spec->given & JOB_SUBMISSION_TIME && spec->submission_time < 0)
		return error_set(error, -EINVAL, "\"submission_time\" is negative");
	if (spec->slurm.given & SLURM_ALLOCATED && slurm_check_tres(mirror, spec->slurm.allocated.tres, error))
		return -EINVAL;
	return slurm_check_tres(mirror, spec->slurm.tres, error) ? -EINVAL : condor_check(&spec->condor, error);
}

static bool reports_eligible(const struct job_spec *spec)
{
	return spec->slurm.given & SLURM_ELIGIBLE_TIME;
}

/*
 * Return whether the job needs an extra record. Most jobs are eligible at submission and need none.
 * `submission`: submission time of a known job.
 */
static bool needs_extra(const struct job_spec *spec, int64_t submission)
{
	uint32_t given = spec->slurm.given;

	if (spec->given & JOB_SUBMISSION_TIME)
		submission = spec->submission_time;
	if (submission && spec->slurm.eligible_time == submission)
		given &= ~(uint32_t)SLURM_ELIGIBLE_TIME;
	return spec->given & NEEDS_EXTRA || given & SLURM_NEEDS_EXTRA;
}

static uint32_t name_hold(struct mirror *mirror, const char *name)
{
	return strings_hold(mirror->strings, name ? name : "");
}

static void parts_drop(struct mirror *mirror, const struct job_parts *parts)
{
	if (parts->class_id != NONE)
		classes_drop(&mirror->classes, parts->class_id);
	if (parts->request != NONE)
		requests_drop(&mirror->requests, parts->request);
	if (parts->allocated != NONE)
		requests_drop(&mirror->requests, parts->allocated);
	strings_drop(mirror->strings, parts->name);
}

static void set_kind(struct jobs *jobs, uint32_t row, uint16_t flag, bool on)
{
	jobs->kind[row] = on ? jobs->kind[row] | flag : jobs->kind[row] & (uint16_t)~flag;
}

static void set_wish(struct jobs *jobs, uint32_t row, uint16_t flag, bool on)
{
	uint16_t *wishes = &job_fact(jobs, row, wishes);

	*wishes = on ? *wishes | flag : *wishes & (uint16_t)~flag;
}

static void set_plain(struct jobs *jobs, uint32_t row, const struct job_spec *spec)
{
	if (spec->given & JOB_PRIORITY)
		job_fact(jobs, row, priority) = (uint16_t)(1024 + spec->priority);
	if (spec->given & JOB_SUBMISSION_TIME)
		job_fact(jobs, row, submission) = spec->submission_time;
	if (spec->given & JOB_RESERVE)
		set_wish(jobs, row, JOB_WISHES_RESERVATION, spec->reserve);
	if (reports_eligible(spec))
		set_wish(jobs, row, JOB_ELIGIBLE_AT_SUBMISSION,
			 spec->slurm.eligible_time && spec->slurm.eligible_time == job_fact(jobs, row, submission));
	if (spec->slurm.given & SLURM_ACCRUE_TIME)
		jobs->slurm[row].accrue = spec->slurm.accrue_time;
	if (spec->slurm.given & SLURM_PRIORITY)
		jobs->slurm[row].priority = spec->slurm.priority;
	if (condor_has_numbers(&spec->condor))
		condor_set_numbers(&jobs->condor[row], &spec->condor);
}

/* Reserve columns that not all jobs need. */
static int reserve_rare(struct jobs *jobs, const struct job_spec *spec)
{
	return (spec->slurm.given & SLURM_COMPUTED && jobs_reserve_slurm(jobs)) ||
	       (condor_has_numbers(&spec->condor) && jobs_reserve_condor(jobs)) ?
		       -ENOMEM : 0;
}

/* job_add */

static int parts_hold(struct mirror *mirror, const struct job_spec *spec, struct job_parts *parts, struct error *error)
{
	const char *department = (spec->department && *spec->department) || spec->complete ?
				 spec->department : cell_department_of(mirror->cell, spec->owner);
	struct request_texts request = request_texts_of(spec);
	struct accounting_names from = { 0 };
	char *copy = NULL;
	int rc = spec->condor.given ? accounting_names_of(mirror, &spec->condor, NULL, &from) : 0;
	const struct class_texts class = {
		spec->owner, spec->project, department,
		spec->complete && !spec->account ? "" : slurm_account(mirror, spec->owner, spec->account, &copy),
		from.group, from.user, from.domain, spec->jobshare, spec->override_tickets };

	if (rc == 0 && class.account)
		parts->class_id = classes_hold(&mirror->classes, &class);
	free(copy);
	if (spec->condor.given)
		accounting_names_free(&from);
	parts->name = name_hold(mirror, spec->name);
	if (parts->class_id == NONE || parts->name == NONE)
		return error_set(error, -ENOMEM, "out of memory");
	if (!spec->complete)
		request.qos = slurm_qos_of(mirror, parts->class_id, request.partition, request.qos);
	if (condor_changes_ad(&spec->condor))
		request.ad = condor_ad(mirror, &spec->condor, NONE, &rc, error);
	return rc ? rc : requests_hold(&mirror->requests, mirror->cell, &request, &parts->request, error);
}

static int insert(struct mirror *mirror, struct state *state, const struct job_spec *spec,
		  const struct job_parts *parts, struct error *error)
{
	struct jobs *jobs = &state->jobs;
	bool waits = true;
	uint32_t row;

	if (jobs_reserve(jobs) || reserve_rare(jobs, spec))
		return error_set(error, -ENOMEM, "out of memory for job %u", spec->job_number);
	row = jobs_insert(jobs, spec->job_number);
	if (needs_extra(spec, 0)) {
		struct job_extra *extra = jobs_extra(jobs, row);

		if (!extra || extra_set(mirror, state, row, extra, spec)) {
			jobs_remove(jobs, row);
			return error_set(error, -ENOMEM, "out of memory for job %u", spec->job_number);
		}
		extra->is_array = spec->given & JOB_TASKS;
		set_kind(jobs, row, JOB_ARRAY, extra->is_array);
		waits = !extra->is_array || extra->waiting.n > 0;
	}
	job_fact(jobs, row, class_id) = parts->class_id;
	job_fact(jobs, row, category) = parts->request;
	job_fact(jobs, row, name) = parts->name;
	set_plain(jobs, row, spec);
	set_kind(jobs, row, JOB_PENDING, waits);
	return 0;
}

int mirror_job_add(struct mirror *mirror, const struct job_spec *spec, struct error *error)
{
	struct state *state = mirror_target(mirror);
	struct job_parts parts = { NONE, NONE, NONE, NONE };
	int rc = check(mirror, spec, error);

	if (rc != 0)
		return rc;
	if (spec->job_number == 0)
		return error_set(error, -EINVAL, "\"job_number\" is 0");
	if (!spec->owner || !*spec->owner)
		return error_set(error, -EINVAL, "\"owner\" is missing");
	if (jobs_find(&state->jobs, spec->job_number) != INDEX_NONE)
		return error_set(error, -EEXIST, "job %u exists already", spec->job_number);
	rc = parts_hold(mirror, spec, &parts, error);
	if (rc == 0)
		rc = insert(mirror, state, spec, &parts, error);
	if (rc == 0)
		classes_admit(&mirror->classes, mirror->cell, parts.class_id);
	else
		parts_drop(mirror, &parts);
	return rc;
}

/* job_modify */

static uint32_t changed_class(struct mirror *mirror, const struct job_spec *spec, uint32_t old)
{
	struct class_key key = *classes_key(&mirror->classes, old);
	char *owner = text_chosen(mirror, spec->given & JOB_OWNER, spec->owner, key.owner);
	char *project = text_chosen(mirror, spec->given & JOB_PROJECT, spec->project, key.project);
	char *department = text_chosen(mirror, spec->given & JOB_DEPARTMENT, spec->department, key.department);
	char *kept = text_chosen(mirror, false, NULL, key.account), *copy = NULL;
	const char *account = spec->given & JOB_ACCOUNT ?
			      slurm_account(mirror, owner ? owner : "", spec->account, &copy) : kept;
	struct accounting_names from;
	int rc = accounting_names_of(mirror, &spec->condor, &key, &from);
	const struct class_texts texts = {
		owner, project,
		department && *department ? department : cell_department_of(mirror->cell, owner ? owner : ""),
		account,
		from.group, from.user, from.domain,
		spec->given & JOB_JOBSHARE ? spec->jobshare : key.jobshare,
		spec->given & JOB_OVERRIDE_TICKETS ? spec->override_tickets : key.override_tickets };
	uint32_t id = rc == 0 && owner && project && department && kept && account ?
		      classes_hold(&mirror->classes, &texts) : NONE;

	free(owner);
	free(project);
	free(department);
	free(kept);
	free(copy);
	accounting_names_free(&from);
	return id;
}

/*
 * Check the ids of pending tasks. A started task cannot be pending, unless its start is only
 * ordered: then the qmaster still has it as pending.
 */
static int check_tasks(const struct state *state, uint32_t row, const struct job_spec *spec, struct error *error)
{
	for (uint32_t t = state->jobs.first_task[row]; t != NONE; t = state->tasks.items[t].next)
		if (!state->tasks.items[t].order && ranges_contain(&spec->tasks, state->tasks.items[t].id))
			return error_set(error, -EEXIST,
					 "\"tasks\" has task %u of job %u, which is started: allowed are tasks "
					 "that are not started",
					 state->tasks.items[t].id, spec->job_number);
	return 0;
}

/*
 * Drop tasks with an ordered start that are not pending in the qmaster any more. Their orders will
 * be refused.
 */
static void drop_ordered(struct mirror *mirror, struct state *state, uint32_t row, const struct ranges *waiting)
{
	uint32_t next;

	for (uint32_t t = state->jobs.first_task[row]; t != NONE; t = next) {
		next = state->tasks.items[t].next;
		if (state->tasks.items[t].order && !ranges_contain(waiting, state->tasks.items[t].id))
			tasks_remove(state, t, mirror->strings);
	}
}

/*
 * Repeat the reported eligible time, which may have no place of its own before the job is modified.
 */
static struct job_spec spec_with_eligible(const struct jobs *jobs, uint32_t row, const struct job_spec *spec)
{
	struct job_spec whole = *spec;

	if (!reports_eligible(spec) && job_fact(jobs, row, wishes) & JOB_ELIGIBLE_AT_SUBMISSION) {
		whole.slurm.eligible_time = job_fact(jobs, row, submission);
		whole.slurm.given |= SLURM_ELIGIBLE_TIME;
	}
	return whole;
}

static int apply(struct mirror *mirror, struct state *state, uint32_t row, const struct job_spec *reported)
{
	struct jobs *jobs = &state->jobs;
	const struct job_spec whole = spec_with_eligible(jobs, row, reported), *spec = &whole;
	bool is_new = !jobs_find_extra(jobs, row);
	struct job_extra *extra;

	if (jobs_reserve_move(jobs) || jobs_reserve_row(jobs, row) || reserve_rare(jobs, spec))
		return -ENOMEM;
	if (needs_extra(spec, job_fact(jobs, row, submission)) || (reports_eligible(spec) && !is_new)) {
		extra = jobs_extra(jobs, row);
		if (!extra || extra_set(mirror, state, row, extra, spec)) {
			if (is_new)
				jobs_drop_extra(jobs, row);
			return -ENOMEM;
		}
		if (spec->given & JOB_TASKS) {
			extra->is_array = extra->is_array || spec->tasks.n > 0 || jobs->first_task[row] == NONE;
			if (extra->is_array)
				drop_ordered(mirror, state, row, &spec->tasks);
			set_kind(jobs, row, JOB_ARRAY, extra->is_array);
			set_kind(jobs, row, JOB_PENDING,
				 extra->waiting.n > 0 || (!extra->is_array && jobs->first_task[row] == NONE));
		}
	}
	if (jobs->slurm && jobs->kind[row] & JOB_PENDING)
		/* must be computed again: INCR_ONLY refers to passes */
		jobs->slurm[row].priority = 0;
	set_plain(jobs, row, spec);
	return jobs_move_to_end(jobs, row);	/* memory is reserved */
}

int mirror_job_modify(struct mirror *mirror, const struct job_spec *spec, struct error *error)
{
	struct state *state = mirror_target(mirror);
	uint32_t row = jobs_find(&state->jobs, spec->job_number);
	struct job_parts parts = { NONE, NONE, NONE, NONE };
	int64_t submitted;
	int rc = check(mirror, spec, error);

	if (rc != 0)
		return rc;
	if (row == INDEX_NONE)
		return error_set(error, -ENOENT, "there is no job %u", spec->job_number);
	submitted = job_fact(&state->jobs, row, submission);
	if (spec->given & JOB_OWNER && (!spec->owner || !*spec->owner))
		return error_set(error, -EINVAL, "\"owner\" is empty");
	rc = check_tasks(state, row, spec, error);
	if (rc == 0)
		parts.class_id = changed_class(mirror, spec, job_fact(&state->jobs, row, class_id));
	if (parts.class_id != NONE)
		rc = request_changed(mirror, spec, parts.class_id, job_fact(&state->jobs, row, category),
				     &parts.request, error);
	if (rc == 0 && parts.class_id != NONE)
		rc = slurm_changed_allocation(mirror, state, row, parts.class_id, spec, &parts.allocated, error);
	parts.name = spec->given & JOB_NAME ? name_hold(mirror, spec->name) :
		     strings_hold(mirror->strings, strings_text(mirror->strings, job_fact(&state->jobs, row, name)));
	if (rc == 0 && (parts.class_id == NONE || parts.name == NONE ||
			(spec->given & JOB_SUBMISSION_TIME && mirror_find_debited(mirror, state, row)) ||
			apply(mirror, state, row, spec)))
		rc = error_set(error, -ENOMEM, "out of memory for job %u", spec->job_number);
	if (rc != 0) {
		parts_drop(mirror, &parts);
		return rc;
	}

	struct job_parts old = { job_fact(&state->jobs, row, class_id), job_fact(&state->jobs, row, category),
				 job_fact(&state->jobs, row, name),
				 slurm_set_allocation(&state->jobs, row, parts.allocated) };

	job_fact(&state->jobs, row, class_id) = parts.class_id;
	job_fact(&state->jobs, row, category) = parts.request;
	job_fact(&state->jobs, row, name) = parts.name;
	classes_admit(&mirror->classes, mirror->cell, parts.class_id);
	parts_drop(mirror, &old);
	if (spec->given & JOB_SUBMISSION_TIME)
		mirror_submission_changed(state, spec->job_number, submitted, spec->submission_time);
	return 0;
}

int mirror_job_keep(struct mirror *mirror, uint32_t job_number, struct error *error)
{
	struct state *state = mirror_target(mirror);
	uint32_t row = jobs_find(&state->jobs, job_number);
	struct job_extra *extra;

	if (row == INDEX_NONE)
		return error_set(error, -ENOENT, "there is no job %u", job_number);
	extra = jobs_reserve_row(&state->jobs, row) ? NULL : jobs_extra(&state->jobs, row);
	if (!extra)
		return error_set(error, -ENOMEM, "out of memory for job %u", job_number);
	extra->stays = true;
	return 0;
}

/* job_delete */

/*
 * Delete a job. Its started tasks end with it. The last entry marks its number as free, after all
 * earlier ends have been booked. Most jobs have nothing to book.
 */
int mirror_job_delete(struct mirror *mirror, uint32_t job_number, struct error *error)
{
	struct state *state = mirror_target(mirror);
	uint32_t row = jobs_find(&state->jobs, job_number);
	size_t started = 0;

	if (row == INDEX_NONE)
		return error_set(error, -ENOENT, "there is no job %u", job_number);
	for (uint32_t t = state->jobs.first_task[row]; t != NONE; t = state->tasks.items[t].next)
		started++;
	if (started > 0 || state->nended > 0 || debited_find(state, job_number)) {
		if (state_reserve_ended(state, started + 1))
			return error_set(error, -ENOMEM, "out of memory for job %u", job_number);
		while (state->jobs.first_task[row] != NONE)
			state_end_task(mirror, state, state->jobs.first_task[row], JOB_DELETED);
		state->ended[state->nended++] = (struct ended_task){
			.number = job_number,
			.submission_time = job_fact(&state->jobs, row, submission),
			.class_id = job_fact(&state->jobs, row, class_id),
			.ending = JOB_DELETED,
			.closes = true };
		classes_hold_again(&mirror->classes, job_fact(&state->jobs, row, class_id));
	}
	state_remove_job(mirror, state, row);
	return 0;
}
