/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler that is detached from a published run of algorithm userprio computes that run again:
 * the same cycle with its visits and matches, the same customers to the bit, the same orders, and
 * the same final state. Random events, edits and runs; FAIRLEAD_SEED=n sets the seed.
 * FAIRLEAD_SEED=14 is known to differ, as sched/detach.h says.
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

enum { POOLS = 8, RUNS = 16 };

/* Results of a run */

static void show_cycle(FILE *out, const struct fl_view *view)
{
	struct fl_negotiation negotiation;
	struct fl_quota_group group;
	struct fl_submitter submitter;
	struct fl_concurrency_limit limit;
	struct fl_contact contact;
	struct fl_match match;
	struct fl_slot slot;

	assert_int_equal(fl_negotiation(view, &negotiation), 0);
	fprintf(out, "cycle %" PRIu64 " %" PRId64 " %" PRId64 " weight %a matches %u preemptions %u spins %u\n",
		negotiation.cycle, negotiation.begin, negotiation.last_update, negotiation.pool_weight,
		negotiation.matches, negotiation.preemptions, negotiation.spins);
	for (size_t k = 0; fl_quota_group(view, k, &group) == 0; k++)
		fprintf(out, "group %s %a %a %a %a %a %u\n", group.name, group.requested, group.quota, group.allocated,
			group.limit, group.tree_used, group.order);
	for (size_t k = 0; fl_submitter(view, k, &submitter) == 0; k++)
		fprintf(out, "submitter %s idle %u running %u share %a slice %a limit %a visits %u %s\n",
			submitter.name, submitter.idle, submitter.running, submitter.share, submitter.slice,
			submitter.limit, submitter.visits, submitter.stop);
	for (size_t k = 0; fl_slot(view, k, &slot) == 0; k++)
		fprintf(out, "slot %s %s %s %s %a %a %" PRId64 " %u.%u %u\n", slot.name, slot.state, slot.customer,
			slot.preempting, slot.weight, slot.current_rank, slot.since, slot.job_number, slot.task,
			slot.winner_job);
	for (size_t k = 0; fl_concurrency_limit(view, k, &limit) == 0; k++)
		if (limit.used > 0)		/* otherwise it was in use before */
			fprintf(out, "limit %s %a %a\n", limit.name, limit.most, limit.used);
	for (size_t k = 0; fl_contact(view, k, &contact) == 0; k++)
		fprintf(out, "contact %s %s %u\n", contact.submitter, contact.group, contact.spin);
	for (size_t k = 0; fl_match(view, k, &match) == 0; k++)
		fprintf(out, "match %s %s %u.%u %s %s %a\n", match.submitter, match.slot, match.job_number, match.task,
			match.preemption, match.loser, match.rank);
}

static void show_accounts(FILE *out, const struct fl_view *view)
{
	struct fl_customer customer;

	for (size_t k = 0; fl_customer(view, k, &customer) == 0; k++)
		fprintf(out,
			"customer %s %u %a %a %a %a %a %a %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
			" lease %" PRId64 "\n",
			customer.name, customer.used, customer.rup, customer.factor, customer.weight_used,
			customer.tree_used, customer.accumulated, customer.weight_accumulated, customer.begin,
			customer.last, customer.ceiling, customer.floor, customer.factor_lease.until);
}

static void show_jobs(FILE *out, const struct fl_view *view)
{
	struct fl_job job;

	for (int list = FL_STARTED; list <= FL_PENDING; list++)
		for (size_t k = 0; fl_get(view, (enum fl_list)list, k, &job) == 0; k++)
			fprintf(out, "job %u.%u %s %s %a %s\n", job.job_number, job.task, job.state, job.queue,
				job.prio, job.owner);
}

/*
 * Show a run without a cycle: it has the previous cycle, of which a new scheduler has only the
 * number.
 */
static void show_without_cycle(FILE *out, const struct fl_view *view)
{
	show_accounts(out, view);
	show_jobs(out, view);
}

static void show_with_cycle(FILE *out, const struct fl_view *view)
{
	show_cycle(out, view);
	show_without_cycle(out, view);
}

static void test_a_detached_scheduler_negotiates_the_same(void **state)
{
	const char *given = getenv("FAIRLEAD_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
	struct fixture *fixture = *state;
	uint64_t cycle, matches = 0, preemptions = 0;
	struct fl_negotiation negotiation;

	for (unsigned pool = 0; pool < POOLS; pool++, seed++) {
		struct story story = { fixture, 88172645463325252u ^ seed * 0x9e3779b97f4a7c15u, 0, NOW };

		make_pool(fixture);
		cycle = 0;
		for (unsigned k = 0; k < RUNS; k++) {
			uint64_t after = sched_orders(fixture->sched)->last;
			char *before, *again;
			show_run *show;

			go_on(&story);
			run(fixture, story.now);
			fl_negotiation(fixture->view, &negotiation);
			show = negotiation.cycle != cycle ? show_with_cycle : show_without_cycle;
			before = shown(fixture->view, show, sched_orders(fixture->sched), after);
			again = shown_again(fixture, show, after, NULL);
			check_same(before, again, seed, k);
			free(before);
			free(again);
			matches += negotiation.cycle != cycle ? negotiation.matches : 0;
			preemptions += negotiation.cycle != cycle ? negotiation.preemptions : 0;
			cycle = negotiation.cycle;
		}
		assert_int_equal(teardown(state), 0);
		assert_int_equal(pool_setup(state), 0);
		fixture = *state;
	}
	assert_true(given || (matches > 50 && preemptions > 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		POOL_TEST(test_a_detached_scheduler_negotiates_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
