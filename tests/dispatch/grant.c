/* SPDX-License-Identifier: Apache-2.0 */
/* The share of each entry of a grant, and the amount that it takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sched/dispatch/cluster/cluster.h"
#include "sched/dispatch/search/grant.h"

#define ENTRIES 4

/* A job with three slots in each entry. Its second and its fourth entry are on the same host. */
static void check_shares(enum complex_consumable consumable, const double amounts[ENTRIES], bool last_is_first)
{
	static struct queue_instance instances[ENTRIES] = {
		{ .host = 0 }, { .host = 1 }, { .host = 2 }, { .host = 1 },
	};
	const struct complex complex = { .name = "gpu", .consumable = consumable };
	struct column column = { .complex = &complex };
	uint32_t number = 0;
	struct cluster cluster = { .instances = instances, .ninstances = ENTRIES, .columns = &column, .ncolumns = 1,
				   .consumables = &number, .nconsumables = 1 };
	struct grant grant = { 0 };

	for (uint32_t i = 0; i < ENTRIES; i++)
		assert_int_equal(grant_add(&grant, i, 3, false), 0);
	for (size_t i = 0; i < ENTRIES; i++) {
		struct grant_share share = grant_share(&cluster, &grant, i);

		assert_int_equal(share.slots, 3);
		assert_int_equal(share.is_master, i == 0);
		assert_int_equal(share.is_first, i < 3 || last_is_first);
		assert_true(grant_share_amount(&complex, 2.0, share) == amounts[i]);
	}
	grant_free(&grant);
}

static void test_a_host_consumable_is_taken_once_on_each_host(void **state)
{
	(void)state;
	check_shares(CONSUMABLE_HOST, (const double[ENTRIES]){ 2, 2, 2, 0 }, false);
}

static void test_other_consumables_do_not_depend_on_the_first_entry_of_a_host(void **state)
{
	(void)state;
	check_shares(CONSUMABLE_YES, (const double[ENTRIES]){ 6, 6, 6, 6 }, true);
	check_shares(CONSUMABLE_JOB, (const double[ENTRIES]){ 2, 0, 0, 0 }, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_host_consumable_is_taken_once_on_each_host),
		cmocka_unit_test(test_other_consumables_do_not_depend_on_the_first_entry_of_a_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
