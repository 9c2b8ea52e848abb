/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage of a job that has ended, with the names of Grid Engine's DRMAA. A job that could not be
 * started has only the first ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/drmaa/inside.h"

#define FIELD_FAILED 11
#define FIELD_EXIT 12
#define NO_FIELD -1		/* the value is 0 after the end */
#define SIGNAL_FIELD -2		/* value derived from the exit status */
/* number of consumed values, which are 0 for a job that was not started */
#define CONSUMED 6
#define BEFORE_START 8		/* number of values of a job that was not started */

static const struct {
	const char *name;
	int field;		/* field of accounting(5), from 0 */
} usage[] = {
	{ "io", 38 }, { "iow", 40 }, { "mem", 37 }, { "cpu", 36 }, { "vmem", NO_FIELD }, { "maxvmem", 42 },
	{ "submission_time", 8 }, { "priority", 7 }, { "exit_status", FIELD_EXIT }, { "signal", SIGNAL_FIELD },
	{ "start_time", 9 }, { "end_time", 10 }, { "ru_wallclock", 13 }, { "ru_utime", 14 }, { "ru_stime", 15 },
	{ "ru_maxrss", 16 }, { "ru_ixrss", 17 }, { "ru_ismrss", 18 }, { "ru_idrss", 19 }, { "ru_isrss", 20 },
	{ "ru_minflt", 21 }, { "ru_majflt", 22 }, { "ru_nswap", 23 }, { "ru_inblock", 24 }, { "ru_oublock", 25 },
	{ "ru_msgsnd", 26 }, { "ru_msgrcv", 27 }, { "ru_nsignals", 28 }, { "ru_nvcsw", 29 }, { "ru_nivcsw", 30 },
	{ "acct_cpu", 36 }, { "acct_mem", 37 }, { "acct_io", 38 }, { "acct_iow", 40 }, { "acct_maxvmem", 42 },
};

static double number_of(const char *line, int field)
{
	for (; line && field > 0; field--) {
		line = strchr(line, ':');
		line += line != NULL;
	}
	return line && field == 0 ? strtod(line, NULL) : 0;
}

static double signal_of(const char *line)
{
	double status = number_of(line, FIELD_EXIT);

	return stat_of((long)number_of(line, FIELD_FAILED), (long)status) & STAT_SIGNALED ? status - 128 : 0;
}

static int usage_add(struct word_list *list, const char *line, size_t k, bool started)
{
	double value = usage[k].field == SIGNAL_FIELD ? signal_of(line) : number_of(line, usage[k].field);
	char text[128];

	snprintf(text, sizeof(text), "%s=%.4f", usage[k].name, started || k >= CONSUMED ? value : 0);
	return word_add(list, text);
}

drmaa_attr_values_t *usage_make(const char *line)
{
	drmaa_attr_values_t *values = calloc(1, sizeof(*values));
	bool started = !failed_before_start((long)number_of(line, FIELD_FAILED));
	size_t n = started ? sizeof(usage) / sizeof(*usage) : BEFORE_START;

	for (size_t k = 0; values && k < n; k++)
		if (usage_add(&values->list, line, k, started)) {
			drmaa_release_attr_values(values);
			values = NULL;
		}
	return values;
}
