/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of the output terminal: https://no-color.org, TERM, COLUMNS. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct terminal {
	bool is_terminal;
	unsigned columns, rows;		/* 0: no terminal, or no limit */
	bool can_draw;			/* the cursor can be moved */
	bool has_colour, has_utf8;
};

/* Detect the properties. Each call reads them again. */
void terminal_look(struct terminal *terminal, int fd, enum colour_when when);

/* Return the columns of standard output, 0: not a terminal. */
unsigned terminal_columns(void);

#endif
