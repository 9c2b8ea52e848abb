/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/shadow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/process/clock.h"
#include "sched/process/append.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/audit_line.h"
#include "sched/qmaster/gridengine/place.h"
#include "sched/qmaster/gridengine/shadow_inside.h"
#include "sched/sched.h"

#define SECOND_NS 1000000000ull
/* Time from the first start of a run until all its starts are expected. */
#define SETTLING_NS (SECOND_NS * 3 / 10)
#define SETTLING_MOST_NS (10 * SECOND_NS)
#define ANSWER_NS (10 * SECOND_NS)	/* time limit for an answer */
/* Asking takes at most one part in ASKING_SHARE of the time. */
#define ASKING_SHARE 10

/* Holding back */

static int hold(struct shadow *shadow, struct post_record *record)
{
	if (array_grow(&shadow->held, shadow->nheld + 1, sizeof(*shadow->held)))
		return -ENOMEM;
	shadow->held[shadow->nheld++] = record;
	return 0;
}

static void step_to(struct shadow *shadow, enum shadow_step step, uint64_t wait_ns)
{
	shadow->step = step;
	shadow->due_ns = clock_monotonic_ns() + wait_ns;
}

static uint64_t interval_ns(const struct sge *sge)
{
	uint32_t s = sched_cell(sge->sched)->sched.schedule_interval;

	return (s ? s : 1) * SECOND_NS;
}

static void idle(struct sge *sge)
{
	struct shadow *shadow = sge->shadow;

	audit_clear(&shadow->audit);
	free(shadow->theirs);
	shadow->theirs = NULL;
	shadow->ntheirs = 0;
	shadow->from = 0;
	shadow->request = 0;
	step_to(shadow, SHADOW_IDLE, interval_ns(sge));
}

/* Pass the events before number `below` to the mirror. */
static void deliver(struct sge *sge, const struct post_record *record, uint32_t below)
{
	shadow_reports(sge->shadow, record, below);
	sge_deliver(sge, record, below);
}

void shadow_drop(struct sge *sge)
{
	struct shadow *shadow = sge->shadow;

	for (size_t i = 0; i < shadow->nheld; i++)
		post_record_free(sge->post, shadow->held[i]);
	shadow->nheld = 0;
	shadow->changed = clock_date();
	idle(sge);
}

/*
 * Keep a delivery with the first start. The state up to this start is the one on which it was
 * decided.
 */
static bool keep_first(struct sge *sge, struct post_record *record)
{
	struct shadow *shadow = sge->shadow;
	struct audit_starts starts = { 0 };
	struct shadow_scan scan = { .starts = &starts };
	bool found = shadow_starts(sge, record, &scan) == 0 && starts.n > 0;

	if (found)
		shadow->from = starts.items[0].event;
	audit_starts_cut(&starts, 0);
	free(starts.items);
	if (!found || hold(shadow, record)) {
		shadow_reports(shadow, record, UINT32_MAX);
		shadow->from = 0;
		return false;
	}
	deliver(sge, record, shadow->from);
	shadow->seen_ns = clock_monotonic_ns();
	step_to(shadow, SHADOW_SETTLING, SETTLING_NS);
	return true;
}

bool shadow_keeps(struct sge *sge, struct post_record *record)
{
	struct shadow *shadow = sge->shadow;

	if (!place_is_shadow(sge) || !sge->updated)
		return false;
	if (shadow->step == SHADOW_IDLE)
		return keep_first(sge, record);
	if (hold(shadow, record)) {
		shadow_drop(sge);
		post_again(sge->post, "out of memory for held deliveries");
		return false;
	}
	if (shadow->step == SHADOW_SETTLING && clock_monotonic_ns() < shadow->seen_ns + SETTLING_MOST_NS)
		step_to(shadow, SHADOW_SETTLING, SETTLING_NS);
	return true;
}

/* Pass on all held deliveries. Starts in them that were not audited begin a new audit. */
static void let_go(struct sge *sge, bool audited)
{
	struct shadow *shadow = sge->shadow;
	struct post_record **held = shadow->held;
	size_t n = shadow->nheld;

	shadow->held = NULL;
	shadow->nheld = 0;
	idle(sge);
	for (size_t i = 0; i < n; i++) {
		if (!audited && shadow_keeps(sge, held[i]))
			continue;
		deliver(sge, held[i], UINT32_MAX);
		post_record_free(sge->post, held[i]);
	}
	free(held);
}

/* The audit of a run */

static void ours_collect(struct shadow *shadow, const struct order *order)
{
	char text[1024];
	size_t n = (size_t)snprintf(text, sizeof(text), "%u.%u", order->job_number, order->task);

	for (size_t i = 0; i < order->start.granted.n && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %s=%u", order->start.granted.items[i].queue,
				      order->start.granted.items[i].slots);
	if (order->start.granted_pe && n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, " pe=%s", order->start.granted_pe);
	if (audit_start_add(&shadow->audit.ours,
			    &(struct audit_start){ .job_number = order->job_number, .task = order->task }, text))
		shadow->audit.skipped = "out of memory";
}

/*
 * Mark a difference as not comparable if the built-in scheduler may not have known an event. This
 * holds for events in the second of the run or later. `exact`: this second is known; otherwise it
 * may have been the one before.
 */
static void doubt(struct shadow *shadow, bool certain, bool exact)
{
	struct audit *audit = &shadow->audit;
	int64_t since = exact ? audit->now : audit->now - 1;

	if (audit->skipped || audit_is_equal(audit))
		return;
	if (!certain)
		audit->skipped = "other events came between the starts";
	else if (shadow->changed >= since || (!audit->starts_differ && shadow->touched >= since))
		audit->skipped = "the state changed in the second of the run";
}

static void result_write(struct sge *sge)
{
	struct shadow *shadow = sge->shadow;
	int rc = audit_line_append(shadow->path, &shadow->audit);

	shadow->runs++;
	if (rc && !shadow->failing)
		log_line(LOG_FAILURE, "%s: the results of the audit are not written: %s", shadow->path,
			 append_error_text(rc));
	else if (!rc && shadow->failing)
		log_line(LOG_NOTE, "%s: written again", shadow->path);
	shadow->failing = rc != 0;
	if (!shadow->audit.skipped && !audit_is_equal(&shadow->audit))
		log_line(LOG_NOTE, "the built-in scheduler's run at %lld differs from ours: see fairlead audit",
			 (long long)shadow->audit.now);
}

/* Make a run of ours at this time. false: not possible. */
static bool compute(struct sge *sge, int64_t now)
{
	struct shadow *shadow = sge->shadow;
	struct error error = { "" };
	int rc;

	shadow->now = shadow->audit.now = now;
	shadow->computing = true;
	rc = sge->intake->run(sge->intake->context, now, &error);
	shadow->computing = false;
	if (rc)
		log_line(LOG_ODD, "no run to compare with: %s", error.text);
	return rc == 0;
}

/* Collect the held starts, from shadow->from on. */
static int starts_collect(struct sge *sge)
{
	struct shadow *shadow = sge->shadow;
	struct shadow_scan scan = { .starts = &shadow->audit.theirs, .from = shadow->from };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < shadow->nheld; i++)
		rc = shadow_starts(sge, shadow->held[i], &scan);
	return rc;
}

/*
 * Audit the first of the held runs. `clock` is the time of the last run, to which the numbers
 * belong (0: not known). Returns the first event of the next run, which is always later than this
 * one. 0: this was the last run, or no run could be found.
 */
static uint32_t starts_audit(struct sge *sge, int64_t clock)
{
	struct shadow *shadow = sge->shadow;
	struct audit *audit = &shadow->audit;
	uint32_t next = 0;
	int64_t now;
	bool certain, is_last;
	size_t end;

	if (starts_collect(sge) || audit->theirs.n == 0)
		return 0;
	now = audit->theirs.items[0].start_time;
	is_last = clock > 0 && clock <= now && clock > shadow->now;
	if (!compute(sge, is_last ? clock : now))
		return 0;
	end = audit_run_end(audit, &certain);
	if (end < audit->theirs.n && audit->theirs.items[end].event > shadow->from)
		next = audit->theirs.items[end].event;
	audit_starts_cut(&audit->theirs, end);
	audit_starts_compare(audit);
	shadow_compare(sge, is_last && next == 0);
	doubt(shadow, certain, is_last);
	result_write(sge);
	return next;
}

/* Apply the held events before the next run. */
static void go_on(struct sge *sge, uint32_t next)
{
	struct shadow *shadow = sge->shadow;

	audit_clear(&shadow->audit);
	for (size_t i = 0; i < shadow->nheld; i++)
		deliver(sge, shadow->held[i], next);
	shadow->from = next;
}

/* Audit only the numbers, because no start was seen. */
static void numbers_audit(struct sge *sge, int64_t clock)
{
	struct shadow *shadow = sge->shadow;
	bool is_still = shadow->changed + 2 * (int64_t)(interval_ns(sge) / SECOND_NS) < clock_date();

	for (size_t i = 0; i < shadow->ntheirs && is_still; i++)
		is_still = shadow->theirs[i].task == 0;
	/* No change that a run has not seen, and no growing usage. */
	if (clock == 0 && is_still)
		clock = clock_date();
	if (clock == 0 || clock == shadow->now || !compute(sge, clock))
		return;
	audit_starts_compare(&shadow->audit);
	shadow_compare(sge, true);
	doubt(shadow, true, true);
	result_write(sge);
}

/* Finish the audit with an answer, or without one. */
static void conclude(struct sge *sge, const struct post_record *answer)
{
	struct shadow *shadow = sge->shadow;
	double weight = sched_cell(sge->sched)->sched.weight_waiting_time;
	int64_t clock = 0;
	struct error error = { "" };
	bool starts = shadow->from != 0;
	int rc = -ENODATA;

	if (answer && answer->bytes)
		rc = shadow_numbers(shadow, answer->bytes, answer->n, &clock, weight, &error);
	if (rc && *error.text)
		log_line(LOG_ODD, "the numbers of the built-in scheduler cannot be read: %s", error.text);
	/* For example numbers of different runs, while one was being reported. */
	if (rc)
		clock = 0;
	if (!starts && rc == 0)
		numbers_audit(sge, clock);
	for (uint32_t next = shadow->from; next; ) {
		next = starts_audit(sge, clock);
		if (next)
			go_on(sge, next);
	}
	shadow->ask_again_ns = clock_monotonic_ns() + ASKING_SHARE * (clock_monotonic_ns() - shadow->asked_ns);
	let_go(sge, starts);
}

static bool ask(struct sge *sge)
{
	struct shadow *shadow = sge->shadow;
	struct error error = { "" };
	struct gdi_writer writer = { 0 };
	char *credential;

	if (post_credential(sge->post, &credential, &error))
		return false;
	shadow_question(&writer, credential);
	shadow->asked_ns = clock_monotonic_ns();
	shadow->request = writer.rc ? 0 : post_send(sge->post, &writer);
	gdi_writer_free(&writer);
	free(credential);
	return shadow->request != 0;
}

bool shadow_answered(struct sge *sge, const struct post_record *record)
{
	struct shadow *shadow = sge->shadow;

	if (shadow->request == 0 || record->number != shadow->request)
		return false;
	shadow->request = 0;
	if (shadow->step == SHADOW_ASKED)
		conclude(sge, record);
	return true;
}

uint64_t shadow_due_ns(const struct sge *sge)
{
	return place_is_shadow(sge) && sge->updated ? sge->shadow->due_ns : QMASTER_NEVER_NS;
}

void shadow_turn(struct sge *sge)
{
	struct shadow *shadow = sge->shadow;

	if (clock_monotonic_ns() < shadow_due_ns(sge))
		return;
	if (shadow->step == SHADOW_ASKED)
		conclude(sge, NULL);
	else if (clock_monotonic_ns() >= shadow->ask_again_ns && ask(sge))
		step_to(shadow, SHADOW_ASKED, ANSWER_NS);
	else if (shadow->step == SHADOW_SETTLING)
		conclude(sge, NULL);
	else
		idle(sge);
}

/* Orders of a run have no effect */

static void start_void(struct sge *sge, const struct order *order)
{
	struct error error;

	if (mirror_order_void(sge->intake->mirror, order->job_number, order->task, order->number, &error))
		log_line(LOG_ODD, "a start of job %u that was not ordered could not be undone: %s", order->job_number,
			 error.text);
}

void shadow_ran(struct sge *sge)
{
	struct orders *orders = sge->intake->orders;

	for (const struct order *order = orders_after(orders, 0); order; order = orders_after(orders, order->number))
		if (order->kind == ORDER_START) {
			if (sge->shadow->computing)
				ours_collect(sge->shadow, order);
			start_void(sge, order);
		}
	orders_void(orders);
}

/* Creation */

int shadow_open(struct sge *sge, struct error *error)
{
	struct shadow *s = calloc(1, sizeof(*s));
	const char *dir = sched_cell(sge->sched)->dir, *given = sge->options->audit;

	sge->shadow = s;
	if (!s || (given ? asprintf(&s->path, "%s", given) : asprintf(&s->path, "%s/" AUDIT_JOURNAL, dir)) < 0)
		return error_set(error, -ENOMEM, "out of memory");
	return 0;
}

void shadow_close(struct sge *sge)
{
	struct shadow *shadow = sge->shadow;

	if (!shadow)
		return;
	if (sge->post)
		shadow_drop(sge);
	fl_detach(shadow->cell);
	audit_clear(&shadow->audit);
	free(shadow->held);
	free(shadow->theirs);
	free(shadow->path);
	free(shadow);
	sge->shadow = NULL;
}
