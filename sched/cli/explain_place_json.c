/* SPDX-License-Identifier: Apache-2.0 */
/* Place and start for programs. */
#include "sched/cli/explain_place.h"

#include "sched/process/json.h"

#define WHY_BYTES 1024

static void put_sum(struct out *o, const struct place_sum *s)
{
	json_write_number(o, "\"jobs\":", (int64_t)s->jobs);
	json_write_number(o, ",\"tasks\":", (int64_t)s->tasks);
	json_write_number(o, ",\"slots\":", (int64_t)s->slots);
}

static void put_sums(struct out *o, const char *key, const struct place_sum *sums, size_t n)
{
	json_write_literal(o, key);
	for (size_t i = 0; i < n && !o->error; i++) {
		json_write_string_or_null(o, i ? ",\n   {\"name\":" : "\n   {\"name\":", sums[i].name);
		json_write_literal(o, ",");
		put_sum(o, &sums[i]);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "]");
}

static void put_place(struct out *o, const struct standing_place *s)
{
	json_write_literal(o, ",\n \"place\":{\"rank\":");
	if (s->rank)
		json_write_number(o, "", (int64_t)s->rank);
	else
		json_write_literal(o, "null");
	json_write_number(o, ",\"of\":", (int64_t)s->jobs);
	json_write_number(o, ",\"unable\":", (int64_t)s->unable);
	if (s->rank > 1)
		json_write_number(o, ",\"next\":", s->next);
	json_write_literal(o, ",\n  \"ahead\":{");
	put_sum(o, &s->ahead);
	json_write_literal(o, "}");
	put_sums(o, ",\n  \"users\":[", s->users, s->nusers);
	put_sums(o, ",\n  \"projects\":[", s->projects, s->nprojects);
	json_write_literal(o, "}");
}

static void put_reason(struct out *o, const struct fl_why *why, bool is_first)
{
	char text[WHY_BYTES];

	fl_why_text(why, text, sizeof(text));
	json_write_string(o, is_first ? "\n   {\"kind\":" : ",\n   {\"kind\":", why->kind);
	json_write_string_or_null(o, ",\"subject\":", why->subject);
	json_write_string_or_null(o, ",\"object\":", why->object);
	json_write_number(o, ",\"count\":", why->count);
	if (why->wanted != why->had) {
		json_write_exact(o, ",\"wanted\":", why->wanted);
		json_write_exact(o, ",\"had\":", why->had);
	}
	if (why_missing(why) > 0.0)
		json_write_exact(o, ",\"missing\":", why_missing(why));
	json_write_string(o, ",\"text\":", text);
	json_write_literal(o, "}");
}

static void put_start(struct out *o, const struct outlook *l)
{
	struct fl_why why;

	json_write_literal(o, ",\n \"start\":{\"reasons\":[");
	for (size_t k = 0; !o->error && fl_why(l->view, l->job.job_number, k, &why) == 0; k++)
		put_reason(o, &why, k == 0);
	json_write_literal(o, "]}");
}

void outlook_json(struct out *o, const struct outlook *l)
{
	bool waits = !l->job.is_started;

	if (waits && l->wants_place)
		put_place(o, &l->standing);
	if (waits && l->has_advices)
		advices_json(o, &l->advices);
	if (waits && l->wants_start)
		put_start(o, l);
	if (l->has_starting)
		when_json(o, l);
	if (*l->untold.text)
		json_write_string(o, ",\n \"untold\":", l->untold.text);
}
