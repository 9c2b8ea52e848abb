/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Print a job as qstat -j of Grid Engine 8.1.9 does: a line for each thing that is set, in its
 * order and its words, so that programs which read that output line by line can read ours.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conf/number.h"
#include "sched/cli/cluster.h"
#include "sched/cli/stat.h"

#define SUCCESSORS_SHOWN 1000u
#define SLOTS_NO_END "9999999"		/* upper end of a range of slots that has none */

struct printing {
	const struct fl_view *view;
	struct out *out;
	struct stat *stat;
	const struct fl_job *job;	/* first row of the job */
	const json_t *description, *request, *execution;	/* NULL: the scheduler has not answered */
	const json_t *environment;
	const struct cell *cell;	/* NULL: not readable */
};

static const char *member(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

static void line_number(struct printing *p, const char *label, long long value)
{
	stat_label(p->out, label);
	out_put(p->out, "%lld\n", value);
}

static void line_time(struct printing *p, const char *label, int64_t time)
{
	time_t seconds = (time_t)time;
	struct tm parts;
	char text[64];

	if (!time || !localtime_r(&seconds, &parts))
		return;
	snprintf(text, sizeof(text), "%.3s %.3s %2d %02d:%02d:%02d %d", &"SunMonTueWedThuFriSat"[3 * parts.tm_wday],
		 &"JanFebMarAprMayJunJulAugSepOctNovDec"[3 * parts.tm_mon], parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
		 parts.tm_year + 1900);
	detail_line(p->out, label, text);
}

/* Submission */

static void put_origin(struct printing *p)
{
	static const char *const names[][2] = {
		{ "sge_o_home", "SGE_O_HOME" }, { "sge_o_log_name", "SGE_O_LOGNAME" }, { "sge_o_path", "SGE_O_PATH" }, { "sge_o_shell", "SGE_O_SHELL" },
		{ "sge_o_tz", "SGE_O_TZ" }, { "sge_o_workdir", "SGE_O_WORKDIR" }, { "sge_o_host", "SGE_O_HOST" },
	};

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		detail_line(p->out, names[k][0], member(p->environment, names[k][1]));
}

static void put_submission(struct printing *p)
{
	struct fl_request request = { .group = "" };
	char text[32];

	line_number(p, "job_number", p->job->job_number);
	snprintf(text, sizeof(text), "job_scripts/%u", p->job->job_number);
	detail_line(p->out, "exec_file", text);
	line_time(p, "submission_time", p->job->submission_time);
	line_time(p, "deadline", p->job->deadline);
	detail_line(p->out, "owner", p->job->owner);
	if (p->description)
		line_number(p, "uid", json_integer_value(json_object_get(p->description, "uid")));
	if (!p->description)
		(void)fl_request(p->view, p->job->job_number, &request);
	detail_line(p->out, "group", p->description ? member(p->description, "group") : request.group);
	if (p->description)
		line_number(p, "gid", json_integer_value(json_object_get(p->description, "gid")));
	put_origin(p);
}

/* "NONE:NONE:PATH": the host and the file of the host that Grid Engine has in front. */
static void put_path(struct printing *p, const char *name)
{
	const char *path = member(p->execution, name);
	char label[32];

	if (!path)
		return;
	snprintf(label, sizeof(label), "%s_list", name);
	stat_label(p->out, label);
	out_text(p->out, "NONE:NONE:");
	text_plain(p->out, path);
	out_text(p->out, "\n");
}

/* Resources by their full names; times in seconds, as Grid Engine keeps them. */
static void put_resources(struct printing *p, const char *label, const char *list)
{
	char *copy = *list ? strdup(list) : NULL, *rest = copy, *name;
	const char *between = "";

	if (copy)
		stat_label(p->out, label);
	while ((name = strsep(&rest, ",")) != NULL) {
		char *value = strchr(name, '=');
		const struct complex *complex;
		double seconds;

		if (value)
			*value++ = '\0';
		complex = p->cell ? cell_complex(p->cell, name) : NULL;
		out_text(p->out, between);
		text_plain(p->out, complex ? complex->name : name);
		out_text(p->out, "=");
		if (value && complex && complex->type == TYPE_TIME && number_parse(value, &seconds) == 0 && isfinite(seconds) && fabs(seconds) < 1e15)
			out_put(p->out, "%.0f", seconds);
		else
			text_plain(p->out, value ? value : "TRUE");
		between = ",";
	}
	if (copy)
		out_text(p->out, "\n");
	free(copy);
}

/* In the order a, b, e, s, whatever was typed. */
static void put_mail(struct printing *p)
{
	const json_t *list = json_object_get(p->execution, "mail_list");
	const char *typed = member(p->execution, "mail_options"), *host = member(p->environment, "SGE_O_HOST");
	char letters[8] = "", *end = letters, machine[256] = "";

	for (const char *letter = "abes"; typed && *letter; letter++)
		if (strchr(typed, *letter))
			*end++ = *letter;
	*end = '\0';
	detail_line(p->out, "mail_options", letters);
	if (json_array_size(list) > 0) {
		detail_words(p->out, "mail_list", list, 0, ",");
		return;
	}
	if (!host && gethostname(machine, sizeof(machine) - 1) == 0)
		host = machine;
	stat_label(p->out, "mail_list");
	text_plain(p->out, p->job->owner);
	out_text(p->out, "@");
	text_plain(p->out, host ? host : "");
	out_text(p->out, "\n");
}

static void put_manner(struct printing *p, const struct fl_request *request, const struct fl_detail *detail)
{
	const json_t *x = p->execution;
	const char *account = member(p->request, "account");

	line_time(p, "execution_time", p->job->execution_time);
	account = account ? account : detail->account;
	detail_line(p->out, "account", *account ? account : "sge");
	detail_line(p->out, "checkpoint_object", request->checkpoint);
	detail_line(p->out, "cwd", member(x, "cwd"));
	put_path(p, "stderr_path");
	detail_line(p->out, "reserve", detail->reserve ? "y" : "");
	detail_line(p->out, "merge", json_is_true(json_object_get(x, "join")) ? "y" : "");
	put_resources(p, "hard resource_list", p->job->hard_resources);
	put_resources(p, "soft resource_list", p->job->soft_resources);
	put_mail(p);
	detail_line(p->out, "notify", json_is_true(json_object_get(x, "notify")) ? "TRUE" : "FALSE");
	detail_line(p->out, "job_name", p->job->name);
	put_path(p, "stdout_path");
	put_path(p, "stdin_path");
	if (p->job->priority)
		line_number(p, "priority", p->job->priority);
	line_number(p, "jobshare", p->job->jobshare);
	detail_line(p->out, "hard_queue_list", request->hard_queues);
	detail_line(p->out, "soft_queue_list", request->soft_queues);
	if (json_is_boolean(json_object_get(x, "rerun")))
		detail_line(p->out, "restart", json_is_true(json_object_get(x, "rerun")) ? "y" : "n");
	if (member(x, "shell") && strncmp(member(x, "shell"), "/", 1) == 0) {
		stat_label(p->out, "shell_list");
		out_text(p->out, "NONE:");
		text_plain(p->out, member(x, "shell"));
		out_text(p->out, "\n");
	} else {
		detail_line(p->out, "shell_list", member(x, "shell"));
	}
}

/* Command */

/* "TERM=NONE" first where the job has no TERM, as there; without the variables that are lines of their own. */
static void put_environment(struct printing *p)
{
	const char *name;
	json_t *value;

	if (!p->environment)
		return;
	stat_label(p->out, "env_list");
	out_text(p->out, "TERM=");
	text_plain(p->out, member(p->environment, "TERM") ? member(p->environment, "TERM") : "NONE");
	json_object_foreach((json_t *)p->environment, name, value) {
		if (!strcmp(name, "TERM") || !strncmp(name, "SGE_O_", 6))
			continue;
		out_text(p->out, ",");
		text_plain(p->out, name);
		out_text(p->out, "=");
		text_plain(p->out, json_string_value(value) ? json_string_value(value) : "");
	}
	out_text(p->out, "\n");
}

/* A range without an end has a large one there, and one without a beginning begins at 1. */
static void put_pe(struct printing *p)
{
	const char *range = p->job->pe_range;
	size_t length = strlen(range);

	if (!*p->job->pe)
		return;
	out_text(p->out, "parallel environment:  ");
	text_plain(p->out, p->job->pe);
	out_text(p->out, *range == '-' ? " range: 1" : " range: ");
	text_plain(p->out, range);
	out_text(p->out, length && range[length - 1] == '-' ? SLOTS_NO_END "\n" : "\n");
}

static void put_command(struct printing *p, const struct fl_request *request)
{
	const json_t *command = json_object_get(p->execution, "command");

	put_environment(p);
	detail_words(p->out, "job_args", command, 1, ",");
	detail_line(p->out, "master hard queue_list", request->master_queues);
	detail_line(p->out, "script_file", json_string_value(json_array_get(command, 0)));
	put_pe(p);
}

/* Dependencies */

static void put_asked(struct printing *p)
{
	const json_t *asked = json_object_get(p->request, "hold_jid"), *entry;
	size_t k;

	if (json_array_size(asked) > 0)
		stat_label(p->out, "jid_predecessor_list (req)");
	json_array_foreach(asked, k, entry)
		out_put(p->out, "%s%lld", k ? "," : "", (long long)json_integer_value(entry));
	out_text(p->out, json_array_size(asked) > 0 ? "\n" : "");
}

static bool waits_by_task(const struct printing *p, uint32_t successor)
{
	uint32_t number;

	for (size_t k = 0; fl_predecessor(p->view, successor, true, k, &number) == 0; k++)
		if (number == p->job->job_number)
			return true;
	return false;
}

static void put_successors(struct printing *p, const char *label, const uint32_t *numbers, size_t n, bool by_task)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (waits_by_task(p, numbers[i]) != by_task)
			continue;
		if (!any)
			stat_label(p->out, label);
		out_put(p->out, "%s%u", any ? ", " : "", numbers[i]);
		any = true;
	}
	out_text(p->out, any ? "\n" : "");
}

static void put_dependencies(struct printing *p)
{
	static uint32_t numbers[SUCCESSORS_SHOWN];
	size_t n = fl_successors(p->view, p->job->job_number, numbers, SUCCESSORS_SHOWN);

	n = n < SUCCESSORS_SHOWN ? n : SUCCESSORS_SHOWN;
	put_asked(p);
	detail_predecessors(p->view, p->out, p->job->job_number, false);
	put_successors(p, "jid_successor_list", numbers, n, false);
	detail_predecessors(p->view, p->out, p->job->job_number, true);
	put_successors(p, "ja_ad_successor_list", numbers, n, true);
}

/* Array, context, type */

/* "1-3" is "1-3:1" there, and "5" is "5-5:1". */
static void put_tasks(struct printing *p)
{
	const char *tasks = member(p->request, "tasks");

	if (!p->job->is_array || !tasks)
		return;
	stat_label(p->out, "job-array tasks");
	text_plain(p->out, tasks);
	if (!strchr(tasks, '-')) {
		out_text(p->out, "-");
		text_plain(p->out, tasks);
	}
	out_text(p->out, strchr(tasks, ':') ? "\n" : ":1\n");
}

static void put_context(struct printing *p)
{
	const json_t *context = json_object_get(p->execution, "context");
	const char *name, *between = "";
	json_t *value;

	if (!json_object_size(context))
		return;
	stat_label(p->out, "context");
	json_object_foreach((json_t *)context, name, value) {
		out_text(p->out, between);
		text_plain(p->out, name);
		out_text(p->out, "=");
		text_plain(p->out, json_string_value(value) ? json_string_value(value) : "");
		between = ",";
	}
	out_text(p->out, "\n");
}

static void put_kind(struct printing *p, const struct fl_detail *detail)
{
	bool is_script = json_object_get(p->execution, "script_bytes") != NULL;

	detail_line(p->out, "project", p->job->project);
	if (p->job->ar)
		line_number(p, "ar_id", p->job->ar);
	put_tasks(p);
	if (detail->task_concurrency)
		line_number(p, "maximum concurrency", detail->task_concurrency);
	put_context(p);
	detail_line(p->out, "binding", "NONE");
	if (p->execution)
		detail_line(p->out, "job_type", is_script ? "NONE" : json_is_true(json_object_get(p->execution, "use_shell")) ? "binary" : "binary,noshell");
}

static void put_job(struct printing *p)
{
	struct fl_request request = { .hard_queues = "", .soft_queues = "", .master_queues = "", .checkpoint = "", .group = "" };
	struct fl_detail detail = { .account = "" };

	(void)fl_request(p->view, p->job->job_number, &request);
	(void)fl_detail(p->view, p->job->job_number, &detail);
	out_text(p->out, "==============================================================\n");
	put_submission(p);
	put_manner(p, &request, &detail);
	put_command(p, &request);
	put_dependencies(p);
	put_kind(p, &detail);
}

static int print_jobs(const struct fl_view *view, struct out *o, struct stat *s, const struct cell *cell)
{
	struct fl_job job;

	for (size_t i = 0; i < s->njobs && !o->error; i++) {
		struct wanted_job *wanted = &s->jobs[i];
		const json_t *d = description_of(&s->descriptions, wanted->number);

		wanted->found = fl_find(view, wanted->number, 0, &job) == 0;
		if (!wanted->found)
			continue;
		put_job(&(struct printing){ .view = view, .out = o, .stat = s, .job = &job, .description = d, .request = json_object_get(d, "request"),
					    .execution = json_object_get(d, "execution"),
					    .environment = json_object_get(json_object_get(d, "execution"), "environment"), .cell = cell });
		tasks_qstat(view, o, s, wanted->number);
	}
	return EXIT_OK;
}

int stat_qstat(const struct fl_view *view, struct out *o, void *stat)
{
	struct cluster_cell cell = { .loaded = false };
	int rc = cluster_cell_load(&cell, view), code;

	code = rc == -ENOMEM ? EXIT_NO_DATA : print_jobs(view, o, stat, rc ? NULL : &cell.cell);
	cluster_cell_free(&cell);
	return code;
}
