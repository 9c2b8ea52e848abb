/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A qmaster that reports everything possible at random: usage that grows, goes back, or leaves out
 * names; snapshots without usage, jobs or tasks; ends that are reported again. Each report goes to
 * the scheduler and to the rule.
 */
#ifndef TESTS_RUN_BOOKING_REPORTED_H
#define TESTS_RUN_BOOKING_REPORTED_H

#include "tests/run/booking_rule.h"

/* Reports */

/* Return usage with some names: grown, equal, less, or very much. */
static const char *some_usage(struct life *life)
{
	static char text[300];
	unsigned at = 0;

	text[0] = '\0';
	for (unsigned k = 0, n = dice(NAMES); k < NAMES; k++, n = (n + 1) % NAMES) {
		double value = life->reported[n];

		switch (dice(9)) {
		case 0: continue;
		case 1: value = floor(value / 2); w.regressions++; break;
		case 2: value = 0; w.regressions++; break;
		case 3: break;
		case 4: value += dice(30) ? 1000 * dice(1000) : 0x1p40; break;
		default: value += dice(100);
		}
		at += (unsigned)snprintf(text + at, sizeof(text) - at, "%s'%s':%.0f", at ? "," : "", names[n], value);
		if (value > life->reported[n] && !life->settled && !life->end_reported)
			life->reported[n] = value;
	}
	if (dice(4) == 0)
		snprintf(text + at, sizeof(text) - at, "%s'maxvmem':%u", at ? "," : "", dice(1000));
	return text;
}

static void report_usage(struct life *life)
{
	say(USAGE "%u,'task':%u,'scaled_usage':{%s}}", life->job + 1, life->task + 1, some_usage(life));
}

static void report_job(unsigned j)
{
	struct job *job = &w.jobs[j];

	say("{'event':'job_add','submission_time':%lld,'job_number':%u,'owner':'%s','project':'%s','tasks':'1-%u'}",
	    (long long)job->submission, j + 1, users[j % 2], projects[job->project], TASKS);
	job->shown = true;
	for (unsigned t = 0; t < TASKS; t++)
		job->waits[t] = true;
}

static void report_start(struct life *life)
{
	say("{'event':'task_start','start_time':%lld,'granted':[{'queue':'all.q@node','slots':1}],'job_number':%u,'task':%u}",
	    (long long)life->start, life->job + 1, life->task + 1);
	life->shown = true;
	w.jobs[life->job].waits[life->task] = false;
}

static void new_job(unsigned j)
{
	for (size_t i = 0; i < w.nlives; i++)
		if (w.lives[i].job == j)
			w.lives[i].state = IS_GONE;
	w.jobs[j].submission = NOW - 10000000 + ++w.starts;
	w.jobs[j].rescheduled = false;
	w.jobs[j].project = dice(3);
}

static bool is_shown_started(unsigned j)
{
	for (size_t i = 0; i < w.nlives; i++)
		if (w.lives[i].job == j && w.lives[i].shown)
			return true;
	return false;
}

/* Close a life without a remaining record: the scheduler drops it, and its number is free. */
static void close_if_done(unsigned j)
{
	for (unsigned t = 0; t < TASKS; t++)
		if (w.jobs[j].waits[t])
			return;
	if (is_shown_started(j))
		return;
	w.jobs[j].shown = false;
	for (size_t i = 0; i < w.nlives; i++)	/* the qmaster would have reported their ends before */
		if (w.lives[i].job == j && !w.lives[i].end_reported)
			w.lives[i].state = IS_GONE;
}

static void report_end(struct life *life, unsigned how)
{
	life->project_of_end = has_pending_end(life->job) ? find_pending(life->job, life->submission)->project_of_end
							  : w.jobs[life->job].project;
	if (how == 0)
		say("{'event':'task_finish','job_number':%u,'task':%u,'scaled_usage':{%s}}", life->job + 1,
		    life->task + 1, some_usage(life));
	else
		say(how == 1 ? FINISH "%u,'task':%u}" : REQUEUE "%u,'task':%u}", life->job + 1, life->task + 1);
	w.jobs[life->job].waits[life->task] = how == 2;
	life->state = HAS_ENDED;
	life->shown = false;
	life->end_reported = !life->settled;
	close_if_done(life->job);
}

static struct life *find_running(unsigned j, unsigned t)
{
	for (size_t i = w.nlives; i-- > 0;)
		if (w.lives[i].job == j && w.lives[i].task == t && w.lives[i].state == RUNS)
			return &w.lives[i];
	return NULL;
}

/*
 * Find an end that was not acknowledged. The qmaster shows the task as started and reports its end
 * again. Not without a store: see fairlead-events(5).
 */
static struct life *find_ended(unsigned j, unsigned t)
{
	for (size_t i = w.nlives; w.stored && i-- > 0;)
		if (w.lives[i].job == j && w.lives[i].task == t && w.lives[i].state == HAS_ENDED)
			return &w.lives[i];
	return NULL;
}

static void report_tasks(unsigned j)
{
	for (unsigned t = 0; t < TASKS; t++) {
		struct life *life = find_running(j, t), *ended = life ? NULL : find_ended(j, t);

		life = life ? life : dice(2) ? ended : NULL;
		if (!life || dice(8) == 0)		/* left out */
			continue;
		report_start(life);
		if (dice(2))
			report_usage(life);
	}
}

static void report_snapshot(void)
{
	bool was[LIVES], job_was[JOBS];

	for (size_t i = 0; i < w.nlives; i++) {
		was[i] = w.lives[i].shown;
		w.lives[i].shown = false;
	}
	SNAPSHOT(w.f);
	say("snapshot");
	for (unsigned j = 0; j < JOBS; j++) {
		job_was[j] = w.jobs[j].shown;
		w.jobs[j].shown = false;
		if (dice(12) == 0 && !has_pending_end(j) && (w.stored || !job_was[j]))
			continue;		/* left out */
		if (!job_was[j] && !any_pending(j) && (!w.stored || dice(3) == 0))
			new_job(j);
		if (!job_was[j] && any_pending(j))
			continue;
		report_job(j);
		report_tasks(j);
	}
	for (size_t i = 0; i < w.nlives; i++)
		if (was[i] && !w.lives[i].shown && !w.lives[i].end_reported)
			forget_reported(&w.lives[i]);
	SNAPSHOT_END(w.f);
	say("snapshot ends");
}

/* Random events */

static void start_some(unsigned j, unsigned t)
{
	struct life *life = &w.lives[w.nlives];

	if (!w.jobs[j].waits[t] || find_running(j, t) || w.nlives == LIVES)
		return;
	*life = (struct life){
		.job = j, .task = t, .submission = w.jobs[j].submission, .start = NOW - 1000000 + ++w.starts
	};
	w.nlives++;
	report_start(life);
}

/* Delete a job. Its tasks are not booked any more, unless the end of one was reported before. */
static void delete_job(unsigned j)
{
	const struct life *ended = find_pending(j, w.jobs[j].submission);

	say(DELETE "%u}", j + 1);
	for (size_t i = 0; i < w.nlives; i++) {
		struct life *life = &w.lives[i];

		if (life->job != j || !life->shown)
			continue;
		life->shown = false;
		if (!ended) {
			forget_reported(life);
			continue;
		}
		life->project_of_end = ended->project_of_end;
		life->end_reported = !life->settled;
		life->state = HAS_ENDED;
	}
	w.jobs[j].shown = false;
	if (ended || dice(2) || !w.stored)
		new_job(j);
}

static void change_project(unsigned j)
{
	w.jobs[j].project = dice(3);
	say(MODIFY "%u,'project':'%s'}", j + 1, projects[w.jobs[j].project]);
}

static bool is_shown_again(unsigned j)
{
	for (size_t i = 0; i < w.nlives; i++)
		if (w.lives[i].job == j && w.lives[i].shown && w.lives[i].state != RUNS)
			return true;
	return false;
}

/*
 * Reschedule a job for its user: a task waits again, and the job counts as submitted now. Its kept
 * ends have been acknowledged.
 */
static void reschedule(unsigned j, struct life *requeued)
{
	int64_t old = w.jobs[j].submission;

	if (!requeued || !requeued->shown || is_shown_again(j))
		return;
	report_end(requeued, 2);
	w.jobs[j].submission = NOW - 10000000 + ++w.starts;
	w.jobs[j].rescheduled = true;
	for (size_t i = 0; i < w.nlives; i++) {
		struct life *life = &w.lives[i];

		if (life->job != j || life->submission != old)
			continue;
		life->submission = w.jobs[j].submission;
		if (life->state == HAS_ENDED && life->settled)
			life->state = IS_GONE;
	}
	say(MODIFY "%u,'submission_time':%lld}", j + 1, (long long)w.jobs[j].submission);
}

static void something_happens(void)
{
	unsigned j = dice(JOBS), t = dice(TASKS);
	struct life *life = find_running(j, t);

	if (!w.jobs[j].shown) {
		if (dice(3))
			return;
		if (has_pending_end(j) || !w.stored || dice(3) == 0)
			new_job(j);
		report_job(j);
		return report_tasks(j);
	}
	if (dice(60) == 0)
		return delete_job(j);
	if (dice(30) == 0)
		return change_project(j);
	if (dice(20) == 0)
		return reschedule(j, life);
	if (!life && (life = find_ended(j, t)) && life->shown && dice(2))
		return dice(2) ? report_usage(life) : report_end(life, dice(3));	/* again */
	if (!life || !find_running(j, t))
		return start_some(j, t);
	if (!life->shown) {
		if (w.jobs[j].waits[t])
			report_start(life);		/* a late report */
		return;
	}
	if (dice(5))
		report_usage(life);
	else
		report_end(life, dice(3));
}

#endif
