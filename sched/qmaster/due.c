/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/due.h"

#define SECOND_NS 1000000000ull

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

void due_look(struct due_run *d, const struct sched_conf *conf, uint64_t now_ns)
{
	if (d->submitted)
		due_after_flush(d, conf->flush_submit_sec, now_ns);
	if (d->finished)
		due_after_flush(d, conf->flush_finish_sec, now_ns);
	if (d->at_once)
		due_before(d, d->paced && now_ns < d->ran_ns + d->took_ns ? d->ran_ns + d->took_ns : now_ns);
	d->submitted = d->finished = d->at_once = false;
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
