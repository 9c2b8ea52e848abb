/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle as text: totals, then groups, then submitters in the order of contact. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sched/cli/negotiate/negotiate.h"
#include "sched/cli/text.h"

#define NAME_WIDTH 32u		/* width of a column of names, longer ones are cut */

static void put_name(struct out *out, const char *name, size_t indent)
{
	char *p = out_room(out, NAME_WIDTH + 1);

	indent = indent < NAME_WIDTH / 2 ? indent : NAME_WIDTH / 2;
	memset(p, ' ', indent);
	p = text_column(p + indent, name, NAME_WIDTH - indent);
	*p++ = ' ';
	out_take(out, p);
}

/* Write the whole name at the end of a line. */
static void put_rest(struct out *out, const char *name)
{
	char text[NAME_WIDTH * 4];
	char *end = text_column(text, name, strnlen(name, sizeof(text) - 1));

	out_bytes(out, text, (size_t)(end - text));
	out_text(out, "\n");
}

static const char *time_of(int64_t epoch_s, char text[32])
{
	time_t t = (time_t)epoch_s;
	struct tm tm;

	if (epoch_s <= 0 || !localtime_r(&t, &tm) || strftime(text, 32, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		return "unknown";
	return text;
}

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

static void put_cycle(struct out *out, const struct fl_negotiation *negotiation, bool dry)
{
	char begin[32], next[32];

	out_put(out, "%s %llu of %s took %.3f ms: accounting %.3f, quotas %.3f, slices %.3f, matching %.3f\n",
		dry ? "Dry cycle" : "Cycle", (unsigned long long)negotiation->cycle, time_of(negotiation->begin, begin),
		ms(negotiation->duration_ns), ms(negotiation->account_ns), ms(negotiation->quota_ns),
		ms(negotiation->slice_ns), ms(negotiation->match_ns));
	out_put(out, "The next one is due at %s\n", time_of(negotiation->next, next));
	out_put(out, "Slots: %u of weight %g, the lightest %g; weight %g is shared; %u took no part\n",
		negotiation->slots, negotiation->pool_weight, negotiation->least_weight, negotiation->pool_counted,
		negotiation->trimmed);
	out_put(out, "Found: %u matches, %u of them preempt; %u spins, %u rounds\n", negotiation->matches,
		negotiation->preemptions, negotiation->spins, negotiation->rounds);
}

/*
 * Print a group with its whole name. Groups are listed breadth first, so a group may not be
 * directly below its parent.
 */
static void put_group(struct out *out, const struct fl_quota_group *group)
{
	put_name(out, group->name, group->parent < 0 ? 0 : 2);
	if (group->parent < 0)
		out_put(out, "%10s", "");
	else
		out_put(out, "%9g%s", group->is_static ? group->configured : 100.0 * group->configured,
			group->is_static ? " " : "%");
	out_put(out, " %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f", group->quota, group->subtree_quota, group->requested,
		group->allocated, group->allocated > group->quota ? group->allocated - group->quota : 0.0,
		group->tree_used);
	if (group->limit < 0.0)
		out_put(out, " %7s %5s", "-", "-");
	else
		out_put(out, " %7g %5u", group->limit, group->order);
	out_put(out, " %-8s ", group->autoregroup ? "regroup" : group->accepts_surplus ? "byquota" : "no");
	if (*group->capped_by)
		out_put(out, "capped by %.100s; ", group->capped_by);
	put_rest(out, *group->quota_by ? group->quota_by : "");
}

static void put_groups(struct out *out, const struct fl_view *view)
{
	struct fl_quota_group group;

	out_put(out, "\n%-*s %10s %9s %9s %9s %9s %9s %9s %7s %5s %-8s %s\n", (int)NAME_WIDTH, "Group", "Configured",
		"Quota", "Subtree", "Requested", "Assigned", "Surplus", "In use", "Limit", "Order", "Accepts", "By");
	for (size_t k = 0; !out->error && fl_quota_group(view, k, &group) == 0; k++)
		put_group(out, &group);
}

static void put_submitters(struct out *out, const struct fl_view *view, const struct long_run *run)
{
	struct fl_submitter submitter;

	out_put(out, "\n%-*s %12s %10s %8s %8s %9s %9s %8s %8s %7s %5s %s\n", (int)NAME_WIDTH, "Submitter", "Eff. prio",
		"Factor", "Long run", "Share", "Slice", "In use", "Idle", "Matches", "Preempt", "Spins", "Stopped by");
	for (size_t k = 0; !out->error && fl_submitter(view, k, &submitter) == 0; k++) {
		put_name(out, submitter.name, 0);
		out_put(out, "%12.2f %10g %7.2f%% %7.2f%% %9.2f %9.2f %8u %8u %7u %5u ", submitter.eup,
			submitter.factor, 100.0 * long_run_part(run, &submitter), 100.0 * submitter.share,
			submitter.slice, submitter.weight_used, submitter.idle, submitter.matches,
			submitter.preemptions, submitter.spins);
		put_rest(out, *submitter.stop ? submitter.stop : "-");
	}
}

static void put_limits(struct out *out, const struct fl_view *view)
{
	struct fl_concurrency_limit limit;

	for (size_t k = 0; !out->error && fl_concurrency_limit(view, k, &limit) == 0; k++) {
		if (k == 0)
			out_put(out, "\n%-*s %10s %10s\n", (int)NAME_WIDTH, "Concurrency limit", "Most", "In use");
		put_name(out, limit.name, 0);
		out_put(out, "%10g %10g\n", limit.most, limit.used);
	}
}

int negotiate_print(const struct fl_view *view, struct out *out, void *query)
{
	struct negotiation_query *negotiation_query = query;
	struct fl_negotiation negotiation;
	struct long_run run;

	negotiation_query->no_userprio = fl_negotiation(view, &negotiation) != 0;
	if (negotiation_query->no_userprio || long_run_begin(&run, view, negotiation_query))
		return EXIT_OK;
	if (negotiation.cycle == 0) {
		out_put(out, "There was no cycle yet\n");
	} else {
		put_cycle(out, &negotiation, negotiation_query->dry);
		put_groups(out, view);
		put_submitters(out, view, &run);
		put_limits(out, view);
	}
	long_run_end(&run);
	return EXIT_OK;
}
