/* SPDX-License-Identifier: Apache-2.0 */
/* Migration of a cell of another system to Grid Engine's policy. */
#include "sched/policy/gridengine/gridengine.h"
#include "sched/policy/migration.h"

/* Add a share tree, since a site of another system has neither a sched_conf nor a share tree. */
static int add_files(const struct migration_files *files)
{
	int rc;

	if (files->exists(files->self, "share_tree"))
		return 0;
	rc = files->put(files->self, "share_tree",
			"id=0\nname=Root\ntype=0\nshares=1\nchildnodes=1\n"
			"id=1\nname=default\ntype=0\nshares=100\nchildnodes=NONE\n");
	rc = rc ? rc : files->set(files->self, "sched_conf", "weight_tickets_share", "1000000");
	return rc ? rc
		  : files->note(files->self,
				"no share_tree: all users have equal shares, of weight_tickets_share 1000000");
}

const struct policy_migration gridengine_migration = { .files = add_files };
