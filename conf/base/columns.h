/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow together. */
#ifndef CONF_BASE_COLUMNS_H
#define CONF_BASE_COLUMNS_H

#include <stddef.h>

struct array_column {
	void *array;			/* address of a pointer from malloc(3), or to NULL */
	size_t bytes;			/* of an element */
};

#define COLUMN(ARRAY) COLUMN_OF(ARRAY, sizeof(*(ARRAY)))
#define COLUMN_OF(ARRAY, BYTES) ((struct array_column){ &(ARRAY), (BYTES) })

/*
 * Make room for `n` elements in each column. `capacity` is the number of elements for which all
 * columns have room. It grows by a quarter at least, so that adding elements one by one takes
 * constant time. -ENOMEM: the columns are kept, and so is `capacity`. At most 4294967294 elements,
 * so that their numbers fit into uint32_t.
 */
int array_reserve_columns(size_t *capacity, size_t n, const struct array_column *columns, size_t ncolumns);

/*
 * The same with a list of columns: array_reserve(&capacity, n, COLUMN(names), COLUMN(values)). The
 * first two arguments are evaluated more than once.
 */
#define ARRAY_COLUMNS(...) (const struct array_column[]){ __VA_ARGS__ }
#define array_reserve(CAPACITY, N, ...)								\
	((N) <= *(CAPACITY) ? 0 :								\
		array_reserve_columns((CAPACITY), (N), ARRAY_COLUMNS(__VA_ARGS__),		\
				      sizeof(ARRAY_COLUMNS(__VA_ARGS__)) / sizeof(struct array_column)))

#endif
