/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convert the output of sge_share_mon, which has a line per node of the share tree, to events. The
 * lines of a user, for usage outside of projects and in each project, become one event.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/base/number.h"
#include "conf/base/utf8.h"
#include "sched/cli/cli.h"
#include "sched/cli/cell/import.h"
#include "sched/qmaster/json/event_write.h"
#include "sched/qmaster/members/event.h"

enum { KINDS = 3, VALUES = 2 * KINDS, FIELDS = 3 + VALUES };	/* usage: decayed, then long-term */

/* IMPORT_USAGE_FIELDS */
static const char *const fields[FIELDS] = { "curr_time", "user_name", "project_name", "cpu", "mem",
					    "io",	 "ltcpu",     "ltmem",	      "ltio" };

struct node_usage {		/* a line, with borrowed texts */
	const char *user, *project;		/* "": none */
	int64_t time;
	size_t line;
	struct usage_value values[VALUES];
};

struct node_usages {
	struct node_usage *lines;
	size_t n;
	/* room for as many projects, for the user of the event that is written */
	struct project_usage *projects;
};

/* Lines */

static bool name_take(const char *text, const char **name)
{
	size_t n = 0;

	for (size_t length; text[n]; n += length)
		if ((length = utf8_length(text + n)) == 0)
			return false;
	*name = text;
	return n <= NAME_BYTES;
}

static bool time_take(const char *text, int64_t *time)
{
	double value;

	if (number_double(text, &value) || !(value > 0 && value <= (double)TIME_MAX_S) || value != floor(value))
		return false;
	*time = (int64_t)value;
	return true;
}

/* Parse a finite number. Return false if it is not one. Events have no values below 0. */
static bool value_take(const char *text, double *value)
{
	if (number_double(text, value))
		return false;
	*value = *value > 0 ? fmin(*value, USAGE_MAX) : 0;
	return true;
}

static bool field_take(struct node_usage *u, size_t k, const char *text)
{
	switch (k) {
	case 0: return time_take(text, &u->time);
	case 1: return name_take(text, &u->user);
	case 2: return name_take(text, &u->project);
	}
	u->values[k - 3].name = fields[3 + (k - 3) % KINDS];
	return value_take(text, &u->values[k - 3].value);
}

/*
 * Parse "name=value" fields, each followed by a tab. False: *bad is not one of the requested
 * fields.
 */
static bool line_take(struct node_usage *usage, char *line, const char **bad)
{
	for (size_t k = 0; k < FIELDS; k++) {
		char *field = strsep(&line, "\t");
		size_t n = strlen(fields[k]);

		*bad = field ? field : "";
		if (!field || strncmp(field, fields[k], n) || field[n] != '=' || !field_take(usage, k, field + n + 1))
			return false;
	}
	*bad = line ? line : "";
	return !**bad;
}

/* Return whether the node has usage. Nodes without a user and a project have none of their own. */
static bool has_used(const struct node_usage *usage)
{
	for (size_t k = 0; k < VALUES; k++)
		if (usage->values[k].value > 0)
			return *usage->user || *usage->project;
	return false;
}

static int lines_take(struct node_usages *usages, char *text, const char *command)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		struct node_usage usage = { .line = usages->n }, *new;
		const char *bad;

		if (!*line)
			continue;
		if (!line_take(&usage, line, &bad))
			return cli_fail(
				EXIT_NO_DATA,
				"import: %s prints \"%.80s\": lines of NAME=VALUE are expected, with these "
				"fields in their "
				"order, each followed by a tab, and usage as numbers",
				command, bad);
		if (!has_used(&usage))
			continue;
		new = array_add(&usages->lines, &usages->n, sizeof(*new));
		if (!new)
			return cli_fail(EXIT_NO_DATA, "no memory");
		*new = usage;
	}
	return EXIT_OK;
}

/* Events */

static int by_names(const void *a, const void *b)
{
	const struct node_usage *x = a, *y = b;
	int order = strcmp(x->user, y->user);

	order = order ? order : strcmp(x->project, y->project);
	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

static struct usage_values decayed(const struct node_usage *u)
{
	return (struct usage_values){ u->values, KINDS };
}

static struct usage_values long_term(const struct node_usage *u)
{
	return (struct usage_values){ u->values + KINDS, KINDS };
}

/*
 * Make the event for all lines of a user, or for a project. A second line for the same pair, from
 * another node, has the same usage.
 */
static void event_make(struct event *event, const struct node_usage *lines, size_t n, struct project_usage *projects)
{
	bool user = *lines->user;

	event_init(event, user ? EVENT_USER_USAGE : EVENT_PROJECT_USAGE);
	event->object.name = user ? lines->user : lines->project;
	event->object.time_stamp = lines->time;
	event->object.projects = projects;
	if (!user || !*lines->project) {
		event->object.usage = decayed(lines);
		event->object.long_term = long_term(lines);
	}
	for (size_t k = 0; user && k < n; k++)
		if (*lines[k].project && (k == 0 || strcmp(lines[k].project, lines[k - 1].project)))
			projects[event->object.nprojects++] =
				(struct project_usage){ lines[k].project, decayed(&lines[k]), long_term(&lines[k]) };
}

static bool belong_together(const struct node_usage *a, const struct node_usage *b)
{
	return strcmp(a->user, b->user) == 0 && (*a->user || strcmp(a->project, b->project) == 0);
}

static void events_write(struct out *out, const struct node_usages *usages)
{
	uint64_t seq = 0;

	for (size_t k = 0, n; k < usages->n; k += n) {
		struct event event;

		for (n = 1; k + n < usages->n && belong_together(&usages->lines[k], &usages->lines[k + n]); n++)
			;
		event_make(&event, &usages->lines[k], n, usages->projects);
		event_write(out, ++seq, &event);
	}
}

static int file_make(struct import *import, const struct node_usages *usages)
{
	struct out out;
	const char *text;
	size_t bytes;
	int rc = out_open_memory(&out, (size_t)1 << 30);

	if (rc == 0) {
		events_write(&out, usages);
		rc = out_held(&out, &text, &bytes);
	}
	if (rc == 0)
		rc = new_cell_add(&import->new, IMPORT_USAGE, bytes ? text : "", bytes);
	out_close(&out);
	return rc ? cli_fail(EXIT_NO_DATA, "no memory") : EXIT_OK;
}

int import_usage(struct import *import, char *text, const char *command)
{
	struct node_usages usages = { 0 };
	int code = lines_take(&usages, text, command);

	if (code == EXIT_OK) {
		usages.projects = calloc(usages.n + 1, sizeof(*usages.projects));
		if (usages.n > 0)
			qsort(usages.lines, usages.n, sizeof(*usages.lines), by_names);
		code = usages.projects ? file_make(import, &usages) : cli_fail(EXIT_NO_DATA, "no memory");
	}
	free(usages.projects);
	free(usages.lines);
	return code;
}
