/* SPDX-License-Identifier: Apache-2.0 */
/* Small association trees for tests, planted item by item. */
#ifndef TESTS_TICKETS_ASSOCIATION_TREE_H
#define TESTS_TICKETS_ASSOCIATION_TREE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tickets/associations.h"

enum { PLANTED_MOST = 512 };

struct planted {
	struct association items[PLANTED_MOST];
	struct association_tree tree;
};

static inline uint32_t plant_item(struct planted *planted, struct association item)
{
	assert_true(planted->tree.n < PLANTED_MOST);
	planted->tree.items = planted->items;
	planted->items[planted->tree.n] = item;
	return (uint32_t)planted->tree.n++;
}

static inline uint32_t plant_root(struct planted *planted)
{
	planted->tree.n = 0;
	return plant_item(planted, (struct association){ .parent = ASSOCIATION_NONE, .shares = 1 });
}

static inline uint32_t plant_account(struct planted *planted, uint32_t parent, uint32_t shares)
{
	return plant_item(planted, (struct association){ .parent = parent, .shares = shares });
}

static inline uint32_t plant_user(struct planted *planted, uint32_t parent, uint32_t shares, double usage)
{
	return plant_item(planted,
			  (struct association){ .parent = parent, .shares = shares, .is_user = true, .usage = usage });
}

static inline void planted_link(struct planted *planted)
{
	assert_int_equal(associations_link(&planted->tree), 0);
	associations_sum(&planted->tree);
}

static inline void planted_classic(struct planted *planted, bool depth_oblivious, uint32_t damping)
{
	planted_link(planted);
	classic_shares(&planted->tree);
	classic_account_usage(&planted->tree, depth_oblivious);
	classic_user_usage(&planted->tree, depth_oblivious);
	classic_factors(&planted->tree, damping);
}

static inline void planted_fair_tree(struct planted *planted, bool merge_ties, bool newest_first)
{
	planted_link(planted);
	assert_int_equal(fair_tree(&planted->tree, &(struct fair_tree_options){ .merge_ties = merge_ties,
										.newest_first = newest_first }),
			 0);
}

/*
 * Check a recorded number. It has 17 digits, of which the last one or two depend on Slurm's own
 * precision.
 */
#define NEAR(value, expected) near_at(__FILE__, __LINE__, #value, value, expected)

static inline void near_at(const char *file, int line, const char *what, double value, double expected)
{
	double larger = value > expected ? value : expected,
	       distance = value > expected ? value - expected : expected - value;

	if (value == expected || distance <= 4e-15 * larger)
		return;
	print_error("%s:%d: %s is %.17g, not %.17g\n", file, line, what, value, expected);
	_fail(file, line);
}

#endif
