/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/process/json.h"
#include "sched/cli/sshare.h"

#define NAME_BYTES 1024u		/* of a kind of TRES; longer ones are cut */

static void put_number_if(struct out *o, const char *key, bool present, double value)
{
	json_write_exact(o, key, present ? value : NAN);
}

/* {"cpu":1000,"gres/gpu":60} of cpu=1000,gres/gpu=60 */
static void print_limits(struct out *o, const char *text)
{
	char kind[NAME_BYTES];
	size_t length;

	json_write_literal(o, "{");
	for (bool follows = false; *text; text += strspn(text, ","), follows = true) {
		length = strcspn(text, "=,");
		snprintf(kind, sizeof(kind), "%.*s", (int)length, text);
		text += length;
		json_write_literal(o, follows ? "," : "");
		json_text(o, kind);
		json_write_number(o, ":", *text ? strtoll(text + 1, NULL, 10) : 0);
		text += strcspn(text, ",");
	}
	json_write_literal(o, "}");
}

static void print_run_minutes(struct out *o, const struct fl_view *view, const struct fl_association *a)
{
	const char *kind;

	json_write_literal(o, "{");
	for (size_t k = 0; (kind = fl_tres_kind(view, k)); k++) {
		json_write_literal(o, k > 0 ? "," : "");
		json_text(o, kind);
		json_write_literal(o, ":");
		uint64_t minutes = k < a->ntres ? a->tres_run_minutes[k] : 0;

		/*
		 * a damaged segment may say more than whole numbers of JSON can be for who reads
		 * them
		 */
		out_take(o, digits_u64(out_room(o, DIGITS_BYTES), minutes < INT64_MAX ? minutes : INT64_MAX));
	}
	json_write_literal(o, "}");
}

static void print_association(struct out *o, const struct fl_view *view, size_t k, const struct fl_association *a, bool has_fair_tree)
{
	bool is_root = a->parent < 0;

	json_write_number(o, "{\"index\":", (int64_t)k);
	json_write_literal(o, ",\"parent\":");
	json_write_literal(o, is_root ? "null" : "");
	if (!is_root)
		json_write_number(o, "", a->parent);
	json_write_number(o, ",\"depth\":", a->depth);
	json_write_string_or_null(o, ",\"account\":", a->account);
	json_write_string_or_null(o, ",\"user\":", a->user);
	json_write_string_or_null(o, ",\"partition\":", a->partition);
	json_write_literal(o, ",\"raw_shares\":");
	if (a->has_parent_shares)
		json_write_literal(o, "\"parent\"");
	else
		put_number_if(o, "", !is_root, a->shares);
	json_write_number(o, ",\"priority\":", a->priority);
	json_write_exact(o, ",\"norm_shares\":", a->norm_shares);
	json_write_exact(o, ",\"raw_usage\":", a->raw_usage);
	put_number_if(o, ",\"norm_usage\":", !is_root, a->norm_usage);
	json_write_exact(o, ",\"effective_usage\":", a->effective_usage);
	put_number_if(o, ",\"fairshare\":", !has_fair_tree || a->is_user, a->fairshare);
	put_number_if(o, ",\"level_fs\":", has_fair_tree && !is_root && !a->has_parent_shares, a->level_fs);
	json_write_bool(o, ",\"level_fs_infinite\":", has_fair_tree && !is_root && !a->has_parent_shares && isinf(a->level_fs));
	put_number_if(o, ",\"rank\":", has_fair_tree && a->is_user, a->rank);
	json_write_number(o, ",\"running_tasks\":", a->running_tasks);
	json_write_literal(o, ",\"grp_tres_mins\":");
	print_limits(o, a->group_tres_minutes);
	json_write_literal(o, ",\"tres_run_mins\":");
	print_run_minutes(o, view, a);
	json_write_literal(o, "}");
}

int sshare_json(const struct fl_view *view, struct out *o, void *sshare)
{
	struct sshare *s = sshare;
	size_t n = fl_associations(view);
	struct fl_association a;
	struct fl_multifactor m;
	bool follows = false;

	s->no_multifactor = fl_multifactor(view, &m) != 0;
	if (s->no_multifactor)
		return EXIT_OK;
	json_write_literal(o, "{");
	cli_json_run(o, view);
	json_write_number(o, ",\n\"pass\":", m.pass);
	json_write_bool(o, ",\n\"has_fair_tree\":", m.has_fair_tree);
	json_write_literal(o, ",\n\"associations\":[");
	for (size_t k = 0; k < n && !o->error; k++) {
		if (fl_association(view, k, &a) || !sshare_is_meant(s, &a))
			continue;
		json_write_literal(o, follows ? ",\n" : "\n");
		print_association(o, view, k, &a, m.has_fair_tree);
		follows = true;
	}
	json_write_literal(o, follows ? "\n]}\n" : "]}\n");
	return EXIT_OK;
}
