/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Match values of string complexes with requests: expressions of patterns as in sge_types(1), with
 * * ? [] within a word and ! & | () between words. Also match the queue lists of -q and -masterq:
 * QUEUE, QUEUE@HOST, QUEUE@@GROUP, each part a pattern.
 */
#ifndef SCHED_DISPATCH_SEARCH_PATTERN_H
#define SCHED_DISPATCH_SEARCH_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/cell.h"

/*
 * Limit on what one job may have tried on each instance in each run: the length of an expression,
 * and the total length of all patterns in a list. Names do not count because they are cheap.
 */
#define PATTERN_BYTES_MOST 2048

/*
 * Match a value. An expression that cannot be read, or is longer than PATTERN_BYTES_MOST, matches
 * nothing.
 */
bool pattern_match(const char *expression, const char *value, bool ignore_case);

/*
 * Return whether an item of a comma-separated list selects this instance. A separator with a
 * backslash before it, as conf/entries.h writes it, is part of the item; in a pattern it matches
 * itself. Patterns after the first PATTERN_BYTES_MOST bytes of patterns match nothing.
 */
bool queue_list_matches(const struct cell *cell, const char *list, const char *queue, const char *host);

/* Return how many items do not select the instance. */
uint32_t queue_list_misses(const struct cell *cell, const char *list, const char *queue, const char *host);

/*
 * queue_list_names() returns whether an item selects this cluster queue on some host.
 * queue_list_means_host() returns whether an item selects some queue on this host.
 */
bool queue_list_names(const char *list, const char *queue);
bool queue_list_means_host(const struct cell *cell, const char *list, const char *host);

#endif
