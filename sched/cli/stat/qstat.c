/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Print a job like qstat -j of Grid Engine 8.1.9: a line for each value that is set, in its order
 * and its words. Programs that read qstat's output line by line can read this output.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/number.h"
#include "sched/cli/cluster/cluster.h"
#include "sched/cli/stat/stat.h"

#define SUCCESSORS_SHOWN 1000u
#define SLOTS_NO_END "9999999"		/* upper end of an open range of slots */

struct printing {
	const struct fl_view *view;
	struct out *out;
	struct job_listing *listing;
	const struct fl_job *job;	/* first row of the job */
	bool described;			/* false: the scheduler has not answered */
	/* empty unless the scheduler has answered */
	const struct job_description *description;
	const struct cell *cell;	/* NULL: not readable */
};

static void line_number(struct printing *printing, const char *label, long long value)
{
	stat_label(printing->out, label);
	out_put(printing->out, "%lld\n", value);
}

static void line_time(struct printing *printing, const char *label, int64_t time)
{
	time_t seconds = (time_t)time;
	struct tm parts;
	char text[64];

	if (!time || !localtime_r(&seconds, &parts))
		return;
	snprintf(text, sizeof(text), "%.3s %.3s %2d %02d:%02d:%02d %d", &"SunMonTueWedThuFriSat"[3 * parts.tm_wday],
		 &"JanFebMarAprMayJunJulAugSepOctNovDec"[3 * parts.tm_mon], parts.tm_mday, parts.tm_hour, parts.tm_min,
		 parts.tm_sec, parts.tm_year + 1900);
	detail_line(printing->out, label, text);
}

/* Submission */

static void put_origin(struct printing *printing)
{
	static const char *const names[][2] = {
		{ "sge_o_home", "SGE_O_HOME" }, { "sge_o_log_name", "SGE_O_LOGNAME" },
		{ "sge_o_path", "SGE_O_PATH" }, { "sge_o_shell", "SGE_O_SHELL" },
		{ "sge_o_tz", "SGE_O_TZ" },	{ "sge_o_workdir", "SGE_O_WORKDIR" },
		{ "sge_o_host", "SGE_O_HOST" },
	};

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		detail_line(printing->out, names[k][0], description_variable(printing->description, names[k][1]));
}

static void put_submission(struct printing *printing)
{
	struct fl_request request = { .group = "" };
	char text[32];

	line_number(printing, "job_number", printing->job->job_number);
	snprintf(text, sizeof(text), "job_scripts/%u", printing->job->job_number);
	detail_line(printing->out, "exec_file", text);
	line_time(printing, "submission_time", printing->job->submission_time);
	line_time(printing, "deadline", printing->job->deadline);
	detail_line(printing->out, "owner", printing->job->owner);
	if (printing->described)
		line_number(printing, "uid", printing->description->uid);
	if (!printing->described)
		(void)fl_request(printing->view, printing->job->job_number, &request);
	detail_line(printing->out, "group",
		    printing->described ? printing->description->group : request.group);
	if (printing->described)
		line_number(printing, "gid", printing->description->gid);
	put_origin(printing);
}

/* Print "NONE:NONE:PATH". Grid Engine puts two fields for file staging in front of the path. */
static void put_path(struct printing *printing, const char *label, const char *path)
{
	if (!path)
		return;
	stat_label(printing->out, label);
	out_text(printing->out, "NONE:NONE:");
	text_plain(printing->out, path);
	out_text(printing->out, "\n");
}

/* Print resources by their full names. Times are in seconds, as Grid Engine stores them. */
static void put_resources(struct printing *printing, const char *label, const char *list)
{
	char *copy = *list ? strdup(list) : NULL, *rest = copy, *name;
	const char *between = "";

	if (copy)
		stat_label(printing->out, label);
	while ((name = strsep(&rest, ",")) != NULL) {
		char *value = strchr(name, '=');
		const struct complex *complex;
		double seconds;

		if (value)
			*value++ = '\0';
		complex = printing->cell ? cell_complex(printing->cell, name) : NULL;
		out_text(printing->out, between);
		text_plain(printing->out, complex ? complex->name : name);
		out_text(printing->out, "=");
		if (value && complex && complex->type == TYPE_TIME && number_parse(value, &seconds) == 0 &&
		    isfinite(seconds) && fabs(seconds) < 1e15)
			out_put(printing->out, "%.0f", seconds);
		else
			text_plain(printing->out, value ? value : "TRUE");
		between = ",";
	}
	if (copy)
		out_text(printing->out, "\n");
	free(copy);
}

/* Print the letters in the order a, b, e, s, regardless of the submitted order. */
static void put_mail(struct printing *printing)
{
	const struct job_description *description = printing->description;
	const char *typed = description->mail_options, *host = description_variable(description, "SGE_O_HOST");
	char letters[8] = "", *end = letters, machine[256] = "";

	for (const char *letter = "abes"; typed && *letter; letter++)
		if (strchr(typed, *letter))
			*end++ = *letter;
	*end = '\0';
	detail_line(printing->out, "mail_options", letters);
	if (description->mail_list.n > 0) {
		detail_words(printing->out, "mail_list", &description->mail_list, 0, ",");
		return;
	}
	if (!host && gethostname(machine, sizeof(machine) - 1) == 0)
		host = machine;
	stat_label(printing->out, "mail_list");
	text_plain(printing->out, printing->job->owner);
	out_text(printing->out, "@");
	text_plain(printing->out, host ? host : "");
	out_text(printing->out, "\n");
}

static void put_manner(struct printing *printing, const struct fl_request *request, const struct fl_detail *detail)
{
	const struct job_description *description = printing->description;
	const char *account = description->account;

	line_time(printing, "execution_time", printing->job->execution_time);
	account = account ? account : detail->account;
	detail_line(printing->out, "account", *account ? account : "sge");
	detail_line(printing->out, "checkpoint_object", request->checkpoint);
	detail_line(printing->out, "cwd", description->cwd);
	put_path(printing, "stderr_path_list", description->stderr_path);
	detail_line(printing->out, "reserve", detail->reserve ? "y" : "");
	detail_line(printing->out, "merge", description->join == DESCRIBED_YES ? "y" : "");
	put_resources(printing, "hard resource_list", printing->job->hard_resources);
	put_resources(printing, "soft resource_list", printing->job->soft_resources);
	put_mail(printing);
	detail_line(printing->out, "notify", description->notify == DESCRIBED_YES ? "TRUE" : "FALSE");
	detail_line(printing->out, "job_name", printing->job->name);
	put_path(printing, "stdout_path_list", description->stdout_path);
	put_path(printing, "stdin_path_list", description->stdin_path);
	if (printing->job->priority)
		line_number(printing, "priority", printing->job->priority);
	line_number(printing, "jobshare", printing->job->jobshare);
	detail_line(printing->out, "hard_queue_list", request->hard_queues);
	detail_line(printing->out, "soft_queue_list", request->soft_queues);
	if (description->rerun != DESCRIBED_UNSET)
		detail_line(printing->out, "restart", description->rerun == DESCRIBED_YES ? "y" : "n");
	if (description->shell && *description->shell == '/') {
		stat_label(printing->out, "shell_list");
		out_text(printing->out, "NONE:");
		text_plain(printing->out, description->shell);
		out_text(printing->out, "\n");
	} else {
		detail_line(printing->out, "shell_list", description->shell);
	}
}

/* Command */

/*
 * Print the environment without the variables that have lines of their own. If the job has no TERM,
 * "TERM=NONE" comes first, as in Grid Engine.
 */
static void put_environment(struct printing *printing)
{
	const struct described_variables *variables = &printing->description->environment;
	const char *term = description_variable(printing->description, "TERM");

	if (!printing->description->has_environment)
		return;
	stat_label(printing->out, "env_list");
	out_text(printing->out, "TERM=");
	text_plain(printing->out, term ? term : "NONE");
	for (size_t i = 0; i < variables->n; i++) {
		const char *name = variables->items[i].name;

		if (!strcmp(name, "TERM") || !strncmp(name, "SGE_O_", 6))
			continue;
		out_text(printing->out, ",");
		text_plain(printing->out, name);
		out_text(printing->out, "=");
		text_plain(printing->out, variables->items[i].value);
	}
	out_text(printing->out, "\n");
}

/*
 * Print the range of slots as Grid Engine does. An open end is a large number, an open beginning is
 * 1.
 */
static void put_pe(struct printing *printing)
{
	const char *range = printing->job->pe_range;
	size_t length = strlen(range);

	if (!*printing->job->pe)
		return;
	out_text(printing->out, "parallel environment:  ");
	text_plain(printing->out, printing->job->pe);
	out_text(printing->out, *range == '-' ? " range: 1" : " range: ");
	text_plain(printing->out, range);
	out_text(printing->out, length && range[length - 1] == '-' ? SLOTS_NO_END "\n" : "\n");
}

static void put_command(struct printing *printing, const struct fl_request *request)
{
	const struct described_texts *command = &printing->description->command;

	put_environment(printing);
	detail_words(printing->out, "job_args", command, 1, ",");
	detail_line(printing->out, "master hard queue_list", request->master_queues);
	detail_line(printing->out, "script_file", command->n ? command->items[0] : NULL);
	put_pe(printing);
}

/* Dependencies */

static bool waits_by_task(const struct printing *printing, uint32_t successor)
{
	uint32_t number;

	for (size_t k = 0; fl_predecessor(printing->view, successor, true, k, &number) == 0; k++)
		if (number == printing->job->job_number)
			return true;
	return false;
}

static void put_successors(struct printing *printing, const char *label, const uint32_t *numbers, size_t n,
			   bool by_task)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (waits_by_task(printing, numbers[i]) != by_task)
			continue;
		if (!any)
			stat_label(printing->out, label);
		out_put(printing->out, "%s%u", any ? ", " : "", numbers[i]);
		any = true;
	}
	out_text(printing->out, any ? "\n" : "");
}

static void put_dependencies(struct printing *printing)
{
	static uint32_t numbers[SUCCESSORS_SHOWN];
	size_t n = fl_successors(printing->view, printing->job->job_number, numbers, SUCCESSORS_SHOWN);

	n = n < SUCCESSORS_SHOWN ? n : SUCCESSORS_SHOWN;
	detail_jobs(printing->out, "jid_predecessor_list (req)", &printing->description->hold_jid);
	detail_predecessors(printing->view, printing->out, printing->job->job_number, false);
	put_successors(printing, "jid_successor_list", numbers, n, false);
	detail_predecessors(printing->view, printing->out, printing->job->job_number, true);
	put_successors(printing, "ja_ad_successor_list", numbers, n, true);
}

/* Array, context, type */

/* Print task ids as Grid Engine does: "1-3" as "1-3:1", "5" as "5-5:1". */
static void put_tasks(struct printing *printing)
{
	const char *tasks = printing->description->tasks;

	if (!printing->job->is_array || !tasks)
		return;
	stat_label(printing->out, "job-array tasks");
	text_plain(printing->out, tasks);
	if (!strchr(tasks, '-')) {
		out_text(printing->out, "-");
		text_plain(printing->out, tasks);
	}
	out_text(printing->out, strchr(tasks, ':') ? "\n" : ":1\n");
}

static void put_context(struct printing *printing)
{
	const struct described_variables *context = &printing->description->context;

	if (context->n == 0)
		return;
	stat_label(printing->out, "context");
	for (size_t i = 0; i < context->n; i++) {
		out_text(printing->out, i ? "," : "");
		text_plain(printing->out, context->items[i].name);
		out_text(printing->out, "=");
		text_plain(printing->out, context->items[i].value);
	}
	out_text(printing->out, "\n");
}

static void put_kind(struct printing *printing, const struct fl_detail *detail)
{
	detail_line(printing->out, "project", printing->job->project);
	if (printing->job->ar)
		line_number(printing, "ar_id", printing->job->ar);
	put_tasks(printing);
	if (detail->task_concurrency)
		line_number(printing, "maximum concurrency", detail->task_concurrency);
	put_context(printing);
	detail_line(printing->out, "binding", "NONE");
	if (printing->described)
		detail_line(printing->out, "job_type",
			    printing->description->is_script   ? "NONE"
			    : printing->description->use_shell ? "binary"
							       : "binary,noshell");
}

static void put_job(struct printing *printing)
{
	struct fl_request request = {
		.hard_queues = "", .soft_queues = "", .master_queues = "", .checkpoint = "", .group = ""
	};
	struct fl_detail detail = { .account = "" };

	(void)fl_request(printing->view, printing->job->job_number, &request);
	(void)fl_detail(printing->view, printing->job->job_number, &detail);
	out_text(printing->out, "==============================================================\n");
	put_submission(printing);
	put_manner(printing, &request, &detail);
	put_command(printing, &request);
	put_dependencies(printing);
	put_kind(printing, &detail);
}

static int print_jobs(const struct fl_view *view, struct out *out, struct job_listing *listing, const struct cell *cell)
{
	static const struct job_description unknown = { .job_number = 0 };
	struct fl_job job;

	for (size_t i = 0; i < listing->njobs && !out->error; i++) {
		struct wanted_job *wanted = &listing->jobs[i];
		const struct job_description *d = description_of(&listing->descriptions, wanted->number);

		wanted->found = fl_find(view, wanted->number, 0, &job) == 0;
		if (!wanted->found)
			continue;
		put_job(&(struct printing){ .view = view,
					    .out = out,
					    .listing = listing,
					    .job = &job,
					    .description = d ? d : &unknown,
					    .described = d != NULL,
					    .cell = cell });
		tasks_qstat(view, out, listing, wanted->number);
	}
	return EXIT_OK;
}

int stat_qstat(const struct fl_view *view, struct out *out, void *context)
{
	struct cluster_cell cell = { .loaded = false };
	int rc = cluster_cell_load(&cell, view), code;

	code = rc == -ENOMEM ? EXIT_NO_DATA : print_jobs(view, out, context, rc ? NULL : &cell.cell);
	cluster_cell_free(&cell);
	return code;
}
