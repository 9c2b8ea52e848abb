/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/naive/cells.h"

struct naive_cell *cell_new(size_t jobs)
{
	struct naive_cell *c = calloc(1, sizeof(*c));
	for (int k = 0; k < NAIVE_KINDS; k++)
		c->objects[k] = calloc(CELL_OBJECTS, sizeof(*c->objects[k]));
	c->jobs = calloc(jobs + 1, sizeof(*c->jobs));
	c->now = 1000000;
	c->T_share = c->T_func = 10000.0;
	c->CF = 5.0;
	c->w_user = c->w_dept = c->w_proj = c->w_job = 0.25;
	c->share_functional = c->share_override = true;
	c->max_functional = 200;
	c->hierarchy = "OFS";
	c->weight_urgency = 0.1;
	c->weight_ticket = 0.01;
	c->weight_priority = 1.0;
	c->weight_deadline = 3600000.0;
	c->report_pending = true;
	return c;
}

void job_free_tasks(struct naive_job *job)
{
	free(job->running);
	free(job->pending);
	job->running = job->pending = NULL;
	job->nrunning = job->npending = 0;
}

void naive_cell_free(struct naive_cell *c)
{
	for (size_t j = 0; j < c->njobs; j++)
		job_free_tasks(&c->jobs[j]);
	for (int k = 0; k < NAIVE_KINDS; k++) {
		for (size_t i = 0; i < c->nobjects[k]; i++)
			free(c->objects[k][i].usage_in);
		free(c->objects[k]);
	}
	naive_tree_free(c->root);
	free(c->jobs);
	free(c);
}

int cell_object(struct naive_cell *c, int kind, const char *name, uint32_t fshare, uint32_t oticket, double usage)
{
	struct naive_object *o = &c->objects[kind][c->nobjects[kind]++];
	snprintf(o->name, sizeof(o->name), "%s", name);
	o->fshare = fshare;
	o->oticket = oticket;
	o->usage = usage;
	if (kind == NAIVE_USER)
		o->usage_in = calloc(CELL_OBJECTS, sizeof(double));
	return (int)c->nobjects[kind] - 1;
}

static struct naive_task *tasks_new(struct naive_job *job, uint32_t first, uint32_t n, bool pending)
{
	struct naive_task *t = calloc(n + 1, sizeof(*t));
	for (uint32_t i = 0; i < n; i++)
		t[i] = (struct naive_task){ .id = first + i, .job = job, .pending = pending };
	return t;
}

struct naive_job *cell_job(struct naive_cell *c, uint32_t number, int user, int project, uint32_t running, uint32_t pending)
{
	struct naive_job *job = &c->jobs[c->njobs++];
	*job = (struct naive_job){ .number = number, .submit = number, .user = user, .project = project, .department = -1, .slots = 1,
				   .priority = 1024, .rrcontr = 1000.0, .nrunning = running, .npending = pending };
	job->running = tasks_new(job, 1, running, false);
	job->pending = tasks_new(job, running + 1, pending, true);
	return job;
}

uint64_t seed_get(const char *test)
{
	const char *given = getenv("FAIRLEAD_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
	printf("%s: FAIRLEAD_SEED=%" PRIu64 "\n", test, seed);
	return seed;
}

size_t cells_wanted(size_t n)
{
	const char *given = getenv("FAIRLEAD_CELLS");
	return given ? strtoul(given, NULL, 0) : n;
}

/* Comparison */

struct place {			/* what is compared, for the message */
	const char *what;
	uint32_t job, task;
	const char *node;
};

static bool value_differs(const struct place *p, const char *field, double a, double b, char *text, size_t size)
{
	if (memcmp(&a, &b, sizeof(a)) == 0)
		return false;
	snprintf(text, size, "%s %" PRIu32 ".%" PRIu32 " %s %s: %.17g, %.17g", p->what, p->job, p->task, p->node, field, a, b);
	return true;
}

#define DIFFERS(p, a, b, field) value_differs(p, #field, (double)(a)->field, (double)(b)->field, text, size)

static bool task_differs(const struct naive_task *a, const struct naive_task *b, char *text, size_t size)
{
	struct place p = { a->pending ? "pending" : "running", a->job->number, a->id, "" };
	return DIFFERS(&p, a, b, S) || DIFFERS(&p, a, b, F) || DIFFERS(&p, a, b, O) || DIFFERS(&p, a, b, tix) ||
	       DIFFERS(&p, a, b, share) || DIFFERS(&p, a, b, ntix) || DIFFERS(&p, a, b, prio);
}

static bool node_differs(const struct naive_node *a, const struct naive_node *b, char *text, size_t size)
{
	struct place p = { "node", 0, 0, a->name };
	if (strcmp(a->name, b->name) != 0 || DIFFERS(&p, a, b, refs) || DIFFERS(&p, a, b, refs_a) || DIFFERS(&p, a, b, usage) ||
	    DIFFERS(&p, a, b, acp_a) || DIFFERS(&p, a, b, m_share_a))
		return true;
	if (a->refs && (DIFFERS(&p, a, b, stt) || DIFFERS(&p, a, b, oltt) || DIFFERS(&p, a, b, ostt) ||
			DIFFERS(&p, a, b, acp)))
		return true;
	const struct naive_node *x = a->child, *y = b->child;
	for (; x && y; x = x->next, y = y->next)
		if (node_differs(x, y, text, size))
			return true;
	if (x || y)
		snprintf(text, size, "node %s: children", a->name);
	return x || y;
}

bool cells_differ(const struct naive_cell *a, const struct naive_cell *b, char *text, size_t size)
{
	struct place p = { "cell", 0, 0, "" };
	for (size_t j = 0; j < a->njobs; j++) {
		for (size_t i = 0; i < a->jobs[j].nrunning; i++)
			if (task_differs(&a->jobs[j].running[i], &b->jobs[j].running[i], text, size))
				return true;
		for (size_t i = 0; i < a->jobs[j].npending; i++)
			if (task_differs(&a->jobs[j].pending[i], &b->jobs[j].pending[i], text, size))
				return true;
	}
	return DIFFERS(&p, a, b, max_tix) || DIFFERS(&p, a, b, running_tickets) || DIFFERS(&p, a, b, pending_tickets) ||
	       (a->root && node_differs(a->root, b->root, text, size));
}
