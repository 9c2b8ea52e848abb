/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/host_capacity.h"

#include <stdlib.h>

#include "conf/base/array.h"
#include "conf/base/heap.h"

struct host_capacity *host_capacity_create(size_t nhosts)
{
	struct host_capacity *capacity = calloc(1, sizeof(*capacity));

	if (!capacity || array_grow(&capacity->from, nhosts + 1, sizeof(*capacity->from)) ||
	    array_grow(&capacity->heap, nhosts + 1, sizeof(*capacity->heap)) ||
	    array_grow(&capacity->headroom, nhosts + 1, sizeof(*capacity->headroom))) {
		host_capacity_free(capacity);
		return NULL;
	}
	host_capacity_forget(capacity, nhosts);
	return capacity;
}

void host_capacity_free(struct host_capacity *capacity)
{
	if (!capacity)
		return;
	free(capacity->from);
	free(capacity->heap);
	free(capacity->headroom);
	free(capacity);
}

void host_capacity_forget(struct host_capacity *capacity, size_t nhosts)
{
	capacity->nheap = nhosts;
	capacity->failed = INT64_MIN;
	for (size_t h = 0; h < nhosts; h++) {
		capacity->heap[h] = (uint32_t)h;
		capacity->from[h] = INT64_MIN;
	}
}

static inline bool comes_before(const struct host_capacity *capacity, const uint32_t *a, const uint32_t *b)
{
	return capacity->from[*a] < capacity->from[*b];
}

uint32_t host_capacity_take(struct host_capacity *capacity)
{
	uint32_t host = capacity->heap[0];

	capacity->heap[0] = capacity->heap[--capacity->nheap];
	capacity->heap[capacity->nheap] = host;
	heap_sink(capacity->heap, capacity->nheap, 0, comes_before, capacity);
	return host;
}

void host_capacity_put_back(struct host_capacity *capacity)
{
	heap_rise(capacity->heap, capacity->nheap, comes_before, capacity);
	capacity->nheap++;
}

/* Count the hosts of the heap from index i on. */
static size_t heap_count(const struct host_capacity *capacity, size_t i, int64_t at, size_t most)
{
	size_t n = 1;

	if (most == 0 || i >= capacity->nheap || capacity->from[capacity->heap[i]] > at)
		return 0;
	n += heap_count(capacity, 2 * i + 1, at, most - n);
	return n + heap_count(capacity, 2 * i + 2, at, most - n);
}

size_t host_capacity_count(const struct host_capacity *capacity, int64_t at, size_t most)
{
	return heap_count(capacity, 0, at, most);
}
