/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/cluster/cluster.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/wildcard.h"
#include "sched/reader/handle.h"
#include "sched/run/resend.h"

int cluster_cell_load(struct cluster_cell *cell, const struct fl_view *view)
{
	struct report report = { 0 };
	int rc = resend_files(&view->view, &cell->files);

	if (rc)
		return rc;
	rc = cell_load_files(&cell->cell, "(published)", &cell->files, &report);
	cell->loaded = rc == 0;
	report_free(&report);
	return rc;
}

void cluster_cell_free(struct cluster_cell *cell)
{
	if (cell->loaded)
		cell_free(&cell->cell);
	cell_files_free(&cell->files);
	*cell = (struct cluster_cell){ 0 };
}

bool cluster_extra_slave(const struct cluster_cell *cell, const char *granted_pe)
{
	const struct pe *pe = cell->loaded && *granted_pe ? cell_pe_matching(&cell->cell, granted_pe) : NULL;

	return pe && !pe->job_is_first_task;
}

int cluster_failed(struct messages *messages, const char *cell, int error)
{
	if (error == -EACCES)
		return message_add(
			messages, EXIT_PERMISSION, NULL,
			"%s: some files of the cell, which have the attributes, are not readable for all readers "
			"of the run: omit -F, -l, -pe, -U and @@GROUP",
			cell);
	if (error == -ENOMEM)
		return message_no_memory(messages);
	return message_add(messages, EXIT_NO_DATA, NULL, "%s: the configuration in shared memory is damaged", cell);
}

int cluster_nothing(struct messages *messages, const char *cell)
{
	return message_add(
		messages, EXIT_NO_DATA, NULL,
		"%s: the scheduler reads no hosts and queues, as it only computes priorities (--no-dispatch, or "
		"another scheduler has the role)",
		cell);
}

void cluster_know(struct cluster_known *known, const char *name)
{
	size_t at = strlen(known->text);
	size_t room = sizeof(known->text) - at;

	if (strlen(name) + 8 < room)
		snprintf(known->text + at, room, "%s%s", known->n ? ", " : "", name);
	else if (at >= 3 && strcmp(known->text + at - 3, "...") != 0)
		strcat(known->text, ", ...");
	known->n++;
}

bool cluster_queue_groups(const struct names *patterns)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (strstr(patterns->items[i], "@@"))
			return true;
	return false;
}

static bool host_is(const char *pattern, const char *host, const struct cell *cell)
{
	if (*pattern == '@')
		return cell && cell_hostgroup_has(cell, pattern, host);
	return wildcard_match(pattern, host, WILDCARD_IGNORE_CASE);
}

static bool queue_is(const char *pattern, const struct fl_instance *instance, const struct cell *cell)
{
	const char *at = strchr(pattern, '@'), *host = strchr(instance->name, '@');
	char queue[WILDCARD_BYTES];
	const char *name = *instance->queue ? instance->queue : instance->name;

	if (!at)
		return wildcard_match(pattern, name, 0);
	if ((size_t)(at - pattern) >= sizeof(queue) || !host)
		return false;
	memcpy(queue, pattern, (size_t)(at - pattern));
	queue[at - pattern] = '\0';
	return (!*queue || wildcard_match(queue, name, 0)) && host_is(at + 1, host + 1, cell);
}

bool cluster_queue_is(const struct names *patterns, const struct fl_instance *instance, const struct cell *cell)
{
	for (size_t k = 0; k < patterns->n; k++)
		if (queue_is(patterns->items[k], instance, cell))
			return true;
	return patterns->n == 0;
}

/* Jobs by queue instance */

/* a run stores each text once, so names are compared by address */
struct instance_name {
	const char *name;
	uint32_t instance;
};

static int by_name(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct instance_name *)a)->name,
		  y = (uintptr_t)((const struct instance_name *)b)->name;

	return x < y ? -1 : x > y;
}

static int by_instance(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static struct instance_name *instances_named(const struct fl_view *view, size_t *n)
{
	size_t all = fl_instances(view);
	struct instance_name *named = calloc(all + 1, sizeof(*named));
	struct fl_instance instance;

	for (*n = 0; named && *n < all && fl_instance(view, *n, &instance) == 0; ++*n)
		named[*n] = (struct instance_name){ instance.name, (uint32_t)*n };
	if (named)
		qsort(named, *n, sizeof(*named), by_name);
	return named;
}

static int placed_add(struct placed_jobs *jobs, size_t *capacity, struct placed placed)
{
	if (jobs->n == *capacity) {
		size_t more = 2 * jobs->n + 256;
		struct placed *items = reallocarray(jobs->items, more, sizeof(*items));

		if (!items)
			return -ENOMEM;
		jobs->items = items;
		*capacity = more;
	}
	jobs->items[jobs->n++] = placed;
	return 0;
}

static bool user_is(const struct names *users, const char *owner)
{
	for (size_t i = 0; i < users->n; i++)
		if (wildcard_match(users->items[i], owner, 0))
			return true;
	return users->n == 0;
}

int placed_find(struct placed_jobs *jobs, const struct fl_view *view, const struct names *users)
{
	size_t n, capacity = 0, rows = fl_count(view, FL_STARTED);
	struct instance_name *named = instances_named(view, &n);
	int rc = named ? 0 : -ENOMEM;
	struct fl_granted grant;
	struct fl_run run;
	struct fl_job job;

	fl_run(view, &run);
	for (size_t k = 0; rc == 0 && k < rows; k++) {
		if (users->n > 0 && (fl_get(view, FL_STARTED, k, &job) || !user_is(users, job.owner)))
			continue;
		for (size_t g = 0; rc == 0 && fl_granted_row(view, k, g, &grant) == 0; g++) {
			const struct instance_name key = { grant.queue, 0 },
						   *found = bsearch(&key, named, n, sizeof(*named), by_name);

			/* more grants than bytes mean that records overlap */
			if (jobs->n > run.bytes)
				break;
			if (found)
				rc = placed_add(jobs, &capacity,
						(struct placed){ found->instance, (uint32_t)k, grant.slots, g == 0 });
		}
	}
	free(named);
	if (jobs->n > 0)
		qsort(jobs->items, jobs->n, sizeof(*jobs->items), by_instance);
	return rc;
}

const struct placed *placed_of(const struct placed_jobs *jobs, size_t instance, size_t *n)
{
	size_t begin = 0, end = jobs->n;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (jobs->items[middle].instance < instance)
			begin = middle + 1;
		else
			end = middle;
	}
	for (*n = 0; begin + *n < jobs->n && jobs->items[begin + *n].instance == instance; ++*n)
		;
	return jobs->items + begin;
}

void placed_free(struct placed_jobs *jobs)
{
	free(jobs->items);
	*jobs = (struct placed_jobs){ 0 };
}
