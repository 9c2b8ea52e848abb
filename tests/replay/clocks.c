/* SPDX-License-Identifier: Apache-2.0 */
/* The time of runs in virtual time, and the order of events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/replay/play.h"

static void test_the_first_run_follows_the_first_job_and_the_next_one_the_interval(void **state)
{
	struct play *play = *state;

	play_give(play, play_job(1, 0, 100, 1));
	play_give(play, play_job(2, 1, 100, 1));
	REPORTED(play,
	     "0 submit 1\n0 start 1 all.q@ada=1\n1 submit 2\n15 start 2 all.q@bly=1\n100 end 1 ran 100\n115 end 2 ran 100\n");
}

static void test_flush_submit_sec_makes_a_run_follow_a_submission(void **state)
{
	struct play *play = *state;

	play_policy(play, 15, 1, "max_reservation 0\n");
	play_give(play, play_job(1, 0, 100, 1));
	play_give(play, play_job(2, 1, 100, 1));
	REPORTED(play,
	     "0 submit 1\n0 start 1 all.q@ada=1\n1 submit 2\n1 start 2 all.q@bly=1\n100 end 1 ran 100\n101 end 2 ran 100\n");
}

static void test_flush_finish_sec_makes_a_run_follow_freed_slots(void **state)
{
	struct play *play = *state;

	play_policy(play, 100, 4, "max_reservation 0\n");
	play_give(play, play_job(1, 0, 10, 8));
	play_give(play, play_job(2, 0, 10, 8));
	REPORTED(play,
	     "0 submit 1\n0 submit 2\n0 start 1 all.q@ada=4 all.q@bly=4 mpi\n10 end 1 ran 10\n13 start 2 all.q@ada=4 all.q@bly=4 mpi\n"
	     "23 end 2 ran 10\n");
}

static void test_runs_at_events_do_not_wait_for_the_interval(void **state)
{
	struct play *play = *state;

	play->options.runs = REPLAY_AT_EVENTS;
	play_give(play, play_job(1, 0, 10, 8));
	play_give(play, play_job(2, 1, 10, 8));
	REPORTED(play,
	     "0 submit 1\n0 start 1 all.q@ada=4 all.q@bly=4 mpi\n1 submit 2\n10 end 1 ran 10\n10 start 2 all.q@ada=4 all.q@bly=4 mpi\n"
	     "20 end 2 ran 10\n");
}

/* Runs without decisions are left out, and the others come at their usual time. */
static void test_intervals_without_pending_jobs_pass_and_keep_their_time(void **state)
{
	struct play *play = *state;
	struct replay_counts counts;

	play_give(play, play_job(1, 0, 10, 1));
	play_give(play, play_job(2, 1001, 10, 1));
	REPORTED(play,
	     "0 submit 1\n0 start 1 all.q@ada=1\n10 end 1 ran 10\n1001 submit 2\n1005 start 2 all.q@bly=1\n1015 end 2 ran 10\n");
	replay_counts(play->replay, &counts);
	assert_int_equal(counts.runs, 4);	/* at 0, 15 to book, 1005, 1020 to book */
	assert_int_equal(counts.skipped, 65);
}

static void test_a_pending_job_has_a_run_each_interval(void **state)
{
	struct play *play = *state;
	struct replay_counts counts;

	play_give(play, play_job(1, 0, 300, 8));
	play_give(play, play_job(2, 0, 10, 8));
	play_finish(play);
	replay_counts(play->replay, &counts);
	assert_int_equal(counts.runs, 300 / 15 + 1 + 1);
	assert_int_equal(counts.skipped, 0);
}

static void test_another_interval_than_the_cells_can_be_requested(void **state)
{
	struct play *play = *state;

	play->options.interval_s = 60;
	play_give(play, play_job(1, 0, 100, 1));
	play_give(play, play_job(2, 1, 100, 1));
	REPORTED(play,
	     "0 submit 1\n0 start 1 all.q@ada=1\n1 submit 2\n60 start 2 all.q@bly=1\n100 end 1 ran 100\n160 end 2 ran 100\n");
}

/* T0 is a tuesday, 22:13:20 UTC. */
static void test_a_calendar_that_opens_a_queue_is_followed_by_a_run(void **state)
{
	struct play *play = *state;

	play_policy(play, 3600, 0, "max_reservation 0\n");
	play_put(play, "calendar/day", "calendar_name day\nyear NONE\nweek mon-sun=22:30-22=off\n");
	play_put(play, "calendar/night", "calendar_name night\nyear NONE\nweek mon-sun=0-22:30=off\n");
	play_queue(play, "all.q", "ada", 4, "calendar night\n");
	play_give(play, play_job(1, 0, 10, 1));
	REPORTED(play, "0 submit 1\n1000 start 1 all.q@ada=1\n1010 end 1 ran 10\n");
}

static void test_a_job_of_zero_seconds_ends_when_it_starts(void **state)
{
	struct play *play = *state;

	play_give(play, play_job(1, 0, 0, 8));
	play_give(play, play_job(2, 0, 0, 8));
	REPORTED(play,
	     "0 submit 1\n0 submit 2\n0 start 1 all.q@ada=4 all.q@bly=4 mpi\n0 end 1 ran 0\n15 start 2 all.q@ada=4 all.q@bly=4 mpi\n15 end 2 ran 0\n");
}

/* For any number of events due at the same time. */
static void test_no_two_runs_are_at_the_same_time(void **state)
{
	struct play *play = *state;

	play_policy(play, 15, 1, "max_reservation 0\n");
	for (uint32_t i = 1; i <= 3; i++)
		play_give(play, play_job(i, 0, 0, 8));
	REPORTED(play,
	     "0 submit 1\n0 submit 2\n0 submit 3\n0 start 1 all.q@ada=4 all.q@bly=4 mpi\n0 end 1 ran 0\n1 start 2 all.q@ada=4 all.q@bly=4 mpi\n"
	     "1 end 2 ran 0\n2 start 3 all.q@ada=4 all.q@bly=4 mpi\n2 end 3 ran 0\n");
}

static void test_a_replay_stops_at_the_requested_time(void **state)
{
	struct play *play = *state;

	play_give(play, play_job(1, 0, 100, 1));
	assert_int_equal(replay_until(play->replay, T0 + 99, &play->error), 0);
	assert_string_equal(play_lines(play), "0 submit 1\n0 start 1 all.q@ada=1\n");
	assert_int_equal(replay_now(play->replay), T0 + 99);
	assert_int_equal(replay_until(play->replay, T0 + 100, &play->error), 0);
	assert_string_equal(play_lines(play), "100 end 1 ran 100\n");
}

static void test_replay_stop_ends_the_call(void **state)
{
	struct play *play = *state;

	play_give(play, play_job(1, 0, 100, 1));
	replay_stop(play->replay);
	assert_int_equal(replay_finish(play->replay, &play->error), -EINTR);
}

/* The job would wait forever, because its queue stays closed. */
static void test_a_job_that_can_never_start_stays_pending(void **state)
{
	struct play *play = *state;
	struct replay_counts counts;

	play_put(play, "usersets/friends", "name friends\ntype ACL\noticket 0\nfshare 0\nentries bob\n");
	play_queue(play, "all.q", "ada", 4, "user_lists friends\n");
	play_give(play, play_job(1, 0, 10, 1));
	REPORTED(play, "0 submit 1\n");
	replay_counts(play->replay, &counts);
	assert_int_equal(counts.waiting, 1);
	assert_true(counts.runs < 100);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, play_setup, play_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_first_run_follows_the_first_job_and_the_next_one_the_interval),
		TEST(test_flush_submit_sec_makes_a_run_follow_a_submission),
		TEST(test_flush_finish_sec_makes_a_run_follow_freed_slots),
		TEST(test_runs_at_events_do_not_wait_for_the_interval),
		TEST(test_intervals_without_pending_jobs_pass_and_keep_their_time),
		TEST(test_a_pending_job_has_a_run_each_interval),
		TEST(test_another_interval_than_the_cells_can_be_requested),
		TEST(test_a_calendar_that_opens_a_queue_is_followed_by_a_run),
		TEST(test_a_job_of_zero_seconds_ends_when_it_starts),
		TEST(test_no_two_runs_are_at_the_same_time),
		TEST(test_a_replay_stops_at_the_requested_time),
		TEST(test_replay_stop_ends_the_call),
		TEST(test_a_job_that_can_never_start_stays_pending),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
