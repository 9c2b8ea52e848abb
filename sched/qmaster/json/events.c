/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/mirror/queries.h"
#include "sched/process/json.h"
#include "sched/qmaster/members/event.h"

/* Answers */

/*
 * Answer with an error. `seq` 0: the line had no number. If memory is exhausted, no answer is sent.
 */
static void answer_error(struct events *events, uint64_t seq, const char *text, bool snapshot)
{
	struct error clean;
	struct out line;
	const char *held;
	size_t bytes;

	error_set(&clean, 0, "%s", text);
	utf8_clean(clean.text);
	if (out_open_memory(&line, OUT_ROOM_BYTES))
		return;
	json_write_literal(&line, "{\"answer\":\"error\"");
	if (seq)
		json_write_number(&line, ",\"seq\":", (int64_t)seq);
	json_write_string(&line, ",\"text\":", clean.text);
	if (snapshot)
		json_write_literal(&line, ",\"request\":\"snapshot\"");
	json_write_literal(&line, "}\n");
	if (out_held(&line, &held, &bytes) == 0)
		events->answer(events->context, held, bytes);
	out_close(&line);
}

static void refusal_count(struct events *events, const char *text)
{
	events->refused++;
	refusals_report(&events->refusals, text);
}

/*
 * Refuse a line. Inside a snapshot no new snapshot is requested, because it would have the same
 * error.
 */
static void line_refuse(struct events *events, uint64_t seq, const char *text)
{
	refusal_count(events, text);
	answer_error(events, seq, text, !mirror_in_snapshot(events->intake->mirror));
}

void events_acknowledge(struct events *events)
{
	char line[64];
	uint64_t seq = events->intake->keeps ? events->kept : events->last;
	int length = snprintf(line, sizeof(line), "{\"answer\":\"ack\",\"seq\":%llu}\n", (unsigned long long)seq);

	events->acknowledge = false;
	if (seq && !events->unnumbered && !mirror_in_snapshot(events->intake->mirror))
		events->answer(events->context, line, (size_t)length);
}

void events_complain(struct events *events, const char *text)
{
	answer_error(events, 0, text, false);
}

/* Numbers */

static void gap_answer(struct events *events, uint64_t seq)
{
	struct error error;

	if (events->unnumbered)
		error_set(&error, 0, "the snapshot before it broke off");
	else if (seq - events->last == 2)
		error_set(&error, 0, "event %llu is missing before it", (unsigned long long)events->last + 1);
	else
		error_set(&error, 0, "events %llu to %llu are missing before it", (unsigned long long)events->last + 1,
			  (unsigned long long)seq - 1);
	refusal_count(events, error.text);
	answer_error(events, seq, error.text, true);
}

static bool event_is_repeated(const struct events *events, uint64_t seq, const struct event_form *form)
{
	return (!form || form->type != EVENT_SNAPSHOT_BEGIN) && !events->unnumbered && seq <= events->last;
}

/* Count an event that is not a repetition. */
static void event_count(struct events *events, uint64_t seq, const struct event_form *form)
{
	bool begin = form && form->type == EVENT_SNAPSHOT_BEGIN, next = !events->unnumbered && seq == events->last + 1;

	if (!begin && !next)
		gap_answer(events, seq);
	if (begin && !mirror_in_snapshot(events->intake->mirror)) {
		events->before = events->last;
		events->renumbered = false;
	}
	if (begin)
		events->renumbered |= !next;
	events->last = seq;
	events->unnumbered = false;
}

static void snapshot_drop(struct events *events)
{
	mirror_snapshot_abort(events->intake->mirror);
	events->last = events->before;
	events->unnumbered = events->renumbered;
}

void events_keep(struct events *events)
{
	events->kept = events_settled(events);
}

uint64_t events_settled(const struct events *events)
{
	return mirror_in_snapshot(events->intake->mirror) ? events->before : events->last;
}

void events_break(struct events *events)
{
	if (mirror_in_snapshot(events->intake->mirror))
		snapshot_drop(events);
}

/* Lines */

/*
 * Refuse an event. A new snapshot is not requested for config_changed and submitter_edit, because
 * it would contain neither a configuration nor user priorities.
 */
static void event_refuse(struct events *events, uint64_t seq, const struct event_form *form, const char *why)
{
	struct error named;

	if (form->type == EVENT_CONFIG_CHANGED) {
		refusal_count(events, why);
		answer_error(events, seq, why, false);
		return;
	}
	error_set(&named, 0, "%s: %s", form->name, why);
	if (form->type == EVENT_SUBMITTER_EDIT) {
		refusal_count(events, named.text);
		answer_error(events, seq, named.text, false);
		return;
	}
	line_refuse(events, seq, named.text);
}

static void event_handle(struct events *events, uint64_t seq, const struct event_form *form, const struct value *object)
{
	struct error error = { "" };
	struct taking taking = { 0 };
	struct event event;
	int rc = event_read(form, object, &taking, &event);

	if (rc)
		error = taking.error;
	else
		rc = unknowns_check(&events->unknowns, mirror_cell(events->intake->mirror), form, &taking, &event, &error);
	if (rc == 0)
		rc = intake_event(events->intake, &event, &error);
	event_clear(&event, &taking);
	if (rc) {
		event_refuse(events, seq, form, error.text);
	} else if (form->type == EVENT_SNAPSHOT_END) {
		events->kept = 0;
		events->acknowledge = true;
	}
}

/* Suggest the event with the nearest name, or refer to the list of events. */
static void event_unknown(const char *name, struct error *error)
{
	const char *nearest = event_nearest(name);

	if (nearest)
		error_set(error, 0, "event: \"%.60s\" is unknown; did you mean \"%s\"?", name, nearest);
	else
		error_set(error, 0, "event: \"%.60s\" is unknown; see fairlead-events(5)", name);
}

static void event_take(struct events *events, const struct value *object)
{
	const struct value *seq = value_member(object, "seq"), *name = value_member(object, "event");
	const char *text = name && name->type == VALUE_STRING ? name->text : NULL;
	const struct event_form *form = text ? event_form(text) : NULL;
	bool number = seq && seq->type == VALUE_INTEGER;
	int64_t n = number ? seq->integer : 0;
	struct error error;

	if (n < 1 || n > SEQ_MAX) {
		line_refuse(events, 0,
			    number ? "seq: it is not in 1..9007199254740991"
			    : seq  ? "seq: an integer is expected"
				   : "seq: missing");
		return;
	}
	if (event_is_repeated(events, (uint64_t)n, form)) {
		events->acknowledge = true;
		return;
	}
	event_count(events, (uint64_t)n, form);
	if (form) {
		event_handle(events, (uint64_t)n, form, object);
		return;
	}
	if (text)
		event_unknown(text, &error);
	else
		error_set(&error, 0, name ? "event: a string is expected" : "event: missing");
	line_refuse(events, (uint64_t)n, error.text);
}

/*
 * Return the number of a line that is not JSON, if the line begins with {"seq":12. The event then
 * counts as handled.
 */
static uint64_t seq_salvage(struct events *events, const char *line, size_t length)
{
	unsigned long long n = 0;
	char beginning[64];
	int end = 0;

	length = length < sizeof(beginning) - 1 ? length : sizeof(beginning) - 1;
	memcpy(beginning, line, length);
	beginning[length] = '\0';
	if (sscanf(beginning, " { \"seq\" : %16llu%n", &n, &end) != 1 || !end || !strchr(" ,}", beginning[end]) ||
	    n > SEQ_MAX)
		return 0;
	if (n > events->last && !events->unnumbered)
		events->last = n;
	return n;
}

static bool line_is_blank(const char *line, size_t length)
{
	while (length && strchr(" \t\r", *line) && *line)
		line++, length--;
	return length == 0;
}

void events_line(struct events *events, const char *line, size_t length)
{
	const struct value *object;
	struct error why, error;

	if (line_is_blank(line, length))
		return;
	object = values_read(&events->values, line, length, &why);
	if (object) {
		event_take(events, object);
		return;
	}
	error_set(&error, 0, "not a JSON object: %s", why.text);
	line_refuse(events, seq_salvage(events, line, length), error.text);
}

void events_long_line(struct events *events, const char *beginning, size_t length)
{
	struct error error;

	error_set(&error, 0, "the line is longer than %u bytes", LINE_BYTES);
	line_refuse(events, seq_salvage(events, beginning, length), error.text);
}

void events_destroy(struct events *events)
{
	unknowns_free(&events->unknowns);
	values_destroy(&events->values);
}
