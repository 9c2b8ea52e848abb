/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS 80u			/* default for a terminal without a reported size */
#define ROWS 24u
#define MOST 10000u

/* Return whether the locale is UTF-8. No other part of the locale is used. */
static bool has_utf8(void)
{
	const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (int k = 0; k < 3; k++) {
		const char *value = getenv(names[k]);

		if (value && *value)
			return strcasestr(value, "UTF-8") || strcasestr(value, "UTF8");
	}
	return false;
}

static bool has_colour(const struct terminal *terminal, enum colour_when when)
{
	const char *no = getenv("NO_COLOR");

	return when == COLOUR_AUTO ? terminal->can_draw && !(no && *no) : when == COLOUR_ALWAYS;
}

/* Return a size of the terminal. The environment variable has precedence. */
static unsigned size_of(const char *name, unsigned reported, unsigned otherwise)
{
	const char *value = getenv(name);
	unsigned long number = value ? strtoul(value, NULL, 10) : 0;

	if (number > 0 && number <= MOST)
		return (unsigned)number;
	return reported ? reported : otherwise;
}

void terminal_look(struct terminal *t, int fd, enum colour_when when)
{
	const char *term = getenv("TERM");
	struct winsize size = { 0 };

	*t = (struct terminal){ .is_terminal = isatty(fd), .has_utf8 = has_utf8() };
	t->can_draw = t->is_terminal && term && *term && strcmp(term, "dumb") != 0;
	t->has_colour = has_colour(t, when);
	if (!t->is_terminal)
		return;
	if (ioctl(fd, TIOCGWINSZ, &size))
		size = (struct winsize){ 0 };
	t->columns = size_of("COLUMNS", size.ws_col, COLUMNS);
	t->rows = size_of("LINES", size.ws_row, ROWS);
}

unsigned terminal_columns(void)
{
	struct terminal terminal;

	terminal_look(&terminal, STDOUT_FILENO, COLOUR_NEVER);
	return terminal.columns;
}
