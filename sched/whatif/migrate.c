/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/whatif/migrate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/mirror/mirror.h"
#include "sched/reader/handle.h"
#include "sched/run/records_state.h"
#include "sched/sched.h"

/* Texts */

typedef void text_write(FILE *out, const struct rewrite *rewrite, const struct view *view, bool tree_shares);

static int text_make(struct rewrite *rewrite, const char *file, const struct view *view,
		     const struct supposition *supposition, text_write *write)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = -ENOMEM;

	if (out) {
		write(out, rewrite, view, supposition->number);
		rc = fclose(out) ? -ENOMEM : rewrite_put(rewrite, file, text, supposition->option);
	}
	free(text);
	return rc;
}

/* Write the nodes: hosts with the slots of all their queue instances. */
static void slurm_conf_write(FILE *out, const struct rewrite *rewrite, const struct view *view, bool tree_shares)
{
	uint64_t n, slots = 0;
	const uint8_t *records = view_state_part(view, STATE_INSTANCES, sizeof(struct instance_record), &n);

	(void)rewrite, (void)tree_shares;
	for (uint64_t i = 0; i < n; i++) {
		struct instance_record instance;

		view_copy(&instance, records + i * sizeof(instance), sizeof(instance));
		slots += instance.slots == NONE ? 1 : instance.slots;
	}
	fprintf(out,
		"PriorityType=priority/multifactor\nPriorityDecayHalfLife=7-0\nPriorityMaxAge=7-0\n"
		"PriorityWeightAge=1000\n"
		"PriorityWeightFairshare=10000\nPriorityWeightJobSize=1000\n"
		"AccountingStorageType=accounting_storage/slurmdbd\n"
		"NodeName=cluster CPUs=%u\nPartitionName=all Nodes=ALL Default=YES\n",
		(unsigned)(slots < 1	     ? 1
			   : slots > 1000000 ? 1000000
					     : slots));
}

struct pair_of_names { const char *project, *owner; };

static int by_names(const void *a, const void *b)
{
	const struct pair_of_names *x = a, *y = b;
	int order = strcmp(x->project, y->project);

	return order ? order : strcmp(x->owner, y->owner);
}

/* Return each pair of a project and a user with jobs in it once. NULL: memory is exhausted. */
static struct pair_of_names *pairs_of(const struct view *view, size_t *n)
{
	uint64_t classes;
	struct pair_of_names *pairs;
	struct class_record class;

	view_table(view, TABLE_CLASSES, sizeof(class), &classes);
	pairs = calloc(classes + 1, sizeof(*pairs));
	*n = 0;
	for (uint64_t i = 0; pairs && i < classes; i++) {
		if (record_copy(view, TABLE_CLASSES, i, &class, sizeof(class)) && *view_string(view, class.owner))
			pairs[(*n)++] =
				(struct pair_of_names){ class.project == NONE ? MIGRATED_ACCOUNT
									      : view_string(view, class.project),
							view_string(view, class.owner) };
	}
	if (pairs)
		qsort(pairs, *n, sizeof(*pairs), by_names);
	return pairs;
}

/* Return the shares of the first node with a name, preferably below `above`; 1: there is none. */
static uint32_t tree_shares_of(const struct cell *cell, const char *above, const char *name)
{
	uint32_t shares = 0, otherwise = 0;

	for (size_t i = 1; i < cell->ntree && shares == 0; i++) {
		const struct tree_node *node = &cell->tree[i];
		bool below = above && node->parent >= 0 && strcmp(cell->tree[node->parent].name, above) == 0;

		if (strcmp(node->name, name) == 0 && (!above || below))
			shares = node->shares;
		else if (strcmp(node->name, name) == 0 || (below && strcmp(node->name, "default") == 0))
			otherwise = node->shares;
	}
	return shares ? shares : otherwise ? otherwise : 1;
}

static void associations_write(FILE *out, const struct rewrite *rewrite, const struct view *view, bool tree_shares)
{
	const struct cell *cell = tree_shares ? rewrite->cell : NULL;
	size_t n;
	struct pair_of_names *pairs = pairs_of(view, &n);

	fputs("Cluster - 'cell':Fairshare=1\nParent - 'root'\nUser - 'root':DefaultAccount='root':Fairshare=1\n", out);
	for (size_t i = 0; pairs && i < n; i++)
		if (i == 0 || strcmp(pairs[i].project, pairs[i - 1].project) != 0)
			fprintf(out, "Account - '%s':Fairshare=%u\n", pairs[i].project,
				cell ? tree_shares_of(cell, NULL, pairs[i].project) : 1);
	for (size_t i = 0; pairs && i < n; i++) {
		if (i == 0 || strcmp(pairs[i].project, pairs[i - 1].project) != 0)
			fprintf(out, "Parent - '%s'\n", pairs[i].project);
		else if (strcmp(pairs[i].owner, pairs[i - 1].owner) == 0)
			continue;
		fprintf(out, "User - '%s':DefaultAccount='%s':Fairshare=%u\n", pairs[i].owner, pairs[i].project,
			cell ? tree_shares_of(cell, pairs[i].project, pairs[i].owner) : 1);
	}
	free(pairs);
}

static void condor_config_write(FILE *out, const struct rewrite *rewrite, const struct view *view, bool tree_shares)
{
	(void)rewrite, (void)view, (void)tree_shares;
	fputs("UID_DOMAIN = cell\nACCOUNTANT_LOCAL_DOMAIN = cell\n", out);
}

static void share_tree_write(FILE *out, const struct rewrite *rewrite, const struct view *view, bool tree_shares)
{
	(void)rewrite, (void)view, (void)tree_shares;
	fputs("id=0\nname=Root\ntype=0\nshares=1\nchildnodes=1\n"
	      "id=1\nname=default\ntype=0\nshares=100\nchildnodes=NONE\n",
	      out);
}

/* Files that each algorithm needs */

static int to_multifactor(struct rewrite *rewrite, const struct view *view, const struct supposition *supposition)
{
	int rc = 0;

	if (!rewrite_text(rewrite, "slurm.conf")) {
		rc = text_make(rewrite, "slurm.conf", view, supposition, slurm_conf_write);
		rc = rc ? rc
			: rewrite_note(
				  rewrite, supposition->option,
				  "no slurm.conf: using weights Age 1000, Fairshare 10000, JobSize 1000, "
				  "and half-lives of 7 days");
	}
	if (rc || rewrite_text(rewrite, "associations") || rewrite_text(rewrite, "sshare"))
		return rc;
	rc = rewrite_note(
		rewrite, supposition->option,
		"no associations: projects become accounts, users have %s; CPU time is their usage",
		supposition->number ? "the shares of the share tree" : "equal shares");
	return rc ? rc : text_make(rewrite, "associations", view, supposition, associations_write);
}

static int to_userprio(struct rewrite *rewrite, const struct view *view, const struct supposition *supposition)
{
	int rc;

	if (rewrite_text(rewrite, "condor_config"))
		return 0;
	rc = text_make(rewrite, "condor_config", view, supposition, condor_config_write);
	return rc ? rc
		  : rewrite_note(
			    rewrite, supposition->option,
			    "no condor_config: using HTCondor's defaults; CPU time determines real user priorities");
}

/* Add a share tree, since a site of another system has neither a sched_conf nor a share tree. */
static int to_default(struct rewrite *rewrite, const struct view *view, const struct supposition *supposition)
{
	int rc;

	if (rewrite_text(rewrite, "share_tree"))
		return 0;
	rc = text_make(rewrite, "share_tree", view, supposition, share_tree_write);
	rc = rc ? rc : rewrite_set(rewrite, "sched_conf", "weight_tickets_share", "1000000", supposition->option);
	return rc ? rc
		  : rewrite_note(rewrite, supposition->option,
				 "no share_tree: all users have equal shares, of weight_tickets_share 1000000");
}

static int sched_conf_need(struct rewrite *rewrite, const struct cell *cell, const struct supposition *supposition)
{
	char *text = NULL;
	size_t size;
	FILE *out;
	int rc;

	if (rewrite_text(rewrite, "sched_conf"))
		return 0;
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < cell->sched.typed.n; i++)
		fprintf(out, "%s %s\n", cell->sched.typed.items[i].name, cell->sched.typed.items[i].text);
	rc = fclose(out) ? -ENOMEM : rewrite_put(rewrite, "sched_conf", text, supposition->option);
	free(text);
	return rc;
}

int migration_files(struct migration *migration, struct rewrite *rewrite, const struct view *view,
		    const struct supposition *supposition, struct error *error)
{
	const struct cell *cell;
	int rc = rewrite_cell(rewrite, &cell, error);

	if (rc || strcmp(cell->sched.algorithm, supposition->name) == 0)
		return rc;
	migration->to = supposition->name;
	rc = sched_conf_need(rewrite, cell, supposition);
	/* the cell's present tree determines shares */
	rc = rc ? rc : rewrite_cell(rewrite, &cell, error);
	if (rc == 0 && strcmp(supposition->name, "multifactor") == 0)
		rc = to_multifactor(rewrite, view, supposition);
	else if (rc == 0)
		rc = strcmp(supposition->name, "userprio") == 0 ? to_userprio(rewrite, view, supposition)
								: to_default(rewrite, view, supposition);
	return rc ? rc : rewrite_set(rewrite, "sched_conf", "algorithm", supposition->name, supposition->option);
}

/* Reported events */

static void usage_add(struct migration *migration, const char *user, const char *project,
		      const struct usage_values *usage)
{
	for (size_t i = 0; i < usage->n; i++) {
		struct migrated_usage *migrated_usage;

		if (strcmp(usage->items[i].name, "cpu") != 0 || usage->items[i].value <= 0.0)
			continue;
		migrated_usage = array_add(&migration->usage, &migration->n, sizeof(*migrated_usage));
		migration->no_memory |= !migrated_usage;
		if (migrated_usage)
			*migrated_usage = (struct migrated_usage){ user, project, usage->items[i].value };
	}
}

void migration_edit(struct migration *migration, struct event *event)
{
	if (event->type == EVENT_USER_USAGE) {
		usage_add(migration, event->object.name, "", &event->object.usage);
		for (size_t i = 0; i < event->object.nprojects; i++)
			usage_add(migration, event->object.name, event->object.projects[i].project,
				  &event->object.projects[i].usage);
	} else if (event->type == EVENT_JOB_ADD && strcmp(migration->to, "multifactor") == 0) {
		event->job.account = event->job.project && *event->job.project ? event->job.project : MIGRATED_ACCOUNT;
		event->job.given |= JOB_ACCOUNT;
	}
}

static int finish_multifactor(const struct migration *migration, struct sched *sched, struct error *error)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < migration->n; i++) {
		const struct migrated_usage *usage = &migration->usage[i];

		rc = mirror_association_usage(sched_mirror(sched), *usage->project ? usage->project : MIGRATED_ACCOUNT,
					      usage->user, NULL, usage->cpu, 0, error);
		rc = rc == -ENOENT ? 0 : rc;		/* the user has no jobs */
	}
	return rc;
}

static int by_user(const void *a, const void *b)
{
	return strcmp(((const struct migrated_usage *)a)->user, ((const struct migrated_usage *)b)->user);
}

/*
 * Report real user priorities. Usage that decays with half-life h is on average h / ln 2 times the
 * number of slots in use, and this number is the real user priority.
 */
static int finish_userprio(const struct migration *migration, struct sched *sched, struct error *error)
{
	const struct cell *cell = sched_cell(sched);
	double per_second = cell->sched.halftime ? M_LN2 / (cell->sched.halftime * 3600.0) : 0.0;
	int rc = 0;

	qsort(migration->usage, migration->n, sizeof(*migration->usage), by_user);
	for (size_t i = 0, next; rc == 0 && i < migration->n; i = next) {
		double cpu = 0.0;
		struct event event;
		char name[600];

		for (next = i;
		     next < migration->n && strcmp(migration->usage[next].user, migration->usage[i].user) == 0; next++)
			cpu += migration->usage[next].cpu;
		event_init(&event, EVENT_CUSTOMER);
		snprintf(name, sizeof(name), "%.512s@%.80s", migration->usage[i].user,
			 cell->condor.uid_domain ? cell->condor.uid_domain : "cell");
		event.customer.name = name;
		event.customer.values =
			(struct customer){ .rup = fmax(cpu * per_second, RUP_LEAST), .ceiling = CEILING_NONE };
		rc = mirror_apply(sched_mirror(sched), &event, error);
	}
	return rc;
}

int migration_finish(const struct migration *migration, struct sched *sched, struct error *error)
{
	if (!migration->to)
		return 0;
	if (migration->no_memory)
		return error_set(error, -ENOMEM, "out of memory");
	if (strcmp(migration->to, "multifactor") == 0)
		return finish_multifactor(migration, sched, error);
	return strcmp(migration->to, "userprio") == 0 && migration->n > 0 ? finish_userprio(migration, sched, error)
									  : 0;
}

void migration_free(struct migration *migration)
{
	free(migration->usage);
	*migration = (struct migration){ 0 };
}
