/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convert the pending jobs in the output of squeue --json to events. Since Slurm 23.02, a number is
 * an object with a flag whether it is set, and a state is an array.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/cli.h"
#include "sched/cli/cell/command.h"
#include "sched/cli/cell/import.h"

/* Members of a job */

/* Return a number, or 0 if it is missing, not set or infinite. */
static json_int_t number_of(const json_t *job, const char *member)
{
	const json_t *value = json_object_get(job, member), *set = json_object_get(value, "set");

	if (json_is_object(value))
		value = json_is_false(set) || json_is_true(json_object_get(value, "infinite"))
				? NULL
				: json_object_get(value, "number");
	return json_integer_value(value);
}

static const char *text_of(const json_t *job, const char *member)
{
	const char *text = json_string_value(json_object_get(job, member));

	return text ? text : "";
}

static bool is_pending(const json_t *job)
{
	const json_t *state = json_object_get(job, "job_state");
	const char *text = json_string_value(json_is_array(state) ? json_array_get(state, 0) : state);

	return text && strcmp(text, "PENDING") == 0;
}

static json_int_t number_of_job(const json_t *job)
{
	json_int_t array = number_of(job, "array_job_id");

	/* a task that was split from its array is a job of its own */
	return array && *text_of(job, "array_task_string") ? array : number_of(job, "job_id");
}

/* Events */

/*
 * Rewrite "0-5,8%2". Task ids begin with 1 here, so ids that begin with 0 are moved by one. The
 * caller frees the result. NULL: memory is exhausted, or the text is not a list of ids, for example
 * because Slurm shortened it with "...".
 */
static char *tasks_make(const char *text, json_int_t *most_at_once)
{
	size_t length = strcspn(text, "%"), size = 4 * length + 16;
	bool from_zero = *text == '0';
	char *tasks = malloc(size), *to = tasks;

	*most_at_once = text[length] == '%' ? strtoll(text + length + 1, NULL, 10) : 0;
	if (!tasks || length != strspn(text, "0123456789-,:")) {
		free(tasks);
		return NULL;
	}
	for (const char *p = text; p < text + length;) {
		bool is_id = p == text || p[-1] != ':';

		if (strchr("0123456789", *p))
			to += snprintf(to, size - (size_t)(to - tasks), "%lu",
				       strtoul(p, (char **)&p, 10) + (is_id && from_zero));
		else
			*to++ = *p++;
	}
	*to = '\0';
	return tasks;
}

static int tasks_set(json_t *event, const json_t *job)
{
	const char *text = text_of(job, "array_task_string");
	json_int_t most_at_once;
	char *tasks = *text ? tasks_make(text, &most_at_once) : NULL;
	int rc = 0;

	if (*text && !tasks)
		cli_fail(EXIT_OK, "import: squeue: the tasks \"%.60s\" of array %lld: it is imported as one job", text,
			 (long long)number_of_job(job));
	if (tasks)
		rc = json_object_set_new(event, "tasks", json_string(tasks));
	if (tasks && rc == 0 && most_at_once > 0)
		rc = json_object_set_new(event, "task_concurrency", json_integer(most_at_once));
	free(tasks);
	return rc;
}

/* Set what keeps the job from starting: a hold, a time, other jobs. */
static int obstacle_set(json_t *event, const json_t *job)
{
	const char *reason = text_of(job, "state_reason");
	const char *tasks = json_string_value(json_object_get(event, "tasks")), *all = tasks ? tasks : "1";
	json_int_t eligible = number_of(job, "eligible_time");

	if (strcmp(reason, "JobHeldUser") == 0)
		return json_object_set_new(event, "hold", json_pack("{s:s}", "u", all));
	if (strcmp(reason, "JobHeldAdmin") == 0)
		return json_object_set_new(event, "hold", json_pack("{s:s}", "o", all));
	if (strncmp(reason, "Dependency", strlen("Dependency")) == 0)
		return json_object_set_new(event, "hold", json_pack("{s:s}", "s", all));
	if (strcmp(reason, "BeginTime") == 0 && eligible > 0)
		return json_object_set_new(event, "execution_time", json_integer(eligible));
	return 0;
}

static int event_set(json_t *event, const json_t *job)
{
	static const struct { const char *to, *from;
	} texts[] = {
		{ "job_name", "name" },	      { "owner", "user_name" }, { "account", "account" },
		{ "partition", "partition" }, { "qos", "qos" },		{ "tres", "tres_req_str" },
	};
	static const struct { const char *to, *from;
	} numbers[] = {
		{ "submission_time", "submit_time" },
		{ "eligible_time", "eligible_time" },
		{ "accrue_time", "accrue_time" },
		{ "nice", "nice" },
		{ "cpus", "cpus" },
		{ "nodes", "node_count" },
		{ "time_limit", "time_limit" },
	};
	int rc = json_object_set_new(event, "job_number", json_integer(number_of_job(job)));

	for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++)
		if (*text_of(job, texts[k].from))
			rc |= json_object_set_new(event, texts[k].to, json_string(text_of(job, texts[k].from)));
	for (size_t k = 0; k < sizeof(numbers) / sizeof(*numbers); k++)
		if (k == 0 || number_of(job, numbers[k].from))
			rc |= json_object_set_new(event, numbers[k].to, json_integer(number_of(job, numbers[k].from)));
	rc |= tasks_set(event, job);
	return rc | obstacle_set(event, job);
}

/* The file of events */

static int event_write(FILE *out, json_t *event, uint64_t *seq)
{
	int rc = event && json_object_set_new(event, "seq", json_integer((json_int_t)++ * seq)) == 0 &&
				 json_dumpf(event, out, JSON_COMPACT) == 0 && fputc('\n', out) != EOF
			 ? 0
			 : -1;

	json_decref(event);
	return rc;
}

static int jobs_write(FILE *out, const json_t *jobs, size_t *n)
{
	int rc;
	uint64_t seq = 0;
	const json_t *job;
	size_t i;

	*n = 0;
	rc = event_write(out, json_pack("{s:s}", "event", "snapshot_begin"), &seq);
	json_array_foreach(jobs, i, job) {
		json_t *event = rc == 0 && is_pending(job) ? json_pack("{s:s}", "event", "job_add") : NULL;

		if (!event)
			continue;
		rc = event_set(event, job) ? -1 : 0;
		*n += rc == 0;
		rc = rc ? (json_decref(event), rc) : event_write(out, event, &seq);
	}
	return rc ? rc : event_write(out, json_pack("{s:s}", "event", "snapshot_end"), &seq);
}

/* Convert the jobs. The function takes ownership of the JSON. */
static int queue_take(struct import *import, json_t *all, const char *source, const char *why)
{
	const json_t *jobs = json_object_get(all, "jobs");
	char *events = NULL;
	size_t bytes;
	FILE *out = json_is_array(jobs) ? open_memstream(&events, &bytes) : NULL;
	int code = EXIT_OK;

	if (!json_is_array(jobs))
		code = cli_fail(EXIT_NO_DATA, "import: %s: no JSON with an array \"jobs\"%s%.150s", source,
				all ? "" : ": ", all ? "" : why);
	else if (!out || (jobs_write(out, jobs, &import->pending) | fclose(out)) ||
		 new_cell_add(&import->new, IMPORT_JOBS, events, bytes))
		code = cli_fail(EXIT_NO_DATA, "no memory");
	free(events);
	json_decref(all);
	return code;
}

static int command_take(struct import *import)
{
	struct command command = { .argv = { "squeue", "--json" } };
	json_error_t why;
	int rc = command_run(&command), code = rc || command.status ? command_failed(&command, rc) : EXIT_OK;

	if (code == EXIT_OK)
		code = queue_take(import, json_loads(command.output, 0, &why), "squeue --json", why.text);
	command_free(&command);
	return code;
}

int import_squeue(struct import *import)
{
	json_error_t why;

	if (import->squeue)
		return queue_take(import, json_load_file(import->squeue, 0, &why), import->squeue, why.text);
	if (command_take(import))
		cli_fail(
			EXIT_OK,
			"import: the pending jobs are not imported; name a file with the output of squeue --json "
			"with --squeue FILE");
	return EXIT_OK;
}
