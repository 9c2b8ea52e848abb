/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of usage in the form of the store: a JSON object of numbers, in the list's order, with all
 * digits that a double needs.
 */
#ifndef SCHED_STORE_VALUES_H
#define SCHED_STORE_VALUES_H

#include "sched/mirror/queries.h"
#include "sched/mirror/usage.h"
#include "sched/store/base.h"

/* Write a list to the store's memory, valid until the next call. NULL: no memory. */
const char *values_text(const struct mirror *mirror, const struct usage *usage, struct row_texts *memory);

/* Read values into an empty list. -EUCLEAN: invalid usage; -ENOMEM. The list is then unchanged. */
int values_of_text(struct mirror *mirror, const char *text, struct usage *usage);

#endif
