/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays with billions of ids, which no event and no run may look at one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>

#include "sched/mirror/queries.h"
#include "tests/mirror/cell.h"

static void check_set(struct fixture *fixture, enum task_set set, const char *expected)
{
	const struct mirror *mirror = sched_mirror(fixture->sched);
	const struct job_extra *extra = mirror_row_extra(mirror, mirror_active_row(mirror, 1));
	char text[100];

	assert_int_equal(ranges_format(&extra->sets[set], text, sizeof(text)), strlen(expected));
	assert_string_equal(text, expected);
}

static void check_first(struct fixture *fixture, uint32_t expected)
{
	const struct mirror *mirror = sched_mirror(fixture->sched);

	assert_int_equal(mirror_row_extra(mirror, mirror_active_row(mirror, 1))->first_waiting, expected);
}

static void test_altered_jobs_keep_the_enrolled_ids_that_are_still_pending(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-4294967295'}");
	TELL(fixture, "{'event':'tasks_enrolled','job_number':1,'tasks':'1-4294967295','error':'3-4294967292:3'}");
	TELL(fixture, "{'event':'job_modify','job_number':1,'tasks':'1-4294967294:2'}");
	check_set(fixture, TASK_ENROLLED, "1-4294967293:2");
	check_set(fixture, TASK_ERROR, "3-4294967289:6");
	TELL(fixture, "{'event':'job_modify','job_number':1,'tasks':'2-4294967294:2'}");
	check_set(fixture, TASK_ENROLLED, "");
	check_set(fixture, TASK_ERROR, "");
}

static void test_ids_that_several_holds_cover_together_are_held(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-4294967295',"
			  "'hold':{'u':'1-4294967295:2','o':'2-4294967294:4','s':'4-4294967292:4'}}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 1, 0).state, "hqw");
	TELL(fixture, "{'event':'job_modify','job_number':1,"
		      "'hold':{'u':'1-4294967295:2','o':'2-4294967290:4','s':'4-4294967292:4'}}");
	run(fixture, NOW + 1);
	assert_string_equal(row(fixture, 1, 0).state, "qw");
	check_first(fixture, UINT32_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_altered_jobs_keep_the_enrolled_ids_that_are_still_pending),
		TEST(test_ids_that_several_holds_cover_together_are_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
