/* SPDX-License-Identifier: Apache-2.0 */
/* Extreme numbers through tickets/ and urgency/: every result is a number. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/naive/cells.h"

static double hostile(uint64_t *r)
{
	static const double values[] = { 0,	     -0.0,  -1,	   1e-320,  DBL_MIN, 1e-9,    1,
					 UINT32_MAX, 1e150, 1e300, DBL_MAX, -1e300,  -DBL_MAX };
	return values[random_below(r, sizeof(values) / sizeof(*values))];
}

static void make_hostile(struct naive_cell *cell, uint64_t *r)
{
	double *numbers[] = { &cell->w_user, &cell->w_dept, &cell->w_proj, &cell->w_job, &cell->CF };
	for (size_t i = 0; i < 5; i++)
		if (random_below(r, 2))
			*numbers[i] = hostile(r);
	cell->T_share = random_below(r, 2) ? UINT32_MAX : cell->T_share;
	cell->T_func = random_below(r, 2) ? UINT32_MAX : cell->T_func;
	for (int k = 0; k < NAIVE_KINDS; k++)
		for (size_t i = 0; i < cell->nobjects[k]; i++) {
			cell->objects[k][i].usage = fabs(hostile(r));
			cell->objects[k][i].oticket = random_below(r, 2) ? UINT32_MAX : 0;
			cell->objects[k][i].fshare = random_below(r, 2) ? UINT32_MAX : 0;
		}
	for (size_t j = 0; j < cell->njobs; j++) {
		cell->jobs[j].slots = random_below(r, 2) ? UINT32_MAX : 1;
		cell->jobs[j].jobshare = random_below(r, 2) ? UINT32_MAX : 0;
	}
}

static void check_finite(const struct naive_cell *cell, const struct naive_task *tasks, size_t n, uint64_t seed)
{
	for (const struct naive_task *task = tasks; task < tasks + n; task++) {
		const double values[] = { task->S,
					  task->F,
					  task->O,
					  task->tix,
					  task->ntix,
					  task->prio,
					  cell->max_tix,
					  cell->running_tickets,
					  cell->pending_tickets };
		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
			if (!isfinite(values[i]))
				fail_msg("FAIRLEAD_SEED=%" PRIu64 ": job %" PRIu32 ".%" PRIu32 " value %zu is %g", seed,
					 task->job->number, task->id, i, values[i]);
	}
}

static void check_finite_nodes(const struct naive_node *node, uint64_t seed)
{
	if (!isfinite(node->usage) || !isfinite(node->stt) || !isfinite(node->acp) || !isfinite(node->acp_a) ||
	    !isfinite(node->m_share_a))
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ": node %s: usage %g, stt %g, target %g", seed, node->name,
			 node->usage, node->stt, node->acp);
	for (const struct naive_node *child = node->child; child; child = child->next)
		check_finite_nodes(child, seed);
}

static void test_no_input_makes_nan_or_infinity(void **state)
{
	uint64_t seed = seed_get("hostile numbers");
	(void)state;
	for (size_t i = 0; i < cells_wanted(2000); i++, seed++) {
		struct naive_cell *cell = cell_random(seed, 30);
		uint64_t r = seed;
		make_hostile(cell, &r);
		real_run(cell);
		for (const struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++) {
			check_finite(cell, job->running, job->nrunning, seed);
			check_finite(cell, job->pending, job->npending, seed);
		}
		if (cell->root)
			check_finite_nodes(cell->root, seed);
		naive_cell_free(cell);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_input_makes_nan_or_infinity),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
