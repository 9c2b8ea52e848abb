/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of names on the command line, separated by commas: users, partitions, accounts. */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct names {			/* zero-initialise */
	char **items;		/* pieces of the words given */
	size_t n;		/* 0: no list was given */
};

/*
 * Cuts the word at its commas, in place, and adds the pieces that are not empty. EXIT_OK, or after
 * a message EXIT_USAGE, there are none, or EXIT_NO_DATA.
 */
int names_add(struct names *names, const char *option, char *word);
/* The same with the empty pieces, which mean what has no name. */
int names_cut(struct names *names, char *word);
void names_free(struct names *names);

/* Upper and lower case are different, and are not. Both true when no list was given. */
bool names_have(const struct names *names, const char *name);
bool names_have_nocase(const struct names *names, const char *name);
/* One of them is the name, or a pattern of it: conf/base/wildcard.h. */
bool names_match(const struct names *names, const char *name);

#endif
