/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal that is written to, and what may be done to it: https://no-color.org, TERM, COLUMNS.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct terminal {
	bool is_terminal;
	unsigned columns, rows;		/* 0: none, or as many as you like */
	bool can_draw;			/* its cursor can be moved */
	bool has_colour, has_utf8;
};

/* Anew at each call. */
void terminal_look(struct terminal *terminal, int fd, enum colour_when when);

/* Columns of standard output; 0: it is no terminal. */
unsigned terminal_columns(void);

#endif
