/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow. */
#ifndef CONF_BASE_ARRAY_H
#define CONF_BASE_ARRAY_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* End of an array of n elements. An empty array has no memory, and NULL + 0 is undefined in C. */
#define array_end(ITEMS, N) ((N) > 0 ? (ITEMS) + (N) : (ITEMS))

#define ARRAY_HUGE_PAGE ((size_t)2 << 20)

/*
 * Make room for `n` elements of `bytes` each. `array` is the address of a pointer from malloc(3),
 * or to NULL. Returns 0, or -ENOMEM; the array is then unchanged.
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
