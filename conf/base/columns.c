/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/base/columns.h"

#include <errno.h>
#include <stdint.h>

#include "conf/base/array.h"

int array_reserve_columns(size_t *capacity, size_t n, const struct array_column *columns, size_t ncolumns)
{
	size_t larger = *capacity + *capacity / 4 + 32;

	if (n <= *capacity)
		return 0;
	if (n >= UINT32_MAX)
		return -ENOMEM;
	larger = larger > n ? larger : n;
	for (size_t i = 0; i < ncolumns; i++)
		if (array_grow(columns[i].array, larger, columns[i].bytes))
			return -ENOMEM;
	*capacity = larger;
	return 0;
}
