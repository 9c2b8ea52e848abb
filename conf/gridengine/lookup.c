/* SPDX-License-Identifier: Apache-2.0 */
/* Search of a cell's objects by name. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/array.h"
#include "conf/lists.h"
#include "conf/gridengine/readers.h"
#include "conf/base/search.h"
#include "conf/base/wildcard.h"

const struct complex *cell_complex(const struct cell *cell, const char *name)
{
	const struct complex *complex = array_find(cell->complexes, cell->ncomplexes, sizeof(*complex), name);
	size_t i;

	for (i = 0; i < cell->ncomplexes && !complex; i++)
		if (!strcmp(cell->complexes[i].shortcut, name))
			complex = &cell->complexes[i];
	return complex;
}

const struct user *cell_user(const struct cell *cell, const char *name)
{
	return array_find(cell->users, cell->nusers, sizeof(*cell->users), name);
}

const struct project *cell_project(const struct cell *cell, const char *name)
{
	return array_find(cell->projects, cell->nprojects, sizeof(*cell->projects), name);
}

const struct userset *cell_userset(const struct cell *cell, const char *name)
{
	return array_find(cell->usersets, cell->nusersets, sizeof(*cell->usersets), name);
}

const struct userset *cell_department(const struct cell *cell, const char *name)
{
	const struct userset *set = cell_userset(cell, name);

	return set && set->is_department ? set : NULL;
}

const struct pe *cell_pe_matching(const struct cell *cell, const char *pattern)
{
	size_t i;

	for (i = 0; i < cell->npes; i++)
		if (wildcard_match(pattern, cell->pes[i].name, 0))
			return &cell->pes[i];
	return NULL;
}

const struct queue *cell_queue(const struct cell *cell, const char *name)
{
	return array_find(cell->queues, cell->nqueues, sizeof(*cell->queues), name);
}

const struct checkpoint *cell_checkpoint(const struct cell *cell, const char *name)
{
	return array_find(cell->checkpoints, cell->ncheckpoints, sizeof(*cell->checkpoints), name);
}

const struct calendar *cell_calendar(const struct cell *cell, const char *name)
{
	return array_find(cell->calendars, cell->ncalendars, sizeof(*cell->calendars), name);
}

int member_compare(const void *a, const void *b)
{
	const struct userset_member *x = a, *y = b;
	int order = strcmp(x->user, y->user);

	return order ? order : strcmp(x->set->name, y->set->name);
}

bool cell_userset_lists(const struct cell *cell, const struct userset *set, const char *user)
{
	struct userset_member key = { user, set };

	return cell->nmembers && bsearch(&key, cell->members, cell->nmembers, sizeof(key), member_compare);
}

const char *cell_department_of(const struct cell *cell, const char *user)
{
	size_t i;

	lower_bound(i, cell->nmembers, strcmp(cell->members[i].user, user) < 0);
	for (; i < cell->nmembers && !strcmp(cell->members[i].user, user); i++)
		if (cell->members[i].set->is_department)
			return cell->members[i].set->name;
	return "defaultdepartment";
}

const char *cell_queue_value(const struct cell *cell, const struct queue *queue, const char *host,
			     const char *attribute)
{
	const struct queue_value *value;
	const struct value_override *override;
	const char *of_group = NULL;

	for (value = queue->values; value < queue->values + queue->nvalues && strcmp(value->name, attribute); value++)
		;
	if (value == queue->values + queue->nvalues)
		return NULL;
	for (override = value->overrides; override != array_end(value->overrides, value->noverrides); override++)
		if (!strcasecmp(override->where, host))
			return override->value;
	for (override = value->overrides; override != array_end(value->overrides, value->noverrides); override++)
		if (*override->where == '@' && cell_hostgroup_has(cell, override->where, host)) {
			if (of_group)
				return value->value;
			of_group = override->value;
		}
	return of_group ? of_group : value->value;
}

bool cell_queue_is_on(const struct cell *cell, const struct queue *queue, const char *host)
{
	for (size_t i = 0; i < queue->hostlist.n; i++) {
		const char *entry = queue->hostlist.items[i];

		if (*entry == '@' ? cell_hostgroup_has(cell, entry, host) : strcasecmp(entry, host) == 0)
			return true;
	}
	return false;
}

/* Find a host. Names of hosts are case-insensitive, and files usually have lower case. */
const struct host_conf *cell_host(const struct cell *cell, const char *name)
{
	const struct host_conf *host = array_find(cell->hosts, cell->nhosts, sizeof(*host), name);
	char lower[256];
	size_t i;

	if (host || strlen(name) >= sizeof(lower))
		return host;
	for (i = 0; name[i]; i++)
		lower[i] = (char)tolower((unsigned char)name[i]);
	lower[i] = '\0';
	return array_find(cell->hosts, cell->nhosts, sizeof(*host), lower);
}
