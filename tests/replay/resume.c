/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A replay from a run of a live scheduler: running tasks end when their requested time is over, and
 * pending ones then start. Hosts are simulated as slots only.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/replay/play.h"
#include "sched/reader/handle.h"
#include "tests/dispatch/cell.h"

/* Live, then detached and replayed */

struct live {
	struct fixture *f;
	struct play play;
};

static int live_setup(void **state)
{
	struct live *live = calloc(1, sizeof(*live));
	void *fixture;

	if (dispatch_setup(&fixture))
		return -1;
	live->f = fixture;
	live->play.out = open_memstream(&live->play.text, &live->play.size);
	*state = live;
	return 0;
}

static int live_teardown(void **state)
{
	struct live *live = *state;
	void *fixture = live->f;

	play_end(&live->play);
	free(live);
	return teardown(&fixture);
}

/* Continue the published run in a scheduler of its own, whose clock begins with that run. */
static void detach(struct live *live)
{
	const struct detach_options options = { .segment_bytes = 256 << 20 };
	struct fl_run run;

	fl_run(live->f->view, &run);
	if (sched_detach(&live->play.sched, &live->f->view->view, &options, &live->f->error) != 0)
		fail_msg("%s", live->f->error.text);
	live->play.options.begin = run.now;
	play_create(&live->play);
}

static void start(struct live *live, uint32_t number, int64_t at, const char *queue, unsigned slots)
{
	TELL(live->f,
	     "{'event':'task_start','job_number':%u,'start_time':%" PRId64 ",'granted':[{'queue':'%s','slots':%u}]}",
	     number, T0 + at, queue, slots);
}

static void add(struct live *live, uint32_t number, const char *more)
{
	TELL(live->f, "{'event':'job_add','job_number':%u,'owner':'ann','submission_time':%" PRId64 "%s}", number,
	     T0 - 100, more);
}

static void test_a_running_task_ends_when_its_time_is_over(void **state)
{
	struct live *live = *state;
	int64_t when;

	for (uint32_t i = 1; i <= 2; i++) {
		add(live, i,
		    i == 1 ? ",'hard_resource_list':'h_rt=300','pe':'mpi','pe_range':'4'"
			   : ",'hard_resource_list':'h_rt=1:0:0','pe':'mpi','pe_range':'4'");
		start(live, i, -50, i == 1 ? "all.q@ada" : "all.q@bly", 4);
	}
	add(live, 3, "");
	run(live->f, T0);
	detach(live);
	assert_int_equal(replay_start_of(live->play.replay, 3, 0, T0 + 100, &when, &live->f->error), -ENOENT);
	assert_int_equal(replay_start_of(live->play.replay, 3, 0, T0 + 10000, &when, &live->f->error), 0);
	assert_int_equal(when - T0, 255);	/* the task ends at 250 */
	assert_string_equal(play_lines(&live->play), "250 end 1 ran 300\n255 start 3 all.q@ada=1\n");
	assert_int_equal(replay_start_of(live->play.replay, 3, 1, T0 + 10000, &when, &live->f->error), 0);
}

static void test_a_task_past_its_limit_ends_with_the_interval(void **state)
{
	struct live *live = *state;

	add(live, 1, ",'hard_resource_list':'h_rt=10'");
	start(live, 1, -50, "all.q@ada", 1);
	run(live->f, T0);
	detach(live);
	play_finish(&live->play);
	assert_string_equal(play_lines(&live->play), "15 end 1 ran 65\n");
}

static void test_a_limit_of_the_queue_ends_a_job_without_a_limit(void **state)
{
	struct live *live = *state;

	put_queue(live->f, "all.q", "ada bly", "4", "");
	put_text(
		live->f, "queue/all.q",
		"qname all.q\nhostlist ada bly\nseq_no 0\nslots 4\nqtype BATCH INTERACTIVE\npe_list mpi\nh_rt 0:2:0\ns_rt INFINITY\n");
	reload(live->f);
	add(live, 1, "");
	start(live, 1, -50, "all.q@ada", 1);
	run(live->f, T0);
	detach(live);
	play_finish(&live->play);
	assert_string_equal(play_lines(&live->play), "70 end 1 ran 120\n");
}

static void test_a_task_without_a_limit_runs_on_or_for_the_given_time(void **state)
{
	struct live *live = *state;
	struct replay_counts counts;

	add(live, 1, "");
	start(live, 1, -50, "all.q@ada", 1);
	run(live->f, T0);
	live->play.options.default_run_s = 0;
	detach(live);
	play_finish(&live->play);
	replay_counts(live->play.replay, &counts);
	assert_int_equal(counts.running, 1);
	replay_destroy(live->play.replay);
	live->play.options.default_run_s = 600;
	play_create(&live->play);
	play_finish(&live->play);
	assert_string_equal(play_lines(&live->play), "550 end 1 ran 600\n");
}

static void test_tasks_of_an_array_start_separately_and_end_at_the_arrays_limit(void **state)
{
	struct live *live = *state;

	add(live, 7, ",'tasks':'1-3','hard_resource_list':'h_rt=20','task_concurrency':1");
	sched_dispatch(live->f->sched, false);
	run(live->f, T0);
	sched_dispatch(live->f->sched, true);
	detach(live);
	sched_dispatch(live->play.sched, true);
	play_finish(&live->play);
	assert_string_equal(
		play_lines(&live->play),
		"0 start 7 all.q@ada=1\n20 end 7 ran 20\n30 start 7 all.q@ada=1\n50 end 7 ran 20\n60 start 7 all.q@bly=1\n80 end 7 ran 20\n");
}

/* Suspended tasks stay suspended. New jobs may come. */
static void test_a_suspended_task_makes_no_progress(void **state)
{
	struct live *live = *state;
	struct replay_counts counts;

	add(live, 1, ",'hard_resource_list':'h_rt=100'");
	start(live, 1, -50, "all.q@ada", 1);
	TELL(live->f, "{'event':'task_state','job_number':1,'state':'s'}");
	run(live->f, T0);
	detach(live);
	play_give(&live->play, play_job(5, 20, 10, 1));
	play_finish(&live->play);
	assert_string_equal(play_lines(&live->play), "20 submit 5\n30 start 5 all.q@ada=1\n40 end 5 ran 10\n");
	replay_counts(live->play.replay, &counts);
	assert_int_equal(counts.running, 1);
}

static void test_existing_jobs_need_a_start_time_of_the_replay(void **state)
{
	struct live *live = *state;
	const struct detach_options options = { .segment_bytes = 256 << 20 };

	add(live, 1, "");
	run(live->f, T0);
	assert_int_equal(sched_detach(&live->play.sched, &live->f->view->view, &options, &live->f->error), 0);
	assert_int_equal(replay_create(&live->play.replay, live->play.sched, NULL, NULL, &live->f->error), -EINVAL);
}

/* Slots */

static void slots_create(struct play *play, uint64_t slots)
{
	struct cell_files made;
	struct report report = { 0 };
	struct cell cell;

	cell_files_sort(&play->files);
	assert_int_equal(cell_load_files(&cell, "(test)", &play->files, &report), 0);
	assert_int_equal(report.faults, 0);
	assert_int_equal(replay_cell_of_slots(&made, &cell, slots, &play->error), 0);
	cell_free(&cell);
	report_free(&report);
	cell_files_free(&play->files);
	play->files = made;
}

static void test_a_machine_of_slots_has_as_many_whatever_the_cell_has(void **state)
{
	struct play play;
	struct trace_job whole = play_job(1, 0, 10, 93312);

	(void)state;
	play_begin(&play);
	slots_create(&play, 93312);
	play.options.memory = "h_vmem";
	whole.memory_bytes = (uint64_t)1 << 40;
	play_give(&play, whole);
	play_give(&play, play_job(2, 0, 10, 93313));
	REPORTED(&play,
	     "0 submit 1\nrefuse 2 asks for 93313 slots: the cell has 93312\n0 start 1 all.q@machine=93312 slots\n10 end 1 ran 10\n");
	play_end(&play);
}

static void test_more_slots_than_a_queue_instance_can_have_are_on_several_hosts(void **state)
{
	struct play play;

	(void)state;
	play_begin(&play);
	slots_create(&play, 20000001);
	play_give(&play, play_job(1, 0, 10, 1));
	play_finish(&play);
	play_give(&play, play_job(2, 100, 10, 20000002));
	play_finish(&play);
	assert_non_null(strstr(play_lines(&play), "refuse 2 asks for 20000002 slots: the cell has 20000001\n"));
	play_end(&play);
}

static void test_no_slots_and_far_too_many_are_refused(void **state)
{
	struct cell cell = { .sched.algorithm = (char[]){ "default" } };
	struct cell_files made;
	struct error error;

	(void)state;
	assert_int_equal(replay_cell_of_slots(&made, &cell, 0, &error), -EINVAL);
	assert_int_equal(replay_cell_of_slots(&made, &cell, UINT64_C(1000000000000000000), &error), -EINVAL);
	assert_string_equal(error.text,
			    "a machine cannot have 1000000000000000000 slots: only 1 to 9999999000 are allowed");
}

#define LIVE(name) cmocka_unit_test_setup_teardown(name, live_setup, live_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIVE(test_a_running_task_ends_when_its_time_is_over),
		LIVE(test_a_task_past_its_limit_ends_with_the_interval),
		LIVE(test_a_limit_of_the_queue_ends_a_job_without_a_limit),
		LIVE(test_a_task_without_a_limit_runs_on_or_for_the_given_time),
		LIVE(test_tasks_of_an_array_start_separately_and_end_at_the_arrays_limit),
		LIVE(test_a_suspended_task_makes_no_progress),
		LIVE(test_existing_jobs_need_a_start_time_of_the_replay),
		cmocka_unit_test(test_a_machine_of_slots_has_as_many_whatever_the_cell_has),
		cmocka_unit_test(test_more_slots_than_a_queue_instance_can_have_are_on_several_hosts),
		cmocka_unit_test(test_no_slots_and_far_too_many_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
