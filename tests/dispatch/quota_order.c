/* SPDX-License-Identifier: Apache-2.0 */
/* Order of quota sets and their limits in 8.1.9, and its effects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

/* Return the names of the sets in the lines of a job, in their order. */
static const char *sets_of(const struct schedule_lines *lines, uint32_t number)
{
	static char names[100];
	char before[40], name[20];
	const char *line = lines->text;

	names[0] = '\0';
	snprintf(before, sizeof(before), "\n%u:1:", (unsigned)number);
	while ((line = strstr(line, before))) {
		line++;
		if (sscanf(line, "%*u:%*u:%*[A-Z]:%*u:%*u:L:%19[^:]", name) == 1)
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s ", name);
	}
	return names;
}

#define FOR_ALL(set, limits) "{\n   name " set "\n   enabled TRUE\n   limit users * to " limits "\n}\n"
#define FOR_ONE(set, user) "{\n   name " set "\n   enabled TRUE\n   limit users " user ",cal to slots=9\n}\n"

static void put_sets(struct fixture *fixture, const char *sets)
{
	set_sched_conf(fixture, "max_reservation", "1");
	set_sched_conf(fixture, "params", "MONITOR=1");
	put(fixture, "rqs", sets);
	reload(fixture);
}

static void test_lines_of_a_set_are_in_the_order_of_its_limits(void **state)
{
	struct fixture *fixture = *state;
	struct schedule_lines lines = { 0 };
	const char *of_lic;

	put_sets(fixture, FOR_ALL("b", "slots=9,lic=9") FOR_ALL("a", "lic=9,slots=9"));
	schedule_begin(&lines);
	sched_schedule(fixture->sched, &lines);
	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'lic=2'}");
	run(fixture, NOW);
	assert_string_equal(sets_of(&lines, 1), "b b a a ");
	of_lic = strstr(lines.text, ":L:b://///:2.0");
	assert_true(of_lic && strstr(lines.text, ":L:b://///:1.0") < of_lic && strstr(of_lic, ":L:a://///:2.0"));
	sched_schedule(fixture->sched, NULL);
	schedule_free(&lines);
}

/* bob's task started after ann's, in the same second. The suspension of hers has no effect. */
static void test_a_set_moves_to_the_end_when_a_task_begins_to_count(void **state)
{
	struct fixture *fixture = *state;
	struct schedule_lines lines = { 0 };

	put_sets(fixture, FOR_ONE("fay", "fay") FOR_ONE("ann", "ann") FOR_ONE("bob", "bob") FOR_ONE("gus", "gus"));
	schedule_begin(&lines);
	sched_schedule(fixture->sched, &lines);
	TELL(fixture, ADD "1,'owner':'bob'}");
	TELL(fixture, ADD "2,'owner':'ann'}");
	TELL(fixture, ADD "3,'owner':'cal'}");
	TELL(fixture,
	     "{'event':'task_start','job_number':2,'task':1,'start_time':%lld,'granted':[{'queue':'all.q@ada','slots':1}]}",
	     (long long)NOW - 9);
	TELL(fixture,
	     "{'event':'task_start','job_number':1,'task':1,'start_time':%lld,'granted':[{'queue':'all.q@ada','slots':1}]}",
	     (long long)NOW - 9);
	TELL(fixture, "{'event':'task_state','job_number':2,'task':1,'state':'s'}");
	run(fixture, NOW);
	assert_string_equal(sets_of(&lines, 3), "fay gus ann bob ");
	assert_string_equal(sets_of(&lines, 1), "bob ");
	sched_schedule(fixture->sched, NULL);
	schedule_free(&lines);
}

static void put_pe_sets(struct fixture *fixture, const char *sets)
{
	put_sets(fixture, sets);
	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'3','hard_resource_list':'h_rt=300'}");
	TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'2','reserve':true}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
}

/* The job learns that it cannot start now, and 8.1.9 then does not see that it ever could. */
static void test_sets_after_an_exhausted_one_prevent_a_reservation_of_parallel_jobs(void **state)
{
	put_pe_sets(*state, FOR_ALL("few", "slots=3") FOR_ALL("many", "slots=12"));
	assert_int_equal(reserved(*state, 2), 0);
}

static void test_an_exhausted_set_after_the_others_does_not_prevent_a_reservation(void **state)
{
	put_pe_sets(*state, FOR_ALL("many", "slots=12") FOR_ALL("few", "slots=3"));
	assert_int_equal(reserved(*state, 2), NOW + 360);
}

/* In this case the reservation was not tried now. */
static void test_a_pe_with_too_few_slots_does_not_prevent_a_reservation(void **state)
{
	put_pe(*state, "mpi", 4, "$fill_up");
	put_pe_sets(*state, FOR_ALL("few", "slots=3") FOR_ALL("many", "slots=12"));
	assert_int_equal(reserved(*state, 2), NOW + 360);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_lines_of_a_set_are_in_the_order_of_its_limits),
		DISPATCH_TEST(test_a_set_moves_to_the_end_when_a_task_begins_to_count),
		DISPATCH_TEST(test_sets_after_an_exhausted_one_prevent_a_reservation_of_parallel_jobs),
		DISPATCH_TEST(test_an_exhausted_set_after_the_others_does_not_prevent_a_reservation),
		DISPATCH_TEST(test_a_pe_with_too_few_slots_does_not_prevent_a_reservation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
