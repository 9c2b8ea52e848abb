/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow. */
#ifndef CONF_ARRAY_H
#define CONF_ARRAY_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/*
 * Behind the last one of n elements, of which there may be none: C does not know what NULL + 0 is.
 */
#define array_end(ITEMS, N) ((N) > 0 ? (ITEMS) + (N) : (ITEMS))

#define ARRAY_HUGE_PAGE ((size_t)2 << 20)

/*
 * Make room for `n` elements of `bytes` each. `array` is the address of a pointer from malloc(3),
 * or to NULL; -ENOMEM leaves it as it is.
 */
static inline int array_grow(void *array, size_t n, size_t bytes)
{
	void **pointer = array, *larger = reallocarray(*pointer, n, bytes);

	if (!larger)
		return -ENOMEM;
	*pointer = larger;
	if (n * bytes >= 2 * ARRAY_HUGE_PAGE) {
		uintptr_t begin = ((uintptr_t)larger + ARRAY_HUGE_PAGE - 1) & ~(ARRAY_HUGE_PAGE - 1);
		uintptr_t end = ((uintptr_t)larger + n * bytes) & ~(ARRAY_HUGE_PAGE - 1);

		/* fewer TLB misses where the administrator allows it */
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
	}
	return 0;
}

#endif
