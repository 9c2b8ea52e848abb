/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary heap in an array. The best item is the first one, and the item at index i is not worse
 * than the items at 2 * i + 1 and 2 * i + 2. IS_BEFORE(CONTEXT, a, b), a function or a macro, says
 * whether *a comes before *b. Equal items may be in any order. The heap consists of macros, so that
 * items may be of any type and the comparison is compiled in place.
 *
 *     items[n++] = item;                               put one in
 *     heap_rise(items, n - 1, is_before, context);
 *
 *     best = items[0];                                 take the best one out
 *     items[0] = items[--n];
 *     heap_sink(items, n, 0, is_before, context);
 */
#ifndef CONF_BASE_HEAP_H
#define CONF_BASE_HEAP_H

#include <stddef.h>

/* Move the item at I up if it is better than its parent. */
#define heap_rise(ITEMS, I, IS_BEFORE, CONTEXT)								\
	do {												\
		size_t at_ = (I);									\
		__typeof__(*(ITEMS)) rising_ = (ITEMS)[at_];						\
													\
		for (; at_ > 0 && IS_BEFORE(CONTEXT, &rising_, &(ITEMS)[(at_ - 1) / 2]);		\
		     at_ = (at_ - 1) / 2)								\
			(ITEMS)[at_] = (ITEMS)[(at_ - 1) / 2];						\
		(ITEMS)[at_] = rising_;									\
	} while (0)

/*
 * Move the item at I down if it is worse than its children. The heap has N items. I may be N, the
 * position directly after them, when the last item has been taken out.
 */
#define heap_sink(ITEMS, N, I, IS_BEFORE, CONTEXT)							\
	do {												\
		size_t at_ = (I), n_ = (N);								\
		__typeof__(*(ITEMS)) sinking_ = (ITEMS)[at_];						\
													\
		for (size_t child_; (child_ = 2 * at_ + 1) < n_; at_ = child_) {			\
			child_ += child_ + 1 < n_ &&							\
				  IS_BEFORE(CONTEXT, &(ITEMS)[child_ + 1], &(ITEMS)[child_]);		\
			if (!IS_BEFORE(CONTEXT, &(ITEMS)[child_], &sinking_))				\
				break;									\
			(ITEMS)[at_] = (ITEMS)[child_];							\
		}											\
		(ITEMS)[at_] = sinking_;								\
	} while (0)

/* Make a heap of N items in any order. */
#define heap_build(ITEMS, N, IS_BEFORE, CONTEXT)							\
	do {												\
		for (size_t i_ = (N) / 2; i_-- > 0; )							\
			heap_sink(ITEMS, N, i_, IS_BEFORE, CONTEXT);					\
	} while (0)

#endif
