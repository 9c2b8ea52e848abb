/* SPDX-License-Identifier: Apache-2.0 */
/* Properties that hold for any cell and any numbers: random cells through tickets/ and urgency/. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/naive/cells.h"

enum { CELLS = 600, SIZE = 30 };

typedef void cell_change(struct naive_cell *cell, uint64_t *r);
typedef void task_check(const struct naive_cell *cell, const struct naive_task *task, uint64_t seed);

static void tasks_each(const struct naive_cell *cell, uint64_t seed, task_check *check)
{
	for (const struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++) {
		for (size_t i = 0; i < job->nrunning; i++)
			check(cell, &job->running[i], seed);
		for (size_t i = 0; i < job->npending; i++)
			check(cell, &job->pending[i], seed);
	}
}

/* Return the sum of a number over all running tasks. */
static double running_sum(const struct naive_cell *cell, size_t offset)
{
	double sum = 0;
	for (const struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++)
		for (size_t i = 0; i < job->nrunning; i++)
			sum += *(const double *)((const char *)&job->running[i] + offset);
	return sum;
}

/* Cells that must give equal results */

static bool close_to(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static const struct naive_job *job_numbered(const struct naive_cell *cell, uint32_t number)
{
	for (const struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++)
		if (job->number == number)
			return job;
	return NULL;
}

static void tasks_compare(const struct naive_task *a, const struct naive_task *b, size_t n, double factor, bool exactly,
			  uint64_t seed)
{
	for (size_t i = 0; i < n; i++) {
		const double x[] = {
			a[i].S * factor, a[i].F * factor, a[i].O * factor, a[i].share, a[i].ntix, a[i].prio
		};
		const double y[] = { b[i].S, b[i].F, b[i].O, b[i].share, b[i].ntix, b[i].prio };
		for (size_t k = 0; k < sizeof(x) / sizeof(*x); k++)
			if (exactly ? x[k] != y[k] : !close_to(x[k], y[k]))
				fail_msg("FAIRLEAD_SEED=%" PRIu64 ": job %" PRIu32 ".%" PRIu32 " %s: %.17g, %.17g",
					 seed, a->job->number, a[i].id,
					 (const char *[]){ "S", "F", "O", "share", "ntix", "prio" }[k], x[k], y[k]);
	}
}

/*
 * Compute each cell unchanged (after `first`, if not NULL) and changed. Tickets must be `factor`
 * times as many, everything else equal. Jobs are found by their number, so a change must not add
 * jobs.
 */
static void change_changes_nothing(const char *what, cell_change *first, cell_change *change, double factor,
				   bool exactly)
{
	uint64_t seed = seed_get(what);
	for (size_t i = 0; i < cells_wanted(CELLS); i++, seed++) {
		struct naive_cell *a = cell_random(seed, SIZE), *b = cell_random(seed, SIZE);
		uint64_t ra = seed, rb = seed;
		if (first) {
			first(a, &ra);
			first(b, &rb);
		}
		change(b, &rb);
		real_run(a);
		real_run(b);
		for (const struct naive_job *job = a->jobs; job < a->jobs + a->njobs; job++) {
			const struct naive_job *same = job_numbered(b, job->number);
			tasks_compare(job->running, same->running, job->nrunning, factor, exactly, seed);
			tasks_compare(job->pending, same->pending, job->npending, factor, exactly, seed);
		}
		naive_cell_free(a);
		naive_cell_free(b);
	}
}

/*
 * Add objects to which no task refers. If the cell has a tree with children, add a node without
 * usage.
 */
static void add_idle_user(struct naive_cell *cell, uint64_t *r)
{
	(void)r;
	cell_object(cell, NAIVE_USER, "idle", 500, 500, 0);
	cell_object(cell, NAIVE_PROJECT, "idle project", 500, 500, 0);
	if (cell->root && cell->root->child)
		naive_node_new("idle", 77, cell->root);
}

static void test_idle_user_changes_nobodys_tickets(void **state)
{
	(void)state;
	change_changes_nothing("idle user", NULL, add_idle_user, 1, true);
}

/* Swap the first and the last user of the table. */
static void swap_objects(struct naive_cell *cell, uint64_t *r)
{
	int last = (int)cell->nobjects[NAIVE_USER] - 1;
	struct naive_object first = cell->objects[NAIVE_USER][0];
	(void)r;
	cell->objects[NAIVE_USER][0] = cell->objects[NAIVE_USER][last];
	cell->objects[NAIVE_USER][last] = first;
	for (struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++)
		job->user = job->user == 0 ? last : job->user == last ? 0 : job->user;
}

static void test_order_of_the_user_table_does_not_matter(void **state)
{
	(void)state;
	change_changes_nothing("user table", NULL, swap_objects, 1, true);
}

static void make_shares_distinct(struct naive_node *node, uint64_t *r)
{
	node->shares = 1 + (uint32_t)random_below(r, 1000000);
	for (struct naive_node *child = node->child; child; child = child->next)
		make_shares_distinct(child, r);
}

static void make_usage_whole(struct naive_cell *cell, uint64_t *r)
{
	for (int k = 0; k < NAIVE_KINDS; k++)
		for (size_t i = 0; i < cell->nobjects[k]; i++)
			cell->objects[k][i].usage = 4.0 * (double)(1 + random_below(r, 1000000));
	for (size_t u = 0; u < cell->nobjects[NAIVE_USER]; u++)
		for (size_t p = 0; p < cell->nobjects[NAIVE_PROJECT]; p++)
			cell->objects[NAIVE_USER][u].usage_in[p] = 4.0 * (double)(1 + random_below(r, 1000000));
}

/*
 * Avoid ties (compensation makes targets equal) and truncation, with every policy ranking by the
 * previous ones. Then only the last bits depend on the order of the list.
 */
static void make_distinct(struct naive_cell *cell, uint64_t *r)
{
	static const char *const hierarchies[] = { "OFS", "OSF", "FOS", "FSO", "SOF", "SFO" };
	cell->hierarchy = hierarchies[random_below(r, 6)];
	cell->CF = 0;
	make_usage_whole(cell, r);
	if (cell->root)
		make_shares_distinct(cell->root, r);
	for (int k = 0; k < NAIVE_KINDS; k++)
		for (size_t i = 0; i < cell->nobjects[k]; i++) {
			cell->objects[k][i].fshare = 1 + (uint32_t)random_below(r, 1000000);
			cell->objects[k][i].oticket = 1 + (uint32_t)random_below(r, 1000000);
		}
	for (struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++) {
		job->jobshare = 0;
		job->override_tickets = (uint32_t)random_below(r, 1000000);
	}
}

static void turn_list(struct naive_cell *cell, uint64_t *r)
{
	(void)r;
	for (size_t i = 0, k = cell->njobs; i + 1 < k--; i++) {
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

static void test_order_of_the_job_list_changes_last_bits_only(void **state)
{
	(void)state;
	change_changes_nothing("job list", make_distinct, turn_list, 1, false);
}

/* Numbers are names: only their order counts. */
static void test_only_the_order_of_job_numbers_counts(void **state)
{
	uint64_t seed = seed_get("job numbers");
	(void)state;
	for (size_t i = 0; i < cells_wanted(CELLS); i++, seed++) {
		struct naive_cell *a = cell_random(seed, SIZE), *b = cell_random(seed, SIZE);
		char text[200];
		for (size_t j = 0; j < b->njobs; j++)
			b->jobs[j].number = b->jobs[j].number * 1000 + 4000000000u;
		real_run(a);
		real_run(b);
		if (cells_differ(a, b, text, sizeof(text)))
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ": %s", seed, text);
		naive_cell_free(a);
		naive_cell_free(b);
	}
}

/* Drop job shares: a hundredth of them is added to tickets when ranks are computed. */
static void drop_jobshares(struct naive_cell *cell, uint64_t *r)
{
	(void)r;
	for (struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++)
		job->jobshare = 0;
}

static void double_all_tickets(struct naive_cell *cell, uint64_t *r)
{
	(void)r;
	cell->T_share *= 2;
	cell->T_func *= 2;
	for (int k = 0; k < NAIVE_KINDS; k++)
		for (size_t i = 0; i < cell->nobjects[k]; i++)
			cell->objects[k][i].oticket *= 2;
	for (struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++)
		job->override_tickets *= 2;
}

static void test_doubling_all_tickets_changes_no_share(void **state)
{
	(void)state;
	change_changes_nothing("twice the tickets", drop_jobshares, double_all_tickets, 2, true);
}

/*
 * Keep usage above the minimum that counts, the rest of a project's usage away from 1, and no
 * project within another one.
 */
static void make_usage_scalable(struct naive_cell *cell, uint64_t *r)
{
	if (cell->root)
		strcpy(cell->root->name, "Root");
	make_usage_whole(cell, r);
}

static void double_all_usage(struct naive_cell *cell, uint64_t *r)
{
	(void)r;
	for (int k = 0; k < NAIVE_KINDS; k++)
		for (size_t i = 0; i < cell->nobjects[k]; i++)
			cell->objects[k][i].usage *= 2;
	for (size_t u = 0; u < cell->nobjects[NAIVE_USER]; u++)
		for (size_t p = 0; p < cell->nobjects[NAIVE_PROJECT]; p++)
			cell->objects[NAIVE_USER][u].usage_in[p] *= 2;
}

static void test_twice_the_usage_of_all_changes_nobodys_tickets(void **state)
{
	(void)state;
	change_changes_nothing("twice the usage", make_usage_scalable, double_all_usage, 1, true);
}

/* Sums */

static bool functional_kind_used(const struct naive_cell *cell)
{
	const double weights[NAIVE_KINDS] = { cell->w_user, cell->w_proj, cell->w_dept };
	for (const struct naive_job *job = cell->jobs; job < cell->jobs + cell->njobs; job++)
		for (int k = 0; k < NAIVE_KINDS && job->nrunning; k++) {
			const struct naive_object *object = naive_object_of(cell, job, k);
			if ((object && object->fshare && weights[k] > 0) || (job->jobshare && cell->w_job > 0))
				return true;
		}
	return false;
}

static void test_functional_tickets_of_running_tasks_are_all_distributed(void **state)
{
	uint64_t seed = seed_get("functional sum");
	(void)state;
	for (size_t i = 0; i < cells_wanted(CELLS); i++, seed++) {
		struct naive_cell *cell = cell_random(seed, SIZE);
		real_run(cell);
		double sum = running_sum(cell, offsetof(struct naive_task, F));
		if (!close_to(sum, functional_kind_used(cell) ? cell->T_func : 0))
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ": %.17g functional tickets of %.17g", seed, sum,
				 cell->T_func);
		naive_cell_free(cell);
	}
}

/* Return whether tasks are only at leaves, all with shares. */
static bool tree_is_plain(struct naive_node *node)
{
	node->shares += node->shares == 0;
	if (node->child && (node->name[0] == 'u' || strcmp(node->name, "default") == 0))
		return false;
	for (struct naive_node *child = node->child; child; child = child->next)
		if (!tree_is_plain(child))
			return false;
	return true;
}

static void test_share_tree_tickets_of_running_tasks_are_all_distributed(void **state)
{
	uint64_t seed = seed_get("share tree sum");
	(void)state;
	for (size_t i = 0; i < cells_wanted(CELLS); i++, seed++) {
		struct naive_cell *cell = cell_random(seed, SIZE);
		drop_jobshares(cell, NULL);
		bool plain = cell->root && tree_is_plain(cell->root);
		real_run(cell);
		double sum = running_sum(cell, offsetof(struct naive_task, S));
		if (plain && !close_to(sum, cell->root->refs ? cell->T_share : 0))
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ": %.17g share tree tickets of %.17g", seed, sum,
				 cell->T_share);
		assert_true(cell->root || sum == 0);
		naive_cell_free(cell);
	}
}

static void check_bounds(const struct naive_cell *cell, const struct naive_task *task, uint64_t seed)
{
	bool tix = task->S >= 0 && task->F >= 0 && task->O >= 0 && task->tix <= cell->max_tix;
	if (!tix || task->ntix < 0 || task->ntix > 1 || task->share < 0 || task->share > 1)
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ": job %" PRIu32 ".%" PRIu32 ": %.17g tickets of %.17g", seed,
			 task->job->number, task->id, task->tix, cell->max_tix);
	if (cell->urg_max > DBL_MIN && (task->job->nurg < 0 || task->job->nurg > 1))
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ": job %" PRIu32 " nurg %.17g", seed, task->job->number,
			 task->job->nurg);
}

static void test_normalised_values_are_between_zero_and_one(void **state)
{
	uint64_t seed = seed_get("bounds");
	(void)state;
	for (size_t i = 0; i < cells_wanted(CELLS); i++, seed++) {
		struct naive_cell *cell = cell_random(seed, SIZE);
		real_run(cell);
		tasks_each(cell, seed, check_bounds);
		naive_cell_free(cell);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle_user_changes_nobodys_tickets),
		cmocka_unit_test(test_order_of_the_user_table_does_not_matter),
		cmocka_unit_test(test_order_of_the_job_list_changes_last_bits_only),
		cmocka_unit_test(test_only_the_order_of_job_numbers_counts),
		cmocka_unit_test(test_doubling_all_tickets_changes_no_share),
		cmocka_unit_test(test_twice_the_usage_of_all_changes_nobodys_tickets),
		cmocka_unit_test(test_functional_tickets_of_running_tasks_are_all_distributed),
		cmocka_unit_test(test_share_tree_tickets_of_running_tasks_are_all_distributed),
		cmocka_unit_test(test_normalised_values_are_between_zero_and_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
