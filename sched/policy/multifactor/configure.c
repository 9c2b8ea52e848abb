/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The association tree of a cell, as the policies take it, and in the order in which readers see
 * it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/slurm.h"
#include "sched/policy/multifactor/multifactor.h"
#include "tickets/usage_decay.h"

_Static_assert(SHARES_OF_PARENT == SHARES_PARENT, "shares go from the cell to the tree as they are");

void multifactor_free(struct multifactor *m, struct strings *strings)
{
	if (!m)
		return;
	for (size_t i = 0; m->names && i < 3 * m->tree.n; i++)
		strings_drop(strings, m->names[i]);
	for (size_t i = 0; m->group_minutes && i < m->tree.n; i++)
		strings_drop(strings, m->group_minutes[i]);
	for (size_t i = 0; i < m->nkinds; i++)
		strings_drop(strings, m->kind_names[i]);
	for (size_t i = 0; i < m->nweighted; i++)
		strings_drop(strings, m->tres_names[i]);
	for (size_t i = 0; i < m->npartitions; i++)
		strings_drop(strings, m->partition_names[i]);
	strings_drop(strings, m->weight_tres);
	free(m->partition_names);
	free(m->names);
	free(m->group_minutes);
	free(m->run_minutes.rows);
	free(m->run_minutes.seconds);
	free(m->run_minutes.known);
	free(m->tree.items);
	free(m->display);
	free(m->shown_at);
	free(m->assoc_factors);
	free(m->kept);
	free(m->is_changed);
	free(m->changed);
	free(m->shapes);
	free(m->places);
	free(m->tres_factors);
	free(m->classes);
	free(m);
}

static uint32_t largest_association(const struct slurm_conf *conf)
{
	uint32_t largest = 0;

	for (size_t i = 0; i < conf->nassociations; i++)
		largest = conf->associations[i].priority > largest ? conf->associations[i].priority : largest;
	return largest;
}

static void configure_scalars(struct multifactor *m)
{
	const struct slurm_conf *conf = m->conf;

	m->decay = half_life_decay(conf->half_life);
	for (size_t i = 0; i < conf->npartitions; i++)
		if (conf->partitions[i].job_factor > m->largest_partition)
			m->largest_partition = conf->partitions[i].job_factor;
	for (size_t i = 0; i < conf->nqos; i++)
		if (conf->qos[i].priority > m->largest_qos)
			m->largest_qos = conf->qos[i].priority;
}

static int hold_name(struct strings *strings, const char *text, uint32_t *id)
{
	*id = text && *text ? strings_hold(strings, text) : NONE;
	return *id == NONE && text && *text ? -ENOMEM : 0;
}

/* What readers are shown by name. */
static int configure_names(struct multifactor *m, struct strings *strings)
{
	const struct slurm_conf *conf = m->conf;

	m->partition_names = calloc(conf->npartitions + 1, sizeof(*m->partition_names));
	if (!m->partition_names || hold_name(strings, conf->weight_tres_typed, &m->weight_tres))
		return -ENOMEM;
	for (; m->npartitions < conf->npartitions; m->npartitions++)
		if (hold_name(strings, conf->partitions[m->npartitions].name, &m->partition_names[m->npartitions]))
			return -ENOMEM;
	for (; m->nkinds < conf->ntres; m->nkinds++)
		if (hold_name(strings, conf->tres[m->nkinds], &m->kind_names[m->nkinds]))
			return -ENOMEM;
	for (size_t i = 0; i < conf->ntres; i++) {
		if (!conf->weight_tres || conf->weight_tres[i] == 0.0)
			continue;
		if (hold_name(strings, conf->tres[i], &m->tres_names[m->nweighted]))
			return -ENOMEM;
		m->weighted[m->nweighted++] = (uint32_t)i;
	}
	return 0;
}

static int configure_tree(struct multifactor *m, struct strings *strings)
{
	const struct slurm_conf *conf = m->conf;
	size_t n = conf->nassociations;
	uint32_t largest = largest_association(conf);

	m->tree.items = calloc(n + 1, sizeof(*m->tree.items));
	m->names = malloc((3 * n + 1) * sizeof(*m->names));
	m->assoc_factors = calloc(n + 1, sizeof(double));
	m->display = calloc(n + 1, sizeof(uint32_t));
	m->shown_at = calloc(n + 1, sizeof(uint32_t));
	m->kept = calloc(n + 1, sizeof(bool));
	m->is_changed = calloc(n + 1, sizeof(bool));
	m->changed = calloc(n + 1, sizeof(uint32_t));
	m->group_minutes = malloc((n + 1) * sizeof(uint32_t));
	m->run_minutes.rows = malloc((n + 1) * sizeof(uint32_t));
	m->run_minutes.known = calloc(KNOWN_ALLOCATIONS, sizeof(*m->run_minutes.known));
	if (m->names)
		memset(m->names, 0xff, (3 * n + 1) * sizeof(*m->names));
	if (m->group_minutes)
		memset(m->group_minutes, 0xff, (n + 1) * sizeof(uint32_t));
	m->tree.n = n;
	if (!m->tree.items || !m->names || !m->assoc_factors || !m->display || !m->shown_at || !m->kept || !m->is_changed ||
	    !m->changed || !m->group_minutes || !m->run_minutes.rows || !m->run_minutes.known)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct slurm_association *a = &conf->associations[i];

		m->tree.items[i] = (struct association){ .parent = a->parent, .shares = a->shares, .is_user = *a->user != '\0', .usage = a->usage };
		m->assoc_factors[i] = rank_factor(a->priority, largest, conf->flags & FLAG_NO_NORMAL_ASSOC);
		m->kept[i] = a->usage > 0.0;
		m->by_partition |= *a->partition != '\0';
		if (hold_name(strings, a->account, &m->names[3 * i]) || hold_name(strings, a->user, &m->names[3 * i + 1]) ||
		    hold_name(strings, a->partition, &m->names[3 * i + 2]) || hold_name(strings, a->group_minutes, &m->group_minutes[i]))
			return -ENOMEM;
	}
	return n > 0 && associations_link(&m->tree) ? -EINVAL : 0;
}

/* As readers see it */

/* Siblings: users by name, then accounts by name. */
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

/* Children of a node, sorted, pushed so that the first is taken first. */
static size_t push_children(const struct multifactor *m, uint32_t node, uint32_t *stack, size_t n)
{
	size_t begin = n;

	for (uint32_t c = m->tree.items[node].first_child; c != ASSOCIATION_NONE; c = m->tree.items[c].next_sibling)
		stack[n++] = c;
	qsort_r(stack + begin, n - begin, sizeof(*stack), by_name, m->conf->associations);
	for (size_t i = begin, k = n; i + 1 < k; i++) {
		uint32_t swap = stack[i];

		stack[i] = stack[--k];
		stack[k] = swap;
	}
	return n;
}

static int configure_display(struct multifactor *m)
{
	uint32_t *stack = malloc((m->tree.n + 1) * sizeof(*stack));
	size_t n = 0, shown = 0;

	if (!stack)
		return -ENOMEM;
	if (m->tree.n > 0)
		stack[n++] = 0;
	while (n > 0) {
		uint32_t node = stack[--n];

		m->shown_at[node] = (uint32_t)shown;
		m->display[shown++] = node;
		n = push_children(m, node, stack, n);
	}
	free(stack);
	return 0;
}

/* The whole */

/* The user's association that has the name of an old one; NONE: there is none any more. */
static uint32_t same_name(const struct multifactor *m, const struct run *run, const struct multifactor *old, uint32_t i)
{
	uint32_t to;

	if (i >= old->tree.n || !old->tree.items[i].is_user)
		return NONE;
	to = multifactor_association(m, run, old->names[3 * i], old->names[3 * i + 1], old->names[3 * i + 2]);
	return to < m->tree.n && m->tree.items[to].is_user ? to : NONE;
}

/*
 * Tasks that have ended and are still to be charged: those that ended under another algorithm never
 * are.
 */
static void keep_ended(const struct multifactor *m, struct run *run, const struct multifactor *old)
{
	struct state *state = run->mirror->state;

	for (size_t i = 0; i < state->nended; i++)
		state->ended[i].association = old ? same_name(m, run, old, state->ended[i].association) : NONE;
}

static int configure(struct multifactor *m, struct strings *strings)
{
	int rc;

	configure_scalars(m);
	rc = configure_names(m, strings);
	if (rc == 0)
		rc = configure_tree(m, strings);
	return rc == 0 ? configure_display(m) : rc;
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
	struct multifactor *old = policy->in_force, *m = cell ? policy->prepared : NULL;

	if (old)
		past_leave(&policy->past, run->strings, old);
	if (m) {
		keep_ended(m, run, old);
		past_take(&policy->past, run->strings, m);
		associations_sum(&m->tree);
	}
	multifactor_free(old, run->strings);
	policy->in_force = m;
	policy->prepared = NULL;
}
