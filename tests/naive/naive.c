/* SPDX-License-Identifier: Apache-2.0 */
/* Functional and override tickets, the two calls, and what comes out of them. */
#include <stdlib.h>
#include <string.h>

#include "tests/naive/naive.h"

struct naive_object *naive_object_of(const struct naive_cell *c, const struct naive_job *job, int kind)
{
	int index = kind == NAIVE_USER ? job->user : kind == NAIVE_PROJECT ? job->project : job->department;
	return index < 0 ? NULL : &c->objects[kind][index];
}

static void count(const struct naive_cell *c, const struct naive_task *t, int step)
{
	for (int k = 0; k < NAIVE_KINDS; k++) {
		struct naive_object *o = naive_object_of(c, t->job, k);
		if (o)
			o->active += (uint32_t)step;
	}
}

/* Earlier submission, smaller job number, smaller task id. */
static bool older(const struct naive_task *a, const struct naive_task *b)
{
	if (a->job->submit != b->job->submit)
		return a->job->submit < b->job->submit;
	if (a->job->number != b->job->number)
		return a->job->number < b->job->number;
	return a->id < b->id;
}

static bool smaller(const struct naive_task *a, const struct naive_task *b)
{
	return a->job->number != b->job->number ? a->job->number < b->job->number : a->id < b->id;
}

/* Functional */

static double functional_value(const struct naive_cell *c, const struct naive_task *t, const struct naive_sums *s, const double w[4])
{
	double part[NAIVE_KINDS];
	for (int k = 0; k < NAIVE_KINDS; k++) {
		bool has = naive_object_of(c, t->job, k) && s->kind[k] != 0;
		part[k] = has ? t->f[k] * c->T_func / s->kind[k] : 0.0;
	}
	double job = s->job != 0 ? t->job->jobshare * c->T_func / s->job : 0.0;
	return w[0] * part[NAIVE_USER] + w[1] * part[NAIVE_DEPARTMENT] + w[2] * part[NAIVE_PROJECT] + w[3] * job;
}

static void functional_weights(const struct naive_cell *c, const struct naive_sums *used, double w[4])
{
	w[0] = !used || used->kind[NAIVE_USER] > 0 ? c->w_user : 0.0;
	w[1] = !used || used->kind[NAIVE_DEPARTMENT] > 0 ? c->w_dept : 0.0;
	w[2] = !used || used->kind[NAIVE_PROJECT] > 0 ? c->w_proj : 0.0;
	w[3] = !used || used->job > 0 ? c->w_job : 0.0;
	double K = w[0] + w[1] + w[2] + w[3];
	for (int i = 0; i < 4 && K > 0; i++)
		w[i] /= K;
}

static double functional_share(const struct naive_cell *c, const struct naive_object *o, uint32_t count)
{
	return c->share_functional ? (double)o->fshare / count : (double)o->fshare;
}

static void functional_running(const struct naive_cell *c, struct naive_task **running, size_t n, struct naive_sums *s)
{
	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < NAIVE_KINDS; k++) {
			const struct naive_object *o = naive_object_of(c, running[i]->job, k);
			running[i]->f[k] = o ? functional_share(c, o, o->active) : 0.0;
			s->kind[k] += running[i]->f[k];
		}
		s->job += running[i]->job->jobshare;
	}
	double w[4];
	functional_weights(c, s, w);
	for (size_t i = 0; i < n; i++)
		running[i]->F = functional_value(c, running[i], s, w);
}

/* Categories: tasks that are alike to a policy, in a row */

struct category {
	/* object index + 1 where it has something to give; job's own value */
	uint32_t key[NAIVE_KINDS + 1];
	struct naive_task **tasks;
	size_t n;
};

static void category_key(const struct naive_cell *c, const struct naive_job *job, bool override, uint32_t key[NAIVE_KINDS + 1])
{
	for (int k = 0; k < NAIVE_KINDS; k++) {
		const struct naive_object *o = naive_object_of(c, job, k);
		key[k] = o && (override ? o->oticket : o->fshare) > 0 ? (uint32_t)(o - c->objects[k]) + 1 : 0;
	}
	key[NAIVE_KINDS] = override ? job->override_tickets : job->jobshare;
}

static void category_insert(struct category *g, struct naive_task *t, bool dependent)
{
	size_t at = g->n++;
	for (; dependent && at > 0; at--) {
		const struct naive_task *before = g->tasks[at - 1];
		if (before->acc > t->acc || (before->acc == t->acc && older(before, t)))
			break;
		g->tasks[at] = g->tasks[at - 1];
	}
	g->tasks[at] = t;
}

static size_t categories_build(const struct naive_cell *c, struct naive_task **pending, size_t n, bool override, bool dependent,
			       struct category *out)
{
	static const uint32_t nothing[NAIVE_KINDS + 1];
	size_t categories = 0, g;
	for (size_t i = 0; i < n; i++) {
		uint32_t key[NAIVE_KINDS + 1];
		category_key(c, pending[i]->job, override, key);
		if (memcmp(key, nothing, sizeof(key)) == 0)
			continue;
		for (g = 0; g < categories && memcmp(out[g].key, key, sizeof(key)) != 0; g++)
			;
		if (g == categories) {
			memcpy(out[categories++].key, key, sizeof(key));
			out[g].tasks = calloc(n, sizeof(*out[g].tasks));
		}
		category_insert(&out[g], pending[i], dependent);
	}
	return categories;
}

static struct naive_task *category_pop(struct category *g)
{
	struct naive_task *head = g->tasks[0];
	memmove(g->tasks, g->tasks + 1, --g->n * sizeof(*g->tasks));
	return head;
}

static void categories_free(struct category *g, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(g[i].tasks);
	free(g);
}

/* Functional, pending */

static void functional_estimate(const struct naive_cell *c, const struct category *g, const struct naive_sums *s, const double w[4])
{
	struct naive_task *t = g->tasks[0];
	struct naive_sums local = { .job = s->job + 0.001 };
	for (int k = 0; k < NAIVE_KINDS; k++) {
		local.kind[k] = s->kind[k] + 0.001;
		t->f[k] = 0.0;
		if (g->key[k] == 0)
			continue;
		const struct naive_object *o = &c->objects[k][g->key[k] - 1];
		t->f[k] = functional_share(c, o, o->active + 1);
		if (!c->share_functional)
			local.kind[k] += t->f[k];
	}
	local.job += t->job->jobshare;
	t->F = functional_value(c, t, &local, w);
}

static struct category *functional_winner(struct category *g, size_t n, bool dependent)
{
	struct category *best = NULL;
	double best_value = -1.0;
	for (size_t i = 0; i < n; i++) {
		if (g[i].n == 0)
			continue;
		const struct naive_task *t = g[i].tasks[0];
		double v = dependent ? t->F + t->acc : t->F;
		if (v >= best_value && (!best || v > best_value || older(t, best->tasks[0]))) {
			best = &g[i];
			best_value = v;
		}
	}
	return best;
}

static void functional_settle(const struct naive_cell *c, struct naive_task *t, struct naive_sums *s, const double w[4])
{
	count(c, t, 1);
	for (int k = 0; k < NAIVE_KINDS; k++) {
		const struct naive_object *o = naive_object_of(c, t->job, k);
		t->f[k] = o ? functional_share(c, o, o->active) : 0.0;
		if (o && (!c->share_functional || o->active <= 1))
			s->kind[k] += t->f[k];
	}
	s->job += t->job->jobshare;
	t->F = functional_value(c, t, s, w);
}

static void functional_leftovers(struct category *g, size_t n, bool dependent)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 1; k < g[i].n; k++) {
			g[i].tasks[k]->F = g[i].tasks[0]->F;
			if (dependent)
				g[i].tasks[k]->acc += g[i].tasks[k]->F;
		}
}

static void functional_pending(struct naive_cell *c, struct naive_task **pending, size_t n, bool dependent, struct naive_sums s)
{
	double w[4];
	struct category *g = calloc(n, sizeof(*g));
	struct naive_task **winners = calloc(n, sizeof(*winners));
	size_t categories = categories_build(c, pending, n, false, dependent, g), left = 0, won = 0;
	functional_weights(c, NULL, w);
	for (size_t i = 0; i < categories; i++)
		left += g[i].n;
	size_t rounds = c->max_functional < left ? c->max_functional : left;
	for (size_t round = 0; round < rounds; round++) {
		for (size_t i = 0; i < categories; i++)
			if (g[i].n)
				functional_estimate(c, &g[i], &s, w);
		struct category *best = functional_winner(g, categories, dependent);
		struct naive_task *t = category_pop(best);
		if (best->n) {
			best->tasks[0]->F = t->F;
			memcpy(best->tasks[0]->f, t->f, sizeof(t->f));
		}
		functional_settle(c, t, &s, w);
		winners[won++] = t;
	}
	for (size_t i = 0; i < won; i++) {
		count(c, winners[i], -1);
		if (dependent)
			winners[i]->acc += winners[i]->F;
	}
	functional_leftovers(g, rounds ? categories : 0, dependent);
	free(winners);
	categories_free(g, categories);
}

/* Override */

static double override_value(const struct naive_cell *c, const struct naive_job *job, uint32_t more)
{
	double sum = 0.0;
	for (int k = 0; k < NAIVE_KINDS; k++) {
		const struct naive_object *o = naive_object_of(c, job, k);
		if (!o || o->oticket == 0)
			continue;
		if (!c->share_override)
			sum += o->oticket;
		else if (o->active + more > 0)
			sum += (double)o->oticket / (o->active + more);
	}
	return sum + job->override_tickets;
}

static void override_pending_shared(struct naive_cell *c, struct naive_task **pending, size_t n, bool dependent)
{
	struct category *g = calloc(n + 1, sizeof(*g));
	struct naive_task **winners = calloc(n + 1, sizeof(*winners));
	size_t categories = categories_build(c, pending, n, true, dependent, g), won = 0;
	for (;;) {
		struct category *best = NULL;
		for (size_t i = 0; i < categories; i++) {
			if (g[i].n == 0)
				continue;
			struct naive_task *t = g[i].tasks[0], *b = best ? best->tasks[0] : NULL;
			t->O = override_value(c, t->job, 1);
			if (!b || t->O > b->O || (t->O == b->O && smaller(t, b)))
				best = &g[i];
		}
		if (!best)
			break;
		struct naive_task *t = category_pop(best);
		count(c, t, 1);
		t->acc += t->O;
		winners[won++] = t;
	}
	for (size_t i = 0; i < won; i++)
		count(c, winners[i], -1);
	free(winners);
	categories_free(g, categories);
}

static void override_pending(struct naive_cell *c, struct naive_task **pending, size_t n, bool dependent)
{
	if (c->share_override) {
		override_pending_shared(c, pending, n, dependent);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		pending[i]->O = override_value(c, pending[i]->job, 0);
		if (dependent)
			pending[i]->acc += pending[i]->O;
	}
}

/* One call, one run */

static void policy_apply(struct naive_cell *c, char letter, bool dependent, struct naive_task **all, size_t nrunning, size_t npending,
			 struct naive_sums s)
{
	if (letter == 'S' && c->T_share > 0 && c->root)
		naive_tree_pending(c, all, nrunning + npending, dependent);
	if (letter == 'F' && c->T_func > 0 && npending)
		functional_pending(c, all + nrunning, npending, dependent, s);
	if (letter == 'O')
		override_pending(c, all + nrunning, npending, dependent);
}

static double tickets_total(struct naive_task **tasks, size_t n)
{
	double sum = 0.0;
	for (size_t i = 0; i < n; i++) {
		tasks[i]->tix = tasks[i]->S + tasks[i]->F + tasks[i]->O;
		sum += tasks[i]->tix;
	}
	for (size_t i = 0; i < n; i++)
		tasks[i]->share = tasks[i]->tix > 0 ? tasks[i]->tix / sum : 0.0;
	return sum;
}

void naive_calc(struct naive_cell *c, struct naive_task **running, size_t nrunning, struct naive_task **pending, size_t npending)
{
	struct naive_task **all = calloc(nrunning + npending + 1, sizeof(*all));
	struct naive_sums s = { .job = 0.0 };
	for (int k = 0; k < NAIVE_KINDS; k++)
		for (size_t i = 0; i < c->nobjects[k]; i++)
			c->objects[k][i].active = 0;
	for (size_t i = 0; i < nrunning + npending; i++) {
		all[i] = i < nrunning ? running[i] : pending[i - nrunning];
		all[i]->S = all[i]->F = all[i]->O = all[i]->acc = 0.0;
		all[i]->node = NULL;
		if (i < nrunning)
			count(c, all[i], 1);
	}
	if (c->root)
		naive_tree_prepare(c, all, nrunning + npending);
	if (c->root && c->T_share > 0)
		naive_tree_running(c, running, nrunning);
	if (c->T_func > 0)
		functional_running(c, running, nrunning, &s);
	for (size_t i = 0; i < nrunning; i++)
		running[i]->O = override_value(c, running[i]->job, 0);
	for (const char *p = c->hierarchy; *p; p++)
		policy_apply(c, *p, true, all, nrunning, npending, s);
	for (const char *p = "OFS"; *p; p++)
		if (!strchr(c->hierarchy, *p))
			policy_apply(c, *p, false, all, nrunning, npending, s);
	c->running_tickets = tickets_total(running, nrunning);
	if (npending)
		c->pending_tickets = tickets_total(pending, npending);
	free(all);
}

static double largest(struct naive_task **tasks, size_t n, double max)
{
	for (size_t i = 0; i < n; i++)
		max = tasks[i]->tix > max ? tasks[i]->tix : max;
	return max;
}

void naive_run(struct naive_cell *c)
{
	size_t nrunning = 0, npending = 0;
	for (size_t j = 0; j < c->njobs; j++) {
		nrunning += c->jobs[j].nrunning;
		npending += c->jobs[j].npending;
	}
	struct naive_task **running = calloc(nrunning + 1, sizeof(*running)), **pending = calloc(npending + 1, sizeof(*pending));
	nrunning = npending = 0;
	for (struct naive_job *job = c->jobs; job < c->jobs + c->njobs; job++) {
		for (size_t i = 0; i < job->nrunning; i++)
			running[nrunning++] = &job->running[i];
		for (size_t i = 0; i < job->npending; i++)
			pending[npending++] = &job->pending[i];
	}
	c->pending_tickets = 0.0;
	naive_urgency(c);
	naive_calc(c, running, nrunning, pending, npending);
	double max = largest(pending, npending, largest(running, nrunning, -1.0));
	for (size_t i = 0; i < nrunning; i++)
		running[i]->total_a = running[i]->tix;
	if (c->root)
		naive_tree_remember(c->root);
	naive_calc(c, running, nrunning, NULL, 0);
	max = largest(running, nrunning, max);
	c->max_tix = max == -1.0 ? 0.0 : max;
	naive_normalize(c, running, nrunning);
	naive_normalize(c, pending, npending);
	free(running);
	free(pending);
}
