/* SPDX-License-Identifier: Apache-2.0 */
/* A task that has ended, in the lines of qacct -j. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "conf/number.h"
#include "sched/cli/acct.h"
#include "sched/cli/text.h"
#include "sched/process/json.h"

#define VALUE_COLUMNS 20u	/* of most values */
#define FAILED_BY_LIMIT 37
#define LIMIT_TEXT_BYTES (ACCOUNTING_VALUE_BYTES + 16)

/* as sge_status(5) counts them; by number */
static const char *const failures[] = {
	"", "assumedly before job", "on executing shepherd", "before writing config", "before writing pid", "on reading config file",
	"setting processor set", "before prolog", "in prolog", "before pestart", "in pestart", "before job", "before pestop", "in pestop",
	"before epilog", "in epilog", "releasing processor set", "through signal", "shepherd returned error", "before writing exit_status",
	"found unexpected error file", "in recognizing job", "removed manually", "invalid execution state", "migrating", "rescheduling",
	"opening input/output file", "searching requested shell", "changing into working directory", "AFS setup", "application error returned",
	"accessing sgepasswd file", "entry is missing in sgepasswd file", "wrong password", "communicating with Grid Engine Helper Service",
	"before job in Grid Engine Helper Service", "checking configured daemons", "qmaster enforced h_rt, h_cpu, or h_vmem limit",
	"adding supplementary group",
};

const char *acct_failed_text(int failed)
{
	if (failed == 100)
		return "assumedly after job";
	return failed >= 0 && (size_t)failed < sizeof(failures) / sizeof(*failures) ? failures[failed] : "invalid execution state";
}

/*
 * Write the request whose limit has ended a task with `failed` 37, " (h_rt=3)". The accounting does
 * not say it: it is a limit that the task has used up. "": none of its requests is, so it was a
 * limit of its queue.
 */
static void limit_text(const struct accounting_record *r, char *text, size_t size)
{
	const struct {
		const char *name;
		double used;
	} limits[] = { { "h_rt", r->numbers[RU_WALLCLOCK] }, { "h_cpu", r->numbers[CPU] / fmax(r->numbers[SLOTS], 1) } };
	const char *hard = r->numbers[FAILED] == FAILED_BY_LIMIT ? accounting_hard(accounting_text(r, CATEGORY)) : NULL;
	char value[ACCOUNTING_VALUE_BYTES];
	double limit;

	*text = '\0';
	for (size_t k = 0; hard && !*text && k < sizeof(limits) / sizeof(*limits); k++)
		if (accounting_request(hard, limits[k].name, value) && number_parse(value, &limit) == 0 && limits[k].used >= limit - 1)
			snprintf(text, size, " (%s=%s)", limits[k].name, value);
}

static void put_padded(struct out *o, const char *label, const char *value)
{
	size_t n = strlen(value);

	out_put(o, "%-13s", label);
	text_plain(o, value);
	out_put(o, "%*s\n", n < VALUE_COLUMNS ? (int)(VALUE_COLUMNS - n) : 0, "");
}

static void put_text(struct out *o, const char *label, const char *value)
{
	out_put(o, "%-13s", label);
	text_plain(o, value);
	out_text(o, "\n");
}

static void put_count(struct out *o, const char *label, double value)
{
	out_put(o, "%-13s%-20.0f\n", label, value);
}

static void put_id(struct out *o, const char *label, double value)
{
	if (value > 0)
		put_count(o, label, value);
	else
		put_text(o, label, "undefined");
}

/* As ctime(3) writes it. */
static void put_time(struct out *o, const char *label, double value, const char *none)
{
	time_t time = value > 0 && value < 1e14 ? (time_t)value : 0;
	char text[64] = "NA";
	struct tm tm;

	if (time == 0 && none)
		return put_text(o, label, none);
	if (localtime_r(&time, &tm) && tm.tm_year < 8100)
		strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm);
	put_text(o, label, text);
}

static void put_seconds(struct out *o, const char *label, double value)
{
	out_put(o, "%-13s%.3fs\n", label, value);
}

/* A number of bytes, or of bytes times `unit`, in the largest unit of which there is one. */
static void put_bytes(struct out *o, const char *label, double value, const char *unit)
{
	static const char *const prefixes[] = { "", "K", "M", "G", "T" };
	size_t k = 0;

	for (; k < 4 && fabs(value) >= 1024; k++)
		value /= 1024;
	out_put(o, "%-13s%.3f%sB%s\n", label, value, prefixes[k], unit);
}

static void put_end(struct out *o, const struct accounting_record *r, bool limit)
{
	double failed = fmin(fmax(r->numbers[FAILED], -1), 1e6), status = r->numbers[EXIT_STATUS];
	const char *why = acct_failed_text((int)failed);
	char text[LIMIT_TEXT_BYTES] = "";

	if (limit)
		limit_text(r, text, sizeof(text));
	out_put(o, "%-13s%-3.0f %s%s", "failed", failed, *why ? ": " : " ", why);
	text_plain(o, text);
	out_text(o, "\n");
	out_put(o, "%-13s%-20.0f", "exit_status", status);
	if (status >= 128 && status < 1e6)
		out_put(o, " (%s)", strsignal((int)status - 128));
	out_text(o, "\n");
}

static void put_usage(struct out *o, const struct accounting_record *r)
{
	const double *n = r->numbers;

	out_put(o, "%-13s%.0fs\n", "ru_wallclock", n[RU_WALLCLOCK]);
	put_seconds(o, "ru_utime", n[RU_UTIME]);
	put_seconds(o, "ru_stime", n[RU_STIME]);
	for (enum accounting_field f = RU_MAXRSS; f <= RU_ISRSS; f++)
		put_bytes(o, accounting_field_name(f), trunc(n[f]), "");
	for (enum accounting_field f = RU_MINFLT; f <= RU_NIVCSW; f++)
		put_count(o, accounting_field_name(f), n[f]);
	put_seconds(o, "cpu", n[CPU]);
	put_bytes(o, "mem", n[MEM] * 0x1p30, "s");
	put_bytes(o, "io", n[IO] * 0x1p30, "");
	put_seconds(o, "iow", n[IOW]);
	put_bytes(o, "maxvmem", n[MAXVMEM], "");
}

void acct_block(struct out *o, const struct accounting_record *r, bool limit)
{
	static const struct { const char *label; enum accounting_field field; } names[] = {
		{ "qname", QNAME }, { "hostname", HOSTNAME }, { "group", GROUP }, { "owner", OWNER }, { "project", PROJECT },
		{ "department", DEPARTMENT }, { "jobname", ACCOUNTED_NAME },
	};
	const double *n = r->numbers;

	out_text(o, "==============================================================\n");
	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		put_padded(o, names[k].label, accounting_text(r, names[k].field));
	put_count(o, "jobnumber", n[ACCOUNTED_NUMBER]);
	put_id(o, "taskid", n[TASK_NUMBER]);
	put_padded(o, "account", accounting_text(r, ACCOUNT));
	put_count(o, "priority", n[PRIORITY]);
	put_time(o, "qsub_time", n[SUBMISSION_TIME], NULL);
	put_time(o, "start_time", n[START_TIME], "-/-");
	put_time(o, "end_time", n[END_TIME], "-/-");
	put_padded(o, "granted_pe", accounting_text(r, GRANTED_PE));
	put_count(o, "slots", n[SLOTS]);
	put_end(o, r, limit);
	put_usage(o, r);
	put_id(o, "arid", n[ARID]);
	put_time(o, "ar_sub_time", n[AR_SUBMISSION_TIME], "undefined");
	put_text(o, "category", accounting_text(r, CATEGORY));
}

void acct_record_json(struct out *o, const struct accounting_record *r)
{
	for (enum accounting_field f = 0; f < ACCOUNTING_FIELDS; f++) {
		json_write_literal(o, f ? ",\"" : "{\"");
		json_write_literal(o, accounting_field_name(f));
		if (!accounting_field_is_text(f))
			json_write_exact(o, "\":", r->numbers[f]);
		else if (strcmp(accounting_text(r, f), "NONE") == 0)
			json_write_literal(o, "\":null");
		else
			json_write_string(o, "\":", accounting_text(r, f));
	}
	json_write_literal(o, "}");
}
