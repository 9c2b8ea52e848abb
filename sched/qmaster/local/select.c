/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selection of jobs: by number, with all tasks or some, or by a pattern of names, which selects the
 * client's own jobs. With a user, or a pattern of users, it selects jobs of these users.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/wildcard.h"
#include "sched/process/clock.h"
#include "sched/qmaster/local/ids.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"
#include "sched/mirror/queries.h"

#define PATTERNS_MAX 100	/* limit, because each needs a scan of all jobs */
#define ARRAYS_MAX 100		/* limit of jobs in hold_jid_ad, because each is read */

struct named {
	const char *users;	/* pattern of owners; NULL: the client's own jobs */
	const struct client *client;
	const char *pattern;
	uint32_t *numbers;
	size_t n, capacity;
};

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int named_add(struct named *named, uint32_t number)
{
	if (named->n == named->capacity) {
		size_t capacity = named->capacity ? 2 * named->capacity : 16;

		if (array_grow(&named->numbers, capacity, sizeof(uint32_t)))
			return -ENOMEM;
		named->capacity = capacity;
	}
	named->numbers[named->n++] = number;
	return 0;
}

/*
 * Return whether the owner is selected. Users who are not operators select only their own jobs,
 * whatever the pattern.
 */
static bool owner_fits(const struct named *named, const char *owner)
{
	if ((!named->users || !client_is_operator(named->client)) && strcmp(owner, named->client->owner) != 0)
		return false;
	return !named->users || wildcard_match(named->users, owner, WILDCARD_NO_ESCAPE);
}

/* Compute for each class whether its owner is selected. Returns NULL if memory is exhausted. */
static bool *owners_find(const struct named *named, const struct mirror *mirror)
{
	uint32_t n = mirror_classes_end(mirror);
	bool *fits = calloc(n + 1, sizeof(*fits));

	for (uint32_t id = 0; fits && id < n; id++) {
		const char *owner = mirror_class_owner(mirror, id);

		fits[id] = owner && owner_fits(named, owner);
	}
	return fits;
}

/*
 * Find jobs in the scheduler's tables, without reading the store. Only names of jobs with a
 * selected owner are compared. Returns -E2BIG if this needs more comparisons than a request may
 * have.
 */
static int named_find(struct local *local, struct client *client, struct named *named)
{
	const struct mirror *mirror = local->intake->mirror;
	uint64_t before = wildcard_steps;
	bool *fits = owners_find(named, mirror);
	int rc = fits ? 0 : -ENOMEM;
	size_t place = 0;
	uint32_t row;

	client->request.compared += mirror_walk_steps(mirror);
	while (rc == 0 && (row = mirror_next_job(mirror, &place)) != INDEX_NONE) {
		if (!fits[mirror_row_class(mirror, row)])
			continue;
		if (wildcard_match(named->pattern, mirror_row_name(mirror, row), 0))
			rc = named_add(named, mirror_row_number(mirror, row));
		if (rc == 0 && client->request.compared + (wildcard_steps - before) > COMPARED_MAX)
			rc = -E2BIG;
	}
	free(fits);
	client->request.compared += wildcard_steps - before;
	if (named->n > 1)
		qsort(named->numbers, named->n, sizeof(*named->numbers), by_number);
	return rc;
}

/* -hold_jid, -hold_jid_ad */

static int hold_jid_add(struct local *local, struct client *client, const char *member, json_t *list, json_t *entry,
			struct error *error)
{
	struct named named = { .client = client, .pattern = json_string_value(entry) };
	int rc;

	if (!named.pattern)
		return json_array_append(list, entry) ? -ENOMEM : 0;
	if (strlen(named.pattern) >= WILDCARD_BYTES)
		return error_set(error, -EINVAL, "job rejected: %s: a name or pattern has fewer than %d bytes", member,
				 WILDCARD_BYTES);
	rc = named_find(local, client, &named);
	for (size_t i = 0; rc == 0 && i < named.n; i++)
		json_array_append_new(list, json_integer(named.numbers[i]));
	free(named.numbers);
	if (rc == -E2BIG || json_array_size(list) > ENTRIES_MAX)
		return error_set(
			error, -EINVAL,
			"job rejected: %s: its patterns match more than %d jobs or need too many comparisons; use "
			"fewer patterns, or numbers",
			member, ENTRIES_MAX);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

static size_t hold_patterns(json_t *list)
{
	json_t *entry;
	size_t i, n = 0;

	json_array_foreach(list, i, entry)
		n += json_is_string(entry);
	return n;
}

static int check_member(struct local *local, struct client *client, json_t *request, const char *member,
			struct error *error)
{
	json_t *asked = json_object_get(request, member), *list, *entry;
	int rc = 0;
	size_t i;

	if (!json_is_array(asked))
		return 0;	/* missing, or refused later */
	if (json_array_size(asked) > PATTERNS_MAX && hold_patterns(asked) > PATTERNS_MAX)
		return error_set(error, -EINVAL, "job rejected: %s: at most %d names or patterns are allowed", member,
				 PATTERNS_MAX);
	list = json_array();
	json_array_foreach(asked, i, entry)
		if (rc == 0)
			rc = hold_jid_add(local, client, member, list, entry, error);
	if (rc == 0)
		rc = json_object_set(request, member, list) ? -ENOMEM : 0;
	json_decref(list);
	return rc;
}

int check_hold_jid(struct local *local, struct client *client, json_t *request, struct error *error)
{
	int rc = check_member(local, client, request, "hold_jid", error);

	rc = rc ? rc : check_member(local, client, request, "after_ok", error);
	return rc ? rc : check_member(local, client, request, "hold_jid_ad", error);
}

/* -hold_jid_ad */

/*
 * Get the tasks that a job was submitted with. Returns false if it is not an array, or was stored
 * by an old version.
 */
static bool tasks_of(const struct local_job *job, struct ranges *tasks)
{
	const char *text = job->is_array ? json_string_value(json_object_get(job->request, "tasks")) : NULL;

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

int check_array_dependency(struct local *local, const struct local_job *job, json_t *request, struct error *error)
{
	json_t *list = json_object_get(request, "hold_jid_ad"), *entry;
	int rc = 0;
	size_t i;

	if (json_array_size(list) > 0 && !job->is_array)
		return error_set(
			error, -EINVAL,
			"job rejected: hold_jid_ad: only an array, with -t, can depend on another one task by task");
	if (json_array_size(list) > ARRAYS_MAX)
		return error_set(error, -EINVAL, "job rejected: hold_jid_ad: at most %d jobs are allowed", ARRAYS_MAX);
	json_array_foreach(list, i, entry)
		if (rc == 0 && json_integer_value(entry) >= 1 && json_integer_value(entry) <= STORE_JOB_NUMBER_MAX)
			rc = check_predecessor(local, job, (uint32_t)json_integer_value(entry), error);
	return rc;
}

/* Jobs of a request */

typedef void change_job(struct local *local, struct client *client, struct selected_job *job, void *context);

struct selecting {		/* Progress of a request. */
	json_t *request;
	size_t entry;		/* next entry after `numbers` are done */
	/*
	 * pattern of owners in the current entry; NULL: the client's own jobs, or any owner of a
	 * job number
	 */
	const char *users;
	struct ranges tasks;	/* tasks of the current entry; none: all */
	uint32_t *numbers;	/* jobs found for the current entry */
	size_t n, next;
	/* jobs found by patterns: in total, and by the pattern that has found most */
	size_t all, most;
	change_job *change;
	char context[SELECT_CONTEXT_BYTES];
};

/*
 * Return whether a request names too many jobs repeatedly, which would delay other clients. All
 * existing jobs may be named once.
 */
static bool is_too_much(struct selecting *selecting, size_t n)
{
	selecting->all += n;
	selecting->most = n > selecting->most ? n : selecting->most;
	return selecting->all - selecting->most > ENTRIES_MAX;
}

static void select_number(struct local *local, struct client *client, uint32_t number, struct selecting *selecting)
{
	struct selected_job job = { 0 };
	struct error error = { "" };
	int rc = job_load(local, number, &job.job, &error);

	if (rc == 0)
		rc = ranges_copy(&job.tasks, &selecting->tasks);
	if (rc == -ENOENT ||
	    (rc == 0 && (job_is_done(local, &job.job) ||
			 (selecting->users && !wildcard_match(selecting->users, job.job.owner, WILDCARD_NO_ESCAPE)))))
		result_add(client, RESULT_NO_JOB, number, 0, "denied: job \"%u\" does not exist", number);
	else if (rc)
		result_add(client, RESULT_NOT_STORED, number, 0, "%s", error.text[0] ? error.text : strerror(-rc));
	else if (!client_may_change(client, &job.job))
		result_add(client, RESULT_DENIED, number, 0,
			   "%s - you do not have the necessary privileges to change the job \"%u\"", client->owner,
			   number);
	else
		selecting->change(local, client, &job, selecting->context);
	ranges_free(&job.tasks);
	job_free(&job.job);
}

/*
 * Split "name.3-5" into a name and tasks. A name may contain a point, so this is tried only if no
 * job has the whole name. Writes the tasks to `selecting` and the name to `name`.
 */
static bool has_tasks(const char *pattern, struct selecting *selecting, char name[WILDCARD_BYTES])
{
	const char *point = strrchr(pattern, '.');

	if (selecting->tasks.n > 0 || !point || point == pattern)
		return false;
	if (ranges_parse_most(&selecting->tasks, point + 1, IDS_MAX) || selecting->tasks.n == 0 ||
	    ranges_count(&selecting->tasks) > IDS_MAX) {
		ranges_free(&selecting->tasks);
		return false;
	}
	memcpy(name, pattern, (size_t)(point - pattern));
	name[point - pattern] = '\0';
	return true;
}

static void say_none(struct client *client, const char *pattern, const struct selecting *selecting)
{
	if (selecting->users && !client_is_operator(client) &&
	    !wildcard_match(selecting->users, client->owner, WILDCARD_NO_ESCAPE))
		result_add(client, RESULT_DENIED, 0, 0,
			   "%s - only operators may change the jobs of other users (\"%s\")", client->owner,
			   selecting->users);
	else if (selecting->users && strcmp(pattern, "*") == 0)
		result_add(client, RESULT_NO_JOB, 0, 0, "denied: no job of user \"%s\" exists", selecting->users);
	else
		result_add(client, RESULT_NO_JOB, 0, 0, "denied: job \"%s\" does not exist", pattern);
}

/*
 * Find the numbers of the jobs that match a pattern. Without a user, a pattern selects the client's
 * own jobs. If none of these has a whole name that an operator gives, it selects jobs of all users.
 */
static void pattern_begin(struct local *local, struct client *client, const char *pattern, struct selecting *selecting)
{
	struct named named = { .users = selecting->users, .client = client, .pattern = pattern };
	char name[WILDCARD_BYTES];
	int rc = named_find(local, client, &named);

	if (rc == 0 && named.n == 0 && has_tasks(pattern, selecting, name)) {
		named.pattern = name;
		rc = named_find(local, client, &named);
	}
	if (rc == 0 && named.n == 0 && !selecting->users && client_is_operator(client) &&
	    !strpbrk(named.pattern, "*?[")) {
		named.users = "*";
		rc = named_find(local, client, &named);
	}
	if (rc == -E2BIG)
		result_add(
			client, RESULT_WRONG, 0, 0,
			"jobs: \"%.60s\": not done, because the patterns of this request need too many comparisons; "
			"use fewer patterns, or numbers",
			pattern);
	else if (rc)
		result_add(client, RESULT_NOT_STORED, 0, 0, "out of memory");
	else if (named.n == 0)
		say_none(client, pattern, selecting);
	else if (is_too_much(selecting, named.n))
		result_add(
			client, RESULT_WRONG, 0, 0,
			"jobs: \"%.60s\": not done, because the patterns of this request match too many jobs",
			pattern);
	else
		selecting->n = named.n;
	selecting->numbers = named.numbers;
}

/* Begin an entry: "17" is a number, everything else a name or a pattern of names. */
static void job_begin(struct local *local, struct client *client, const char *job, struct selecting *selecting)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(job, &end, 10);
	if (*job < '0' || *job > '9' || *end)
		pattern_begin(local, client, job, selecting);
	else if (errno || number == 0 || number > STORE_JOB_NUMBER_MAX)
		result_add(client, RESULT_NO_JOB, 0, 0, "denied: job \"%.20s\" does not exist", job);
	else
		select_number(local, client, (uint32_t)number, selecting);
}

static void entry_begin(struct local *local, struct client *client, json_t *entry, struct selecting *selecting)
{
	json_t *user = json_object_get(entry, "user");
	const char *job = json_string_value(json_object_get(entry, "job")),
		   *ids = json_string_value(json_object_get(entry, "tasks"));

	free(selecting->numbers);
	ranges_free(&selecting->tasks);
	selecting->numbers = NULL;
	selecting->n = selecting->next = 0;
	selecting->users = json_string_value(user);
	if (user && (!selecting->users || !*selecting->users || strlen(selecting->users) >= WILDCARD_BYTES)) {
		result_add(client, RESULT_WRONG, 0, 0, "jobs: \"user\": the name of a user is expected");
		return;
	}
	if (selecting->users && !json_object_get(entry, "job"))
		job = "*";
	if (!job || !*job || strlen(job) >= WILDCARD_BYTES)
		result_add(client, RESULT_WRONG, 0, 0,
			   "jobs: \"job\": a number or a name is expected, of fewer than %d bytes", WILDCARD_BYTES);
	else if (ids && (ranges_parse_most(&selecting->tasks, ids, IDS_MAX) || selecting->tasks.n == 0 ||
			 ranges_count(&selecting->tasks) > IDS_MAX))
		result_add(client, RESULT_WRONG, 0, 0, "jobs: \"%.40s\" is not a list n[-m[:s]][,...] of task ids",
			   ids);
	else
		job_begin(local, client, job, selecting);
}

/* Count the entries that are not a number. */
static size_t patterns_of(json_t *jobs)
{
	json_t *entry;
	size_t i, n = 0;

	json_array_foreach(jobs, i, entry) {
		const char *job = json_string_value(json_object_get(entry, "job"));

		n += !job || *job < '0' || *job > '9';
	}
	return n;
}

void select_forget(struct client *client)
{
	struct selecting *selecting = client->request.selecting;

	if (!selecting)
		return;
	json_decref(selecting->request);
	ranges_free(&selecting->tasks);
	free(selecting->numbers);
	free(selecting);
	client->request.selecting = NULL;
}

void select_go_on(struct local *local, struct client *client)
{
	struct selecting *selecting = client->request.selecting;
	json_t *jobs = json_object_get(selecting->request, "jobs");

	while (!local->turn.failure.text[0] &&
	       (selecting->next < selecting->n || selecting->entry < json_array_size(jobs))) {
		if (selecting->next < selecting->n)
			select_number(local, client, selecting->numbers[selecting->next++], selecting);
		else
			entry_begin(local, client, json_array_get(jobs, selecting->entry++), selecting);
		if (clock_processor_ns() >= local->clients.part_end_ns)
			break;
	}
	if (!local->turn.failure.text[0] &&
	    (selecting->next < selecting->n || selecting->entry < json_array_size(jobs)))
		return;
	if (!results_any(&client->request.results))
		result_add(client, RESULT_NO_JOB, 0, 0, "no job is named");
	select_forget(client);
}

void select_jobs(struct local *local, struct client *client, json_t *request, change_job *change, const void *context,
		 size_t bytes)
{
	json_t *jobs = json_object_get(request, "jobs");

	if (!json_is_array(jobs) || json_array_size(jobs) > ENTRIES_MAX) {
		result_add(client, RESULT_WRONG, 0, 0, "jobs: a list is expected, of at most %d entries", ENTRIES_MAX);
		return;
	}
	if (patterns_of(jobs) > PATTERNS_MAX) {
		result_add(client, RESULT_WRONG, 0, 0, "jobs: at most %d names or patterns are allowed", PATTERNS_MAX);
		return;
	}
	client->request.selecting = calloc(1, sizeof(*client->request.selecting));
	if (!client->request.selecting) {
		result_add(client, RESULT_NOT_STORED, 0, 0, "out of memory");
		return;
	}
	client->request.selecting->request = json_incref(request);
	client->request.selecting->change = change;
	if (bytes > 0)
		memcpy(client->request.selecting->context, context, bytes);
	select_go_on(local, client);
}
