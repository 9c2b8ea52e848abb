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

static const char *member(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

static void put_flag(struct out *out, const char *label, const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	if (json_is_boolean(value))
		detail_line(out, label, json_is_true(value) ? "TRUE" : "FALSE");
}

void detail_words(struct out *out, const char *label, const json_t *words, size_t k, const char *between)
{
	if (json_array_size(words) <= k)
		return;
	stat_label(out, label);
	for (size_t first = k; k < json_array_size(words); k++) {
		const char *word = json_string_value(json_array_get(words, k));

		out_text(out, k > first ? between : "");
		text_plain(out, word ? word : "");
	}
	out_text(out, "\n");
}

static void put_jobs(struct out *out, const char *label, const json_t *numbers)
{
	const json_t *number;
	size_t k;

	if (json_array_size(numbers) > 0)
		stat_label(out, label);
	json_array_foreach(numbers, k, number)
		out_put(out, "%s%lld", k ? "," : "", (long long)json_integer_value(number));
	out_text(out, json_array_size(numbers) > 0 ? "\n" : "");
}

/* Print "NAME=VALUE,...", sorted by name. */
static void put_variables(struct out *out, const char *label, json_t *variables)
{
	const char *names[4096], *between = "";
	size_t n = 0;
	void *at;

	if (!json_is_object(variables) || json_object_size(variables) == 0)
		return;
	for (at = json_object_iter(variables); at && n < sizeof(names) / sizeof(*names);
	     at = json_object_iter_next(variables, at)) {
		size_t i = n++;

		for (; i > 0 && strcmp(names[i - 1], json_object_iter_key(at)) > 0; i--)
			names[i] = names[i - 1];
		names[i] = json_object_iter_key(at);
	}
	stat_label(out, label);
	for (size_t i = 0; i < n; i++, between = ",") {
		const char *value = json_string_value(json_object_get(variables, names[i]));

		out_text(out, between);
		text_plain(out, names[i]);
		out_text(out, "=");
		text_plain(out, value ? value : "");
	}
	out_text(out, "\n");
}

/* Lines from the scheduler's description */

static void put_who(struct out *out, const json_t *d)
{
	const json_t *request = json_object_get(d, "request");
	const char *account = member(request, "account");

	if (!d)
		return;
	stat_label(out, "uid");
	out_put(out, "%lld\n", (long long)json_integer_value(json_object_get(d, "uid")));
	detail_line(out, "group", member(d, "group"));
	stat_label(out, "gid");
	out_put(out, "%lld\n", (long long)json_integer_value(json_object_get(d, "gid")));
	detail_line(out, "account", account ? account : "sge");
}

static void put_execution(struct out *out, const json_t *d)
{
	const json_t *x = json_object_get(d, "execution"), *command = json_object_get(x, "command");

	detail_line(out, "cwd", member(x, "cwd"));
	detail_line(out, "stdout_path_list", member(x, "stdout_path"));
	detail_line(out, "stderr_path_list", member(x, "stderr_path"));
	detail_line(out, "stdin_path_list", member(x, "stdin_path"));
	put_flag(out, "merge", x, "join");
	detail_line(out, "mail_options", member(x, "mail_options"));
	detail_words(out, "mail_list", json_object_get(x, "mail_list"), 0, ",");
	put_flag(out, "notify", x, "notify");
	put_jobs(out, "after_ok", json_object_get(x, "after_ok"));
	put_flag(out, "restart", x, "rerun");
	detail_line(out, "shell_list", member(x, "shell"));
	detail_line(out, "script_file", json_string_value(json_array_get(command, 0)));
	detail_words(out, "job_args", command, 1, ",");
	put_variables(out, "context", json_object_get(x, "context"));
	put_variables(out, "env_list", json_object_get(x, "environment"));
	if (json_is_true(json_object_get(x, "environment_hidden")))
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
	const json_t *d = description_of(&listing->descriptions, job->job_number);
	struct fl_request request;

	put_who(out, d);
	if (!d && fl_request(view, job->job_number, &request) == 0)
		detail_line(out, "group", request.group);
	put_execution(out, d);
	detail_line(out, "job-array tasks", member(json_object_get(d, "request"), "tasks"));
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
	const json_t *tasks = json_object_get(description_of(&listing->descriptions, job->job_number), "memory"), *task;
	struct memory_shown memory = { "N/A", "N/A" };
	struct fl_usage_value value;
	size_t i;

	json_array_foreach(tasks, i, task)
		if (json_integer_value(json_object_get(task, "task")) == job->task) {
			take_memory(&memory, "vmem", json_number_value(json_object_get(task, "vmem")));
			take_memory(&memory, "maxvmem", json_number_value(json_object_get(task, "maxvmem")));
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

static void description_json(struct out *out, const json_t *d)
{
	char *text = d ? json_dumps(d, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

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
	description_json(out, description_of(&listing->descriptions, job->job_number));
}
