/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/stat/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/dispatch/suit.h"

/* Compare names by address. A run stores each text once, so equal names have equal addresses. */
static int by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)*(const char *const *)a, y = (uintptr_t)*(const char *const *)b;

	return x < y ? -1 : x > y;
}

static int instances_find(struct stat_filter *filter, const struct fl_view *view, struct error *error)
{
	size_t n = fl_instances(view);
	struct fl_instance instance;

	filter->instances = calloc(n + 1, sizeof(*filter->instances));
	if (!filter->instances)
		return error_set(error, -ENOMEM, "no memory for %zu queue instances", n);
	for (size_t k = 0; k < n && fl_instance(view, k, &instance) == 0; k++)
		if (strpbrk(instance.state, filter->instance_states))
			filter->instances[filter->ninstances++] = instance.name;
	qsort(filter->instances, filter->ninstances, sizeof(*filter->instances), by_address);
	return 0;
}

/*
 * Return whether the master of a started task is in an instance that -qs selects. Pending tasks
 * always match.
 */
static bool instances_have(const struct stat_filter *filter, const struct fl_job *job)
{
	return !filter->instance_states || !job->is_started ||
	       bsearch(&job->queue, filter->instances, filter->ninstances, sizeof(*filter->instances), by_address);
}

int stat_filter_begin(struct stat_filter *filter, const struct fl_view *view, struct error *error)
{
	struct suit_wishes wishes = { .queues = filter->queues,
				      .resources = filter->resources,
				      .pes = (const char *const *)filter->pes.items,
				      .npes = filter->pes.n,
				      .users = (const char *const *)filter->queue_users.items,
				      .nusers = filter->queue_users.n };
	struct fl_run run;
	int rc = 0;

	fl_run(view, &run);
	filter->now = run.now;
	filter->choice = NULL;
	if (filter->instance_states)
		rc = instances_find(filter, view, error);
	if (rc)
		return rc;
	filter->none = false;
	if (filter->queues || filter->resources || filter->pes.n > 0 || filter->queue_users.n > 0)
		rc = choice_open(&filter->choice, view, &wishes, error);
	if (rc != -ENOENT || !filter->resources)
		return rc;
	/*
	 * Like qstat: resources that no instance has give an empty list. Names of queues that do
	 * not exist are an error.
	 */
	wishes.resources = NULL;
	filter->none_left = *error;
	rc = choice_open(&filter->choice, view, &wishes, error);
	filter->none = rc == 0;
	if (filter->none)
		error->text[0] = '\0';
	return rc;
}

void stat_filter_end(struct stat_filter *filter)
{
	choice_free(filter->choice);
	filter->choice = NULL;
	free(filter->instances);
	filter->instances = NULL;
	filter->ninstances = 0;
}

void stat_filter_free(struct stat_filter *filter)
{
	names_free(&filter->owners);
	names_free(&filter->projects);
	names_free(&filter->names);
	names_free(&filter->pes);
	names_free(&filter->queue_users);
	free(filter->me);
}

bool stat_filter_names(const struct stat_filter *filter, const struct fl_job *job)
{
	return (!filter->me || !strcmp(filter->me, job->owner)) && names_match(&filter->owners, job->owner) &&
	       names_match(&filter->projects, job->project) && names_match(&filter->names, job->name);
}

bool stat_filter_has(struct stat_filter *filter, const struct fl_view *view, const struct fl_job *job)
{
	return !filter->none && stat_filter_names(filter, job) && states_have(filter, view, job) &&
	       instances_have(filter, job) && (!filter->choice || choice_has(filter->choice, view, job));
}
