/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/process/json.h"
#include "sched/cli/sshare.h"

#define NAME_BYTES 1024u		/* of a kind of TRES; longer ones are cut */

static void put_number_if(struct out *o, bool present, double value)
{
	json_write_exact(o, "", present ? value : NAN);
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

static void print_shares(struct out *o, const struct fl_association *a)
{
	if (a->has_parent_shares)
		json_write_literal(o, "\"parent\"");
	else
		put_number_if(o, a->parent >= 0, a->shares);
}

static void print_value(struct out *o, const struct fl_view *view, size_t index, const struct fl_association *a, bool has_fair_tree,
			const struct sshare_field *f)
{
	bool is_root = a->parent < 0, has_level = has_fair_tree && !is_root && !a->has_parent_shares;
	const void *value = sshare_at(a, f);

	switch (f->type) {
	case SHARE_INDEX: json_write_number(o, "", (int64_t)index); break;
	case SHARE_PARENT: put_number_if(o, !is_root, a->parent); break;
	case SHARE_NUMBER: json_write_number(o, "", *(const uint32_t *)value); break;
	case SHARE_RANK: put_number_if(o, has_fair_tree && a->is_user, a->rank); break;
	case SHARE_TEXT: case SHARE_ACCOUNT: json_text_or_null(o, *(const char *const *)value); break;
	case SHARE_SHARES: print_shares(o, a); break;
	case SHARE_REAL: case SHARE_USAGE: json_write_exact(o, "", *(const double *)value); break;
	case SHARE_NORM_USAGE: put_number_if(o, !is_root, *(const double *)value); break;
	case SHARE_FAIRSHARE: put_number_if(o, !has_fair_tree || a->is_user, *(const double *)value); break;
	case SHARE_LEVEL_FS: put_number_if(o, has_level, *(const double *)value); break;
	case SHARE_LEVEL_INFINITE: json_write_bool(o, "", has_level && isinf(a->level_fs)); break;
	case SHARE_LIMITS: print_limits(o, *(const char *const *)value); break;
	case SHARE_RUN_MINUTES: print_run_minutes(o, view, a); break;
	case SHARE_CLUSTER: break;
	}
}

static void print_association(struct out *o, const struct fl_view *view, size_t k, const struct fl_association *a, bool has_fair_tree)
{
	bool follows = false;

	json_write_literal(o, "{");
	for (const struct sshare_field *f = sshare_fields; f < sshare_fields + sshare_nfields; f++)
		if (f->key) {
			json_write_literal(o, f->key + !follows);
			print_value(o, view, k, a, has_fair_tree, f);
			follows = true;
		}
	json_write_literal(o, "}");
}

int sshare_json(const struct fl_view *view, struct out *o, void *sshare)
{
	struct sshare_query *s = sshare;
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
