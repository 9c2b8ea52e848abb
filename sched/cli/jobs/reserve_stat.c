/* SPDX-License-Identifier: Apache-2.0 */
/* Advance reservations of the newest run, printed like qrstat(1). */
#include "sched/cli/jobs/reserve.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sched/cli/text.h"
#include "sched/cli/verbs.h"
#include "sched/client/reserve.h"
#include "sched/process/json.h"
#include "sched/reader/handle.h"
#include "sched/run/resend.h"

#define NAME_WIDTH 10
#define OWNER_WIDTH 12

/* Options of all forms of reserve, for the help and for completion in shells. */
const struct argument reserve_options[] = { RESERVE_SUB_ROWS, RESERVE_STAT_ROWS, RESERVE_DEL_ROWS, { .name = NULL } };
const struct argument reserve_stat_options[] = { RESERVE_STAT_ROWS, { .name = NULL } };

int reserve_stat_numbers(void *stat, struct words *words)
{
	struct names *numbers = &((struct reserve_stat *)stat)->numbers;
	size_t before = numbers->n;
	unsigned long number;
	int code = names_add(words->messages, numbers, "reserve stat", "-ar", (char *)words->value);

	for (size_t i = before; !code && i < numbers->n; i++)
		if (options_number(words->messages, "reserve stat", "-ar", numbers->items[i], 1, UINT32_MAX, &number))
			code = EXIT_USAGE;
	return code;
}

int reserve_stat_users(void *stat, struct words *words)
{
	return names_add(words->messages, &((struct reserve_stat *)stat)->users, "reserve stat", "-u",
			 (char *)words->value);
}

/* Selection */

struct walk {
	struct reserve_stat *s;
	struct out *out;
	reserve_print *print;
};

static struct local_clock local_clock;

static const char *text(const char *of)
{
	return of ? of : "";
}

static int one(void *walk, const struct event *event)
{
	const struct advance_event *advance_event = &event->advance;
	struct walk *w = walk;
	char number[16];

	snprintf(number, sizeof(number), "%u", advance_event->number);
	if (!names_have(&w->s->numbers, number) || !names_match(&w->s->users, text(advance_event->owner)))
		return 0;
	w->print(w->out, w->s, advance_event);
	w->s->found++;
	return w->out->error;
}

int reserve_each(const struct fl_view *view, struct out *out, struct reserve_stat *stat, reserve_print *print)
{
	struct walk walk = { stat, out, print };
	const struct resend_calls calls = { .context = &walk, .event = one };

	stat->found = 0;
	stat->error = resend_advances(&view->view, &calls);
	return stat->error ? EXIT_NO_DATA : EXIT_OK;
}

/* Columns */

static void put_text(struct out *out, const char *words)
{
	json_write_literal(out, words);
}

static void put_time(struct out *out, int64_t time)
{
	char *p = out_room(out, 2 * TIME_BYTES);

	out_take(out, clock_put(&local_clock, p, time, TIME_TABLE));
}

void reserve_duration(struct out *out, int64_t seconds)
{
	char words[40];

	snprintf(words, sizeof(words), "%02lld:%02d:%02d", (long long)(seconds / 3600), (int)(seconds / 60 % 60),
		 (int)(seconds % 60));
	put_text(out, words);
}

static void row(struct out *out, struct reserve_stat *stat, const struct advance_event *a)
{
	char *p;

	if (stat->found == 0)
		put_text(
			out,
			"ar-id   name       owner        state start at             end at               duration\n"
			"------------------------------------------------------------------------------------------\n");
	p = out_room(out, 200);
	p += sprintf(p, "%7u ", a->number);
	p = text_column(p, text(a->name), NAME_WIDTH);
	*p++ = ' ';
	p = text_column(p, text(a->owner), OWNER_WIDTH);
	p += sprintf(p, " %-5.1s ", text(a->state));
	out_take(out, p);
	put_time(out, a->start_time);
	put_text(out, "  ");
	put_time(out, a->end_time);
	put_text(out, "  ");
	reserve_duration(out, a->end_time - a->start_time);
	put_text(out, "\n");
}

/* A reservation in full */

static void field(struct out *out, const char *name, const char *value)
{
	char *p;

	if (!value || !*value)
		return;
	p = out_room(out, 64);
	out_take(out, text_column(p, name, 31));
	text_plain(out, value);
	put_text(out, "\n");
}

static void field_time(struct out *out, const char *name, int64_t time)
{
	char *p = out_room(out, 64);

	out_take(out, text_column(p, name, 31));
	put_time(out, time);
	put_text(out, "\n");
}

static void granted(struct out *out, const struct advance_event *event)
{
	char *p = out_room(out, 64), words[32];
	uint64_t slots = 0;

	out_take(out, text_column(p, "granted_slots_list", 31));
	for (size_t i = 0; i < event->granted.n; i++) {
		put_text(out, i ? "," : "");
		text_plain(out, event->granted.items[i].queue);
		snprintf(words, sizeof(words), "=%u", event->granted.items[i].slots);
		put_text(out, words);
		slots += event->granted.items[i].slots;
	}
	put_text(out, "\n");
	if (!event->granted_pe)
		return;
	p = out_room(out, 64);
	out_take(out, text_column(p, "granted_parallel_environment", 31));
	text_plain(out, event->granted_pe);
	snprintf(words, sizeof(words), " slots %llu\n", (unsigned long long)slots);
	put_text(out, words);
}

static void in_full(struct out *out, struct reserve_stat *stat, const struct advance_event *event)
{
	char number[16], *p;

	(void)stat;
	snprintf(number, sizeof(number), "%u", event->number);
	put_text(out, "--------------------------------------------------------------------------------\n");
	field(out, "id", number);
	p = out_room(out, 64);
	out_take(out, text_column(p, "name", 31));
	text_plain(out, text(event->name));
	put_text(out, "\n");
	field(out, "owner", event->owner);
	field(out, "state", event->state);
	field_time(out, "start_time", event->start_time);
	field_time(out, "end_time", event->end_time);
	put_text(out, "duration                       ");
	reserve_duration(out, event->end_time - event->start_time);
	put_text(out, "\n");
	if (event->submission_time)
		field_time(out, "submission_time", event->submission_time);
	field(out, "account", event->account);
	field(out, "resource_list", event->hard);
	field(out, "queue_list", event->hard_queues);
	field(out, "master_queue_list", event->master_queues);
	field(out, "checkpoint", event->ckpt);
	field(out, "error_handling", event->hard_error ? "hard" : NULL);
	field(out, "acl_list", event->access);
	field(out, "xacl_list", event->no_access);
	granted(out, event);
}

static int reserve_stat_table(const struct fl_view *view, struct out *out, void *context)
{
	struct reserve_stat *stat = context;

	return reserve_each(view, out, stat, stat->numbers.n > 0 ? in_full : row);
}

/* JSON */

static void as_json(struct out *out, struct reserve_stat *stat, const struct advance_event *event)
{
	json_write_number(out, stat->found ? ",\n{\"number\":" : "\n{\"number\":", event->number);
	json_write_string_or_null(out, ",\"name\":", text(event->name));
	json_write_string(out, ",\"owner\":", text(event->owner));
	json_write_string(out, ",\"state\":", text(event->state));
	json_write_number(out, ",\"start_time\":", event->start_time);
	json_write_number(out, ",\"end_time\":", event->end_time);
	json_write_number(out, ",\"submission_time\":", event->submission_time);
	json_write_string_or_null(out, ",\"account\":", text(event->account));
	json_write_string_or_null(out, ",\"hard_resource_list\":", text(event->hard));
	json_write_string_or_null(out, ",\"hard_queue_list\":", text(event->hard_queues));
	json_write_string_or_null(out, ",\"master_queue_list\":", text(event->master_queues));
	json_write_string_or_null(out, ",\"checkpoint\":", text(event->ckpt));
	json_write_string_or_null(out, ",\"pe\":", text(event->pe));
	json_write_string_or_null(out, ",\"pe_range\":", text(event->pe_range));
	json_write_string_or_null(out, ",\"granted_pe\":", text(event->granted_pe));
	json_write_string_or_null(out, ",\"access_list\":", text(event->access));
	json_write_string_or_null(out, ",\"xaccess_list\":", text(event->no_access));
	json_write_bool(out, ",\"hard_error\":", event->hard_error);
	json_write_literal(out, ",\"granted\":[");
	for (size_t i = 0; i < event->granted.n; i++) {
		json_write_string(out, i ? ",{\"queue\":" : "{\"queue\":", event->granted.items[i].queue);
		json_write_number(out, ",\"slots\":", event->granted.items[i].slots);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]}");
}

int reserve_stat_json(const struct fl_view *view, struct out *out, void *context)
{
	int code;

	json_write_literal(out, "{");
	cli_json_run(out, view);
	json_write_literal(out, ",\n\"reservations\":[");
	code = reserve_each(view, out, context, as_json);
	json_write_literal(out, "]}\n");
	return code;
}

/* The verb */

int reserve_stat_show(struct messages *messages, const char *cell, int argc, char **argv)
{
	struct words words = { .table = reserve_stat_options, .argc = argc, .argv = argv, .next = 1,
			       .messages = messages };
	struct reserve_stat stat = { .format.print = reserve_stat_table };
	int code = options_read(&words, &stat);

	if (!code && words.next < words.argc)
		code = message_add(messages, EXIT_USAGE, "reserve stat", "unexpected word %s", words.argv[words.next]);
	if (!code)
		code = section_show(messages, cell, stat.format.print, &stat);
	if (stat.error) {
		code = message_add(messages, EXIT_NO_DATA, NULL, "%s: %s", cell,
				   stat.error == -ENODATA ? "the run has no state" : strerror(-stat.error));
	} else if (!code && stat.numbers.n > 0 && stat.found == 0) {
		message_add(messages, EXIT_NO_DATA, NULL, "there are no such advance reservations");
		code = message_reason(messages, REASON_NO_RESERVATION, "");
	}
	names_free(&stat.numbers);
	names_free(&stat.users);
	return code;
}
