/* SPDX-License-Identifier: Apache-2.0 */
/* A pool with reported slots, and its jobs: dispatch/cell.h with algorithm userprio. */
#ifndef TESTS_USERPRIO_POOL_H
#define TESTS_USERPRIO_POOL_H

#include "sched/policy/userprio/userprio.h"
#include "tests/dispatch/cell.h"

static inline int pool_setup(void **state)
{
	struct fixture *fixture;

	if (starting_setup(state))
		return -1;
	fixture = *state;
	put_away(fixture, "sched_conf");
	put(fixture, "condor_config", "UID_DOMAIN = pool\n");
	reload(fixture);
	return 0;
}

#define POOL_TEST(name) cmocka_unit_test_setup_teardown(name, pool_setup, teardown)

/* slot1@m, slot2@m, ...: one processor each */
static inline void slots_add(struct fixture *fixture, unsigned n)
{
	for (unsigned i = 1; i <= n; i++)
		TELL(fixture,
		     "{'event':'slot','slot':'slot%u@m','machine':'m','ad':{'Cpus':1,'Memory':1000,'SlotID':%u}}", i,
		     i);
}

/* Add jobs from `number` on. `more`: further members. */
static inline void jobs_add(struct fixture *fixture, unsigned number, unsigned n, const char *owner, const char *more)
{
	for (unsigned i = 0; i < n; i++)
		TELL(fixture, ADD "%u,'owner':'%s'%s}", number + i, owner, more);
}

static inline unsigned started_of(const struct fixture *fixture, unsigned number, unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += started(fixture, number + i);
	return sum;
}

/* Return the slot of a job's first task, or "". */
static inline const char *slot_of(const struct fixture *fixture, uint32_t number)
{
	const struct state *state = sched_mirror(fixture->sched)->state;
	uint32_t row = jobs_find(&state->jobs, number), t = row == INDEX_NONE ? NONE : state->jobs.first_task[row];

	return t == NONE ? "" : strings_text(fixture->sched->strings, state->tasks.items[t].granted[0].queue);
}

/* Report that an ordered task has started. */
static inline void task_confirm(struct fixture *fixture, uint32_t number, int64_t start)
{
	const struct state *state = sched_mirror(fixture->sched)->state;
	uint32_t t = state->jobs.first_task[jobs_find(&state->jobs, number)];

	assert_true(t != NONE);
	TELL(fixture, "{'event':'task_start','job_number':%u,'start_time':%lld,'granted':[{'queue':'%s','slots':%u}]}",
	     number, (long long)start, slot_of(fixture, number), state->tasks.items[t].slots);
}

static inline struct customer customer(const struct fixture *fixture, const char *name)
{
	const struct userprio_policy *policy = (const struct userprio_policy *)fixture->sched->policies.in_force;
	uint32_t i = accountant_find(&policy->accountant, fixture->sched->strings, name);

	assert_true(i != CUSTOMER_NONE);
	return policy->accountant.customers.items[i];
}

/* Collect the jobs that were ordered to vacate, each once. */
static inline size_t leaving(const struct fixture *fixture, uint32_t *jobs, size_t most)
{
	const struct orders *orders = sched_orders(fixture->sched);
	size_t n = 0;

	for (uint64_t number = 1; number <= orders->last && n < most; number++) {
		const struct order *order = orders_find(orders, number);

		if (order && order->kind == ORDER_VACATE)
			jobs[n++] = order->job_number;
	}
	return n;
}

static inline unsigned vacates(const struct fixture *fixture)
{
	uint32_t jobs[1000];

	return (unsigned)leaving(fixture, jobs, 1000);
}

/* Report that they have vacated. */
static inline void vacated_all(struct fixture *fixture)
{
	uint32_t jobs[1000];
	size_t n = leaving(fixture, jobs, 1000);

	for (size_t i = 0; i < n; i++)
		TELL(fixture, "{'event':'vacated','job_number':%u,'how':'soft'}", jobs[i]);
}

#endif
