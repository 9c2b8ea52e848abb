/* SPDX-License-Identifier: Apache-2.0 */
/* Options that name somebody, and those behind them that say something of him. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/operands.h"
#include "sched/cli/whatif.h"

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

/* What the event points to lives as long as the query. NULL: no memory. */
static struct whatif_event *event_make(struct whatif_query *q, enum event_type type)
{
	struct whatif_event *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	event_init(&e->event, type);
	e->next = q->events;
	q->events = e;
	return e;
}

/* Checked as what a qmaster tells. */
static int members_read(struct whatif_query *q, struct whatif_event *e, const char *option)
{
	char *text = json_dumps(q->job.members, JSON_COMPACT);
	const struct value *object = text ? values_read(&e->values, text, strlen(text), &e->taking.error) : NULL;
	int rc = !text ? -ENOMEM : !object ? -EINVAL : event_read_job(object, &e->taking, &e->event);
	struct error error;

	free(text);
	error_set(&error, rc, "%.60s: %.180s", option, e->taking.error.text);
	return whatif_taken(rc, &error);
}

static int job_change(struct whatif_query *q, uint32_t number)
{
	struct whatif_column *c = whatif_column_last(q);
	struct whatif_event *e = json_object_size(q->job.members) ? event_make(q, EVENT_JOB_MODIFY) : NULL;
	char option[40];
	int code = c && (e || !json_object_size(q->job.members)) ? EXIT_OK : no_memory();

	snprintf(option, sizeof(option), "--job %u", number);
	if (!code && e)
		code = members_read(q, e, option);
	if (!code && e) {
		e->event.job.job_number = number;
		code = whatif_taken(suppose_event(&c->suppositions, option, &e->event), &e->taking.error);
	}
	if (!code && (*q->hold || *q->release))
		code = whatif_taken(suppose_hold(&c->suppositions, option, number, q->hold, q->release), &q->error);
	return code;
}

/* A name or a pattern the qmaster would look up, which is not asked. */
static int check_members(const struct whatif_query *q)
{
	static const char *const lists[] = { "hold_jid", "hold_jid_ad" };
	const struct job *j = &q->job;

	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
		json_t *list = json_object_get(j->members, lists[k]), *entry;
		size_t i;

		json_array_foreach(list, i, entry)
			if (!json_is_integer(entry))
				return cli_fail(EXIT_USAGE, "whatif: --job %s: -%s: numbers of jobs are expected", q->jobs, lists[k]);
	}
	if (json_object_size(j->execution) || j->variables || j->all_variables || j->directory || j->files[0] || j->files[1] || j->files[2])
		return cli_fail(EXIT_USAGE, "whatif: --job %s: -cwd, -e, -i, -j, -o, -r, -v, -V and -wd change nothing that a scheduler looks at", q->jobs);
	if (!json_object_size(j->members) && !*q->hold && !*q->release)
		return cli_fail(EXIT_USAGE, "whatif: --job %s: what of it is to be otherwise? -p, -l, -q, -h, ... as with fairlead alter", q->jobs);
	return EXIT_OK;
}

static int jobs_end(struct whatif_query *q)
{
	char *copy = strdup(q->jobs), *rest = copy, *word;
	int code = copy ? check_members(q) : no_memory();

	while (!code && (word = strsep(&rest, ",")) != NULL) {
		json_int_t number = operands_number("whatif: --job", word);

		code = number ? job_change(q, (uint32_t)number) : EXIT_USAGE;
	}
	free(copy);
	return code;
}

static bool says_something(const struct whatif_query *q)
{
	const struct job *j = &q->job;

	return json_object_size(j->members) || json_object_size(j->execution) || j->variables || j->all_variables || j->directory || j->files[0] ||
	       j->files[1] || j->files[2] || *q->hold || *q->release;
}

int whatif_subject_end(struct whatif_query *q)
{
	int code = EXIT_OK;

	if (q->jobs)
		code = jobs_end(q);
	else if (says_something(q))
		code = cli_fail(EXIT_USAGE, "whatif: options of fairlead alter stand behind --job JOB");
	else if (q->sharer && !q->sharer_used)
		code = cli_fail(EXIT_USAGE, "whatif: %s: --shares, --fshare, --oticket or --factor is to follow", q->sharer);
	else if (q->queue && !q->queue_used)
		code = cli_fail(EXIT_USAGE, "whatif: --queue %s: --slots is to follow", q->queue);
	if (code)
		return code;
	q->jobs = q->sharer = q->queue = NULL;
	q->sharer_used = q->queue_used = q->job.soft = false;
	*q->hold = *q->release = '\0';
	json_object_clear(q->job.members);
	return EXIT_OK;
}

int whatif_take_jobs(void *query, struct words *w)
{
	struct whatif_query *q = query;
	int code = whatif_subject_end(q);

	q->jobs = w->value;
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

int whatif_take_hold(void *query, struct words *w)
{
	struct whatif_query *q = query;

	for (const char *p = w->value; *p; p++) {
		const char *known = strchr("uosUOSn,", *p);

		if (!known)
			return cli_fail(EXIT_USAGE, "whatif: -h: \"%s\": letters of u o s n U O S are expected", w->value);
		if (*p == 'n')
			strcpy(q->release, "uos");
		else if (*p != ',')
			letter_add(known - strchr("uosUOSn,", 'u') < 3 ? q->hold : q->release, (char)(*p | 0x20));
	}
	return *q->hold || *q->release ? EXIT_OK : cli_fail(EXIT_USAGE, "whatif: -h: \"%s\": letters of u o s n U O S are expected", w->value);
}

/* Sharers */

int whatif_take_sharer(void *query, struct words *w)
{
	static const char *const names[] = { [SUPPOSE_USER] = "user", [SUPPOSE_PROJECT] = "project", [SUPPOSE_DEPARTMENT] = "department",
					     [SUPPOSE_ACCOUNT] = "account" };
	struct whatif_query *q = query;
	int code = whatif_subject_end(q), whose = SUPPOSE_USER;

	while (strcmp(names[whose], w->row->detail) != 0)
		whose++;
	q->whose = (enum suppose_whose)whose;
	q->sharer = w->value;
	return code;
}

int whatif_take_amount(void *query, struct words *w)
{
	static const char *const amounts[] = { [SUPPOSE_SHARES] = "shares", [SUPPOSE_FSHARE] = "fshare", [SUPPOSE_OTICKET] = "oticket",
					       [SUPPOSE_FACTOR] = "factor" };
	static const char *const words[] = { "user", "project", "department", "account" };
	struct whatif_query *q = query;
	struct whatif_column *c = whatif_column_last(q);
	struct error error = { "" };
	int what = SUPPOSE_SHARES;
	char option[400], *end;
	double value;

	if (!c)
		return EXIT_NO_DATA;
	if (!q->sharer)
		return cli_fail(EXIT_USAGE, "whatif: %s stands behind --user, --project, --department or --account", w->row->name);
	while (strcmp(amounts[what], w->row->detail) != 0)
		what++;
	snprintf(option, sizeof(option), "--%s %.200s %s %.60s", words[q->whose], q->sharer, w->row->name, w->value);
	errno = 0;
	value = strtod(w->value, &end);
	if (w->value[strspn(w->value, "0123456789.eE+")] || end == w->value || *end || errno || !isfinite(value))
		return cli_fail(EXIT_USAGE, "whatif: %s: a number from 0 on is expected", option);
	q->sharer_used = true;
	return whatif_taken(suppose_sharer(&c->suppositions, option, q->whose, q->sharer, (enum suppose_amount)what, value, &error), &error);
}

/* Queues */

int whatif_take_queue(void *query, struct words *w)
{
	struct whatif_query *q = query;
	int code = whatif_subject_end(q);

	q->queue = w->value;
	return code;
}

int whatif_take_slots(void *query, struct words *w)
{
	struct whatif_query *q = query;
	struct whatif_column *c = whatif_column_last(q);
	unsigned long slots;
	char option[400];

	if (!c)
		return EXIT_NO_DATA;
	if (!q->queue)
		return cli_fail(EXIT_USAGE, "whatif: --slots stands behind --queue");
	if (options_number("whatif: --slots", w->value, 0, 10000000, &slots))
		return EXIT_USAGE;
	q->queue_used = true;
	snprintf(option, sizeof(option), "--queue %.300s --slots %lu", q->queue, slots);
	return whatif_taken(suppose_slots(&c->suppositions, option, q->queue, (uint32_t)slots), &q->error);
}
