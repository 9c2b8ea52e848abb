/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/qmaster/audit.h"
#include "sched/process/json.h"

static void put_starts(struct out *out, const struct audited *run)
{
	json_write_string_or_null(out, ",\"first\":{\"theirs\":", run->their);
	json_write_string_or_null(out, ",\"ours\":", run->our);
	json_write_string_or_null(out, ",\"why\":", run->why);
	json_write_literal(out, "}");
}

static void put_worst(struct out *out, const char *key, const struct audited *run)
{
	json_write_string(out, key, run->worst.of);
	json_write_string(out, ",\"column\":", run->worst.column);
	json_write_string(out, ",\"theirs\":", run->worst.theirs);
	json_write_string(out, ",\"ours\":", run->worst.ours);
	json_write_string_or_null(out, ",\"defect\":", run->defect);
	json_write_literal(out, "}");
}

void audit_json_run(struct out *out, const struct audited *run, bool follows)
{
	json_write_number(out, follows ? ",\n{\"now\":" : "\n{\"now\":", run->now);
	json_write_bool(out, ",\"differs\":", audited_differs(run));
	json_write_bool(out, ",\"known\":", audited_is_known(run));
	json_write_string_or_null(out, ",\"not_comparable\":", run->skipped);
	json_write_number(out, ",\"starts\":{\"theirs\":", (int64_t)run->theirs);
	json_write_number(out, ",\"ours\":", (int64_t)run->ours);
	json_write_number(out, ",\"agreeing\":", (int64_t)run->agreeing);
	if (run->starts_differ)
		put_starts(out, run);
	json_write_number(out, "},\"numbers\":{\"compared\":", (int64_t)run->numbers);
	json_write_number(out, ",\"differing\":", (int64_t)run->differing);
	json_write_number(out, ",\"by_defect\":", (int64_t)run->defects);
	if (*run->worst.of)
		put_worst(out, ",\"largest\":{\"of\":", run);
	json_write_literal(out, "}}");
}

static void put_defects(struct out *out, const struct audit_sum *sum)
{
	json_write_literal(out, "},\n\"defects\":[");
	for (size_t k = 0; k < AUDIT_DEFECTS && *sum->named[k].name; k++) {
		json_write_string(out, k ? ",{\"name\":" : "{\"name\":", sum->named[k].name);
		json_write_number(out, ",\"runs\":", (int64_t)sum->named[k].runs);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "],\n\"first\":");
	if (sum->first.text)
		audit_json_run(out, &sum->first.run, false);
	else
		json_write_literal(out, "null");
}

void audit_json_sum(struct out *out, const struct audit_sum *sum, const char *journal)
{
	json_write_string(out, "\"journal\":", journal);
	json_write_number(out, ",\"from\":", sum->from);
	json_write_number(out, ",\"until\":", sum->until);
	json_write_number(out, ",\"runs\":", (int64_t)sum->runs);
	json_write_number(out, ",\"not_comparable\":", (int64_t)sum->skipped);
	json_write_number(out, ",\"different\":", (int64_t)sum->different);
	json_write_number(out, ",\"known\":", (int64_t)sum->known);
	json_write_number(out, ",\"odd_lines\":", (int64_t)sum->odd);
	json_write_number(out, ",\n\"starts\":{\"theirs\":", (int64_t)sum->theirs);
	json_write_number(out, ",\"ours\":", (int64_t)sum->ours);
	json_write_number(out, ",\"agreeing\":", (int64_t)sum->agreeing);
	json_write_number(out, "},\n\"numbers\":{\"compared\":", (int64_t)sum->numbers);
	json_write_number(out, ",\"differing\":", (int64_t)sum->differing);
	json_write_number(out, ",\"by_defect\":", (int64_t)sum->defects);
	if (sum->farthest.text)
		put_worst(out, ",\"largest\":{\"of\":", &sum->farthest.run);
	put_defects(out, sum);
}
