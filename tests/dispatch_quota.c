/* SPDX-License-Identifier: Apache-2.0 */
/* What Grid Engine 8.1.9 makes of quotas besides their limits: which jobs wait with another one, and what is not tried any more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch_cell.h"

#define SET(rules) "{\n   name s\n   description NONE\n   enabled TRUE\n" rules "}\n"

/* Jobs come in the order of their numbers. */
static void put_quotas(struct fixture *f, const char *rules)
{
	set_sched_conf(f, "weight_ticket", "0");
	set_sched_conf(f, "weight_urgency", "0");
	put_project(f, "green");
	put_project(f, "blue");
	put_text(f, "rqs", SET("%s"), rules);
	reload(f);
}

/* ---- categories -------------------------------------------------------------------------------------------------------------------- */

/* Each has a count of its own, but they are one category: when red's second job has to wait, nobody asks for green. */
static void test_projects_that_no_entry_means_wait_with_each_other(void **state)
{
	struct fixture *f = *state;

	put_quotas(f, "   limit projects {!blue} to slots=1\n");
	TELL(f, ADD "1,'owner':'ann','project':'red'}");
	TELL(f, ADD "2,'owner':'ann','project':'red'}");
	TELL(f, ADD "3,'owner':'ann','project':'green'}");
	TELL(f, ADD "4,'owner':'ann'}");
	TELL(f, ADD "5,'owner':'ann','project':'blue'}");
	run(f, NOW);
	assert_int_equal(started(f, 1), 1);
	WAITS(f, 2, "s/1");
	WAITS(f, 3, "s/1");
	WAITS(f, 4, "s/1");
	assert_int_equal(started(f, 5), 1);
}

static void test_projects_that_no_entry_means_have_counts_of_their_own(void **state)
{
	struct fixture *f = *state;

	put_quotas(f, "   limit projects {!blue} to slots=1\n");
	TELL(f, ADD "1,'owner':'ann','project':'red'}");
	TELL(f, ADD "2,'owner':'ann','project':'green'}");
	TELL(f, ADD "3,'owner':'ann'}");
	TELL(f, ADD "4,'owner':'ann','project':'green'}");
	run(f, NOW);
	assert_true(started(f, 1) == 1 && started(f, 2) == 1 && started(f, 3) == 1);
	WAITS(f, 4, "s/1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_projects_that_no_entry_means_wait_with_each_other),
		DISPATCH_TEST(test_projects_that_no_entry_means_have_counts_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
