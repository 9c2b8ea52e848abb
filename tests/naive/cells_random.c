/* SPDX-License-Identifier: Apache-2.0 */
/* Random cells, with many equal numbers on purpose: implementations differ in ties. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/naive/cells.h"

uint64_t random_below(uint64_t *state, uint64_t n)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (z ^ (z >> 31)) % n;
}

/*
 * Choose one of some constants. Only constants are allowed, because the compiler may evaluate other
 * arguments in any order, and a seed must always give the same cell.
 */
#define PICK(state, ...) (((const double[]){ __VA_ARGS__ })[random_below(state, sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))])

static bool once_in(uint64_t *r, uint64_t n)
{
	return random_below(r, n) == 0;
}

static double fraction(uint64_t *r)
{
	return (double)random_below(r, 1u << 30) / (1u << 30);
}

static uint32_t shares_random(uint64_t *r)
{
	if (once_in(r, 40))
		return UINT32_MAX;
	return once_in(r, 3) ? (uint32_t)random_below(r, 1000) : (uint32_t)PICK(r, 0, 1, 10, 10, 100);
}

static double usage_random(uint64_t *r)
{
	double scale = PICK(r, 1, 1000, 1e6);
	return once_in(r, 2) ? PICK(r, 0, 0, 0.5, 1000, 1000) : fraction(r) * scale;
}

static void parameters_random(struct naive_cell *cell, uint64_t *r)
{
	static const char *const hierarchies[] = { "", "O", "F", "S", "OF", "FO", "OS", "SO", "FS", "SF",
						   "OFS", "OSF", "FOS", "FSO", "SOF", "SFO", "OFS", "OFS" };
	cell->T_share = once_in(r, 6) ? 0 : once_in(r, 2) ? 10000 : (double)random_below(r, 100000000);
	cell->T_func = once_in(r, 6) ? 0 : once_in(r, 2) ? 10000 : (double)random_below(r, 100000000);
	cell->CF = PICK(r, 0, 0, 1, 1.5, 2, 5, 5, 0.5);
	if (!once_in(r, 3)) {
		cell->w_user = once_in(r, 4) ? fraction(r) : PICK(r, 0, 0.25, 0.5);
		cell->w_dept = once_in(r, 4) ? fraction(r) : PICK(r, 0, 0.25, 0.1);
		cell->w_proj = once_in(r, 4) ? fraction(r) : PICK(r, 0, 0.25, 3);
		cell->w_job = once_in(r, 4) ? fraction(r) : PICK(r, 0, 0.25, 0.3);
	}
	cell->share_functional = !once_in(r, 3);
	cell->share_override = !once_in(r, 3);
	cell->hierarchy = hierarchies[random_below(r, sizeof(hierarchies) / sizeof(*hierarchies))];
	cell->weight_urgency = PICK(r, 0, 0.1, 0.41);
	cell->weight_ticket = PICK(r, 0, 0.01, 0.37, 1);
	cell->weight_priority = PICK(r, 0, 1, 0.22);
	cell->weight_waiting_time = PICK(r, 0, 0, 0.278);
	cell->report_pending = !once_in(r, 4);
}

/* Add objects. Wide: many projects times many departments. */
static void objects_random(struct naive_cell *cell, uint64_t *r, bool wide)
{
	for (int k = 0; k < NAIVE_KINDS; k++) {
		bool equal = once_in(r, 3);
		size_t most = random_below(r, wide				 ? 40
					      : k == NAIVE_USER && once_in(r, 2) ? 20
										 : 5) +
			      (k == NAIVE_USER);
		for (size_t i = 0; i < most; i++) {
			char name[24];
			snprintf(name, sizeof(name), "%c%zu", "upd"[k], i);
			uint32_t fshare = equal ? 100 : shares_random(r);
			uint32_t oticket = once_in(r, 2)   ? 0
					   : once_in(r, 4) ? (uint32_t)random_below(r, 1000)
							   : (uint32_t)PICK(r, 100, 300, 300);
			cell_object(cell, k, name, fshare, oticket, usage_random(r));
		}
	}
	for (size_t u = 0; u < cell->nobjects[NAIVE_USER]; u++)
		for (size_t p = 0; p < cell->nobjects[NAIVE_PROJECT]; p++)
			cell->objects[NAIVE_USER][u].usage_in[p] = usage_random(r);
}

/* Share tree: each user once outside projects and once in each project, each project once. */

static void users_below(struct naive_cell *cell, uint64_t *r, struct naive_node *node, bool *used)
{
	for (size_t u = 0; u < cell->nobjects[NAIVE_USER]; u++)
		if (!used[u] && once_in(r, 3)) {
			used[u] = true;
			naive_node_new(cell->objects[NAIVE_USER][u].name, shares_random(r), node);
		}
	if (once_in(r, 2))
		naive_node_new("default", shares_random(r), node);
	if (once_in(r, 6))
		naive_node_new("nobody", shares_random(r), node);
}

/* Inner nodes. If the tree may be odd, some have the name of a user or of `default`. */
struct groups {
	int n;
	bool odd;
};

static struct naive_node *group_below(uint64_t *r, struct naive_node *node, struct groups *groups)
{
	char name[24];
	bool odd = groups->odd && once_in(r, 3);
	snprintf(name, sizeof(name), odd ? "u%d" : "g%d", groups->n++);
	return naive_node_new(odd && once_in(r, 3) ? "default" : name, shares_random(r), node);
}

static void project_below(struct naive_cell *cell, uint64_t *r, struct naive_node *node, size_t project,
			  struct groups *groups)
{
	bool used[CELL_OBJECTS] = { false };
	struct naive_node *own = naive_node_new(cell->objects[NAIVE_PROJECT][project].name, shares_random(r), node);
	if (once_in(r, 3))
		return;
	if (once_in(r, 3))
		users_below(cell, r, group_below(r, own, groups), used);
	users_below(cell, r, own, used);
}

static void tree_random(struct naive_cell *cell, uint64_t *r)
{
	struct naive_node *at[8];
	bool used[CELL_OBJECTS] = { false };
	struct groups groups = { 0, once_in(r, 8) };
	int n = 0;
	at[n++] = cell->root = naive_node_new(groups.odd && once_in(r, 2) ? "p0" : "Root", 1, NULL);
	for (; n < 8 && !once_in(r, 3); n++)
		at[n] = group_below(r, at[once_in(r, 2) ? (uint64_t)n - 1 : random_below(r, (uint64_t)n)], &groups);
	for (size_t p = 0; p < cell->nobjects[NAIVE_PROJECT]; p++)
		if (!once_in(r, 4))
			project_below(cell, r, at[random_below(r, (uint64_t)n)], p, &groups);
	for (int i = 0; i < n; i++)
		if (once_in(r, 2))
			users_below(cell, r, at[i], used);
}

/* Jobs */

static int object_random(uint64_t *r, size_t n, uint64_t none)
{
	return n == 0 || once_in(r, none) ? -1 : (int)random_below(r, n);
}

/* Give all jobs of a user the same project and department, so that users form unrelated groups. */
static void job_settle(const struct naive_cell *cell, struct naive_job *job)
{
	if (job->user < 0)
		return;
	job->project = cell->nobjects[NAIVE_PROJECT] ? job->user % (int)cell->nobjects[NAIVE_PROJECT] : -1;
	job->department = cell->nobjects[NAIVE_DEPARTMENT] ? job->user % (int)cell->nobjects[NAIVE_DEPARTMENT] : -1;
}

static void job_random(struct naive_cell *cell, uint64_t *r, uint32_t number, bool jobshares, bool settled)
{
	bool array = once_in(r, 4);
	uint32_t running = once_in(r, 3) ? (uint32_t)(array ? random_below(r, 5) : 1) : 0;
	uint32_t pending = array ? (uint32_t)random_below(r, 9) : !running;
	int user = object_random(r, cell->nobjects[NAIVE_USER], 12),
	    project = object_random(r, cell->nobjects[NAIVE_PROJECT], 2);
	struct naive_job *job = cell_job(cell, number, user, project, running, pending);
	job->department = object_random(r, cell->nobjects[NAIVE_DEPARTMENT], 4);
	if (settled)
		job_settle(cell, job);
	job->submit = 900000 + (once_in(r, 2) ? number / 3 : (uint32_t)random_below(r, 5));
	job->deadline = once_in(r, 10) ? 999900 + (int64_t)random_below(r, 5000) : 0;
	job->jobshare = jobshares && once_in(r, 2) ? (uint32_t)PICK(r, 1, 5, 5, 100, 77, UINT32_MAX) : 0;
	job->override_tickets = once_in(r, 4) ? (uint32_t)PICK(r, 10, 50, 50, 2999) : 0;
	job->slots = once_in(r, 4) ? (uint32_t)PICK(r, 2, 3, 4, 16) : 1;
	job->priority = once_in(r, 3) ? (uint32_t)(1 + random_below(r, 2048)) : 1024;
	job->rrcontr = once_in(r, 4) ? fraction(r) * 1e5 : PICK(r, 1000, 1000, 2000, 0, -500);
}

static void jobs_shuffle(struct naive_cell *cell, uint64_t *r)
{
	for (size_t swaps = cell->njobs / 2; swaps > 0; swaps--) {
		size_t i = random_below(r, cell->njobs), k = random_below(r, cell->njobs);
		struct naive_job job = cell->jobs[i];
		cell->jobs[i] = cell->jobs[k];
		cell->jobs[k] = job;
	}
	for (struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++) {
		for (size_t i = 0; i < job->nrunning; i++)
			job->running[i].job = job;
		for (size_t i = 0; i < job->npending; i++)
			job->pending[i].job = job;
	}
}

#define WIDE 100		/* jobs enough for more than a few groups in override_pick.c */

struct naive_cell *cell_random(uint64_t seed, size_t size)
{
	uint64_t state = seed, *r = &state;
	size_t njobs = random_below(r, once_in(r, 3) ? 6 : size + 1);
	bool jobshares = once_in(r, 2), settled = once_in(r, 4);
	struct naive_cell *cell = cell_new(njobs);
	uint32_t number = 1, pending = 0;
	parameters_random(cell, r);
	objects_random(cell, r, size >= WIDE && once_in(r, 2));
	if (!once_in(r, 6))
		tree_random(cell, r);
	for (size_t j = 0; j < njobs; j++, number += 1 + (uint32_t)random_below(r, 3)) {
		job_random(cell, r, number, jobshares, settled);
		pending += (uint32_t)cell->jobs[j].npending;
	}
	cell->max_functional = once_in(r, 3) ? 200 : (uint32_t)random_below(r, pending + 2);
	if (njobs && once_in(r, 2))
		jobs_shuffle(cell, r);
	return cell;
}
