/* SPDX-License-Identifier: Apache-2.0 */
/* Possible positions of an advance reservation, found between two runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/phase.h"
#include "tests/dispatch/cell.h"

#define HOUR 3600

static int find_setup(void **state)
{
	struct fixture *fixture;

	if (dispatch_setup(state))
		return -1;
	fixture = *state;
	set_sched_conf(fixture, "params", "DURATION_OFFSET=0");
	reload(fixture);
	return 0;
}

#define FIND_TEST(name) cmocka_unit_test_setup_teardown(name, find_setup, teardown)

/*
 * Return "pe: queue=slots ..." for an hour that begins an hour after NOW, or the reason for a
 * refusal.
 */
static const char *place(struct fixture *fixture, struct advance_wish wish)
{
	static char text[400];
	struct advance_place_found found;
	struct error why = { "" };

	wish.owner = wish.owner ? wish.owner : "ann";
	wish.begin = wish.begin ? wish.begin : NOW + HOUR;
	wish.end = wish.end ? wish.end : wish.begin + HOUR;
	if (sched_find_advance(fixture->sched, NOW, &wish, &found, &why)) {
		assert_int_equal(found.n, 0);
		snprintf(text, sizeof(text), "%s", why.text);
		return text;
	}
	snprintf(text, sizeof(text), "%s:", found.pe ? found.pe : "-");
	for (size_t i = 0; i < found.n; i++)
		sprintf(text + strlen(text), " %s=%u", found.items[i].queue, found.items[i].slots);
	free(found.items);
	return text;
}

#define FOUND(f, expected, ...) assert_string_equal(place(f, (struct advance_wish){ __VA_ARGS__ }), expected)
#define NOWHERE(f, expected, ...) do {								\
	const char *said = place(f, (struct advance_wish){ __VA_ARGS__ });				\
	if (!strstr(said, expected))									\
		fail_msg("\"%s\" is not in: %s", expected, said);					\
} while (0)

static void test_an_advance_reservation_is_placed_like_a_job(void **state)
{
	struct fixture *fixture = *state;

	FOUND(fixture, "-: all.q@ada=1");
	FOUND(fixture, "-: all.q@bly=1", .hard_queues = "all.q@bly");
	FOUND(fixture, "mpi: all.q@ada=4 all.q@bly=2", .pe = "m*", .pe_range = "2-6");
	NOWHERE(fixture, "too few slots were found for parallel environment mpi: 8, and 9 are needed", .pe = "mpi",
		.pe_range = "9");
	NOWHERE(fixture, "not enough lic is left: 5, and 6 is needed: global", .hard = "lic=6");
	NOWHERE(fixture, "there is no parallel environment", .pe = "none", .pe_range = "1");
	run(fixture, NOW);
	FOUND(fixture, "-: all.q@ada=1");
}

/* The scheduler's runs do not plan ahead: max_reservation is 0. */
static void test_tasks_that_run_until_then_block_and_ended_tasks_do_not(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@bly'}");
	TELL(fixture, ADD "1,'owner':'bob','pe':'mpi','pe_range':'4','hard_resource_list':'h_rt=4000'}");
	TELL(fixture,
	     "{'event':'task_start','job_number':1,'start_time':%d,'granted_pe':'mpi','granted':[{'queue':'all.q@ada','slots':4}]}",
	     NOW - 10);
	run(fixture, NOW);
	NOWHERE(fixture, "not enough slots are left: 0, and 1 is needed: all.q@ada");
	FOUND(fixture, "-: all.q@ada=1", .begin = NOW + 3990);
	NOWHERE(fixture, "not enough slots are left", .begin = NOW + 3989);
}

static void test_another_reservation_blocks_its_slots_during_its_time(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture,
	     "{'event':'advance_reservation','owner':'ann','number':1,'start_time':%d,'end_time':%d,'hard_resource_list':'lic=2',"
	     "'granted':[{'queue':'all.q@ada','slots':2},{'queue':'all.q@bly','slots':4}]}",
	     NOW + HOUR, NOW + 2 * HOUR);
	FOUND(fixture, "mpi: all.q@ada=2", .pe = "mpi", .pe_range = "1-");
	FOUND(fixture, "mpi: all.q@ada=4 all.q@bly=4", .pe = "mpi", .pe_range = "1-", .end = NOW + HOUR,
	      .begin = NOW + 1);
	NOWHERE(fixture, "not enough lic is left", .hard = "lic=1");
	FOUND(fixture, "-: all.q@ada=1", .hard = "lic=5", .begin = NOW + 2 * HOUR);
}

/* States, loads and quotas may be different by then. */
static void test_states_loads_and_quotas_of_today_are_not(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "rqs", "{\nname none\nenabled TRUE\nlimit users {*} to slots=0\n}\n");
	put_queue(fixture, "all.q", "ada bly", "4", "load_thresholds np_load_avg=0.01\n");
	reload(fixture);
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@ada','state':'d'}");
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@bly','state':'o'}");
	FOUND(fixture, "mpi: all.q@ada=4", .pe = "mpi", .pe_range = "2-");
}

static void test_all_users_of_the_reservation_must_be_admitted(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "usersets/dev", "name dev\ntype ACL\nfshare 0\noticket 0\nentries ann,bob\n");
	put(fixture, "usersets/out", "name out\ntype ACL\nfshare 0\noticket 0\nentries eve\n");
	put_queue(fixture, "all.q", "ada bly", "4", "user_lists dev out\nxuser_lists out\n");
	reload(fixture);
	FOUND(fixture, "-: all.q@ada=1");
	FOUND(fixture, "-: all.q@ada=1", .access = "ann,bob");
	FOUND(fixture, "-: all.q@ada=1", .access = "@dev", .owner = "zoe");
	NOWHERE(fixture, "user_lists does not admit the owner", .access = "ann,cal");
	NOWHERE(fixture, "xuser_lists does not admit the owner", .access = "ann,eve");
	NOWHERE(fixture, "xuser_lists does not admit the owner", .access = "@out");
}

/* pe_range_alg=auto learns from the searches of runs. */
static void test_a_search_does_not_change_later_decisions(void **state)
{
	struct fixture *fixture = *state;
	int32_t scores[3];

	TELL(fixture, ADD "1,'owner':'bob','pe':'mpi','pe_range':'1-3'}");
	memcpy(scores, fixture->sched->dispatch->searches.costs.scores, sizeof(scores));
	for (int i = 0; i < 5; i++)
		FOUND(fixture, "mpi: all.q@ada=4 all.q@bly=4", .pe = "mpi", .pe_range = "1-");
	assert_memory_equal(scores, fixture->sched->dispatch->searches.costs.scores, sizeof(scores));
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIND_TEST(test_an_advance_reservation_is_placed_like_a_job),
		FIND_TEST(test_tasks_that_run_until_then_block_and_ended_tasks_do_not),
		FIND_TEST(test_another_reservation_blocks_its_slots_during_its_time),
		FIND_TEST(test_states_loads_and_quotas_of_today_are_not),
		FIND_TEST(test_all_users_of_the_reservation_must_be_admitted),
		FIND_TEST(test_a_search_does_not_change_later_decisions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
