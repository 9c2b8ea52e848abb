/* SPDX-License-Identifier: Apache-2.0 */
/* One scheduling run, from top to bottom. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "sched/dispatch/decisions.h"
#include "sched/dispatch/phase.h"
#include "sched/policy/multifactor/multifactor.h"
#include "sched/run/run.h"

static int account(struct sched *s)
{
	int code;

	if (s->multifactor)
		multifactor_take_told(s);
	code = run_account(s);
	return code == 0 && s->multifactor ? multifactor_account(s) : code;
}

/* `multifactor` stands in for Grid Engine's; NULL: both algorithms have the same. */
static const struct {
	const char *name;
	int (*run)(struct sched *s), (*multifactor)(struct sched *s);
} phases[PHASES] = {
	[PHASE_LIST] = { "list", run_list, NULL },			/* who waits, who runs */
	/* hosts and queue instances, what running tasks use */
	[PHASE_CLUSTER] = { "cluster", run_cluster, NULL },
	/* who takes part, with how many tasks */
	[PHASE_COLLECT] = { "collect", run_collect, NULL },
	[PHASE_ACCOUNT] = { "account", account, NULL },		/* book usage, decay it */
	/* resources, waiting, deadline */
	[PHASE_URGENCY] = { "urgency", run_urgency, multifactor_urgency },
	/* share tree, functional, override */
	[PHASE_TICKETS] = { "tickets", run_tickets, multifactor_tickets },
	[PHASE_NORMALIZE] = { "normalize", run_normalize, multifactor_normalize },	/* prio */
	[PHASE_ORDER] = { "order", run_order, NULL },			/* of the pending list */
	/* who starts, who gets a reservation, and why not */
	[PHASE_DISPATCH] = { "dispatch", run_dispatch, NULL },
	[PHASE_ORDERS] = { "orders", run_orders, NULL },		/* starts, to the qmaster */
	/* a generation for readers */
	[PHASE_PUBLISH] = { "publish", run_publish, NULL },
};

const char *phase_name(enum phase phase)
{
	return phases[phase].name;
}

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int sched_run(struct sched *s, int64_t now, uint64_t event, struct error *error)
{
	uint64_t begin = clock_ns(), last = begin;

	s->run.number++;
	s->run.now = now;
	s->run.event = event;
	s->run.clamped = 0;
	for (int p = 0; p < PHASES; p++) {
		int code = s->multifactor && phases[p].multifactor ? phases[p].multifactor(s) : phases[p].run(s);
		uint64_t end = clock_ns();

		if (code != 0)
			return error_set(error, code, "run %llu: phase %s: %s; the run before stays in force",
					 (unsigned long long)s->run.number, phases[p].name, code != -ENOMEM ? strerror(-code) :
					 p == PHASE_PUBLISH ? "no room in shared memory" : "no memory");
		s->profile.ns[p] = end - last;
		s->record.run_ns = end - begin;	/* publish shows it without itself */
		last = end;
	}
	s->profile.pending_jobs = s->run.waiting.n;
	s->profile.started_tasks = s->run.running.n;
	s->profile.pending_tasks = s->run.pending.n;
	s->profile.clamped = s->run.clamped;
	return 0;
}

void sched_profile(const struct sched *s, struct profile *profile)
{
	*profile = s->profile;
}
