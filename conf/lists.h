/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that build the arrays of a cell: growing arrays, name lists, name=value lists. */
#ifndef CONF_LISTS_H
#define CONF_LISTS_H

#include <stddef.h>

#include "conf/cell.h"
#include "conf/base/error.h"

#define LIST_SEPARATORS ", \t"

/*
 * Append a zeroed item and count it. `array` is the address of a pointer to `*n` items of `size`
 * bytes. Returns the item, or NULL if memory is exhausted. An array that grows this way has room
 * for the next power of two.
 */
void *array_add(void *array, size_t *n, size_t size);

/*
 * Sort and search `n` items of `size` bytes by name. In all items of a cell that have a name, the
 * name is the first member.
 */
void array_sort(void *items, size_t n, size_t size);
void *array_find(const void *items, size_t n, size_t size, const char *name);

/*
 * Parse a list into an empty one. "NONE" leaves it empty. Returns 0, -EINVAL with the reason in
 * `error`, or -ENOMEM. After an error the list has the items before the failed one, all complete.
 * In pairs, separators between parentheses belong to the value.
 */
int strlist_parse(struct strlist *list, const char *text, struct error *error);
int pairs_parse(struct pairs *pairs, const char *text, const char *separators, struct error *error);

/* Append a pair. The texts are copied. Returns 0 or -ENOMEM. */
int pairs_add(struct pairs *pairs, const char *name, const char *text);
const struct pair *pairs_find(const struct pairs *pairs, const char *name);

void strlist_free(struct strlist *list);
void pairs_free(struct pairs *pairs);

/*
 * Check the name of an object: 1..255 bytes, without blank / : ' " \ [ ] { } | ( ) % , = @. Returns
 * 0 or -EINVAL.
 */
int name_check(const char *name, struct error *error);

#endif
