/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/stat_filter.h"

#include <stdlib.h>
#include <string.h>

#include "sched/dispatch/suit.h"

int stat_filter_begin(struct stat_filter *f, const struct fl_view *view, struct error *error)
{
	const struct suit_wishes wishes = { .queues = f->queues, .resources = f->resources, .pes = (const char *const *)f->pes.items,
					    .npes = f->pes.n, .users = (const char *const *)f->queue_users.items, .nusers = f->queue_users.n };
	struct fl_run run;

	fl_run(view, &run);
	f->now = run.now;
	f->choice = NULL;
	return f->queues || f->resources || f->pes.n > 0 || f->queue_users.n > 0 ? choice_open(&f->choice, view, &wishes, error) : 0;
}

void stat_filter_end(struct stat_filter *f)
{
	choice_free(f->choice);
	f->choice = NULL;
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
	return stat_filter_names(f, job) && states_have(f, view, job) && (!f->choice || choice_has(f->choice, view, job));
}
