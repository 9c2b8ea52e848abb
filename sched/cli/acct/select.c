/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of tasks. A task must match all options. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/wildcard.h"
#include "sched/cli/acct/acct.h"

const struct acct_key acct_keys[ACCT_COLUMNS] = {
	[ACCT_HOST] = { "HOST", HOSTNAME }, [ACCT_QUEUE] = { "CLUSTER QUEUE", QNAME }, [ACCT_GROUP] = { "GROUP", GROUP },
	[ACCT_OWNER] = { "OWNER", OWNER }, [ACCT_PROJECT] = { "PROJECT", PROJECT }, [ACCT_DEPARTMENT] = { "DEPARTMENT", DEPARTMENT },
	[ACCT_PE] = { "PE", GRANTED_PE }, [ACCT_SLOTS] = { "SLOTS", SLOTS }, [ACCT_AR] = { "AR", ARID }, [ACCT_ACCOUNT] = { "ACCOUNT", ACCOUNT },
};

/* Compare host names without regard to case. Domains are compared only if both names have one. */
static bool same_host(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), m = strcspn(b, ".");

	return strcasecmp(a, b) == 0 || (n == m && strncasecmp(a, b, n) == 0 && (!a[n] || !b[m]));
}

static bool value_fits(enum acct_column column, const char *value, const struct accounting_record *record)
{
	enum accounting_field field = acct_keys[column].field;

	if (column == ACCT_QUEUE)
		return true;			/* queue_fits() compares patterns */
	if (column == ACCT_HOST)
		return same_host(value, accounting_text(record, field));
	if (!accounting_field_is_text(field))
		return strtod(value, NULL) == record->numbers[field];
	return strcmp(value, accounting_text(record, field)) == 0;
}

static bool queue_fits(const struct acct *acct, const struct accounting_record *record)
{
	const char *host = accounting_text(record, HOSTNAME);

	return (!acct->queue || wildcard_match(acct->queue, accounting_text(record, QNAME), 0)) &&
	       (!acct->queue_host || same_host(acct->queue_host, host) ||
		wildcard_match(acct->queue_host, host, WILDCARD_IGNORE_CASE));
}

static bool job_fits(const char *job, const struct accounting_record *record)
{
	if (isdigit((unsigned char)*job))
		return strtod(job, NULL) == record->numbers[ACCOUNTED_NUMBER];
	return strcmp(job, accounting_text(record, ACCOUNTED_NAME)) == 0 ||
	       wildcard_match(job, accounting_text(record, ACCOUNTED_NAME), 0);
}

static bool time_fits(const struct acct *acct, const struct accounting_record *record)
{
	double time = record->numbers[acct->ends ? END_TIME : START_TIME];

	return (acct->from < 0 || time >= (double)acct->from) && (acct->until < 0 || time <= (double)acct->until);
}

bool acct_selects(const struct acct *acct, const struct accounting_record *record)
{
	double task = record->numbers[TASK_NUMBER];

	for (int k = 0; k < ACCT_COLUMNS; k++)
		if (acct->columns[k].value && !value_fits((enum acct_column)k, acct->columns[k].value, record))
			return false;
	if (acct->resources &&
	    !acct_instances_have(&acct->instances, accounting_text(record, QNAME), accounting_text(record, HOSTNAME)))
		return false;
	if (!queue_fits(acct, record) || !time_fits(acct, record) || (acct->job && !job_fits(acct->job, record)))
		return false;
	if (acct->tasks.n > 0 && !(task >= 1 && task <= UINT32_MAX && ranges_contain(&acct->tasks, (uint32_t)task)))
		return false;
	return !acct->masters || strcmp(accounting_text(record, PE_TASKID), "NONE") == 0;
}
