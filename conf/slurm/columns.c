/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of cells with bars between, below a line of headings. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "conf/slurm/files.h"

/* Cuts the next cell off; false behind the last. */
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

static void heading_read(struct columns *c, char *line)
{
	char *rest = line, *cell;
	size_t at, i;

	for (at = 0; cell_take(&rest, &cell); at++)
		for (i = 0; i < c->n; i++)
			if (name_is(cell, c->names[i]) && c->place[i] == SIZE_MAX)
				c->place[i] = at;
}

/* The next line that is no comment; programs print none, people write them. */
static char *line_take(struct columns *c)
{
	char *line;

	do
		line = text_line(&c->text);
	while (line && *line == '#');
	return line;
}

int columns_open(struct columns *c, const char *path, const char *const *names, size_t n, size_t needed, struct report *report)
{
	char *line;
	size_t i;
	int rc;

	*c = (struct columns){ .names = names, .n = n };
	for (i = 0; i < COLUMNS_MOST; i++)
		c->place[i] = SIZE_MAX;
	rc = text_open(&c->text, path, report);
	if (rc)
		return rc == -ENOMEM || rc == -ENOENT ? rc : -EINVAL;
	c->text.as_it_is = true;
	line = line_take(c);
	if (line)
		heading_read(c, line);
	for (i = 0; i < needed; i++) {
		if (c->place[i] != SIZE_MAX)
			continue;
		report_add(report, FAULT, path, line ? c->text.number : 0, "there is no column \"%s\": a line of headings with | between is needed, as option -P "
			   "prints it", names[i]);
		return -EINVAL;
	}
	return 0;
}

bool columns_next(struct columns *c)
{
	char *rest = line_take(c), *cell;
	size_t at, i;

	if (!rest)
		return false;
	for (i = 0; i < c->n; i++)
		c->cells[i] = rest + strlen(rest);
	for (at = 0; cell_take(&rest, &cell); at++)
		for (i = 0; i < c->n; i++)
			if (c->place[i] == at)
				c->cells[i] = cell;
	return true;
}

void columns_close(struct columns *c)
{
	text_close(&c->text);
}
