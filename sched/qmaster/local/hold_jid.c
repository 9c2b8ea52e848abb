/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs for which a job waits: -hold_jid, --after-ok and -hold_jid_ad, which may name them by
 * patterns.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/wildcard.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/name_search.h"
#include "sched/qmaster/local/request.h"

#define ARRAYS_MAX 100		/* limit of jobs in hold_jid_ad, because each is read */

/* Numbers and other entries of a list, with names and patterns resolved. */
struct resolving {
	const char *member;
	struct value *items;
	size_t n, capacity;
};

/* Append a value with its `span`. Returns 0 or -ENOMEM. */
static int resolved_add(struct resolving *resolving, const struct value *value)
{
	size_t capacity = 2 * (resolving->n + value->span);

	if (resolving->n + value->span > resolving->capacity) {
		if (array_grow(&resolving->items, capacity, sizeof(*resolving->items)))
			return -ENOMEM;
		resolving->capacity = capacity;
	}
	memcpy(&resolving->items[resolving->n], value, value->span * sizeof(*value));
	resolving->n += value->span;
	resolving->items[0].n++;
	return 0;
}

static int hold_jid_add(struct local *local, struct client *client, struct resolving *resolving,
			const struct value *entry, struct error *error)
{
	struct name_search named = { .client = client, .pattern = value_text(entry) };
	int rc;

	if (!named.pattern)
		return resolved_add(resolving, entry) ? error_set(error, -ENOMEM, "out of memory") : 0;
	if (strlen(named.pattern) >= WILDCARD_BYTES)
		return error_set(error, -EINVAL, "job rejected: %s: a name or pattern has fewer than %d bytes",
				 resolving->member, WILDCARD_BYTES);
	rc = name_search_run(local, client, &named);
	for (size_t i = 0; rc == 0 && i < named.n; i++) {
		const struct value number = { .type = VALUE_INTEGER, .integer = named.numbers[i], .span = 1 };

		rc = resolved_add(resolving, &number);
	}
	free(named.numbers);
	if (rc == -E2BIG || resolving->items[0].n > ENTRIES_MAX)
		return error_set(
			error, -EINVAL,
			"job rejected: %s: its patterns match more than %d jobs or need too many comparisons; use "
			"fewer patterns, or numbers",
			resolving->member, ENTRIES_MAX);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

static size_t hold_patterns(const struct value *list)
{
	size_t n = 0;

	value_each(entry, list)
		n += entry->type == VALUE_STRING;
	return n;
}

/* Resolve the names and patterns in a list. The result belongs to `taking`. */
static int list_resolve(struct local *local, struct client *client, const char *member, const struct value *asked,
			struct taking *taking, const struct value **resolved, struct error *error)
{
	const struct value none = { .name = member, .type = VALUE_ARRAY, .span = 1, .at = asked->at };
	struct resolving resolving = { .member = member };
	struct value *copy = NULL;
	int rc;

	if (asked->n > PATTERNS_MAX && hold_patterns(asked) > PATTERNS_MAX)
		return error_set(error, -EINVAL, "job rejected: %s: at most %d names or patterns are allowed", member,
				 PATTERNS_MAX);
	rc = resolved_add(&resolving, &none) ? error_set(error, -ENOMEM, "out of memory") : 0;
	if (rc == 0)
		resolving.items[0].n = 0;
	value_each(entry, asked)
		if (rc == 0)
			rc = hold_jid_add(local, client, &resolving, entry, error);
	if (rc == 0 && (copy = taking_array(taking, resolving.n, sizeof(*copy))) == NULL)
		rc = error_set(error, -ENOMEM, "out of memory");
	if (rc == 0) {
		resolving.items[0].span = (uint32_t)resolving.n;
		memcpy(copy, resolving.items, resolving.n * sizeof(*copy));
		*resolved = copy;
	}
	free(resolving.items);
	return rc;
}

static int check_member(struct local *local, struct client *client, struct job_request *request,
			struct taking *taking, const char *member, struct error *error)
{
	const struct value *asked = member_list_kept(&request->members, member), *resolved = NULL;
	int rc = value_is(asked, VALUE_ARRAY)
			 ? list_resolve(local, client, member, asked, taking, &resolved, error)
			 : 0;

	if (rc)
		return rc;
	/* a list of numbers now, or without its form */
	return job_request_settle(request, taking, member, resolved) ? error_set(error, -ENOMEM, "out of memory") : 0;
}

int check_hold_jid(struct local *local, struct client *client, struct job_request *request, struct taking *taking,
		   struct error *error)
{
	int rc = check_member(local, client, request, taking, "hold_jid", error);

	rc = rc ? rc : check_member(local, client, request, taking, "after_ok", error);
	return rc ? rc : check_member(local, client, request, taking, "hold_jid_ad", error);
}

/* -hold_jid_ad */

/*
 * Get the tasks that a job was submitted with. Returns false if it is not an array, or was stored
 * by an old version.
 */
static bool tasks_of(const struct local_job *job, struct ranges *tasks)
{
	const char *text = job->is_array ? job->request.tasks : NULL;

	*tasks = (struct ranges){ 0 };
	return text && ranges_parse(tasks, text) == 0;
}

static int check_predecessor(struct local *local, const struct local_job *job, uint32_t number, struct error *error)
{
	struct ranges own = { 0 }, others = { 0 };
	struct local_job other;
	int rc = job_load(local, number, &other, error);
	bool same;

	if (rc) {
		job_free(&other);
		return rc == -ENOENT ? 0 : rc;		/* the predecessor no longer exists */
	}
	same = other.is_array && tasks_of(job, &own) && (!tasks_of(&other, &others) || ranges_equal(&own, &others));
	if (!same)
		rc = error_set(
			error, -EINVAL,
			"job rejected: hold_jid_ad: job %u does not have the same tasks as this one: with "
			"-hold_jid_ad, both must be arrays with the same -t",
			number);
	ranges_free(&own);
	ranges_free(&others);
	job_free(&other);
	return rc;
}

int check_array_dependency(struct local *local, const struct local_job *job, const struct job_request *request,
			   struct error *error)
{
	const struct job_spec *spec = &request->spec;
	/* a list with wrong entries is refused when the job is reported */
	size_t n = spec->nhold_jid_ad + value_size(member_list_kept(&request->members, "hold_jid_ad"));
	int rc = 0;

	if (n > 0 && !job->is_array)
		return error_set(
			error, -EINVAL,
			"job rejected: hold_jid_ad: only an array, with -t, can depend on another one task by task");
	if (n > ARRAYS_MAX)
		return error_set(error, -EINVAL, "job rejected: hold_jid_ad: at most %d jobs are allowed", ARRAYS_MAX);
	for (size_t i = 0; rc == 0 && i < spec->nhold_jid_ad; i++)
		if (spec->hold_jid_ad[i] <= STORE_JOB_NUMBER_MAX)
			rc = check_predecessor(local, job, spec->hold_jid_ad[i], error);
	return rc;
}
