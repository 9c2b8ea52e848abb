/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rank of a job, compared with a manual count. Advice is applied to the scheduler itself, and
 * estimated starts are compared with real ones. FAIRLEAD_SEED=n sets the seed.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/explain/advice.h"
#include "sched/explain/standing.h"
#include "sched/explain/starting.h"
#include "tests/run/story.h"

#define STORY_SEED(seed) (88172645463325252u ^ (seed) * 0x9e3779b97f4a7c15u)

enum { CELLS = 2, JOBS = 30, RUNS = 6 };

#define SLURM_CONF \
	"PriorityType=priority/multifactor\nPriorityMaxAge=1-0\nPriorityDecayHalfLife=1-0\nPriorityWeightAge=1000\nPriorityWeightFairshare=10000\n" \
	"PriorityWeightJobSize=500\nNodeName=n[1-10] CPUs=4 RealMemory=1000\nPartitionName=batch Nodes=ALL Default=YES\n"
#define ASSOCIATIONS \
	"Cluster - 'ref':Fairshare=1\nParent - 'root'\nUser - 'root':DefaultAccount='root':Fairshare=1\nAccount - 'phys':Fairshare=60\n" \
	"Account - 'chem':Fairshare=40\nParent - 'phys'\nUser - 'ann':DefaultAccount='phys':Fairshare=1\nUser - 'bob':DefaultAccount='phys':Fairshare=3\n" \
	"Parent - 'chem'\nUser - 'cal':DefaultAccount='chem':Fairshare=1\n"

static uint64_t seed_of(void)
{
	const char *given = getenv("FAIRLEAD_SEED");

	return given ? strtoull(given, NULL, 10) : 1;
}

/* Manual count */

static bool takes_part(const struct fl_view *view, uint32_t job_number)
{
	static const char *const waits[] = { "in_error", "on_hold", "predecessor", "task_limit", "execution_time" };
	struct fl_why why;

	if (fl_why(view, job_number, 0, &why))
		return true;
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (strcmp(why.kind, waits[i]) == 0)
			return false;
	return true;
}

static struct place_sum count_user(const struct fl_view *view, size_t before, const char *user)
{
	struct place_sum sum = { .name = user };
	struct fl_job job;

	for (size_t k = 0; k < before && fl_get(view, FL_PENDING, k, &job) == 0; k++) {
		uint64_t tasks = 0;

		if (!takes_part(view, job.job_number) || (user && strcmp(job.owner, user) != 0))
			continue;
		for (size_t i = 0; i < job.nranges; i++)
			for (uint32_t id = job.tasks[i].min; id <= job.tasks[i].max; id += job.tasks[i].step)
				tasks++;
		tasks = tasks ? tasks : 1;
		sum.jobs++;
		sum.tasks += tasks;
		sum.slots += tasks * job.slots;
	}
	return sum;
}

static void same_sum(const struct place_sum *a, struct place_sum b)
{
	assert_int_equal(a->jobs, b.jobs);
	assert_int_equal(a->tasks, b.tasks);
	assert_int_equal(a->slots, b.slots);
}

static void check_standing(const struct fl_view *view, size_t k, const struct fl_job *job)
{
	struct standing_place place;
	uint64_t jobs = 0;

	assert_int_equal(standing_find(&place, view, job->job_number), 0);
	if (!takes_part(view, job->job_number)) {
		assert_int_equal(place.rank, 0);
		standing_free(&place);
		return;
	}
	same_sum(&place.ahead, count_user(view, k, NULL));
	assert_int_equal(place.rank, place.ahead.jobs + 1);
	assert_int_equal(standing_rank(view, job->job_number), place.rank);
	assert_int_equal(standing_row(view, place.rank), k);
	for (size_t i = 0; i < place.nusers; i++) {
		same_sum(&place.users[i], count_user(view, k, place.users[i].name));
		assert_true(i == 0 || place.users[i - 1].slots >= place.users[i].slots);
		jobs += place.users[i].jobs;
	}
	assert_int_equal(jobs, place.ahead.jobs);
	standing_free(&place);
}

static void test_rank_and_jobs_ahead_match_a_manual_count(void **state)
{
	uint64_t seed = seed_of();
	struct fixture *fixture = *state;
	struct story story = { fixture, STORY_SEED(seed), 0, NOW };
	struct fl_job job;
	size_t ranked = 0;

	make_cell(fixture);
	for (unsigned run_number = 0; run_number < RUNS; run_number++) {
		go_on(&story);
		run(fixture, story.now);
		for (size_t k = 0; fl_get(fixture->view, FL_PENDING, k, &job) == 0; k++, ranked++)
			check_standing(fixture->view, k, &job);
	}
	assert_true(ranked > 0);
}

/* Advice, applied to the scheduler that has published */

static void make_gridengine(struct fixture *fixture)
{
	make_cell(fixture);
	set_sched_conf(fixture, "weight_tickets_share", "10000");
	set_sched_conf(fixture, "weight_ticket", "1");
	set_sched_conf(fixture, "weight_waiting_time", "0.01");
	set_sched_conf(fixture, "weight_deadline", "3600000");
	reload(fixture);
}

static void make_slurm(struct fixture *fixture)
{
	make_cell(fixture);
	put_away(fixture, "sched_conf");	/* a cell with only slurm.conf uses that algorithm */
	put(fixture, "slurm.conf", SLURM_CONF);
	put(fixture, "associations", ASSOCIATIONS);
	reload(fixture);
}

static void add_jobs(struct story *story)
{
	for (uint32_t number = 1; number <= JOBS; number++)
		TELL(story->f,
		     "{'event':'job_add','job_number':%u,'owner':'%s','submission_time':%" PRId64 ",'priority':%d%s%s}",
		     number, ONE_OF(story, "ann", "bob", "cal"), story->now - 1 - below(story, 90000),
		     -(int)below(story, 300), ONE_OF(story, "", "", ",'tasks':'1-3'"),
		     ONE_OF(story, "", "", ",'deadline':1700090000", ",'hold':{'u':'1'}"));
	TELL(story->f, "{'event':'user_usage','user':'ann','time_stamp':%" PRId64 ",'usage':{'cpu':50000}}",
	     story->now);
	TELL(story->f, "{'event':'user_usage','user':'bob','time_stamp':%" PRId64 ",'usage':{'cpu':9000}}", story->now);
}

/* Report the owner's usage again with an earlier time. */
static void report_usage(struct story *story, uint32_t number, int64_t seconds)
{
	struct fl_job job;
	bool ann;

	assert_int_equal(fl_find(story->f->view, number, 0, &job), 0);
	ann = strcmp(job.owner, "ann") == 0;
	if (ann || strcmp(job.owner, "bob") == 0)
		TELL(story->f, "{'event':'user_usage','user':'%s','time_stamp':%" PRId64 ",'usage':{'cpu':%d}}",
		     ann ? "ann" : "bob", story->now - seconds, ann ? 50000 : 9000);
}

static uint64_t place_with(struct story *story, const struct advice *advice, uint32_t number, int64_t value)
{
	if (advice->kind == ADVICE_PRIORITY)
		TELL(story->f, "{'event':'job_modify','job_number':%u,'priority':%d}", number, (int)value);
	else if (advice->kind == ADVICE_NICE)
		TELL(story->f, "{'event':'job_modify','job_number':%u,'nice':%" PRId64 "}", number, value);
	else if (advice->kind == ADVICE_USAGE)
		report_usage(story, number, value);
	else
		story->now += value;
	run(story->f, story->now);
	return standing_rank(story->f->view, number);
}

static int64_t step_of(const struct advice *advice)
{
	return advice->kind == ADVICE_NICE ? -1 : advice->kind == ADVICE_PRIORITY ? 1 : ADVICE_STEP_S;
}

/*
 * Check that the promised start happens, and that it does not happen with one step less. If no
 * change helps, check that the largest change does not help either.
 */
static unsigned check_changes(struct story *story, const struct advice *advice, uint32_t number, uint64_t seed)
{
	unsigned found = 0;

	for (int goal = 0; goal < ADVICE_GOALS; goal++) {
		const struct advice_answer *answer = &advice->answers[goal];
		uint64_t place = advice_goal_place(advice, (enum advice_goal)goal);

		if (!answer->asked || advice->never)
			continue;
		if (!answer->found) {
			assert_true(place_with(story, advice, number, advice->most) > place);
			continue;
		}
		found++;
		if (place_with(story, advice, number, answer->value) != answer->place || answer->place > place)
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ": job %u: %s %" PRId64
				 " does not move it to place %" PRIu64,
				 seed, number, advice_kind_name(advice->kind), answer->value, answer->place);
		if (place_with(story, advice, number, answer->value - step_of(advice)) <= place)
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ": job %u: less than %s %" PRId64 " is enough as well", seed,
				 number, advice_kind_name(advice->kind), answer->value);
	}
	assert_int_equal(place_with(story, advice, number, advice->from), advice->place);
	return found;
}

static unsigned check_advices(struct story *story, uint32_t number, uint64_t seed)
{
	struct error error = { .text = "" };
	struct advices advices;
	struct fl_job job;
	unsigned found = 0;

	assert_int_equal(fl_find(story->f->view, number, 0, &job), 0);
	if (advices_find(&advices, story->f->view, &job, &error) != 0)
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ": %s", seed, error.text);
	for (size_t i = 0; i < advices.n; i++)
		if (advices.items[i].kind != ADVICE_WAITING &&
		    (advices.items[i].kind != ADVICE_USAGE || advices.items[0].kind == ADVICE_PRIORITY))
			found += check_changes(story, &advices.items[i], number, seed);
	return found;
}

static void check_cells(void **state, void (*make)(struct fixture *fixture))
{
	uint64_t seed = seed_of();
	unsigned found = 0;

	for (unsigned cell = 0; cell < CELLS; cell++, seed++) {
		struct story story = { *state, STORY_SEED(seed), 0, NOW };

		make(story.f);
		sched_dispatch(story.f->sched, false);
		add_jobs(&story);
		run(story.f, story.now);
		for (uint32_t number = 1; number <= JOBS; number += 11)
			found += check_advices(&story, number, seed);
		assert_int_equal(teardown(state), 0);
		assert_int_equal(dispatch_setup(state), 0);
	}
	assert_true(found > CELLS);
}

static void test_priority_and_usage_move_a_job_as_promised_and_not_with_less(void **state)
{
	check_cells(state, make_gridengine);
}

static void test_the_estimate_is_right_with_slurms_priorities(void **state)
{
	check_cells(state, make_slurm);
}

/* Move the clock to one step before the promised time, then to it. */
static void check_waiting(struct story *story, const struct advice *advice, uint32_t number, uint64_t seed)
{
	const struct advice_answer *answer = &advice->answers[ADVICE_PAST_NEXT];

	assert_true(place_with(story, advice, number, answer->value - ADVICE_STEP_S) >= advice->place);
	if (place_with(story, advice, number, ADVICE_STEP_S) != answer->place)
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ": job %u: waiting %" PRId64 " s does not move it to place %" PRIu64,
			 seed, number, answer->value, answer->place);
}

static void test_waiting_moves_a_job_forward_when_promised(void **state)
{
	uint64_t seed = seed_of();
	struct error error = { .text = "" };
	unsigned found = 0;

	for (unsigned cell = 0; cell < CELLS; cell++, seed++) {
		struct story story = { *state, STORY_SEED(seed), 0, NOW };
		struct advices advices = { .n = 0 };
		struct fl_job job;

		make_gridengine(story.f);
		sched_dispatch(story.f->sched, false);
		add_jobs(&story);
		run(story.f, story.now);
		for (size_t k = 5; !advices.n && fl_get(story.f->view, FL_PENDING, k, &job) == 0; k++) {
			assert_int_equal(advices_find(&advices, story.f->view, &job, &error), 0);
			for (size_t i = 0; i < advices.n; i++)
				if (advices.items[i].kind == ADVICE_WAITING &&
				    advices.items[i].answers[ADVICE_PAST_NEXT].found) {
					check_waiting(&story, &advices.items[i], job.job_number, seed);
					found++;
				}
			advices.n = found > cell ? advices.n : 0;
		}
		assert_int_equal(teardown(state), 0);
		assert_int_equal(dispatch_setup(state), 0);
	}
	assert_true(found > 0);
}

/* Start */

static const struct starting_wishes wishes = { .horizon_s = 86400, .budget_ns = 60000000000 };

static void add(struct fixture *fixture, uint32_t number, const char *more)
{
	TELL(fixture, "{'event':'job_add','job_number':%u,'owner':'ann','submission_time':%" PRId64 "%s}", number,
	     (int64_t)NOW - 100, more);
}

static void start(struct fixture *fixture, uint32_t number, const char *queue)
{
	TELL(fixture,
	     "{'event':'task_start','job_number':%u,'start_time':%" PRId64 ",'granted':[{'queue':'%s','slots':4}]}",
	     number, (int64_t)NOW - 50, queue);
}

static void fill(struct fixture *fixture, const char *first, const char *second)
{
	add(fixture, 1, first);
	start(fixture, 1, "all.q@ada");
	add(fixture, 2, second);
	start(fixture, 2, "all.q@bly");
}

static struct starting look(struct fixture *fixture, uint32_t number, const struct starting_wishes *starting_wishes)
{
	struct error error = { .text = "" };
	struct starting starting;
	struct fl_job job;

	assert_int_equal(fl_find(fixture->view, number, 0, &job), 0);
	if (starting_find(&starting, fixture->view, &job, starting_wishes, &error) != 0)
		fail_msg("%s", error.text);
	return starting;
}

#define WIDE(h_rt) ",'hard_resource_list':'h_rt=" h_rt "','pe':'mpi','pe_range':'4'"

static void test_the_estimate_is_the_time_at_which_the_scheduler_starts_it(void **state)
{
	struct fixture *fixture = *state;
	struct starting starting;

	fill(fixture, WIDE("300"), WIDE("3600"));
	add(fixture, 3, "");
	run(fixture, NOW);
	starting = look(fixture, 3, &wishes);
	assert_int_equal(starting.answer, STARTING_ESTIMATED);
	assert_string_equal(starting.queue, "all.q@ada");
	assert_int_equal(starting.slots, 1);
	run(fixture, starting.at - 15);
	assert_int_equal(started(fixture, 3), 0);
	TELL(fixture, "{'event':'task_finish','job_number':1}");
	run(fixture, starting.at);
	assert_int_equal(started(fixture, 3), 1);
	starting_free(&starting);
}

static void test_a_running_task_ends_when_its_time_is_over(void **state)
{
	struct fixture *fixture = *state;
	struct starting starting;

	fill(fixture, WIDE("300"), "");
	run(fixture, NOW);
	starting = look(fixture, 1, &wishes);
	assert_int_equal(starting.end - NOW, 250);
	assert_int_equal(look(fixture, 2, &wishes).end, 0);
}

static void test_tasks_without_a_limit_are_counted_and_may_get_one(void **state)
{
	const struct starting_wishes hour = { .run_s = 3600, .horizon_s = 86400, .budget_ns = 60000000000 };
	struct fixture *fixture = *state;
	struct starting starting;

	fill(fixture, ",'pe':'mpi','pe_range':'4'", ",'pe':'mpi','pe_range':'4'");
	add(fixture, 3, "");
	run(fixture, NOW);
	starting = look(fixture, 3, &wishes);
	assert_int_equal(starting.answer, STARTING_ASSUMED);
	assert_int_equal(starting.endless, 2);
	assert_int_equal(starting.run_s, 3600);
	assert_in_range(starting.at - NOW, 3550, 3550 + 15);
	starting_free(&starting);
	starting = look(fixture, 3, &hour);
	assert_int_equal(starting.answer, STARTING_ESTIMATED);
	assert_int_equal(starting.endless, 0);
	assert_in_range(starting.at - NOW, 3550, 3550 + 15);
	starting_free(&starting);
}

static void test_tasks_without_a_limit_run_for_the_default_duration_of_the_cell(void **state)
{
	struct fixture *fixture = *state;
	struct starting starting;

	set_sched_conf(fixture, "default_duration", "2:0:0");
	reload(fixture);
	fill(fixture, ",'pe':'mpi','pe_range':'4'", ",'pe':'mpi','pe_range':'4'");
	add(fixture, 3, "");
	add(fixture, 4, ",'pe':'mpi','pe_range':'9'");
	run(fixture, NOW);
	starting = look(fixture, 3, &wishes);
	assert_int_equal(starting.answer, STARTING_ESTIMATED);
	assert_true(starting.is_default_duration);
	assert_int_equal(starting.endless, 2);
	assert_in_range(starting.at - NOW, 7150, 7150 + 15);
	starting_free(&starting);
	starting = look(fixture, 4, &wishes);
	assert_int_equal(starting.answer, STARTING_NEVER);
	assert_string_equal(starting.reasons[0],
			    "too few slots were found for parallel environment mpi: 8, and 9 are needed");
	starting_free(&starting);
}

static void test_a_job_that_never_starts_reports_its_missing_resources(void **state)
{
	struct fixture *fixture = *state;
	struct starting starting;

	fill(fixture, WIDE("300"), WIDE("300"));
	add(fixture, 3, ",'pe':'mpi','pe_range':'9'");
	run(fixture, NOW);
	starting = look(fixture, 3, &wishes);
	assert_int_equal(starting.answer, STARTING_NEVER);
	assert_true(starting.nreasons > 0);
	assert_string_equal(starting.reasons[0],
			    "too few slots were found for parallel environment mpi: 8, and 9 are needed");
	starting_free(&starting);
}

static void test_a_reservation_is_the_answer_if_one_exists(void **state)
{
	struct fixture *fixture = *state;
	struct starting starting;
	struct fl_why why;

	set_sched_conf(fixture, "max_reservation", "5");
	reload(fixture);
	fill(fixture, WIDE("300"), WIDE("3600"));
	add(fixture, 3, ",'pe':'mpi','pe_range':'6','reserve':true");
	run(fixture, NOW);
	assert_int_equal(fl_why(fixture->view, 3, 0, &why), 0);
	assert_string_equal(why.kind, "reserved");
	starting = look(fixture, 3, &wishes);
	assert_int_equal(starting.answer, STARTING_RESERVED);
	assert_int_equal(starting.at, (int64_t)why.had);
	assert_int_equal(starting.slots, 6);
	assert_true(strncmp(starting.queue, "all.q@", 6) == 0);
	starting_free(&starting);
}

static void test_predecessors_are_named_and_held_ones_have_no_estimate(void **state)
{
	struct fixture *fixture = *state;
	struct starting starting;

	fill(fixture, WIDE("300"), WIDE("3600"));
	add(fixture, 3, ",'hold_jid':[1,2]");
	add(fixture, 4, ",'hold':{'u':'1'}");
	run(fixture, NOW);
	starting = look(fixture, 3, &wishes);
	assert_int_equal(starting.nafter, 2);
	assert_int_equal(starting.after[0] + starting.after[1], 3);
	assert_int_equal(starting.answer, STARTING_ESTIMATED);
	assert_in_range(starting.at - NOW, 3550, 3550 + 15);
	starting_free(&starting);
	starting = look(fixture, 4, &wishes);
	assert_int_equal(starting.answer, STARTING_UNKNOWN);
	starting_free(&starting);
}

/* Any state of a cell */

static double reserved_at(const struct fl_view *view, uint32_t job_number)
{
	struct fl_why why;

	for (size_t i = 0; fl_why(view, job_number, i, &why) == 0; i++)
		if (strcmp(why.kind, "reserved") == 0)
			return why.had;
	return 0.0;
}

static void check_start(struct fixture *fixture, const struct fl_job *job, uint64_t seed)
{
	const struct starting_wishes short_of_time = { .horizon_s = 3600, .budget_ns = 20000000 };
	struct error error = { .text = "" };
	struct starting starting;
	double reserved = job->is_started ? 0.0 : reserved_at(fixture->view, job->job_number);

	if (starting_find(&starting, fixture->view, job, &short_of_time, &error) != 0)
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ": job %u: %s", seed, job->job_number, error.text);
	assert_true(!job->is_started || starting.answer == STARTING_UNKNOWN);
	assert_true(starting.end == 0 || job->is_started);
	if ((starting.answer == STARTING_RESERVED) != (reserved != 0.0) ||
	    (reserved != 0.0 && starting.at != (int64_t)reserved))
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ": job %u: %s at %" PRId64 ", reserved for %.0f", seed,
			 job->job_number, starting_answer_name(starting.answer), starting.at, reserved);
	starting_free(&starting);
}

static void test_each_job_of_random_runs_has_an_answer(void **state)
{
	uint64_t seed = seed_of();
	struct fixture *fixture = *state;
	struct story story = { fixture, STORY_SEED(seed), 0, NOW };
	struct fl_job job;
	size_t answers = 0;

	make_cell(fixture);
	for (unsigned run_number = 0; run_number < RUNS; run_number++) {
		go_on(&story);
		run(fixture, story.now);
		for (int list = FL_STARTED; list <= FL_PENDING; list++)
			for (size_t k = 0; fl_get(fixture->view, (enum fl_list)list, k, &job) == 0; k += 3, answers++)
				check_start(fixture, &job, seed);
	}
	assert_true(answers > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_rank_and_jobs_ahead_match_a_manual_count),
		DISPATCH_TEST(test_priority_and_usage_move_a_job_as_promised_and_not_with_less),
		DISPATCH_TEST(test_the_estimate_is_right_with_slurms_priorities),
		DISPATCH_TEST(test_waiting_moves_a_job_forward_when_promised),
		DISPATCH_TEST(test_the_estimate_is_the_time_at_which_the_scheduler_starts_it),
		DISPATCH_TEST(test_a_running_task_ends_when_its_time_is_over),
		DISPATCH_TEST(test_tasks_without_a_limit_are_counted_and_may_get_one),
		DISPATCH_TEST(test_tasks_without_a_limit_run_for_the_default_duration_of_the_cell),
		DISPATCH_TEST(test_a_job_that_never_starts_reports_its_missing_resources),
		DISPATCH_TEST(test_a_reservation_is_the_answer_if_one_exists),
		DISPATCH_TEST(test_predecessors_are_named_and_held_ones_have_no_estimate),
		DISPATCH_TEST(test_each_job_of_random_runs_has_an_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
