/* SPDX-License-Identifier: Apache-2.0 */
/* A test cell through the real policies: columns and classes made from it, the results put back. */
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
	uint32_t *position;		/* of each pending task in what follows: class by class */
	uint32_t *job, *weight, *age, *number;
	double *results;		/* four columns */
};

/* In */

static void column_fill(struct column *col, struct naive_cell *c, bool pending)
{
	size_t n = 0;
	for (size_t j = 0; j < c->njobs; j++)
		n += pending ? c->jobs[j].npending : c->jobs[j].nrunning;
	*col = (struct column){ calloc(n + 1, sizeof(*col->of)), n, calloc(n + 1, 4), calloc(n + 1, 4), calloc(n + 1, 4) };
	size_t i = 0;
	for (struct naive_job *job = c->jobs; job < c->jobs + c->njobs; job++)
		for (size_t k = 0; k < (pending ? job->npending : job->nrunning); k++, i++) {
			col->of[i] = pending ? &job->pending[k] : &job->running[k];
			col->job[i] = (uint32_t)(job - c->jobs);
			col->weight[i] = job->slots;
		}
}

static void column_free(struct column *col)
{
	void *all[] = { col->of, col->class_id, col->job, col->weight };
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		free(all[i]);
}

/* How many jobs come before each; NULL when they are in that order already. */
static uint32_t *ranks(const struct naive_cell *c, bool by_age)
{
	uint32_t *rank = calloc(c->njobs + 1, sizeof(*rank));
	bool in_order = true;
	for (size_t i = 0; i < c->njobs; i++) {
		for (size_t k = 0; k < c->njobs; k++) {
			bool older = by_age && c->jobs[k].submit != c->jobs[i].submit ? c->jobs[k].submit < c->jobs[i].submit :
				     c->jobs[k].number < c->jobs[i].number;
			rank[i] += older;
		}
		in_order = in_order && rank[i] == i;
	}
	if (!in_order)
		return rank;
	free(rank);
	return NULL;
}

static void pending_fill(struct real *r)
{
	size_t n = r->pending.n;
	uint32_t begin = 0, *next = calloc(r->classes.n + 1, 4);
	r->position = calloc(n + 1, 4);
	r->job = calloc(n + 1, 4);
	r->weight = calloc(n + 1, 4);
	r->results = calloc(4 * n + 1, sizeof(double));
	r->age = ranks(r->c, true);
	r->number = ranks(r->c, false);
	for (size_t i = 0; i < r->classes.n; i++) {
		next[i] = r->classes.items[i].begin = begin;
		begin += r->classes.items[i].pending;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t at = r->position[i] = next[r->pending.class_id[i]]++;
		r->job[at] = r->pending.job[i];
		r->weight[at] = r->pending.weight[i];
	}
	free(next);
}

static uint32_t index_or_none(int index)
{
	return index < 0 ? TICKETS_NONE : (uint32_t)index;
}

static uint32_t class_of(struct real *r, const struct naive_job *job)
{
	struct ticket_class wanted = { .sharer = { index_or_none(job->user), index_or_none(job->project), index_or_none(job->department) },
				       .node = TICKETS_NONE, .jobshare = job->jobshare, .override_tickets = job->override_tickets };
	struct ticket_class *items = r->classes.items;
	for (size_t i = 0; i < r->classes.n; i++)
		if (memcmp(items[i].sharer, wanted.sharer, sizeof(wanted.sharer)) == 0 && items[i].jobshare == wanted.jobshare &&
		    items[i].override_tickets == wanted.override_tickets)
			return (uint32_t)i;
	items[r->classes.n] = wanted;
	return (uint32_t)r->classes.n++;
}

static void classes_count(struct real *r, struct column *col, bool pending)
{
	for (size_t i = 0; i < col->n; i++) {
		struct ticket_class *class = &r->classes.items[col->class_id[i] = class_of(r, col->of[i]->job)];
		if (pending && class->pending == 0)
			r->order[r->classes.norder++] = col->class_id[i];
		*(pending ? &class->pending : &class->running) += 1;
	}
}

static void sharers_fill(struct real *r)
{
	for (int k = 0; k < NAIVE_KINDS; k++) {
		size_t n = r->c->nobjects[k];
		r->sharers.n[k] = n;
		r->sharers.items[k] = calloc(n + 1, sizeof(struct sharer));
		for (size_t i = 0; i < n; i++) {
			r->sharers.items[k][i].oticket = r->c->objects[k][i].oticket;
			r->sharers.items[k][i].fshare = r->c->objects[k][i].fshare;
		}
	}
}

static void params_fill(struct real *r)
{
	const struct naive_cell *c = r->c;
	r->params = (struct ticket_params){ c->T_share, c->T_func, c->w_user, c->w_proj, c->w_dept, c->w_job, c->CF,
					    c->share_functional, c->share_override, c->max_functional, "" };
	strncpy(r->params.policy_hierarchy, c->hierarchy, sizeof(r->params.policy_hierarchy) - 1);
}

/* Share tree */

static uint32_t object_named(const struct naive_cell *c, int kind, const char *name)
{
	for (size_t i = 0; i < c->nobjects[kind]; i++)
		if (strcmp(c->objects[kind][i].name, name) == 0)
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

static void nodes_fill(struct real *r, struct share_tree_node *out, struct naive_node *node, uint32_t parent)
{
	uint32_t me = (uint32_t)r->nnodes++;
	r->nodes[me] = node;
	out[me] = (struct share_tree_node){ parent, object_named(r->c, NAIVE_USER, node->name),
					    object_named(r->c, NAIVE_PROJECT, node->name), node->shares,
					    strcmp(node->name, "default") == 0 };
	for (struct naive_node *child = node->child; child; child = child->next)
		nodes_fill(r, out, child, me);
}

static int tree_build(struct real *r)
{
	size_t n = nodes_count(r->c->root);
	struct share_tree_node *out = calloc(n, sizeof(*out));
	r->nodes = calloc(n, sizeof(struct naive_node *));
	nodes_fill(r, out, r->c->root, TICKETS_NONE);
	int rc = sharetree_build(&r->tree, out, n, r->c->nobjects[NAIVE_PROJECT]);
	free(out);
	return rc;
}

/* In the order in which the tasks come: copies of `default` stand in this order. */
static int tree_assign(struct real *r, const struct column *col)
{
	int rc = 0;
	for (size_t i = 0; i < col->n && rc == 0; i++) {
		struct ticket_class *class = &r->classes.items[col->class_id[i]];
		if (class->node == TICKETS_NONE)
			rc = sharetree_assign(&r->tree, class->sharer[SHARER_USER], class->sharer[SHARER_PROJECT], &class->node);
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

static void tree_results(struct real *r)
{
	for (size_t i = 0; i < r->tree.n; i++) {
		const struct share_node *from = &r->tree.nodes[i];
		struct naive_node *to = i < r->nnodes ? r->nodes[i] : NULL;
		if (!to) {
			to = naive_node_new(r->c->objects[NAIVE_USER][from->user].name, from->shares, r->nodes[from->parent]);
			to->temporary = true;
		}
		node_result(to, from);
	}
}

static void task_result(const struct naive_cell *c, struct naive_task *t, double S, double F, double O, double sum)
{
	t->S = S;
	t->F = F;
	t->O = O;
	t->tix = S + F + O;
	t->share = t->tix > 0 && sum > 0 ? t->tix / sum : 0.0;
	t->ntix = normalize(t->tix, 0.0, c->max_tix);
	t->prio = normalize_prio(c->weight_urgency, c->weight_urgency != 0 || c->report_pending ? t->job->nurg : 0.5, c->weight_ticket,
				 t->ntix, c->weight_priority,
				 c->weight_priority != 0 || c->report_pending ? t->job->npprior : 0.5);
}

static void results(struct real *r, const struct pending_tasks *pending, const struct ticket_totals *totals)
{
	struct naive_cell *c = r->c;
	c->max_tix = totals->max;
	c->running_tickets = totals->running;
	c->pending_tickets = 0.0;
	for (size_t i = 0; i < r->pending.n; i++)
		c->pending_tickets += pending_total(pending, r->position[i]);
	for (size_t i = 0; i < r->running.n; i++) {
		const struct ticket_class *class = &r->classes.items[r->running.class_id[i]];
		task_result(c, r->running.of[i], class->running_tickets.share_tree, class->running_tickets.functional, class->running_tickets.override, totals->running);
	}
	for (size_t i = 0; i < r->pending.n; i++) {
		uint32_t at = r->position[i];
		task_result(c, r->pending.of[i], pending->share_tree[at], pending->functional[at], pending->override[at], c->pending_tickets);
	}
	if (c->root)
		tree_results(r);
}

/* Urgency */

static void urgency(struct naive_cell *c)
{
	const struct urgency_params params = { .weight_waiting_time = c->weight_waiting_time, .weight_deadline = c->weight_deadline, .now = c->now };
	struct urgency_spread spread = urgency_spread_start;
	for (struct naive_job *job = c->jobs; job < c->jobs + c->njobs; job++) {
		const struct urgency_inputs inputs = { .submission = job->submit, .deadline = job->deadline, .rrcontr = job->rrcontr };
		const struct urgency_contributions contributions = urgency_contributions(&params, &inputs);

		job->wtcontr = contributions.wtcontr;
		job->dlcontr = contributions.dlcontr;
		if (job->nrunning + job->npending)
			urgency_widen(&spread, job->urg = contributions.urg);
	}
	c->urg_min = spread.min;
	c->urg_max = spread.max;
	for (struct naive_job *job = c->jobs; job < c->jobs + c->njobs; job++) {
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

uint64_t real_run(struct naive_cell *c)
{
	struct real r = { .c = c };
	struct ticket_scratch scratch = { .workers = { workers ? share_work : NULL, workers } };
	struct ticket_totals totals;
	const struct sharetree_sources sources = { user_usage, user_in_project_usage, project_usage, c };
	urgency(c);
	params_fill(&r);
	sharers_fill(&r);
	column_fill(&r.running, c, false);
	column_fill(&r.pending, c, true);
	r.classes.items = calloc(c->njobs + 1, sizeof(*r.classes.items));
	r.classes.order = r.order = calloc(c->njobs + 1, sizeof(*r.order));
	classes_count(&r, &r.running, false);
	classes_count(&r, &r.pending, true);
	int rc = c->root ? tree_build(&r) : 0;
	if (c->root && rc == 0 && (rc = tree_assign(&r, &r.running)) == 0 && (rc = tree_assign(&r, &r.pending)) == 0)
		sharetree_usage(&r.tree, &sources);
	pending_fill(&r);
	r.running_tickets = calloc(r.running.n + 1, sizeof(*r.running_tickets));
	size_t n = r.pending.n;
	struct ticket_tasks running = { r.running.n, r.running.class_id, r.running.weight, r.running_tickets };
	struct pending_tasks pending = { n, r.job, r.weight, r.age, r.number, r.results, r.results + n, r.results + 2 * n, r.results + 3 * n };
	if (rc == 0)
		rc = tickets_calculate(&r.params, &r.sharers, &r.classes, c->root ? &r.tree : NULL, &running, &pending, &scratch, &totals);
	if (rc != 0)
		abort();
	results(&r, &pending, &totals);
	for (int k = 0; k < NAIVE_KINDS; k++)
		free(r.sharers.items[k]);
	if (c->root)
		sharetree_free(&r.tree);
	ticket_scratch_free(&scratch);
	column_free(&r.running);
	column_free(&r.pending);
	free(r.classes.items);
	free(r.order);
	free(r.nodes);
	free(r.running_tickets);
	free(r.position);
	free(r.job);
	free(r.weight);
	free(r.age);
	free(r.number);
	free(r.results);
	return totals.clamped;
}
