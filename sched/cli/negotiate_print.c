/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle for people: what there was, then groups, then submitters in the order of contact. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sched/cli/negotiate.h"
#include "sched/cli/text.h"

#define NAME_WIDTH 32u		/* of a column with names; longer ones are cut */

static void put_name(struct out *o, const char *name, size_t indent)
{
	char *p = out_room(o, NAME_WIDTH + 1);

	indent = indent < NAME_WIDTH / 2 ? indent : NAME_WIDTH / 2;
	memset(p, ' ', indent);
	p = text_column(p + indent, name, NAME_WIDTH - indent);
	*p++ = ' ';
	out_take(o, p);
}

/* All of it, at the end of a line. */
static void put_rest(struct out *o, const char *name)
{
	char text[NAME_WIDTH * 4];
	char *end = text_column(text, name, strnlen(name, sizeof(text) - 1));

	out_bytes(o, text, (size_t)(end - text));
	out_text(o, "\n");
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

static void put_cycle(struct out *o, const struct fl_negotiation *n, bool dry)
{
	char begin[32], next[32];

	out_put(o, "%s %llu of %s took %.3f ms: accounting %.3f, quotas %.3f, slices %.3f, matching %.3f\n", dry ? "Dry cycle" : "Cycle",
		(unsigned long long)n->cycle, time_of(n->begin, begin), ms(n->duration_ns), ms(n->account_ns), ms(n->quota_ns), ms(n->slice_ns),
		ms(n->match_ns));
	out_put(o, "The next one is due at %s\n", time_of(n->next, next));
	out_put(o, "Slots: %u of weight %g, the lightest %g; weight %g is shared; %u took no part\n", n->slots, n->pool_weight, n->least_weight,
		n->pool_counted, n->trimmed);
	out_put(o, "Found: %u matches, %u of them preempt; %u spins, %u rounds\n", n->matches, n->preemptions, n->spins, n->rounds);
}

/* Whole names: groups stand breadth first, so that not all are below the one that they are in. */
static void put_group(struct out *o, const struct fl_quota_group *g)
{
	put_name(o, g->name, g->parent < 0 ? 0 : 2);
	if (g->parent < 0)
		out_put(o, "%10s", "");
	else
		out_put(o, "%9g%s", g->is_static ? g->configured : 100.0 * g->configured, g->is_static ? " " : "%");
	out_put(o, " %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f", g->quota, g->subtree_quota, g->requested, g->allocated,
		g->allocated > g->quota ? g->allocated - g->quota : 0.0, g->tree_used);
	if (g->limit < 0.0)
		out_put(o, " %7s %5s", "-", "-");
	else
		out_put(o, " %7g %5u", g->limit, g->order);
	out_put(o, " %-8s ", g->autoregroup ? "regroup" : g->accepts_surplus ? "byquota" : "no");
	if (*g->capped_by)
		out_put(o, "capped by %.100s; ", g->capped_by);
	put_rest(o, *g->quota_by ? g->quota_by : "");
}

static void put_groups(struct out *o, const struct fl_view *view)
{
	struct fl_quota_group g;

	out_put(o, "\n%-*s %10s %9s %9s %9s %9s %9s %9s %7s %5s %-8s %s\n", (int)NAME_WIDTH, "Group", "Configured", "Quota", "Subtree", "Requested", "Assigned",
		"Surplus", "In use", "Limit", "Order", "Accepts", "By");
	for (size_t k = 0; !o->error && fl_quota_group(view, k, &g) == 0; k++)
		put_group(o, &g);
}

static void put_submitters(struct out *o, const struct fl_view *view, const struct long_run *run)
{
	struct fl_submitter s;

	out_put(o, "\n%-*s %12s %10s %8s %8s %9s %9s %8s %8s %7s %5s %s\n", (int)NAME_WIDTH, "Submitter", "Eff. prio", "Factor", "Long run", "Share", "Slice",
		"In use", "Idle", "Matches", "Preempt", "Spins", "Stopped by");
	for (size_t k = 0; !o->error && fl_submitter(view, k, &s) == 0; k++) {
		put_name(o, s.name, 0);
		out_put(o, "%12.2f %10g %7.2f%% %7.2f%% %9.2f %9.2f %8u %8u %7u %5u ", s.eup, s.factor, 100.0 * long_run_part(run, &s), 100.0 * s.share,
			s.slice, s.weight_used, s.idle, s.matches, s.preemptions, s.spins);
		put_rest(o, *s.stop ? s.stop : "-");
	}
}

static void put_limits(struct out *o, const struct fl_view *view)
{
	struct fl_concurrency_limit l;

	for (size_t k = 0; !o->error && fl_concurrency_limit(view, k, &l) == 0; k++) {
		if (k == 0)
			out_put(o, "\n%-*s %10s %10s\n", (int)NAME_WIDTH, "Concurrency limit", "Most", "In use");
		put_name(o, l.name, 0);
		out_put(o, "%10g %10g\n", l.most, l.used);
	}
}

int negotiate_print(const struct fl_view *view, struct out *o, void *query)
{
	struct negotiation_query *q = query;
	struct fl_negotiation n;
	struct long_run run;

	q->no_userprio = fl_negotiation(view, &n) != 0;
	if (q->no_userprio || long_run_begin(&run, view, q))
		return EXIT_OK;
	if (n.cycle == 0) {
		out_put(o, "There was no cycle yet\n");
	} else {
		put_cycle(o, &n, q->dry);
		put_groups(o, view);
		put_submitters(o, view, &run);
		put_limits(o, view);
	}
	long_run_end(&run);
	return EXIT_OK;
}
