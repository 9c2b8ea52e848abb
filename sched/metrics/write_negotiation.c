/* SPDX-License-Identifier: Apache-2.0 */
/* HTCondor's negotiation: the last cycle, user priorities, group quotas, concurrency limits. */
#include <errno.h>
#include <math.h>

#include "sched/metrics/reading.h"

/* The cycle */

struct cycle_row {
	double cycles, begin, duration, pool_weight, matches, preemptions, slots;
};

#define CYCLE(FIELD) .field = offsetof(struct cycle_row, FIELD)

static const struct family_column cycle_columns[] = {
	{ { "fairlead_negotiation_cycles", FAMILY_COUNTER, NULL, "Negotiation cycles so far." }, CYCLE(cycles) },
	{ { "fairlead_negotiation_timestamp_seconds", FAMILY_GAUGE, "seconds",
	    "Time of the last cycle, since the epoch." },
	  CYCLE(begin) },
	{ { "fairlead_negotiation_duration_seconds", FAMILY_GAUGE, "seconds", "Duration of the last cycle." },
	  CYCLE(duration) },
	{ { "fairlead_negotiation_pool_weight", FAMILY_GAUGE, NULL, "Weight of all slots." }, CYCLE(pool_weight) },
	{ { "fairlead_negotiation_matches", FAMILY_GAUGE, NULL, "Matches of the last cycle." }, CYCLE(matches) },
	{ { "fairlead_negotiation_preemptions", FAMILY_GAUGE, NULL, "Matches of the last cycle that preempt a task." },
	  CYCLE(preemptions) },
	{ { "fairlead_negotiation_slots", FAMILY_GAUGE, NULL, "Slots in the last cycle." }, CYCLE(slots) },
};

static size_t no_labels(const void *row, struct label *labels)
{
	(void)row;
	(void)labels;
	return 0;
}

static void write_cycle(struct exposition *page, const struct fl_negotiation *cycle)
{
	bool any = cycle->cycle > 0;
	struct cycle_row row = { .cycles = (double)cycle->cycle,
				 .begin = any ? (double)cycle->begin : NAN,
				 .duration = any ? (double)cycle->duration_ns / 1e9 : NAN,
				 .pool_weight = any ? cycle->pool_weight : NAN,
				 .matches = any ? cycle->matches : NAN,
				 .preemptions = any ? cycle->preemptions : NAN,
				 .slots = any ? cycle->slots : NAN };

	exposition_columns(page, cycle_columns, COUNT_OF(cycle_columns),
			   &(struct family_rows){ &row, 1, sizeof(row), no_labels });
}

/* Submitters and groups */

struct customer_row {
	const char *submitter, *group;
	double weight; /* order among submitters */
	double real, effective, factor, weight_used, slots, accumulated, ceiling, floor;
};

#define CUSTOMER(FIELD) .field = offsetof(struct customer_row, FIELD)

static const struct family_column submitter_columns[] = {
	{ { "fairlead_submitter_real_priority", FAMILY_GAUGE, NULL, "Real user priority; a lower value is better." },
	  CUSTOMER(real) },
	{ { "fairlead_submitter_effective_priority", FAMILY_GAUGE, NULL,
	    "Effective user priority: the real one multiplied by the factor." },
	  CUSTOMER(effective) },
	{ { "fairlead_submitter_priority_factor", FAMILY_GAUGE, NULL, "Priority factor." }, CUSTOMER(factor) },
	{ { "fairlead_submitter_weight_used", FAMILY_GAUGE, NULL, "Weight of the slots in use." },
	  CUSTOMER(weight_used) },
	{ { "fairlead_submitter_slots_used", FAMILY_GAUGE, NULL, "Slots in use." }, CUSTOMER(slots) },
	{ { "fairlead_submitter_usage_weight_seconds", FAMILY_COUNTER, "seconds",
	    "Accumulated usage: weight of slots times seconds." },
	  CUSTOMER(accumulated) },
	{ { "fairlead_submitter_ceiling", FAMILY_GAUGE, NULL, "Most weight in use; absent if there is no limit." },
	  CUSTOMER(ceiling) },
	{ { "fairlead_submitter_floor", FAMILY_GAUGE, NULL, "Weight up to which a submitter is served first." },
	  CUSTOMER(floor) },
};

static const struct family_column group_columns[] = {
	{ { "fairlead_group_weight_used", FAMILY_GAUGE, NULL,
	    "Weight of the slots of a group and the groups below it." },
	  CUSTOMER(weight_used) },
	{ { "fairlead_group_slots_used", FAMILY_GAUGE, NULL, "Slots of a group in use." }, CUSTOMER(slots) },
	{ { "fairlead_group_usage_weight_seconds", FAMILY_COUNTER, "seconds",
	    "Accumulated usage of a group: weight of slots times seconds." },
	  CUSTOMER(accumulated) },
};

static size_t customer_labels(const void *row, struct label *labels)
{
	const struct customer_row *customer = row;
	size_t n = label_put(labels, 0, "submitter", customer->submitter);

	return label_put(labels, n, "group", customer->group);
}

static struct customer_row customer_row(const struct fl_customer *from)
{
	return (struct customer_row){ .submitter = from->is_group ? "" : from->name,
				      .group = from->is_group ? from->name : from->group,
				      .weight = from->weight_used,
				      .real = from->rup,
				      .effective = from->rup * from->factor,
				      .factor = from->factor,
				      .weight_used = from->is_group ? from->tree_used : from->weight_used,
				      .slots = from->used,
				      .accumulated = from->weight_accumulated,
				      .ceiling = from->ceiling >= 0 ? (double)from->ceiling : NAN,
				      .floor = from->floor > 0 ? (double)from->floor : NAN };
}

static int by_weight(const void *a, const void *b)
{
	const struct customer_row *one = a, *other = b;

	if (one->weight != other->weight)
		return one->weight < other->weight ? 1 : -1;
	return one->accumulated < other->accumulated ? 1 : one->accumulated > other->accumulated ? -1 : 0;
}

/* Write groups, and of the submitters as many as users are shown: those with most weight. */
static int write_customers(struct exposition *page, const struct run_reading *reading)
{
	size_t n = fl_customers(reading->view), ngroups = 0, nsubmitters = 0;
	struct customer_row *groups = calloc(2 * n + 1, sizeof(*groups)), *submitters = groups ? groups + n : NULL;
	struct fl_customer customer;

	if (!groups)
		return -ENOMEM;
	for (size_t k = 0; k < n; k++) {
		if (fl_customer(reading->view, k, &customer))
			continue;
		if (customer.is_group)
			groups[ngroups++] = customer_row(&customer);
		else
			submitters[nsubmitters++] = customer_row(&customer);
	}
	qsort(submitters, nsubmitters, sizeof(*submitters), by_weight);
	if (!reading->all_users && nsubmitters > reading->users_most)
		nsubmitters = reading->users_most;
	exposition_columns(page, submitter_columns, COUNT_OF(submitter_columns),
			   &(struct family_rows){ submitters, nsubmitters, sizeof(*groups), customer_labels });
	exposition_columns(page, group_columns, COUNT_OF(group_columns),
			   &(struct family_rows){ groups, ngroups, sizeof(*groups), customer_labels });
	free(groups);
	return 0;
}

/* Quotas of groups, concurrency limits */

struct quota_values {
	const char *name;
	double quota, subtree, requested, allocated, limit, used;
};

#define QUOTA(FIELD) .field = offsetof(struct quota_values, FIELD)

static const struct family_column quota_columns[] = {
	{ { "fairlead_group_quota", FAMILY_GAUGE, NULL, "Quota of a group, as weight of slots." }, QUOTA(quota) },
	{ { "fairlead_group_subtree_quota", FAMILY_GAUGE, NULL, "Quota of a group and the groups below it." },
	  QUOTA(subtree) },
	{ { "fairlead_group_weight_requested", FAMILY_GAUGE, NULL, "Weight that a group requested in the last cycle." },
	  QUOTA(requested) },
	{ { "fairlead_group_weight_allocated", FAMILY_GAUGE, NULL, "Weight allocated to a group in the last cycle." },
	  QUOTA(allocated) },
};

static const struct family_column limit_columns[] = {
	{ { "fairlead_concurrency_limit", FAMILY_GAUGE, NULL, "Units of a concurrency limit." }, QUOTA(limit) },
	{ { "fairlead_concurrency_used", FAMILY_GAUGE, NULL, "Units of a concurrency limit in use." }, QUOTA(used) },
};

static size_t quota_labels(const void *row, struct label *labels)
{
	return label_put(labels, 0, "group", ((const struct quota_values *)row)->name);
}

static size_t limit_labels(const void *row, struct label *labels)
{
	return label_put(labels, 0, "limit", ((const struct quota_values *)row)->name);
}

static int write_limits(struct exposition *page, const struct fl_view *view, const struct fl_negotiation *cycle)
{
	size_t most = cycle->ngroups > cycle->nlimits ? cycle->ngroups : cycle->nlimits, n = 0;
	struct quota_values *items = calloc(most + 1, sizeof(*items));
	struct fl_concurrency_limit limit;
	struct fl_quota_group group;

	if (!items)
		return -ENOMEM;
	for (size_t k = 0; k < cycle->ngroups && fl_quota_group(view, k, &group) == 0; k++)
		items[n++] = (struct quota_values){ .name = group.name,
						    .quota = group.quota,
						    .subtree = group.subtree_quota,
						    .requested = group.requested,
						    .allocated = group.allocated };
	exposition_columns(page, quota_columns, COUNT_OF(quota_columns),
			   &(struct family_rows){ items, n, sizeof(*items), quota_labels });
	n = 0;
	for (size_t k = 0; k < cycle->nlimits && fl_concurrency_limit(view, k, &limit) == 0; k++)
		items[n++] = (struct quota_values){ .name = limit.name, .limit = limit.most, .used = limit.used };
	exposition_columns(page, limit_columns, COUNT_OF(limit_columns),
			   &(struct family_rows){ items, n, sizeof(*items), limit_labels });
	free(items);
	return 0;
}

int write_negotiation(struct exposition *page, const struct run_reading *reading)
{
	struct fl_negotiation cycle;
	int rc;

	if (fl_negotiation(reading->view, &cycle))
		return 0;
	write_cycle(page, &cycle);
	rc = write_customers(page, reading);
	return rc ? rc : write_limits(page, reading->view, &cycle);
}
