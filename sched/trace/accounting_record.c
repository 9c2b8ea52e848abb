/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid Engine 8.1.9 writes 45 fields separated by ':', and so does a local cell. Older versions
 * write fewer, but at least 36. A request in the category may contain a ':' ("h_rt=1:00:00"), and
 * so may names that were not set by qsub.
 */
#include "sched/trace/accounting_record.h"

#include <errno.h>
#include <string.h>

#include "conf/base/number.h"

#define MORE_FIELDS_LEAST 5
#define MORE_FIELDS_MOST 10
#define MILLISECONDS_DIGITS 12		/* seconds have as many digits in the year 5138 */

static const struct {
	const char *name;
	bool is_text;
} fields[ACCOUNTING_FIELDS] = {
	[QNAME] = { "qname", true }, [HOSTNAME] = { "hostname", true }, [GROUP] = { "group", true },
	[OWNER] = { "owner", true }, [ACCOUNTED_NAME] = { "job_name", true },
	[ACCOUNTED_NUMBER] = { "job_number", false }, [ACCOUNT] = { "account", true },
	[PRIORITY] = { "priority", false }, [SUBMISSION_TIME] = { "submission_time", false },
	[START_TIME] = { "start_time", false }, [END_TIME] = { "end_time", false }, [FAILED] = { "failed", false },
	[EXIT_STATUS] = { "exit_status", false }, [RU_WALLCLOCK] = { "ru_wallclock", false },
	[RU_UTIME] = { "ru_utime", false }, [RU_STIME] = { "ru_stime", false }, [RU_MAXRSS] = { "ru_maxrss", false },
	[RU_IXRSS] = { "ru_ixrss", false }, [RU_ISMRSS] = { "ru_ismrss", false }, [RU_IDRSS] = { "ru_idrss", false },
	[RU_ISRSS] = { "ru_isrss", false }, [RU_MINFLT] = { "ru_minflt", false }, [RU_MAJFLT] = { "ru_majflt", false },
	[RU_NSWAP] = { "ru_nswap", false }, [RU_INBLOCK] = { "ru_inblock", false },
	[RU_OUBLOCK] = { "ru_oublock", false }, [RU_MSGSND] = { "ru_msgsnd", false },
	[RU_MSGRCV] = { "ru_msgrcv", false }, [RU_NSIGNALS] = { "ru_nsignals", false },
	[RU_NVCSW] = { "ru_nvcsw", false }, [RU_NIVCSW] = { "ru_nivcsw", false }, [PROJECT] = { "project", true },
	[DEPARTMENT] = { "department", true }, [GRANTED_PE] = { "granted_pe", true }, [SLOTS] = { "slots", false },
	[TASK_NUMBER] = { "task_number", false }, [CPU] = { "cpu", false }, [MEM] = { "mem", false },
	[IO] = { "io", false }, [CATEGORY] = { "category", true }, [IOW] = { "iow", false },
	[PE_TASKID] = { "pe_taskid", true }, [MAXVMEM] = { "maxvmem", false }, [ARID] = { "arid", false },
	[AR_SUBMISSION_TIME] = { "ar_submission_time", false },
};

const char *accounting_field_name(enum accounting_field field)
{
	return fields[field].name;
}

bool accounting_field_is_text(enum accounting_field field)
{
	return fields[field].is_text;
}

static bool is_number(const char *text)
{
	double value;

	return number_double(text, &value) == 0;
}

/*
 * Return whether all numbers are in their fields, if the field `wide` has `surplus` additional
 * pieces.
 */
static bool fits(char *const pieces[], size_t surplus, size_t wide)
{
	for (size_t i = 0; i < ACCOUNTING_FIELDS; i++)
		if (!fields[i].is_text && !is_number(pieces[i <= wide ? i : i + surplus]))
			return false;
	return true;
}

/*
 * Join the pieces of a line with more than 45: colons are in the category, else in the name, else
 * in the account.
 */
static bool colons_settle(struct accounting_fields *accounting_fields)
{
	static const size_t wide[] = { CATEGORY, ACCOUNTED_NAME, ACCOUNT };
	size_t surplus = accounting_fields->n - ACCOUNTING_FIELDS;
	char **pieces = accounting_fields->texts;

	for (size_t k = 0; k < sizeof(wide) / sizeof(*wide); k++) {
		if (!fits(pieces, surplus, wide[k]))
			continue;
		for (size_t i = wide[k]; i < wide[k] + surplus; i++)
			pieces[i][strlen(pieces[i])] = ':';
		memmove(&pieces[wide[k] + 1], &pieces[wide[k] + 1 + surplus],
			(ACCOUNTING_FIELDS - wide[k] - 1) * sizeof(*pieces));
		accounting_fields->n = ACCOUNTING_FIELDS;
		accounting_fields->colons = true;
		return true;
	}
	return false;
}

/*
 * Univa Grid Engine has up to ten fields after the 45, and times in milliseconds. Return whether
 * the line may be one of these. Then the first 45 fields have the same meaning.
 */
static bool more_fields_settle(struct accounting_fields *accounting_fields)
{
	static const size_t times[] = { SUBMISSION_TIME, START_TIME, END_TIME };

	if (accounting_fields->n < ACCOUNTING_FIELDS + MORE_FIELDS_LEAST ||
	    accounting_fields->n > ACCOUNTING_FIELDS + MORE_FIELDS_MOST ||
	    !fits(accounting_fields->texts, 0, ACCOUNTING_FIELDS))
		return false;
	for (size_t k = 0; k < sizeof(times) / sizeof(*times); k++) {
		char *text = accounting_fields->texts[times[k]];
		size_t n = strlen(text);

		if (n >= MILLISECONDS_DIGITS && strspn(text, "0123456789") == n)
			text[n - 3] = '\0';
	}
	accounting_fields->n = ACCOUNTING_FIELDS;
	accounting_fields->more = true;
	return true;
}

int accounting_split(char *line, struct accounting_fields *accounting_fields, struct error *error)
{
	accounting_fields->n = 0;
	accounting_fields->colons = accounting_fields->more = false;
	for (char *piece; (piece = strsep(&line, ":")); accounting_fields->texts[accounting_fields->n++] = piece)
		if (accounting_fields->n == ACCOUNTING_FIELDS_MOST)
			return error_set(
				error, -EINVAL,
				"%d or more fields; allowed: 45 as in accounting(5), at least 36 in older files",
				ACCOUNTING_FIELDS_MOST);
	if (accounting_fields->n < ACCOUNTING_FIELDS_LEAST)
		return error_set(error, -EINVAL,
				 "%zu fields; allowed: 45 as in accounting(5), at least 36 in older files",
				 accounting_fields->n);
	if (accounting_fields->n > ACCOUNTING_FIELDS && !colons_settle(accounting_fields) &&
	    !more_fields_settle(accounting_fields))
		return error_set(error, -EINVAL,
				 "%zu fields instead of 45, and the colons are not in a name or the category",
				 accounting_fields->n);
	return 0;
}

int accounting_record(char *line, struct accounting_record *record, struct error *error)
{
	int rc = accounting_split(line, &record->fields, error);

	memset(record->numbers, 0, sizeof(record->numbers));
	for (size_t i = 0; rc == 0 && i < record->fields.n; i++)
		if (!fields[i].is_text && number_double(record->fields.texts[i], &record->numbers[i]))
			rc = error_set(error, -EINVAL, "field %zu, %s, is \"%.40s\"; a number is expected", i + 1,
				       fields[i].name, record->fields.texts[i]);
	return rc;
}

const char *accounting_text(const struct accounting_record *record, enum accounting_field field)
{
	return field < record->fields.n && *record->fields.texts[field] ? record->fields.texts[field] : "NONE";
}

bool accounting_is_blank(const char *line)
{
	return *line == '#' || line[strspn(line, " \t\r\n")] == '\0';
}

static bool is_word(const char *word, size_t n, const char *text)
{
	return n == strlen(text) && memcmp(word, text, n) == 0;
}

/*
 * Find the hard requests in "-U lists -q all.q -l h_rt=60,h_vmem=2G -pe mpi 4 ...". Here -soft
 * applies only to the next -l.
 */
const char *accounting_hard(const char *category)
{
	bool soft = false, wanted = false;
	size_t n;

	for (const char *at = category; *(at += strspn(at, " \t")); at += n) {
		n = strcspn(at, " \t");
		if (wanted)
			return at;
		wanted = is_word(at, n, "-l") && !soft;
		soft = is_word(at, n, "-soft") || (soft && !is_word(at, n, "-hard") && !is_word(at, n, "-l"));
	}
	return NULL;
}

bool accounting_request(const char *hard, const char *name, char value[ACCOUNTING_VALUE_BYTES])
{
	size_t length = strlen(name), n;

	for (const char *at = hard; *at && !strchr(" \t", *at); at += n, at += *at == ',') {
		n = strcspn(at, ", \t");
		if (n <= length || n - length > ACCOUNTING_VALUE_BYTES - 1 || strncmp(at, name, length) != 0 ||
		    at[length] != '=')
			continue;
		memcpy(value, at + length + 1, n - length - 1);
		value[n - length - 1] = '\0';
		return true;
	}
	return false;
}
