/* SPDX-License-Identifier: Apache-2.0 */
/* Migration of a cell to Slurm's policy, and names of the parameters in slurm.conf. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/slurm/files.h"
#include "sched/mirror/mirror.h"
#include "sched/policy/migration.h"
#include "sched/policy/multifactor/multifactor.h"

/* slurm.conf */

static bool exists(const struct cell *cell)
{
	return cell->slurm.present;
}

const struct policy_file multifactor_file = {
	.name = "slurm.conf", .parameters = "parameters of slurm.conf", .exists = exists,
	.defines = slurm_parameter_is,
};

/* Files */

/* Write a slurm.conf with one node that has the slots of all queue instances. */
static int put_slurm_conf(const struct migration_files *files)
{
	uint64_t slots = files->slots(files->self);
	char text[512];

	snprintf(text, sizeof(text),
		 "PriorityType=priority/multifactor\nPriorityDecayHalfLife=7-0\nPriorityMaxAge=7-0\n"
		 "PriorityWeightAge=1000\n"
		 "PriorityWeightFairshare=10000\nPriorityWeightJobSize=1000\n"
		 "AccountingStorageType=accounting_storage/slurmdbd\n"
		 "NodeName=cluster CPUs=%u\nPartitionName=all Nodes=ALL Default=YES\n",
		 (unsigned)(slots < 1	      ? 1
			    : slots > 1000000 ? 1000000
					      : slots));
	return files->put(files->self, multifactor_file.name, text);
}

static void write_associations(FILE *out, const struct migrated_owner *owners, size_t n)
{
	fputs("Cluster - 'cell':Fairshare=1\nParent - 'root'\nUser - 'root':DefaultAccount='root':Fairshare=1\n", out);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(owners[i].project, owners[i - 1].project) != 0)
			fprintf(out, "Account - '%s':Fairshare=%u\n", owners[i].project, owners[i].project_shares);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || strcmp(owners[i].project, owners[i - 1].project) != 0)
			fprintf(out, "Parent - '%s'\n", owners[i].project);
		fprintf(out, "User - '%s':DefaultAccount='%s':Fairshare=%u\n", owners[i].user, owners[i].project,
			owners[i].user_shares);
	}
}

/* Write an account for each project, and an association for each of its users. */
static int put_associations(const struct migration_files *files)
{
	struct migrated_owner *owners = NULL;
	char *text = NULL;
	size_t size, n = 0;
	FILE *out = open_memstream(&text, &size);
	int rc = out ? files->owners(files->self, &owners, &n) : -ENOMEM;

	if (rc == 0)
		write_associations(out, owners, n);
	if (out && fclose(out))
		rc = -ENOMEM;
	if (rc == 0)
		rc = files->put(files->self, "associations", text);
	free(owners);
	free(text);
	return rc;
}

static int add_files(const struct migration_files *files)
{
	int rc = 0;

	if (!files->exists(files->self, multifactor_file.name)) {
		rc = put_slurm_conf(files);
		rc = rc ? rc
			: files->note(files->self,
				      "no slurm.conf: using weights Age 1000, Fairshare 10000, JobSize 1000, "
				      "and half-lives of 7 days");
	}
	if (rc || files->exists(files->self, "associations") || files->exists(files->self, "sshare"))
		return rc;
	rc = files->note(files->self,
			 files->tree_shares ? "no associations: projects become accounts, users have the shares of "
					      "the share tree; CPU time is their usage"
					    : "no associations: projects become accounts, users have equal shares; "
					      "CPU time is their usage");
	return rc ? rc : put_associations(files);
}

/* Events */

static void add_account(struct event *event)
{
	if (event->type != EVENT_JOB_ADD)
		return;
	event->job.account = event->job.project && *event->job.project ? event->job.project : MIGRATED_ACCOUNT;
	event->job.given |= JOB_ACCOUNT;
}

static int report_usage(struct mirror *mirror, const struct cell *cell, struct migrated_usage *usage, size_t n,
			struct error *error)
{
	int rc = 0;

	(void)cell;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = mirror_association_usage(mirror, *usage[i].project ? usage[i].project : MIGRATED_ACCOUNT,
					      usage[i].user, NULL, usage[i].cpu, 0, error);
		rc = rc == -ENOENT ? 0 : rc;		/* the user has no jobs */
	}
	return rc;
}

const struct policy_migration multifactor_migration = {
	.files = add_files, .edit = add_account, .finish = report_usage,
};
