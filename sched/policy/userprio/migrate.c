/* SPDX-License-Identifier: Apache-2.0 */
/* Migration of a cell to HTCondor's policy, and names of the macros in condor_config. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/condor/macros.h"
#include "sched/mirror/mirror.h"
#include "sched/policy/migration.h"
#include "sched/policy/userprio/userprio.h"

/* condor_config */

static bool exists(const struct cell *cell)
{
	return cell->condor.is_there;
}

static bool defines(const char *name)
{
	size_t n = strlen(name);

	return macro_parameter_find(name) || strncasecmp(name, "GROUP_", 6) == 0 ||
	       (n > 6 && strcasecmp(name + n - 6, "_LIMIT") == 0) ||
	       strncasecmp(name, "CONCURRENCY_LIMIT_DEFAULT", 25) == 0;
}

const struct policy_file userprio_file = {
	.name = "condor_config", .parameters = "macros of condor_config", .exists = exists, .defines = defines,
};

/* Migration */

static int add_files(const struct migration_files *files)
{
	int rc;

	if (files->exists(files->self, userprio_file.name))
		return 0;
	rc = files->put(files->self, userprio_file.name, "UID_DOMAIN = cell\nACCOUNTANT_LOCAL_DOMAIN = cell\n");
	return rc ? rc
		  : files->note(files->self,
				"no condor_config: using HTCondor's defaults; CPU time determines real user "
				"priorities");
}

static int by_user(const void *a, const void *b)
{
	return strcmp(((const struct migrated_usage *)a)->user, ((const struct migrated_usage *)b)->user);
}

/*
 * Report real user priorities. Usage that decays with half-life h is on average h / ln 2 times the
 * number of slots in use, and this number is the real user priority.
 */
static int report_usage(struct mirror *mirror, const struct cell *cell, struct migrated_usage *usage, size_t n,
			struct error *error)
{
	double per_second = cell->sched.halftime ? M_LN2 / (cell->sched.halftime * 3600.0) : 0.0;
	int rc = 0;

	qsort(usage, n, sizeof(*usage), by_user);
	for (size_t i = 0, next; rc == 0 && i < n; i = next) {
		double cpu = 0.0;
		struct event event;
		char name[600];

		for (next = i; next < n && strcmp(usage[next].user, usage[i].user) == 0; next++)
			cpu += usage[next].cpu;
		event_init(&event, EVENT_CUSTOMER);
		snprintf(name, sizeof(name), "%.512s@%.80s", usage[i].user,
			 cell->condor.uid_domain ? cell->condor.uid_domain : "cell");
		event.customer.name = name;
		event.customer.values =
			(struct customer){ .rup = fmax(cpu * per_second, RUP_LEAST), .ceiling = CEILING_NONE };
		rc = mirror_apply(mirror, &event, error);
	}
	return rc;
}

const struct policy_migration userprio_migration = { .files = add_files, .finish = report_usage };
