/* SPDX-License-Identifier: Apache-2.0 */
/* Which tasks are meant: each option that names a value leaves the others out. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/wildcard.h"
#include "sched/cli/acct.h"

const struct acct_key acct_keys[ACCT_COLUMNS] = {
	[ACCT_HOST] = { "HOST", HOSTNAME }, [ACCT_QUEUE] = { "CLUSTER QUEUE", QNAME }, [ACCT_GROUP] = { "GROUP", GROUP },
	[ACCT_OWNER] = { "OWNER", OWNER }, [ACCT_PROJECT] = { "PROJECT", PROJECT }, [ACCT_DEPARTMENT] = { "DEPARTMENT", DEPARTMENT },
	[ACCT_PE] = { "PE", GRANTED_PE }, [ACCT_SLOTS] = { "SLOTS", SLOTS }, [ACCT_AR] = { "AR", ARID }, [ACCT_ACCOUNT] = { "ACCOUNT", ACCOUNT },
};

/* In any case; a domain counts where both have one. */
static bool same_host(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), m = strcspn(b, ".");

	return strcasecmp(a, b) == 0 || (n == m && strncasecmp(a, b, n) == 0 && (!a[n] || !b[m]));
}

static bool value_fits(enum acct_column column, const char *value, const struct accounting_record *r)
{
	enum accounting_field field = acct_keys[column].field;

	if (column == ACCT_QUEUE)
		return true;			/* of a pattern: queue_fits() */
	if (column == ACCT_HOST)
		return same_host(value, accounting_text(r, field));
	if (!accounting_field_is_text(field))
		return strtod(value, NULL) == r->numbers[field];
	return strcmp(value, accounting_text(r, field)) == 0;
}

static bool queue_fits(const struct acct *a, const struct accounting_record *r)
{
	const char *host = accounting_text(r, HOSTNAME);

	return (!a->queue || wildcard_match(a->queue, accounting_text(r, QNAME), 0)) &&
	       (!a->queue_host || same_host(a->queue_host, host) || wildcard_match(a->queue_host, host, WILDCARD_IGNORE_CASE));
}

static bool job_fits(const char *job, const struct accounting_record *r)
{
	if (isdigit((unsigned char)*job))
		return strtod(job, NULL) == r->numbers[ACCOUNTED_NUMBER];
	return strcmp(job, accounting_text(r, ACCOUNTED_NAME)) == 0 || wildcard_match(job, accounting_text(r, ACCOUNTED_NAME), 0);
}

static bool time_fits(const struct acct *a, const struct accounting_record *r)
{
	double time = r->numbers[a->ends ? END_TIME : START_TIME];

	return (a->from < 0 || time >= (double)a->from) && (a->until < 0 || time <= (double)a->until);
}

bool acct_selects(const struct acct *a, const struct accounting_record *r)
{
	double task = r->numbers[TASK_NUMBER];

	for (int k = 0; k < ACCT_COLUMNS; k++)
		if (a->columns[k].value && !value_fits((enum acct_column)k, a->columns[k].value, r))
			return false;
	if (a->resources && !acct_instances_have(&a->instances, accounting_text(r, QNAME), accounting_text(r, HOSTNAME)))
		return false;
	if (!queue_fits(a, r) || !time_fits(a, r) || (a->job && !job_fits(a->job, r)))
		return false;
	if (a->tasks.n > 0 && !(task >= 1 && task <= UINT32_MAX && ranges_contain(&a->tasks, (uint32_t)task)))
		return false;
	return !a->masters || strcmp(accounting_text(r, PE_TASKID), "NONE") == 0;
}
