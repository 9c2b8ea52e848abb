/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers that nobody would write on purpose, through tickets/ and urgency/: whatever comes out is
 * a number.
 */
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
	static const double values[] = { 0, -0.0, -1, 1e-320, DBL_MIN, 1e-9, 1, UINT32_MAX, 1e150, 1e300, DBL_MAX, -1e300, -DBL_MAX };
	return values[random_below(r, sizeof(values) / sizeof(*values))];
}

static void make_hostile(struct naive_cell *c, uint64_t *r)
{
	double *numbers[] = { &c->w_user, &c->w_dept, &c->w_proj, &c->w_job, &c->CF };
	for (size_t i = 0; i < 5; i++)
		if (random_below(r, 2))
			*numbers[i] = hostile(r);
	c->T_share = random_below(r, 2) ? UINT32_MAX : c->T_share;
	c->T_func = random_below(r, 2) ? UINT32_MAX : c->T_func;
	for (int k = 0; k < NAIVE_KINDS; k++)
		for (size_t i = 0; i < c->nobjects[k]; i++) {
			c->objects[k][i].usage = fabs(hostile(r));
			c->objects[k][i].oticket = random_below(r, 2) ? UINT32_MAX : 0;
			c->objects[k][i].fshare = random_below(r, 2) ? UINT32_MAX : 0;
		}
	for (size_t j = 0; j < c->njobs; j++) {
		c->jobs[j].slots = random_below(r, 2) ? UINT32_MAX : 1;
		c->jobs[j].jobshare = random_below(r, 2) ? UINT32_MAX : 0;
	}
}

static void check_finite(const struct naive_cell *c, const struct naive_task *tasks, size_t n, uint64_t seed)
{
	for (const struct naive_task *t = tasks; t < tasks + n; t++) {
		const double values[] = { t->S, t->F, t->O, t->tix, t->ntix, t->prio, c->max_tix, c->running_tickets, c->pending_tickets };
		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
			if (!isfinite(values[i]))
				fail_msg("FAIRLEAD_SEED=%" PRIu64 ": job %" PRIu32 ".%" PRIu32 " value %zu is %g", seed, t->job->number,
					 t->id, i, values[i]);
	}
}

static void check_finite_nodes(const struct naive_node *node, uint64_t seed)
{
	if (!isfinite(node->usage) || !isfinite(node->stt) || !isfinite(node->acp) || !isfinite(node->acp_a) || !isfinite(node->m_share_a))
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ": node %s: usage %g, stt %g, target %g", seed, node->name, node->usage, node->stt, node->acp);
	for (const struct naive_node *child = node->child; child; child = child->next)
		check_finite_nodes(child, seed);
}

static void test_no_input_makes_nan_or_infinity(void **state)
{
	uint64_t seed = seed_get("hostile numbers");
	(void)state;
	for (size_t i = 0; i < cells_wanted(2000); i++, seed++) {
		struct naive_cell *c = cell_random(seed, 30);
		uint64_t r = seed;
		make_hostile(c, &r);
		real_run(c);
		for (const struct naive_job *job = c->jobs; job < c->jobs + c->njobs; job++) {
			check_finite(c, job->running, job->nrunning, seed);
			check_finite(c, job->pending, job->npending, seed);
		}
		if (c->root)
			check_finite_nodes(c->root, seed);
		naive_cell_free(c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_input_makes_nan_or_infinity),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
