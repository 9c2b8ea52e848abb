/* SPDX-License-Identifier: Apache-2.0 */
/* A shadow decides in each run anew about what the qmaster has told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sched/qmaster/gridengine/shadow_inside.h"
#include "tests/dispatch/cell.h"

static void test_what_a_run_would_have_started_waits_in_the_next_one(void **state)
{
	struct fixture *f = *state;
	struct intake intake = { .mirror = sched_mirror(f->sched), .orders = sched_orders(f->sched) };
	struct shadow shadow = { 0 };
	struct sge g = { .sched = f->sched, .intake = &intake, .shadow = &shadow };
	struct fl_health health;

	TELL(f, ADD "1,'owner':'ann'}");
	TELL(f, ADD "2,'owner':'bob'}");
	for (int k = 0; k < 3; k++) {
		run(f, NOW + k);
		assert_int_equal(fl_health(f->view, &health), 0);
		assert_int_equal(health.starts, 2);
		shadow_ran(&g);
		assert_null(orders_after(intake.orders, 0));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_what_a_run_would_have_started_waits_in_the_next_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
