/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "sched/qmaster/local/after_ok.h"
#include "sched/qmaster/local/ids.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/steer.h"
#include "sched/qmaster/local/tell.h"

static bool is_meant(const struct selected_job *s, uint32_t id)
{
	return s->tasks.n == 0 || ranges_contain(&s->tasks, id);
}

/* Those that run are told to end after the commit. */
static void delete_started(struct local *l, const struct selected_job *s, bool forced)
{
	struct error error;

	for (size_t i = local_task_first(l, s->job.number); i < l->tasks.n && l->tasks.items[i]->job_number == s->job.number; i++) {
		struct local_task *t = l->tasks.items[i];

		if (local_task_has_ended(t) || !is_meant(s, t->id))
			continue;
		letters_set(t->letters, 'R', false);	/* it does not wait again */
		if (t->removal != REMOVAL_FORCE)
			t->removal = forced ? REMOVAL_FORCE : REMOVAL_DELETE;
		signal_of_job(l, t, &s->job);
		local_task_due(l, t);
		if (local_task_save(l, t, &error)) {
			local_fail(l, &error);
			break;
		}
	}
}

static int forget_job(struct local *l, struct local_job *job, struct error *error)
{
	int rc = tell_deletion(l, job->number, error);

	rc = tell_known(rc, error, job->number);
	return rc ? rc : job_remove(l, job->number, error);
}

/* Whether a row of an ended task still needs the job: its usage is not booked yet. */
static bool has_tasks(const struct local *l, uint32_t job_number)
{
	size_t first = local_task_first(l, job_number);

	return first < l->tasks.n && l->tasks.items[first]->job_number == job_number;
}

/* Those that were to run again don't wait any more: they have ended. */
static int forget_requeued(struct local *l, const struct local_job *job, const struct ranges *gone, struct error *error)
{
	int rc = 0;

	for (size_t i = local_task_first(l, job->number); rc == 0 && i < l->tasks.n && l->tasks.items[i]->job_number == job->number; i++) {
		struct local_task *t = l->tasks.items[i];

		if (!t->ending.requeue || !ranges_contain(gone, t->id))
			continue;
		t->ending.requeue = false;
		rc = local_task_save(l, t, error);
	}
	return rc;
}

int delete_waiting(struct local *l, struct local_job *job, const struct ranges *gone, struct error *error)
{
	int rc = job_drop_waiting(job, gone);

	if (rc)
		return error_set(error, rc, rc == -E2BIG ? "what is left of its tasks would be too scattered" : "out of memory");
	rc = forget_requeued(l, job, gone, error);
	if (rc == 0)
		rc = after_ok_fail(l, job->number, "was deleted", error);
	if (rc)
		return rc;
	if (job->waiting.n == 0 && !has_tasks(l, job->number))
		return forget_job(l, job, error);
	rc = job->waiting.n == 0 && job_is_done(l, job) ?	/* all that is left has ended */
	     tell_deletion(l, job->number, error) : tell_holds(l, job, error);
	rc = tell_known(rc, error, job->number);
	return rc ? rc : job_save(l, job, error);
}

/* Tasks that were told to end before are not told again. */
static bool has_others(const struct local *l, uint32_t job_number)
{
	for (size_t i = local_task_first(l, job_number); i < l->tasks.n && l->tasks.items[i]->job_number == job_number; i++)
		if (!local_task_has_ended(l->tasks.items[i]) && l->tasks.items[i]->removal == REMOVAL_NONE)
			return true;
	return false;
}

int delete_job_whole(struct local *l, uint32_t job_number, struct error *error)
{
	struct selected_job s = { 0 };
	struct ranges gone = { 0 };
	int rc = job_load(l, job_number, &s.job, error);

	if (rc == 0 && has_others(l, job_number)) {
		local_changed(l);
		delete_started(l, &s, false);
	}
	if (rc == 0)
		rc = ranges_copy(&gone, &s.job.waiting);
	if (rc == 0 && gone.n > 0) {
		local_changed(l);
		rc = delete_waiting(l, &s.job, &gone, error);
	}
	ranges_free(&gone);
	job_free(&s.job);
	return rc == -ENOENT ? 0 : rc;
}

/* The ids of those that it concerns which run. -ENOMEM, -E2BIG */
static int started_of(const struct local *l, const struct selected_job *s, struct ranges *ids)
{
	int rc = 0;

	for (size_t i = local_task_first(l, s->job.number); rc == 0 && i < l->tasks.n && l->tasks.items[i]->job_number == s->job.number; i++)
		if (!local_task_has_ended(l->tasks.items[i]) && is_meant(s, l->tasks.items[i]->id))
			rc = ranges_add(ids, l->tasks.items[i]->id);
	return rc;
}

/* Ids as Grid Engine writes them: "1-4:1", "2,3", "1-7:2,9". */
static void ids_write(const struct ranges *ids, char *text, size_t bytes)
{
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; i < ids->n && length < bytes; i++) {
		const struct range *range = &ids->items[i];
		const char *between = i ? "," : "";

		if (range->min == range->max)
			length += (size_t)snprintf(text + length, bytes - length, "%s%u", between, range->min);
		else if (range->max - range->min == range->step)
			length += (size_t)snprintf(text + length, bytes - length, "%s%u,%u", between, range->min, range->max);
		else
			length += (size_t)snprintf(text + length, bytes - length, "%s%u-%u:%u", between, range->min, range->max, range->step);
	}
}

/* "job 5", "job-array task 5.3", "job-array tasks 1-4:1 of job 5" */
static void name_tasks(const struct selected_job *s, const struct ranges *ids, char *name, size_t bytes)
{
	char text[200];

	ids_write(ids, text, sizeof(text));
	if (!s->job.is_array || s->tasks.n == 0)
		snprintf(name, bytes, "job %u", s->job.number);
	else if (ranges_count(ids) == 1)
		snprintf(name, bytes, "job-array task %u.%s", s->job.number, text);
	else
		snprintf(name, bytes, "job-array tasks %s of job %u", text, s->job.number);
}

static void say_deleted(struct client *c, const struct selected_job *s, const struct ranges *gone, const struct ranges *running)
{
	uint32_t number = s->job.number;
	bool tasks = s->job.is_array && s->tasks.n > 0;
	char name[260];

	if (gone->n == 0 && running->n == 0)
		result_add(c, RESULT_NO_JOB, number, 0, "denied: none of these tasks of job %u exists", number);
	name_tasks(s, gone, name, sizeof(name));
	if (gone->n > 0 && (tasks || running->n == 0))
		result_add(c, RESULT_DONE, number, tasks && ranges_count(gone) == 1 ? gone->items[0].min : 0, "%s has deleted %s", c->owner, name);
	name_tasks(s, running, name, sizeof(name));
	if (running->n > 0)
		result_add(c, RESULT_DONE, number, tasks && ranges_count(running) == 1 ? running->items[0].min : 0,
			   "%s has registered the %s for deletion", c->owner, name);
}

static void delete_job(struct local *l, struct client *c, struct selected_job *s, void *context)
{
	uint32_t number = s->job.number;
	struct ranges gone = { 0 }, running = { 0 };
	struct error error = { "" };
	int rc;

	rc = s->tasks.n > 0 ? ids_intersect(&gone, &s->job.waiting, &s->tasks) : ranges_copy(&gone, &s->job.waiting);
	if (rc == 0)
		rc = started_of(l, s, &running);
	if (rc == 0)
		delete_started(l, s, *(const bool *)context);
	local_changed(l);
	if (rc == 0 && gone.n > 0)
		rc = delete_waiting(l, &s->job, &gone, &error);
	if (rc == -E2BIG)
		result_add(c, RESULT_WRONG, number, 0, "%s", error.text);
	else if (rc)
		local_fail(l, &error);
	else
		say_deleted(c, s, &gone, &running);
	ranges_free(&gone);
	ranges_free(&running);
}

void request_delete(struct local *l, struct client *c, json_t *request)
{
	bool forced = json_is_true(json_object_get(request, "force"));

	select_jobs(l, c, request, delete_job, &forced, sizeof(forced));
}
