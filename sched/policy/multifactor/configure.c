/* SPDX-License-Identifier: Apache-2.0 */
/* The association tree of a cell as the policy uses it, and the order in which readers see it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/slurm.h"
#include "sched/policy/multifactor/multifactor.h"
#include "tickets/usage_decay.h"

_Static_assert(SHARES_OF_PARENT == SHARES_PARENT,
	       "the cell and the tree use the same value for the shares of the parent");

void multifactor_free(struct multifactor *multifactor, struct strings *strings)
{
	if (!multifactor)
		return;
	for (size_t i = 0; multifactor->names && i < 3 * multifactor->tree.n; i++)
		strings_drop(strings, multifactor->names[i]);
	for (size_t i = 0; multifactor->group_minutes && i < multifactor->tree.n; i++)
		strings_drop(strings, multifactor->group_minutes[i]);
	for (size_t i = 0; i < multifactor->nkinds; i++)
		strings_drop(strings, multifactor->kind_names[i]);
	for (size_t i = 0; i < multifactor->nweighted; i++)
		strings_drop(strings, multifactor->tres_names[i]);
	for (size_t i = 0; i < multifactor->npartitions; i++)
		strings_drop(strings, multifactor->partition_names[i]);
	strings_drop(strings, multifactor->weight_tres);
	free(multifactor->partition_names);
	free(multifactor->names);
	free(multifactor->group_minutes);
	free(multifactor->run_minutes.rows);
	free(multifactor->run_minutes.seconds);
	free(multifactor->run_minutes.known);
	free(multifactor->tree.items);
	free(multifactor->display);
	free(multifactor->shown_at);
	free(multifactor->assoc_factors);
	free(multifactor->kept);
	free(multifactor->is_changed);
	free(multifactor->changed);
	free(multifactor->shapes);
	free(multifactor->places);
	free(multifactor->tres_factors);
	free(multifactor->classes);
	free(multifactor);
}

static uint32_t largest_association(const struct slurm_conf *conf)
{
	uint32_t largest = 0;

	for (size_t i = 0; i < conf->nassociations; i++)
		largest = conf->associations[i].priority > largest ? conf->associations[i].priority : largest;
	return largest;
}

static void configure_scalars(struct multifactor *multifactor)
{
	const struct slurm_conf *conf = multifactor->conf;

	multifactor->decay = half_life_decay(conf->half_life);
	for (size_t i = 0; i < conf->npartitions; i++)
		if (conf->partitions[i].job_factor > multifactor->largest_partition)
			multifactor->largest_partition = conf->partitions[i].job_factor;
	for (size_t i = 0; i < conf->nqos; i++)
		if (conf->qos[i].priority > multifactor->largest_qos)
			multifactor->largest_qos = conf->qos[i].priority;
}

static int hold_name(struct strings *strings, const char *text, uint32_t *id)
{
	*id = text && *text ? strings_hold(strings, text) : NONE;
	return *id == NONE && text && *text ? -ENOMEM : 0;
}

/* Hold the names that readers see. */
static int configure_names(struct multifactor *multifactor, struct strings *strings)
{
	const struct slurm_conf *conf = multifactor->conf;

	multifactor->partition_names = calloc(conf->npartitions + 1, sizeof(*multifactor->partition_names));
	if (!multifactor->partition_names || hold_name(strings, conf->weight_tres_typed, &multifactor->weight_tres))
		return -ENOMEM;
	for (; multifactor->npartitions < conf->npartitions; multifactor->npartitions++)
		if (hold_name(strings, conf->partitions[multifactor->npartitions].name,
			      &multifactor->partition_names[multifactor->npartitions]))
			return -ENOMEM;
	for (; multifactor->nkinds < conf->ntres; multifactor->nkinds++)
		if (hold_name(strings, conf->tres[multifactor->nkinds], &multifactor->kind_names[multifactor->nkinds]))
			return -ENOMEM;
	for (size_t i = 0; i < conf->ntres; i++) {
		if (!conf->weight_tres || conf->weight_tres[i] == 0.0)
			continue;
		if (hold_name(strings, conf->tres[i], &multifactor->tres_names[multifactor->nweighted]))
			return -ENOMEM;
		multifactor->weighted[multifactor->nweighted++] = (uint32_t)i;
	}
	return 0;
}

static int configure_tree(struct multifactor *multifactor, struct strings *strings)
{
	const struct slurm_conf *conf = multifactor->conf;
	size_t n = conf->nassociations;
	uint32_t largest = largest_association(conf);

	multifactor->tree.items = calloc(n + 1, sizeof(*multifactor->tree.items));
	multifactor->names = malloc((3 * n + 1) * sizeof(*multifactor->names));
	multifactor->assoc_factors = calloc(n + 1, sizeof(double));
	multifactor->display = calloc(n + 1, sizeof(uint32_t));
	multifactor->shown_at = calloc(n + 1, sizeof(uint32_t));
	multifactor->kept = calloc(n + 1, sizeof(bool));
	multifactor->is_changed = calloc(n + 1, sizeof(bool));
	multifactor->changed = calloc(n + 1, sizeof(uint32_t));
	multifactor->group_minutes = malloc((n + 1) * sizeof(uint32_t));
	multifactor->run_minutes.rows = malloc((n + 1) * sizeof(uint32_t));
	multifactor->run_minutes.known = calloc(KNOWN_ALLOCATIONS, sizeof(*multifactor->run_minutes.known));
	if (multifactor->names)
		memset(multifactor->names, 0xff, (3 * n + 1) * sizeof(*multifactor->names));
	if (multifactor->group_minutes)
		memset(multifactor->group_minutes, 0xff, (n + 1) * sizeof(uint32_t));
	multifactor->tree.n = n;
	if (!multifactor->tree.items || !multifactor->names || !multifactor->assoc_factors || !multifactor->display ||
	    !multifactor->shown_at || !multifactor->kept || !multifactor->is_changed || !multifactor->changed ||
	    !multifactor->group_minutes || !multifactor->run_minutes.rows || !multifactor->run_minutes.known)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct slurm_association *association = &conf->associations[i];

		multifactor->tree.items[i] = (struct association){ .parent = association->parent,
								   .shares = association->shares,
								   .is_user = *association->user != '\0',
								   .usage = association->usage };
		multifactor->assoc_factors[i] =
			rank_factor(association->priority, largest, conf->flags & FLAG_NO_NORMAL_ASSOC);
		multifactor->kept[i] = association->usage > 0.0;
		multifactor->by_partition |= *association->partition != '\0';
		if (hold_name(strings, association->account, &multifactor->names[3 * i]) ||
		    hold_name(strings, association->user, &multifactor->names[3 * i + 1]) ||
		    hold_name(strings, association->partition, &multifactor->names[3 * i + 2]) ||
		    hold_name(strings, association->group_minutes, &multifactor->group_minutes[i]))
			return -ENOMEM;
	}
	return n > 0 && associations_link(&multifactor->tree) ? -EINVAL : 0;
}

/* Order for readers */

/* Order siblings: users by name, then accounts by name. */
static int by_name(const void *a, const void *b, void *associations)
{
	const struct slurm_association *x = (const struct slurm_association *)associations + *(const uint32_t *)a;
	const struct slurm_association *y = (const struct slurm_association *)associations + *(const uint32_t *)b;
	int order;

	if ((*x->user != '\0') != (*y->user != '\0'))
		return *x->user ? -1 : 1;
	order = *x->user ? strcmp(x->user, y->user) : strcmp(x->account, y->account);
	return order ? order : strcmp(x->partition, y->partition);
}

/* Push the children of a node so that the first one in order is popped first. */
static size_t push_children(const struct multifactor *multifactor, uint32_t node, uint32_t *stack, size_t n)
{
	size_t begin = n;

	for (uint32_t c = multifactor->tree.items[node].first_child; c != ASSOCIATION_NONE;
	     c = multifactor->tree.items[c].next_sibling)
		stack[n++] = c;
	qsort_r(stack + begin, n - begin, sizeof(*stack), by_name, multifactor->conf->associations);
	for (size_t i = begin, k = n; i + 1 < k; i++) {
		uint32_t swap = stack[i];

		stack[i] = stack[--k];
		stack[k] = swap;
	}
	return n;
}

static int configure_display(struct multifactor *multifactor)
{
	uint32_t *stack = malloc((multifactor->tree.n + 1) * sizeof(*stack));
	size_t n = 0, shown = 0;

	if (!stack)
		return -ENOMEM;
	if (multifactor->tree.n > 0)
		stack[n++] = 0;
	while (n > 0) {
		uint32_t node = stack[--n];

		multifactor->shown_at[node] = (uint32_t)shown;
		multifactor->display[shown++] = node;
		n = push_children(multifactor, node, stack, n);
	}
	free(stack);
	return 0;
}

/* Prepare and replace */

/* Return the user's association with the names of an old one; NONE: it no longer exists. */
static uint32_t same_name(const struct multifactor *multifactor, const struct run *run, const struct multifactor *old,
			  uint32_t i)
{
	uint32_t to;

	if (i >= old->tree.n || !old->tree.items[i].is_user)
		return NONE;
	to = multifactor_association(multifactor, run, old->names[3 * i], old->names[3 * i + 1], old->names[3 * i + 2]);
	return to < multifactor->tree.n && multifactor->tree.items[to].is_user ? to : NONE;
}

/*
 * Map the associations of ended tasks that are still to be charged to the new tree. Tasks that
 * ended under another algorithm are never charged.
 */
static void keep_ended(const struct multifactor *multifactor, struct run *run, const struct multifactor *old)
{
	struct state *state = run->mirror->state;

	for (size_t i = 0; i < state->nended; i++)
		state->ended[i].association =
			old ? same_name(multifactor, run, old, state->ended[i].association) : NONE;
}

static int configure(struct multifactor *multifactor, struct strings *strings)
{
	int rc;

	configure_scalars(multifactor);
	rc = configure_names(multifactor, strings);
	if (rc == 0)
		rc = configure_tree(multifactor, strings);
	return rc == 0 ? configure_display(multifactor) : rc;
}

int multifactor_prepare(struct policy *p, struct run *run, const struct cell *cell)
{
	struct multifactor_policy *policy = (struct multifactor_policy *)p;
	int rc;

	multifactor_free(policy->prepared, run->strings);
	policy->prepared = NULL;
	if (past_reserve(&policy->past, policy->in_force))
		return -ENOMEM;
	if (!cell)
		return 0;
	policy->prepared = malloc(sizeof(*policy->prepared));
	if (!policy->prepared)
		return -ENOMEM;
	*policy->prepared = (struct multifactor){ .conf = &cell->slurm, .weight_tres = NONE, .stale = true };
	rc = configure(policy->prepared, run->strings);
	if (rc) {
		multifactor_free(policy->prepared, run->strings);
		policy->prepared = NULL;
	}
	return rc;
}

void multifactor_replace(struct policy *p, struct run *run, const struct cell *cell)
{
	struct multifactor_policy *policy = (struct multifactor_policy *)p;
	struct multifactor *old = policy->in_force, *multifactor = cell ? policy->prepared : NULL;

	if (old)
		past_leave(&policy->past, run->strings, old);
	if (multifactor) {
		keep_ended(multifactor, run, old);
		past_take(&policy->past, run->strings, multifactor);
		associations_sum(&multifactor->tree);
	}
	multifactor_free(old, run->strings);
	policy->in_force = multifactor;
	policy->prepared = NULL;
}
