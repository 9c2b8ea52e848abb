/* SPDX-License-Identifier: Apache-2.0 */
/* Options that name jobs, users, projects or queues, and the options that change them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/client/operands.h"
#include "sched/cli/whatif/whatif.h"

static int no_memory(void)
{
	return cli_fail(EXIT_NO_DATA, "no memory");
}

int whatif_taken(int rc, const struct error *error)
{
	if (rc == -EINVAL)
		return cli_fail(EXIT_USAGE, "whatif: %s", error->text);
	return rc ? no_memory() : EXIT_OK;
}

/* Jobs */

/* Make an event. The data it points to lives as long as the query. NULL: memory is exhausted. */
static struct whatif_event *event_make(struct whatif_query *query, enum event_type type)
{
	struct whatif_event *event = calloc(1, sizeof(*event));

	if (!event)
		return NULL;
	event_init(&event->event, type);
	event->next = query->events;
	query->events = event;
	return event;
}

/*
 * Check the members like those from a qmaster. The event borrows the memory of the job, which lives
 * as long as the query.
 */
static int change_take(struct whatif_query *query, struct whatif_event *event, const char *option)
{
	struct error error = { "" }, fault;
	int rc = job_request_check(&query->job.request, &query->job.taking, &error);

	event->event.job = query->job.request.spec;
	error_set(&fault, rc, "%.60s: %.180s", option, error.text);
	return whatif_taken(rc, &fault);
}

static int job_change(struct whatif_query *query, uint32_t number)
{
	struct whatif_column *column = whatif_column_last(query);
	struct whatif_event *event = job_has_members(&query->job) ? event_make(query, EVENT_JOB_MODIFY) : NULL;
	char option[40];
	int code = column && (event || !job_has_members(&query->job)) ? EXIT_OK : no_memory();

	snprintf(option, sizeof(option), "--job %u", number);
	if (!code && event)
		code = change_take(query, event, option);
	if (!code && event) {
		event->event.job.job_number = number;
		code = whatif_taken(suppose_event(&column->suppositions, option, &event->event), &event->taking.error);
	}
	if (!code && (*query->hold || *query->release))
		code = whatif_taken(suppose_hold(&column->suppositions, option, number, query->hold, query->release),
				    &query->error);
	return code;
}

/* Refuse a name or a pattern of predecessors, because only a qmaster can resolve it. */
static int check_members(const struct whatif_query *query)
{
	static const char *const lists[] = { "hold_jid", "hold_jid_ad" };
	const struct job *job = &query->job;

	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++)
		if (job_waits_for_names(job, lists[k]))
			return cli_fail(EXIT_USAGE, "whatif: --job %s: -%s: numbers of jobs are expected", query->jobs,
					lists[k]);
	if (job_has_execution(job) || job->variables.names.n > 0 || job->all_variables || job->directory ||
	    job->files[0] || job->files[1] || job->files[2])
		return cli_fail(
			EXIT_USAGE,
			"whatif: --job %s: -cwd, -e, -i, -j, -o, -r, -v, -V and -wd change nothing that a "
			"scheduler uses",
			query->jobs);
	if (!job_has_members(job) && !*query->hold && !*query->release)
		return cli_fail(
			EXIT_USAGE,
			"whatif: --job %s: no change is named: use -p, -l, -q, -h, ... as with fairlead alter",
			query->jobs);
	return EXIT_OK;
}

static int jobs_end(struct whatif_query *query)
{
	char *copy = strdup(query->jobs), *rest = copy, *word;
	int code = copy ? check_members(query) : no_memory();

	while (!code && (word = strsep(&rest, ",")) != NULL) {
		uint32_t number = operands_number(query->job.messages, "whatif", "--job", word);

		code = number ? job_change(query, number) : EXIT_USAGE;
	}
	free(copy);
	return code;
}

static bool says_something(const struct whatif_query *query)
{
	const struct job *job = &query->job;

	return job_has_members(job) || job_has_execution(job) || job->variables.names.n > 0 ||
	       job->all_variables || job->directory || job->files[0] || job->files[1] || job->files[2] ||
	       *query->hold || *query->release;
}

int whatif_subject_end(struct whatif_query *query)
{
	int code = EXIT_OK;

	if (query->jobs)
		code = jobs_end(query);
	else if (says_something(query))
		code = cli_fail(EXIT_USAGE, "whatif: options of fairlead alter must follow --job JOB");
	else if (query->sharer && !query->sharer_used)
		code = cli_fail(EXIT_USAGE, "whatif: %s: --shares, --fshare, --oticket or --factor must follow",
				query->sharer);
	else if (query->queue && !query->queue_used)
		code = cli_fail(EXIT_USAGE, "whatif: --queue %s: --slots must follow", query->queue);
	if (code)
		return code;
	query->jobs = query->sharer = query->queue = NULL;
	query->sharer_used = query->queue_used = query->job.soft = false;
	*query->hold = *query->release = '\0';
	job_clear_members(&query->job);
	return EXIT_OK;
}

int whatif_take_jobs(void *query, struct words *words)
{
	struct whatif_query *whatif_query = query;
	int code = whatif_subject_end(whatif_query);

	whatif_query->jobs = words->value;
	return code;
}

static void letter_add(char letters[4], char letter)
{
	size_t n = strlen(letters);

	if (strchr(letters, letter))
		return;
	letters[n] = letter;
	letters[n + 1] = '\0';
}

int whatif_take_hold(void *query, struct words *words)
{
	struct whatif_query *whatif_query = query;

	for (const char *p = words->value; *p; p++) {
		const char *known = strchr("uosUOSn,", *p);

		if (!known)
			return cli_fail(EXIT_USAGE, "whatif: -h: \"%s\": letters of u o s n U O S are expected",
					words->value);
		if (*p == 'n')
			strcpy(whatif_query->release, "uos");
		else if (*p != ',')
			letter_add(known - strchr("uosUOSn,", 'u') < 3 ? whatif_query->hold : whatif_query->release,
				   (char)(*p | 0x20));
	}
	return *whatif_query->hold || *whatif_query->release
		       ? EXIT_OK
		       : cli_fail(EXIT_USAGE, "whatif: -h: \"%s\": letters of u o s n U O S are expected",
				  words->value);
}

/* Sharers */

int whatif_take_sharer(void *query, struct words *words)
{
	static const char *const names[] = { [SUPPOSE_USER] = "user",
					     [SUPPOSE_PROJECT] = "project",
					     [SUPPOSE_DEPARTMENT] = "department",
					     [SUPPOSE_ACCOUNT] = "account" };
	struct whatif_query *whatif_query = query;
	int code = whatif_subject_end(whatif_query), whose = SUPPOSE_USER;

	while (strcmp(names[whose], words->row->detail) != 0)
		whose++;
	whatif_query->whose = (enum suppose_whose)whose;
	whatif_query->sharer = words->value;
	return code;
}

int whatif_take_amount(void *query, struct words *w)
{
	static const char *const amounts[] = { [SUPPOSE_SHARES] = "shares",
					       [SUPPOSE_FSHARE] = "fshare",
					       [SUPPOSE_OTICKET] = "oticket",
					       [SUPPOSE_FACTOR] = "factor" };
	static const char *const words[] = { "user", "project", "department", "account" };
	struct whatif_query *whatif_query = query;
	struct whatif_column *column = whatif_column_last(whatif_query);
	struct error error = { "" };
	int what = SUPPOSE_SHARES;
	char option[400], *end;
	double value;

	if (!column)
		return EXIT_NO_DATA;
	if (!whatif_query->sharer)
		return cli_fail(EXIT_USAGE, "whatif: %s must follow --user, --project, --department or --account",
				w->row->name);
	while (strcmp(amounts[what], w->row->detail) != 0)
		what++;
	snprintf(option, sizeof(option), "--%s %.200s %s %.60s", words[whatif_query->whose], whatif_query->sharer,
		 w->row->name, w->value);
	errno = 0;
	value = strtod(w->value, &end);
	if (w->value[strspn(w->value, "0123456789.eE+")] || end == w->value || *end || errno || !isfinite(value))
		return cli_fail(EXIT_USAGE, "whatif: %s: a number from 0 on is expected", option);
	whatif_query->sharer_used = true;
	return whatif_taken(suppose_sharer(&column->suppositions, option, whatif_query->whose, whatif_query->sharer,
					   (enum suppose_amount)what, value, &error),
			    &error);
}

/* Queues */

int whatif_take_queue(void *query, struct words *words)
{
	struct whatif_query *whatif_query = query;
	int code = whatif_subject_end(whatif_query);

	whatif_query->queue = words->value;
	return code;
}

int whatif_take_slots(void *query, struct words *words)
{
	struct whatif_query *whatif_query = query;
	struct whatif_column *column = whatif_column_last(whatif_query);
	unsigned long slots;
	char option[400];

	if (!column)
		return EXIT_NO_DATA;
	if (!whatif_query->queue)
		return cli_fail(EXIT_USAGE, "whatif: --slots must follow --queue");
	if (options_number(words->messages, "whatif", "--slots", words->value, 0, 10000000, &slots))
		return EXIT_USAGE;
	whatif_query->queue_used = true;
	snprintf(option, sizeof(option), "--queue %.300s --slots %lu", whatif_query->queue, slots);
	return whatif_taken(suppose_slots(&column->suppositions, option, whatif_query->queue, (uint32_t)slots),
			    &whatif_query->error);
}
