/* SPDX-License-Identifier: Apache-2.0 */
/* Suspended tasks run later accordingly. Tasks that release their slots wait again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/replay/play.h"

static struct trace_job queued(uint32_t number, int64_t at, int64_t run_s, uint32_t slots, const char *queue)
{
	struct trace_job job = play_job(number, at, run_s, slots);

	job.queue = queue;
	return job;
}

static void test_a_subordinate_queue_is_suspended_while_the_other_is_used(void **state)
{
	struct play *play = *state;

	play_queue(play, "all.q", "ada", 4, "subordinate_list low.q=2\n");
	play_queue(play, "low.q", "ada", 4, "");
	play->options.queues = true;
	play_give(play, queued(1, 0, 100, 1, "low.q"));
	play_give(play, queued(2, 40, 30, 2, "all.q"));
	play_give(play, queued(3, 46, 10, 1, "low.q"));
	REPORTED(play,
	     "0 submit 1\n0 start 1 low.q@ada=1\n40 submit 2\n45 start 2 all.q@ada=2 mpi\n45 suspend 1 ran 45\n46 submit 3\n75 end 2 ran 30\n"
	     "75 resume 1 ran 45\n75 start 3 low.q@ada=1\n85 end 3 ran 10\n130 end 1 ran 100\n");
}

static void test_the_lowest_queues_of_a_slot_wise_list_are_suspended(void **state)
{
	struct play *play = *state;

	play_queue(play, "all.q", "ada", 4, "subordinate_list slots=2(low.q:1:sr)\n");
	play_queue(play, "low.q", "ada", 4, "");
	play->options.queues = true;
	play_give(play, queued(1, 0, 100, 1, "low.q"));
	play_give(play, queued(2, 20, 100, 1, "low.q"));
	play_give(play, queued(3, 40, 15, 1, "all.q"));
	REPORTED(play,
	     "0 submit 1\n0 start 1 low.q@ada=1\n20 submit 2\n30 start 2 low.q@ada=1\n40 submit 3\n45 start 3 all.q@ada=1\n45 suspend 2 ran 15\n"
	     "60 end 3 ran 15\n60 resume 2 ran 15\n100 end 1 ran 100\n145 end 2 ran 100\n");
}

/* T0 is 22:13:20. */
static void test_a_calendar_suspends_the_tasks_of_its_queue(void **state)
{
	struct play *play = *state;

	play_put(play, "calendar/day", "calendar_name day\nyear NONE\nweek mon-sun=22:14-22:15=suspended\n");
	play_queue(play, "all.q", "ada", 4, "calendar day\n");
	play_give(play, play_job(1, 0, 100, 1));
	REPORTED(play, "0 submit 1\n0 start 1 all.q@ada=1\n40 suspend 1 ran 40\n100 resume 1 ran 40\n160 end 1 ran 100\n");
}

/* A task is a load of 1 on a host of one processor. */
static void test_a_suspend_threshold_suspends_a_task_and_resumes_it(void **state)
{
	struct play *play = *state;

	play_put(
		play, "complex",
		"h_rt rt TIME <= YES NO 0:0:0 0\nnp_load_avg nla DOUBLE >= NO NO 0 0\nnum_proc p INT == YES NO 0 0\nslots s INT <= YES YES 1 0\n");
	play_put(
		play, "hosts/ada",
		"hostname ada\nload_scaling NONE\ncomplex_values NONE\nload_values num_proc=1\nuser_lists NONE\nxuser_lists NONE\n"
		"projects NONE\nxprojects NONE\nusage_scaling NONE\n");
	play_queue(play, "all.q", "ada", 2,
		   "suspend_thresholds np_load_avg=1.5\nnsuspend 1\nsuspend_interval 0:0:10\n");
	play->options.usage_s = 5;
	play_give(play, play_job(1, 0, 60, 1));
	play_give(play, play_job(2, 0, 60, 1));
	REPORTED(play,
	     "0 submit 1\n0 submit 2\n0 start 1 all.q@ada=1\n0 start 2 all.q@ada=1\n15 suspend 1 ran 15\n30 resume 1 ran 15\n"
	     "45 suspend 1 ran 30\n60 end 2 ran 60\n60 resume 1 ran 30\n90 end 1 ran 60\n");
}

/* HTCondor's policy: the machine prefers ann's jobs. */
static void condor_cell(struct play *play, const char *more)
{
	play_remove(play, "sched_conf");
	play_put(play, "condor_config", "NEGOTIATOR_INTERVAL = 10\nNEGOTIATOR_MIN_INTERVAL = 1\nUID_DOMAIN = lab\n%s",
		 more);
	play_queue(play, "all.q", "ada", 1, "");
}

static void vacate_one(struct play *play)
{
	struct trace_job job = play_job(1, 0, 100, 1), other = play_job(2, 45, 20, 1);

	condor_cell(play, "RANK = (Owner == \"ann\") * 10\n");
	job.user = "bob";
	play_give(play, job);
	play_give(play, other);
}

static void test_a_vacated_job_starts_from_the_beginning(void **state)
{
	struct play *play = *state;

	vacate_one(play);
	REPORTED(play,
	     "0 submit 1\n0 start 1 all.q@ada=1\n45 submit 2\n45 vacate 1 ran 45\n46 start 2 all.q@ada=1\n66 end 2 ran 20\n85 start 1 all.q@ada=1\n"
	     "185 end 1 ran 100\n");
}

static void test_a_vacated_job_continues_from_its_checkpoint(void **state)
{
	struct play *play = *state;

	play->options.checkpoints = true;
	vacate_one(play);
	REPORTED(play,
	     "0 submit 1\n0 start 1 all.q@ada=1\n45 submit 2\n45 vacate 1 ran 45\n46 start 2 all.q@ada=1\n66 end 2 ran 20\n85 start 1 all.q@ada=1\n"
	     "140 end 1 ran 55\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, play_setup, play_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_subordinate_queue_is_suspended_while_the_other_is_used),
		TEST(test_the_lowest_queues_of_a_slot_wise_list_are_suspended),
		TEST(test_a_calendar_suspends_the_tasks_of_its_queue),
		TEST(test_a_suspend_threshold_suspends_a_task_and_resumes_it),
		TEST(test_a_vacated_job_starts_from_the_beginning),
		TEST(test_a_vacated_job_continues_from_its_checkpoint),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
