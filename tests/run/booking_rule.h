/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The usage to be booked, as a plain rule: of each task, as it was started, and each name, the
 * greatest reported value is booked once.
 *
 * A life is a task as it was started at a time. The rule keeps three values of it: `told`, the
 * greatest values reported to this scheduler; `booked`, the values that runs have booked; `kept`,
 * the values on the disk. A run books the reported values of all lives that are started or have
 * ended. A killed scheduler goes back to the kept values. Reported and unbooked values of a task
 * that is deleted or missing in a snapshot are dropped. A booked end settles a life: later reports
 * about it are ignored. Include after cmocka.h and its headers.
 */
#ifndef TESTS_RUN_BOOKING_RULE_H
#define TESTS_RUN_BOOKING_RULE_H

#include <math.h>

#include "tests/store/cell.h"

#define JOBS 4
#define TASKS 3
#define NAMES 4
#define LIVES 2000

enum flaw { NONE_AT_ALL, FORGETS_TASKS, FORGETS_ROWS, BELIEVES_THE_LAST_VALUE };
/* The end is to be booked. The qmaster will not report it again. */
enum life_state { RUNS, HAS_ENDED, IS_GONE };

struct life {
	unsigned job, task;
	int64_t submission, start;
	enum life_state state;
	bool shown;			/* listed among the scheduler's started tasks */
	bool settled, settled_kept, end_reported;
	/* Project of its job, if the first end was reported since the last run. */
	unsigned project_of_end;
	double reported[NAMES], booked[NAMES], kept[NAMES];
};

struct job {
	int64_t submission;
	bool rescheduled;		/* since the kept state */
	bool shown;
	unsigned project;		/* 0: none */
	bool waits[TASKS];
};

static const char *const users[] = { "ann", "bob" };
static const char *const projects[] = { "none", "red", "blue" };
static const char *const names[NAMES] = { "cpu", "mem", "io", "ru_x" };

static struct {
	struct fixture *f;
	enum flaw flaw;
	bool stored;			/* false: there is no store, and no process is killed */
	unsigned seed, halftime;
	int64_t now, starts;
	struct job jobs[JOBS];
	struct life lives[LIVES];
	size_t nlives;
	double booked[2][3][NAMES], kept[2][3][NAMES];	/* usage by user and project */
	double decayed[2][3][NAMES], decayed_kept[2][3][NAMES];
	int64_t decayed_until, decayed_until_kept;
	FILE *trace;
	unsigned events, kills, regressions;
} w;

static unsigned dice(unsigned sides)
{
	return (unsigned)rand_r(&w.seed) / 7 % sides;
}

__attribute__((format(printf, 1, 2)))
static void say(const char *format, ...)
{
	char text[2000];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (w.trace)
		fprintf(w.trace, "  %s\n", text);
	if (text[0] != '{')
		return;
	w.events++;
	tell(w.f, "%s", text);
	if (w.f->refusal[0])
		fail_msg("%s: %s", text, w.f->refusal);
}

/* The rule */

static inline void forget_reported(struct life *life)
{
	memcpy(life->reported, life->booked, sizeof(life->reported));
}

static const struct life *find_pending(unsigned j, int64_t submission)
{
	for (size_t i = 0; i < w.nlives; i++)
		if (w.lives[i].job == j && w.lives[i].submission == submission && w.lives[i].end_reported)
			return &w.lives[i];
	return NULL;
}

static bool has_pending_end(unsigned j)
{
	return find_pending(j, w.jobs[j].submission) != NULL;
}

static bool any_pending(unsigned j)
{
	for (size_t i = 0; i < w.nlives; i++)
		if (w.lives[i].job == j && w.lives[i].end_reported)
			return true;
	return false;
}

static void rule_run(void)
{
	double factor = 1.0;

	if (w.halftime && w.now > w.decayed_until)
		factor = pow(1 - log(2) / (w.halftime * 3600.0) * 60, (double)(w.now - w.decayed_until) / 60);
	for (unsigned i = 0; i < 2 * 3 * NAMES; i++)
		(&w.decayed[0][0][0])[i] *= factor;
	w.decayed_until = w.now;
	/*
	 * First lives with a reported end, then running ones. All usage of a job with ends goes to
	 * the same user and project as they do.
	 */
	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < w.nlives; i++) {
			struct life *life = &w.lives[i];
			const struct life *ended = find_pending(life->job, life->submission);
			unsigned p = ended ? ended->project_of_end : w.jobs[life->job].project;

			if (!life->end_reported && !life->shown)
				continue;
			for (unsigned n = 0; pass == 0 && n < NAMES; n++) {
				w.booked[life->job % 2][p][n] += life->reported[n] - life->booked[n];
				w.decayed[life->job % 2][p][n] += life->reported[n] - life->booked[n];
				life->booked[n] = life->reported[n];
			}
			if (pass == 1 && life->end_reported) {
				life->settled = w.stored;
				life->end_reported = false;
			}
		}
}

static void rule_keep(void)
{
	for (size_t i = 0; i < w.nlives; i++) {
		memcpy(w.lives[i].kept, w.lives[i].booked, sizeof(w.lives[i].kept));
		w.lives[i].settled_kept = w.lives[i].settled;
		if (w.lives[i].state == HAS_ENDED && w.lives[i].settled && dice(2))
			/* Acknowledged, or the qmaster has not heard of it. */
			w.lives[i].state = IS_GONE;
	}
	for (unsigned j = 0; j < JOBS; j++)
		w.jobs[j].rescheduled = false;
	memcpy(w.kept, w.booked, sizeof(w.kept));
	memcpy(w.decayed_kept, w.decayed, sizeof(w.kept));
	w.decayed_until_kept = w.decayed_until;
}

static void rule_die(void)
{
	for (size_t i = 0; i < w.nlives; i++) {
		struct life *life = &w.lives[i];

		memcpy(life->booked, life->kept, sizeof(life->booked));
		memcpy(life->reported, life->kept, sizeof(life->reported));
		life->settled = life->settled_kept;
		life->shown = life->end_reported = false;
	}
	for (unsigned j = 0; j < JOBS; j++)
		w.jobs[j].shown = false;
	memcpy(w.booked, w.kept, sizeof(w.kept));
	memcpy(w.decayed, w.decayed_kept, sizeof(w.kept));
	w.decayed_until = w.decayed_until_kept;
}

#endif
