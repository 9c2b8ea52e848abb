/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual time goes from one moment at which something happens to the next. At each, first all that
 * happens, then a run if one is due: of two runs none is at the same time.
 */
#include "sched/detach.h"
#include "sched/reader/fairlead.h"
#include "sched/replay/inside.h"

#define SECOND_NS 1000000000ull
/* with nothing pending, runs so far from each other let usage decay nearly as it grows */
#define IDLE_S 3600
/* nothing has started for so long, and some runs: only time could change that, which it does not */
#define QUIET_S 900
#define QUIET_RUNS 5
#define WEEK_S (8 * 86400)		/* what a calendar may take besides */

/* Times as due.h has them */

static uint64_t to_ns(const struct replay *r, int64_t at)
{
	return at <= r->base ? 0 : (uint64_t)(at - r->base) * SECOND_NS;
}

static int64_t to_s(const struct replay *r, uint64_t ns)
{
	return ns == UINT64_MAX ? FOREVER : r->base + (int64_t)((ns + SECOND_NS - 1) / SECOND_NS);
}

/* The first interval's end then or later, of those that would follow the run that is due next. */
static uint64_t tick_from(const struct replay *r, uint64_t ns)
{
	uint64_t interval = due_interval(&r->clocks, 0), behind = ns > r->due.ns ? ns - r->due.ns : 0;

	return r->due.ns + (behind + interval - 1) / interval * interval;
}

/*
 * Nothing waits, what has ended is booked, and there is no task that a run could suspend, or let go
 * on.
 */
static bool is_idle(const struct replay *r)
{
	if (r->machine.thresholds && r->records.nrunning > 0)
		return false;
	return r->counts.waiting == 0 && r->held == 0 && r->ran != NEVER && r->changed <= r->ran;
}

static int64_t next_run(const struct replay *r)
{
	int64_t due = to_s(r, r->due.ns);

	if (r->base == NEVER)
		return FOREVER;
	if (is_idle(r))
		due = r->records.nrunning > 0 ? to_s(r, tick_from(r, to_ns(r, r->ran + IDLE_S))) : FOREVER;
	return r->ran != NEVER && due <= r->ran ? r->ran + 1 : due;
}

/* Intervals have passed without a run. */
static void intervals_skip(struct replay *r)
{
	uint64_t now = to_ns(r, r->now), tick = tick_from(r, now);

	if (!is_idle(r) || r->due.ns >= now)
		return;
	r->counts.skipped += (tick - r->due.ns) / due_interval(&r->clocks, 0);
	r->due.ns = tick;
}

/* A run */

static bool sample_is_due(const struct replay *r)
{
	return r->watch.sample && r->options.sample_s > 0 && (r->sampled == NEVER || r->now - r->sampled >= r->options.sample_s);
}

static int sample(struct replay *r)
{
	int rc = r->reader ? 0 : fl_attach_descriptor(&r->reader, sched_descriptor(r->sched));

	if (rc)
		return error_set(r->error, rc, "a sample at %lld: %s", (long long)r->now, strerror(-rc));
	r->watch.sample(r->watch.context, r->now, fl_begin(r->reader));
	r->sampled = r->now;
	rc = fl_end(r->reader);
	return rc ? error_set(r->error, rc, "a sample at %lld is no longer there", (long long)r->now) : 0;
}

static int reports(struct replay *r)
{
	int rc;

	if (r->reported != NEVER && r->now - r->reported < r->options.usage_s)
		return 0;
	r->reported = r->now;
	rc = r->options.usage_s == UINT32_MAX ? 0 : tasks_report(r);
	return rc ? rc : loads_report(r);
}

static void tell_run(struct replay *r)
{
	struct profile p;
	struct replay_run run = { .now = r->now, .number = r->counts.runs, .pending = r->counts.waiting, .running = r->records.nrunning,
				  .slots_used = r->slots_used, .slots = r->machine.slots, .started = r->started };

	if (!r->watch.ran)
		return;
	sched_profile(r->sched, &p);
	run.reservations = p.reservations;
	r->watch.ran(r->watch.context, &run);
}

static int run(struct replay *r)
{
	bool shown = sample_is_due(r);
	int64_t change;
	int rc = reports(r);

	if (rc)
		return rc;
	sched_publishes(r->sched, shown);
	rc = sched_run(r->sched, r->now, r->events, r->error);
	if (rc)
		return rc;
	r->ran = r->now;
	r->started = 0;
	rc = orders_carry(r);
	if (rc == 0)
		rc = hold_update(r);
	change = sched_next_change(r->sched);
	due_ran(&r->due, &r->clocks, to_ns(r, r->now), change > r->now && change < FOREVER ? to_ns(r, change) : UINT64_MAX);
	r->counts.runs++;
	tell_run(r);
	return rc == 0 && shown ? sample(r) : rc;
}

/* A moment */

static int happen(struct replay *r, struct agenda_item item)
{
	struct replay_record *record = item.row == INDEX_NONE ? NULL : r->records.items[item.row];

	if (item.row != INDEX_NONE && (!record || record->stamp != item.stamp))
		return 0;
	switch (item.kind) {
	case AGENDA_END:
		return task_end(r, record);
	case AGENDA_VACATE:
		return task_vacated(r, record);
	case AGENDA_SUBMIT:
		return job_submit(r, record);
	case AGENDA_WAKE:
		break;
	}
	return 0;
}

static int turn(struct replay *r, int64_t now)
{
	int rc = 0;

	r->now = now;
	r->happened = false;
	intervals_skip(r);
	while (rc == 0 && agenda_next(&r->agenda) <= now)
		rc = happen(r, agenda_take(&r->agenda));
	if (rc == 0)
		rc = hold_update(r);
	if (rc)
		return rc;
	if (r->happened && r->options.runs == REPLAY_AT_EVENTS)
		due_hurry(&r->due);
	r->due.eager = sched_is_eager(r->sched);
	due_look(&r->due, &r->clocks, to_ns(r, now));
	return r->due.ns <= to_ns(r, now) && now != r->ran ? run(r) : 0;
}

/* Only runs are to come, or calendars as well, and they change nothing any more. */
static bool is_over(const struct replay *r)
{
	int64_t quiet = QUIET_S + r->clocks.load_adjustment_decay_time + QUIET_RUNS * (int64_t)r->clocks.schedule_interval;
	bool calendars = r->machine.next_change != FOREVER;

	if (r->agenda.n > calendars)
		return false;
	return is_idle(r) || (r->ran != NEVER && r->ran - r->changed >= quiet + (calendars ? WEEK_S : 0));
}

int turns_until(struct replay *r, int64_t limit, bool all)
{
	int rc = 0;

	while (rc == 0 && !r->stop) {
		int64_t event = agenda_next(&r->agenda), due = next_run(r), next = event < due ? event : due;

		if (next >= limit || next == FOREVER || r->wanted.start || (all && is_over(r)))
			return 0;
		rc = turn(r, next);
	}
	return rc ? rc : -EINTR;
}
