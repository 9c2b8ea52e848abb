/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test cell computed by the real policies: columns and classes are made from it, and the results
 * are stored in it.
 */
#include <stdlib.h>
#include <string.h>

#include "shm/workers.h"
#include "tests/naive/cells.h"
#include "tickets/sharetree.h"
#include "tickets/calculate.h"
#include "urgency/normalize.h"
#include "urgency/urgency.h"

struct column {				/* tasks in job list order */
	struct naive_task **of;
	size_t n;
	uint32_t *class_id, *job, *weight;
};

struct real {
	struct naive_cell *c;
	struct ticket_params params;
	struct sharers sharers;
	struct ticket_classes classes;
	uint32_t *order;
	struct share_tree tree;
	struct naive_node **nodes;	/* the configured ones, in pre-order */
	size_t nnodes;
	struct column running, pending;
	struct tickets *running_tickets;
	uint32_t *position;		/* by pending task: position in the following arrays, class by class */
	uint32_t *job, *weight, *age, *number;
	double *results;		/* four columns */
};

/* In */

static void column_fill(struct column *col, struct naive_cell *cell, bool pending)
{
	size_t n = 0;
	for (size_t j = 0; j < cell->njobs; j++)
		n += pending ? cell->jobs[j].npending : cell->jobs[j].nrunning;
	*col = (struct column){ calloc(n + 1, sizeof(*col->of)), n, calloc(n + 1, 4), calloc(n + 1, 4),
				calloc(n + 1, 4) };
	size_t i = 0;
	for (struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++)
		for (size_t k = 0; k < (pending ? job->npending : job->nrunning); k++, i++) {
			col->of[i] = pending ? &job->pending[k] : &job->running[k];
			col->job[i] = (uint32_t)(job - cell->jobs);
			col->weight[i] = job->slots;
		}
}

static void column_free(struct column *col)
{
	void *all[] = { col->of, col->class_id, col->job, col->weight };
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		free(all[i]);
}

/* Return the number of jobs before each job, or NULL if they are in that order already. */
static uint32_t *ranks(const struct naive_cell *cell, bool by_age)
{
	uint32_t *rank = calloc(cell->njobs + 1, sizeof(*rank));
	bool in_order = true;
	for (size_t i = 0; i < cell->njobs; i++) {
		for (size_t k = 0; k < cell->njobs; k++) {
			bool older = by_age && cell->jobs[k].submit != cell->jobs[i].submit
					     ? cell->jobs[k].submit < cell->jobs[i].submit
					     : cell->jobs[k].number < cell->jobs[i].number;
			rank[i] += older;
		}
		in_order = in_order && rank[i] == i;
	}
	if (!in_order)
		return rank;
	free(rank);
	return NULL;
}

static void pending_fill(struct real *real)
{
	size_t n = real->pending.n;
	uint32_t begin = 0, *next = calloc(real->classes.n + 1, 4);
	real->position = calloc(n + 1, 4);
	real->job = calloc(n + 1, 4);
	real->weight = calloc(n + 1, 4);
	real->results = calloc(4 * n + 1, sizeof(double));
	real->age = ranks(real->c, true);
	real->number = ranks(real->c, false);
	for (size_t i = 0; i < real->classes.n; i++) {
		next[i] = real->classes.items[i].begin = begin;
		begin += real->classes.items[i].pending;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t at = real->position[i] = next[real->pending.class_id[i]]++;
		real->job[at] = real->pending.job[i];
		real->weight[at] = real->pending.weight[i];
	}
	free(next);
}

static uint32_t index_or_none(int index)
{
	return index < 0 ? TICKETS_NONE : (uint32_t)index;
}

static uint32_t class_of(struct real *real, const struct naive_job *job)
{
	struct ticket_class wanted = { .sharer = { index_or_none(job->user), index_or_none(job->project),
						   index_or_none(job->department) },
				       .node = TICKETS_NONE,
				       .jobshare = job->jobshare,
				       .override_tickets = job->override_tickets };
	struct ticket_class *items = real->classes.items;
	for (size_t i = 0; i < real->classes.n; i++)
		if (memcmp(items[i].sharer, wanted.sharer, sizeof(wanted.sharer)) == 0 &&
		    items[i].jobshare == wanted.jobshare && items[i].override_tickets == wanted.override_tickets)
			return (uint32_t)i;
	items[real->classes.n] = wanted;
	return (uint32_t)real->classes.n++;
}

static void classes_count(struct real *real, struct column *col, bool pending)
{
	for (size_t i = 0; i < col->n; i++) {
		struct ticket_class *class = &real->classes.items[col->class_id[i] = class_of(real, col->of[i]->job)];
		if (pending && class->pending == 0)
			real->order[real->classes.norder++] = col->class_id[i];
		*(pending ? &class->pending : &class->running) += 1;
	}
}

static void sharers_fill(struct real *real)
{
	for (int k = 0; k < NAIVE_KINDS; k++) {
		size_t n = real->c->nobjects[k];
		real->sharers.n[k] = n;
		real->sharers.items[k] = calloc(n + 1, sizeof(struct sharer));
		for (size_t i = 0; i < n; i++) {
			real->sharers.items[k][i].oticket = real->c->objects[k][i].oticket;
			real->sharers.items[k][i].fshare = real->c->objects[k][i].fshare;
		}
	}
}

static void params_fill(struct real *real)
{
	const struct naive_cell *cell = real->c;
	real->params = (struct ticket_params){ cell->T_share,
					       cell->T_func,
					       cell->w_user,
					       cell->w_proj,
					       cell->w_dept,
					       cell->w_job,
					       cell->CF,
					       cell->share_functional,
					       cell->share_override,
					       cell->max_functional,
					       "" };
	strncpy(real->params.policy_hierarchy, cell->hierarchy, sizeof(real->params.policy_hierarchy) - 1);
}

/* Share tree */

static uint32_t object_named(const struct naive_cell *cell, int kind, const char *name)
{
	for (size_t i = 0; i < cell->nobjects[kind]; i++)
		if (strcmp(cell->objects[kind][i].name, name) == 0)
			return (uint32_t)i;
	return TICKETS_NONE;
}

static size_t nodes_count(const struct naive_node *node)
{
	size_t n = 1;
	for (const struct naive_node *child = node->child; child; child = child->next)
		n += nodes_count(child);
	return n;
}

static void nodes_fill(struct real *real, struct share_tree_node *out, struct naive_node *node, uint32_t parent)
{
	uint32_t me = (uint32_t)real->nnodes++;
	real->nodes[me] = node;
	out[me] = (struct share_tree_node){ parent, object_named(real->c, NAIVE_USER, node->name),
					    object_named(real->c, NAIVE_PROJECT, node->name), node->shares,
					    strcmp(node->name, "default") == 0 };
	for (struct naive_node *child = node->child; child; child = child->next)
		nodes_fill(real, out, child, me);
}

static int tree_build(struct real *real)
{
	size_t n = nodes_count(real->c->root);
	struct share_tree_node *out = calloc(n, sizeof(*out));
	real->nodes = calloc(n, sizeof(struct naive_node *));
	nodes_fill(real, out, real->c->root, TICKETS_NONE);
	int rc = sharetree_build(&real->tree, out, n, real->c->nobjects[NAIVE_PROJECT]);
	free(out);
	return rc;
}

/* Assign nodes in the order of the tasks, which is the order of copies of `default`. */
static int tree_assign(struct real *real, const struct column *col)
{
	int rc = 0;
	for (size_t i = 0; i < col->n && rc == 0; i++) {
		struct ticket_class *class = &real->classes.items[col->class_id[i]];
		if (class->node == TICKETS_NONE)
			rc = sharetree_assign(&real->tree, class->sharer[SHARER_USER], class->sharer[SHARER_PROJECT],
					      &class->node);
	}
	return rc;
}

static double user_usage(void *context, uint32_t user)
{
	return ((struct naive_cell *)context)->objects[NAIVE_USER][user].usage;
}

static double user_in_project_usage(void *context, uint32_t user, uint32_t project)
{
	return ((struct naive_cell *)context)->objects[NAIVE_USER][user].usage_in[project];
}

static double project_usage(void *context, uint32_t project)
{
	return ((struct naive_cell *)context)->objects[NAIVE_PROJECT][project].usage;
}

/* Out */

static void node_result(struct naive_node *to, const struct share_node *from)
{
	to->refs = from->refs;
	to->refs_a = from->job_count;
	to->usage = from->usage;
	to->stt = from->stt;
	to->oltt = from->oltt;
	to->ostt = from->ostt;
	to->acp = from->ostt;
	to->acp_a = from->short_target_share;
	to->m_share_a = from->long_target_share;
}

static void tree_results(struct real *real)
{
	for (size_t i = 0; i < real->tree.n; i++) {
		const struct share_node *from = &real->tree.nodes[i];
		struct naive_node *to = i < real->nnodes ? real->nodes[i] : NULL;
		if (!to) {
			to = naive_node_new(real->c->objects[NAIVE_USER][from->user].name, from->shares,
					    real->nodes[from->parent]);
			to->temporary = true;
		}
		node_result(to, from);
	}
}

static void task_result(const struct naive_cell *cell, struct naive_task *task, double S, double F, double O,
			double sum)
{
	task->S = S;
	task->F = F;
	task->O = O;
	task->tix = S + F + O;
	task->share = task->tix > 0 && sum > 0 ? task->tix / sum : 0.0;
	task->ntix = normalize(task->tix, 0.0, cell->max_tix);
	task->prio = normalize_prio(cell->weight_urgency,
				    cell->weight_urgency != 0 || cell->report_pending ? task->job->nurg : 0.5,
				    cell->weight_ticket, task->ntix, cell->weight_priority,
				    cell->weight_priority != 0 || cell->report_pending ? task->job->npprior : 0.5);
}

static void results(struct real *real, const struct pending_tasks *pending, const struct ticket_totals *totals)
{
	struct naive_cell *cell = real->c;
	cell->max_tix = totals->max;
	cell->running_tickets = totals->running;
	cell->pending_tickets = 0.0;
	for (size_t i = 0; i < real->pending.n; i++)
		cell->pending_tickets += pending_total(pending, real->position[i]);
	for (size_t i = 0; i < real->running.n; i++) {
		const struct ticket_class *class = &real->classes.items[real->running.class_id[i]];
		task_result(cell, real->running.of[i], class->running_tickets.share_tree,
			    class->running_tickets.functional, class->running_tickets.override, totals->running);
	}
	for (size_t i = 0; i < real->pending.n; i++) {
		uint32_t at = real->position[i];
		task_result(cell, real->pending.of[i], pending->share_tree[at], pending->functional[at],
			    pending->override[at], cell->pending_tickets);
	}
	if (cell->root)
		tree_results(real);
}

/* Urgency */

static void urgency(struct naive_cell *cell)
{
	const struct urgency_params params = { .weight_waiting_time = cell->weight_waiting_time,
					       .weight_deadline = cell->weight_deadline,
					       .now = cell->now };
	struct urgency_spread spread = urgency_spread_start;
	for (struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++) {
		const struct urgency_inputs inputs = { .submission = job->submit,
						       .deadline = job->deadline,
						       .rrcontr = job->rrcontr };
		const struct urgency_contributions contributions = urgency_contributions(&params, &inputs);

		job->wtcontr = contributions.wtcontr;
		job->dlcontr = contributions.dlcontr;
		if (job->nrunning + job->npending)
			urgency_widen(&spread, job->urg = contributions.urg);
	}
	cell->urg_min = spread.min;
	cell->urg_max = spread.max;
	for (struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++) {
		job->nurg = normalize(job->urg, spread.min, spread.max);
		job->npprior = normalize_posix(job->priority);
	}
}

static struct workers *workers;

void real_workers(unsigned n)
{
	workers_destroy(workers);
	workers = NULL;
	if (n > 1 && workers_create(&workers, n) != 0)
		abort();
}

static void share_work(void *self, void (*item)(void *context, size_t i), void *context, size_t items)
{
	workers_run(self, item, context, items);
}

uint64_t real_run(struct naive_cell *cell)
{
	struct real real = { .c = cell };
	struct ticket_scratch scratch = { .workers = { workers ? share_work : NULL, workers } };
	struct ticket_totals totals;
	const struct sharetree_sources sources = { user_usage, user_in_project_usage, project_usage, cell };
	urgency(cell);
	params_fill(&real);
	sharers_fill(&real);
	column_fill(&real.running, cell, false);
	column_fill(&real.pending, cell, true);
	real.classes.items = calloc(cell->njobs + 1, sizeof(*real.classes.items));
	real.classes.order = real.order = calloc(cell->njobs + 1, sizeof(*real.order));
	classes_count(&real, &real.running, false);
	classes_count(&real, &real.pending, true);
	int rc = cell->root ? tree_build(&real) : 0;
	if (cell->root && rc == 0 && (rc = tree_assign(&real, &real.running)) == 0 &&
	    (rc = tree_assign(&real, &real.pending)) == 0)
		sharetree_usage(&real.tree, &sources);
	pending_fill(&real);
	real.running_tickets = calloc(real.running.n + 1, sizeof(*real.running_tickets));
	size_t n = real.pending.n;
	struct ticket_tasks running = { real.running.n, real.running.class_id, real.running.weight,
					real.running_tickets };
	struct pending_tasks pending = { n,
					 real.job,
					 real.weight,
					 real.age,
					 real.number,
					 real.results,
					 real.results + n,
					 real.results + 2 * n,
					 real.results + 3 * n };
	if (rc == 0)
		rc = tickets_calculate(&real.params, &real.sharers, &real.classes, cell->root ? &real.tree : NULL,
				       &running, &pending, &scratch, &totals);
	if (rc != 0)
		abort();
	results(&real, &pending, &totals);
	for (int k = 0; k < NAIVE_KINDS; k++)
		free(real.sharers.items[k]);
	if (cell->root)
		sharetree_free(&real.tree);
	ticket_scratch_free(&scratch);
	column_free(&real.running);
	column_free(&real.pending);
	free(real.classes.items);
	free(real.order);
	free(real.nodes);
	free(real.running_tickets);
	free(real.position);
	free(real.job);
	free(real.weight);
	free(real.age);
	free(real.number);
	free(real.results);
	return totals.clamped;
}
