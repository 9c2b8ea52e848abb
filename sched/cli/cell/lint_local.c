/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/cell/lint_local.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "conf/execd_params.h"
#include "conf/lists.h"
#include "sched/process/signal_name.h"

#define PATH_BYTES 4096

/* Attributes with the name of a program to call. NONE: no program. */
static const char *const called[] = {
	"prolog", "epilog", "starter_method", "suspend_method", "resume_method", "load_sensor", "set_token_cmd", "pag_cmd", "shepherd_cmd", "jsv_url",
};

static bool is_said(const char *text)
{
	return text && *text && strcasecmp(text, "NONE") != 0;
}

static bool is_called(const char *name)
{
	for (size_t i = 0; i < sizeof(called) / sizeof(*called); i++)
		if (strcmp(called[i], name) == 0)
			return true;
	return false;
}

static bool is_limit_of_rss(const char *name)
{
	return strcmp(name, "s_rss") == 0 || strcmp(name, "h_rss") == 0;
}

/* Report a value of a queue attribute that has no effect. */
static void value_check(struct report *report, const char *path, const struct queue_value *value, const char *text)
{
	if (is_called(value->name) && is_said(text))
		report_add(report, WARNING, path, value->line,
			   "%s \"%.100s\" is not called in a local cell (fairlead-schedd --local)", value->name, text);
	else if (strcmp(value->name, "terminate_method") == 0 && is_said(text) && signal_number(text) == 0)
		report_add(
			report, WARNING, path, value->line,
			"terminate_method \"%.100s\" is not a signal; a local cell calls no method and sends SIGKILL",
			text);
	else if (is_limit_of_rss(value->name) && is_said(text) && strcasecmp(text, "INFINITY") != 0)
		report_add(
			report, WARNING, path, value->line,
			"%s has no effect in a local cell: Linux does not limit resident memory; h_vmem limits "
			"the address space",
			value->name);
}

static void queue_check(const struct cell *cell, const struct queue *queue, struct report *report)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s/queue/%s", cell->dir, queue->name);
	for (size_t i = 0; i < queue->nvalues; i++) {
		const struct queue_value *value = &queue->values[i];

		value_check(report, path, value, value->value);
		for (size_t k = 0; k < value->noverrides; k++)
			value_check(report, path, value, value->overrides[k].value);
	}
}

/* Report a parameter of execd_params without effect, or with a value that is no signal. */
static void param_check(const struct execd_param *param, const char *path, struct report *report)
{
	bool notifies = strcasecmp(param->name, "NOTIFY_KILL") == 0 || strcasecmp(param->name, "NOTIFY_SUSP") == 0;

	if (notifies && strcasecmp(param->value, "none") != 0 && !signal_number(param->value))
		report_add(report, WARNING, path, 0,
			   "execd_params: %s=%s has no effect: a signal such as TERM, or none, is expected",
			   param->name, param->value);
	if (!notifies && strcasecmp(param->name, "ACCT_RESERVED_USAGE") != 0 &&
	    strcasecmp(param->name, "SHARETREE_RESERVED_USAGE") != 0)
		report_add(report, WARNING, path, 0,
			   "execd_params: %s%s%s has no effect in a local cell (fairlead-schedd --local)", param->name,
			   *param->value ? "=" : "", param->value);
}

static void params_check(const struct cell *cell, const char *path, struct report *report)
{
	struct execd_param param;
	const char *at = NULL;

	while (execd_param_next(cell, &at, &param))
		param_check(&param, path, report);
}

static void pe_check(const struct cell *cell, const struct pe *pe, struct report *report)
{
	const struct {
		const char *name, *text;
	} programs[] = { { "start_proc_args", pe->start_proc_args }, { "stop_proc_args", pe->stop_proc_args } };
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s/pe/%s", cell->dir, pe->name);
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (is_said(programs[i].text))
			report_add(report, WARNING, path, 0,
				   "%s \"%.100s\" is not called in a local cell (fairlead-schedd --local)",
				   programs[i].name, programs[i].text);
}

void lint_local(const struct cell *cell, struct report *report)
{
	char path[PATH_BYTES];

	for (size_t i = 0; i < cell->npes; i++)
		pe_check(cell, &cell->pes[i], report);

	for (size_t i = 0; i < cell->nqueues; i++)
		queue_check(cell, &cell->queues[i], report);
	snprintf(path, sizeof(path), "%s/global_conf", cell->dir);
	for (size_t i = 0; i < sizeof(called) / sizeof(*called); i++) {
		const struct pair *pair = pairs_find(&cell->global.typed, called[i]);

		if (pair && is_said(pair->text))
			report_add(report, WARNING, path, 0,
				   "%s \"%.100s\" is not called in a local cell (fairlead-schedd --local)", called[i],
				   pair->text);
	}
	params_check(cell, path, report);
}
