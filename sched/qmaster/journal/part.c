/* SPDX-License-Identifier: Apache-2.0 */
/* Output of the journal's thread: the beginning of a part, lines as they come, runs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/journal/journal.h"
#include "sched/qmaster/journal/spool_inside.h"
#include "sched/qmaster/journal/values_written.h"
#include "sched/qmaster/json/event_write.h"
#include "sched/run/records_state.h"
#include "sched/run/resend.h"

#define LINE_BYTES_MOST ((size_t)64 << 20)	/* bytes that are held before they are compressed */
#define STATE_BATCH_BYTES (256u << 10)
#define RETRY_NS_LEAST ((uint64_t)5000000000)
#define RETRY_DOUBLINGS 7u		/* about ten minutes */

int spool_part_make(struct spool_part *part, const struct spool_options *options)
{
	part->options = *options;
	part->frame.files =
		(struct journal_files){ .path = options->path, .part_bytes = options->bytes / JOURNAL_FILES, .fd = -1 };
	if (options->full && values_written_make(&part->written))
		return -ENOMEM;
	return out_open_memory(&part->line, LINE_BYTES_MOST);
}

void spool_part_free(struct spool_part *part)
{
	frame_free(&part->frame);
	out_close(&part->line);
	values_written_free(part->written);
}

bool spool_part_may_begin(const struct spool_part *part)
{
	return clock_monotonic_ns() >= atomic_load(&part->retry_ns);
}

/* Break off the part, and log the reason once. */
static void fail(struct spool_part *part, const struct error *error)
{
	uint64_t wait = RETRY_NS_LEAST << (part->failures < RETRY_DOUBLINGS ? part->failures : RETRY_DOUBLINGS);

	if (!part->failing)
		log_line(LOG_FAILURE, "the journal stops: %s; nothing else is affected",
			 error->text);
	part->failing = true;
	part->failures++;
	atomic_store(&part->retry_ns, clock_monotonic_ns() + wait);
	frame_end(&part->frame, false);
	atomic_store(&part->state, PART_NONE);
}

static int write_line(struct spool_part *part, struct error *error)
{
	const char *text;
	size_t bytes;
	int rc = out_held(&part->line, &text, &bytes);

	if (rc == 0)
		rc = frame_write(&part->frame, text, bytes, error);
	else
		error_set(error, rc, "a line: %s", strerror(-rc));
	out_rewind(&part->line);
	return rc;
}

void spool_part_text(struct spool_part *part, const char *text, size_t bytes)
{
	struct error error;

	if (part->frame.open && frame_write(&part->frame, text, bytes, &error))
		fail(part, &error);
}

void spool_part_break(struct spool_part *part, const char *why)
{
	struct error error;

	if (!part->frame.open)
		return;
	log_line(LOG_FAILURE, "the journal stops: %s; nothing else is affected", why);
	part->failing = true;
	json_write_string(&part->line, "{\"gap\":", why);
	json_write_literal(&part->line, "}\n");
	if (write_line(part, &error))
		fail(part, &error);
	frame_end(&part->frame, true);
	atomic_store(&part->state, PART_NONE);
}

void spool_part_end(struct spool_part *part)
{
	frame_end(&part->frame, true);
	atomic_store(&part->state, PART_NONE);
}

/* Runs */

static void write_digests(struct out *out, const struct digests *digests)
{
	char hex[40];
	const char *before = "";

	json_write_literal(out, ",\"digest\":{");
	for (unsigned i = 0; i < DIGESTS; i++) {
		if (digests->of[i].low == 0 && digests->of[i].high == 0)
			continue;
		json_write_string(out, before, digest_name(i));
		snprintf(hex, sizeof(hex), "%016" PRIx64 "%016" PRIx64, digests->of[i].high, digests->of[i].low);
		json_write_string(out, ":", hex);
		before = ",";
	}
	json_write_literal(out, "}");
}

/* Write the inputs of the run that no event contains. */
static void write_facts(struct out *out, const struct view *view)
{
	const struct run_record *run = records_run(view);
	const struct state_head *head = view_state(view);

	json_write_number(out, ",\"now\":", LOAD_ONCE(run->now));
	json_write_number(out, ",\"event\":", (int64_t)LOAD_ONCE(run->event));
	if (!head)
		return;
	json_write_bool(out, ",\"dispatch\":", LOAD_ONCE(head->dispatches) != RUN_ORDERS_NOTHING);
	if (LOAD_ONCE(head->dispatches) == RUN_PAUSED)
		json_write_literal(out, ",\"paused\":true");
	json_write_number(out, ",\"hosts_up\":", (int64_t)LOAD_ONCE(head->health.hosts_up));
	json_write_number(out, ",\"store_failures\":", (int64_t)LOAD_ONCE(head->health.store_failures));
}

/*
 * Write the line of the run to part->line. Without its generation there is neither a digest nor a
 * time, and the run cannot be made again: -ESTALE.
 */
static int run_line(struct spool_part *part, const struct run_mark *mark, struct error *error)
{
	struct out *out = &part->line;
	struct digests digests;
	int rc;

	if (!mark->pin || LOAD_ONCE(records_run(&mark->pin->view)->run) != mark->number)
		return error_set(error, -ESTALE, "run %llu was replaced before it could be read",
				 (unsigned long long)mark->number);
	rc = digests_make(&digests, &mark->pin->view);
	if (rc)
		return error_set(error, rc, "out of memory");
	json_write_number(out, "{\"run\":", (int64_t)mark->number);
	write_facts(out, &mark->pin->view);
	json_write_bool(out, ",\"stored\":", mark->stored);
	json_write_number(out, ",\"cycle\":", (int64_t)digests.cycle);
	write_digests(out, &digests);
	json_write_literal(out, "}\n");
	if (LOAD_ONCE(mark->pin->view.directory->gen) != mark->pin->view.gen)
		return error_set(error, -ESTALE, "run %llu was replaced while it was being read",
				 (unsigned long long)mark->number);
	return 0;
}

struct telling {
	struct spool_part *part;
	struct error *error;
};

static int report_values(void *context)
{
	struct telling *telling = context;

	return write_line(telling->part, telling->error);
}

/* Write a run. `line` is not freed, because the part that begins here needs it, too. */
static int write_run(struct spool_part *part, const struct run_mark *mark, const char *line, size_t bytes,
		     struct error *error)
{
	struct telling telling = { part, error };
	int rc = frame_write(&part->frame, mark->orders, mark->orders_bytes, error);

	if (rc == 0 && part->written)
		rc = values_written_put(part->written, &part->line, &mark->pin->view, report_values, &telling);
	if (rc == 0)
		rc = frame_write(&part->frame, line, bytes, error);
	return rc ? rc : frame_flush(&part->frame, error);
}

/* The beginning of a part */

static int report_event(void *context, const struct event *event)
{
	struct telling *telling = context;

	event_write(&telling->part->line, ++telling->part->seq, event);
	return telling->part->line.used > STATE_BATCH_BYTES ? write_line(telling->part, telling->error) : 0;
}

static int write_state(struct spool_part *part, const struct pin *pin, struct error *error)
{
	struct telling telling = { part, error };
	int rc;

	part->seq = 0;
	*error->text = '\0';
	rc = resend_events(&pin->view, &(struct resend_calls){ .context = &telling, .event = report_event });
	if (rc)
		return *error->text ? rc
				    : error_set(error, rc, "the state at the beginning of a part: %s", strerror(-rc));
	json_write_number(&part->line, "{\"state\":", (int64_t)part->seq);
	json_write_literal(&part->line, "}\n");
	return write_line(part, error);
}

static int begin(struct spool_part *part, const struct run_mark *mark, const char *line, size_t bytes,
		 struct error *error)
{
	int rc = frame_begin(&part->frame, error);

	if (part->written)
		values_written_forget(part->written);
	if (rc == 0)
		rc = frame_write(&part->frame, mark->beginning, mark->beginning_bytes, error);
	if (rc == 0)
		rc = write_state(part, mark->pin, error);
	if (rc == 0)
		rc = write_run(part, mark, line, bytes, error);
	return rc ? rc : journal_files_settle(&part->frame.files, error);
}

static void begun(struct spool_part *part)
{
	if (part->failing)
		log_line(LOG_NOTE, "the journal is written again");
	part->failing = false;
	part->failures = 0;
	if (part->frame.files.used > part->frame.files.part_bytes / 2)
		log_line(LOG_ODD,
			 "the state alone takes %llu of the %llu bytes of a part of the journal; make the journal "
			 "larger",
			 (unsigned long long)part->frame.files.used, (unsigned long long)part->frame.files.part_bytes);
	atomic_store(&part->state, PART_OPEN);
}

static void measure(struct spool_part *part)
{
	atomic_store(&part->is_long, part->frame.open && part->frame.files.used > part->frame.files.part_bytes / 4 * 3);
}

void spool_part_run(struct spool_part *part, const struct run_mark *mark)
{
	struct error error = { "" };
	const char *held;
	char *line = NULL;
	size_t bytes = 0;
	int rc;

	if (!part->frame.open && !mark->beginning)
		return;
	rc = run_line(part, mark, &error);
	if (rc == 0)
		rc = out_held(&part->line, &held, &bytes);
	if (rc == 0 && (line = malloc(bytes + 1)))
		memcpy(line, held, bytes);
	out_rewind(&part->line);
	if (rc == 0 && !line)
		rc = error_set(&error, -ENOMEM, "out of memory");
	if (rc == 0 && part->frame.open && (!mark->beginning || mark->goes_on) &&
	    (rc = write_run(part, mark, line, bytes, &error)) && mark->beginning) {
		fail(part, &error);	/* the part that begins also contains the run */
		rc = 0;
	}
	if (rc == 0 && mark->beginning)
		rc = begin(part, mark, line, bytes, &error);
	free(line);
	if (rc)
		fail(part, &error);
	else if (mark->beginning)
		begun(part);
	measure(part);
	if (mark->beginning)
		atomic_fetch_add(&part->beginnings, 1);
}
