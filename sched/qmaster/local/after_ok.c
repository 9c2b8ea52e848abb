/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/after_ok.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/queries.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/report.h"

#define MEMBER "after_ok"
#define FAILED_KEY "failed_jobs"
#define FAILED_MOST 1000		/* failed jobs that are kept */
#define FAILED_BYTES 16384		/* bytes of their numbers as text */
#define HOW_BYTES 400
#define PREDECESSORS_MOST 100 /* limit, because each is searched in the store and in hold_jid */

/* Last failed jobs */

static int failed_load(struct local *local, struct ranges *failed, struct error *error)
{
	char *text = malloc(FAILED_BYTES);
	int rc = text ? store_meta_get(local->store, FAILED_KEY, text, FAILED_BYTES, error)
		      : error_set(error, -ENOMEM, "out of memory");

	if (rc == 0 && (rc = ranges_parse(failed, text)) != 0)
		rc = error_set(error, rc == -ENOMEM ? rc : -EUCLEAN,
			       "the store's " FAILED_KEY ": \"%.40s\" are not job numbers", text);
	free(text);
	return rc == -ENOENT ? 0 : rc;
}

static int failed_save(struct local *local, struct ranges *failed, struct error *error)
{
	char *text = malloc(FAILED_BYTES);
	int rc = text ? 0 : -ENOMEM;

	while (rc == 0 &&
	       (ranges_count(failed) > FAILED_MOST || ranges_format(failed, text, FAILED_BYTES) >= FAILED_BYTES))
		rc = ranges_remove(failed, failed->items[0].min);
	rc = rc ? error_set(error, rc, "out of memory") : store_meta_put(local->store, FAILED_KEY, text, error);
	free(text);
	return rc;
}

/* Requests */

static bool list_has(const uint32_t *list, size_t n, int64_t number)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == number)
			return true;
	return false;
}

/*
 * Check a predecessor. A job that no longer exists has succeeded, unless its number is in `failed`.
 * A number that was not used yet is refused.
 */
static int predecessor_check(struct local *local, const struct ranges *failed, const struct value *entry,
			     struct error *error)
{
	int64_t number = value_integer(entry);
	struct local_job job;
	char last[32] = "0";
	int rc;

	if (number < 1 || number > STORE_JOB_NUMBER_MAX)
		return error_set(error, -EINVAL, "job rejected: " MEMBER ": job numbers from 1 to %u are expected",
				 STORE_JOB_NUMBER_MAX);
	if (ranges_contain(failed, (uint32_t)number))
		return error_set(error, -EINVAL, "job rejected: " MEMBER ": job %lld has failed", (long long)number);
	rc = job_load(local, (uint32_t)number, &job, error);
	job_free(&job);
	if (rc == -ENOENT)
		rc = store_meta_get(local->store, "job_number", last, sizeof(last), error);
	if ((rc == 0 || rc == -ENOENT) && *last != '0' && number > atoll(last))
		rc = -ENOENT;
	return rc == -ENOENT ? error_set(error, -EINVAL, "job rejected: " MEMBER ": job %lld does not exist",
					 (long long)number)
			     : rc;
}

/* Check the requested predecessors. `asked` NULL: none. `list` gets their numbers. */
static int predecessors_check(struct local *local, const struct value *asked, struct taking *taking,
			      struct number_list *list, struct error *error)
{
	struct ranges failed = { 0 };
	uint32_t *numbers;
	int rc = 0;

	if (asked && asked->type != VALUE_NULL && asked->type != VALUE_ARRAY)
		return error_set(error, -EINVAL, "job rejected: " MEMBER ": an array is expected");
	if (value_size(asked) > PREDECESSORS_MOST)
		return error_set(error, -EINVAL, "job rejected: " MEMBER ": at most %d jobs are allowed",
				 PREDECESSORS_MOST);
	if (value_size(asked) == 0)
		return 0;
	numbers = taking_array(taking, asked->n, sizeof(*numbers));
	rc = numbers ? failed_load(local, &failed, error) : -ENOMEM;
	list->items = numbers;
	value_each(entry, asked) {
		if (rc == 0)
			rc = predecessor_check(local, &failed, entry, error);
		if (rc == 0)
			numbers[list->n++] = (uint32_t)entry->integer;
	}
	ranges_free(&failed);
	return rc;
}

/*
 * Set hold_jid of the request: the requested or current list without the numbers of `less`, which
 * counts only for the current list, and with the numbers of `more`.
 */
static int hold_jid_set(const struct local_job *job, struct job_request *request, struct taking *taking,
			struct number_list more, struct number_list less)
{
	bool asked = job_request_has(request, "hold_jid");
	const struct job_spec *old = asked ? &request->spec : &job->request.spec;
	uint32_t *numbers = taking_array(taking, old->nhold_jid + more.n, sizeof(*numbers));
	size_t n = 0;

	if (!numbers)
		return -ENOMEM;
	for (size_t i = 0; i < old->nhold_jid; i++)
		if (asked || !list_has(less.items, less.n, old->hold_jid[i]))
			numbers[n++] = old->hold_jid[i];
	for (size_t i = 0; i < more.n; i++)
		if (!list_has(numbers, n, more.items[i]))
			numbers[n++] = more.items[i];
	return job_request_set_jobs(request, taking, (struct number_list){ numbers, n });
}

int after_ok_ask(struct job_request *request, struct taking *taking, struct number_list jobs)
{
	struct value *list = taking_array(taking, jobs.n + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	list[0] = (struct value){ .name = MEMBER, .type = VALUE_ARRAY, .n = (uint32_t)jobs.n,
				  .span = (uint32_t)jobs.n + 1 };
	for (size_t i = 0; i < jobs.n; i++)
		list[i + 1] = (struct value){ .type = VALUE_INTEGER, .integer = jobs.items[i], .span = 1 };
	return job_request_ask_member(request, taking, list);
}

int after_ok_take(struct local *local, struct local_job *job, struct job_request *request, struct taking *taking,
		  struct error *error)
{
	const struct value *asked = member_list_kept(&request->members, MEMBER);
	struct number_list old = job->execution.after_ok, list = { NULL, 0 };
	int rc;

	member_list_remove(&request->members, MEMBER);
	rc = predecessors_check(local, asked, taking, &list, error);
	if (rc == 0 && (asked || (old.n > 0 && job_request_has(request, "hold_jid"))))
		rc = hold_jid_set(job, request, taking, asked ? list : old, old);
	if (rc == 0 && asked)
		rc = execution_set_after_ok(&job->execution, taking, list);
	after_ok_note(local, job);
	return rc == -ENOMEM ? error_set(error, rc, "out of memory") : rc;
}

void after_ok_note(struct local *local, const struct local_job *job)
{
	local->after_ok |= job->execution.after_ok.n > 0;
}

/* Failures */

static bool is_predecessor(const struct local_job *job, uint32_t number)
{
	return list_has(job->execution.after_ok.items, job->execution.after_ok.n, number);
}

static int dependent_fail(struct local *local, uint32_t number, uint32_t predecessor, const char *how,
			  struct error *error)
{
	char why[HOW_BYTES];
	struct local_job job;
	int rc = job_load(local, number, &job, error);

	if (rc == 0 && job.waiting.n > 0 && is_predecessor(&job, predecessor)) {
		snprintf(
			why, sizeof(why),
			"job %u %s, and this job was to run only after its success (--after-ok); \"fairlead mod -cj "
			"%u\" lets it run nevertheless",
			predecessor, how, number);
		rc = job_fail_whole(&job, why) ? error_set(error, -ENOMEM, "out of memory")
					       : report_known(report_holds(local, &job, error), error, number);
		rc = rc ? rc : job_save(local, &job, error);
		local->turn.asked = true;
	}
	job_free(&job);
	return rc == -ENOENT ? 0 : rc;
}

static bool waits_for(const struct mirror *mirror, uint32_t row, uint32_t number)
{
	const struct job_extra *extra = mirror_row_extra(mirror, row);

	for (size_t i = 0; extra && i < extra->nhold_jid; i++)
		if (extra->hold_jid[i] == number)
			return true;
	return false;
}

static int dependents_fail(struct local *local, uint32_t number, const char *how, struct error *error)
{
	const struct mirror *mirror = local->intake->mirror;
	uint32_t *dependents = malloc((mirror_job_count(mirror) + 1) * sizeof(*dependents)), row;
	size_t n = 0, place = 0;
	int rc = dependents ? 0 : error_set(error, -ENOMEM, "out of memory");

	/* collect first: the list changes while jobs are changed */
	while (dependents && (row = mirror_next_job(mirror, &place)) != INDEX_NONE)
		if (waits_for(mirror, row, number))
			dependents[n++] = mirror_row_number(mirror, row);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = dependent_fail(local, dependents[i], number, how, error);
	free(dependents);
	return rc;
}

int after_ok_fail(struct local *local, uint32_t number, const char *how, struct error *error)
{
	struct ranges failed = { 0 };
	int rc = failed_load(local, &failed, error);

	if (rc == 0 && !ranges_contain(&failed, number)) {
		rc = ranges_add(&failed, number) == -ENOMEM ? error_set(error, -ENOMEM, "out of memory")
							    : failed_save(local, &failed, error);
		if (rc == 0 && local->after_ok)
			rc = dependents_fail(local, number, how, error);
	}
	ranges_free(&failed);
	return rc;
}
