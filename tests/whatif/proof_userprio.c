/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of HTCondor's negotiation: a run with changes is exactly the run of a scheduler that was
 * started with them, and a run without changes is the published one. FAIRLEAD_SEED=n sets the seed.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/userprio/story.h"
#include "tests/whatif/proof.h"

enum { POOLS = 4, RUNS = 10 };

/* Show a run without a cycle, which has the previous cycle. */
static void show_no_cycle(FILE *out, const struct fl_view *view)
{
	struct fl_customer customer;
	struct fl_job job;

	for (int list = FL_STARTED; list <= FL_PENDING; list++)
		for (size_t k = 0; fl_get(view, (enum fl_list)list, k, &job) == 0; k++)
			fprintf(out, "job %u.%u %s %s %a\n", job.job_number, job.task, job.state, job.queue, job.prio);
	for (size_t k = 0; fl_customer(view, k, &customer) == 0; k++)
		fprintf(out, "customer %s %u %a %a %a\n", customer.name, customer.used, customer.rup, customer.factor,
			customer.accumulated);
}

static void show_cycle(FILE *out, const struct fl_view *view)
{
	show_rows(out, view, false);
	show_promises(out, view);
}

static const char *const macros[][2] = { { "DB_LIMIT", "1" }, { "PRIORITY_HALFLIFE", "100" }, { "GROUP_QUOTA_hep", "1" }, { "SLOT_WEIGHT", "2" },
					 { "GROUP_ACCEPT_SURPLUS", "False" }, { "PREEMPTION_REQUIREMENTS", "False" } };

static void add_macro(struct fixture *other, uint32_t which)
{
	char path[200];
	FILE *out;

	snprintf(path, sizeof(path), "%s/condor_config", other->cell.directory);
	out = fopen(path, "a");
	assert_non_null(out);
	fprintf(out, "%s = %s\n", macros[which % 6][0], macros[which % 6][1]);
	assert_int_equal(fclose(out), 0);
}

static void suppose_macro(struct suppositions *suppositions, uint32_t which)
{
	char text[80];

	snprintf(text, sizeof(text), "%s=%s", macros[which % 6][0], macros[which % 6][1]);
	assert_int_equal(suppose_set(suppositions, "--set", text, NULL), 0);
}

static void report_prio(struct fixture *other, uint32_t which)
{
	TELL(other, "{'event':'job_modify','job_number':%u,'job_prio':%d}", 1 + which % 30, (int)(which % 40) - 20);
}

static void suppose_prio(struct suppositions *suppositions, uint32_t which)
{
	struct event event;

	event_init(&event, EVENT_JOB_MODIFY);
	event.job.job_number = 1 + which % 30;
	event.job.condor.given = CONDOR_JOB_PRIO;
	event.job.condor.job_prio = (int32_t)(which % 40) - 20;
	assert_int_equal(suppose_event(suppositions, "--job", &event), 0);
}

static void suppose_nobody(struct suppositions *suppositions, uint32_t which)
{
	(void)which;
	assert_int_equal(suppose_after(suppositions, "--at", 0), 0);
}

static const struct change_case cases[] = {
	{ suppose_nobody, { 0 } }, { suppose_macro, { .files = add_macro } }, { suppose_prio, { .events = report_prio } },
};

static bool is_cycle(const struct fl_view *view, int64_t now)
{
	struct fl_negotiation negotiation;

	assert_int_equal(fl_negotiation(view, &negotiation), 0);
	return negotiation.begin == now;
}

static void test_a_supposed_change_negotiates_like_a_scheduler_started_with_it(void **state)
{
	uint64_t seed = seed_of();

	for (unsigned pool = 0; pool < POOLS; pool++, seed++) {
		struct story story = { *state, STORY_START(seed), 0, NOW };

		make_pool(story.f);
		for (unsigned k = 0; k < RUNS; k++) {
			uint32_t c = below(&story, 3), which = below(&story, 100000);

			go_on(&story);
			run(story.f, story.now);
			check_nothing(&story, is_cycle(story.f->view, story.now) ? show_cycle : show_no_cycle, seed, k);
			if (c == 2 && !is_there(story.f, 1 + which % 30))
				c = 1;
			check_change(&story, &cases[c], which, below(&story, 500), show_cycle, seed, k);
		}
		assert_int_equal(teardown(state), 0);
		assert_int_equal(pool_setup(state), 0);
	}
}

static void test_between_two_cycles_the_comparison_uses_a_run_with_a_cycle(void **state)
{
	struct story story = { *state, STORY_START(1), 0, NOW };
	const struct fl_view *before;
	struct fl_negotiation negotiation;
	struct whatif *whatif;

	make_pool(story.f);
	run(story.f, NOW);
	run(story.f, NOW + 1);
	assert_false(is_cycle(story.f->view, NOW + 1));
	assert_int_equal(whatif_open(&whatif, story.f->view, &story.f->error), 0);
	assert_int_equal(whatif_before(whatif, &before, &story.f->error), 0);
	assert_int_equal(fl_negotiation(before, &negotiation), 0);
	assert_int_equal(negotiation.begin, NOW + 1);
	whatif_close(whatif);
}

static double factor_of(const struct fl_view *view, const char *name)
{
	struct fl_customer customer;

	for (size_t k = 0; fl_customer(view, k, &customer) == 0; k++)
		if (strcmp(customer.name, name) == 0)
			return customer.factor;
	return 0;
}

static void test_a_submitter_has_the_supposed_factor(void **state)
{
	struct suppositions list = { 0 };
	struct fixture *fixture = *state;
	struct fl_cell *result;
	struct error error;
	struct whatif *whatif;

	make_pool(fixture);
	jobs_add(fixture, 1, 3, "ann", "");
	run(fixture, NOW);
	assert_int_equal(whatif_open(&whatif, fixture->view, &error), 0);
	assert_int_equal(suppose_sharer(&list, "--user ann --factor 7", SUPPOSE_USER, "ann", SUPPOSE_FACTOR, 7, &error),
			 0);
	assert_int_equal(suppose_sharer(&list, "--user new@pool --factor 9", SUPPOSE_USER, "new@pool", SUPPOSE_FACTOR,
					9, &error),
			 0);
	assert_int_equal(whatif_run(whatif, &list, &result, &error), 0);
	assert_true(factor_of(fl_begin(result), "ann@pool") == 7);
	assert_true(factor_of(fl_begin(result), "new@pool") == 9);
	assert_true(factor_of(fixture->view, "ann@pool") == 1000);
	fl_detach(result);
	whatif_close(whatif);
	suppose_nothing(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		POOL_TEST(test_a_supposed_change_negotiates_like_a_scheduler_started_with_it),
		POOL_TEST(test_between_two_cycles_the_comparison_uses_a_run_with_a_cycle),
		POOL_TEST(test_a_submitter_has_the_supposed_factor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
