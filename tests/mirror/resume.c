/* SPDX-License-Identifier: Apache-2.0 */
/* Events with the state from which a scheduler continues, from a faulty qmaster. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "sched/mirror/tables.h"
#include "tests/multifactor/cell.h"

static const struct debited *debited_of(const struct fixture *fixture, uint32_t number)
{
	return debited_find(sched_mirror(fixture->sched)->state, number);
}

static void test_usage_in_a_snapshot_overrides_known_usage(void **state)
{
	struct fixture *fixture = *state;
	const struct debited *debited;

	TELL(fixture, "{'event':'debited_usage','job_number':7,'submission_time':1699999000,'usage':{'cpu':1},"
		"'tasks':[{'task':1,'start_time':5,'usage':{'cpu':1}}]}");
	SNAPSHOT(fixture);
	TELL(fixture, "{'event':'debited_usage','job_number':7,'submission_time':1699999000,'usage':{'cpu':2},"
		"'tasks':[{'task':1,'start_time':5,'usage':{'cpu':2}},{'task':2,'start_time':5,'usage':{'cpu':4}}]}");
	SNAPSHOT_END(fixture);
	debited = debited_of(fixture, 7);
	assert_non_null(debited);
	assert_int_equal(debited->ntasks, 2);
	CHECK(debited->usage.items[0].value, 2);
}

static void test_orders_that_wait_keep_their_numbers(void **state)
{
	struct fixture *fixture = *state;
	struct orders *orders = sched_orders(fixture->sched);
	const struct order *order;
	uint64_t number;

	fixture->intake.orders = orders;
	sched_dispatch(fixture->sched, true);
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@node'}");
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann'}");
	run(fixture, NOW);
	order = orders_after(orders, 0);
	assert_non_null(order);
	number = order->number;
	REFUSE(fixture, "orders", "{'event':'scheduler_state','orders':9007199254740991}");
	TELL(fixture, "{'event':'scheduler_state','orders':1000}");
	run(fixture, NOW + 1);
	order = orders_find(orders, number);
	assert_non_null(order);
	for (const struct order *next; (next = orders_after(orders, order->number)); order = next)
		assert_true(next->number > order->number);
	TELL(fixture, "{'event':'orders_taken','up_to':%d}", (int)number);
	assert_null(orders_find(orders, number));
	assert_int_equal(orders->last, number + 1);
}

#define VALUES(prio, tickets) "'values':{'prio':" prio ",'nurg':0,'ntckts':0,'npprior':0,'urg':0,'rrcontr':0,'wtcontr':0,'dlcontr':0,'share':0," \
	"'otickets':" tickets ",'ftickets':" tickets ",'stickets':" tickets "}"

static void test_tickets_of_a_suspended_task_have_a_sum(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	REFUSE(fixture, "otickets: ", STATE "1,'state':'s'," VALUES("0.5", "1e308") "}");
	REFUSE(fixture, "otickets: ", STATE "1,'state':'s'," VALUES("0.5", "-1") "}");
	TELL(fixture, STATE "1,'state':'s'," VALUES("0.5", "1e30") "}");
	run(fixture, NOW);
	CHECK(row(fixture, 1, 0).tckts, 1e30 + 1e30 + 1e30);
}

#define SHARE(usage, factor, level) "{'event':'association_usage','account':'phys','user':'ann','usage_raw':0,'values':{'usage':'" usage "'," \
	"'norm_usage':'0x1p-1','effective_usage':'0x1p-1','child_usage':'0x0p+0','norm_shares':0.5,'factor':" factor ",'level_fs':" level ",'rank':1}}"

static void test_the_allocation_of_a_job_is_a_list_of_counts(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, "PriorityWeightFairshare=1000\n");
	REFUSE(fixture, "tres", ADD "1,'owner':'ann','allocated':{'partition':'batch','tres':'cpu=xx'}}");
	assert_int_equal(jobs_find(&sched_mirror(fixture->sched)->state->jobs, 1), INDEX_NONE);
	TELL(fixture, ADD "1,'owner':'ann','allocated':{'partition':'batch','tres':'cpu=2'}}");
	REFUSE(fixture, "tres", "{'event':'job_modify','job_number':1,'allocated':{'partition':'batch','tres':'cpu=xx'}}");
}

static void test_values_of_an_association_are_finite_when_published(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, "PriorityWeightFairshare=1000\n");
	REFUSE(fixture, "usage: ", SHARE("0x1p+16000", "0.5", "1"));
	REFUSE(fixture, "usage: ", SHARE("-0x1p+3", "0.5", "1"));
	REFUSE(fixture, "factor: ", SHARE("0x1p+3", "1e308", "1"));
	REFUSE(fixture, "level_fs: ", SHARE("0x1p+3", "0.5", "-1"));
	TELL(fixture, SHARE("0x1p+3", "0.5", "1"));
	TELL(fixture, "{'event':'scheduler_state','passed':true,'last_pass':%d}", NOW - 1);
	run(fixture, NOW);
	CHECK(share(fixture, "ann").raw_usage, 8);
}

static void test_state_of_an_accountant_waits_for_the_next_run(void **state)
{
	struct fixture *fixture = *state;
	const struct mirror *mirror = sched_mirror(fixture->sched);
	const struct resume *resume = &mirror->resume;
	uint64_t strings;

	run(fixture, NOW);
	strings = strings_holders(mirror->strings);
	REFUSE(fixture, "a scheduler_state event must come first", "{'event':'customer','name':'ann@lab'}");
	REFUSE(fixture, "a scheduler_state event must come first", "{'event':'charged_slot','slot':'s@a','customer':'ann@lab'}");
	REFUSE(fixture, "a scheduler_state event must come first", "{'event':'winner','slot':'s@a','customer':'ann@lab'}");
	TELL(fixture, "{'event':'scheduler_state','cycle':7,'customers_updated':%d}", NOW);
	for (unsigned k = 0; k < 100; k++) {
		TELL(fixture, "{'event':'customer','name':'u%u@lab','rup':%u.5,'floor':2,'factor_until':%d,'factor_before':4}", k, k, NOW + 5);
		TELL(fixture, "{'event':'charged_slot','slot':'s%u@a','customer':'u%u@lab','negotiating_group':'hep','weight':2}", k, k);
		TELL(fixture, "{'event':'winner','slot':'s%u@a','customer':'u1@lab','winner':9}", k);
	}
	assert_true(resume->ncustomers == 100 && resume->ncharges == 100 && resume->nwinners == 100);
	assert_string_equal(mirror_text(mirror, resume->customers[42].name), "u42@lab");
	CHECK(resume->customers[42].values.rup, 42.5);
	assert_int_equal(resume->customers[42].values.ceiling, CEILING_NONE);
	assert_int_equal(resume->customers[42].values.leases[SETTING_FACTOR].until, NOW + 5);
	assert_string_equal(mirror_text(mirror, resume->charges[42].negotiating_group), "hep");
	CHECK(resume->charges[42].values.weight, 2.0);
	assert_int_equal(resume->winners[42].values.winner, 9);
	assert_int_equal(resume->winners[42].negotiating_group, NONE);
	assert_int_equal(resume->from.cycle, 7);
	run(fixture, NOW);
	assert_true(!resume->given && resume->ncustomers == 0 && !resume->customers);
	assert_int_equal(strings_holders(mirror->strings), strings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_usage_in_a_snapshot_overrides_known_usage),
		TEST(test_orders_that_wait_keep_their_numbers),
		TEST(test_tickets_of_a_suspended_task_have_a_sum),
		TEST(test_the_allocation_of_a_job_is_a_list_of_counts),
		TEST(test_values_of_an_association_are_finite_when_published),
		TEST(test_state_of_an_accountant_waits_for_the_next_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
