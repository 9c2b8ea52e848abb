/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run the same queue under another system's policy. Configuration that this policy needs and the
 * cell does not have is derived from the cell. The policy converts the cell itself, by the members
 * of struct policy_migration (sched/policy/migration.h). This file connects it with the files and
 * the published state of the run.
 */
#ifndef SCHED_WHATIF_MIGRATE_H
#define SCHED_WHATIF_MIGRATE_H

#include "sched/mirror/event.h"
#include "sched/policy/migration.h"
#include "sched/policy/policy.h"
#include "sched/reader/fairlead.h"
#include "sched/whatif/inside.h"
#include "shm/read.h"

struct migration {			/* zero-initialise; migration_free() */
	const struct policy_kind *to;	/* NULL: the policy is unchanged */
	struct migrated_usage *usage;	/* names belong to the view */
	size_t n;
	bool no_memory;
};

/* Add the files that the algorithm needs. -EINVAL, -ENOMEM. */
int migration_files(struct migration *migration, struct rewrite *rewrite, const struct view *view,
		    const struct supposition *supposition, struct error *error);
/* Convert a reported event to the other system. */
void migration_edit(struct migration *migration, struct event *event);
/* Report the usage, after all other events. -ENOMEM. */
int migration_finish(const struct migration *migration, struct sched *sched, struct error *error);
void migration_free(struct migration *migration);

#endif
