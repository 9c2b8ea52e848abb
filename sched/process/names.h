/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of names on the command line, separated by commas: users, partitions, accounts. */
#ifndef SCHED_PROCESS_NAMES_H
#define SCHED_PROCESS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "sched/process/messages.h"

struct names {			/* zero-initialised by the caller */
	char **items;		/* pieces of the words */
	size_t n;		/* 0: there was no list */
};

/*
 * Cut the word at its commas, in place, and add the pieces that are not empty. Return EXIT_OK. With
 * a message, return EXIT_USAGE if there is no piece, or EXIT_NO_DATA if memory is exhausted. The
 * message begins with `about` and the option.
 */
int names_add(struct messages *messages, struct names *names, const char *about, const char *option, char *word);
/* Cut the word like names_add(), but keep empty pieces, which mean objects without a name. */
int names_cut(struct messages *messages, struct names *names, char *word);
void names_free(struct names *names);

/*
 * Return whether the name is in the list, with or without regard to case. True if there is no list.
 */
bool names_have(const struct names *names, const char *name);
bool names_have_nocase(const struct names *names, const char *name);
/* Return whether a name or pattern of the list matches: conf/base/wildcard.h. */
bool names_match(const struct names *names, const char *name);

#endif
