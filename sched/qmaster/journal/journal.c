/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the journal in the scheduler's thread. Input becomes lines in memory, which are
 * handed over to the journal's thread.
 */
#include "sched/qmaster/journal/journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	struct out text;		/* lines since the last hand-over */
	struct out orders;		/* orders of a run */
	struct answers_written answers;
	uint64_t seq;			/* number of the last event */
	uint64_t lost;			/* events since the last part ended */
	char gap[200];			/* reason why the last part ended; "": no gap */
	bool reported;			/* logged that no part can begin */
	bool recording;			/* a part is open, and complete so far */
	bool in_snapshot;		/* a snapshot is open, as far as events have shown */
	uint64_t last_order;		/* last order before the run */
	/* Places before the run, recorded if a part may begin with it. */
	struct free_places places;
	bool has_places;
	size_t kept_bytes;		/* bytes of kept orders after the last run */
};

/* Hand-over */

static void lose(struct run_journal *journal, const char *why)
{
	journal->recording = false;
	out_rewind(&journal->text);
	if (!*journal->gap)
		strncpy(journal->gap, why, sizeof(journal->gap) - 1);
	spool_gap(journal->spool, why);
}

/* Return whether input is recorded now. It is not before the first part, nor after a gap. */
static bool is_recording(struct run_journal *journal)
{
	if (journal->recording && !spool_is_open(journal->spool)) {
		journal->recording = false;
		out_rewind(&journal->text);
		strncpy(journal->gap, "it could not be written", sizeof(journal->gap) - 1);
	}
	return journal->recording;
}

static void hand_over(struct run_journal *journal, size_t at_least)
{
	const char *text;
	size_t bytes;
	int rc;

	if (journal->text.used < at_least)
		return;
	rc = out_held(&journal->text, &text, &bytes);
	if (rc)
		lose(journal, rc == -ENOMEM ? "out of memory" : "a line was too long");
	else if (!spool_text(journal->spool, text, bytes))
		lose(journal, "the disk or the processors could not keep up");
	out_rewind(&journal->text);
}

/* Input */

/*
 * Record that a snapshot was aborted. A connection that breaks during a snapshot undoes it without
 * an event.
 */
static void look_at_snapshot(struct run_journal *journal)
{
	bool is = mirror_in_snapshot(&journal->sched->mirror);

	if (journal->in_snapshot && !is)
		json_write_literal(&journal->text, "{\"snapshot\":\"aborted\"}\n");
	journal->in_snapshot = is;
}

/* Record an event. config_changed and submitter_edit are recorded by their effects instead. */
static void take_event(void *context, const struct event *event)
{
	struct run_journal *journal = context;

	if (!is_recording(journal)) {
		journal->lost++;
		journal->in_snapshot = mirror_in_snapshot(&journal->sched->mirror);
		return;
	}
	if (event->type == EVENT_SNAPSHOT_END)
		journal->in_snapshot = false;
	else if (event->type != EVENT_SNAPSHOT_BEGIN)
		look_at_snapshot(journal);
	if (event->type != EVENT_CONFIG_CHANGED && event->type != EVENT_SUBMITTER_EDIT)
		event_write(&journal->text, ++journal->seq, event);
	journal->in_snapshot = mirror_in_snapshot(&journal->sched->mirror);
	hand_over(journal, HAND_OVER_BYTES);
}

static void take_reload(void *context)
{
	struct run_journal *journal = context;

	if (!is_recording(journal))
		return;
	look_at_snapshot(journal);
	beginning_files(&journal->text, &sched_cell(journal->sched)->files);
	json_write_literal(&journal->text, "{\"reload\":true}\n");
	hand_over(journal, HAND_OVER_BYTES);
}

static void take_edit(void *context, int64_t now, const char *customer, const struct customer_edit *edit)
{
	struct run_journal *journal = context;
	struct event event;

	if (!is_recording(journal))
		return;
	event_init(&event, EVENT_SUBMITTER_EDIT);
	event.submitter_edit = (struct submitter_edit_event){ customer, *edit };
	json_write_number(&journal->text, "{\"clock\":", now);
	json_write_literal(&journal->text, "}\n");
	event_write(&journal->text, ++journal->seq, &event);
}

static void take_unedit(void *context)
{
	struct run_journal *journal = context;

	if (is_recording(journal))
		json_write_literal(&journal->text, "{\"edits\":\"undone\"}\n");
}

static struct out *take_answer(void *context)
{
	struct run_journal *journal = context;

	return is_recording(journal) ? &journal->text : NULL;
}

/* Runs */

/* Record which orders are kept, if they have changed since the last run. */
static void write_kept(struct run_journal *journal)
{
	const struct orders *orders = &journal->sched->orders;
	const struct order *order = orders_after(orders, 0);
	const char *before = "{\"kept\":[";

	if (orders->bytes == journal->kept_bytes)
		return;
	if (!order)
		json_write_literal(&journal->text, before);
	while (order) {
		uint64_t first = order->number, last = first;

		while ((order = orders_after(orders, last)) && order->number == last + 1)
			last++;
		json_write_number(&journal->text, before, (int64_t)first);
		json_write_number(&journal->text, ",", (int64_t)last);
		before = ",";
	}
	json_write_literal(&journal->text, "]}\n");
}

void journal_prepared(struct run_journal *journal)
{
	if (!journal)
		return;
	journal->last_order = journal->sched->orders.last;
	journal->has_places = (!is_recording(journal) || spool_is_long(journal->spool)) &&
			      places_take(&journal->places, journal->sched) == 0;
	if (journal->recording) {
		look_at_snapshot(journal);
		write_kept(journal);
	}
}

static char *text_of(struct out *out, size_t *bytes, int *rc)
{
	const char *held;
	char *text = NULL;

	*rc = out_held(out, &held, bytes);
	if (*rc == 0 && !(text = malloc(*bytes + 1)))
		*rc = -ENOMEM;
	if (text)
		memcpy(text, held, *bytes);
	out_rewind(out);
	return text;
}

static char *orders_of_run(struct run_journal *journal, size_t *bytes, int *rc)
{
	for (const struct order *order = orders_after(&journal->sched->orders, journal->last_order); order;
	     order = orders_after(&journal->sched->orders, order->number))
		order_line(order, &journal->orders);
	return text_of(&journal->orders, bytes, rc);
}

/*
 * Return whether a part may begin. A part begins with a state that is completely published. This is
 * impossible while a snapshot comes in, or while the store cannot be read or written.
 */
static bool may_begin(const struct run_journal *journal, bool stored)
{
	const struct sched *sched = journal->sched;

	return (stored || !mirror_ledger(&sched->mirror)) && sched_unbooked(sched) == 0 && !mirror_in_snapshot(&sched->mirror) &&
	       spool_may_begin(journal->spool);
}

static char *beginning_of(struct run_journal *journal, uint64_t run, size_t *bytes, int *rc)
{
	struct beginning about = { .sched = journal->sched,
				   .run = run,
				   .last_order = journal->last_order,
				   .gap = journal->gap,
				   .lost = journal->lost,
				   .places = &journal->places };

	beginning_write(&journal->orders, &about);
	return text_of(&journal->orders, bytes, rc);
}

/* Collect the results of a run. `begin`: with the beginning of a part. */
static int mark_make(struct run_journal *journal, struct run_mark *mark, bool stored, bool begin)
{
	int rc;

	*mark = (struct run_mark){ .number = journal->sched->run.number,
				   .stored = stored,
				   .goes_on = journal->recording };
	mark->orders = orders_of_run(journal, &mark->orders_bytes, &rc);
	if (rc == 0 && begin)
		mark->beginning = beginning_of(journal, mark->number, &mark->beginning_bytes, &rc);
	if (rc == 0)
		mark->pin = spool_pin(journal->spool, journal->sched);
	return rc;
}

/* Give up a run. If no part is open, the reason can only be logged, and this is done once. */
static void give_up(struct run_journal *journal, struct run_mark *mark, const char *why)
{
	free(mark->orders);
	free(mark->beginning);
	if (journal->recording)
		lose(journal, why);
	else if (!journal->reported)
		log_line(LOG_FAILURE, "the journal cannot begin: %s; it is tried again with each run", why);
	journal->reported = true;
}

static void ran(struct run_journal *journal, bool stored, bool begin)
{
	struct run_mark mark;
	bool unheld;
	int rc = mark_make(journal, &mark, stored, begin);

	if (rc || !mark.pin) {
		spool_unpin(mark.pin);
		give_up(journal, &mark,
			rc == -EMSGSIZE ? "orders or files are too large for it"
			: rc		? "out of memory"
					: "a run could not be read");
		return;
	}
	unheld = !mark.pin->attachment.readers.slot;
	if (!spool_run(journal->spool, &mark)) {
		give_up(journal, &mark, "the disk or the processors could not keep up");
		return;
	}
	journal->reported = false;
	if (begin) {
		journal->recording = true;
		journal->lost = 0;
		journal->gap[0] = '\0';
		journal->seq = 0;
	}
	/* the generation is not held, so it must be written before the next one is published */
	if (unheld)
		spool_drain(journal->spool);
}

void journal_ran(struct run_journal *journal, int rc, bool stored)
{
	bool recording, begin;

	if (!journal)
		return;
	recording = is_recording(journal);
	if (rc) {
		if (recording)
			lose(journal, "a run failed");
		return;
	}
	begin = journal->has_places && may_begin(journal, stored);
	if (recording)
		hand_over(journal, 1);
	if (journal->recording || begin)
		ran(journal, stored, begin);
	journal->kept_bytes = journal->sched->orders.bytes;
	journal->in_snapshot = mirror_in_snapshot(&journal->sched->mirror);
}

/* Creation and destruction */

int journal_open(struct run_journal **result, const struct journal_options *options, struct sched *sched,
		 struct intake *intake, struct error *error)
{
	const struct spool_options spooled = { options->path, options->bytes ? options->bytes : JOURNAL_BYTES,
					       options->full };
	const struct sched_witness witness = { .reloaded = take_reload, .edited = take_edit, .unedited = take_unedit };
	struct run_journal *journal;
	int rc;

	*result = NULL;
	if (!options->path)
		return 0;
	journal = calloc(1, sizeof(*journal));
	if (!journal)
		return error_set(error, -ENOMEM, "the journal: out of memory");
	journal->sched = sched;
	journal->intake = intake;
	/* otherwise a part that begins with the number of the last run would seem to continue it */
	if (access(options->path, F_OK) == 0)
		strcpy(journal->gap, "the part before it breaks off");
	rc = out_open_memory(&journal->text, TEXT_BYTES_MOST);
	if (rc == 0)
		rc = out_open_memory(&journal->orders, TEXT_BYTES_MOST);
	if (rc == 0)
		rc = spool_open(&journal->spool, &spooled);
	if (rc) {
		journal_close(journal);
		return error_set(error, rc, "the journal: %s", strerror(-rc));
	}
	sched->witness = witness;
	sched->witness.context = journal;
	intake->watch = (struct intake_watch){ journal, take_event };
	answers_watch(&journal->answers, mirror_ledger(&sched->mirror), &sched->mirror, take_answer, journal);
	*result = journal;
	return 0;
}

void journal_close(struct run_journal *journal)
{
	if (!journal)
		return;
	if (journal->spool && is_recording(journal))
		hand_over(journal, 1);
	if (journal->intake->watch.context == journal)
		journal->intake->watch = (struct intake_watch){ 0 };
	if (journal->sched->witness.context == journal)
		sched_witness(journal->sched, NULL);
	answers_unwatch(&journal->answers);
	spool_close(journal->spool);
	places_free(&journal->places);
	out_close(&journal->orders);
	out_close(&journal->text);
	free(journal);
}

void journal_drain(struct run_journal *journal)
{
	if (journal)
		spool_drain(journal->spool);
}
