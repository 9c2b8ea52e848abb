/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of string complexes against requests: expressions of patterns as in sge_types(1): * ? []
 * within a word, ! & | () between words. And the queue lists of -q and -masterq: QUEUE, QUEUE@HOST,
 * QUEUE@@GROUP, each part a pattern.
 */
#ifndef SCHED_DISPATCH_SEARCH_PATTERN_H
#define SCHED_DISPATCH_SEARCH_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/cell.h"

/*
 * What one job may have tried on each instance in each run: an expression, and of all patterns in a
 * list so much. Names are not patterns, and cheap.
 */
#define PATTERN_BYTES_MOST 2048

/* An expression that cannot be read, or is longer than PATTERN_BYTES_MOST, matches nothing. */
bool pattern_match(const char *expression, const char *value, bool ignore_case);

/*
 * Does one item of a comma-separated list mean this instance? A separator with a backslash before
 * it, as conf/entries.h writes it, is part of an item: of a pattern, to which it means itself.
 * Patterns behind the first
 * PATTERN_BYTES_MOST bytes of them mean none.
 */
bool queue_list_matches(const struct cell *cell, const char *list, const char *queue, const char *host);

/* How many items do not mean it? */
uint32_t queue_list_misses(const struct cell *cell, const char *list, const char *queue, const char *host);

/* Does one item of the list mean this cluster queue on some host? And some queue on this host? */
bool queue_list_names(const char *list, const char *queue);
bool queue_list_means_host(const struct cell *cell, const char *list, const char *host);

#endif
