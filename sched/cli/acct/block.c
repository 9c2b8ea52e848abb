/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of qacct -j for a task that has ended. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "conf/base/number.h"
#include "sched/cli/acct/acct.h"
#include "sched/cli/text.h"
#include "sched/process/json.h"

#define VALUE_COLUMNS 20u	/* width of most values */
#define FAILED_BY_LIMIT 37
#define LIMIT_TEXT_BYTES (ACCOUNTING_VALUE_BYTES + 16)

/* Texts by number, as in sge_status(5). */
static const char *const failures[] = {
	"", "assumedly before job", "on executing shepherd", "before writing config", "before writing pid", "on reading config file",
	"setting processor set", "before prolog", "in prolog", "before pestart", "in pestart", "before job", "before pestop", "in pestop",
	"before epilog", "in epilog", "releasing processor set", "through signal", "shepherd returned error", "before writing exit_status",
	"found unexpected error file", "in recognizing job", "removed manually", "invalid execution state", "migrating", "rescheduling",
	"opening input/output file", "searching requested shell", "changing into working directory", "AFS setup", "application error returned",
	"accessing sgepasswd file", "entry is missing in sgepasswd file", "wrong password", "communicating with Grid Engine Helper Service",
	"before job in Grid Engine Helper Service", "checking configured daemons",
	"qmaster enforced h_rt, h_cpu, or h_vmem limit",
	"adding supplementary group",
};

/* Return the text of qacct for a value of `failed`, "" for 0. */
static const char *acct_failed_text(int failed)
{
	if (failed == 100)
		return "assumedly after job";
	return failed >= 0 && (size_t)failed < sizeof(failures) / sizeof(*failures) ? failures[failed]
										    : "invalid execution state";
}

/*
 * Write the request whose limit ended a task with `failed` 37, " (h_rt=3)". The accounting file
 * does not record it, so this is the request whose amount the task has used up. "": no request, so
 * the task reached a limit of its queue.
 */
static void limit_text(const struct accounting_record *record, char *text, size_t size)
{
	const struct {
		const char *name;
		double used;
	} limits[] = { { "h_rt", record->numbers[RU_WALLCLOCK] },
		       { "h_cpu", record->numbers[CPU] / fmax(record->numbers[SLOTS], 1) } };
	const char *hard =
		record->numbers[FAILED] == FAILED_BY_LIMIT ? accounting_hard(accounting_text(record, CATEGORY)) : NULL;
	char value[ACCOUNTING_VALUE_BYTES];
	double limit;

	*text = '\0';
	for (size_t k = 0; hard && !*text && k < sizeof(limits) / sizeof(*limits); k++)
		if (accounting_request(hard, limits[k].name, value) && number_parse(value, &limit) == 0 &&
		    limits[k].used >= limit - 1)
			snprintf(text, size, " (%s=%s)", limits[k].name, value);
}

static void put_padded(struct out *out, const char *label, const char *value)
{
	size_t n = strlen(value);

	out_put(out, "%-13s", label);
	text_plain(out, value);
	out_put(out, "%*s\n", n < VALUE_COLUMNS ? (int)(VALUE_COLUMNS - n) : 0, "");
}

static void put_text(struct out *out, const char *label, const char *value)
{
	out_put(out, "%-13s", label);
	text_plain(out, value);
	out_text(out, "\n");
}

static void put_count(struct out *out, const char *label, double value)
{
	out_put(out, "%-13s%-20.0f\n", label, value);
}

static void put_id(struct out *out, const char *label, double value)
{
	if (value > 0)
		put_count(out, label, value);
	else
		put_text(out, label, "undefined");
}

/* Print a time like ctime(3). */
static void put_time(struct out *out, const char *label, double value, const char *none)
{
	time_t time = value > 0 && value < 1e14 ? (time_t)value : 0;
	char text[64] = "NA";
	struct tm tm;

	if (time == 0 && none)
		return put_text(out, label, none);
	if (localtime_r(&time, &tm) && tm.tm_year < 8100)
		strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm);
	put_text(out, label, text);
}

static void put_seconds(struct out *out, const char *label, double value)
{
	out_put(out, "%-13s%.3fs\n", label, value);
}

/* Print a number of bytes, or of bytes times `unit`, in the largest unit that gives at least 1. */
static void put_bytes(struct out *out, const char *label, double value, const char *unit)
{
	static const char *const prefixes[] = { "", "K", "M", "G", "T" };
	size_t k = 0;

	for (; k < 4 && fabs(value) >= 1024; k++)
		value /= 1024;
	out_put(out, "%-13s%.3f%sB%s\n", label, value, prefixes[k], unit);
}

static void put_end(struct out *out, const struct accounting_record *record, bool limit)
{
	double failed = fmin(fmax(record->numbers[FAILED], -1), 1e6), status = record->numbers[EXIT_STATUS];
	const char *why = acct_failed_text((int)failed);
	char text[LIMIT_TEXT_BYTES] = "";

	if (limit)
		limit_text(record, text, sizeof(text));
	out_put(out, "%-13s%-3.0f %s%s", "failed", failed, *why ? ": " : " ", why);
	text_plain(out, text);
	out_text(out, "\n");
	out_put(out, "%-13s%-20.0f", "exit_status", status);
	if (status >= 128 && status < 1e6)
		out_put(out, " (%s)", strsignal((int)status - 128));
	out_text(out, "\n");
}

static void put_usage(struct out *out, const struct accounting_record *record)
{
	const double *n = record->numbers;

	out_put(out, "%-13s%.0fs\n", "ru_wallclock", n[RU_WALLCLOCK]);
	put_seconds(out, "ru_utime", n[RU_UTIME]);
	put_seconds(out, "ru_stime", n[RU_STIME]);
	for (enum accounting_field f = RU_MAXRSS; f <= RU_ISRSS; f++)
		put_bytes(out, accounting_field_name(f), trunc(n[f]), "");
	for (enum accounting_field f = RU_MINFLT; f <= RU_NIVCSW; f++)
		put_count(out, accounting_field_name(f), n[f]);
	put_seconds(out, "cpu", n[CPU]);
	put_bytes(out, "mem", n[MEM] * 0x1p30, "s");
	put_bytes(out, "io", n[IO] * 0x1p30, "");
	put_seconds(out, "iow", n[IOW]);
	put_bytes(out, "maxvmem", n[MAXVMEM], "");
}

void acct_block(struct out *out, const struct accounting_record *record, bool limit)
{
	static const struct { const char *label; enum accounting_field field;
	} names[] = {
		{ "qname", QNAME },
		{ "hostname", HOSTNAME },
		{ "group", GROUP },
		{ "owner", OWNER },
		{ "project", PROJECT },
		{ "department", DEPARTMENT },
		{ "jobname", ACCOUNTED_NAME },
	};
	const double *n = record->numbers;

	out_text(out, "==============================================================\n");
	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		put_padded(out, names[k].label, accounting_text(record, names[k].field));
	put_count(out, "jobnumber", n[ACCOUNTED_NUMBER]);
	put_id(out, "taskid", n[TASK_NUMBER]);
	put_padded(out, "account", accounting_text(record, ACCOUNT));
	put_count(out, "priority", n[PRIORITY]);
	put_time(out, "qsub_time", n[SUBMISSION_TIME], NULL);
	put_time(out, "start_time", n[START_TIME], "-/-");
	put_time(out, "end_time", n[END_TIME], "-/-");
	put_padded(out, "granted_pe", accounting_text(record, GRANTED_PE));
	put_count(out, "slots", n[SLOTS]);
	put_end(out, record, limit);
	put_usage(out, record);
	put_id(out, "arid", n[ARID]);
	put_time(out, "ar_sub_time", n[AR_SUBMISSION_TIME], "undefined");
	put_text(out, "category", accounting_text(record, CATEGORY));
}

void acct_record_json(struct out *out, const struct accounting_record *record)
{
	for (enum accounting_field f = 0; f < ACCOUNTING_FIELDS; f++) {
		json_write_literal(out, f ? ",\"" : "{\"");
		json_write_literal(out, accounting_field_name(f));
		if (!accounting_field_is_text(f))
			json_write_exact(out, "\":", record->numbers[f]);
		else if (strcmp(accounting_text(record, f), "NONE") == 0)
			json_write_literal(out, "\":null");
		else
			json_write_string(out, "\":", accounting_text(record, f));
	}
	json_write_literal(out, "}");
}
