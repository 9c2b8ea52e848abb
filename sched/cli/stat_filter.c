/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/stat_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/dispatch/suit.h"

/* Texts of a run are each in one place: names are the same if their addresses are. */
static int by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)*(const char *const *)a, y = (uintptr_t)*(const char *const *)b;

	return x < y ? -1 : x > y;
}

static int instances_find(struct stat_filter *f, const struct fl_view *view, struct error *error)
{
	size_t n = fl_instances(view);
	struct fl_instance i;

	f->instances = calloc(n + 1, sizeof(*f->instances));
	if (!f->instances)
		return error_set(error, -ENOMEM, "no memory for %zu queue instances", n);
	for (size_t k = 0; k < n && fl_instance(view, k, &i) == 0; k++)
		if (strpbrk(i.state, f->instance_states))
			f->instances[f->ninstances++] = i.name;
	qsort(f->instances, f->ninstances, sizeof(*f->instances), by_address);
	return 0;
}

/* Whether a started task has its master in an instance that -qs means; what waits is not chosen by that. */
static bool instances_have(const struct stat_filter *f, const struct fl_job *job)
{
	return !f->instance_states || !job->is_started || bsearch(&job->queue, f->instances, f->ninstances, sizeof(*f->instances), by_address);
}

int stat_filter_begin(struct stat_filter *f, const struct fl_view *view, struct error *error)
{
	struct suit_wishes wishes = { .queues = f->queues, .resources = f->resources, .pes = (const char *const *)f->pes.items,
					    .npes = f->pes.n, .users = (const char *const *)f->queue_users.items, .nusers = f->queue_users.n };
	struct fl_run run;
	int rc = 0;

	fl_run(view, &run);
	f->now = run.now;
	f->choice = NULL;
	if (f->instance_states)
		rc = instances_find(f, view, error);
	if (rc)
		return rc;
	f->none = false;
	if (f->queues || f->resources || f->pes.n > 0 || f->queue_users.n > 0)
		rc = choice_open(&f->choice, view, &wishes, error);
	if (rc != -ENOENT || !f->resources)
		return rc;
	/* as qstat: resources that no instance has are no mistake, but names of queues that do not exist are */
	wishes.resources = NULL;
	f->none_left = *error;
	rc = choice_open(&f->choice, view, &wishes, error);
	f->none = rc == 0;
	if (f->none)
		error->text[0] = '\0';
	return rc;
}

void stat_filter_end(struct stat_filter *f)
{
	choice_free(f->choice);
	f->choice = NULL;
	free(f->instances);
	f->instances = NULL;
	f->ninstances = 0;
}

void stat_filter_free(struct stat_filter *f)
{
	names_free(&f->owners);
	names_free(&f->projects);
	names_free(&f->names);
	names_free(&f->pes);
	names_free(&f->queue_users);
	free(f->me);
}

bool stat_filter_names(const struct stat_filter *f, const struct fl_job *job)
{
	return (!f->me || !strcmp(f->me, job->owner)) && names_match(&f->owners, job->owner) && names_match(&f->projects, job->project) &&
	       names_match(&f->names, job->name);
}

bool stat_filter_has(struct stat_filter *f, const struct fl_view *view, const struct fl_job *job)
{
	return !f->none && stat_filter_names(f, job) && states_have(f, view, job) && instances_have(f, job) &&
	       (!f->choice || choice_has(f->choice, view, job));
}
