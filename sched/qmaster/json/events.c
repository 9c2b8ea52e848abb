/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/utf8.h"
#include "sched/mirror/tables.h"
#include "sched/process/json.h"
#include "sched/qmaster/members/event.h"

/* Answers */

/* `seq` 0: the line had none. Without memory for it there is none. */
static void answer_error(struct events *e, uint64_t seq, const char *text, bool snapshot)
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
		e->answer(e->context, held, bytes);
	out_close(&line);
}

static void refusal_count(struct events *e, const char *text)
{
	e->refused++;
	refusals_tell(&e->refusals, text);
}

/* What is wrong inside a snapshot would be wrong in the next one, too: none is asked for. */
static void line_refuse(struct events *e, uint64_t seq, const char *text)
{
	refusal_count(e, text);
	answer_error(e, seq, text, !mirror_in_snapshot(e->intake->mirror));
}

void events_acknowledge(struct events *e)
{
	char line[64];
	uint64_t seq = e->intake->keeps ? e->kept : e->last;
	int length = snprintf(line, sizeof(line), "{\"answer\":\"ack\",\"seq\":%llu}\n", (unsigned long long)seq);

	e->acknowledge = false;
	if (seq && !e->unnumbered && !mirror_in_snapshot(e->intake->mirror))
		e->answer(e->context, line, (size_t)length);
}

void events_complain(struct events *e, const char *text)
{
	answer_error(e, 0, text, false);
}

/* Numbers */

static void gap_answer(struct events *e, uint64_t seq)
{
	struct error error;

	if (e->unnumbered)
		error_set(&error, 0, "the snapshot before it broke off");
	else if (seq - e->last == 2)
		error_set(&error, 0, "event %llu is missing before it", (unsigned long long)e->last + 1);
	else
		error_set(&error, 0, "events %llu to %llu are missing before it", (unsigned long long)e->last + 1,
			  (unsigned long long)seq - 1);
	refusal_count(e, error.text);
	answer_error(e, seq, error.text, true);
}

static bool event_is_repeated(const struct events *e, uint64_t seq, const struct event_form *form)
{
	return (!form || form->type != EVENT_SNAPSHOT_BEGIN) && !e->unnumbered && seq <= e->last;
}

/* Count an event that is no repetition. */
static void event_count(struct events *e, uint64_t seq, const struct event_form *form)
{
	bool begin = form && form->type == EVENT_SNAPSHOT_BEGIN, next = !e->unnumbered && seq == e->last + 1;

	if (!begin && !next)
		gap_answer(e, seq);
	if (begin && !mirror_in_snapshot(e->intake->mirror)) {
		e->before = e->last;
		e->renumbered = false;
	}
	if (begin)
		e->renumbered |= !next;
	e->last = seq;
	e->unnumbered = false;
}

static void snapshot_drop(struct events *e)
{
	mirror_snapshot_abort(e->intake->mirror);
	e->last = e->before;
	e->unnumbered = e->renumbered;
}

void events_keep(struct events *e)
{
	e->kept = events_settled(e);
}

uint64_t events_settled(const struct events *e)
{
	return mirror_in_snapshot(e->intake->mirror) ? e->before : e->last;
}

void events_break(struct events *e)
{
	if (mirror_in_snapshot(e->intake->mirror))
		snapshot_drop(e);
}

/* Lines */

/* A snapshot makes no configuration better, and has no user priorities. */
static void event_refuse(struct events *e, uint64_t seq, const struct event_form *form, const char *why)
{
	struct error named;

	if (form->type == EVENT_CONFIG_CHANGED) {
		refusal_count(e, why);
		answer_error(e, seq, why, false);
		return;
	}
	error_set(&named, 0, "%s: %s", form->name, why);
	if (form->type == EVENT_SUBMITTER_EDIT) {
		refusal_count(e, named.text);
		answer_error(e, seq, named.text, false);
		return;
	}
	line_refuse(e, seq, named.text);
}

static void event_handle(struct events *e, uint64_t seq, const struct event_form *form, const struct value *object)
{
	struct error error = { "" };
	struct taking taking = { 0 };
	struct event event;
	int rc = event_read(form, object, &taking, &event);

	if (rc)
		error = taking.error;
	else
		rc = unknowns_check(&e->unknowns, e->intake->mirror->cell, form, &taking, &event, &error);
	if (rc == 0)
		rc = intake_event(e->intake, &event, &error);
	event_clear(&event, &taking);
	if (rc) {
		event_refuse(e, seq, form, error.text);
	} else if (form->type == EVENT_SNAPSHOT_END) {
		e->kept = 0;
		e->acknowledge = true;
	}
}

/* What was meant, or all that there are. */
static void event_unknown(const char *name, struct error *error)
{
	const char *nearest = event_nearest(name);

	if (nearest)
		error_set(error, 0, "event: \"%.60s\" is unknown; did you mean \"%s\"?", name, nearest);
	else
		error_set(error, 0, "event: \"%.60s\" is unknown; fairlead-events(5) has those that there are", name);
}

static void event_take(struct events *e, const struct value *object)
{
	const struct value *seq = value_member(object, "seq"), *name = value_member(object, "event");
	const char *text = name && name->type == VALUE_STRING ? name->text : NULL;
	const struct event_form *form = text ? event_form(text) : NULL;
	bool number = seq && seq->type == VALUE_INTEGER;
	int64_t n = number ? seq->integer : 0;
	struct error error;

	if (n < 1 || n > SEQ_MAX) {
		line_refuse(e, 0, number ? "seq: it is not in 1..9007199254740991" : seq ? "seq: an integer is expected" : "seq: missing");
		return;
	}
	if (event_is_repeated(e, (uint64_t)n, form)) {
		e->acknowledge = true;
		return;
	}
	event_count(e, (uint64_t)n, form);
	if (form) {
		event_handle(e, (uint64_t)n, form, object);
		return;
	}
	if (text)
		event_unknown(text, &error);
	else
		error_set(&error, 0, name ? "event: a string is expected" : "event: missing");
	line_refuse(e, (uint64_t)n, error.text);
}

/*
 * The number of a line that is no JSON, if it begins with one: {"seq":12, and counts as dealt with.
 */
static uint64_t seq_salvage(struct events *e, const char *line, size_t length)
{
	unsigned long long n = 0;
	char beginning[64];
	int end = 0;

	length = length < sizeof(beginning) - 1 ? length : sizeof(beginning) - 1;
	memcpy(beginning, line, length);
	beginning[length] = '\0';
	if (sscanf(beginning, " { \"seq\" : %16llu%n", &n, &end) != 1 || !end || !strchr(" ,}", beginning[end]) || n > SEQ_MAX)
		return 0;
	if (n > e->last && !e->unnumbered)
		e->last = n;
	return n;
}

static bool line_is_blank(const char *line, size_t length)
{
	while (length && strchr(" \t\r", *line) && *line)
		line++, length--;
	return length == 0;
}

void events_line(struct events *e, const char *line, size_t length)
{
	const struct value *object;
	struct error why, error;

	if (line_is_blank(line, length))
		return;
	object = values_read(&e->values, line, length, &why);
	if (object) {
		event_take(e, object);
		return;
	}
	error_set(&error, 0, "no JSON object: %s", why.text);
	line_refuse(e, seq_salvage(e, line, length), error.text);
}

void events_long_line(struct events *e, const char *beginning, size_t length)
{
	struct error error;

	error_set(&error, 0, "the line is longer than %u bytes", LINE_BYTES);
	line_refuse(e, seq_salvage(e, beginning, length), error.text);
}

void events_destroy(struct events *e)
{
	unknowns_free(&e->unknowns);
	values_destroy(&e->values);
}
