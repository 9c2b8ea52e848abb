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

static bool list_has(const json_t *list, json_int_t number)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry)
		if (json_integer_value(entry) == number)
			return true;
	return false;
}

/*
 * Check a predecessor. A job that no longer exists has succeeded, unless its number is in `failed`.
 * A number that was not used yet is refused.
 */
static int predecessor_check(struct local *local, const struct ranges *failed, const json_t *entry, struct error *error)
{
	json_int_t number = json_integer_value(entry);
	struct local_job job;
	char last[32] = "0";
	int rc;

	if (!json_is_integer(entry) || number < 1 || number > STORE_JOB_NUMBER_MAX)
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

/*
 * Make the requested or current hold_jid, with the numbers of `more` and without those of `less`.
 */
static json_t *hold_jid_make(const struct local_job *job, const json_t *request, const json_t *more, const json_t *less)
{
	json_t *asked = json_object_get(request, "hold_jid"),
	       *old = asked ? asked : json_object_get(job->request, "hold_jid");
	json_t *list = json_array(), *entry;
	size_t i;

	json_array_foreach(old, i, entry)
		if (asked || !list_has(less, json_integer_value(entry)))
			json_array_append(list, entry);
	json_array_foreach(more, i, entry)
		if (!list_has(list, json_integer_value(entry)))
			json_array_append(list, entry);
	return list;
}

int after_ok_take(struct local *local, struct local_job *job, json_t *request, struct error *error)
{
	json_t *asked = json_incref(json_object_get(request, MEMBER)), *old = json_object_get(job->execution, MEMBER),
	       *entry;
	struct ranges failed = { 0 };
	int rc = 0;
	size_t i;

	json_object_del(request, MEMBER);
	if (asked && !json_is_null(asked) && !json_is_array(asked))
		rc = error_set(error, -EINVAL, "job rejected: " MEMBER ": an array is expected");
	if (rc == 0 && json_array_size(asked) > PREDECESSORS_MOST)
		rc = error_set(error, -EINVAL, "job rejected: " MEMBER ": at most %d jobs are allowed",
			       PREDECESSORS_MOST);
	if (rc == 0 && json_array_size(asked) > 0)
		rc = failed_load(local, &failed, error);
	json_array_foreach(asked, i, entry)
		if (rc == 0)
			rc = predecessor_check(local, &failed, entry, error);
	if (rc == 0 && (asked || (old && json_object_get(request, "hold_jid"))))
		rc = json_object_set_new(request, "hold_jid", hold_jid_make(job, request, asked ? asked : old, old))
			     ? -ENOMEM
			     : 0;
	if (rc == 0 && json_array_size(asked) > 0)
		rc = json_object_set(job->execution, MEMBER, asked) ? -ENOMEM : 0;
	else if (rc == 0 && asked)
		json_object_del(job->execution, MEMBER);
	after_ok_note(local, job);
	ranges_free(&failed);
	json_decref(asked);
	return rc == -ENOMEM ? error_set(error, rc, "out of memory") : rc;
}

void after_ok_note(struct local *local, const struct local_job *job)
{
	local->after_ok |= json_object_get(job->execution, MEMBER) != NULL;
}

/* Failures */

static int dependent_fail(struct local *local, uint32_t number, uint32_t predecessor, const char *how,
			  struct error *error)
{
	char why[HOW_BYTES];
	struct local_job job;
	int rc = job_load(local, number, &job, error);

	if (rc == 0 && job.waiting.n > 0 && list_has(json_object_get(job.execution, MEMBER), predecessor)) {
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
