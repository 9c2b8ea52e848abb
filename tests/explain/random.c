/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every job of random runs is explained, whatever the policies are set to: the derivation comes to
 * what is published, to the bit, which explain_job() compares itself. FAIRLEAD_SEED=n begins
 * elsewhere, FAIRLEAD_CELLS=n makes more of them.
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

static void put_owner(struct story *s, const char *name)
{
	char file[100], text[200];

	snprintf(file, sizeof(file), "users/%s", name);
	snprintf(text, sizeof(text), "name %s\noticket %u\nfshare %u\ndelete_time 0\ndefault_project NONE\n", name, below(s, 3) * 100, below(s, 4) * 50);
	put(s->f, file, text);
}

/* Projects with users and without, users on their own, and those that only `default` knows. */
static void put_branches(struct story *s)
{
	const unsigned shares[] = { below(s, 9), 1 + below(s, 9), below(s, 9), 1 + below(s, 9), below(s, 3) };
	char text[1200];

	snprintf(text, sizeof(text), "id=0\nname=Root\ntype=0\nshares=1\nchildnodes=1,2,3,7\n"
		 "id=1\nname=red\ntype=1\nshares=%u\nchildnodes=4,5\nid=4\nname=ann\ntype=0\nshares=%u\nchildnodes=NONE\n"
		 "id=5\nname=default\ntype=0\nshares=%u\nchildnodes=NONE\nid=2\nname=staff\ntype=0\nshares=%u\nchildnodes=6\n"
		 "id=6\nname=bob\ntype=0\nshares=2\nchildnodes=NONE\nid=3\nname=blue\ntype=1\nshares=%u\nchildnodes=NONE\n"
		 "id=7\nname=default\ntype=0\nshares=3\nchildnodes=NONE\n", shares[0], shares[1], shares[2], shares[3], shares[4]);
	put(s->f, "share_tree", text);
}

/* Another setting of all that decides tickets. */
static void make_policies(struct story *s)
{
	struct fixture *f = s->f;

	make_cell(f);
	set_sched_conf(f, "policy_hierarchy", ONE_OF(s, "OFS", "SFO", "FSO", "NONE", "S", "OS"));
	set_sched_conf(f, "share_override_tickets", ONE_OF(s, "TRUE", "FALSE"));
	set_sched_conf(f, "share_functional_shares", ONE_OF(s, "TRUE", "FALSE"));
	set_sched_conf(f, "max_functional_jobs_to_schedule", ONE_OF(s, "200", "0", "3", "1"));
	set_sched_conf(f, "max_pending_tasks_per_job", ONE_OF(s, "50", "1", "3"));
	set_sched_conf(f, "weight_tickets_share", ONE_OF(s, "10000", "0", "1000000"));
	set_sched_conf(f, "weight_tickets_functional", ONE_OF(s, "5000", "0", "7"));
	set_sched_conf(f, "compensation_factor", ONE_OF(s, "5", "0", "1.1", "2"));
	set_sched_conf(f, "weight_user", ONE_OF(s, "0.25", "0.9", "0"));
	set_sched_conf(f, "weight_job", ONE_OF(s, "0.25", "0"));
	set_sched_conf(f, "weight_waiting_time", ONE_OF(s, "0", "0.278"));
	set_sched_conf(f, "weight_urgency", ONE_OF(s, "0.1", "0"));
	set_sched_conf(f, "weight_priority", ONE_OF(s, "1", "0"));
	set_sched_conf(f, "usage_weight_list", ONE_OF(s, "cpu=1.0,mem=0.0,io=0.0", "cpu=0.3,mem=0.4,io=3"));
	set_sched_conf(f, "report_pjob_tickets", ONE_OF(s, "TRUE", "TRUE", "FALSE"));
	put_owner(s, "ann");
	put_owner(s, "bob");
	put_owner(s, "cal");
	if (below(s, 3))
		put_branches(s);
	reload(f);
}

/* Returns how many lines there are. */
static size_t explain_row(struct explainer *e, const struct fl_job *job, uint64_t seed)
{
	struct error error = { .text = "" };
	struct explanation x;
	size_t lines;

	if (explain_job(e, job->job_number, job->is_started ? job->task : 0, &x, &error) != 0)
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ": %s", seed, error.text);
	assert_true(x.prio != DERIVED_NONE || *x.why);
	lines = x.derivation.n;
	explanation_free(&x);
	return lines;
}

/* Those of an array that no reader is shown have numbers, or there is a reason why not. */
static void explain_hidden(struct explainer *e, const struct fl_job *job, uint64_t seed)
{
	struct error error = { .text = "" };
	struct explanation x;

	for (size_t k = 0; k < job->nranges; k++) {
		if (explain_job(e, job->job_number, job->tasks[k].max, &x, &error) != 0)
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ": task %u: %s", seed, job->tasks[k].max, error.text);
		assert_true(x.prio != DERIVED_NONE || *x.why);
		assert_int_equal(x.is_hidden, job->tasks[k].max != job->task);
		explanation_free(&x);
	}
}

static double value_of(const struct explanation *x, const char *name)
{
	for (size_t i = 0; i < x->nvalues; i++)
		if (strcmp(x->values[i].name, name) == 0)
			return derived_value(&x->derivation, x->values[i].line);
	return -1.0;
}

/* What has started in the run is explained by the numbers that were ordered with it. */
static void explain_starts(const struct fl_view *view, const struct orders *orders, uint64_t after, uint64_t seed)
{
	struct error error = { .text = "" };
	struct explanation x;
	struct explainer *e;

	if (explainer_create(&e, view, &error) != 0)
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ": %s", seed, error.text);
	for (const struct order *o; (o = orders_after(orders, after)); after = o->number) {
		if (o->kind != ORDER_START)
			continue;
		if (explain_job(e, o->job_number, o->task, &x, &error) != 0)
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ": %s", seed, error.text);
		assert_true(x.is_started_now);
		if (value_of(&x, "prio") != o->start.prio || value_of(&x, "ntckts") != o->start.ntckts || value_of(&x, "tckts") != o->start.tickets)
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ": order %" PRIu64 ": task %u of job %u: prio %.17g, ntckts %.17g, tickets %.17g, explained as %.17g, %.17g, "
				 "%.17g", seed, o->number, o->task, o->job_number, o->start.prio, o->start.ntckts, o->start.tickets,
				 value_of(&x, "prio"), value_of(&x, "ntckts"), value_of(&x, "tckts"));
		explanation_free(&x);
	}
	explainer_destroy(e);
}

static size_t explain_all(const struct fl_view *view, uint64_t seed)
{
	struct error error = { .text = "" };
	struct explainer *e;
	struct fl_job job;
	size_t lines = 0;

	if (explainer_create(&e, view, &error) != 0)
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ": %s", seed, error.text);
	for (int list = FL_STARTED; list <= FL_PENDING; list++)
		for (size_t k = 0; fl_get(view, (enum fl_list)list, k, &job) == 0; k++) {
			lines += explain_row(e, &job, seed);
			explain_hidden(e, &job, seed);
		}
	explainer_destroy(e);
	return lines;
}

static void test_every_job_of_random_runs_is_explained_to_the_bit(void **state)
{
	const char *given = getenv("FAIRLEAD_SEED"), *cells = getenv("FAIRLEAD_CELLS");
	uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
	unsigned ncells = cells ? (unsigned)strtoul(cells, NULL, 10) : CELLS;
	struct fixture *f = *state;
	size_t lines = 0;

	for (unsigned cell = 0; cell < ncells; cell++, seed++) {
		struct story s = { f, 88172645463325252u ^ seed * 0x9e3779b97f4a7c15u, 0, NOW };

		make_policies(&s);
		for (unsigned k = 0; k < RUNS; k++) {
			uint64_t after;

			go_on(&s);
			after = sched_orders(f->sched)->last;
			run(f, s.now);
			explain_starts(f->view, sched_orders(f->sched), after, seed);
			lines += explain_all(f->view, seed);
		}
		assert_int_equal(teardown(state), 0);
		assert_int_equal(dispatch_setup(state), 0);
		f = *state;
	}
	print_message("%zu lines\n", lines);
	assert_true(lines > 1000);
}

static void take_a_ticket(struct explainer *e)
{
	((struct gridengine *)e->sched->policies.in_force)->tickets.share_tickets += 1.0;
}

static void test_what_is_derived_otherwise_than_published_is_seen(void **state)
{
	struct error error = { .text = "" };
	struct fixture *f = *state;
	struct story s = { f, 12345, 0, NOW };
	struct explanation x;
	struct explainer *e;

	make_cell(f);
	for (unsigned k = 0; k < 10; k++)
		TELL(f, "{'event':'job_add','job_number':%u,'owner':'ann','submission_time':%" PRId64 "}", k + 1, s.now);
	sched_dispatch(f->sched, false);
	run(f, s.now);
	assert_int_equal(explainer_create(&e, f->view, &error), 0);
	assert_int_equal(explain_job(e, 7, 0, &x, &error), 0);
	explanation_free(&x);
	take_a_ticket(e);
	assert_int_equal(explain_job(e, 7, 0, &x, &error), -EPROTO);
	assert_non_null(strstr(error.text, "stckt is derived as"));
	explanation_free(&x);
	explainer_destroy(e);
}

static void test_a_job_or_task_that_is_not_there_is_said_so(void **state)
{
	struct error error = { .text = "" };
	struct fixture *f = *state;
	struct explanation x;
	struct explainer *e;

	make_cell(f);
	TELL(f, ADD "1,'owner':'ann','tasks':'2-8:2'}");
	sched_dispatch(f->sched, false);
	run(f, NOW);
	assert_int_equal(explainer_create(&e, f->view, &error), 0);
	assert_int_equal(explain_job(e, 2, 0, &x, &error), -ENOENT);
	assert_string_equal(error.text, "job 2 does not exist");
	explanation_free(&x);
	assert_int_equal(explain_job(e, 1, 3, &x, &error), -ENOENT);
	assert_string_equal(error.text, "job 1 has no task 3 that waits or runs");
	explanation_free(&x);
	assert_int_equal(explain_job(e, 1, 6, &x, &error), 0);
	assert_true(x.is_hidden);
	assert_int_equal(x.job.task, 6);
	explanation_free(&x);
	explainer_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_every_job_of_random_runs_is_explained_to_the_bit),
		DISPATCH_TEST(test_what_is_derived_otherwise_than_published_is_seen),
		DISPATCH_TEST(test_a_job_or_task_that_is_not_there_is_said_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
