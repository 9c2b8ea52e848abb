/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow. */
#ifndef CONF_ARRAY_H
#define CONF_ARRAY_H

#include <errno.h>
#include <stdlib.h>

/*
 * Make room for `n` elements of `bytes` each. `array` is the address of a pointer from malloc(3), or to NULL; -ENOMEM leaves it as it is.
 */
static inline int array_grow(void *array, size_t n, size_t bytes)
{
	void **pointer = array, *larger = reallocarray(*pointer, n, bytes);

	if (!larger)
		return -ENOMEM;
	*pointer = larger;
	return 0;
}

#endif
