/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/due.h"

#define SECOND_NS 1000000000ull
#define SHOW_PART 10			/* show runs may take one part in SHOW_PART of the time */
#define SHOW_CREDIT_NS 100000000	/* time that show runs may take without a pause */
/* A client does not wait for a show run that takes longer. */
#define SHOW_PATIENCE_NS 50000000

void due_event(struct due_run *due, enum event_type type)
{
	if (due->paced)
		return;
	due->submitted |= type == EVENT_JOB_ADD || type == EVENT_ADVANCE_RESERVATION;
	due->finished |= type == EVENT_TASK_FINISH || type == EVENT_ADVANCE_RESERVATION_DELETE ||
			 type == EVENT_VACATED || type == EVENT_SLOT || type == EVENT_SLOT_REMOVE ||
			 type == EVENT_CLAIM;
	due->at_once |= type == EVENT_SNAPSHOT_END || type == EVENT_CONFIG_CHANGED;
}

void due_hurry(struct due_run *due)
{
	due->at_once = true;
}

static void due_before(struct due_run *due, uint64_t ns)
{
	if (ns < due->ns)
		due->ns = ns;
}

static void due_after_flush(struct due_run *due, uint32_t flush_sec, uint64_t now_ns)
{
	uint64_t wait_ns;

	flush_sec = due->eager ? 1 : flush_sec;
	wait_ns = flush_sec ? (flush_sec - 1) * SECOND_NS : 0;
	if (flush_sec)
		due_before(due, now_ns + (wait_ns > due->took_ns ? wait_ns : due->took_ns));
}

static void credit(struct due_run *due, uint64_t now_ns)
{
	int64_t ns = due->credit_ns + (int64_t)((now_ns - due->credit_at_ns) / SHOW_PART);

	due->credit_ns = ns < SHOW_CREDIT_NS ? ns : SHOW_CREDIT_NS;
	due->credit_at_ns = now_ns;
}

static uint64_t earliest_show_ns(struct due_run *due, uint64_t now_ns)
{
	credit(due, now_ns);
	return due->credit_ns >= 0 ? now_ns : now_ns + (uint64_t)-due->credit_ns * SHOW_PART;
}

bool due_show(struct due_run *due, uint64_t now_ns)
{
	due->changed = true;
	return due->took_ns <= SHOW_PATIENCE_NS && earliest_show_ns(due, now_ns) == now_ns;
}

void due_shown(struct due_run *due, uint64_t now_ns, uint64_t cost_ns)
{
	credit(due, now_ns);
	if (due->show_ns <= now_ns)
		due->credit_ns -= (int64_t)cost_ns;
	due->show_ns = UINT64_MAX;
}

static void look_at_changes(struct due_run *due, uint64_t now_ns)
{
	uint64_t ns = earliest_show_ns(due, now_ns);

	if (ns < due->show_ns)
		due->show_ns = ns;
	if (due->eager || due->ns <= due->show_ns + due->took_ns)
		due_before(due, due->show_ns);
}

void due_look(struct due_run *due, const struct sched_conf *conf, uint64_t now_ns)
{
	if (due->submitted)
		due_after_flush(due, conf->flush_submit_sec, now_ns);
	if (due->finished)
		due_after_flush(due, conf->flush_finish_sec, now_ns);
	if (due->at_once)
		due_before(due,
			   due->paced && now_ns < due->ran_ns + due->took_ns ? due->ran_ns + due->took_ns : now_ns);
	if (due->changed)
		look_at_changes(due, now_ns);
	due->submitted = due->finished = due->at_once = due->changed = false;
}

uint64_t due_interval(const struct sched_conf *conf, uint64_t now_ns)
{
	return now_ns + (conf->schedule_interval ? conf->schedule_interval : 1) * SECOND_NS;
}

void due_ran(struct due_run *due, const struct sched_conf *conf, uint64_t now_ns, uint64_t change_ns)
{
	due->ran_ns = now_ns;
	due->ns = due_interval(conf, now_ns) + (due->paced ? SECOND_NS : 0);
	due_before(due, change_ns > now_ns ? change_ns : now_ns);
}
