/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which jobs are meant: by number, all tasks or some; or by a pattern, which means the client's own jobs of that name. With a user (or a pattern
 * of users) it is those of that user, all or those named.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "sched/local/ids.h"
#include "sched/local/work.h"

#define ENTRIES_MAX 10000	/* of a request */
#define PATTERNS_MAX 100	/* each is a look at all jobs */

struct named {
	const char *owner, *users;	/* users NULL: this owner's; else a pattern of owners */
	const struct client *client;	/* whose, or an operator's; NULL: it does not matter */
	const char *pattern;
	uint32_t *numbers;
	size_t n, capacity;
};

static int named_look(void *context, const struct stored_job *stored)
{
	struct named *named = context;
	json_t *request;
	const char *name;
	bool fits;

	if (named->users ? fnmatch(named->users, stored->owner, FNM_NOESCAPE) != 0 : strcmp(stored->owner, named->owner) != 0)
		return 0;
	if (named->client && !client_is_operator(named->client) && stored->uid != named->client->uid)
		return 0;
	request = json_loads(stored->job, 0, NULL);
	name = json_string_value(json_object_get(request, "job_name"));
	fits = name && fnmatch(named->pattern, name, 0) == 0;
	json_decref(request);
	if (!fits)
		return 0;
	if (named->n == named->capacity) {
		size_t capacity = named->capacity ? 2 * named->capacity : 16;
		uint32_t *numbers = reallocarray(named->numbers, capacity, sizeof(*numbers));

		if (!numbers)
			return -ENOMEM;
		named->numbers = numbers;
		named->capacity = capacity;
	}
	named->numbers[named->n++] = stored->job_number;
	return 0;
}

static int named_find(struct local *l, struct named *named, uint32_t **numbers, size_t *n, struct error *error)
{
	int rc = store_jobs_each(l->store, named_look, named, error);

	*numbers = named->numbers;
	*n = named->n;
	return rc;
}

static int names_find(struct local *l, const char *owner, const char *pattern, uint32_t **numbers, size_t *n, struct error *error)
{
	return named_find(l, &(struct named){ .owner = owner, .pattern = pattern }, numbers, n, error);
}

/* ---- -hold_jid ---------------------------------------------------------------------------------------------------------- */

static int hold_jid_add(struct local *l, const struct client *c, json_t *list, json_t *entry, struct error *error)
{
	const char *pattern = json_string_value(entry);
	uint32_t *numbers;
	size_t n;
	int rc;

	if (!pattern)
		return json_array_append(list, entry) ? -ENOMEM : 0;
	rc = names_find(l, c->owner, pattern, &numbers, &n, error);
	for (size_t i = 0; rc == 0 && i < n; i++)
		json_array_append_new(list, json_integer(numbers[i]));
	free(numbers);
	return rc;
}

static size_t hold_patterns(json_t *list)
{
	json_t *entry;
	size_t i, n = 0;

	json_array_foreach(list, i, entry)
		n += json_is_string(entry);
	return n;
}

int check_hold_jid(struct local *l, const struct client *c, json_t *request, struct error *error)
{
	json_t *asked = json_object_get(request, "hold_jid"), *list, *entry;
	int rc = 0;
	size_t i;

	if (!json_is_array(asked))
		return 0;	/* none, or refused later */
	if (json_array_size(asked) > PATTERNS_MAX && hold_patterns(asked) > PATTERNS_MAX)
		return error_set(error, -EINVAL, "job rejected: hold_jid: at most %d names or patterns are allowed", PATTERNS_MAX);
	list = json_array();
	json_array_foreach(asked, i, entry)
		if (rc == 0)
			rc = hold_jid_add(l, c, list, entry, error);
	if (rc == 0)
		rc = json_object_set(request, "hold_jid", list) ? -ENOMEM : 0;
	json_decref(list);
	return rc;
}

/* ---- the jobs of a request ---------------------------------------------------------------------------------------------- */

typedef void change_job(struct local *l, struct client *c, struct selection *s, void *context);

struct found {			/* by the patterns of a request */
	size_t all, most;	/* of all, and of the one that has found the most */
};

struct wanted {			/* an entry of a request */
	const char *users;	/* NULL: the client's own, or whosever the number is */
	struct ranges tasks;	/* none: all */
	struct found *found;
};

/* Nobody is kept waiting by who names the same jobs time and again. All jobs that there are may be named once. */
static bool is_too_much(struct found *found, size_t n)
{
	found->all += n;
	found->most = n > found->most ? n : found->most;
	return found->all - found->most > ENTRIES_MAX;
}

static void select_number(struct local *l, struct client *c, uint32_t number, const struct wanted *w, change_job *change, void *context)
{
	struct selection s = { 0 };
	struct error error = { "" };
	int rc = job_load(l, number, &s.job, &error);

	if (rc == 0)
		rc = ranges_copy(&s.tasks, &w->tasks);
	if (rc == -ENOENT || (rc == 0 && (job_is_done(l, &s.job) || (w->users && fnmatch(w->users, s.job.owner, FNM_NOESCAPE) != 0))))
		result_add(c, RESULT_NO_JOB, number, 0, "denied: job \"%u\" does not exist", number);
	else if (rc)
		result_add(c, RESULT_NOT_STORED, number, 0, "%s", error.text[0] ? error.text : strerror(-rc));
	else if (!client_may_change(c, &s.job))
		result_add(c, RESULT_DENIED, number, 0, "%s - you do not have the necessary privileges to change the job \"%u\"", c->owner, number);
	else
		change(l, c, &s, context);
	ranges_free(&s.tasks);
	job_free(&s.job);
}

static void select_pattern(struct local *l, struct client *c, const char *pattern, const struct wanted *w, change_job *change, void *context)
{
	struct named named = { .owner = c->owner, .users = w->users, .client = c, .pattern = pattern };
	struct error error = { "" };
	uint32_t *numbers;
	size_t n;
	int rc = named_find(l, &named, &numbers, &n, &error);

	if (rc)
		result_add(c, RESULT_NOT_STORED, 0, 0, "%s", error.text);
	else if (n == 0)
		result_add(c, RESULT_NO_JOB, 0, 0, "denied: job \"%s\" does not exist", pattern);
	else if (is_too_much(w->found, n))
		result_add(c, RESULT_WRONG, 0, 0, "jobs: \"%.60s\": not done, since the patterns of this request find more jobs than one may change", pattern);
	else
		for (size_t i = 0; i < n; i++)
			select_number(l, c, numbers[i], w, change, context);
	free(numbers);
}

/* "17": a number; else a name, or a pattern of names. */
static void select_job(struct local *l, struct client *c, const char *job, const struct wanted *w, change_job *change, void *context)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(job, &end, 10);
	if (*job < '0' || *job > '9' || *end)
		select_pattern(l, c, job, w, change, context);
	else if (errno || number == 0 || number > STORE_JOB_NUMBER_MAX)
		result_add(c, RESULT_NO_JOB, 0, 0, "denied: job \"%.20s\" does not exist", job);
	else
		select_number(l, c, (uint32_t)number, w, change, context);
}

static void select_entry(struct local *l, struct client *c, json_t *entry, struct found *found, change_job *change, void *context)
{
	json_t *user = json_object_get(entry, "user");
	const char *job = json_string_value(json_object_get(entry, "job")), *ids = json_string_value(json_object_get(entry, "tasks"));
	struct wanted w = { .users = json_string_value(user), .found = found };

	if (user && (!w.users || !*w.users)) {
		result_add(c, RESULT_WRONG, 0, 0, "jobs: \"user\": the name of a user is due");
		return;
	}
	if (w.users && !json_object_get(entry, "job"))
		job = "*";
	if (!job || !*job) {
		result_add(c, RESULT_WRONG, 0, 0, "jobs: \"job\": a number or a name is due");
		return;
	}
	if (ids && (ranges_parse(&w.tasks, ids) || w.tasks.n == 0 || ranges_count(&w.tasks) > IDS_MAX))
		result_add(c, RESULT_WRONG, 0, 0, "jobs: \"%.40s\" is no list n[-m[:s]][,...] of task ids", ids);
	else
		select_job(l, c, job, &w, change, context);
	ranges_free(&w.tasks);
}

/* Entries that are not one number. */
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

void select_jobs(struct local *l, struct client *c, json_t *request, change_job *change, void *context)
{
	json_t *jobs = json_object_get(request, "jobs"), *entry;
	struct found found = { 0 };
	size_t i;

	if (!json_is_array(jobs) || json_array_size(jobs) > ENTRIES_MAX) {
		result_add(c, RESULT_WRONG, 0, 0, "jobs: a list is due, of at most %d entries", ENTRIES_MAX);
		return;
	}
	if (patterns_of(jobs) > PATTERNS_MAX) {
		result_add(c, RESULT_WRONG, 0, 0, "jobs: at most %d names or patterns are allowed", PATTERNS_MAX);
		return;
	}
	json_array_foreach(jobs, i, entry)
		if (!l->failure.text[0])
			select_entry(l, c, entry, &found, change, context);
}
