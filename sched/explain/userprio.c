/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTCondor's user priorities, explained: the submitter's priority and where it comes from, its
 * slice of the pie, the quotas of its groups, the job among the submitter's. All is published;
 * formulas are those of tickets/customers.c, sched/negotiation/spin.c and tickets/quotas.c.
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

struct claim_to {			/* what is derived for one job */
	struct explainer *e;
	struct explanation *x;
	struct derivation *d;
	struct fl_negotiation cycle;
	struct fl_claimant claimant;
	struct fl_customer customer;
	struct fl_submitter submitter;
	bool took_part;			/* its submitter, in the last cycle */
};

static uint32_t settle(const struct claim_to *c, const char *name, uint32_t derived, double value, const char *otherwise)
{
	return derived != DERIVED_NONE && derived_value(c->d, derived) == value ? derived : derive_given(c->d, name, value, otherwise);
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

/* The customer as it was before the run. */
static bool find_before(const struct claim_to *c, struct customer_state *before)
{
	const struct view *view = &c->e->view->view;
	uint64_t count;
	const struct customer_state *records = view_state_part(view, STATE_CUSTOMERS, sizeof(*records), &count);

	for (uint64_t i = 0; i < count; i++) {
		view_copy(before, &records[i], sizeof(*before));
		if (strcmp(view_string(view, before->name), c->customer.name) == 0)
			return true;
	}
	return false;
}

/* old x beta + use x (1 - beta), beta = 0.5 ^ (time / half-life), and 0.5 at least */
static uint32_t derive_moved(const struct claim_to *c, const struct customer_state *before, int64_t seconds)
{
	uint32_t old, time, half, beta, left, use, uncharged, moved, least = derive_given(c->d, "lowest priority", RUP_LEAST, "constant");

	sections_begin(c->x, "Real user priority");
	old = derive_given(c->d, "priority before", before->rup, "accountant");
	old = derive(c->d, "priority before, at least the lowest", OPERATION_GREATEST, 2, old, least);
	time = derived_unit(c->d, derive_whole(c->d, "since the update before", seconds, "run"), "s");
	half = derived_unit(c->d, derive_given(c->d, "PRIORITY_HALFLIFE", c->cycle.halflife, "condor_config"), "s");
	beta = derive(c->d, "time in half-lives", OPERATION_QUOTIENT, 2, time, half);
	beta = derive(c->d, "part that is left", OPERATION_POWER, 2, derive_given(c->d, "half", 0.5, "constant"), beta);
	uncharged = derive_given(c->d, "correction of the use", before->weight_uncharged, "accountant");
	use = derive_given(c->d, "weight in use", before->weight_used, "accountant");
	uncharged = derive(c->d, "correction by second", OPERATION_QUOTIENT, 2, uncharged, time);
	use = derive(c->d, "use that counts", OPERATION_SUM, 2, use, uncharged);
	left = derive(c->d, "old part", OPERATION_PRODUCT, 2, old, beta);
	moved = derive(c->d, "rest", OPERATION_DIFFERENCE, 2, derive_given(c->d, "one", 1.0, "constant"), beta);
	moved = derive(c->d, "new part", OPERATION_PRODUCT, 2, use, moved);
	moved = derive(c->d, "real user priority, moved", OPERATION_SUM, 2, left, moved);
	moved = derive(c->d, "real user priority", OPERATION_GREATEST, 2, moved, least);
	sections_line(c->x, old);
	sections_line(c->x, time);
	sections_line(c->x, half);
	sections_line(c->x, beta);
	sections_line(c->x, use);
	return moved;
}

/* The run has updated it, or it is as it was. */
static uint32_t derive_real_priority(const struct claim_to *c)
{
	const struct state_head *head = view_state(&c->e->view->view);
	int64_t last = head ? LOAD_ONCE(head->customers_updated) : 0;
	struct customer_state before;
	uint32_t moved, rounded, line;

	if (last == 0 || c->cycle.last_update <= last || !find_before(c, &before))
		return derive_given(c->d, "real user priority", c->customer.rup, "accountant");
	moved = derive_moved(c, &before, c->cycle.last_update - last);
	rounded = derive(c->d, "real user priority, six decimals", OPERATION_SIX_DECIMALS, 1, moved);
	line = derived_value(c->d, rounded) == c->customer.rup ? rounded : settle(c, "real user priority", moved, c->customer.rup, "accountant");
	sections_line(c->x, line);
	return line;
}

static void derive_priority(const struct claim_to *c)
{
	uint32_t rup = derive_real_priority(c), factor, eup;

	factor = derive_given(c->d, "priority factor", c->customer.factor, "accountant");
	derived_holder(c->d, factor, HOLDER_CUSTOMER, c->customer.name);
	eup = derive(c->d, "effective user priority", OPERATION_PRODUCT, 2, rup, factor);
	c->x->prio = derive(c->d, "prio", OPERATION_QUOTIENT, 2, derive_given(c->d, "one", 1.0, "constant"), eup);
	sections_begin(c->x, "Effective user priority");
	sections_line(c->x, rup);
	sections_line(c->x, factor);
	sections_line(c->x, eup);
	sections_row(c->x, "prio: 1 / effective", ROW(c->x->prio));
	sections_note(c->x, "Submitter %s: the lower the effective priority, the larger its slice, and the sooner it is served.", c->customer.name);
	value_add(c->x, "prio", c->x->prio);
	value_add(c->x, "rup", rup);
	value_add(c->x, "factor", factor);
	value_add(c->x, "eup", eup);
}

/* The slice of the pie */

/*
 * worst / (own x sum of worst / each): the inverse ratio of effective priorities. Who was served in
 * the same group counts; who had nothing left to ask for had gone by the last spin.
 */
static uint32_t derive_share(const struct claim_to *c, bool all)
{
	struct line_operand *eups = calloc(c->cycle.nsubmitters + 1, sizeof(*eups)), *parts = calloc(c->cycle.nsubmitters + 1, sizeof(*parts));
	uint32_t worst, sum, own = DERIVED_NONE, line = DERIVED_NONE;
	struct fl_submitter s;
	char text[TEXT_BYTES];
	size_t n = 0;

	for (size_t k = 0; eups && parts && k < c->cycle.nsubmitters && fl_submitter(c->e->view, k, &s) == 0; k++) {
		if (s.quota_group != c->submitter.quota_group || (!all && s.spins != c->submitter.spins))
			continue;
		eups[n].line = derived_holder(c->d, derive_given(c->d, text_made(text, "effective priority of %s", s.name), s.eup, "accountant"),
					      HOLDER_CUSTOMER, s.name);
		if (strcmp(s.name, c->submitter.name) == 0)
			own = eups[n].line;
		eups[n++].times = 1;
	}
	if (eups && parts && n > 0) {
		worst = derive_from(c->d, PRECISION_DOUBLE, "worst effective priority", OPERATION_GREATEST, eups, n);
		for (size_t i = 0; i < n; i++)
			parts[i] = (struct line_operand){ derive(c->d, "worst / it", OPERATION_QUOTIENT, 2, worst, eups[i].line), 1 };
		sum = derive_from(c->d, PRECISION_DOUBLE, "sum of worst / each", OPERATION_SUM, parts, n);
		line = derive(c->d, "own, times the sum", OPERATION_PRODUCT, 2, own, sum);
		line = derive(c->d, "share of the pie", OPERATION_QUOTIENT, 2, worst, line);
	}
	free(eups);
	free(parts);
	return line;
}

static void derive_slice(const struct claim_to *c)
{
	uint32_t share, slice, used;

	sections_begin(c->x, "Its slice of the pie, last negotiation cycle");
	if (!c->took_part) {
		sections_note(c->x, "%s took no part in it.", c->customer.name);
		return;
	}
	share = derive_share(c, true);
	if (derived_value(c->d, share) != c->submitter.share)
		share = derive_share(c, false);
	share = settle(c, "share of the pie", share, c->submitter.share, "negotiation");
	slice = derive_given(c->d, "its slice", c->submitter.slice, "negotiation");
	used = derive_given(c->d, "weight in use", c->submitter.weight_used, "accountant");
	sections_line(c->x, share);
	sections_line(c->x, slice);
	sections_line(c->x, used);
	sections_line(c->x, derive_given(c->d, "left to it when it was last looked at", c->submitter.limit, "negotiation"));
	sections_line(c->x, derive_whole(c->d, "spins", c->submitter.spins, "negotiation"));
	sections_line(c->x, derive_whole(c->d, "matches", c->submitter.matches, "negotiation"));
	if (*c->submitter.stop)
		sections_note(c->x, "It was not served any further: %s.", c->submitter.stop);
}

/* Quotas */

/* Static quotas first; dynamic ones are parts of what these leave. */
static uint32_t derive_quota(const struct claim_to *c, const struct fl_quota_group *g, uint32_t above, bool oversubscription)
{
	struct line_operand *fixed = calloc(c->cycle.ngroups + 1, sizeof(*fixed)), *parts = calloc(c->cycle.ngroups + 1, sizeof(*parts));
	uint32_t own = DERIVED_NONE, line = DERIVED_NONE, all_fixed, all_parts, to;
	size_t nfixed = 0, nparts = 0;
	struct fl_quota_group s;
	char text[TEXT_BYTES];

	for (size_t k = 1; fixed && parts && k < c->cycle.ngroups && fl_quota_group(c->e->view, k, &s) == 0; k++) {
		if (s.parent != g->parent)
			continue;
		line = derive_given(c->d, text_made(text, "quota of %s as configured", s.name), s.configured, "condor_config");
		own = strcmp(s.name, g->name) == 0 ? line : own;
		*(s.is_static ? &fixed[nfixed++] : &parts[nparts++]) = (struct line_operand){ line, 1 };
	}
	if (fixed && parts) {
		all_fixed = derive_from(c->d, PRECISION_DOUBLE, "static quotas", OPERATION_SUM, fixed, nfixed);
		all_parts = derive_from(c->d, PRECISION_DOUBLE, "dynamic quotas", OPERATION_SUM, parts, nparts);
		to = oversubscription ? all_fixed : derive(c->d, "to static quotas", OPERATION_LEAST, 2, all_fixed, above);
		if (!g->is_static) {
			to = derive(c->d, "left to dynamic quotas", OPERATION_DIFFERENCE, 2, above, to);
			to = derive(c->d, "to dynamic quotas", OPERATION_GREATEST, 2, to, derive_given(c->d, "nothing", 0.0, "constant"));
			all_fixed = derive(c->d, "parts of the whole", OPERATION_GREATEST, 2, all_parts, derive_given(c->d, "one", 1.0, "constant"));
		} else if (!(derived_value(c->d, all_fixed) > 0)) {
			all_fixed = derive_given(c->d, "one", 1.0, "constant");
		}
		line = derive(c->d, "scale", OPERATION_QUOTIENT, 2, to, all_fixed);
		line = derive(c->d, text_made(text, "quota of %s and all below it", g->name), OPERATION_PRODUCT, 2, own, line);
	}
	free(fixed);
	free(parts);
	return line;
}

static uint32_t group_row(const struct claim_to *c, const struct fl_quota_group *g, uint32_t above)
{
	char text[TEXT_BYTES], name[TEXT_BYTES];
	uint32_t quota = DERIVED_NONE, configured;

	configured = derive_given(c->d, text_made(text, "quota of %s as configured", g->name), g->configured, "condor_config");
	if (above != DERIVED_NONE) {
		quota = derive_quota(c, g, above, true);
		if (derived_value(c->d, quota) != g->subtree_quota)
			quota = derive_quota(c, g, above, false);
	}
	quota = settle(c, text_made(name, "quota of %s and all below it", g->name), quota, g->subtree_quota, "negotiation");
	sections_row(c->x, g->name,
		     ROW(configured, quota, derive_given(c->d, text_made(text, "requested in %s", g->name), g->requested, "negotiation"),
			 derive_given(c->d, text_made(text, "allocated to %s", g->name), g->allocated, "negotiation"),
			 derive_given(c->d, text_made(text, "in use by %s", g->name), g->weight_used, "accountant")));
	if (*g->capped_by && strcmp(g->capped_by, g->name))
		sections_note(c->x, "%s is bounded by the quota of %s.", g->name, g->capped_by);
	return quota;
}

/* From the root down to the group in which its submitter was served. */
static void derive_groups(const struct claim_to *c)
{
	int32_t way[64], n = 0;
	struct fl_quota_group g;
	uint32_t quota = DERIVED_NONE;

	if (!c->took_part || c->cycle.ngroups < 2)
		return;
	for (int32_t i = (int32_t)c->submitter.quota_group; i >= 0 && n < 64 && fl_quota_group(c->e->view, (size_t)i, &g) == 0; i = g.parent == i ? -1 : g.parent)
		way[n++] = i;
	sections_begin(c->x, "Quotas, from the root to its group");
	sections_columns(c->x, COLUMNS_OF(GROUP_COLUMNS));
	while (n-- > 0)
		if (fl_quota_group(c->e->view, (size_t)way[n], &g) == 0)
			quota = group_row(c, &g, quota);
}

/* The job among those of its submitter */

static void tell_place(const struct claim_to *c)
{
	const struct fl_job *job = &c->x->job;

	if (job->is_started)
		return;
	sections_begin(c->x, "Among the jobs of its submitter");
	sections_line(c->x, derive_whole(c->d, "JobPrio", c->claimant.has_job_prio ? c->claimant.job_prio : job->priority, "job"));
	sections_line(c->x, derived_unit(c->d, derive_whole(c->d, "submission_time", job->submission_time, "job"), "epoch s"));
	if (c->claimant.place)
		sections_line(c->x, derive_whole(c->d, "place", c->claimant.place, "negotiation"));
	if (c->took_part)
		sections_line(c->x, derive_whole(c->d, "tasks that wait", c->submitter.idle, "negotiation"));
	sections_note(c->x, "PreJobPrio1, PreJobPrio2, JobPrio, PostJobPrio1, PostJobPrio2 count first, the higher the better, then submission.");
}

static const char *first_reason(const struct claim_to *c, const char *otherwise)
{
	char text[TEXT_BYTES];
	struct fl_why why;

	if (c->x->job.is_started || fl_why(c->e->view, c->x->job.job_number, 0, &why))
		return otherwise;
	fl_why_text(&why, text, sizeof(text));
	return explanation_text(c->x, text);
}

static int explain(struct explainer *e, struct explanation *x)
{
	struct claim_to c = { .e = e, .x = x, .d = &x->derivation };
	uint32_t number = x->job.job_number;

	if (fl_negotiation(e->view, &c.cycle) || fl_claimant(e->view, number, &c.claimant))
		return -ESRCH;
	if (x->job.prio == 0.0 || !find_customer(e->view, c.claimant.submitter, &c.customer)) {
		x->why = first_reason(&c, "it takes no part");
		return x->derivation.rc;
	}
	c.took_part = find_submitter(e->view, c.claimant.submitter, &c.submitter);
	derive_priority(&c);
	derive_slice(&c);
	derive_groups(&c);
	tell_place(&c);
	return x->derivation.rc;
}

const struct explained_policy userprio_explained = { "userprio", false, NULL, NULL, explain };
