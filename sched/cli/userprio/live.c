/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the published run. */
#include "sched/cli/userprio/show.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"

/* Return a finite value. A damaged segment may contain anything. */
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

static void quotas_take(struct userprio_record *record, const struct fl_view *view, int32_t group)
{
	struct fl_quota_group g;

	/* value of the negotiator for groups without requests */
	record->sort_key = 3.3e38;
	if (group < 0 || fl_quota_group(view, (size_t)group, &g))
		return;
	record->config_quota = sound(g.configured);
	record->effective_quota = sound(g.quota);
	record->subtree_quota = sound(g.subtree_quota);
	record->requested = sound(g.requested);
	record->sort_key = sound(g.sort_key);
	free(record->surplus);
	record->surplus = strdup(g.autoregroup ? "regroup" : g.accepts_surplus ? "byquota" : "no");
}

static int customer_take(struct userprio_records *records, const struct fl_view *view,
			 const struct fl_customer *customer, bool group_factors)
{
	struct userprio_record *record = userprio_add(records);

	if (!record)
		return -ENOMEM;
	record->name = name_copy(customer->name);
	record->group = name_copy(customer->group);
	record->surplus = strdup(customer->is_group ? "no" : "");
	record->is_group = customer->is_group;
	record->priority = sound(customer->rup * customer->factor);
	record->factor = customer->is_group && !group_factors ? 0 : sound(customer->factor);
	record->used = customer->used;
	record->weight_used = sound(customer->weight_used);
	record->tree_used = sound(customer->tree_used);
	record->accumulated = sound(customer->accumulated);
	record->weight_accumulated = sound(customer->weight_accumulated);
	record->share = sound(customer->share);
	record->limit = sound(customer->limit);
	record->begin = moment(customer->begin);
	record->last = moment(customer->last);
	record->ceiling = customer->ceiling;
	record->floor = customer->floor;
	record->leases[0].until = moment(customer->factor_lease.until),
	record->leases[0].before = sound(customer->factor_lease.before);
	record->leases[1].until = moment(customer->ceiling_lease.until),
	record->leases[1].before = sound(customer->ceiling_lease.before);
	record->leases[2].until = moment(customer->floor_lease.until),
	record->leases[2].before = sound(customer->floor_lease.before);
	record->columns = USERPRIO_FACTOR | USERPRIO_USAGE | USERPRIO_SINCE | (record->factor > 0 ? USERPRIO_REAL : 0);
	if (customer->is_group) {
		record->columns |= USERPRIO_QUOTAS | USERPRIO_SORT_KEY;
		quotas_take(record, view, customer->quota_group);
	} else {
		record->columns |= USERPRIO_EFFECTIVE | USERPRIO_FLOOR | USERPRIO_CEILING;
	}
	return record->name && record->group && record->surplus ? 0 : -ENOMEM;
}

int userprio_live_read(struct userprio_records *records, const struct fl_view *view, bool group_factors)
{
	struct fl_negotiation negotiation;
	struct fl_customer customer;
	size_t count = fl_customers(view);
	int rc = fl_negotiation(view, &negotiation);

	if (rc)
		return rc;
	records->view = view;
	records->last_update = moment(negotiation.last_update);
	for (size_t k = 0; k < count && !rc; k++)
		if (fl_customer(view, k, &customer) == 0)
			rc = customer_take(records, view, &customer, group_factors);
	return rc;
}

/* Print the slots in use, with the time at which they were claimed. */
int userprio_resources(const struct fl_view *view, const struct userprio_query *query, struct out *out)
{
	char line[512], date[USERPRIO_DATE_BYTES + 1];
	struct fl_slot slot;
	size_t held = 0;

	out_text(out, "Resource Name                        Start Time          Match Time\n"
		    "------------------------------------ ---------------- --------------\n");
	for (size_t k = 0; fl_slot(view, k, &slot) == 0 && !out->error; k++) {
		char *name = strcmp(slot.customer, query->resources_of) == 0 ? name_copy(slot.name) : NULL;
		int64_t age = moment(slot.since) && query->now > slot.since ? query->now - slot.since : 0;

		if (!name)
			continue;
		userprio_date(date, slot.since);
		snprintf(line, sizeof(line), "%-36.200s %s   %2lld+%02lld:%02lld:%02lld\n", name, date,
			 (long long)(age / 86400), (long long)(age / 3600 % 24), (long long)(age / 60 % 60),
			 (long long)(age % 60));
		out_text(out, line);
		free(name);
		held++;
	}
	snprintf(
		line, sizeof(line),
		"------------------------------------ ---------------- --------------\nNumber of Resources Used: %zu\n",
		held);
	out_text(out, line);
	return 0;
}
