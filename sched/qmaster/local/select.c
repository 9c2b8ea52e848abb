/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selection of jobs: by number, with all tasks or some, or by a pattern of names, which selects the
 * client's own jobs. With a user, or a pattern of users, it selects jobs of these users.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/wildcard.h"
#include "sched/process/clock.h"
#include "sched/qmaster/local/ids.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/name_search.h"
#include "sched/qmaster/local/request.h"

typedef void change_job(struct local *local, struct client *client, struct selected_job *job, void *context);

struct selecting {		/* Progress of a request. */
	const struct value *jobs;	/* entries of the request, which the client keeps */
	const struct value *entry;	/* next entry after `numbers` are done */
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
		result_add(client, REPLY_NO_JOB, number, 0, "denied: job \"%u\" does not exist", number);
	else if (rc)
		result_add(client, REPLY_NOT_STORED, number, 0, "%s", error.text[0] ? error.text : strerror(-rc));
	else if (!client_may_change(client, &job.job))
		result_add(client, REPLY_DENIED, number, 0,
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
		result_add(client, REPLY_DENIED, 0, 0,
			   "%s - only operators may change the jobs of other users (\"%s\")", client->owner,
			   selecting->users);
	else if (selecting->users && strcmp(pattern, "*") == 0)
		result_add_object(client, REPLY_NO_JOB_OF_USER, selecting->users,
				  "denied: no job of user \"%s\" exists", selecting->users);
	else
		result_add_object(client, REPLY_NO_JOB, pattern, "denied: job \"%s\" does not exist", pattern);
}

/*
 * Find the numbers of the jobs that match a pattern. Without a user, a pattern selects the client's
 * own jobs. If none of these has a whole name that an operator gives, it selects jobs of all users.
 */
static void pattern_begin(struct local *local, struct client *client, const char *pattern, struct selecting *selecting)
{
	struct name_search named = { .users = selecting->users, .client = client, .pattern = pattern };
	char name[WILDCARD_BYTES];
	int rc = name_search_run(local, client, &named);

	if (rc == 0 && named.n == 0 && has_tasks(pattern, selecting, name)) {
		named.pattern = name;
		rc = name_search_run(local, client, &named);
	}
	if (rc == 0 && named.n == 0 && !selecting->users && client_is_operator(client) &&
	    !strpbrk(named.pattern, "*?[")) {
		named.users = "*";
		rc = name_search_run(local, client, &named);
	}
	if (rc == -E2BIG)
		result_add(
			client, REPLY_TOO_MUCH, 0, 0,
			"jobs: \"%.60s\": not done, because the patterns of this request need too many comparisons; "
			"use fewer patterns, or numbers",
			pattern);
	else if (rc)
		result_add(client, REPLY_NOT_STORED, 0, 0, "out of memory");
	else if (named.n == 0)
		say_none(client, pattern, selecting);
	else if (is_too_much(selecting, named.n))
		result_add(
			client, REPLY_TOO_MUCH, 0, 0,
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
		result_add_object(client, REPLY_NO_JOB, job, "denied: job \"%.20s\" does not exist", job);
	else
		select_number(local, client, (uint32_t)number, selecting);
}

static void entry_begin(struct local *local, struct client *client, const struct value *entry,
			struct selecting *selecting)
{
	const struct value *user = value_member(entry, "user");
	const char *job = member_text(entry, "job"), *ids = member_text(entry, "tasks");

	free(selecting->numbers);
	ranges_free(&selecting->tasks);
	selecting->numbers = NULL;
	selecting->n = selecting->next = 0;
	selecting->users = value_text(user);
	if (user && (!selecting->users || !*selecting->users || strlen(selecting->users) >= WILDCARD_BYTES)) {
		result_add(client, REPLY_INVALID, 0, 0, "jobs: \"user\": the name of a user is expected");
		return;
	}
	if (selecting->users && !value_member(entry, "job"))
		job = "*";
	if (!job || !*job || strlen(job) >= WILDCARD_BYTES)
		result_add(client, REPLY_INVALID, 0, 0,
			   "jobs: \"job\": a number or a name is expected, of fewer than %d bytes", WILDCARD_BYTES);
	else if (ids && (ranges_parse_most(&selecting->tasks, ids, IDS_MAX) || selecting->tasks.n == 0 ||
			 ranges_count(&selecting->tasks) > IDS_MAX))
		result_add(client, REPLY_INVALID, 0, 0, "jobs: \"%.40s\" is not a list n[-m[:s]][,...] of task ids",
			   ids);
	else
		job_begin(local, client, job, selecting);
}

/* Count the entries that are not a number. */
static size_t patterns_of(const struct value *jobs)
{
	size_t n = 0;

	value_each(entry, jobs) {
		const char *job = member_text(entry, "job");

		n += !job || *job < '0' || *job > '9';
	}
	return n;
}

void select_forget(struct client *client)
{
	struct selecting *selecting = client->request.selecting;

	if (!selecting)
		return;
	ranges_free(&selecting->tasks);
	free(selecting->numbers);
	free(selecting);
	client->request.selecting = NULL;
}

/* Return whether jobs of the request are left. */
static bool is_unfinished(const struct selecting *selecting)
{
	return selecting->next < selecting->n || selecting->entry < selecting->jobs + selecting->jobs->span;
}

void select_go_on(struct local *local, struct client *client)
{
	struct selecting *selecting = client->request.selecting;

	while (!local->turn.failure.text[0] && is_unfinished(selecting)) {
		const struct value *entry = selecting->entry;

		if (selecting->next < selecting->n) {
			select_number(local, client, selecting->numbers[selecting->next++], selecting);
		} else {
			selecting->entry += entry->span;
			entry_begin(local, client, entry, selecting);
		}
		if (clock_processor_ns() >= local->clients.part_end_ns)
			break;
	}
	if (!local->turn.failure.text[0] && is_unfinished(selecting))
		return;
	if (!results_any(&client->request.results))
		result_add(client, REPLY_NOTHING_NAMED, 0, 0, "no job is named");
	select_forget(client);
}

void select_jobs(struct local *local, struct client *client, const struct value *request, change_job *change,
		 const void *context, size_t bytes)
{
	const struct value *jobs = value_member(request, "jobs");

	if (!value_is(jobs, VALUE_ARRAY) || jobs->n > ENTRIES_MAX) {
		result_add(client, REPLY_INVALID, 0, 0, "jobs: a list is expected, of at most %d entries", ENTRIES_MAX);
		return;
	}
	if (patterns_of(jobs) > PATTERNS_MAX) {
		result_add(client, REPLY_TOO_MUCH, 0, 0, "jobs: at most %d names or patterns are allowed",
			   PATTERNS_MAX);
		return;
	}
	client->request.selecting = calloc(1, sizeof(*client->request.selecting));
	if (!client->request.selecting) {
		result_add(client, REPLY_NOT_STORED, 0, 0, "out of memory");
		return;
	}
	client->request.selecting->jobs = jobs;
	client->request.selecting->entry = jobs + 1;
	client->request.selecting->change = change;
	if (bytes > 0)
		memcpy(client->request.selecting->context, context, bytes);
	select_go_on(local, client);
}
