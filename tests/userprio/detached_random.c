/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler that is detached from a published run of algorithm userprio computes that run again:
 * the same cycle with its visits and matches, the same customers to the bit, the same orders, and
 * the state that it leaves is the same. Random events, edits and runs; FAIRLEAD_SEED=n begins
 * elsewhere. FAIRLEAD_SEED=14 is known to differ, as sched/detach.h says.
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

/* What a run shows */

static void show_cycle(FILE *out, const struct fl_view *view)
{
	struct fl_negotiation n;
	struct fl_quota_group g;
	struct fl_submitter u;
	struct fl_concurrency_limit l;
	struct fl_contact c;
	struct fl_match m;
	struct fl_slot s;

	assert_int_equal(fl_negotiation(view, &n), 0);
	fprintf(out, "cycle %" PRIu64 " %" PRId64 " %" PRId64 " weight %a matches %u preemptions %u spins %u\n", n.cycle, n.begin, n.last_update,
		n.pool_weight, n.matches, n.preemptions, n.spins);
	for (size_t k = 0; fl_quota_group(view, k, &g) == 0; k++)
		fprintf(out, "group %s %a %a %a %a %a %u\n", g.name, g.requested, g.quota, g.allocated, g.limit, g.tree_used, g.order);
	for (size_t k = 0; fl_submitter(view, k, &u) == 0; k++)
		fprintf(out, "submitter %s idle %u running %u share %a slice %a limit %a visits %u %s\n", u.name, u.idle, u.running, u.share, u.slice, u.limit,
			u.visits, u.stop);
	for (size_t k = 0; fl_slot(view, k, &s) == 0; k++)
		fprintf(out, "slot %s %s %s %s %a %a %" PRId64 " %u.%u %u\n", s.name, s.state, s.customer, s.preempting, s.weight, s.current_rank, s.since,
			s.job_number, s.task, s.winner_job);
	for (size_t k = 0; fl_concurrency_limit(view, k, &l) == 0; k++)
		if (l.used > 0)		/* else it was in use before */
			fprintf(out, "limit %s %a %a\n", l.name, l.most, l.used);
	for (size_t k = 0; fl_contact(view, k, &c) == 0; k++)
		fprintf(out, "contact %s %s %u\n", c.submitter, c.group, c.spin);
	for (size_t k = 0; fl_match(view, k, &m) == 0; k++)
		fprintf(out, "match %s %s %u.%u %s %s %a\n", m.submitter, m.slot, m.job_number, m.task, m.preemption, m.loser, m.rank);
}

static void show_accounts(FILE *out, const struct fl_view *view)
{
	struct fl_customer c;

	for (size_t k = 0; fl_customer(view, k, &c) == 0; k++)
		fprintf(out, "customer %s %u %a %a %a %a %a %a %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " lease %" PRId64 "\n", c.name, c.used, c.rup,
			c.factor, c.weight_used, c.tree_used, c.accumulated, c.weight_accumulated, c.begin, c.last, c.ceiling, c.floor,
			c.factor_lease.until);
}

static void show_jobs(FILE *out, const struct fl_view *view)
{
	struct fl_job j;

	for (int list = FL_STARTED; list <= FL_PENDING; list++)
		for (size_t k = 0; fl_get(view, (enum fl_list)list, k, &j) == 0; k++)
			fprintf(out, "job %u.%u %s %s %a %s\n", j.job_number, j.task, j.state, j.queue, j.prio, j.owner);
}

/*
 * For runs without a cycle: what there is of one is that before, of which a scheduler that begins
 * has only the number.
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
	struct fixture *f = *state;
	uint64_t cycle, matches = 0, preemptions = 0;
	struct fl_negotiation n;

	for (unsigned pool = 0; pool < POOLS; pool++, seed++) {
		struct story s = { f, 88172645463325252u ^ seed * 0x9e3779b97f4a7c15u, 0, NOW };

		make_pool(f);
		cycle = 0;
		for (unsigned k = 0; k < RUNS; k++) {
			uint64_t after = sched_orders(f->sched)->last;
			char *before, *again;
			show_run *show;

			go_on(&s);
			run(f, s.now);
			fl_negotiation(f->view, &n);
			show = n.cycle != cycle ? show_with_cycle : show_without_cycle;
			before = shown(f->view, show, sched_orders(f->sched), after);
			again = shown_again(f, show, after, NULL);
			check_same(before, again, seed, k);
			free(before);
			free(again);
			matches += n.cycle != cycle ? n.matches : 0;
			preemptions += n.cycle != cycle ? n.preemptions : 0;
			cycle = n.cycle;
		}
		assert_int_equal(teardown(state), 0);
		assert_int_equal(pool_setup(state), 0);
		f = *state;
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
