/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/shadow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/process/clock.h"
#include "sched/process/append.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/audit_line.h"
#include "sched/qmaster/gridengine/place.h"
#include "sched/qmaster/gridengine/shadow_inside.h"
#include "sched/sched.h"

#define SECOND_NS 1000000000ull
#define SETTLING_NS (SECOND_NS * 3 / 10)	/* after the first start of a run, until all are there */
#define SETTLING_MOST_NS (10 * SECOND_NS)
#define ANSWER_NS (10 * SECOND_NS)	/* that a question may take */
#define ASKING_SHARE 10			/* one part of so many of the time, at most */

/* Holding back */

static int hold(struct shadow *s, struct post_record *record)
{
	if (array_grow(&s->held, s->nheld + 1, sizeof(*s->held)))
		return -ENOMEM;
	s->held[s->nheld++] = record;
	return 0;
}

static void step_to(struct shadow *s, enum shadow_step step, uint64_t wait_ns)
{
	s->step = step;
	s->due_ns = clock_monotonic_ns() + wait_ns;
}

static uint64_t interval_ns(const struct sge *g)
{
	uint32_t s = sched_cell(g->sched)->sched.schedule_interval;

	return (s ? s : 1) * SECOND_NS;
}

static void idle(struct sge *g)
{
	struct shadow *s = g->shadow;

	audit_clear(&s->audit);
	free(s->theirs);
	s->theirs = NULL;
	s->ntheirs = 0;
	s->from = 0;
	s->request = 0;
	step_to(s, SHADOW_IDLE, interval_ns(g));
}

/* Events in front of that one into the mirror. */
static void deliver(struct sge *g, const struct post_record *record, uint32_t below)
{
	shadow_tells(g->shadow, record, below);
	sge_deliver(g, record, below);
}

void shadow_drop(struct sge *g)
{
	struct shadow *s = g->shadow;

	for (size_t i = 0; i < s->nheld; i++)
		post_record_free(g->post, s->held[i]);
	s->nheld = 0;
	s->changed = clock_date();
	idle(g);
}

/* The first start that is seen: the state up to it is what it was decided on. */
static bool keep_first(struct sge *g, struct post_record *record)
{
	struct shadow *s = g->shadow;
	struct audit_starts starts = { 0 };
	struct shadow_scan scan = { .starts = &starts };
	bool found = shadow_starts(g, record, &scan) == 0 && starts.n > 0;

	if (found)
		s->from = starts.items[0].event;
	audit_starts_cut(&starts, 0);
	free(starts.items);
	if (!found || hold(s, record)) {
		shadow_tells(s, record, UINT32_MAX);
		s->from = 0;
		return false;
	}
	deliver(g, record, s->from);
	s->seen_ns = clock_monotonic_ns();
	step_to(s, SHADOW_SETTLING, SETTLING_NS);
	return true;
}

bool shadow_keeps(struct sge *g, struct post_record *record)
{
	struct shadow *s = g->shadow;

	if (!place_is_shadow(g) || !g->updated)
		return false;
	if (s->step == SHADOW_IDLE)
		return keep_first(g, record);
	if (hold(s, record)) {
		shadow_drop(g);
		post_again(g->post, "no memory for what is held back");
		return false;
	}
	if (s->step == SHADOW_SETTLING && clock_monotonic_ns() < s->seen_ns + SETTLING_MOST_NS)
		step_to(s, SHADOW_SETTLING, SETTLING_NS);
	return true;
}

/* All that is held back is taken; starts in it that were not audited begin anew. */
static void let_go(struct sge *g, bool audited)
{
	struct shadow *s = g->shadow;
	struct post_record **held = s->held;
	size_t n = s->nheld;

	s->held = NULL;
	s->nheld = 0;
	idle(g);
	for (size_t i = 0; i < n; i++) {
		if (!audited && shadow_keeps(g, held[i]))
			continue;
		deliver(g, held[i], UINT32_MAX);
		post_record_free(g->post, held[i]);
	}
	free(held);
}

/* The audit of a run */

static void ours_collect(struct shadow *s, const struct order *o)
{
	char text[1024];
	size_t n = (size_t)snprintf(text, sizeof(text), "%u.%u", o->job_number, o->task);

	for (size_t i = 0; i < o->start.granted.n && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %s=%u", o->start.granted.items[i].queue, o->start.granted.items[i].slots);
	if (o->start.granted_pe && n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, " pe=%s", o->start.granted_pe);
	if (audit_start_add(&s->audit.ours, &(struct audit_start){ .job_number = o->job_number, .task = o->task }, text))
		s->audit.skipped = "no memory";
}

/*
 * What happened in the second of the run, or since, may not have been known to them: `exact`, that
 * second is known; else it may have been the one before.
 */
static void doubt(struct shadow *s, bool certain, bool exact)
{
	struct audit *a = &s->audit;
	int64_t since = exact ? a->now : a->now - 1;

	if (a->skipped || audit_is_equal(a))
		return;
	if (!certain)
		a->skipped = "other events came between the starts";
	else if (s->changed >= since || (!a->starts_differ && s->touched >= since))
		a->skipped = "the state changed in the second of the run";
}

static void result_write(struct sge *g)
{
	struct shadow *s = g->shadow;
	int rc = audit_line_append(s->path, &s->audit);

	s->runs++;
	if (rc && !s->failing)
		log_line(LOG_FAILURE, "%s: what the audit finds is not written: %s", s->path, append_error_text(rc));
	else if (!rc && s->failing)
		log_line(LOG_NOTE, "%s: written again", s->path);
	s->failing = rc != 0;
	if (!s->audit.skipped && !audit_is_equal(&s->audit))
		log_line(LOG_NOTE, "the built-in scheduler's run at %lld differs from ours: see fairlead audit", (long long)s->audit.now);
}

/* A run of ours at that time; false: there is none. */
static bool compute(struct sge *g, int64_t now)
{
	struct shadow *s = g->shadow;
	struct error error = { "" };
	int rc;

	s->now = s->audit.now = now;
	s->computing = true;
	rc = g->intake->run(g->intake->context, now, &error);
	s->computing = false;
	if (rc)
		log_line(LOG_ODD, "no run to compare with: %s", error.text);
	return rc == 0;
}

/* The starts held back, from s->from on. */
static int starts_collect(struct sge *g)
{
	struct shadow *s = g->shadow;
	struct shadow_scan scan = { .starts = &s->audit.theirs, .from = s->from };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->nheld; i++)
		rc = shadow_starts(g, s->held[i], &scan);
	return rc;
}

/*
 * The first run of those that are held back: `clock` is that of the last one, whose numbers they
 * are (0: not known). Where the next one begins, behind this one whatever numbers the events have;
 * 0: this was the last one, or nothing can be told.
 */
static uint32_t starts_audit(struct sge *g, int64_t clock)
{
	struct shadow *s = g->shadow;
	struct audit *a = &s->audit;
	uint32_t next = 0;
	int64_t now;
	bool certain, is_last;
	size_t end;

	if (starts_collect(g) || a->theirs.n == 0)
		return 0;
	now = a->theirs.items[0].start_time;
	is_last = clock > 0 && clock <= now && clock > s->now;
	if (!compute(g, is_last ? clock : now))
		return 0;
	end = audit_run_end(a, &certain);
	if (end < a->theirs.n && a->theirs.items[end].event > s->from)
		next = a->theirs.items[end].event;
	audit_starts_cut(&a->theirs, end);
	audit_starts_compare(a);
	shadow_compare(g, is_last && next == 0);
	doubt(s, certain, is_last);
	result_write(g);
	return next;
}

/* Then the state before the next run is in force. */
static void go_on(struct sge *g, uint32_t next)
{
	struct shadow *s = g->shadow;

	audit_clear(&s->audit);
	for (size_t i = 0; i < s->nheld; i++)
		deliver(g, s->held[i], next);
	s->from = next;
}

/* No start was seen: the numbers alone. */
static void numbers_audit(struct sge *g, int64_t clock)
{
	struct shadow *s = g->shadow;
	bool is_still = s->changed + 2 * (int64_t)(interval_ns(g) / SECOND_NS) < clock_date();

	for (size_t i = 0; i < s->ntheirs && is_still; i++)
		is_still = s->theirs[i].task == 0;
	if (clock == 0 && is_still)	/* nothing has changed that a run has not seen, and no usage grows */
		clock = clock_date();
	if (clock == 0 || clock == s->now || !compute(g, clock))
		return;
	audit_starts_compare(&s->audit);
	shadow_compare(g, true);
	doubt(s, true, true);
	result_write(g);
}

/* With the answer, or without one. */
static void conclude(struct sge *g, const struct post_record *answer)
{
	struct shadow *s = g->shadow;
	double weight = sched_cell(g->sched)->sched.weight_waiting_time;
	int64_t clock = 0;
	struct error error = { "" };
	bool starts = s->from != 0;
	int rc = -ENODATA;

	if (answer && answer->bytes)
		rc = shadow_numbers(s, answer->bytes, answer->n, &clock, weight, &error);
	if (rc && *error.text)
		log_line(LOG_ODD, "the numbers of the built-in scheduler can't be read: %s", error.text);
	if (rc)			/* of different runs, for example: another was about to be told */
		clock = 0;
	if (!starts && rc == 0)
		numbers_audit(g, clock);
	for (uint32_t next = s->from; next; ) {
		next = starts_audit(g, clock);
		if (next)
			go_on(g, next);
	}
	s->ask_again_ns = clock_monotonic_ns() + ASKING_SHARE * (clock_monotonic_ns() - s->asked_ns);
	let_go(g, starts);
}

static bool ask(struct sge *g)
{
	struct shadow *s = g->shadow;
	struct error error = { "" };
	char *credential = post_credential(g->post, &error);
	struct gdi_writer w = { 0 };

	if (!credential)
		return false;
	shadow_question(&w, credential);
	s->asked_ns = clock_monotonic_ns();
	s->request = w.rc ? 0 : post_send(g->post, &w);
	gdi_writer_free(&w);
	free(credential);
	return s->request != 0;
}

bool shadow_answered(struct sge *g, const struct post_record *record)
{
	struct shadow *s = g->shadow;

	if (s->request == 0 || record->number != s->request)
		return false;
	s->request = 0;
	if (s->step == SHADOW_ASKED)
		conclude(g, record);
	return true;
}

uint64_t shadow_due_ns(const struct sge *g)
{
	return place_is_shadow(g) && g->updated ? g->shadow->due_ns : QMASTER_NEVER_NS;
}

void shadow_turn(struct sge *g)
{
	struct shadow *s = g->shadow;

	if (clock_monotonic_ns() < shadow_due_ns(g))
		return;
	if (s->step == SHADOW_ASKED)
		conclude(g, NULL);
	else if (clock_monotonic_ns() >= s->ask_again_ns && ask(g))
		step_to(s, SHADOW_ASKED, ANSWER_NS);
	else if (s->step == SHADOW_SETTLING)
		conclude(g, NULL);
	else
		idle(g);
}

/* What a run orders counts for nothing */

static void start_void(struct sge *g, const struct order *order)
{
	struct error error;

	if (mirror_order_void(g->intake->mirror, order->job_number, order->task, order->number, &error))
		log_line(LOG_ODD, "what was not ordered of job %u stays as if it were: %s", order->job_number, error.text);
}

void shadow_ran(struct sge *g)
{
	struct orders *orders = g->intake->orders;

	for (const struct order *o = orders_after(orders, 0); o; o = orders_after(orders, o->number))
		if (o->kind == ORDER_START) {
			if (g->shadow->computing)
				ours_collect(g->shadow, o);
			start_void(g, o);
		}
	orders_void(orders);
}

/* Opening */

int shadow_open(struct sge *g, struct error *error)
{
	struct shadow *s = calloc(1, sizeof(*s));
	const char *dir = sched_cell(g->sched)->dir, *given = g->options->audit;

	g->shadow = s;
	if (!s || (given ? asprintf(&s->path, "%s", given) : asprintf(&s->path, "%s/" AUDIT_JOURNAL, dir)) < 0)
		return error_set(error, -ENOMEM, "no memory");
	return 0;
}

void shadow_close(struct sge *g)
{
	struct shadow *s = g->shadow;

	if (!s)
		return;
	if (g->post)
		shadow_drop(g);
	fl_detach(s->cell);
	audit_clear(&s->audit);
	free(s->held);
	free(s->theirs);
	free(s->path);
	free(s);
	g->shadow = NULL;
}
