/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler's side: what is told becomes lines, in memory, and these are handed over. */
#include "sched/qmaster/journal/journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/parts.h"
#include "sched/process/clock.h"
#include "sched/process/json.h"
#include "sched/process/log.h"
#include "sched/qmaster/journal/answers_written.h"
#include "sched/qmaster/journal/beginning.h"
#include "sched/qmaster/journal/spool.h"
#include "sched/qmaster/json/event_write.h"
#include "sched/qmaster/json/order.h"

#define TEXT_BYTES_MOST ((size_t)64 << 20)
#define HAND_OVER_BYTES (256u << 10)

struct run_journal {
	struct sched *sched;
	struct intake *intake;
	struct spool *spool;
	struct out text;		/* lines since they were last handed over */
	struct out orders;		/* of a run */
	struct answers_written answers;
	uint64_t seq;			/* of the last event */
	uint64_t lost;			/* events, since the last part ended */
	char gap[200];			/* why it did; "": there was none */
	bool told;			/* that no part can begin */
	bool recording;			/* a part is there, and whole so far */
	bool in_snapshot;		/* as far as was told */
	uint64_t last_order;		/* before the run */
	/* the same; taken, where a part may begin with it */
	struct free_places places;
	bool has_places;
	size_t kept_bytes;		/* of orders, behind the last run */
};

/* Handing over */

static void lose(struct run_journal *j, const char *why)
{
	j->recording = false;
	out_rewind(&j->text);
	if (!*j->gap)
		strncpy(j->gap, why, sizeof(j->gap) - 1);
	spool_gap(j->spool, why);
}

/* Is what comes now kept? Not before the first part, nor behind a gap. */
static bool is_recording(struct run_journal *j)
{
	if (j->recording && !spool_is_open(j->spool)) {
		j->recording = false;
		out_rewind(&j->text);
		strncpy(j->gap, "it could not be written", sizeof(j->gap) - 1);
	}
	return j->recording;
}

static void hand_over(struct run_journal *j, size_t at_least)
{
	const char *text;
	size_t bytes;
	int rc;

	if (j->text.used < at_least)
		return;
	rc = out_held(&j->text, &text, &bytes);
	if (rc)
		lose(j, rc == -ENOMEM ? "there was no memory" : "a line was too long");
	else if (!spool_text(j->spool, text, bytes))
		lose(j, "the disk or the processors could not keep up");
	out_rewind(&j->text);
}

/* What is told */

/* A connection that broke within a snapshot has undone it, which no event says. */
static void look_at_snapshot(struct run_journal *j)
{
	bool is = mirror_in_snapshot(&j->sched->mirror);

	if (j->in_snapshot && !is)
		json_write_literal(&j->text, "{\"snapshot\":\"aborted\"}\n");
	j->in_snapshot = is;
}

/* config_changed and submitter_edit are written as what has come of them. */
static void take_event(void *context, const struct event *event)
{
	struct run_journal *j = context;

	if (!is_recording(j)) {
		j->lost++;
		j->in_snapshot = mirror_in_snapshot(&j->sched->mirror);
		return;
	}
	if (event->type == EVENT_SNAPSHOT_END)
		j->in_snapshot = false;
	else if (event->type != EVENT_SNAPSHOT_BEGIN)
		look_at_snapshot(j);
	if (event->type != EVENT_CONFIG_CHANGED && event->type != EVENT_SUBMITTER_EDIT)
		event_write(&j->text, ++j->seq, event);
	j->in_snapshot = mirror_in_snapshot(&j->sched->mirror);
	hand_over(j, HAND_OVER_BYTES);
}

static void take_reload(void *context)
{
	struct run_journal *j = context;

	if (!is_recording(j))
		return;
	look_at_snapshot(j);
	beginning_files(&j->text, &sched_cell(j->sched)->files);
	json_write_literal(&j->text, "{\"reload\":true}\n");
	hand_over(j, HAND_OVER_BYTES);
}

static void take_edit(void *context, int64_t now, const char *customer, const struct customer_edit *edit)
{
	struct run_journal *j = context;
	struct event event;

	if (!is_recording(j))
		return;
	event_init(&event, EVENT_SUBMITTER_EDIT);
	event.submitter_edit = (struct submitter_edit_event){ customer, *edit };
	json_write_number(&j->text, "{\"clock\":", now);
	json_write_literal(&j->text, "}\n");
	event_write(&j->text, ++j->seq, &event);
}

static void take_unedit(void *context)
{
	struct run_journal *j = context;

	if (is_recording(j))
		json_write_literal(&j->text, "{\"edits\":\"undone\"}\n");
}

static struct out *take_answer(void *context)
{
	struct run_journal *j = context;

	return is_recording(j) ? &j->text : NULL;
}

/* Runs */

/* Orders that are kept, if others are than behind the last run. */
static void write_kept(struct run_journal *j)
{
	const struct orders *orders = &j->sched->orders;
	const struct order *order = orders_after(orders, 0);
	const char *before = "{\"kept\":[";

	if (orders->bytes == j->kept_bytes)
		return;
	if (!order)
		json_write_literal(&j->text, before);
	while (order) {
		uint64_t first = order->number, last = first;

		while ((order = orders_after(orders, last)) && order->number == last + 1)
			last++;
		json_write_number(&j->text, before, (int64_t)first);
		json_write_number(&j->text, ",", (int64_t)last);
		before = ",";
	}
	json_write_literal(&j->text, "]}\n");
}

void journal_prepared(struct run_journal *j)
{
	if (!j)
		return;
	j->last_order = j->sched->orders.last;
	j->has_places = (!is_recording(j) || spool_is_long(j->spool)) && places_take(&j->places, j->sched) == 0;
	if (j->recording) {
		look_at_snapshot(j);
		write_kept(j);
	}
}

static char *text_of(struct out *o, size_t *bytes, int *rc)
{
	const char *held;
	char *text = NULL;

	*rc = out_held(o, &held, bytes);
	if (*rc == 0 && !(text = malloc(*bytes + 1)))
		*rc = -ENOMEM;
	if (text)
		memcpy(text, held, *bytes);
	out_rewind(o);
	return text;
}

static char *orders_of_run(struct run_journal *j, size_t *bytes, int *rc)
{
	for (const struct order *o = orders_after(&j->sched->orders, j->last_order); o; o = orders_after(&j->sched->orders, o->number))
		order_line(o, &j->orders);
	return text_of(&j->orders, bytes, rc);
}

/*
 * A part begins with a state, which all that readers are shown must be: not while a snapshot comes
 * in, nor while the store can't be read or written.
 */
static bool may_begin(const struct run_journal *j, bool stored)
{
	const struct sched *s = j->sched;

	return (stored || !s->mirror.ledger) && sched_unbooked(s) == 0 && !mirror_in_snapshot(&s->mirror) && spool_may_begin(j->spool);
}

static char *beginning_of(struct run_journal *j, uint64_t run, size_t *bytes, int *rc)
{
	struct beginning about = { .sched = j->sched, .run = run, .last_order = j->last_order, .gap = j->gap, .lost = j->lost,
				   .places = &j->places };

	beginning_write(&j->orders, &about);
	return text_of(&j->orders, bytes, rc);
}

/* What the run has left to be handed over. `begin`: with the beginning of a part. */
static int mark_make(struct run_journal *j, struct run_mark *mark, bool stored, bool begin)
{
	int rc;

	*mark = (struct run_mark){ .number = j->sched->run.number, .stored = stored, .goes_on = j->recording };
	mark->orders = orders_of_run(j, &mark->orders_bytes, &rc);
	if (rc == 0 && begin)
		mark->beginning = beginning_of(j, mark->number, &mark->beginning_bytes, &rc);
	if (rc == 0)
		mark->pin = spool_pin(j->spool, j->sched);
	return rc;
}

/* Where no part is open, there is nobody else to say it; once. */
static void give_up(struct run_journal *j, struct run_mark *mark, const char *why)
{
	free(mark->orders);
	free(mark->beginning);
	if (j->recording)
		lose(j, why);
	else if (!j->told)
		log_line(LOG_FAILURE, "the journal does not begin: %s; it is tried with each run", why);
	j->told = true;
}

static void ran(struct run_journal *j, bool stored, bool begin)
{
	struct run_mark mark;
	bool unheld;
	int rc = mark_make(j, &mark, stored, begin);

	if (rc || !mark.pin) {
		spool_unpin(mark.pin);
		give_up(j, &mark, rc == -EMSGSIZE ? "orders or files have no room in it" : rc ? "there is no memory" : "a run could not be looked at");
		return;
	}
	unheld = !mark.pin->attachment.readers.slot;
	if (!spool_run(j->spool, &mark)) {
		give_up(j, &mark, "the disk or the processors could not keep up");
		return;
	}
	j->told = false;
	if (begin) {
		j->recording = true;
		j->lost = 0;
		j->gap[0] = '\0';
		j->seq = 0;
	}
	/* nothing holds the generation but that no other one is published */
	if (unheld)
		spool_drain(j->spool);
}

void journal_ran(struct run_journal *j, int rc, bool stored)
{
	bool recording, begin;

	if (!j)
		return;
	recording = is_recording(j);
	if (rc) {
		if (recording)
			lose(j, "a run failed");
		return;
	}
	begin = j->has_places && may_begin(j, stored);
	if (recording)
		hand_over(j, 1);
	if (j->recording || begin)
		ran(j, stored, begin);
	j->kept_bytes = j->sched->orders.bytes;
	j->in_snapshot = mirror_in_snapshot(&j->sched->mirror);
}

/* Its life */

int journal_open(struct run_journal **result, const struct journal_options *options, struct sched *sched, struct intake *intake, struct error *error)
{
	const struct spool_options spooled = { options->path, options->bytes ? options->bytes : JOURNAL_BYTES, options->full };
	const struct sched_witness witness = { .reloaded = take_reload, .edited = take_edit, .unedited = take_unedit };
	struct run_journal *j;
	int rc;

	*result = NULL;
	if (!options->path)
		return 0;
	j = calloc(1, sizeof(*j));
	if (!j)
		return error_set(error, -ENOMEM, "the journal: out of memory");
	j->sched = sched;
	j->intake = intake;
	rc = out_open_memory(&j->text, TEXT_BYTES_MOST);
	if (rc == 0)
		rc = out_open_memory(&j->orders, TEXT_BYTES_MOST);
	if (rc == 0)
		rc = spool_open(&j->spool, &spooled);
	if (rc) {
		journal_close(j);
		return error_set(error, rc, "the journal: %s", strerror(-rc));
	}
	sched->witness = witness;
	sched->witness.context = j;
	intake->watch = (struct intake_watch){ j, take_event };
	answers_watch(&j->answers, sched->mirror.ledger, &sched->mirror, take_answer, j);
	*result = j;
	return 0;
}

void journal_close(struct run_journal *j)
{
	if (!j)
		return;
	if (j->spool && is_recording(j))
		hand_over(j, 1);
	if (j->intake->watch.context == j)
		j->intake->watch = (struct intake_watch){ 0 };
	if (j->sched->witness.context == j)
		sched_witness(j->sched, NULL);
	answers_unwatch(&j->answers);
	spool_close(j->spool);
	places_free(&j->places);
	out_close(&j->orders);
	out_close(&j->text);
	free(j);
}

void journal_drain(struct run_journal *j)
{
	if (j)
		spool_drain(j->spool);
}
