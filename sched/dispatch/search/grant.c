/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/grant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"

void grant_clear(struct grant *grant)
{
	grant->n = 0;
	grant->pe = UINT32_MAX;
	grant->slots = grant->violations = 0;
	grant->unadjusted = false;
}

int grant_add(struct grant *grant, uint32_t instance, uint32_t slots, bool at_head)
{
	size_t at;

	for (size_t i = 0; i < grant->n; i++)
		if (grant->entries[i].instance == instance) {
			grant->entries[i].slots += slots;
			return 0;
		}
	if (grant->n == grant->capacity) {
		size_t capacity = 2 * grant->capacity + 4;

		if (array_grow(&grant->entries, capacity, sizeof(*grant->entries)))
			return -ENOMEM;
		grant->capacity = capacity;
	}
	at = at_head ? 0 : grant->n;
	memmove(&grant->entries[at + 1], &grant->entries[at], (grant->n - at) * sizeof(*grant->entries));
	grant->entries[at] = (struct grant_entry){ instance, slots };
	grant->n++;
	return 0;
}

void grant_free(struct grant *grant)
{
	free(grant->entries);
	*grant = (struct grant){ 0 };
}
