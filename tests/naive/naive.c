/* SPDX-License-Identifier: Apache-2.0 */
/* Functional and override tickets, the two calls, and their results. */
#include <stdlib.h>
#include <string.h>

#include "tests/naive/naive.h"

struct naive_object *naive_object_of(const struct naive_cell *cell, const struct naive_job *job, int kind)
{
	int index = kind == NAIVE_USER ? job->user : kind == NAIVE_PROJECT ? job->project : job->department;
	return index < 0 ? NULL : &cell->objects[kind][index];
}

static void count(const struct naive_cell *cell, const struct naive_task *task, int step)
{
	for (int k = 0; k < NAIVE_KINDS; k++) {
		struct naive_object *object = naive_object_of(cell, task->job, k);
		if (object)
			object->active += (uint32_t)step;
	}
}

/* Compare by earlier submission, smaller job number, smaller task id. */
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

static double functional_value(const struct naive_cell *cell, const struct naive_task *task,
			       const struct naive_sums *sums, const double w[4])
{
	double part[NAIVE_KINDS];
	for (int k = 0; k < NAIVE_KINDS; k++) {
		bool has = naive_object_of(cell, task->job, k) && sums->kind[k] != 0;
		part[k] = has ? task->f[k] * cell->T_func / sums->kind[k] : 0.0;
	}
	double job = sums->job != 0 ? task->job->jobshare * cell->T_func / sums->job : 0.0;
	return w[0] * part[NAIVE_USER] + w[1] * part[NAIVE_DEPARTMENT] + w[2] * part[NAIVE_PROJECT] + w[3] * job;
}

static void functional_weights(const struct naive_cell *cell, const struct naive_sums *used, double w[4])
{
	w[0] = !used || used->kind[NAIVE_USER] > 0 ? cell->w_user : 0.0;
	w[1] = !used || used->kind[NAIVE_DEPARTMENT] > 0 ? cell->w_dept : 0.0;
	w[2] = !used || used->kind[NAIVE_PROJECT] > 0 ? cell->w_proj : 0.0;
	w[3] = !used || used->job > 0 ? cell->w_job : 0.0;
	double K = w[0] + w[1] + w[2] + w[3];
	for (int i = 0; i < 4 && K > 0; i++)
		w[i] /= K;
}

static double functional_share(const struct naive_cell *cell, const struct naive_object *object, uint32_t count)
{
	return cell->share_functional ? (double)object->fshare / count : (double)object->fshare;
}

static void functional_running(const struct naive_cell *cell, struct naive_task **running, size_t n,
			       struct naive_sums *sums)
{
	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < NAIVE_KINDS; k++) {
			const struct naive_object *object = naive_object_of(cell, running[i]->job, k);
			running[i]->f[k] = object ? functional_share(cell, object, object->active) : 0.0;
			sums->kind[k] += running[i]->f[k];
		}
		sums->job += running[i]->job->jobshare;
	}
	double w[4];
	functional_weights(cell, sums, w);
	for (size_t i = 0; i < n; i++)
		running[i]->F = functional_value(cell, running[i], sums, w);
}

/* Categories: tasks that are equal for a policy, in sequence */

struct category {
	/* Object index + 1 if it has a value, and the job's own value. */
	uint32_t key[NAIVE_KINDS + 1];
	struct naive_task **tasks;
	size_t n;
};

static void category_key(const struct naive_cell *cell, const struct naive_job *job, bool override,
			 uint32_t key[NAIVE_KINDS + 1])
{
	for (int k = 0; k < NAIVE_KINDS; k++) {
		const struct naive_object *object = naive_object_of(cell, job, k);
		key[k] = object && (override ? object->oticket : object->fshare) > 0
				 ? (uint32_t)(object - cell->objects[k]) + 1
				 : 0;
	}
	key[NAIVE_KINDS] = override ? job->override_tickets : job->jobshare;
}

static void category_insert(struct category *category, struct naive_task *task, bool dependent)
{
	size_t at = category->n++;
	for (; dependent && at > 0; at--) {
		const struct naive_task *before = category->tasks[at - 1];
		if (before->acc > task->acc || (before->acc == task->acc && older(before, task)))
			break;
		category->tasks[at] = category->tasks[at - 1];
	}
	category->tasks[at] = task;
}

static size_t categories_build(const struct naive_cell *cell, struct naive_task **pending, size_t n, bool override,
			       bool dependent, struct category *out)
{
	static const uint32_t nothing[NAIVE_KINDS + 1];
	size_t categories = 0, g;
	for (size_t i = 0; i < n; i++) {
		uint32_t key[NAIVE_KINDS + 1];
		category_key(cell, pending[i]->job, override, key);
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

static struct naive_task *category_pop(struct category *category)
{
	struct naive_task *head = category->tasks[0];
	memmove(category->tasks, category->tasks + 1, --category->n * sizeof(*category->tasks));
	return head;
}

static void categories_free(struct category *category, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(category[i].tasks);
	free(category);
}

/* Functional, pending */

static void functional_estimate(const struct naive_cell *cell, const struct category *category,
				const struct naive_sums *sums, const double w[4])
{
	struct naive_task *task = category->tasks[0];
	struct naive_sums local = { .job = sums->job + 0.001 };
	for (int k = 0; k < NAIVE_KINDS; k++) {
		local.kind[k] = sums->kind[k] + 0.001;
		task->f[k] = 0.0;
		if (category->key[k] == 0)
			continue;
		const struct naive_object *object = &cell->objects[k][category->key[k] - 1];
		task->f[k] = functional_share(cell, object, object->active + 1);
		if (!cell->share_functional)
			local.kind[k] += task->f[k];
	}
	local.job += task->job->jobshare;
	task->F = functional_value(cell, task, &local, w);
}

static struct category *functional_winner(struct category *category, size_t n, bool dependent)
{
	struct category *best = NULL;
	double best_value = -1.0;
	for (size_t i = 0; i < n; i++) {
		if (category[i].n == 0)
			continue;
		const struct naive_task *task = category[i].tasks[0];
		double v = dependent ? task->F + task->acc : task->F;
		if (v >= best_value && (!best || v > best_value || older(task, best->tasks[0]))) {
			best = &category[i];
			best_value = v;
		}
	}
	return best;
}

static void functional_settle(const struct naive_cell *cell, struct naive_task *task, struct naive_sums *sums,
			      const double w[4])
{
	count(cell, task, 1);
	for (int k = 0; k < NAIVE_KINDS; k++) {
		const struct naive_object *object = naive_object_of(cell, task->job, k);
		task->f[k] = object ? functional_share(cell, object, object->active) : 0.0;
		if (object && (!cell->share_functional || object->active <= 1))
			sums->kind[k] += task->f[k];
	}
	sums->job += task->job->jobshare;
	task->F = functional_value(cell, task, sums, w);
}

static void functional_leftovers(struct category *category, size_t n, bool dependent)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 1; k < category[i].n; k++) {
			category[i].tasks[k]->F = category[i].tasks[0]->F;
			if (dependent)
				category[i].tasks[k]->acc += category[i].tasks[k]->F;
		}
}

static void functional_pending(struct naive_cell *cell, struct naive_task **pending, size_t n, bool dependent,
			       struct naive_sums sums)
{
	double w[4];
	struct category *category = calloc(n, sizeof(*category));
	struct naive_task **winners = calloc(n, sizeof(*winners));
	size_t categories = categories_build(cell, pending, n, false, dependent, category), left = 0, won = 0;
	functional_weights(cell, NULL, w);
	for (size_t i = 0; i < categories; i++)
		left += category[i].n;
	size_t rounds = cell->max_functional < left ? cell->max_functional : left;
	for (size_t round = 0; round < rounds; round++) {
		for (size_t i = 0; i < categories; i++)
			if (category[i].n)
				functional_estimate(cell, &category[i], &sums, w);
		struct category *best = functional_winner(category, categories, dependent);
		struct naive_task *task = category_pop(best);
		if (best->n) {
			best->tasks[0]->F = task->F;
			memcpy(best->tasks[0]->f, task->f, sizeof(task->f));
		}
		functional_settle(cell, task, &sums, w);
		winners[won++] = task;
	}
	for (size_t i = 0; i < won; i++) {
		count(cell, winners[i], -1);
		if (dependent)
			winners[i]->acc += winners[i]->F;
	}
	functional_leftovers(category, rounds ? categories : 0, dependent);
	free(winners);
	categories_free(category, categories);
}

/* Override */

static double override_value(const struct naive_cell *cell, const struct naive_job *job, uint32_t more)
{
	double sum = 0.0;
	for (int k = 0; k < NAIVE_KINDS; k++) {
		const struct naive_object *object = naive_object_of(cell, job, k);
		if (!object || object->oticket == 0)
			continue;
		if (!cell->share_override)
			sum += object->oticket;
		else if (object->active + more > 0)
			sum += (double)object->oticket / (object->active + more);
	}
	return sum + job->override_tickets;
}

static void override_pending_shared(struct naive_cell *cell, struct naive_task **pending, size_t n, bool dependent)
{
	struct category *category = calloc(n + 1, sizeof(*category));
	struct naive_task **winners = calloc(n + 1, sizeof(*winners));
	size_t categories = categories_build(cell, pending, n, true, dependent, category), won = 0;
	for (;;) {
		struct category *best = NULL;
		for (size_t i = 0; i < categories; i++) {
			if (category[i].n == 0)
				continue;
			struct naive_task *task = category[i].tasks[0], *naive_task = best ? best->tasks[0] : NULL;
			task->O = override_value(cell, task->job, 1);
			if (!naive_task || task->O > naive_task->O ||
			    (task->O == naive_task->O && smaller(task, naive_task)))
				best = &category[i];
		}
		if (!best)
			break;
		struct naive_task *task = category_pop(best);
		count(cell, task, 1);
		task->acc += task->O;
		winners[won++] = task;
	}
	for (size_t i = 0; i < won; i++)
		count(cell, winners[i], -1);
	free(winners);
	categories_free(category, categories);
}

static void override_pending(struct naive_cell *cell, struct naive_task **pending, size_t n, bool dependent)
{
	if (cell->share_override) {
		override_pending_shared(cell, pending, n, dependent);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		pending[i]->O = override_value(cell, pending[i]->job, 0);
		if (dependent)
			pending[i]->acc += pending[i]->O;
	}
}

/* Call of a run */

static void policy_apply(struct naive_cell *cell, char letter, bool dependent, struct naive_task **all, size_t nrunning,
			 size_t npending, struct naive_sums sums)
{
	if (letter == 'S' && cell->T_share > 0 && cell->root)
		naive_tree_pending(cell, all, nrunning + npending, dependent);
	if (letter == 'F' && cell->T_func > 0 && npending)
		functional_pending(cell, all + nrunning, npending, dependent, sums);
	if (letter == 'O')
		override_pending(cell, all + nrunning, npending, dependent);
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

void naive_calc(struct naive_cell *cell, struct naive_task **running, size_t nrunning, struct naive_task **pending,
		size_t npending)
{
	struct naive_task **all = calloc(nrunning + npending + 1, sizeof(*all));
	struct naive_sums sums = { .job = 0.0 };
	for (int k = 0; k < NAIVE_KINDS; k++)
		for (size_t i = 0; i < cell->nobjects[k]; i++)
			cell->objects[k][i].active = 0;
	for (size_t i = 0; i < nrunning + npending; i++) {
		all[i] = i < nrunning ? running[i] : pending[i - nrunning];
		all[i]->S = all[i]->F = all[i]->O = all[i]->acc = 0.0;
		all[i]->node = NULL;
		if (i < nrunning)
			count(cell, all[i], 1);
	}
	if (cell->root)
		naive_tree_prepare(cell, all, nrunning + npending);
	if (cell->root && cell->T_share > 0)
		naive_tree_running(cell, running, nrunning);
	if (cell->T_func > 0)
		functional_running(cell, running, nrunning, &sums);
	for (size_t i = 0; i < nrunning; i++)
		running[i]->O = override_value(cell, running[i]->job, 0);
	for (const char *p = cell->hierarchy; *p; p++)
		policy_apply(cell, *p, true, all, nrunning, npending, sums);
	for (const char *p = "OFS"; *p; p++)
		if (!strchr(cell->hierarchy, *p))
			policy_apply(cell, *p, false, all, nrunning, npending, sums);
	cell->running_tickets = tickets_total(running, nrunning);
	if (npending)
		cell->pending_tickets = tickets_total(pending, npending);
	free(all);
}

static double largest(struct naive_task **tasks, size_t n, double max)
{
	for (size_t i = 0; i < n; i++)
		max = tasks[i]->tix > max ? tasks[i]->tix : max;
	return max;
}

void naive_run(struct naive_cell *cell)
{
	size_t nrunning = 0, npending = 0;
	for (size_t j = 0; j < cell->njobs; j++) {
		nrunning += cell->jobs[j].nrunning;
		npending += cell->jobs[j].npending;
	}
	struct naive_task **running = calloc(nrunning + 1, sizeof(*running)),
			  **pending = calloc(npending + 1, sizeof(*pending));
	nrunning = npending = 0;
	for (struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++) {
		for (size_t i = 0; i < job->nrunning; i++)
			running[nrunning++] = &job->running[i];
		for (size_t i = 0; i < job->npending; i++)
			pending[npending++] = &job->pending[i];
	}
	cell->pending_tickets = 0.0;
	naive_urgency(cell);
	naive_calc(cell, running, nrunning, pending, npending);
	double max = largest(pending, npending, largest(running, nrunning, -1.0));
	for (size_t i = 0; i < nrunning; i++)
		running[i]->total_a = running[i]->tix;
	if (cell->root)
		naive_tree_remember(cell->root);
	naive_calc(cell, running, nrunning, NULL, 0);
	max = largest(running, nrunning, max);
	cell->max_tix = max == -1.0 ? 0.0 : max;
	naive_normalize(cell, running, nrunning);
	naive_normalize(cell, pending, npending);
	free(running);
	free(pending);
}
