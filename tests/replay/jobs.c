/* SPDX-License-Identifier: Apache-2.0 */
/* Submission of a trace's jobs, refusals and their reasons, and ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/replay/play.h"

static void give_all(struct play *play, const struct trace_job *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		play_give(play, jobs[i]);
}

/* Refused */

static void test_a_job_with_more_slots_than_the_cell_is_refused(void **state)
{
	struct play *play = *state;

	play_give(play, play_job(1, 0, 10, 9));
	REPORTED(play, "refuse 1 asks for 9 slots: the cell has 8\n");
}

static void test_a_parallel_job_without_a_parallel_environment_is_refused(void **state)
{
	struct play *play = *state;

	play_put(
		play, "pe/mpi",
		"pe_name mpi\nslots 100\nuser_lists NONE\nxuser_lists NONE\nallocation_rule $pe_slots\ncontrol_slaves TRUE\n"
		"job_is_first_task FALSE\nurgency_slots min\n");
	play_give(play, play_job(1, 0, 10, 4));
	play_give(play, play_job(2, 0, 10, 5));
	REPORTED(play,
	     "0 submit 1\nrefuse 2 asks for 5 slots: no parallel environment of the cell has as many for a job\n0 start 1 all.q@ada=4 mpi\n10 end 1 ran 10\n");
}

static void test_an_allocation_rule_of_fixed_slots_takes_only_multiples(void **state)
{
	struct play *play = *state;

	play_put(play, "pe/mpi",
		 "pe_name mpi\nslots 100\nuser_lists NONE\nxuser_lists NONE\nallocation_rule 3\ncontrol_slaves TRUE\n"
		 "job_is_first_task FALSE\nurgency_slots min\n");
	play->options.pe = "mpi";
	play_give(play, play_job(1, 0, 10, 6));
	play_give(play, play_job(2, 0, 10, 4));
	REPORTED(play,
	     "0 submit 1\nrefuse 2 asks for 4 slots: the parallel environment mpi has at most 6 for a job\n0 start 1 all.q@ada=3 all.q@bly=3 mpi\n10 end 1 ran 10\n");
}

static void test_a_queue_counts_only_on_request(void **state)
{
	struct play *play = *state;
	struct trace_job there = play_job(1, 0, 10, 1), elsewhere = play_job(2, 0, 10, 1);

	there.queue = "all.q";
	elsewhere.queue = "long.q";
	play->options.queues = true;
	play_give(play, there);
	play_give(play, elsewhere);
	REPORTED(play,
	     "0 submit 1\nrefuse 2 asks for the queue \"long.q\", which the cell does not have\n0 start 1 all.q@ada=1\n10 end 1 ran 10\n");
}

static void test_a_queue_of_the_trace_is_ignored_unless_requested(void **state)
{
	struct play *play = *state;
	struct trace_job elsewhere = play_job(2, 0, 10, 1);

	elsewhere.queue = "long.q";
	play_give(play, elsewhere);
	REPORTED(play, "0 submit 2\n0 start 2 all.q@ada=1\n10 end 2 ran 10\n");
}

static void test_a_resource_that_the_cell_does_not_have_is_refused_where_resources_count(void **state)
{
	struct play *play = *state;
	struct trace_job job = play_job(1, 0, 10, 1);

	job.hard = "arch=lx-amd64,magic=2";
	play->options.resources = true;
	play_give(play, job);
	REPORTED(play, "refuse 1 asks for the resource \"magic\", which the cell does not have\n");
}

static void test_names_of_any_length_are_refused_not_cut(void **state)
{
	struct play *play = *state;
	struct trace_job job = play_job(1, 0, 10, 1);
	char name[600];

	memset(name, 'x', 599);
	name[599] = '\0';
	job.user = name;
	play_give(play, job);
	REPORTED(play, "refuse 1 has a name of 599 bytes: at most 512 are allowed\n");
}

static void test_the_cell_must_have_slots(void **state)
{
	struct play *play = *state;

	play_queue(play, "all.q", "ada", 0, "");
	play_create_sched(play);
	assert_int_equal(replay_create(&play->replay, play->sched, NULL, NULL, &play->error), -EINVAL);
	assert_string_equal(play->error.text,
			    "the cell has no queue with slots on any host: add a queue, or replay with --slots");
}

/* Requests */

static void test_memory_is_requested_per_slot_under_the_given_name(void **state)
{
	struct play *play = *state;
	struct trace_job one = play_job(1, 0, 10, 2), other = play_job(2, 0, 10, 1);

	play_put(play, "complex",
		 "h_rt rt TIME <= YES NO 0:0:0 0\nmem mem MEMORY <= YES YES 0 0\nslots s INT <= YES YES 1 0\n");
	play_put(
		play, "hosts/ada",
		"hostname ada\nload_scaling NONE\ncomplex_values mem=4G\nuser_lists NONE\nxuser_lists NONE\nprojects NONE\nxprojects NONE\nusage_scaling NONE\n");
	play_queue(play, "all.q", "ada", 4, "");
	play->options.memory = "mem";
	one.memory_bytes = other.memory_bytes = (uint64_t)2 << 30;
	play_give(play, one);
	play_give(play, other);
	REPORTED(play,
	     "0 submit 1\n0 submit 2\n0 start 1 all.q@ada=2 mpi\n10 end 1 ran 10\n15 start 2 all.q@ada=1\n25 end 2 ran 10\n");
}

static void test_a_memory_complex_that_no_host_has_is_refused(void **state)
{
	struct play *play = *state;

	play->options.memory = "h_vmem";
	play_create_sched(play);
	assert_int_equal(replay_create(&play->replay, play->sched, &play->options, NULL, &play->error), -EINVAL);
	assert_string_equal(
		play->error.text,
		"cannot request memory as \"h_vmem\": no host or queue of the cell has any, so no job could start");
	play->options.memory = "magic";
	assert_int_equal(replay_create(&play->replay, play->sched, &play->options, NULL, &play->error), -EINVAL);
}

static void test_the_requested_run_time_allows_backfill_before_a_reservation(void **state)
{
	struct play *play = *state;
	struct trace_job jobs[] = { play_job(1, 0, 50, 4), play_job(2, 1, 10, 8), play_job(3, 2, 20, 4),
				    play_job(4, 2, 20, 4) };

	play_policy(play, 15, 0, "max_reservation 5\n");
	jobs[0].limit_s = 60;
	jobs[2].limit_s = 3600;		/* would delay it */
	jobs[3].limit_s = 30;
	give_all(play, jobs, 4);
	REPORTED(play,
	     "0 submit 1\n0 start 1 all.q@ada=4 mpi\n1 submit 2\n2 submit 3\n2 submit 4\n15 start 4 all.q@bly=4 mpi backfilled\n35 end 4 ran 20\n"
	     "50 end 1 ran 50\n60 start 2 all.q@bly=4 all.q@ada=4 mpi\n70 end 2 ran 10\n75 start 3 all.q@bly=4 mpi\n95 end 3 ran 20\n");
}

static void test_without_reservations_no_job_waits_for_a_wide_job(void **state)
{
	struct play *play = *state;
	struct trace_job jobs[] = { play_job(1, 0, 50, 4), play_job(2, 1, 10, 8), play_job(3, 2, 20, 4) };

	play_policy(play, 15, 0, "max_reservation 5\n");
	play->options.no_reserve = true;
	jobs[2].limit_s = 3600;
	give_all(play, jobs, 3);
	play_finish(play);
	assert_non_null(strstr(play_lines(play), "15 start 3 "));
}

/* Ends */

static void test_a_job_over_its_limit_is_killed_if_limits_kill(void **state)
{
	struct play *play = *state;
	struct trace_job job = play_job(1, 0, 100, 1);

	job.limit_s = 60;
	play->options.limits_kill = true;
	play_give(play, job);
	REPORTED(play, "0 submit 1\n0 start 1 all.q@ada=1\n60 limit 1 ran 60\n");
}

static void test_a_job_over_its_limit_continues_if_limits_do_not_kill(void **state)
{
	struct play *play = *state;
	struct trace_job job = play_job(1, 0, 100, 1);

	job.limit_s = 60;
	play_give(play, job);
	REPORTED(play, "0 submit 1\n0 start 1 all.q@ada=1\n100 end 1 ran 100\n");
}

/* Usage */

struct usage_seen {
	double cpu[8];			/* cpu of ann, at each sample */
	size_t n;
};

static struct usage_seen seen;

static void see_usage(void *context, int64_t now, const struct fl_view *view)
{
	struct fl_sharer sharer;

	(void)context;
	(void)now;
	for (size_t k = 0; fl_sharer(view, FL_USER, k, &sharer) == 0; k++)
		if (strcmp(sharer.name, "ann") == 0 && seen.n < 8)
			seen.cpu[seen.n++] = sharer.usage.cpu;
}

/* Eight other jobs wait, so that a run takes place in each interval. Hosts report every 40 s. */
static void test_usage_grows_while_a_job_runs(void **state)
{
	static const double expected[8] = { 0, 0, 0, 180, 180, 180, 360, 360 };
	struct play *play = *state;

	seen = (struct usage_seen){ .n = 0 };
	play->watch.sample = see_usage;
	play->options.sample_s = 1;
	play_give(play, play_job(1, 0, 200, 4));
	play_give(play, play_job(2, 0, 200, 8));
	play_finish(play);
	for (int i = 0; i < 8; i++)
		assert_true(seen.cpu[i] == expected[i]);
}

static void test_usage_is_reported_at_the_requested_interval(void **state)
{
	struct play *play = *state;

	seen = (struct usage_seen){ .n = 0 };
	play->watch.sample = see_usage;
	play->options.sample_s = 1;
	play->options.usage_s = 1;
	play_give(play, play_job(1, 0, 200, 4));
	play_give(play, play_job(2, 0, 200, 8));
	play_finish(play);
	for (int i = 0; i < 8; i++)
		assert_true(seen.cpu[i] == 60.0 * i);
}

static void test_recorded_usage_is_booked_in_proportion_to_the_time(void **state)
{
	struct play *play = *state;
	struct trace_job job = play_job(1, 0, 200, 4);

	seen = (struct usage_seen){ .n = 0 };
	play->watch.sample = see_usage;
	play->options.sample_s = 1;
	play->options.usage_s = 1;
	play->options.usage = REPLAY_USAGE_RECORDED;
	job.cpu_s = 100;
	play_give(play, job);
	play_give(play, play_job(2, 0, 200, 8));
	assert_int_equal(replay_until(play->replay, T0 + 90, &play->error), 0);
	assert_true(seen.cpu[6] == 45.0);
}

/* Think times */

static void test_a_job_follows_the_end_of_the_one_before_by_its_think_time(void **state)
{
	struct play *play = *state;
	struct trace_job jobs[] = { play_job(1, 0, 100, 1), play_job(2, 5000, 10, 1), play_job(3, 6000, 10, 1) };

	play->options.think = true;
	jobs[1].after = 1;
	jobs[1].think_s = 20;
	jobs[2].after = 2;
	give_all(play, jobs, 3);
	REPORTED(play,
	     "0 submit 1\n0 start 1 all.q@ada=1\n100 end 1 ran 100\n120 submit 2\n120 start 2 all.q@bly=1\n130 end 2 ran 10\n"
	     "130 submit 3\n135 start 3 all.q@ada=1\n145 end 3 ran 10\n");
}

static void test_a_job_is_kept_when_its_predecessor_is_refused_or_missing(void **state)
{
	struct play *play = *state;
	struct trace_job jobs[] = { play_job(1, 0, 100, 99), play_job(2, 50, 10, 1), play_job(3, 60, 10, 1) };

	play->options.think = true;
	jobs[1].after = 1;
	jobs[1].think_s = 7;
	jobs[2].after = 77;
	give_all(play, jobs, 3);
	REPORTED(play,
	     "refuse 1 asks for 99 slots: the cell has 8\n7 submit 2\n15 start 2 all.q@ada=1\n25 end 2 ran 10\n60 submit 3\n60 start 3 all.q@bly=1\n70 end 3 ran 10\n");
}

static void test_a_repeated_number_means_the_last_job_of_that_number(void **state)
{
	struct play *play = *state;
	struct trace_job jobs[] = { play_job(1, 0, 100, 1), play_job(1, 10, 500, 1), play_job(2, 20, 10, 1) };

	play->options.think = true;
	jobs[2].after = 1;
	give_all(play, jobs, 3);
	play_finish(play);
	assert_non_null(strstr(play_lines(play), "\n515 submit 2\n"));
}

/* Limits of values */

static void test_times_before_the_epoch_and_too_far_in_the_future_are_errors(void **state)
{
	struct play *play = *state;
	struct trace_job job = play_job(1, 0, 10, 1);

	play_create(play);
	job.submit = -1;
	assert_int_equal(replay_job(play->replay, &job, &play->error), -EINVAL);
	job.submit = INT64_MAX;
	assert_int_equal(replay_job(play->replay, &job, &play->error), -EINVAL);
}

static void test_a_job_that_runs_for_ages_does_not_overflow(void **state)
{
	struct play *play = *state;
	struct replay_counts counts;

	play_give(play, play_job(1, 0, INT64_MAX, 1));
	play_give(play, play_job(2, 0, INT64_MAX - 1, 1));
	play_finish(play);
	replay_counts(play->replay, &counts);
	assert_int_equal(counts.running, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, play_setup, play_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_job_with_more_slots_than_the_cell_is_refused),
		TEST(test_a_parallel_job_without_a_parallel_environment_is_refused),
		TEST(test_an_allocation_rule_of_fixed_slots_takes_only_multiples),
		TEST(test_a_queue_counts_only_on_request),
		TEST(test_a_queue_of_the_trace_is_ignored_unless_requested),
		TEST(test_a_resource_that_the_cell_does_not_have_is_refused_where_resources_count),
		TEST(test_names_of_any_length_are_refused_not_cut),
		TEST(test_the_cell_must_have_slots),
		TEST(test_memory_is_requested_per_slot_under_the_given_name),
		TEST(test_a_memory_complex_that_no_host_has_is_refused),
		TEST(test_the_requested_run_time_allows_backfill_before_a_reservation),
		TEST(test_without_reservations_no_job_waits_for_a_wide_job),
		TEST(test_a_job_over_its_limit_is_killed_if_limits_kill),
		TEST(test_a_job_over_its_limit_continues_if_limits_do_not_kill),
		TEST(test_usage_grows_while_a_job_runs),
		TEST(test_usage_is_reported_at_the_requested_interval),
		TEST(test_recorded_usage_is_booked_in_proportion_to_the_time),
		TEST(test_a_job_follows_the_end_of_the_one_before_by_its_think_time),
		TEST(test_a_job_is_kept_when_its_predecessor_is_refused_or_missing),
		TEST(test_a_repeated_number_means_the_last_job_of_that_number),
		TEST(test_times_before_the_epoch_and_too_far_in_the_future_are_errors),
		TEST(test_a_job_that_runs_for_ages_does_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
