/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler that is detached from a published run computes that run again: the same rows,
 * reasons, users and tree, the same orders, and the same final state, exact to the bit. Random
 * events and runs on a cell that uses all features; FAIRLEAD_SEED=n sets the seed.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/run/story.h"

enum { CELLS = 12, RUNS = 20 };

/* Results of a run */

static void show_row(FILE *out, const struct fl_view *view, const struct fl_job *job)
{
	struct fl_why why;

	fprintf(out,
		"job %u.%u %s %s %s %s %s %" PRId64 " %" PRId64 " %" PRId64 " %d %u %u %s %s %s %s %s %s %u %a %a %a",
		job->job_number, job->task, job->state, job->name, job->owner, job->project, job->department,
		job->submission_time, job->start_time, job->deadline, job->priority, job->jobshare,
		job->override_tickets, job->hard_resources, job->soft_resources, job->pe, job->pe_range,
		job->granted_pe, job->queue, job->slots, job->cpu, job->mem, job->io);
	fprintf(out, " %a %a %a %a %a %a %a %a %a %a %a %a %a", job->prio, job->nurg, job->ntckts, job->npprior,
		job->urg, job->rrcontr, job->wtcontr, job->dlcontr, job->tckts, job->otckt, job->ftckt, job->stckt,
		job->share);
	/* Ids may be in different groups. */
	for (size_t k = 0; k < job->nranges; k++)
		for (uint32_t id = job->tasks[k].min; id <= job->tasks[k].max; id += job->tasks[k].step)
			fprintf(out, " %u", id);
	fputc('\n', out);
	for (size_t k = 0; !job->is_started && fl_why(view, job->job_number, k, &why) == 0; k++)
		fprintf(out, "  why %s %s %s %u %a %a\n", why.kind, why.subject, why.object, why.count, why.wanted,
			why.had);
}

static void show_usage(FILE *out, const struct fl_usage *usage)
{
	fprintf(out, " %a %a %a %a %a %a %a %" PRId64 "\n", usage->cpu, usage->mem, usage->io, usage->ltcpu,
		usage->ltmem, usage->ltio, usage->combined, usage->time_stamp);
}

static void show_all(FILE *out, const struct fl_view *view)
{
	struct fl_job job;
	struct fl_run run;

	fl_run(view, &run);
	fprintf(out, "now %" PRId64 " free slots %" PRIu64 "\n", run.now, run.free_slots);
	for (int list = FL_STARTED; list <= FL_PENDING; list++)
		for (size_t k = 0; fl_get(view, (enum fl_list)list, k, &job) == 0; k++)
			show_row(out, view, &job);
	for (int kind = FL_USER; kind <= FL_DEPARTMENT; kind++)
		for (size_t k = 0; k < fl_sharers(view, (enum fl_kind)kind); k++) {
			struct fl_sharer sharer;

			assert_int_equal(fl_sharer(view, (enum fl_kind)kind, k, &sharer), 0);
			fprintf(out, "sharer %s %u %u %u", sharer.name, sharer.oticket, sharer.fshare,
				sharer.running_tasks);
			show_usage(out, &sharer.usage);
		}
	for (size_t k = 0; k < fl_nodes(view); k++) {
		struct fl_node node;

		assert_int_equal(fl_node(view, k, &node), 0);
		fprintf(out, "node %s %d %u %u %a %a %a\n", node.name, node.parent, node.shares, node.job_count,
			node.usage, node.long_target_share, node.short_target_share);
	}
}

static void test_a_detached_scheduler_computes_the_same_run(void **state)
{
	const char *given = getenv("FAIRLEAD_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
	struct fixture *fixture = *state;

	for (unsigned cell = 0; cell < CELLS; cell++, seed++) {
		struct story story = { fixture, 88172645463325252u ^ seed * 0x9e3779b97f4a7c15u, 0, NOW };

		make_cell(fixture);
		for (unsigned k = 0; k < RUNS; k++) {
			uint64_t after = sched_orders(fixture->sched)->last;
			char *before, *again;

			go_on(&story);
			sched_pause(fixture->sched, k % 3 == 1);
			run(fixture, story.now);
			before = shown(fixture->view, show_all, sched_orders(fixture->sched), after);
			again = shown_again(fixture, show_all, after, NULL);
			check_same(before, again, seed, k);
			free(before);
			free(again);
		}
		assert_int_equal(teardown(state), 0);
		assert_int_equal(dispatch_setup(state), 0);
		fixture = *state;
	}
}

static void forget_a_weight(struct sched *sched)
{
	sched->cell->sched.weight_urgency += 0.001;
}

static void test_a_value_that_is_changed_is_seen(void **state)
{
	struct fixture *fixture = *state;
	struct story story = { fixture, 12345, 0, NOW };
	char *before, *again;

	make_cell(fixture);
	for (unsigned k = 0; k < 10; k++)
		add_job(&story);
	run(fixture, story.now);
	before = shown(fixture->view, show_all, sched_orders(fixture->sched), 0);
	again = shown_again(fixture, show_all, 0, forget_a_weight);
	assert_string_not_equal(before, again);
	free(before);
	free(again);
}

/*
 * Negative control of the state that runs keep: the bookings of a task start again when its start
 * is another one, and here the start is changed without a mark.
 */
static void test_a_change_without_a_mark_is_detected(void **state)
{
	struct fixture *fixture = *state;
	struct story story = { fixture, 12345, 0, NOW };
	char *before, *again;
	uint32_t number;

	make_cell(fixture);
	for (unsigned k = 0; k < 10; k++)
		add_job(&story);
	run(fixture, story.now);
	assert_non_null(some_task(&story, true, &number));
	((struct task *)some_task(&story, true, &number))->granted[0].slots += 3;
	run(fixture, story.now + 1);
	before = shown(fixture->view, show_all, sched_orders(fixture->sched), 0);
	again = shown_again(fixture, show_all, 0, NULL);
	assert_string_not_equal(before, again);
	free(before);
	free(again);
}

static void test_a_detached_scheduler_does_not_disturb_others(void **state)
{
	const struct detach_options options = { .segment_bytes = 64 << 20 };
	struct fixture *fixture = *state;
	struct sched *detached;
	struct fl_run before, after;

	make_cell(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	run(fixture, NOW);
	fl_run(fixture->view, &before);
	assert_int_equal(sched_detach(&detached, &fixture->view->view, &options, &fixture->error), 0);
	assert_int_equal(sched_run(detached, NOW + 100, 0, &fixture->error), 0);
	assert_int_equal(fl_end(fixture->reader), 0);
	fixture->view = fl_begin(fixture->reader);
	fl_run(fixture->view, &after);
	assert_int_equal(before.generation, after.generation);
	assert_int_equal(sched_orders(fixture->sched)->last, 1);
	sched_destroy(detached);
	run(fixture, NOW + 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_detached_scheduler_computes_the_same_run),
		DISPATCH_TEST(test_a_value_that_is_changed_is_seen),
		DISPATCH_TEST(test_a_change_without_a_mark_is_detected),
		DISPATCH_TEST(test_a_detached_scheduler_does_not_disturb_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
