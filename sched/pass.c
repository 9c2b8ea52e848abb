/* SPDX-License-Identifier: Apache-2.0 */
/* Phases of one scheduling run, from top to bottom. */
#include <errno.h>
#include <string.h>

#include "sched/parts.h"
#include "sched/process/clock.h"
#include "sched/room.h"

static int collect(struct sched *sched)
{
	struct policy *policy = sched->policies.in_force;
	int rc = run_collect_begin(&sched->run);

	if (rc == 0)
		rc = policy->kind->collect(policy, &sched->run);
	return rc ? rc : run_collect_end(&sched->run);
}

static void charge(void *context, struct ended_task *tasks, size_t n)
{
	struct sched *sched = context;
	struct policy *policy = sched->policies.in_force;

	if (policy->kind->charge)
		policy->kind->charge(policy, &sched->run, tasks, n);
	if (sched->ends.ended)
		sched->ends.ended(sched->ends.context, tasks, n);
}

void sched_watch_ends(struct sched *sched, const struct ends_watch *watch)
{
	sched->ends = watch ? *watch : (struct ends_watch){ 0 };
}

static int account(struct sched *sched)
{
	struct policy *policy = sched->policies.in_force;
	const struct account_also also = { sched, policy->kind->charge || sched->ends.ended ? charge : NULL };
	int rc;

	if (policy->kind->take_reports)
		policy->kind->take_reports(policy, &sched->run);
	rc = run_account(&sched->run, &also);
	return rc == 0 && policy->kind->account ? policy->kind->account(policy, &sched->run) : rc;
}

static void policy_block(void *self, const struct block *block, struct generation_writer *writer)
{
	struct policy *policy = self;

	policy->kind->block(policy, block, writer);
}

static int policy_tables(void *self, struct run *run, struct generation_writer *writer)
{
	struct policy *policy = self;

	return policy->kind->publish(policy, run, writer);
}

static struct health_record health(const struct sched *sched)
{
	const struct orders *orders = &sched->orders;
	struct health_record record = { .starts = sched->run.counts.starts,
					.reservations = sched->run.counts.reservations,
					.unbooked = sched_unbooked(sched),
					.withheld = orders->withheld,
					.refused = orders->refused,
					.kept = orders->end - orders->begin,
					.hosts_up = sched->process.hosts_up,
					.store_failures = sched->process.store_failures,
					.readers_evicted = sched->segment.readers.evictions,
					.place = sched->process.place,
					.source = sched->process.source };

	_Static_assert(PHASES <= PHASES_MOST, "all phases have a place");
	for (enum phase p = 0; p < PHASES; p++) {
		record.phases[p].ns = sched->phase_ns[p];
		strncpy(record.phases[p].name, phase_name(p), sizeof(record.phases[p].name) - 1);
	}
	return record;
}

static int state_tables(void *self, struct run *run, struct generation_writer *writer)
{
	struct sched *sched = self;
	struct policy *policy = sched->policies.in_force;

	state_begin(&sched->state);
	sched->state.head.halftime = sched->account.last_halftime;
	sched->state.head.health = health(sched);
	if (state_paths(
		    &sched->state, sched->strings,
		    (const char *const[STATE_PATHS]){ sched->process.files.state, sched->process.files.accounting }))
		return -ENOMEM;
	if (policy->kind->remain && policy->kind->remain(policy, &sched->state))
		return -ENOMEM;
	return state_publish(&sched->state, run, writer);
}

int sched_publish(struct sched *sched)
{
	struct policy *policy = sched->policies.in_force;
	const struct publisher others[] = {
		{ .self = policy,
		  .block = policy->kind->block ? policy_block : NULL,
		  .tables = policy->kind->publish ? policy_tables : NULL },
		dispatch_publisher(sched->dispatch),
		dispatch_cluster_publisher(sched->dispatch),
		{ .self = sched, .tables = state_tables },
	};

	if (policy->kind->settle)
		policy->kind->settle(policy, &sched->run);
	if (sched->unpublished)
		return 0;
	return run_publish(&sched->run, others, sizeof(others) / sizeof(*others));
}

const char *phase_name(enum phase phase)
{
	static const char *const names[PHASES] = {
		[PHASE_LIST] = "list",		 [PHASE_CLUSTER] = "cluster",	[PHASE_COLLECT] = "collect",
		[PHASE_ACCOUNT] = "account",	 [PHASE_URGENCY] = "urgency",	[PHASE_TICKETS] = "tickets",
		[PHASE_NORMALIZE] = "normalize", [PHASE_ORDER] = "order",	[PHASE_DISPATCH] = "dispatch",
		[PHASE_ORDERS] = "orders",	 [PHASE_PUBLISH] = "publish",
	};

	return names[phase];
}

static int phase_run(struct sched *sched, enum phase phase)
{
	struct dispatch *dispatch = sched->dispatch;
	struct orders *orders = &sched->orders;
	struct policy *policy = sched->policies.in_force;
	const struct policy_kind *kind = policy->kind;
	struct run *run = &sched->run;

	switch (phase) {
	case PHASE_LIST:			/* pending jobs, jobs with started tasks */
		return run_list(run);
	case PHASE_CLUSTER:			/* queue instances, resources in use */
		return dispatch_cluster(dispatch, run);
	case PHASE_COLLECT:			/* eligible jobs and the number of their tasks */
		return collect(sched);
	case PHASE_ACCOUNT:			/* book and decay usage */
		return account(sched);
	case PHASE_URGENCY:			/* urgency of the requests */
		return kind->urgency ? kind->urgency(policy, run) : 0;
	case PHASE_TICKETS:			/* tickets of users, projects and departments */
		return kind->tickets ? kind->tickets(policy, run) : 0;
	case PHASE_NORMALIZE:			/* prio */
		return kind->normalize(policy, run);
	case PHASE_ORDER:			/* sort the pending list */
		return kind->negotiate ? 0 : run_order(run);
	case PHASE_DISPATCH:			/* job starts and pending reasons */
		return kind->negotiate ? dispatch_negotiate(dispatch, run, policy, orders)
				       : dispatch_jobs(dispatch, run, policy, orders);
	case PHASE_ORDERS:			/* orders for the qmaster */
		return dispatch_orders(dispatch, run, policy, orders);
	case PHASE_PUBLISH:			/* generation for readers */
		return sched_publish(sched);
	case PHASES:
		break;
	}
	return -EINVAL;
}

/*
 * Continue where another scheduler has stopped. -ENOMEM: the next run tries again. Pending orders
 * are found by their numbers, which have no gaps. While some are pending, the numbering continues
 * unchanged.
 */
static int resume(struct sched *sched)
{
	const struct scheduler_event *from = &sched->mirror.resume.from;
	struct policy *policy = sched->policies.in_force;

	if (!sched->mirror.resume.given)
		return 0;
	if (dispatch_resume(sched->dispatch, &sched->run, from))
		return -ENOMEM;
	if (from->orders > sched->orders.last && !orders_after(&sched->orders, 0))
		sched->orders.last = from->orders;
	sched->account.last_halftime = from->halftime;
	if (policy->kind->resume)
		policy->kind->resume(policy, &sched->run, from);
	mirror_resumed(&sched->mirror);
	return 0;
}

/* Save the values that the run may change and that are published as they are now. */
static int remember(struct sched *sched)
{
	struct policy *policy = sched->policies.in_force;
	struct state_head head = { .last_order = sched->orders.last };
	const struct pool *removed;

	if (sched->unpublished)
		return 0;
	removed = dispatch_remember(sched->dispatch, &head);
	if (policy->kind->remember)
		policy->kind->remember(policy, &head);
	if (state_remember(&sched->state, &sched->mirror, removed))
		return -ENOMEM;
	sched->state.head = head;
	return 0;
}

static int phase_failed(const struct sched *sched, enum phase phase, int rc, struct error *error)
{
	char text[sizeof(error->text)];
	const char *why = rc != -ENOMEM ? strerror(-rc)
			  : phase == PHASE_PUBLISH
				  ? room_text(text, sizeof(text), sched->segment.paths.directory, &sched->segment.lack)
				  : "no memory";

	return error_set(error, rc, "run %llu: phase %s: %s; %s", (unsigned long long)sched->run.number,
			 phase_name(phase), why,
			 sched->segment.announced ? "readers keep the previous run" : "no run has been published yet");
}

int sched_run(struct sched *sched, int64_t now, uint64_t event, struct error *error)
{
	uint64_t begin = clock_monotonic_ns(), last = begin;

	sched->run.number++;
	sched->run.now = now;
	sched->run.event = event;
	sched->run.unreported = sched->unpublished;
	sched->run.counts.clamped = 0;
	if (resume(sched) || remember(sched))
		return error_set(error, -ENOMEM, "run %llu: out of memory; readers keep the previous run",
				 (unsigned long long)sched->run.number);
	for (enum phase phase = 0; phase < PHASES; phase++) {
		int rc = phase_run(sched, phase);
		uint64_t end = clock_monotonic_ns();

		if (rc)
			return phase_failed(sched, phase, rc, error);
		sched->phase_ns[phase] = end - last;
		/* publish shows run_ns without its own duration */
		sched->run.record.run_ns = end - begin;
		last = end;
	}
	return 0;
}

int64_t sched_next_change(const struct sched *sched)
{
	return sched->run.number > 0 ? sched->run.next_change : INT64_MAX;
}

bool sched_is_eager(const struct sched *sched)
{
	return sched->policies.in_force->kind->eager;
}

/*
 * Find a place for an advance reservation. The published run is not changed; lists and the snapshot
 * of the cluster are built again.
 */
int sched_find_advance(struct sched *sched, int64_t now, const struct advance_wish *wish,
		       struct advance_place_found *found, struct error *why)
{
	int64_t before = sched->run.now, change = sched->run.next_change;
	int rc;

	sched->run.now = now;
	rc = run_list(&sched->run) ? error_set(why, -ENOMEM, "out of memory")
				   : dispatch_find_advance(sched->dispatch, &sched->run, wish, found, why);
	sched->run.now = before;
	sched->run.next_change = change;
	return rc;
}

/*
 * Verify a request with a copy of the run and a dispatch that decides nothing. The results are
 * discarded.
 */
int sched_verify(struct sched *sched, int64_t now, const struct advance_wish *wish, struct error *why)
{
	struct run run = sched->run;
	int rc = sched->verifier ? 0 : dispatch_create(&sched->verifier, sched->strings);

	if (rc) {
		dispatch_free(sched->verifier);
		sched->verifier = NULL;
		return error_set(why, rc, "out of memory");
	}
	run.now = now;
	run.unreported = true;
	return dispatch_verify(sched->verifier, &run, wish, why);
}

void sched_profile(const struct sched *sched, struct profile *profile)
{
	const struct run_counts *counts = &sched->run.counts;

	*profile = (struct profile){ .run = sched->run.number,
				     .pending_jobs = sched->run.waiting.n,
				     .started_tasks = sched->run.running.n,
				     .pending_tasks = sched->run.pending.n,
				     .starts = counts->starts,
				     .reservations = counts->reservations,
				     .clamped = counts->clamped,
				     .shared_bytes = counts->shared_bytes,
				     .chunks = counts->chunks,
				     .chunks_shared = counts->chunks_shared };
	memcpy(profile->ns, sched->phase_ns, sizeof(profile->ns));
}
