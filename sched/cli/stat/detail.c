/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Details of a job for people: its submission in the words of qstat -j, and the usage of its tasks.
 * The submission is shown as far as it is published or described by the scheduler.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/stat/stat.h"
#include "sched/process/json.h"

#define NUMBERS_SHOWN 20u	/* predecessors or successors in one line */

void stat_label(struct out *out, const char *label)
{
	char *p = out_room(out, 128), *end = stpcpy(stpcpy(p, label), ":");

	out_take(out, text_pad(p, end, STAT_LABEL_BYTES));
}

void detail_line(struct out *out, const char *label, const char *text)
{
	if (!text || !*text)
		return;
	stat_label(out, label);
	text_plain(out, text);
	out_text(out, "\n");
}

static void put_flag(struct out *out, const char *label, enum described_flag flag)
{
	if (flag != DESCRIBED_UNSET)
		detail_line(out, label, flag == DESCRIBED_YES ? "TRUE" : "FALSE");
}

void detail_words(struct out *out, const char *label, const struct described_texts *words, size_t k,
		  const char *between)
{
	if (words->n <= k)
		return;
	stat_label(out, label);
	for (size_t first = k; k < words->n; k++) {
		out_text(out, k > first ? between : "");
		text_plain(out, words->items[k]);
	}
	out_text(out, "\n");
}

void detail_jobs(struct out *out, const char *label, const struct described_numbers *numbers)
{
	if (numbers->n > 0)
		stat_label(out, label);
	for (size_t k = 0; k < numbers->n; k++)
		out_put(out, "%s%lld", k ? "," : "", (long long)numbers->items[k]);
	out_text(out, numbers->n > 0 ? "\n" : "");
}

static int by_name(const void *a, const void *b)
{
	const struct described_variable *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Print "NAME=VALUE,...", sorted by name. */
static void put_variables(struct out *out, const char *label, const struct described_variables *variables)
{
	if (variables->n == 0)
		return;
	qsort(variables->items, variables->n, sizeof(*variables->items), by_name);
	stat_label(out, label);
	for (size_t i = 0; i < variables->n; i++) {
		out_text(out, i ? "," : "");
		text_plain(out, variables->items[i].name);
		out_text(out, "=");
		text_plain(out, variables->items[i].value);
	}
	out_text(out, "\n");
}

/* Lines from the scheduler's description */

static void put_who(struct out *out, const struct job_description *description)
{
	stat_label(out, "uid");
	out_put(out, "%lld\n", (long long)description->uid);
	detail_line(out, "group", description->group);
	stat_label(out, "gid");
	out_put(out, "%lld\n", (long long)description->gid);
	detail_line(out, "account", description->account ? description->account : "sge");
}

static void put_execution(struct out *out, const struct job_description *description)
{
	detail_line(out, "cwd", description->cwd);
	detail_line(out, "stdout_path_list", description->stdout_path);
	detail_line(out, "stderr_path_list", description->stderr_path);
	detail_line(out, "stdin_path_list", description->stdin_path);
	put_flag(out, "merge", description->join);
	detail_line(out, "mail_options", description->mail_options);
	detail_words(out, "mail_list", &description->mail_list, 0, ",");
	put_flag(out, "notify", description->notify);
	detail_jobs(out, "after_ok", &description->after_ok);
	put_flag(out, "restart", description->rerun);
	detail_line(out, "shell_list", description->shell);
	detail_line(out, "script_file", description->command.n ? description->command.items[0] : NULL);
	detail_words(out, "job_args", &description->command, 1, ",");
	put_variables(out, "context", &description->context);
	put_variables(out, "env_list", &description->environment);
	if (description->environment_hidden)
		detail_line(out, "env_list", "(for its owner and operators only)");
}

/* Lines from shared memory */

/* Print the jobs that still exist, the first NUMBERS_SHOWN of them. */
static void put_numbers(struct out *out, const char *label, const uint32_t *numbers, size_t n)
{
	if (n == 0)
		return;
	stat_label(out, label);
	for (size_t i = 0; i < n && i < NUMBERS_SHOWN; i++)
		out_put(out, "%s%u", i ? "," : "", numbers[i]);
	out_text(out, n > NUMBERS_SHOWN ? ",...\n" : "\n");
}

static size_t predecessors_find(const struct fl_view *view, uint32_t job_number, bool by_task,
				uint32_t numbers[NUMBERS_SHOWN])
{
	struct fl_job job;
	uint32_t number;
	size_t n = 0;

	for (size_t k = 0; k < 1000 && fl_predecessor(view, job_number, by_task, k, &number) == 0; k++) {
		if (fl_find(view, number, 0, &job))
			continue;
		if (n < NUMBERS_SHOWN)
			numbers[n] = number;
		n++;
	}
	return n;
}

void detail_predecessors(const struct fl_view *view, struct out *out, uint32_t job_number, bool by_task)
{
	uint32_t numbers[NUMBERS_SHOWN];

	put_numbers(out, by_task ? "ja_ad_predecessor_list" : "jid_predecessor_list", numbers,
		    predecessors_find(view, job_number, by_task, numbers));
}

static void put_dependencies(const struct fl_view *view, struct out *out, uint32_t job_number)
{
	uint32_t numbers[NUMBERS_SHOWN];

	detail_predecessors(view, out, job_number, false);
	detail_predecessors(view, out, job_number, true);
	put_numbers(out, "jid_successor_list", numbers, fl_successors(view, job_number, numbers, NUMBERS_SHOWN));
}

static const struct { enum fl_hold kind; const char *label; } holds[] = {
	{ FL_HOLD_USER, "user hold" }, { FL_HOLD_OPERATOR, "operator hold" }, { FL_HOLD_SYSTEM, "system hold" },
};

#define HOLDS_SHOWN (sizeof(holds) / sizeof(*holds))

static void put_holds(const struct fl_view *view, struct out *out, const struct fl_job *job)
{
	const struct fl_range *ids;
	size_t n;

	for (size_t k = 0; k < HOLDS_SHOWN; k++) {
		if (fl_held(view, job->job_number, holds[k].kind, &ids, &n))
			continue;
		stat_label(out, holds[k].label);
		if (job->is_array)
			text_ranges(out, ids, n);
		else
			out_text(out, "TRUE");
		out_text(out, "\n");
	}
}

static void put_wishes(const struct fl_view *view, struct out *out, uint32_t job_number)
{
	const char *most = fl_param(view, "max_reservation");
	struct fl_detail detail;
	struct fl_request request;
	char text[24];

	if (fl_request(view, job_number, &request) == 0) {
		detail_line(out, "hard_queue_list", request.hard_queues);
		detail_line(out, "soft_queue_list", request.soft_queues);
		detail_line(out, "master_queue_list", request.master_queues);
		detail_line(out, "checkpoint_object", request.checkpoint);
		detail_line(out, "now", request.now ? "TRUE" : "");
	}
	if (fl_detail(view, job_number, &detail))
		return;
	snprintf(text, sizeof(text), "%u", detail.task_concurrency);
	detail_line(out, "task_concurrency", detail.task_concurrency ? text : "");
	if (detail.reserve)
		detail_line(out, "reserve",
			    most && strcmp(most, "0") == 0
				    ? "y (max_reservation is 0: the scheduler makes no reservations)"
				    : "y");
}

void detail_print(const struct fl_view *view, struct out *out, struct job_listing *listing, const struct fl_job *job)
{
	const struct job_description *description = description_of(&listing->descriptions, job->job_number);
	struct fl_request request;

	if (description) {
		put_who(out, description);
		put_execution(out, description);
		detail_line(out, "job-array tasks", description->tasks);
	} else if (fl_request(view, job->job_number, &request) == 0) {
		detail_line(out, "group", request.group);
	}
	put_wishes(view, out, job->job_number);
	put_holds(view, out, job);
	put_dependencies(view, out, job->job_number);
}

/*
 * Print the position of a job among the jobs that could start, counted like fairlead explain does.
 * Reads all pending jobs.
 */
void detail_place(const struct fl_view *view, struct out *out, uint32_t job_number)
{
	uint64_t line = 0, place = 0;
	struct fl_job job;

	for (size_t k = 0, n = fl_count(view, FL_PENDING); k < n; k++) {
		if (fl_get(view, FL_PENDING, k, &job) || strpbrk(job.state, "hE"))
			continue;
		line++;
		if (job.job_number == job_number)
			place = line;
	}
	if (place == 0)
		return;
	stat_label(out, "place in line");
	out_put(out, "%llu of %llu\n", (unsigned long long)place, (unsigned long long)line);
}

/* Usage */

static void put_memory(char *text, size_t size, double value)
{
	static const char units[] = " KMGT";
	int k = 0;

	for (; k < 4 && fabs(value) >= 1024; k++)
		value /= 1024;
	snprintf(text, size, k ? "%.3f%c" : "%.3f", value, units[k]);
}

static void take_memory(struct memory_shown *memory, const char *name, double value)
{
	if (value <= 0)
		return;
	if (strcmp(name, "vmem") == 0)
		put_memory(memory->vmem, sizeof(memory->vmem), value);
	else if (strcmp(name, "maxvmem") == 0)
		put_memory(memory->maxvmem, sizeof(memory->maxvmem), value);
}

struct memory_shown detail_memory(const struct fl_view *view, const struct job_listing *listing,
				  const struct fl_job *job)
{
	const struct job_description *description = description_of(&listing->descriptions, job->job_number);
	struct memory_shown memory = { "N/A", "N/A" };
	struct fl_usage_value value;

	for (size_t i = 0; description && i < description->nmemory; i++)
		if (description->memory[i].task == job->task) {
			take_memory(&memory, "vmem", description->memory[i].vmem);
			take_memory(&memory, "maxvmem", description->memory[i].maxvmem);
		}
	for (size_t k = 0; fl_task_usage(view, job->job_number, job->task, k, &value) == 0; k++)
		take_memory(&memory, value.name, value.value);
	return memory;
}

/*
 * Print a line like qstat: "usage    1:   cpu=00:00:01, mem=0.00100 GBs, io=0.00000, vmem=1.5M,
 * maxvmem=2.0M"
 */
void detail_usage(const struct fl_view *view, struct out *out, struct job_listing *listing, const struct fl_job *job)
{
	struct memory_shown memory;
	char label[32], *duration = NULL;

	if (!job->has_usage)
		return;
	memory = detail_memory(view, listing, job);
	snprintf(label, sizeof(label), "usage %4u", job->task);
	stat_label(out, label);
	out_text(out, "cpu=");
	duration = out_room(out, DIGITS_BYTES);
	out_take(out, text_duration(duration, job->cpu));
	out_put(out, ", mem=%.5f GB s, io=%.5f GB, vmem=%s, maxvmem=%s\n", job->mem, job->io, memory.vmem,
		memory.maxvmem);
}

/* JSON */

static void numbers_json(struct out *out, const char *key, const uint32_t *numbers, size_t n)
{
	json_write_literal(out, key);
	for (size_t i = 0; i < n && i < NUMBERS_SHOWN; i++)
		json_write_number(out, i ? "," : "", numbers[i]);
	json_write_literal(out, "]");
}

static void put_description_json(struct out *out, const struct job_description *description)
{
	char *text = description ? description_json(description) : NULL;

	json_write_literal(out, ",\"description\":");
	out_text(out, text ? text : "null");
	free(text);
}

static void usage_json(const struct fl_view *view, struct out *out, const struct fl_job *job)
{
	struct fl_usage_value value;

	json_write_literal(out, ",\"usage\":{");
	for (size_t k = 0; k < 100 && fl_task_usage(view, job->job_number, job->task, k, &value) == 0; k++) {
		json_write_string(out, k ? "," : "", value.name);
		json_write_exact(out, ":", value.value);
	}
	json_write_literal(out, "}");
}

void detail_json(const struct fl_view *view, struct out *out, struct job_listing *listing, const struct fl_job *job)
{
	struct fl_request request = {
		.hard_queues = "", .soft_queues = "", .master_queues = "", .checkpoint = "", .group = ""
	};
	struct fl_detail detail = { .account = "" };
	uint32_t numbers[NUMBERS_SHOWN];
	const struct fl_range *ids;
	size_t n;

	(void)fl_request(view, job->job_number, &request);
	(void)fl_detail(view, job->job_number, &detail);
	json_write_string_or_null(out, ",\"hard_queue_list\":", request.hard_queues);
	json_write_string_or_null(out, ",\"soft_queue_list\":", request.soft_queues);
	json_write_string_or_null(out, ",\"master_queue_list\":", request.master_queues);
	json_write_string_or_null(out, ",\"checkpoint\":", request.checkpoint);
	json_write_string_or_null(out, ",\"group\":", request.group);
	json_write_bool(out, ",\"now\":", request.now);
	json_write_bool(out, ",\"reserve\":", detail.reserve);
	json_write_number(out, ",\"task_concurrency\":", detail.task_concurrency);
	json_write_literal(out, ",\"hold\":\"");
	for (size_t k = 0; k < HOLDS_SHOWN; k++)
		if (fl_held(view, job->job_number, holds[k].kind, &ids, &n) == 0)
			out_bytes(out, holds[k].label, 1);
	numbers_json(out, "\",\"predecessors\":[", numbers, predecessors_find(view, job->job_number, false, numbers));
	numbers_json(out, ",\"array_predecessors\":[", numbers,
		     predecessors_find(view, job->job_number, true, numbers));
	numbers_json(out, ",\"successors\":[", numbers, fl_successors(view, job->job_number, numbers, NUMBERS_SHOWN));
	if (job->is_started)
		usage_json(view, out, job);
	put_description_json(out, description_of(&listing->descriptions, job->job_number));
}
