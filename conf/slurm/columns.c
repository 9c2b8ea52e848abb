/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of cells separated by bars, below a line of headings. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "conf/slurm/files.h"

/* Cut off the next cell. Returns false after the last one. */
static bool cell_take(char **rest, char **cell)
{
	char *bar;

	if (!*rest)
		return false;
	*cell = *rest;
	bar = strchr(*rest, '|');
	*rest = bar ? bar + 1 : NULL;
	if (bar)
		*bar = '\0';
	return true;
}

static bool name_is(const char *heading, const char *name)
{
	for (;; heading++, name++) {
		while (*heading == ' ')
			heading++;
		if (!*name || strncasecmp(heading, name, 1))
			return !*heading && !*name;
	}
}

static void heading_read(struct columns *columns, char *line)
{
	char *rest = line, *cell;
	size_t at, i;

	for (at = 0; cell_take(&rest, &cell); at++)
		for (i = 0; i < columns->n; i++)
			if (name_is(cell, columns->names[i]) && columns->place[i] == SIZE_MAX)
				columns->place[i] = at;
}

/* Return the next line that is not a comment. Programs print no comments, but people write them. */
static char *line_take(struct columns *columns)
{
	char *line;

	do
		line = text_line(&columns->text);
	while (line && *line == '#');
	return line;
}

int columns_open(struct columns *columns, const char *path, const char *const *names, size_t n, size_t needed,
		 struct report *report)
{
	char *line;
	size_t i;
	int rc;

	*columns = (struct columns){ .names = names, .n = n };
	for (i = 0; i < COLUMNS_MOST; i++)
		columns->place[i] = SIZE_MAX;
	rc = text_open(&columns->text, path, report);
	if (rc)
		return rc == -ENOMEM || rc == -ENOENT ? rc : -EINVAL;
	columns->text.as_it_is = true;
	line = line_take(columns);
	if (line)
		heading_read(columns, line);
	for (i = 0; i < needed; i++) {
		if (columns->place[i] != SIZE_MAX)
			continue;
		report_add(report, FAULT, path, line ? columns->text.number : 0,
			   "there is no column \"%s\": a line of headings with | between is needed, as option -P "
			   "prints it",
			   names[i]);
		return -EINVAL;
	}
	return 0;
}

bool columns_next(struct columns *columns)
{
	char *rest = line_take(columns), *cell;
	size_t at, i;

	if (!rest)
		return false;
	for (i = 0; i < columns->n; i++)
		columns->cells[i] = rest + strlen(rest);
	for (at = 0; cell_take(&rest, &cell); at++)
		for (i = 0; i < columns->n; i++)
			if (columns->place[i] == at)
				columns->cells[i] = cell;
	return true;
}

void columns_close(struct columns *columns)
{
	text_close(&columns->text);
}
