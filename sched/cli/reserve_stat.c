/* SPDX-License-Identifier: Apache-2.0 */
/* Advance reservations as the newest run saw them, as qrstat(1) prints them. */
#include "sched/cli/reserve.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sched/cli/text.h"
#include "sched/process/json.h"
#include "sched/reader/handle.h"
#include "sched/run/retell.h"

#define NAME_WIDTH 10
#define OWNER_WIDTH 12

int reserve_stat_numbers(void *stat, struct words *w)
{
	struct names *numbers = &((struct reserve_stat *)stat)->numbers;
	size_t before = numbers->n;
	unsigned long number;
	int code = names_add(numbers, "reserve stat: -ar", (char *)w->value);

	for (size_t i = before; !code && i < numbers->n; i++)
		if (options_number("reserve stat: -ar", numbers->items[i], 1, UINT32_MAX, &number))
			code = EXIT_USAGE;
	return code;
}

int reserve_stat_users(void *stat, struct words *w)
{
	return names_add(&((struct reserve_stat *)stat)->users, "reserve stat: -u", (char *)w->value);
}

/* Which */

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
	const struct advance_event *a = &event->advance;
	struct walk *w = walk;
	char number[16];

	snprintf(number, sizeof(number), "%u", a->number);
	if (!names_have(&w->s->numbers, number) || !names_match(&w->s->users, text(a->owner)))
		return 0;
	w->print(w->out, w->s, a);
	w->s->found++;
	return w->out->error;
}

int reserve_each(const struct fl_view *view, struct out *o, struct reserve_stat *s, reserve_print *print)
{
	struct walk w = { s, o, print };
	const struct retell_calls calls = { .context = &w, .event = one };

	s->found = 0;
	s->error = retell_advances(&view->view, &calls);
	return s->error ? EXIT_NO_DATA : EXIT_OK;
}

/* Columns */

static void put_text(struct out *o, const char *words)
{
	json_write_literal(o, words);
}

static void put_time(struct out *o, int64_t time)
{
	char *p = out_room(o, 2 * TIME_BYTES);

	out_take(o, clock_put(&local_clock, p, time, TIME_TABLE));
}

void reserve_duration(struct out *o, int64_t seconds)
{
	char words[40];

	snprintf(words, sizeof(words), "%02lld:%02d:%02d", (long long)(seconds / 3600), (int)(seconds / 60 % 60), (int)(seconds % 60));
	put_text(o, words);
}

static void row(struct out *o, struct reserve_stat *s, const struct advance_event *a)
{
	char *p;

	if (s->found == 0)
		put_text(o, "ar-id   name       owner        state start at             end at               duration\n"
				 "------------------------------------------------------------------------------------------\n");
	p = out_room(o, 200);
	p += sprintf(p, "%7u ", a->number);
	p = text_column(p, text(a->name), NAME_WIDTH);
	*p++ = ' ';
	p = text_column(p, text(a->owner), OWNER_WIDTH);
	p += sprintf(p, " %-5.1s ", text(a->state));
	out_take(o, p);
	put_time(o, a->start_time);
	put_text(o, "  ");
	put_time(o, a->end_time);
	put_text(o, "  ");
	reserve_duration(o, a->end_time - a->start_time);
	put_text(o, "\n");
}

/* One, in full */

static void field(struct out *o, const char *name, const char *value)
{
	char *p;

	if (!value || !*value)
		return;
	p = out_room(o, 64);
	out_take(o, text_column(p, name, 31));
	text_plain(o, value);
	put_text(o, "\n");
}

static void field_time(struct out *o, const char *name, int64_t time)
{
	char *p = out_room(o, 64);

	out_take(o, text_column(p, name, 31));
	put_time(o, time);
	put_text(o, "\n");
}

static void granted(struct out *o, const struct advance_event *a)
{
	char *p = out_room(o, 64), words[32];
	uint64_t slots = 0;

	out_take(o, text_column(p, "granted_slots_list", 31));
	for (size_t i = 0; i < a->granted.n; i++) {
		put_text(o, i ? "," : "");
		text_plain(o, a->granted.items[i].queue);
		snprintf(words, sizeof(words), "=%u", a->granted.items[i].slots);
		put_text(o, words);
		slots += a->granted.items[i].slots;
	}
	put_text(o, "\n");
	if (!a->granted_pe)
		return;
	p = out_room(o, 64);
	out_take(o, text_column(p, "granted_parallel_environment", 31));
	text_plain(o, a->granted_pe);
	snprintf(words, sizeof(words), " slots %llu\n", (unsigned long long)slots);
	put_text(o, words);
}

static void in_full(struct out *o, struct reserve_stat *s, const struct advance_event *a)
{
	char number[16], *p;

	(void)s;
	snprintf(number, sizeof(number), "%u", a->number);
	put_text(o, "--------------------------------------------------------------------------------\n");
	field(o, "id", number);
	p = out_room(o, 64);
	out_take(o, text_column(p, "name", 31));
	text_plain(o, text(a->name));
	put_text(o, "\n");
	field(o, "owner", a->owner);
	field(o, "state", a->state);
	field_time(o, "start_time", a->start_time);
	field_time(o, "end_time", a->end_time);
	put_text(o, "duration                       ");
	reserve_duration(o, a->end_time - a->start_time);
	put_text(o, "\n");
	if (a->submission_time)
		field_time(o, "submission_time", a->submission_time);
	field(o, "account", a->account);
	field(o, "resource_list", a->hard);
	field(o, "queue_list", a->hard_queues);
	field(o, "master_queue_list", a->master_queues);
	field(o, "checkpoint", a->ckpt);
	field(o, "error_handling", a->hard_error ? "hard" : NULL);
	field(o, "acl_list", a->access);
	field(o, "xacl_list", a->no_access);
	granted(o, a);
}

int reserve_stat_table(const struct fl_view *view, struct out *out, void *context)
{
	struct reserve_stat *s = context;

	return reserve_each(view, out, s, s->numbers.n > 0 ? in_full : row);
}

/* JSON */

static void as_json(struct out *o, struct reserve_stat *s, const struct advance_event *a)
{
	json_write_number(o, s->found ? ",\n{\"number\":" : "\n{\"number\":", a->number);
	json_write_string_or_null(o, ",\"name\":", text(a->name));
	json_write_string(o, ",\"owner\":", text(a->owner));
	json_write_string(o, ",\"state\":", text(a->state));
	json_write_number(o, ",\"start_time\":", a->start_time);
	json_write_number(o, ",\"end_time\":", a->end_time);
	json_write_number(o, ",\"submission_time\":", a->submission_time);
	json_write_string_or_null(o, ",\"account\":", text(a->account));
	json_write_string_or_null(o, ",\"hard_resource_list\":", text(a->hard));
	json_write_string_or_null(o, ",\"hard_queue_list\":", text(a->hard_queues));
	json_write_string_or_null(o, ",\"master_queue_list\":", text(a->master_queues));
	json_write_string_or_null(o, ",\"checkpoint\":", text(a->ckpt));
	json_write_string_or_null(o, ",\"pe\":", text(a->pe));
	json_write_string_or_null(o, ",\"pe_range\":", text(a->pe_range));
	json_write_string_or_null(o, ",\"granted_pe\":", text(a->granted_pe));
	json_write_string_or_null(o, ",\"access_list\":", text(a->access));
	json_write_string_or_null(o, ",\"xaccess_list\":", text(a->no_access));
	json_write_bool(o, ",\"hard_error\":", a->hard_error);
	json_write_literal(o, ",\"granted\":[");
	for (size_t i = 0; i < a->granted.n; i++) {
		json_write_string(o, i ? ",{\"queue\":" : "{\"queue\":", a->granted.items[i].queue);
		json_write_number(o, ",\"slots\":", a->granted.items[i].slots);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "]}");
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

/* The form */

int reserve_stat_run(const char *cell, struct words *words)
{
	struct reserve_stat s = { .format.print = reserve_stat_table };
	int code = options_take(words, &s);

	if (!code && words->next < words->argc)
		code = cli_fail(EXIT_USAGE, "reserve stat: unexpected word %s", words->argv[words->next]);
	if (!code)
		code = section_run(cell, s.format.print, &s);
	if (s.error)
		code = cli_fail(EXIT_NO_DATA, "%s: %s", cell, s.error == -ENODATA ? "the run has no state" : strerror(-s.error));
	else if (!code && s.numbers.n > 0 && s.found == 0)
		code = cli_fail(EXIT_NO_DATA, "there are no such advance reservations");
	names_free(&s.numbers);
	names_free(&s.users);
	return code;
}
