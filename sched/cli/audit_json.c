/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/audit.h"
#include "sched/process/json.h"

static void put_starts(struct out *o, const struct audited *run)
{
	json_write_string_or_null(o, ",\"first\":{\"theirs\":", run->their);
	json_write_string_or_null(o, ",\"ours\":", run->our);
	json_write_string_or_null(o, ",\"why\":", run->why);
	json_write_literal(o, "}");
}

static void put_worst(struct out *o, const char *key, const struct audited *run)
{
	json_write_string(o, key, run->worst.of);
	json_write_string(o, ",\"column\":", run->worst.column);
	json_write_string(o, ",\"theirs\":", run->worst.theirs);
	json_write_string(o, ",\"ours\":", run->worst.ours);
	json_write_string_or_null(o, ",\"defect\":", run->defect);
	json_write_literal(o, "}");
}

void audit_json_run(struct out *o, const struct audited *run, bool follows)
{
	json_write_number(o, follows ? ",\n{\"now\":" : "\n{\"now\":", run->now);
	json_write_bool(o, ",\"differs\":", audited_differs(run));
	json_write_bool(o, ",\"known\":", audited_is_known(run));
	json_write_string_or_null(o, ",\"not_comparable\":", run->skipped);
	json_write_number(o, ",\"starts\":{\"theirs\":", (int64_t)run->theirs);
	json_write_number(o, ",\"ours\":", (int64_t)run->ours);
	json_write_number(o, ",\"agreeing\":", (int64_t)run->agreeing);
	if (run->starts_differ)
		put_starts(o, run);
	json_write_number(o, "},\"numbers\":{\"compared\":", (int64_t)run->numbers);
	json_write_number(o, ",\"differing\":", (int64_t)run->differing);
	json_write_number(o, ",\"by_defect\":", (int64_t)run->defects);
	if (*run->worst.of)
		put_worst(o, ",\"largest\":{\"of\":", run);
	json_write_literal(o, "}}");
}

static void put_defects(struct out *o, const struct audit_sum *s)
{
	json_write_literal(o, "},\n\"defects\":[");
	for (size_t k = 0; k < AUDIT_DEFECTS && *s->named[k].name; k++) {
		json_write_string(o, k ? ",{\"name\":" : "{\"name\":", s->named[k].name);
		json_write_number(o, ",\"runs\":", (int64_t)s->named[k].runs);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "],\n\"first\":");
	if (s->first.text)
		audit_json_run(o, &s->first.run, false);
	else
		json_write_literal(o, "null");
}

void audit_json_sum(struct out *o, const struct audit_sum *s, const char *journal)
{
	json_write_string(o, "\"journal\":", journal);
	json_write_number(o, ",\"from\":", s->from);
	json_write_number(o, ",\"until\":", s->until);
	json_write_number(o, ",\"runs\":", (int64_t)s->runs);
	json_write_number(o, ",\"not_comparable\":", (int64_t)s->skipped);
	json_write_number(o, ",\"different\":", (int64_t)s->different);
	json_write_number(o, ",\"known\":", (int64_t)s->known);
	json_write_number(o, ",\"odd_lines\":", (int64_t)s->odd);
	json_write_number(o, ",\n\"starts\":{\"theirs\":", (int64_t)s->theirs);
	json_write_number(o, ",\"ours\":", (int64_t)s->ours);
	json_write_number(o, ",\"agreeing\":", (int64_t)s->agreeing);
	json_write_number(o, "},\n\"numbers\":{\"compared\":", (int64_t)s->numbers);
	json_write_number(o, ",\"differing\":", (int64_t)s->differing);
	json_write_number(o, ",\"by_defect\":", (int64_t)s->defects);
	if (s->farthest.text)
		put_worst(o, ",\"largest\":{\"of\":", &s->farthest.run);
	put_defects(o, s);
}
