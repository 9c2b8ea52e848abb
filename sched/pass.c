/* SPDX-License-Identifier: Apache-2.0 */
/* One scheduling run, from top to bottom. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "sched/parts.h"
#include "sched/room.h"

static struct policy *policy_of(const struct sched *s)
{
	return s->policies.in_force;
}

static int list(struct sched *s)
{
	return run_list(&s->run);
}

static int cluster(struct sched *s)
{
	return dispatch_cluster(s->dispatch, &s->run);
}

static int collect(struct sched *s)
{
	struct policy *p = policy_of(s);
	int rc = run_collect_begin(&s->run);

	if (rc == 0)
		rc = p->kind->collect(p, &s->run);
	return rc ? rc : run_collect_end(&s->run);
}

static void charge(void *context, struct ended_task *tasks, size_t n)
{
	struct sched *s = context;
	struct policy *p = policy_of(s);

	if (p->kind->charge)
		p->kind->charge(p, &s->run, tasks, n);
	if (s->ends.ended)
		s->ends.ended(s->ends.context, tasks, n);
}

void sched_watch_ends(struct sched *s, const struct ends_watch *watch)
{
	s->ends = watch ? *watch : (struct ends_watch){ 0 };
}

static int account(struct sched *s)
{
	struct policy *p = policy_of(s);
	const struct account_also also = { s, p->kind->charge || s->ends.ended ? charge : NULL };
	int rc;

	if (p->kind->take_reports)
		p->kind->take_reports(p, &s->run);
	rc = run_account(&s->run, &also);
	return rc == 0 && p->kind->account ? p->kind->account(p, &s->run) : rc;
}

static int urgency(struct sched *s)
{
	struct policy *p = policy_of(s);

	return p->kind->urgency ? p->kind->urgency(p, &s->run) : 0;
}

static int tickets(struct sched *s)
{
	struct policy *p = policy_of(s);

	return p->kind->tickets ? p->kind->tickets(p, &s->run) : 0;
}

static int normalize(struct sched *s)
{
	struct policy *p = policy_of(s);

	return p->kind->normalize(p, &s->run);
}

static int order(struct sched *s)
{
	return policy_of(s)->kind->negotiate ? 0 : run_order(&s->run);
}

static int dispatch(struct sched *s)
{
	struct policy *p = policy_of(s);

	return p->kind->negotiate ? dispatch_negotiate(s->dispatch, &s->run, p, &s->orders) : dispatch_jobs(s->dispatch, &s->run, p, &s->orders);
}

static int orders(struct sched *s)
{
	return dispatch_orders(s->dispatch, &s->run, policy_of(s), &s->orders);
}

static void policy_block(void *self, const struct block *b, struct generation_writer *w)
{
	struct policy *p = self;

	p->kind->block(p, b, w);
}

static int policy_tables(void *self, struct run *run, struct generation_writer *w)
{
	struct policy *p = self;

	return p->kind->publish(p, run, w);
}

static struct health_record health(const struct sched *s)
{
	const struct orders *o = &s->orders;
	struct health_record h = { .starts = s->run.counts.starts, .reservations = s->run.counts.reservations, .unbooked = sched_unbooked(s),
				   .withheld = o->withheld, .refused = o->refused, .kept = o->end - o->begin,
				   .hosts_up = s->process.hosts_up, .store_failures = s->process.store_failures,
				   .place = s->process.place, .source = s->process.source };

	_Static_assert(PHASES <= PHASES_MOST, "all phases have a place");
	for (enum phase p = 0; p < PHASES; p++) {
		h.phases[p].ns = s->phase_ns[p];
		strncpy(h.phases[p].name, phase_name(p), sizeof(h.phases[p].name) - 1);
	}
	return h;
}

static int state_tables(void *self, struct run *run, struct generation_writer *w)
{
	struct sched *s = self;
	struct policy *p = policy_of(s);

	state_begin(&s->state);
	s->state.head.halftime = s->account.last_halftime;
	s->state.head.health = health(s);
	if (state_paths(&s->state, s->strings, (const char *const[STATE_PATHS]){ s->process.files.state, s->process.files.accounting }))
		return -ENOMEM;
	if (p->kind->remain && p->kind->remain(p, &s->state))
		return -ENOMEM;
	return state_publish(&s->state, run, w);
}

int sched_publish(struct sched *s)
{
	struct policy *p = policy_of(s);
	const struct publisher others[] = {
		{ .self = p, .block = p->kind->block ? policy_block : NULL, .tables = p->kind->publish ? policy_tables : NULL },
		dispatch_publisher(s->dispatch),
		dispatch_cluster_publisher(s->dispatch),
		{ .self = s, .tables = state_tables },
	};

	if (p->kind->settle)
		p->kind->settle(p, &s->run);
	if (s->unpublished)
		return 0;
	return run_publish(&s->run, others, sizeof(others) / sizeof(*others));
}

static const struct {
	const char *name;
	int (*run)(struct sched *s);
} phases[PHASES] = {
	[PHASE_LIST] = { "list", list },			/* who waits, who runs */
	[PHASE_CLUSTER] = { "cluster", cluster },	/* queue instances, what tasks use */
	[PHASE_COLLECT] = { "collect", collect },	/* who takes part, with how many tasks */
	[PHASE_ACCOUNT] = { "account", account },	/* book usage, decay it */
	[PHASE_URGENCY] = { "urgency", urgency },	/* what requests are worth */
	[PHASE_TICKETS] = { "tickets", tickets },	/* what those who made them are worth */
	[PHASE_NORMALIZE] = { "normalize", normalize },	/* prio */
	[PHASE_ORDER] = { "order", order },		/* of the pending list */
	[PHASE_DISPATCH] = { "dispatch", dispatch },	/* who starts, and why not */
	[PHASE_ORDERS] = { "orders", orders },		/* starts, to the qmaster */
	[PHASE_PUBLISH] = { "publish", sched_publish },	/* a generation for readers */
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

/*
 * Where another scheduler has left off. -ENOMEM: the next run tries again. Orders that wait to be
 * taken are found by their numbers, which have no gaps: while there are some, numbers go on as they
 * are.
 */
static int resume(struct sched *s)
{
	const struct scheduler_event *from = &s->mirror.resume.from;
	struct policy *p = policy_of(s);

	if (!s->mirror.resume.given)
		return 0;
	if (dispatch_resume(s->dispatch, &s->run, from))
		return -ENOMEM;
	if (from->orders > s->orders.last && !orders_after(&s->orders, 0))
		s->orders.last = from->orders;
	s->account.last_halftime = from->halftime;
	if (p->kind->resume)
		p->kind->resume(p, &s->run, from);
	mirror_resumed(&s->mirror);
	return 0;
}

/* What the run may change, and is to be published as it is now. */
static int remember(struct sched *s)
{
	struct policy *p = policy_of(s);
	struct state_head head = { .last_order = s->orders.last };
	const struct pool *removed;

	if (s->unpublished)
		return 0;
	removed = dispatch_remember(s->dispatch, &head);
	if (p->kind->remember)
		p->kind->remember(p, &head);
	if (state_remember(&s->state, &s->mirror, removed))
		return -ENOMEM;
	s->state.head = head;
	return 0;
}

static int phase_failed(const struct sched *s, int p, int rc, struct error *error)
{
	char text[sizeof(error->text)];
	const char *why = rc != -ENOMEM ? strerror(-rc) : p == PHASE_PUBLISH ?
			  room_text(text, sizeof(text), s->segment.paths.directory, &s->segment.lack) : "no memory";

	return error_set(error, rc, "run %llu: phase %s: %s; %s", (unsigned long long)s->run.number, phases[p].name, why,
			 s->segment.announced ? "the run before stays in force" : "there is no run before it");
}

int sched_run(struct sched *s, int64_t now, uint64_t event, struct error *error)
{
	uint64_t begin = clock_ns(), last = begin;

	s->run.number++;
	s->run.now = now;
	s->run.event = event;
	s->run.untold = s->unpublished;
	s->run.counts.clamped = 0;
	if (resume(s) || remember(s))
		return error_set(error, -ENOMEM, "run %llu: no memory; the run before stays in force", (unsigned long long)s->run.number);
	for (int p = 0; p < PHASES; p++) {
		int rc = phases[p].run(s);
		uint64_t end = clock_ns();

		if (rc)
			return phase_failed(s, p, rc, error);
		s->phase_ns[p] = end - last;
		s->run.record.run_ns = end - begin;	/* publish shows it without itself */
		last = end;
	}
	return 0;
}

int64_t sched_next_change(const struct sched *s)
{
	return s->run.number > 0 ? s->run.next_change : INT64_MAX;
}

bool sched_is_eager(const struct sched *s)
{
	return s->policies.in_force->kind->eager;
}

/* The run that is published is not touched: lists and the picture of the cluster are made anew. */
int sched_find_advance(struct sched *s, int64_t now, const struct advance_wish *wish, struct advance_place_found *found, struct error *why)
{
	int64_t before = s->run.now, change = s->run.next_change;
	int rc;

	s->run.now = now;
	rc = run_list(&s->run) ? error_set(why, -ENOMEM, "out of memory") : dispatch_find_advance(s->dispatch, &s->run, wish, found, why);
	s->run.now = before;
	s->run.next_change = change;
	return rc;
}

/* The run is another one, of a dispatch that decides nothing: what it finds is nobody's. */
int sched_verify(struct sched *s, int64_t now, const struct advance_wish *wish, struct error *why)
{
	struct run run = s->run;
	int rc = s->verifier ? 0 : dispatch_create(&s->verifier, s->strings);

	if (rc) {
		dispatch_free(s->verifier);
		s->verifier = NULL;
		return error_set(why, rc, "out of memory");
	}
	run.now = now;
	run.untold = true;
	return dispatch_verify(s->verifier, &run, wish, why);
}

void sched_profile(const struct sched *s, struct profile *profile)
{
	const struct run_counts *c = &s->run.counts;

	*profile = (struct profile){ .pending_jobs = s->run.waiting.n, .started_tasks = s->run.running.n, .pending_tasks = s->run.pending.n,
				     .starts = c->starts, .reservations = c->reservations, .clamped = c->clamped, .shared_bytes = c->shared_bytes,
				     .chunks = c->chunks, .chunks_shared = c->chunks_shared };
	memcpy(profile->ns, s->phase_ns, sizeof(profile->ns));
}
