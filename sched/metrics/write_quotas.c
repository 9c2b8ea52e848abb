/* SPDX-License-Identifier: Apache-2.0 */
/* Resource quotas that are in use: their limits and their use. */
#include <errno.h>
#include <math.h>

#include "sched/metrics/reading.h"

struct quota_values {
	struct fl_quota quota;
	double limit, used;
};

#define QUOTA(FIELD) .field = offsetof(struct quota_values, FIELD)

static const struct family_column columns[] = {
	{ { "fairlead_quota_limit", FAMILY_GAUGE, NULL, "Limit of a resource quota that is partly in use." },
	  QUOTA(limit) },
	{ { "fairlead_quota_used", FAMILY_GAUGE, NULL, "Use of a resource quota." }, QUOTA(used) },
};

static size_t quota_labels(const void *row, struct label *labels)
{
	static const char *const parts[FL_QUOTA_PARTS] = {
		[FL_OF_USER] = "user",	 [FL_OF_PROJECT] = "project", [FL_OF_PE] = "pe",
		[FL_OF_QUEUE] = "queue", [FL_OF_HOST] = "host",
	};
	const struct fl_quota *quota = &((const struct quota_values *)row)->quota;
	size_t n = label_put(labels, 0, "set", quota->set);

	n = label_put(labels, n, "rule", quota->rule);
	n = label_put(labels, n, "resource", quota->resource);
	for (size_t i = 0; i < FL_QUOTA_PARTS; i++)
		n = label_put(labels, n, parts[i], quota->parts[i]);
	return n;
}

/* Quotas that count each user are written for the users that are shown. */
static bool is_shown(const struct run_reading *reading, const struct fl_quota *quota)
{
	return !quota->counted[FL_OF_USER] || reading_shows(reading, quota->parts[FL_OF_USER]);
}

int write_quotas(struct exposition *page, const struct run_reading *reading)
{
	size_t most = fl_quotas(reading->view), n = 0;
	struct quota_values *items = calloc(most + 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	for (size_t k = 0; k < most; k++) {
		struct quota_values *row = &items[n];

		if (fl_quota(reading->view, k, &row->quota) || !is_shown(reading, &row->quota) || *row->quota.text)
			continue;
		row->limit = row->quota.limit;
		row->used = row->quota.used;
		n++;
	}
	exposition_columns(page, columns, COUNT_OF(columns),
			   &(struct family_rows){ items, n, sizeof(*items), quota_labels });
	free(items);
	return 0;
}
