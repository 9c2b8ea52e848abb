/* SPDX-License-Identifier: Apache-2.0 */
/* What standard output is: a terminal, which people look at, or something that a program reads. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

/* Columns of the terminal, asked for anew at each call; 0: standard output is none. */
unsigned terminal_columns(void);

#endif
