/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/replay/outcome/promise_sources.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Grid Engine's share tree */

/*
 * Read the share tree. A node is a project if a job's project has its name, unless it is below a
 * project: nodes there are users. sge_share_tree(5) has the same rule, but uses the list of
 * projects.
 */
int promises_of_tree(struct promise_draft *draft, const struct fl_view *view)
{
	size_t n = fl_nodes(view);
	bool *in_project = calloc(n + 1, sizeof(*in_project));
	struct fl_node node;
	int rc = in_project ? 0 : -ENOMEM;

	for (size_t k = 0; k < n && !rc && fl_node(view, k, &node) == 0; k++) {
		bool above = node.parent >= 0 && (size_t)node.parent < k && in_project[node.parent];
		bool is_project =
			!above && !node.is_temporary && draft->names->is_project(draft->names->context, node.name);

		in_project[k] = above || is_project;
		if (node.job_count == 0 || node.parent < 0)
			continue;
		if (is_project)
			rc = promise_add(draft, PROMISE_PROJECT, node.name, node.long_target_share,
					 node.short_target_share);
		else if (!node.has_children && (node.is_temporary || strcmp(node.name, "default")))
			rc = promise_add(draft, PROMISE_USER, node.name, node.long_target_share,
					 node.short_target_share);
	}
	free(in_project);
	return rc;
}

/* Slurm's associations */

struct branch {
	double siblings;		/* sum of the shares of active children */
	double part;			/* part of the whole */
	bool active;
};

/* Return the shares of an association; none with fairshare=parent. */
static double shares_of(const struct fl_association *association)
{
	return association->has_parent_shares ? 0.0 : association->shares;
}

/* Find the active associations. In a backward walk of the pre-order, children come first. */
static void find_active(struct branch *branches, size_t n, const struct promise_draft *draft,
			const struct fl_view *view)
{
	struct fl_association association;

	for (size_t k = n; k-- > 0;) {
		if (fl_association(view, k, &association))
			continue;
		if (association.is_user)
			branches[k].active =
				draft->names->is_active(draft->names->context, PROMISE_USER, association.user) &&
				draft->names->is_active(draft->names->context, PROMISE_PROJECT, association.account);
		if (branches[k].active && association.parent >= 0 && (size_t)association.parent < k) {
			branches[association.parent].active = true;
			branches[association.parent].siblings += shares_of(&association);
		}
	}
}

int promises_of_associations(struct promise_draft *draft, const struct fl_view *view)
{
	size_t n = fl_associations(view);
	struct branch *branches = n > 0 ? calloc(n, sizeof(*branches)) : NULL;
	struct fl_association association;
	int rc = n > 0 && !branches ? -ENOMEM : 0;

	if (branches)
		find_active(branches, n, draft, view);
	for (size_t k = 0; k < n && !rc && fl_association(view, k, &association) == 0; k++) {
		const struct branch *above = association.parent >= 0 && (size_t)association.parent < k
						     ? &branches[association.parent]
						     : NULL;

		if (!above)
			branches[k].part = 1.0;
		else if (branches[k].active && above->siblings > 0.0)
			branches[k].part = above->part * shares_of(&association) / above->siblings;
		if (!association.is_user || !branches[k].active)
			continue;
		rc = promise_add(draft, PROMISE_USER, association.user, branches[k].part, branches[k].part);
		if (!rc)
			rc = promise_add(draft, PROMISE_PROJECT, association.account, branches[k].part,
					 branches[k].part);
	}
	free(branches);
	return rc;
}

/* HTCondor's submitters */

struct fair_pie {
	double quota;			/* for a group that has submitters */
	double parts;			/* sum of 1 / sqrt(factor) */
};

static double long_run(const struct fl_submitter *submitter)
{
	return submitter->factor > 0.0 ? 1.0 / sqrt(submitter->factor) : 0.0;
}

/* Extract the user: "physics.hep.ann@pool" of the group "physics.hep" is ann. */
static void user_of(const struct fl_submitter *submitter, char *user, size_t size)
{
	size_t group = strlen(submitter->group);
	const char *name = submitter->name;

	if (!strncmp(name, submitter->group, group) && name[group] == '.')
		name += group + 1;
	snprintf(user, size, "%.*s", (int)strcspn(name, "@"), name);
}

/* Return the sum of all slices. Add the quotas of all groups with submitters to *quotas. */
static double pies_add(struct fair_pie *pies, size_t n, const struct fl_view *view, double *quotas)
{
	struct fl_submitter submitter;
	double slices = 0.0;

	for (size_t k = 0; fl_submitter(view, k, &submitter) == 0; k++) {
		slices += submitter.slice;
		if (submitter.quota_group < n)
			pies[submitter.quota_group].parts += long_run(&submitter);
	}
	for (size_t k = 0; k < n; k++) {
		struct fl_quota_group group;

		if (pies[k].parts > 0.0 && fl_quota_group(view, k, &group) == 0 && group.quota > 0.0)
			*quotas += pies[k].quota = group.quota;
	}
	return slices;
}

static int submitter_add(struct promise_draft *draft, const struct fl_submitter *submitter, const struct fair_pie *pie,
			 double slices, double quotas)
{
	double lasting = 0.0, now = slices > 0.0 ? submitter->slice / slices : 0.0;
	char user[256];
	int rc;

	if (pie && pie->parts > 0.0 && quotas > 0.0)
		lasting = pie->quota / quotas * (long_run(submitter) / pie->parts);
	user_of(submitter, user, sizeof(user));
	rc = promise_add(draft, PROMISE_USER, user, lasting, now);
	if (!rc && submitter->quota_group > 0)
		rc = promise_add(draft, PROMISE_PROJECT, submitter->group, lasting, now);
	return rc;
}

int promises_of_submitters(struct promise_draft *draft, const struct fl_view *view)
{
	struct fl_negotiation negotiation;
	struct fl_submitter submitter;
	struct fair_pie *pies;
	double slices, quotas = 0.0;
	int rc = 0;

	if (fl_negotiation(view, &negotiation))
		return 0;
	pies = calloc(negotiation.ngroups + 1, sizeof(*pies));
	if (!pies)
		return -ENOMEM;
	slices = pies_add(pies, negotiation.ngroups, view, &quotas);
	for (size_t k = 0; !rc && fl_submitter(view, k, &submitter) == 0; k++)
		rc = submitter_add(draft, &submitter,
				   submitter.quota_group < negotiation.ngroups ? &pies[submitter.quota_group] : NULL,
				   slices, quotas);
	free(pies);
	return rc;
}
