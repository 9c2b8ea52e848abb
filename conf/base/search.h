/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary search in any sorted sequence: an array of records, a column, an order of indices.
 *
 *     size_t at;
 *
 *     lower_bound(at, n, strcmp(hosts[at].name, name) < 0);
 *     found = at < n && strcmp(hosts[at].name, name) == 0;
 *
 * AT becomes the first of 0..N-1 for which the expression IS_BEFORE, which reads AT, is false, or N
 * if it is true for all. This is the position of the searched item, or the position at which it
 * would have to be inserted.
 */
#ifndef CONF_BASE_SEARCH_H
#define CONF_BASE_SEARCH_H

#include <stddef.h>

#define lower_bound(AT, N, IS_BEFORE)								\
	do {											\
		size_t low_ = 0, high_ = (N);							\
												\
		while ((AT) = low_ + (high_ - low_) / 2, low_ < high_)				\
			if (IS_BEFORE)								\
				low_ = (AT) + 1;						\
			else									\
				high_ = (AT);							\
	} while (0)

#endif
