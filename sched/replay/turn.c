/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual time goes from event to event. At each time, all events are processed first, then a run
 * is made if one is due. No two runs are at the same time.
 */
#include "sched/detach.h"
#include "sched/reader/fairlead.h"
#include "sched/replay/inside.h"

#define SECOND_NS 1000000000ull
/* Time between runs with nothing pending, short enough for usage to decay almost as it grows. */
#define IDLE_S 3600
/* Time and runs without a start after which only the passing of time could change anything. */
#define QUIET_S 900
#define QUIET_RUNS 5
#define WEEK_S (8 * 86400)		/* additional time for changes by a calendar */

/* Times as in due.h */

static uint64_t to_ns(const struct replay *replay, int64_t at)
{
	return at <= replay->base ? 0 : (uint64_t)(at - replay->base) * SECOND_NS;
}

static int64_t to_s(const struct replay *replay, uint64_t ns)
{
	return ns == UINT64_MAX ? FOREVER : replay->base + (int64_t)((ns + SECOND_NS - 1) / SECOND_NS);
}

/* Return the end of the first interval at this time or later, counted from the next due run. */
static uint64_t tick_from(const struct replay *replay, uint64_t ns)
{
	uint64_t interval = due_interval(&replay->clocks, 0), behind = ns > replay->due.ns ? ns - replay->due.ns : 0;

	return replay->due.ns + (behind + interval - 1) / interval * interval;
}

/*
 * Return whether no run is necessary: nothing is pending, ended tasks are booked, and there is no
 * task that a run could suspend or resume.
 */
static bool is_idle(const struct replay *replay)
{
	if (replay->machine.thresholds && replay->records.nrunning > 0)
		return false;
	return replay->counts.waiting == 0 && replay->held == 0 && replay->ran != NEVER &&
	       replay->changed <= replay->ran;
}

static int64_t next_run(const struct replay *replay)
{
	int64_t due = to_s(replay, replay->due.ns);

	if (replay->base == NEVER)
		return FOREVER;
	if (is_idle(replay))
		due = replay->records.nrunning > 0
			      ? to_s(replay, tick_from(replay, to_ns(replay, replay->ran + IDLE_S)))
			      : FOREVER;
	return replay->ran != NEVER && due <= replay->ran ? replay->ran + 1 : due;
}

/* Count the intervals that have passed without a run. */
static void intervals_skip(struct replay *replay)
{
	uint64_t now = to_ns(replay, replay->now), tick = tick_from(replay, now);

	if (!is_idle(replay) || replay->due.ns >= now)
		return;
	replay->counts.skipped += (tick - replay->due.ns) / due_interval(&replay->clocks, 0);
	replay->due.ns = tick;
}

/* A run */

static bool sample_is_due(const struct replay *replay)
{
	return replay->watch.sample && replay->options.sample_s > 0 &&
	       (replay->sampled == NEVER || replay->now - replay->sampled >= replay->options.sample_s);
}

static int sample(struct replay *replay)
{
	int rc = replay->reader ? 0 : fl_attach_descriptor(&replay->reader, sched_descriptor(replay->sched));

	if (rc)
		return error_set(replay->error, rc,
				 "cannot take a sample at %lld: %s", (long long)replay->now, strerror(-rc));
	replay->watch.sample(replay->watch.context, replay->now, fl_begin(replay->reader));
	replay->sampled = replay->now;
	rc = fl_end(replay->reader);
	return rc ? error_set(replay->error, rc, "the sample at %lld is no longer valid", (long long)replay->now) : 0;
}

static int reports(struct replay *replay)
{
	int rc;

	if (replay->reported != NEVER && replay->now - replay->reported < replay->options.usage_s)
		return 0;
	replay->reported = replay->now;
	rc = replay->options.usage_s == UINT32_MAX ? 0 : tasks_report(replay);
	return rc ? rc : loads_report(replay);
}

static void run_report(struct replay *replay)
{
	struct profile profile;
	struct replay_run run = { .now = replay->now,
				  .number = replay->counts.runs,
				  .pending = replay->counts.waiting,
				  .running = replay->records.nrunning,
				  .slots_used = replay->slots_used,
				  .slots = replay->machine.slots,
				  .started = replay->started };

	if (!replay->watch.ran)
		return;
	sched_profile(replay->sched, &profile);
	run.reservations = profile.reservations;
	replay->watch.ran(replay->watch.context, &run);
}

static int run(struct replay *replay)
{
	bool shown = sample_is_due(replay);
	int64_t change;
	int rc = reports(replay);

	if (rc)
		return rc;
	sched_publishes(replay->sched, shown);
	rc = sched_run(replay->sched, replay->now, replay->events, replay->error);
	if (rc)
		return rc;
	replay->ran = replay->now;
	replay->started = 0;
	rc = orders_carry(replay);
	if (rc == 0)
		rc = hold_update(replay);
	change = sched_next_change(replay->sched);
	due_ran(&replay->due, &replay->clocks, to_ns(replay, replay->now),
		change > replay->now && change < FOREVER ? to_ns(replay, change) : UINT64_MAX);
	replay->counts.runs++;
	run_report(replay);
	return rc == 0 && shown ? sample(replay) : rc;
}

/* A moment */

static int happen(struct replay *replay, struct agenda_item item)
{
	struct replay_record *record = item.row == INDEX_NONE ? NULL : replay->records.items[item.row];

	if (item.row != INDEX_NONE && (!record || record->stamp != item.stamp))
		return 0;
	switch (item.kind) {
	case AGENDA_END:
		return task_end(replay, record);
	case AGENDA_VACATE:
		return task_vacated(replay, record);
	case AGENDA_SUBMIT:
		return job_submit(replay, record);
	case AGENDA_WAKE:
		break;
	}
	return 0;
}

static int turn(struct replay *replay, int64_t now)
{
	int rc = 0;

	replay->now = now;
	replay->happened = false;
	intervals_skip(replay);
	while (rc == 0 && agenda_next(&replay->agenda) <= now)
		rc = happen(replay, agenda_take(&replay->agenda));
	if (rc == 0)
		rc = hold_update(replay);
	if (rc)
		return rc;
	if (replay->happened && replay->options.runs == REPLAY_AT_EVENTS)
		due_hurry(&replay->due);
	replay->due.eager = sched_is_eager(replay->sched);
	due_look(&replay->due, &replay->clocks, to_ns(replay, now));
	return replay->due.ns <= to_ns(replay, now) && now != replay->ran ? run(replay) : 0;
}

/* Return whether only runs, and possibly calendars, are left that change nothing any more. */
static bool is_over(const struct replay *replay)
{
	int64_t quiet = QUIET_S + replay->clocks.load_adjustment_decay_time +
			QUIET_RUNS * (int64_t)replay->clocks.schedule_interval;
	bool calendars = replay->machine.next_change != FOREVER;

	if (replay->agenda.n > calendars)
		return false;
	return is_idle(replay) ||
	       (replay->ran != NEVER && replay->ran - replay->changed >= quiet + (calendars ? WEEK_S : 0));
}

int turns_until(struct replay *replay, int64_t limit, bool all)
{
	int rc = 0;

	while (rc == 0 && !replay->stop) {
		int64_t event = agenda_next(&replay->agenda), due = next_run(replay), next = event < due ? event : due;

		if (next >= limit || next == FOREVER || replay->wanted.start || (all && is_over(replay)))
			return 0;
		rc = turn(replay, next);
	}
	return rc ? rc : -EINTR;
}
