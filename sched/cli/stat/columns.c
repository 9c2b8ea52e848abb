/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/stat/columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/base/nearest.h"
#include "sched/process/digits.h"

static const struct derived {
	const char *name, *title;
	enum column_kind kind;
	bool right;
	const char *sentence;
} derived[] = {
	{ "place", "#", COLUMN_PLACE, true, "rank among the jobs that can start, from 1" },
	{ "waits", "waits", COLUMN_WAITS, true, "waiting time, [days-]h:mm:ss; of a started task, until its start" },
	{ "runs", "runs", COLUMN_RUNS, true, "time since the start" },
	{ "for", "for", COLUMN_FOR, true, "time since the start, or waiting time if it has not started" },
	{ "at", "submit/start at", COLUMN_AT, false, "start time, or submission time if it has not started" },
	{ "ids", "ja-task-ID", COLUMN_TASK_IDS, false, "of an array: the task, or the ids that have not started" },
	{ "why", "why", COLUMN_WHY, false, "why it waits: the most informative reason" },
	{ "where", "queue, or why", COLUMN_WHERE, false, "queue instance in which it runs, or why it waits" },
};

#define DERIVED (sizeof(derived) / sizeof(*derived))

/* Column names that users know from other systems. */
static const struct { const char *name, *means; } aliases[] = {
	{ "job", "job_number" }, { "jobid", "job_number" }, { "jobname", "name" }, { "username", "owner" }, { "priorities", "prio" },
	{ "submit", "submission_time" }, { "start", "start_time" }, { "reason", "why" }, { "pending", "waits" }, { "time", "runs" },
};

#define ALIASES (sizeof(aliases) / sizeof(*aliases))

/* Copy the name out of the member's key, ",\"name\":". Return false if --json does not have it. */
static bool member_name(const struct stat_field *field, char name[COLUMN_NAME_BYTES])
{
	if (field->key_bytes < 4)
		return false;
	snprintf(name, COLUMN_NAME_BYTES, "%.*s", field->key_bytes - 4, field->key + 2);
	return true;
}

static bool is_number(enum stat_type type)
{
	switch (type) {
	case STAT_NUMBER:
	case STAT_ID:
	case STAT_SIGNED:
	case STAT_CPU:
	case STAT_USAGE:
	case STAT_PRIO:
	case STAT_NORMALISED:
	case STAT_CONTRIBUTION: case STAT_TICKETS: case STAT_SHARE:
		return true;
	default:
		return false;
	}
}

static bool derived_find(struct named_column *column, const char *name)
{
	for (const struct derived *d = derived; d < derived + DERIVED; d++)
		if (!strcmp(d->name, name) || !strcmp(d->title, name)) {
			*column = (struct named_column){ .title = d->title, .kind = d->kind, .right = d->right };
			snprintf(column->name, sizeof(column->name), "%s", d->name);
			return true;
		}
	return false;
}

static bool field_find(struct named_column *column, const char *name)
{
	char member[COLUMN_NAME_BYTES];

	for (const struct stat_field *field = stat_fields; field < stat_fields + STAT_FIELDS; field++) {
		const char *title = field->in[STAT_IN_TABLE].name;

		if (!member_name(field, member) || (strcmp(member, name) != 0 && (!title || strcmp(title, name) != 0)))
			continue;
		*column = (struct named_column){ .field = field, .right = is_number(field->type) };
		memcpy(column->name, member, sizeof(member));
		return true;
	}
	return false;
}

bool column_find(struct named_column *column, const char *name)
{
	for (size_t k = 0; k < ALIASES; k++)
		if (!strcmp(aliases[k].name, name))
			name = aliases[k].means;
	return derived_find(column, name) || field_find(column, name);
}

const char *column_nearest(const char *name)
{
	static struct nearest meant;
	static char members[STAT_FIELDS][COLUMN_NAME_BYTES];

	meant = (struct nearest){ .name = name };
	for (size_t k = 0; k < DERIVED; k++)
		nearest_look(&meant, derived[k].name);
	for (size_t k = 0; k < STAT_FIELDS; k++) {
		if (member_name(&stat_fields[k], members[k]))
			nearest_look(&meant, members[k]);
		if (stat_fields[k].in[STAT_IN_TABLE].name)
			nearest_look(&meant, stat_fields[k].in[STAT_IN_TABLE].name);
	}
	for (size_t k = 0; k < ALIASES; k++)
		nearest_look(&meant, aliases[k].name);
	return meant.found && meant.changes <= 2 && meant.changes < strlen(name) ? meant.found : NULL;
}

void columns_help(FILE *to)
{
	char member[COLUMN_NAME_BYTES];

	fprintf(to, "Members of --json, some with the different title that the table uses:\n");
	for (const struct stat_field *field = stat_fields; field < stat_fields + STAT_FIELDS; field++) {
		const char *title = field->in[STAT_IN_TABLE].name;

		if (!member_name(field, member))
			continue;
		if (title && strcmp(title, member) != 0 && field->type != STAT_SUBMITTED && field->type != STAT_TASKS)
			fprintf(to, "  %-18s %s\n", member, title);
		else
			fprintf(to, "  %s\n", member);
	}
	fprintf(to, "\nComputed columns:\n");
	for (size_t k = 0; k < DERIVED; k++)
		fprintf(to, "  %-18s %s\n", derived[k].name, derived[k].sentence);
}
