/* SPDX-License-Identifier: Apache-2.0 */
/* Records out of the published run. */
#include "sched/cli/userprio_show.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/utf8.h"

/* What a damaged segment says may be anything. */
static double sound(double value)
{
	return isfinite(value) ? value : 0;
}

static int64_t moment(int64_t time)
{
	return time > 0 && time < INT64_C(1) << 53 ? time : 0;
}

static char *name_copy(const char *text)
{
	char *copy = strdup(text);

	if (copy)
		utf8_clean(copy);
	return copy;
}

static void quotas_take(struct userprio_record *r, const struct fl_view *view, int32_t group)
{
	struct fl_quota_group g;

	r->sort_key = 3.3e38;		/* as the negotiator has it of groups that want nothing */
	if (group < 0 || fl_quota_group(view, (size_t)group, &g))
		return;
	r->config_quota = sound(g.configured);
	r->effective_quota = sound(g.quota);
	r->subtree_quota = sound(g.subtree_quota);
	r->requested = sound(g.requested);
	r->sort_key = sound(g.sort_key);
	free(r->surplus);
	r->surplus = strdup(g.autoregroup ? "regroup" : g.accepts_surplus ? "byquota" : "no");
}

static int customer_take(struct userprio_records *records, const struct fl_view *view, const struct fl_customer *c, bool group_factors)
{
	struct userprio_record *r = userprio_add(records);

	if (!r)
		return -ENOMEM;
	r->name = name_copy(c->name);
	r->group = name_copy(c->group);
	r->surplus = strdup(c->is_group ? "no" : "");
	r->is_group = c->is_group;
	r->priority = sound(c->rup * c->factor);
	r->factor = c->is_group && !group_factors ? 0 : sound(c->factor);
	r->used = c->used;
	r->weight_used = sound(c->weight_used);
	r->tree_used = sound(c->tree_used);
	r->accumulated = sound(c->accumulated);
	r->weight_accumulated = sound(c->weight_accumulated);
	r->share = sound(c->share);
	r->limit = sound(c->limit);
	r->begin = moment(c->begin);
	r->last = moment(c->last);
	r->ceiling = c->ceiling;
	r->floor = c->floor;
	r->leases[0].until = moment(c->factor_lease.until), r->leases[0].before = sound(c->factor_lease.before);
	r->leases[1].until = moment(c->ceiling_lease.until), r->leases[1].before = sound(c->ceiling_lease.before);
	r->leases[2].until = moment(c->floor_lease.until), r->leases[2].before = sound(c->floor_lease.before);
	r->columns = USERPRIO_FACTOR | USERPRIO_USAGE | USERPRIO_SINCE | (r->factor > 0 ? USERPRIO_REAL : 0);
	if (c->is_group) {
		r->columns |= USERPRIO_QUOTAS | USERPRIO_SORT_KEY;
		quotas_take(r, view, c->quota_group);
	} else {
		r->columns |= USERPRIO_EFFECTIVE | USERPRIO_FLOOR | USERPRIO_CEILING;
	}
	return r->name && r->group && r->surplus ? 0 : -ENOMEM;
}

int userprio_live_read(struct userprio_records *r, const struct fl_view *view, bool group_factors)
{
	struct fl_negotiation n;
	struct fl_customer c;
	size_t count = fl_customers(view);
	int rc = fl_negotiation(view, &n);

	if (rc)
		return rc;
	r->view = view;
	r->last_update = moment(n.last_update);
	for (size_t k = 0; k < count && !rc; k++)
		if (fl_customer(view, k, &c) == 0)
			rc = customer_take(r, view, &c, group_factors);
	return rc;
}

/* Slots that are held, with when they were taken. */
int userprio_resources(const struct fl_view *view, const struct userprio_query *q, struct out *o)
{
	char line[512], date[USERPRIO_DATE_BYTES + 1];
	struct fl_slot slot;
	size_t held = 0;

	out_text(o, "Resource Name                        Start Time          Match Time\n"
		    "------------------------------------ ---------------- --------------\n");
	for (size_t k = 0; fl_slot(view, k, &slot) == 0 && !o->error; k++) {
		char *name = strcmp(slot.customer, q->resources_of) == 0 ? name_copy(slot.name) : NULL;
		int64_t age = moment(slot.since) && q->now > slot.since ? q->now - slot.since : 0;

		if (!name)
			continue;
		userprio_date(date, slot.since);
		snprintf(line, sizeof(line), "%-36.200s %s   %2lld+%02lld:%02lld:%02lld\n", name, date, (long long)(age / 86400),
			 (long long)(age / 3600 % 24), (long long)(age / 60 % 60), (long long)(age % 60));
		out_text(o, line);
		free(name);
		held++;
	}
	snprintf(line, sizeof(line), "------------------------------------ ---------------- --------------\nNumber of Resources Used: %zu\n", held);
	out_text(o, line);
	return 0;
}
