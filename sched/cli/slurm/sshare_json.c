/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/process/json.h"
#include "sched/cli/slurm/sshare.h"

#define NAME_BYTES 1024u		/* bytes of a kind of TRES, longer ones are cut */

static void put_number_if(struct out *out, bool present, double value)
{
	json_write_exact(out, "", present ? value : NAN);
}

/* Write {"cpu":1000,"gres/gpu":60} for cpu=1000,gres/gpu=60. */
static void print_limits(struct out *out, const char *text)
{
	char kind[NAME_BYTES];
	size_t length;

	json_write_literal(out, "{");
	for (bool follows = false; *text; text += strspn(text, ","), follows = true) {
		length = strcspn(text, "=,");
		snprintf(kind, sizeof(kind), "%.*s", (int)length, text);
		text += length;
		json_write_literal(out, follows ? "," : "");
		json_text(out, kind);
		json_write_number(out, ":", *text ? strtoll(text + 1, NULL, 10) : 0);
		text += strcspn(text, ",");
	}
	json_write_literal(out, "}");
}

static void print_run_minutes(struct out *out, const struct fl_view *view, const struct fl_association *association)
{
	const char *kind;

	json_write_literal(out, "{");
	for (size_t k = 0; (kind = fl_tres_kind(view, k)); k++) {
		json_write_literal(out, k > 0 ? "," : "");
		json_text(out, kind);
		json_write_literal(out, ":");
		uint64_t minutes = k < association->ntres ? association->tres_run_minutes[k] : 0;

		/* a damaged segment may have numbers above the limit of readers of JSON */
		out_take(out, digits_u64(out_room(out, DIGITS_BYTES), minutes < INT64_MAX ? minutes : INT64_MAX));
	}
	json_write_literal(out, "}");
}

static void print_shares(struct out *out, const struct fl_association *association)
{
	if (association->has_parent_shares)
		json_write_literal(out, "\"parent\"");
	else
		put_number_if(out, association->parent >= 0, association->shares);
}

static void print_value(struct out *out, const struct fl_view *view, size_t index,
			const struct fl_association *association, bool has_fair_tree, const struct sshare_field *field)
{
	bool is_root = association->parent < 0,
	     has_level = has_fair_tree && !is_root && !association->has_parent_shares;
	const void *value = sshare_at(association, field);

	switch (field->type) {
	case SHARE_INDEX: json_write_number(out, "", (int64_t)index); break;
	case SHARE_PARENT: put_number_if(out, !is_root, association->parent); break;
	case SHARE_NUMBER: json_write_number(out, "", *(const uint32_t *)value); break;
	case SHARE_RANK: put_number_if(out, has_fair_tree && association->is_user, association->rank); break;
	case SHARE_TEXT: case SHARE_ACCOUNT: json_text_or_null(out, *(const char *const *)value); break;
	case SHARE_SHARES: print_shares(out, association); break;
	case SHARE_REAL: case SHARE_USAGE: json_write_exact(out, "", *(const double *)value); break;
	case SHARE_NORM_USAGE: put_number_if(out, !is_root, *(const double *)value); break;
	case SHARE_FAIRSHARE: put_number_if(out, !has_fair_tree || association->is_user, *(const double *)value); break;
	case SHARE_LEVEL_FS: put_number_if(out, has_level, *(const double *)value); break;
	case SHARE_LEVEL_INFINITE: json_write_bool(out, "", has_level && isinf(association->level_fs)); break;
	case SHARE_LIMITS: print_limits(out, *(const char *const *)value); break;
	case SHARE_RUN_MINUTES: print_run_minutes(out, view, association); break;
	case SHARE_CLUSTER: break;
	}
}

static void print_association(struct out *out, const struct fl_view *view, size_t k,
			      const struct fl_association *association, bool has_fair_tree)
{
	bool follows = false;

	json_write_literal(out, "{");
	for (const struct sshare_field *field = sshare_fields; field < sshare_fields + sshare_nfields; field++)
		if (field->key) {
			json_write_literal(out, field->key + !follows);
			print_value(out, view, k, association, has_fair_tree, field);
			follows = true;
		}
	json_write_literal(out, "}");
}

int sshare_json(const struct fl_view *view, struct out *out, void *sshare)
{
	struct sshare_query *query = sshare;
	size_t n = fl_associations(view);
	struct fl_association association;
	struct fl_multifactor multifactor;
	bool follows = false;

	query->no_multifactor = fl_multifactor(view, &multifactor) != 0;
	if (query->no_multifactor)
		return EXIT_OK;
	json_write_literal(out, "{");
	cli_json_run(out, view);
	json_write_number(out, ",\n\"pass\":", multifactor.pass);
	json_write_bool(out, ",\n\"has_fair_tree\":", multifactor.has_fair_tree);
	json_write_literal(out, ",\n\"associations\":[");
	for (size_t k = 0; k < n && !out->error; k++) {
		if (fl_association(view, k, &association) || !sshare_is_meant(query, &association))
			continue;
		json_write_literal(out, follows ? ",\n" : "\n");
		print_association(out, view, k, &association, multifactor.has_fair_tree);
		follows = true;
	}
	json_write_literal(out, follows ? "\n]}\n" : "]}\n");
	return EXIT_OK;
}
