/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/due.h"

#define SECOND_NS 1000000000ull
#define SHOW_PART 10			/* of the time that runs in between may take: one in so many */
#define SHOW_CREDIT_NS 100000000	/* that they may take at once */
#define SHOW_PATIENCE_NS 50000000	/* nobody waits for one that takes longer */

void due_event(struct due_run *d, enum event_type type)
{
	if (d->paced)
		return;
	d->submitted |= type == EVENT_JOB_ADD || type == EVENT_ADVANCE_RESERVATION;
	d->finished |= type == EVENT_TASK_FINISH || type == EVENT_ADVANCE_RESERVATION_DELETE || type == EVENT_VACATED || type == EVENT_SLOT ||
		       type == EVENT_SLOT_REMOVE || type == EVENT_CLAIM;
	d->at_once |= type == EVENT_SNAPSHOT_END || type == EVENT_CONFIG_CHANGED;
}

void due_hurry(struct due_run *d)
{
	d->at_once = true;
}

static void due_before(struct due_run *d, uint64_t ns)
{
	if (ns < d->ns)
		d->ns = ns;
}

static void due_after_flush(struct due_run *d, uint32_t flush_sec, uint64_t now_ns)
{
	uint64_t wait_ns;

	flush_sec = d->eager ? 1 : flush_sec;
	wait_ns = flush_sec ? (flush_sec - 1) * SECOND_NS : 0;
	if (flush_sec)
		due_before(d, now_ns + (wait_ns > d->took_ns ? wait_ns : d->took_ns));
}

static void credit(struct due_run *d, uint64_t now_ns)
{
	int64_t ns = d->credit_ns + (int64_t)((now_ns - d->credit_at_ns) / SHOW_PART);

	d->credit_ns = ns < SHOW_CREDIT_NS ? ns : SHOW_CREDIT_NS;
	d->credit_at_ns = now_ns;
}

static uint64_t earliest_show_ns(struct due_run *d, uint64_t now_ns)
{
	credit(d, now_ns);
	return d->credit_ns >= 0 ? now_ns : now_ns + (uint64_t)-d->credit_ns * SHOW_PART;
}

bool due_show(struct due_run *d, uint64_t now_ns)
{
	d->changed = true;
	return d->took_ns <= SHOW_PATIENCE_NS && earliest_show_ns(d, now_ns) == now_ns;
}

void due_shown(struct due_run *d, uint64_t now_ns, uint64_t cost_ns)
{
	credit(d, now_ns);
	if (d->show_ns <= now_ns)
		d->credit_ns -= (int64_t)cost_ns;
	d->show_ns = UINT64_MAX;
}

static void look_at_changes(struct due_run *d, uint64_t now_ns)
{
	uint64_t ns = earliest_show_ns(d, now_ns);

	if (ns < d->show_ns)
		d->show_ns = ns;
	if (d->eager || d->ns <= d->show_ns + d->took_ns)
		due_before(d, d->show_ns);
}

void due_look(struct due_run *d, const struct sched_conf *conf, uint64_t now_ns)
{
	if (d->submitted)
		due_after_flush(d, conf->flush_submit_sec, now_ns);
	if (d->finished)
		due_after_flush(d, conf->flush_finish_sec, now_ns);
	if (d->at_once)
		due_before(d, d->paced && now_ns < d->ran_ns + d->took_ns ? d->ran_ns + d->took_ns : now_ns);
	if (d->changed)
		look_at_changes(d, now_ns);
	d->submitted = d->finished = d->at_once = d->changed = false;
}

uint64_t due_interval(const struct sched_conf *conf, uint64_t now_ns)
{
	return now_ns + (conf->schedule_interval ? conf->schedule_interval : 1) * SECOND_NS;
}

void due_ran(struct due_run *d, const struct sched_conf *conf, uint64_t now_ns, uint64_t change_ns)
{
	d->ran_ns = now_ns;
	d->ns = due_interval(conf, now_ns) + (d->paced ? SECOND_NS : 0);
	due_before(d, change_ns > now_ns ? change_ns : now_ns);
}
