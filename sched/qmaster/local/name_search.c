/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/name_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/wildcard.h"
#include "sched/mirror/queries.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int named_add(struct name_search *named, uint32_t number)
{
	if (named->n == named->capacity) {
		size_t capacity = named->capacity ? 2 * named->capacity : 16;

		if (array_grow(&named->numbers, capacity, sizeof(uint32_t)))
			return -ENOMEM;
		named->capacity = capacity;
	}
	named->numbers[named->n++] = number;
	return 0;
}

/*
 * Return whether the owner is selected. Users who are not operators select only their own jobs,
 * whatever the pattern.
 */
static bool owner_fits(const struct name_search *named, const char *owner)
{
	if ((!named->users || !client_is_operator(named->client)) && strcmp(owner, named->client->owner) != 0)
		return false;
	return !named->users || wildcard_match(named->users, owner, WILDCARD_NO_ESCAPE);
}

/* Compute for each class whether its owner is selected. Returns NULL if memory is exhausted. */
static bool *owners_find(const struct name_search *named, const struct mirror *mirror)
{
	uint32_t n = mirror_classes_end(mirror);
	bool *fits = calloc(n + 1, sizeof(*fits));

	for (uint32_t id = 0; fits && id < n; id++) {
		const char *owner = mirror_class_owner(mirror, id);

		fits[id] = owner && owner_fits(named, owner);
	}
	return fits;
}

int name_search_run(struct local *local, struct client *client, struct name_search *named)
{
	const struct mirror *mirror = local->intake->mirror;
	uint64_t before = wildcard_steps;
	bool *fits = owners_find(named, mirror);
	int rc = fits ? 0 : -ENOMEM;
	size_t place = 0;
	uint32_t row;

	client->request.compared += mirror_walk_steps(mirror);
	while (rc == 0 && (row = mirror_next_job(mirror, &place)) != INDEX_NONE) {
		if (!fits[mirror_row_class(mirror, row)])
			continue;
		if (wildcard_match(named->pattern, mirror_row_name(mirror, row), 0))
			rc = named_add(named, mirror_row_number(mirror, row));
		if (rc == 0 && client->request.compared + (wildcard_steps - before) > COMPARED_MAX)
			rc = -E2BIG;
	}
	free(fits);
	client->request.compared += wildcard_steps - before;
	if (named->n > 1)
		qsort(named->numbers, named->n, sizeof(*named->numbers), by_number);
	return rc;
}
