/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every job of random runs is explained for any settings of the policies: the derivation equals the
 * published values exactly, which explain_job() checks itself. FAIRLEAD_SEED=n sets the seed,
 * FAIRLEAD_CELLS=n the number of cells.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sched/explain/gridengine.h"
#include "tests/run/story.h"

enum { CELLS = 12, RUNS = 8 };

static void put_owner(struct story *story, const char *name)
{
	char file[100], text[200];

	snprintf(file, sizeof(file), "users/%s", name);
	snprintf(text, sizeof(text), "name %s\noticket %u\nfshare %u\ndelete_time 0\ndefault_project NONE\n", name,
		 below(story, 3) * 100, below(story, 4) * 50);
	put(story->f, file, text);
}

/* Write projects with users and without, separate users, and users known only to `default`. */
static void put_branches(struct story *story)
{
	const unsigned shares[] = { below(story, 9), 1 + below(story, 9), below(story, 9), 1 + below(story, 9),
				    below(story, 3) };
	char text[1200];

	snprintf(
		text, sizeof(text),
		"id=0\nname=Root\ntype=0\nshares=1\nchildnodes=1,2,3,7\n"
		"id=1\nname=red\ntype=1\nshares=%u\nchildnodes=4,5\nid=4\nname=ann\ntype=0\nshares=%u\nchildnodes=NONE\n"
		"id=5\nname=default\ntype=0\nshares=%u\nchildnodes=NONE\nid=2\nname=staff\ntype=0\nshares=%u\nchildnodes=6\n"
		"id=6\nname=bob\ntype=0\nshares=2\nchildnodes=NONE\nid=3\nname=blue\ntype=1\nshares=%u\nchildnodes=NONE\n"
		"id=7\nname=default\ntype=0\nshares=3\nchildnodes=NONE\n",
		shares[0], shares[1], shares[2], shares[3], shares[4]);
	put(story->f, "share_tree", text);
}

/* Change all settings that affect tickets. */
static void make_policies(struct story *story)
{
	struct fixture *fixture = story->f;

	make_cell(fixture);
	set_sched_conf(fixture, "policy_hierarchy", ONE_OF(story, "OFS", "SFO", "FSO", "NONE", "S", "OS"));
	set_sched_conf(fixture, "share_override_tickets", ONE_OF(story, "TRUE", "FALSE"));
	set_sched_conf(fixture, "share_functional_shares", ONE_OF(story, "TRUE", "FALSE"));
	set_sched_conf(fixture, "max_functional_jobs_to_schedule", ONE_OF(story, "200", "0", "3", "1"));
	set_sched_conf(fixture, "max_pending_tasks_per_job", ONE_OF(story, "50", "1", "3"));
	set_sched_conf(fixture, "weight_tickets_share", ONE_OF(story, "10000", "0", "1000000"));
	set_sched_conf(fixture, "weight_tickets_functional", ONE_OF(story, "5000", "0", "7"));
	set_sched_conf(fixture, "compensation_factor", ONE_OF(story, "5", "0", "1.1", "2"));
	set_sched_conf(fixture, "weight_user", ONE_OF(story, "0.25", "0.9", "0"));
	set_sched_conf(fixture, "weight_job", ONE_OF(story, "0.25", "0"));
	set_sched_conf(fixture, "weight_waiting_time", ONE_OF(story, "0", "0.278"));
	set_sched_conf(fixture, "weight_urgency", ONE_OF(story, "0.1", "0"));
	set_sched_conf(fixture, "weight_priority", ONE_OF(story, "1", "0"));
	set_sched_conf(fixture, "usage_weight_list", ONE_OF(story, "cpu=1.0,mem=0.0,io=0.0", "cpu=0.3,mem=0.4,io=3"));
	set_sched_conf(fixture, "report_pjob_tickets", ONE_OF(story, "TRUE", "TRUE", "FALSE"));
	put_owner(story, "ann");
	put_owner(story, "bob");
	put_owner(story, "cal");
	if (below(story, 3))
		put_branches(story);
	reload(fixture);
}

/* Return the number of lines. */
static size_t explain_row(struct explainer *explainer, const struct fl_job *job, uint64_t seed)
{
	struct error error = { .text = "" };
	struct explanation explanation;
	size_t lines;

	if (explain_job(explainer, job->job_number, job->is_started ? job->task : 0, &explanation, &error) != 0)
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ": %s", seed, error.text);
	assert_true(explanation.prio != DERIVED_NONE || *explanation.why);
	lines = explanation.derivation.n;
	explanation_free(&explanation);
	return lines;
}

/* Explain hidden tasks of an array: they have numbers or a reason for having none. */
static void explain_hidden(struct explainer *explainer, const struct fl_job *job, uint64_t seed)
{
	struct error error = { .text = "" };
	struct explanation explanation;

	for (size_t k = 0; k < job->nranges; k++) {
		if (explain_job(explainer, job->job_number, job->tasks[k].max, &explanation, &error) != 0)
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ": task %u: %s", seed, job->tasks[k].max, error.text);
		assert_true(explanation.prio != DERIVED_NONE || *explanation.why);
		assert_int_equal(explanation.is_hidden, job->tasks[k].max != job->task);
		explanation_free(&explanation);
	}
}

static double value_of(const struct explanation *explanation, const char *name)
{
	for (size_t i = 0; i < explanation->nvalues; i++)
		if (strcmp(explanation->values[i].name, name) == 0)
			return derived_value(&explanation->derivation, explanation->values[i].line);
	return -1.0;
}

/* Check that tasks started in the run are explained by the numbers in their orders. */
static void explain_starts(const struct fl_view *view, const struct orders *orders, uint64_t after, uint64_t seed)
{
	struct error error = { .text = "" };
	struct explanation explanation;
	struct explainer *explainer;

	if (explainer_create(&explainer, view, &error) != 0)
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ": %s", seed, error.text);
	for (const struct order *order; (order = orders_after(orders, after)); after = order->number) {
		if (order->kind != ORDER_START)
			continue;
		if (explain_job(explainer, order->job_number, order->task, &explanation, &error) != 0)
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ": %s", seed, error.text);
		assert_true(explanation.is_started_now);
		if (value_of(&explanation, "prio") != order->start.prio ||
		    value_of(&explanation, "ntckts") != order->start.ntckts ||
		    value_of(&explanation, "tckts") != order->start.tickets)
			fail_msg(
				"FAIRLEAD_SEED=%" PRIu64 ": order %" PRIu64
				": task %u of job %u: prio %.17g, ntckts %.17g, tickets %.17g, explained as %.17g, %.17g, "
				"%.17g",
				seed, order->number, order->task, order->job_number, order->start.prio,
				order->start.ntckts, order->start.tickets, value_of(&explanation, "prio"),
				value_of(&explanation, "ntckts"), value_of(&explanation, "tckts"));
		explanation_free(&explanation);
	}
	explainer_destroy(explainer);
}

static size_t explain_all(const struct fl_view *view, uint64_t seed)
{
	struct error error = { .text = "" };
	struct explainer *explainer;
	struct fl_job job;
	size_t lines = 0;

	if (explainer_create(&explainer, view, &error) != 0)
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ": %s", seed, error.text);
	for (int list = FL_STARTED; list <= FL_PENDING; list++)
		for (size_t k = 0; fl_get(view, (enum fl_list)list, k, &job) == 0; k++) {
			lines += explain_row(explainer, &job, seed);
			explain_hidden(explainer, &job, seed);
		}
	explainer_destroy(explainer);
	return lines;
}

static void test_every_job_of_random_runs_is_explained_to_the_bit(void **state)
{
	const char *given = getenv("FAIRLEAD_SEED"), *cells = getenv("FAIRLEAD_CELLS");
	uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
	unsigned ncells = cells ? (unsigned)strtoul(cells, NULL, 10) : CELLS;
	struct fixture *fixture = *state;
	size_t lines = 0;

	for (unsigned cell = 0; cell < ncells; cell++, seed++) {
		struct story story = { fixture, 88172645463325252u ^ seed * 0x9e3779b97f4a7c15u, 0, NOW };

		make_policies(&story);
		for (unsigned k = 0; k < RUNS; k++) {
			uint64_t after;

			go_on(&story);
			after = sched_orders(fixture->sched)->last;
			run(fixture, story.now);
			explain_starts(fixture->view, sched_orders(fixture->sched), after, seed);
			lines += explain_all(fixture->view, seed);
		}
		assert_int_equal(teardown(state), 0);
		assert_int_equal(dispatch_setup(state), 0);
		fixture = *state;
	}
	print_message("%zu lines\n", lines);
	assert_true(lines > 1000);
}

static void take_a_ticket(struct explainer *explainer)
{
	((struct gridengine *)explainer->sched->policies.in_force)->tickets.share_tickets += 1.0;
}

static void test_a_derivation_that_differs_from_the_published_one_is_detected(void **state)
{
	struct error error = { .text = "" };
	struct fixture *fixture = *state;
	struct story story = { fixture, 12345, 0, NOW };
	struct explanation explanation;
	struct explainer *explainer;

	make_cell(fixture);
	for (unsigned k = 0; k < 10; k++)
		TELL(fixture, "{'event':'job_add','job_number':%u,'owner':'ann','submission_time':%" PRId64 "}", k + 1,
		     story.now);
	sched_dispatch(fixture->sched, false);
	run(fixture, story.now);
	assert_int_equal(explainer_create(&explainer, fixture->view, &error), 0);
	assert_int_equal(explain_job(explainer, 7, 0, &explanation, &error), 0);
	explanation_free(&explanation);
	take_a_ticket(explainer);
	assert_int_equal(explain_job(explainer, 7, 0, &explanation, &error), -EPROTO);
	assert_non_null(strstr(error.text, "stckt is derived as"));
	explanation_free(&explanation);
	explainer_destroy(explainer);
}

static void test_a_missing_job_or_task_is_reported(void **state)
{
	struct error error = { .text = "" };
	struct fixture *fixture = *state;
	struct explanation explanation;
	struct explainer *explainer;

	make_cell(fixture);
	TELL(fixture, ADD "1,'owner':'ann','tasks':'2-8:2'}");
	sched_dispatch(fixture->sched, false);
	run(fixture, NOW);
	assert_int_equal(explainer_create(&explainer, fixture->view, &error), 0);
	assert_int_equal(explain_job(explainer, 2, 0, &explanation, &error), -ENOENT);
	assert_string_equal(error.text, "job 2 does not exist");
	explanation_free(&explanation);
	assert_int_equal(explain_job(explainer, 1, 3, &explanation, &error), -ENOENT);
	assert_string_equal(error.text, "job 1 has no pending or running task 3");
	explanation_free(&explanation);
	assert_int_equal(explain_job(explainer, 1, 6, &explanation, &error), 0);
	assert_true(explanation.is_hidden);
	assert_int_equal(explanation.job.task, 6);
	explanation_free(&explanation);
	explainer_destroy(explainer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_every_job_of_random_runs_is_explained_to_the_bit),
		DISPATCH_TEST(test_a_derivation_that_differs_from_the_published_one_is_detected),
		DISPATCH_TEST(test_a_missing_job_or_task_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
