/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explanation of HTCondor's user priorities: the submitter's priority and its inputs, its share of
 * the slots, the quotas of its groups, the rank of the job among the submitter's jobs. All values
 * are published. Formulas are those of tickets/customers.c, sched/negotiation/spin.c and
 * tickets/quotas.c.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/explain/inside.h"
#include "sched/reader/handle.h"
#include "sched/run/records_state.h"
#include "tickets/customers.h"

#define GROUP_COLUMNS "group", "configured", "quota of the tree", "requested", "allocated", "in use"

struct claim_to {			/* derivation for one job */
	struct explainer *e;
	struct explanation *x;
	struct derivation *d;
	struct fl_negotiation cycle;
	struct fl_claimant claimant;
	struct fl_customer customer;
	struct fl_submitter submitter;
	bool took_part;			/* the submitter was in the last cycle */
};

static uint32_t settle(const struct claim_to *claim, const char *name, uint32_t derived, double value,
		       const char *otherwise)
{
	return derived != DERIVED_NONE && derived_value(claim->d, derived) == value
		       ? derived
		       : derive_given(claim->d, name, value, otherwise);
}

static bool find_customer(const struct fl_view *view, const char *name, struct fl_customer *customer)
{
	for (size_t k = 0; fl_customer(view, k, customer) == 0; k++)
		if (strcmp(customer->name, name) == 0)
			return true;
	return false;
}

static bool find_submitter(const struct fl_view *view, const char *name, struct fl_submitter *submitter)
{
	for (size_t k = 0; fl_submitter(view, k, submitter) == 0; k++)
		if (strcmp(submitter->name, name) == 0)
			return true;
	return false;
}

/* Real user priority */

/* Find the customer with its values before the run. */
static bool find_before(const struct claim_to *claim, struct customer_state *before)
{
	const struct view *view = &claim->e->view->view;
	uint64_t count;
	const struct customer_state *records = view_state_part(view, STATE_CUSTOMERS, sizeof(*records), &count);

	for (uint64_t i = 0; i < count; i++) {
		view_copy(before, &records[i], sizeof(*before));
		if (strcmp(view_string(view, before->name), claim->customer.name) == 0)
			return true;
	}
	return false;
}

/* Derive old x beta + use x (1 - beta), beta = 0.5 ^ (time / half-life), and 0.5 at least. */
static uint32_t derive_moved(const struct claim_to *claim, const struct customer_state *before, int64_t seconds)
{
	uint32_t old, time, half, beta, left, use, uncharged, moved,
		least = derive_given(claim->d, "lowest priority", RUP_LEAST, "constant");

	sections_begin(claim->x, "Real user priority");
	old = derive_given(claim->d, "priority before", before->rup, "accountant");
	old = derive(claim->d, "priority before, at least the lowest", OPERATION_GREATEST, 2, old, least);
	time = derived_unit(claim->d, derive_whole(claim->d, "since the update before", seconds, "run"), "s");
	half = derived_unit(claim->d,
			    derive_given(claim->d, "PRIORITY_HALFLIFE", claim->cycle.halflife, "condor_config"), "s");
	beta = derive(claim->d, "time in half-lives", OPERATION_QUOTIENT, 2, time, half);
	beta = derive(claim->d, "part that is left", OPERATION_POWER, 2,
		      derive_given(claim->d, "half", 0.5, "constant"), beta);
	uncharged = derive_given(claim->d, "correction of the use", before->weight_uncharged, "accountant");
	use = derive_given(claim->d, "weight in use", before->weight_used, "accountant");
	uncharged = derive(claim->d, "correction by second", OPERATION_QUOTIENT, 2, uncharged, time);
	use = derive(claim->d, "use that counts", OPERATION_SUM, 2, use, uncharged);
	left = derive(claim->d, "old part", OPERATION_PRODUCT, 2, old, beta);
	moved = derive(claim->d, "rest", OPERATION_DIFFERENCE, 2, derive_given(claim->d, "one", 1.0, "constant"), beta);
	moved = derive(claim->d, "new part", OPERATION_PRODUCT, 2, use, moved);
	moved = derive(claim->d, "real user priority, moved", OPERATION_SUM, 2, left, moved);
	moved = derive(claim->d, "real user priority", OPERATION_GREATEST, 2, moved, least);
	sections_line(claim->x, old);
	sections_line(claim->x, time);
	sections_line(claim->x, half);
	sections_line(claim->x, beta);
	sections_line(claim->x, use);
	return moved;
}

/* Derive the real priority. If the run has not updated it, it is given. */
static uint32_t derive_real_priority(const struct claim_to *claim)
{
	const struct state_head *head = view_state(&claim->e->view->view);
	int64_t last = head ? LOAD_ONCE(head->customers_updated) : 0;
	struct customer_state before;
	uint32_t moved, rounded, line;

	if (last == 0 || claim->cycle.last_update <= last || !find_before(claim, &before))
		return derive_given(claim->d, "real user priority", claim->customer.rup, "accountant");
	moved = derive_moved(claim, &before, claim->cycle.last_update - last);
	rounded = derive(claim->d, "real user priority, six decimals", OPERATION_SIX_DECIMALS, 1, moved);
	line = derived_value(claim->d, rounded) == claim->customer.rup
		       ? rounded
		       : settle(claim, "real user priority", moved, claim->customer.rup, "accountant");
	sections_line(claim->x, line);
	return line;
}

static void derive_priority(const struct claim_to *claim)
{
	uint32_t rup = derive_real_priority(claim), factor, eup;

	factor = derive_given(claim->d, "priority factor", claim->customer.factor, "accountant");
	derived_holder(claim->d, factor, HOLDER_CUSTOMER, claim->customer.name);
	eup = derive(claim->d, "effective user priority", OPERATION_PRODUCT, 2, rup, factor);
	claim->x->prio =
		derive(claim->d, "prio", OPERATION_QUOTIENT, 2, derive_given(claim->d, "one", 1.0, "constant"), eup);
	sections_begin(claim->x, "Effective user priority");
	sections_line(claim->x, rup);
	sections_line(claim->x, factor);
	sections_line(claim->x, eup);
	sections_row(claim->x, "prio: 1 / effective", ROW(claim->x->prio));
	sections_note(
		claim->x,
		"Submitter %s: a lower effective priority gives a larger slice and earlier service.",
		claim->customer.name);
	value_add(claim->x, "prio", claim->x->prio);
	value_add(claim->x, "rup", rup);
	value_add(claim->x, "factor", factor);
	value_add(claim->x, "eup", eup);
}

/* Share of the slots */

/*
 * Derive worst / (own x sum of worst / each), the inverse ratio of effective priorities. Submitters
 * that were served in the same group count. A submitter without remaining requests was not in the
 * last spin.
 */
static uint32_t derive_share(const struct claim_to *claim, bool all)
{
	struct line_operand *eups = calloc(claim->cycle.nsubmitters + 1, sizeof(*eups)),
			    *parts = calloc(claim->cycle.nsubmitters + 1, sizeof(*parts));
	uint32_t worst, sum, own = DERIVED_NONE, line = DERIVED_NONE;
	struct fl_submitter submitter;
	char text[TEXT_BYTES];
	size_t n = 0;

	for (size_t k = 0;
	     eups && parts && k < claim->cycle.nsubmitters && fl_submitter(claim->e->view, k, &submitter) == 0; k++) {
		if (submitter.quota_group != claim->submitter.quota_group ||
		    (!all && submitter.spins != claim->submitter.spins))
			continue;
		eups[n].line = derived_holder(claim->d,
					      derive_given(claim->d,
							   text_made(text, "effective priority of %s", submitter.name),
							   submitter.eup, "accountant"),
					      HOLDER_CUSTOMER, submitter.name);
		if (strcmp(submitter.name, claim->submitter.name) == 0)
			own = eups[n].line;
		eups[n++].times = 1;
	}
	if (eups && parts && n > 0) {
		worst = derive_from(claim->d, PRECISION_DOUBLE, "worst effective priority", OPERATION_GREATEST, eups,
				    n);
		for (size_t i = 0; i < n; i++)
			parts[i] = (struct line_operand){
				derive(claim->d, "worst / it", OPERATION_QUOTIENT, 2, worst, eups[i].line), 1
			};
		sum = derive_from(claim->d, PRECISION_DOUBLE, "sum of worst / each", OPERATION_SUM, parts, n);
		line = derive(claim->d, "own, times the sum", OPERATION_PRODUCT, 2, own, sum);
		line = derive(claim->d, "share of the pie", OPERATION_QUOTIENT, 2, worst, line);
	}
	free(eups);
	free(parts);
	return line;
}

static void derive_slice(const struct claim_to *claim)
{
	uint32_t share, slice, used;

	sections_begin(claim->x, "Its slice of the pie, last negotiation cycle");
	if (!claim->took_part) {
		sections_note(claim->x, "%s was not in the cycle.", claim->customer.name);
		return;
	}
	share = derive_share(claim, true);
	if (derived_value(claim->d, share) != claim->submitter.share)
		share = derive_share(claim, false);
	share = settle(claim, "share of the pie", share, claim->submitter.share, "negotiation");
	slice = derive_given(claim->d, "its slice", claim->submitter.slice, "negotiation");
	used = derive_given(claim->d, "weight in use", claim->submitter.weight_used, "accountant");
	sections_line(claim->x, share);
	sections_line(claim->x, slice);
	sections_line(claim->x, used);
	sections_line(claim->x, derive_given(claim->d, "left when it was last served", claim->submitter.limit,
					     "negotiation"));
	sections_line(claim->x, derive_whole(claim->d, "spins", claim->submitter.spins, "negotiation"));
	sections_line(claim->x, derive_whole(claim->d, "matches", claim->submitter.matches, "negotiation"));
	if (*claim->submitter.stop)
		sections_note(claim->x, "It was not served any further: %s.", claim->submitter.stop);
}

/* Quotas */

/* Derive a quota. Static quotas are subtracted first, and dynamic quotas are parts of the rest. */
static uint32_t derive_quota(const struct claim_to *claim, const struct fl_quota_group *group, uint32_t above,
			     bool oversubscription)
{
	struct line_operand *fixed = calloc(claim->cycle.ngroups + 1, sizeof(*fixed)),
			    *parts = calloc(claim->cycle.ngroups + 1, sizeof(*parts));
	uint32_t own = DERIVED_NONE, line = DERIVED_NONE, all_fixed, all_parts, to;
	size_t nfixed = 0, nparts = 0;
	struct fl_quota_group s;
	char text[TEXT_BYTES];

	for (size_t k = 1; fixed && parts && k < claim->cycle.ngroups && fl_quota_group(claim->e->view, k, &s) == 0;
	     k++) {
		if (s.parent != group->parent)
			continue;
		line = derive_given(claim->d, text_made(text, "quota of %s as configured", s.name), s.configured,
				    "condor_config");
		own = strcmp(s.name, group->name) == 0 ? line : own;
		*(s.is_static ? &fixed[nfixed++] : &parts[nparts++]) = (struct line_operand){ line, 1 };
	}
	if (fixed && parts) {
		all_fixed = derive_from(claim->d, PRECISION_DOUBLE, "static quotas", OPERATION_SUM, fixed, nfixed);
		all_parts = derive_from(claim->d, PRECISION_DOUBLE, "dynamic quotas", OPERATION_SUM, parts, nparts);
		to = oversubscription ? all_fixed
				      : derive(claim->d, "to static quotas", OPERATION_LEAST, 2, all_fixed, above);
		if (!group->is_static) {
			to = derive(claim->d, "left to dynamic quotas", OPERATION_DIFFERENCE, 2, above, to);
			to = derive(claim->d, "to dynamic quotas", OPERATION_GREATEST, 2, to,
				    derive_given(claim->d, "nothing", 0.0, "constant"));
			all_fixed = derive(claim->d, "parts of the whole", OPERATION_GREATEST, 2, all_parts,
					   derive_given(claim->d, "one", 1.0, "constant"));
		} else if (!(derived_value(claim->d, all_fixed) > 0)) {
			all_fixed = derive_given(claim->d, "one", 1.0, "constant");
		}
		line = derive(claim->d, "scale", OPERATION_QUOTIENT, 2, to, all_fixed);
		line = derive(claim->d, text_made(text, "quota of %s and all below it", group->name), OPERATION_PRODUCT,
			      2, own, line);
	}
	free(fixed);
	free(parts);
	return line;
}

static uint32_t group_row(const struct claim_to *claim, const struct fl_quota_group *group, uint32_t above)
{
	char text[TEXT_BYTES], name[TEXT_BYTES];
	uint32_t quota = DERIVED_NONE, configured;

	configured = derive_given(claim->d, text_made(text, "quota of %s as configured", group->name),
				  group->configured, "condor_config");
	if (above != DERIVED_NONE) {
		quota = derive_quota(claim, group, above, true);
		if (derived_value(claim->d, quota) != group->subtree_quota)
			quota = derive_quota(claim, group, above, false);
	}
	quota = settle(claim, text_made(name, "quota of %s and all below it", group->name), quota, group->subtree_quota,
		       "negotiation");
	sections_row(claim->x, group->name,
		     ROW(configured, quota,
			 derive_given(claim->d, text_made(text, "requested in %s", group->name), group->requested,
				      "negotiation"),
			 derive_given(claim->d, text_made(text, "allocated to %s", group->name), group->allocated,
				      "negotiation"),
			 derive_given(claim->d, text_made(text, "in use by %s", group->name), group->weight_used,
				      "accountant")));
	if (*group->capped_by && strcmp(group->capped_by, group->name))
		sections_note(claim->x, "%s is limited by the quota of %s.", group->name, group->capped_by);
	return quota;
}

/* Derive the groups from the root down to the group in which the submitter was served. */
static void derive_groups(const struct claim_to *claim)
{
	int32_t way[64], n = 0;
	struct fl_quota_group group;
	uint32_t quota = DERIVED_NONE;

	if (!claim->took_part || claim->cycle.ngroups < 2)
		return;
	for (int32_t i = (int32_t)claim->submitter.quota_group;
	     i >= 0 && n < 64 && fl_quota_group(claim->e->view, (size_t)i, &group) == 0;
	     i = group.parent == i ? -1 : group.parent)
		way[n++] = i;
	sections_begin(claim->x, "Quotas, from the root to its group");
	sections_columns(claim->x, COLUMNS_OF(GROUP_COLUMNS));
	while (n-- > 0)
		if (fl_quota_group(claim->e->view, (size_t)way[n], &group) == 0)
			quota = group_row(claim, &group, quota);
}

/* Rank of the job among those of its submitter */

static void report_rank(const struct claim_to *claim)
{
	const struct fl_job *job = &claim->x->job;

	if (job->is_started)
		return;
	sections_begin(claim->x, "Among the jobs of its submitter");
	sections_line(claim->x,
		      derive_whole(claim->d, "JobPrio",
				   claim->claimant.has_job_prio ? claim->claimant.job_prio : job->priority, "job"));
	sections_line(claim->x,
		      derived_unit(claim->d, derive_whole(claim->d, "submission_time", job->submission_time, "job"),
				   "epoch s"));
	if (claim->claimant.place)
		sections_line(claim->x, derive_whole(claim->d, "place", claim->claimant.place, "negotiation"));
	if (claim->took_part)
		sections_line(claim->x,
			      derive_whole(claim->d, "pending tasks", claim->submitter.idle, "negotiation"));
	sections_note(
		claim->x,
		"Sorted by PreJobPrio1, PreJobPrio2, JobPrio, PostJobPrio1, PostJobPrio2, highest first, then by "
		"submission.");
}

static const char *first_reason(const struct claim_to *claim, const char *otherwise)
{
	char text[TEXT_BYTES];
	struct fl_why why;

	if (claim->x->job.is_started || fl_why(claim->e->view, claim->x->job.job_number, 0, &why))
		return otherwise;
	fl_why_text(&why, text, sizeof(text));
	return explanation_text(claim->x, text);
}

static int explain(struct explainer *explainer, struct explanation *explanation)
{
	struct claim_to claim = { .e = explainer, .x = explanation, .d = &explanation->derivation };
	uint32_t number = explanation->job.job_number;

	if (fl_negotiation(explainer->view, &claim.cycle) || fl_claimant(explainer->view, number, &claim.claimant))
		return -ESRCH;
	if (explanation->job.prio == 0.0 ||
	    !find_customer(explainer->view, claim.claimant.submitter, &claim.customer)) {
		explanation->why = first_reason(&claim, "it is not considered");
		return explanation->derivation.rc;
	}
	claim.took_part = find_submitter(explainer->view, claim.claimant.submitter, &claim.submitter);
	derive_priority(&claim);
	derive_slice(&claim);
	derive_groups(&claim);
	report_rank(&claim);
	return explanation->derivation.rc;
}

const struct explained_policy userprio_explained = {
	.name = "userprio", .orders_submitters = true, .explain = explain,
};
