/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same queue under another system's policy. What that needs and the cell has not is made of
 * what there is: users and projects become associations or submitters, their decayed CPU time what
 * these have used, hosts become nodes.
 */
#ifndef SCHED_WHATIF_MIGRATE_H
#define SCHED_WHATIF_MIGRATE_H

#include "sched/mirror/event.h"
#include "sched/reader/fairlead.h"
#include "sched/whatif/inside.h"
#include "shm/read.h"

#define MIGRATED_ACCOUNT "default"	/* of jobs without a project */

struct migrated_usage {			/* seconds; names are the view's */
	const char *user, *project;	/* project "": outside of all */
	double cpu;
};

struct migration {			/* zero-initialise; migration_free() */
	const char *to;			/* algorithm; NULL: it stays what it is */
	struct migrated_usage *usage;
	size_t n;
	bool no_memory;
};

/* Files that the algorithm needs. -EINVAL, -ENOMEM. */
int migration_files(struct migration *migration, struct rewrite *rewrite, const struct view *view,
		    const struct supposition *supposition, struct error *error);
/* What is told, as the other system is told it. */
void migration_edit(struct migration *migration, struct event *event);
/* Behind all of it: what has been used. -ENOMEM. */
int migration_finish(const struct migration *migration, struct sched *sched, struct error *error);
void migration_free(struct migration *migration);

#endif
