/* SPDX-License-Identifier: Apache-2.0 */
/* Position and start of a job, as JSON. */
#include "sched/cli/explain/place.h"

#include "sched/process/json.h"

#define WHY_BYTES 1024

static void put_sum(struct out *out, const struct place_sum *sum)
{
	json_write_number(out, "\"jobs\":", (int64_t)sum->jobs);
	json_write_number(out, ",\"tasks\":", (int64_t)sum->tasks);
	json_write_number(out, ",\"slots\":", (int64_t)sum->slots);
}

static void put_sums(struct out *out, const char *key, const struct place_sum *sums, size_t n)
{
	json_write_literal(out, key);
	for (size_t i = 0; i < n && !out->error; i++) {
		json_write_string_or_null(out, i ? ",\n   {\"name\":" : "\n   {\"name\":", sums[i].name);
		json_write_literal(out, ",");
		put_sum(out, &sums[i]);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

static void put_place(struct out *out, const struct standing_place *place)
{
	json_write_literal(out, ",\n \"place\":{\"rank\":");
	if (place->rank)
		json_write_number(out, "", (int64_t)place->rank);
	else
		json_write_literal(out, "null");
	json_write_number(out, ",\"of\":", (int64_t)place->jobs);
	json_write_number(out, ",\"unable\":", (int64_t)place->unable);
	if (place->rank > 1)
		json_write_number(out, ",\"next\":", place->next);
	json_write_literal(out, ",\n  \"ahead\":{");
	put_sum(out, &place->ahead);
	json_write_literal(out, "}");
	put_sums(out, ",\n  \"users\":[", place->users, place->nusers);
	put_sums(out, ",\n  \"projects\":[", place->projects, place->nprojects);
	json_write_literal(out, "}");
}

static void put_reason(struct out *out, const struct fl_why *why, bool is_first)
{
	char text[WHY_BYTES];

	fl_why_text(why, text, sizeof(text));
	json_write_string(out, is_first ? "\n   {\"kind\":" : ",\n   {\"kind\":", why->kind);
	json_write_string_or_null(out, ",\"subject\":", why->subject);
	json_write_string_or_null(out, ",\"object\":", why->object);
	json_write_number(out, ",\"count\":", why->count);
	if (why->wanted != why->had) {
		json_write_exact(out, ",\"wanted\":", why->wanted);
		json_write_exact(out, ",\"had\":", why->had);
	}
	if (why_missing(why) > 0.0)
		json_write_exact(out, ",\"missing\":", why_missing(why));
	json_write_string(out, ",\"text\":", text);
	json_write_literal(out, "}");
}

static void put_start(struct out *out, const struct outlook *outlook)
{
	struct fl_why why;

	json_write_literal(out, ",\n \"start\":{\"reasons\":[");
	for (size_t k = 0; !out->error && fl_why(outlook->view, outlook->job.job_number, k, &why) == 0; k++)
		put_reason(out, &why, k == 0);
	json_write_literal(out, "]}");
}

void outlook_json(struct out *out, const struct outlook *outlook)
{
	bool waits = !outlook->job.is_started;

	if (waits && outlook->wants_place)
		put_place(out, &outlook->standing);
	if (waits && outlook->has_advices)
		advices_json(out, &outlook->advices);
	if (waits && outlook->wants_start)
		put_start(out, outlook);
	if (outlook->has_starting)
		when_json(out, outlook);
	if (*outlook->unreported.text)
		json_write_string(out, ",\n \"untold\":", outlook->unreported.text);
}
