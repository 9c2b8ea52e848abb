/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of usage as the store has them: a JSON object of numbers, in the list's order, with all
 * digits that a double needs.
 */
#ifndef SCHED_STORE_VALUES_H
#define SCHED_STORE_VALUES_H

#include "sched/mirror/tables.h"
#include "sched/store/base.h"

/* In the store's memory, until the next one. NULL: no memory. */
const char *values_text(const struct mirror *mirror, const struct usage *usage, struct row_texts *memory);

/*
 * Into a list that is empty; of values that can't be usage -EUCLEAN, and -ENOMEM: the list is as it
 * was.
 */
int values_of_text(struct mirror *mirror, const char *text, struct usage *usage);

#endif
