/* SPDX-License-Identifier: Apache-2.0 */
/* Building the arrays of a cell: growing ones, name lists, name=value lists. */
#ifndef CONF_LISTS_H
#define CONF_LISTS_H

#include <stddef.h>

#include "conf/cell.h"
#include "conf/error.h"

#define LIST_SEPARATORS ", \t"

/*
 * `array` is the address of a pointer to items of `size` bytes, of which there are `*n`. Returns a
 * zeroed item behind the last one and counts it; NULL without memory. An array that grows this way
 * holds room for the next power of two.
 */
void *array_add(void *array, size_t *n, size_t size);

/*
 * All items of a cell that have a name have it as their first member: these sort by it and find it
 * in `n` items of `size` bytes.
 */
void array_sort(void *items, size_t n, size_t size);
void *array_find(const void *items, size_t n, size_t size, const char *name);

/* The lists are empty before; "NONE" leaves them so. 0, -EINVAL with the reason in `e`, -ENOMEM. */
int strlist_parse(struct strlist *list, const char *text, struct error *error);
int pairs_parse(struct pairs *pairs, const char *text, const char *separators, struct error *error);

/* One pair of borrowed texts more. -ENOMEM. */
int pairs_add(struct pairs *pairs, const char *name, const char *text);
const struct pair *pairs_find(const struct pairs *pairs, const char *name);

void strlist_free(struct strlist *list);
void pairs_free(struct pairs *pairs);

/*
 * What an object may be called: 1..255 bytes, none of blank / : ' " \ [ ] { } | ( ) % , = @. 0 or
 * -EINVAL.
 */
int name_check(const char *name, struct error *error);

#endif
