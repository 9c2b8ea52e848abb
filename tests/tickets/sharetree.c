/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "tests/naive/both.h"
#include "tickets/sharetree.h"

/* Create a cell with share tree tickets only. The users of the nodes come from the table. */
static struct naive_cell *tree_cell(double CF)
{
	struct naive_cell *cell = cell_new(16);
	cell->T_func = 0;
	cell->CF = CF;
	cell->root = naive_node_new("Root", 1, NULL);
	return cell;
}

static struct naive_node *user_node(struct naive_cell *cell, struct naive_node *parent, const char *name,
				    uint32_t shares, double usage)
{
	cell_object(cell, NAIVE_USER, name, 0, 0, usage);
	return naive_node_new(name, shares, parent);
}

static const struct naive_node *child_named(const struct naive_node *node, const char *name)
{
	for (const struct naive_node *child = node->child; child; child = child->next)
		if (strcmp(child->name, name) == 0)
			return child;
	fail_msg("no node %s below %s", name, node->name);
	return NULL;
}

static void test_targets_of_two_users(void **state)
{
	struct naive_cell *cell = tree_cell(5);
	struct naive_node *a = user_node(cell, cell->root, "A", 60, 3000),
			  *b = user_node(cell, cell->root, "B", 40, 1000);
	cell_job(cell, 1, 0, -1, 1, 0);
	cell_job(cell, 2, 1, -1, 1, 0);
	compute(state, cell);
	CHECK(a->acp, 0.4285714285714286);
	CHECK(b->acp, 0.5714285714285715);
	CHECK(a->oltt, 0.6);
	CHECK(cell->root->usage, 4000);
	naive_cell_free(cell);
}

static void test_compensation_limits_users_with_little_usage(void **state)
{
	static const double plain[] = { 0.009708737864077669, 0.970873786407767 },
			    limited[] = { 0.01834862385321101, 0.944954128440367 };
	for (int pass = 0; pass < 2; pass++) {
		struct naive_cell *cell = tree_cell(pass ? 2 : 0);
		struct naive_node *nodes[4];
		for (int i = 0; i < 4; i++) {
			nodes[i] = user_node(cell, cell->root, (const char *[]){ "A", "B", "C", "D" }[i], 25,
					     i < 3 ? 1000 : 10);
			cell_job(cell, (uint32_t)i + 1, i, -1, 1, 0);
		}
		compute(state, cell);
		for (int i = 0; i < 3; i++)
			CHECK(nodes[i]->acp, pass ? limited[0] : plain[0]);
		CHECK(nodes[3]->acp, pass ? limited[1] : plain[1]);
		naive_cell_free(cell);
	}
}

static void test_targets_of_two_levels(void **state)
{
	struct naive_cell *cell = tree_cell(5);
	struct naive_node *p1 = naive_node_new("P1", 70, cell->root), *p2 = naive_node_new("P2", 30, cell->root);
	struct naive_node *u1 = user_node(cell, p1, "u1", 1, 600), *u2 = user_node(cell, p1, "u2", 3, 300),
			  *u3 = user_node(cell, p2, "u3", 10, 100);
	for (int i = 0; i < 3; i++)
		cell_job(cell, (uint32_t)i + 1, i, -1, 1, 0);
	compute(state, cell);
	CHECK(p1->usage, 900);
	CHECK(p1->acp, 0.3769230769230769);
	CHECK(p2->acp, 0.6230769230769231);
	CHECK(u1->stt, 0.05263157894736843);
	CHECK(u1->acp, 0.019838056680161947);
	CHECK(u2->stt, 0.9473684210526316);
	CHECK(u2->acp, 0.357085020242915);
	CHECK(u3->acp, 0.6230769230769231);
	naive_cell_free(cell);
}

static void test_children_without_tasks_are_ignored(void **state)
{
	struct naive_cell *cell = tree_cell(5);
	struct naive_node *a = user_node(cell, cell->root, "A", 60, 3000),
			  *b = user_node(cell, cell->root, "B", 40, 1000);
	cell_job(cell, 1, 1, -1, 1, 0);
	compute(state, cell);
	CHECK(b->acp, 1);
	CHECK(b->m_share_a, 1);
	CHECK(a->m_share_a, 0);
	CHECK(cell->jobs[0].running[0].S, 10000);
	naive_cell_free(cell);
}

static void test_running_tasks_and_slots_dilute_pending_tasks(void **state)
{
	struct naive_cell *cell = tree_cell(5);
	user_node(cell, cell->root, "A", 60, 3000);
	user_node(cell, cell->root, "B", 40, 1000);
	cell_job(cell, 1, 1, -1, 1, 0);
	cell_job(cell, 2, 1, -1, 0, 1);
	cell_job(cell, 3, 1, -1, 0, 1)->slots = 4;
	cell_job(cell, 4, 1, -1, 0, 1);
	cell_job(cell, 5, 0, -1, 0, 1);
	compute(state, cell);
	CHECK(cell->jobs[1].pending[0].S, 2857.1428571428573);
	CHECK(cell->jobs[2].pending[0].S, 1904.761904761905);
	CHECK(cell->jobs[3].pending[0].S, 816.3265306122449);
	naive_cell_free(cell);
}

static void test_job_share_on_one_of_two_running_tasks_takes_all_truncated(void **state)
{
	struct naive_cell *cell = tree_cell(0);
	user_node(cell, cell->root, "A", 60, 3000);
	user_node(cell, cell->root, "B", 40, 1000);
	cell_job(cell, 1, 0, -1, 1, 0)->jobshare = 3;
	cell_job(cell, 2, 0, -1, 1, 0);
	cell_job(cell, 3, 1, -1, 1, 0);
	compute(state, cell);
	CHECK(cell->jobs[0].running[0].S, 4285);
	CHECK(cell->jobs[1].running[0].S, 0);
	CHECK(cell->jobs[2].running[0].S, 5714.285714285715);
	naive_cell_free(cell);
}

static void test_each_user_at_default_has_its_full_shares(void **state)
{
	struct naive_cell *cell = tree_cell(0);
	cell_object(cell, NAIVE_USER, "x", 0, 0, 0);
	cell_object(cell, NAIVE_USER, "y", 0, 0, 0);
	struct naive_node *group = naive_node_new("group", 5, cell->root);
	naive_node_new("default", 10, group);
	user_node(cell, cell->root, "A", 15, 0);
	cell_job(cell, 1, 0, -1, 1, 0);
	cell_job(cell, 2, 1, -1, 1, 1);
	cell_job(cell, 3, 2, -1, 1, 0);
	compute(state, cell);
	CHECK(child_named(group, "x")->stt, 0.5);
	CHECK(child_named(group, "y")->stt, 0.5);
	CHECK(child_named(group, "y")->refs_a, 2);
	CHECK(child_named(group, "default")->refs, 0);
	CHECK(group->refs_a, 3);
	CHECK(group->oltt, 0.25);
	CHECK(cell->jobs[0].running[0].S, cell->jobs[1].running[0].S);
	naive_cell_free(cell);
}

/* Node of a user's tasks: users with and without a node. */
static void test_projects_decide_the_node_of_a_task(void **state)
{
	struct naive_cell *cell = tree_cell(0);
	int leaf = cell_object(cell, NAIVE_PROJECT, "leaf", 0, 0, 0),
	    inner = cell_object(cell, NAIVE_PROJECT, "inner", 0, 0, 0);
	int absent = cell_object(cell, NAIVE_PROJECT, "absent", 0, 0, 0);
	naive_node_new("leaf", 10, cell->root);
	struct naive_node *project = naive_node_new("inner", 10, cell->root);
	user_node(cell, project, "A", 10, 0);
	naive_node_new("default", 10, project);
	user_node(cell, cell->root, "B", 10, 0);
	enum { A, B };
	cell_job(cell, 1, A, leaf, 1, 0);
	cell_job(cell, 2, A, inner, 1, 0);
	cell_job(cell, 3, B, inner, 1, 0);
	cell_job(cell, 4, B, absent, 1, 0);
	cell_job(cell, 5, -1, inner, 1, 0);
	cell_job(cell, 6, A, -1, 1, 0);
	cell_job(cell, 7, B, -1, 1, 0);
	compute(state, cell);
	CHECK(child_named(cell->root, "leaf")->refs, 1);
	CHECK(project->refs, 2);
	CHECK(child_named(project, "B")->refs, 1);
	CHECK(child_named(cell->root, "B")->refs, 1);
	CHECK(cell->jobs[3].running[0].S, 0);
	CHECK(cell->jobs[4].running[0].S, 0);
	CHECK(cell->jobs[5].running[0].S, 0);
	naive_cell_free(cell);
}

static void test_the_rest_of_a_projects_usage_is_assigned_to_its_default(void **state)
{
	struct naive_cell *cell = tree_cell(0);
	int project = cell_object(cell, NAIVE_PROJECT, "P", 0, 0, 1000);
	struct naive_node *node = naive_node_new("P", 10, cell->root), *group = naive_node_new("group", 10, node);
	struct naive_node *naive_node = user_node(cell, node, "A", 10, 7), *rest = naive_node_new("default", 10, group);
	cell->objects[NAIVE_USER][0].usage_in[project] = 300;
	cell_job(cell, 1, 0, project, 1, 0);
	compute(state, cell);
	CHECK(node->usage, 1000);
	CHECK(naive_node->usage, 300);
	CHECK(group->usage, 700);
	CHECK(rest->usage, 700);
	CHECK(cell->root->usage, 1000);
	naive_cell_free(cell);
}

static void test_chain_of_single_children_is_walked_before_ranking_starts(void **state)
{
	struct naive_cell *cell = tree_cell(0);
	struct naive_node *chain = naive_node_new("chain", 10, cell->root), *link = naive_node_new("link", 10, chain);
	user_node(cell, link, "A", 10, 0);
	user_node(cell, link, "B", 30, 0);
	cell_job(cell, 1, 0, -1, 0, 2);
	cell_job(cell, 2, 1, -1, 0, 1);
	compute(state, cell);
	CHECK(cell->jobs[0].pending[0].S, 2500);
	CHECK(cell->jobs[0].pending[1].S, 1250);
	CHECK(cell->jobs[1].pending[0].S, 7500);
	naive_cell_free(cell);
}

/*
 * A hundredth of -js counts as tickets when ranks are computed. Without earlier policies -js itself
 * counts.
 */
static void test_job_shares_of_pending_tasks_decide_their_rank_only(void **state)
{
	for (int dependent = 0; dependent < 2; dependent++) {
		struct naive_cell *cell = tree_cell(0);
		cell->hierarchy = dependent ? "OFS" : "";
		user_node(cell, cell->root, "A", 10, 0);
		cell_job(cell, 1, 0, -1, 0, 1)->override_tickets = 3;
		cell_job(cell, 2, 0, -1, 0, 1)->jobshare = 250;
		cell_job(cell, 3, 0, -1, 0, 1)->jobshare = 350;
		compute(state, cell);
		CHECK(cell->jobs[2].pending[0].S, 10000);
		CHECK(cell->jobs[dependent ? 0 : 1].pending[0].S, 5000);
		naive_cell_free(cell);
	}
}

/* A project that was reported after the tree was built has no node, and its jobs have none. */
static void test_a_project_newer_than_the_tree_has_no_node(void **state)
{
	static const struct share_tree_node nodes[] = { { TICKETS_NONE, TICKETS_NONE, TICKETS_NONE, 1, false },
							{ 0, TICKETS_NONE, 0, 10, false } };
	struct share_tree tree = { 0 };
	uint32_t node = 7;

	(void)state;
	assert_int_equal(sharetree_build(&tree, nodes, 2, 1), 0);
	assert_int_equal(sharetree_assign(&tree, TICKETS_NONE, 0, &node), 0);
	assert_int_equal(node, 1);
	assert_int_equal(sharetree_assign(&tree, TICKETS_NONE, 1, &node), 0);
	assert_int_equal(node, TICKETS_NONE);
	sharetree_free(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(test_targets_of_two_users),
		BOTH(test_compensation_limits_users_with_little_usage),
		BOTH(test_targets_of_two_levels),
		BOTH(test_children_without_tasks_are_ignored),
		BOTH(test_running_tasks_and_slots_dilute_pending_tasks),
		BOTH(test_job_share_on_one_of_two_running_tasks_takes_all_truncated),
		BOTH(test_job_shares_of_pending_tasks_decide_their_rank_only),
		BOTH(test_each_user_at_default_has_its_full_shares),
		BOTH(test_projects_decide_the_node_of_a_task),
		BOTH(test_the_rest_of_a_projects_usage_is_assigned_to_its_default),
		cmocka_unit_test(test_a_project_newer_than_the_tree_has_no_node),
		BOTH(test_chain_of_single_children_is_walked_before_ranking_starts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
