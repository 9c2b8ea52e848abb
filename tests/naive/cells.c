/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/naive/cells.h"

struct naive_cell *cell_new(size_t jobs)
{
	struct naive_cell *cell = calloc(1, sizeof(*cell));
	for (int k = 0; k < NAIVE_KINDS; k++)
		cell->objects[k] = calloc(CELL_OBJECTS, sizeof(*cell->objects[k]));
	cell->jobs = calloc(jobs + 1, sizeof(*cell->jobs));
	cell->now = 1000000;
	cell->T_share = cell->T_func = 10000.0;
	cell->CF = 5.0;
	cell->w_user = cell->w_dept = cell->w_proj = cell->w_job = 0.25;
	cell->share_functional = cell->share_override = true;
	cell->max_functional = 200;
	cell->hierarchy = "OFS";
	cell->weight_urgency = 0.1;
	cell->weight_ticket = 0.01;
	cell->weight_priority = 1.0;
	cell->weight_deadline = 3600000.0;
	cell->report_pending = true;
	return cell;
}

void job_free_tasks(struct naive_job *job)
{
	free(job->running);
	free(job->pending);
	job->running = job->pending = NULL;
	job->nrunning = job->npending = 0;
}

void naive_cell_free(struct naive_cell *cell)
{
	for (size_t j = 0; j < cell->njobs; j++)
		job_free_tasks(&cell->jobs[j]);
	for (int k = 0; k < NAIVE_KINDS; k++) {
		for (size_t i = 0; i < cell->nobjects[k]; i++)
			free(cell->objects[k][i].usage_in);
		free(cell->objects[k]);
	}
	naive_tree_free(cell->root);
	free(cell->jobs);
	free(cell);
}

int cell_object(struct naive_cell *cell, int kind, const char *name, uint32_t fshare, uint32_t oticket, double usage)
{
	struct naive_object *object = &cell->objects[kind][cell->nobjects[kind]++];
	snprintf(object->name, sizeof(object->name), "%s", name);
	object->fshare = fshare;
	object->oticket = oticket;
	object->usage = usage;
	if (kind == NAIVE_USER)
		object->usage_in = calloc(CELL_OBJECTS, sizeof(double));
	return (int)cell->nobjects[kind] - 1;
}

static struct naive_task *tasks_new(struct naive_job *job, uint32_t first, uint32_t n, bool pending)
{
	struct naive_task *task = calloc(n + 1, sizeof(*task));
	for (uint32_t i = 0; i < n; i++)
		task[i] = (struct naive_task){ .id = first + i, .job = job, .pending = pending };
	return task;
}

struct naive_job *cell_job(struct naive_cell *cell, uint32_t number, int user, int project, uint32_t running,
			   uint32_t pending)
{
	struct naive_job *job = &cell->jobs[cell->njobs++];
	*job = (struct naive_job){ .number = number,
				   .submit = number,
				   .user = user,
				   .project = project,
				   .department = -1,
				   .slots = 1,
				   .priority = 1024,
				   .rrcontr = 1000.0,
				   .nrunning = running,
				   .npending = pending };
	job->running = tasks_new(job, 1, running, false);
	job->pending = tasks_new(job, running + 1, pending, true);
	return job;
}

uint64_t seed_get(const char *test)
{
	const char *given = getenv("FAIRLEAD_SEED") ? getenv("FAIRLEAD_SEED") : getenv("SEED");
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

struct place {			/* compared value, for the message */
	const char *what;
	uint32_t job, task;
	const char *node;
};

static bool value_differs(const struct place *place, const char *field, double a, double b, char *text, size_t size)
{
	if (memcmp(&a, &b, sizeof(a)) == 0)
		return false;
	snprintf(text, size, "%s %" PRIu32 ".%" PRIu32 " %s %s: %.17g, %.17g", place->what, place->job, place->task,
		 place->node, field, a, b);
	return true;
}

#define DIFFERS(p, a, b, field) value_differs(p, #field, (double)(a)->field, (double)(b)->field, text, size)

static bool task_differs(const struct naive_task *a, const struct naive_task *b, char *text, size_t size)
{
	struct place place = { a->pending ? "pending" : "running", a->job->number, a->id, "" };
	return DIFFERS(&place, a, b, S) || DIFFERS(&place, a, b, F) || DIFFERS(&place, a, b, O) ||
	       DIFFERS(&place, a, b, tix) || DIFFERS(&place, a, b, share) || DIFFERS(&place, a, b, ntix) ||
	       DIFFERS(&place, a, b, prio);
}

static bool node_differs(const struct naive_node *a, const struct naive_node *b, char *text, size_t size)
{
	struct place place = { "node", 0, 0, a->name };
	if (strcmp(a->name, b->name) != 0 || DIFFERS(&place, a, b, refs) || DIFFERS(&place, a, b, refs_a) ||
	    DIFFERS(&place, a, b, usage) || DIFFERS(&place, a, b, acp_a) || DIFFERS(&place, a, b, m_share_a))
		return true;
	if (a->refs && (DIFFERS(&place, a, b, stt) || DIFFERS(&place, a, b, oltt) || DIFFERS(&place, a, b, ostt) ||
			DIFFERS(&place, a, b, acp)))
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
	struct place place = { "cell", 0, 0, "" };
	for (size_t j = 0; j < a->njobs; j++) {
		for (size_t i = 0; i < a->jobs[j].nrunning; i++)
			if (task_differs(&a->jobs[j].running[i], &b->jobs[j].running[i], text, size))
				return true;
		for (size_t i = 0; i < a->jobs[j].npending; i++)
			if (task_differs(&a->jobs[j].pending[i], &b->jobs[j].pending[i], text, size))
				return true;
	}
	return DIFFERS(&place, a, b, max_tix) || DIFFERS(&place, a, b, running_tickets) ||
	       DIFFERS(&place, a, b, pending_tickets) || (a->root && node_differs(a->root, b->root, text, size));
}
