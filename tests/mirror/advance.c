/* SPDX-License-Identifier: Apache-2.0 */
/* State that is kept of advance reservations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/mirror/tables.h"
#include "tests/mirror/cell.h"

#define ADVANCE "{'event':'advance_reservation','owner':'ann','start_time':10,'end_time':20,'granted':[{'queue':'all.q@node','slots':2}],'number':"

static const struct advance_reservation *find(const struct fixture *fixture, uint32_t number)
{
	const struct state *state = sched_mirror(fixture->sched)->state;
	uint32_t i = index_find(&state->advance_index, state->advance_numbers, number);

	return i == INDEX_NONE ? NULL : &state->advances[i];
}

static const char *text(const struct fixture *fixture, uint32_t id)
{
	return mirror_text(sched_mirror(fixture->sched), id);
}

static void test_an_advance_reservation_has_its_last_reported_state(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADVANCE "7,'name':'first','hard_resource_list':'lic=1','hard_error':true}");
	TELL(fixture, ADVANCE "8,'name':'other'}");
	TELL(fixture,
	     "{'event':'advance_reservation','owner':'bob','start_time':11,'end_time':22,'granted':[{'queue':'b.q@node','slots':1},"
	     "{'queue':'all.q@far','slots':3}],'number':7,'state':'r','granted_pe':'mpi','access_list':'ann,@dev'}");
	assert_string_equal(text(fixture, find(fixture, 7)->owner), "bob");
	assert_true(find(fixture, 7)->name == NONE && find(fixture, 7)->hard == NONE && !find(fixture, 7)->hard_error);
	assert_string_equal(text(fixture, find(fixture, 7)->state), "r");
	assert_string_equal(text(fixture, find(fixture, 7)->granted_pe), "mpi");
	assert_string_equal(text(fixture, find(fixture, 7)->access), "ann,@dev");
	assert_true(find(fixture, 7)->start_time == 11 && find(fixture, 7)->end_time == 22);
	assert_int_equal(find(fixture, 7)->ngranted, 2);
	assert_string_equal(text(fixture, find(fixture, 7)->granted[1].queue), "all.q@far");
	assert_int_equal(find(fixture, 7)->granted[1].slots, 3);
	assert_string_equal(text(fixture, find(fixture, 8)->name), "other");
	assert_string_equal(text(fixture, find(fixture, 8)->state), "w");
}

static void test_the_others_stay_when_one_is_deleted(void **state)
{
	struct fixture *fixture = *state;

	for (unsigned number = 1; number <= 100; number++)
		TELL(fixture, ADVANCE "%u,'name':'n%u'}", number, number);
	for (unsigned number = 1; number <= 100; number += 2)
		TELL(fixture, "{'event':'advance_reservation_delete','number':%u}", number);
	for (unsigned number = 1; number <= 100; number++) {
		char name[10];

		snprintf(name, sizeof(name), "n%u", number);
		assert_true((find(fixture, number) == NULL) == (number % 2 == 1));
		if (find(fixture, number))
			assert_string_equal(text(fixture, find(fixture, number)->name), name);
	}
	REFUSE(fixture, "there is no advance reservation 1", "{'event':'advance_reservation_delete','number':1}");
}

static void test_a_snapshot_contains_all_advance_reservations(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADVANCE "7}");
	SNAPSHOT(fixture);
	TELL(fixture, ADVANCE "8}");
	assert_non_null(find(fixture, 7));
	assert_null(find(fixture, 8));
	SNAPSHOT_END(fixture);
	assert_null(find(fixture, 7));
	assert_non_null(find(fixture, 8));
}

/* Return " host" of each instance, in Grid Engine's list order. */
static const char *instances(const struct fixture *fixture)
{
	static char text_of_all[100];
	const struct state *state = sched_mirror(fixture->sched)->state;
	uint64_t place = 0;

	text_of_all[0] = '\0';
	for (size_t k = 0; k < state->ninstances; k++) {
		size_t next = SIZE_MAX;

		for (size_t i = 0; i < state->ninstances; i++)
			if ((k == 0 || state->instances[i].place > place) &&
			    (next == SIZE_MAX || state->instances[i].place < state->instances[next].place))
				next = i;
		place = state->instances[next].place;
		sprintf(text_of_all + strlen(text_of_all), " %s", text(fixture, state->instances[next].host));
	}
	return text_of_all;
}

static void test_instances_of_a_reservation_move_to_the_end_of_the_list_at_its_begin_and_end(void **state)
{
	struct fixture *fixture = *state;
	const struct state *s = sched_mirror(fixture->sched)->state;

	for (const char *host = "abcd"; *host; host++)
		TELL(fixture, "{'event':'queue_instance','queue':'all.q@%c'}", *host);
	TELL(fixture,
	     "{'event':'advance_reservation','owner':'ann','start_time':10,'end_time':20,'number':7,'granted_pe':'mpi',"
	     "'granted':[{'queue':'all.q@b','slots':2},{'queue':'all.q@a','slots':2}]}");
	assert_string_equal(instances(fixture), " c d b a");
	assert_true(used_pe_place(s, strings_find(sched_mirror(fixture->sched)->strings, "mpi")) > 0);
	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@c'}");
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@c'}");
	TELL(fixture,
	     "{'event':'advance_reservation','owner':'ann','start_time':10,'end_time':20,'number':7,'granted_pe':'mpi','state':'r',"
	     "'granted':[{'queue':'all.q@b','slots':2},{'queue':'all.q@a','slots':2}]}");
	assert_string_equal(instances(fixture), " d b a c");
	TELL(fixture, "{'event':'advance_reservation_delete','number':7}");
	assert_string_equal(instances(fixture), " d c b a");
}

/* A change of another member leaves it unchanged. */
static void test_a_job_keeps_its_advance_reservation_until_it_is_changed(void **state)
{
	struct fixture *fixture = *state;
	const struct mirror *mirror = sched_mirror(fixture->sched);

	TELL(fixture, ADD "1,'owner':'ann','ar':7}");
	TELL(fixture, ADD "2,'owner':'ann'}");
	assert_int_equal(requests_key(&mirror->requests,
				      job_fact(&mirror->state->jobs, jobs_find(&mirror->state->jobs, 1), category))
				 ->ar,
			 7);
	assert_int_equal(requests_key(&mirror->requests,
				      job_fact(&mirror->state->jobs, jobs_find(&mirror->state->jobs, 2), category))
				 ->ar,
			 0);
	TELL(fixture, MODIFY "1,'hard_resource_list':'a=1'}");
	assert_int_equal(requests_key(&mirror->requests,
				      job_fact(&mirror->state->jobs, jobs_find(&mirror->state->jobs, 1), category))
				 ->ar,
			 7);
	TELL(fixture, MODIFY "1,'ar':0}");
	assert_int_equal(requests_key(&mirror->requests,
				      job_fact(&mirror->state->jobs, jobs_find(&mirror->state->jobs, 1), category))
				 ->ar,
			 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_an_advance_reservation_has_its_last_reported_state),
		TEST(test_the_others_stay_when_one_is_deleted),
		TEST(test_a_snapshot_contains_all_advance_reservations),
		TEST(test_instances_of_a_reservation_move_to_the_end_of_the_list_at_its_begin_and_end),
		TEST(test_a_job_keeps_its_advance_reservation_until_it_is_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
