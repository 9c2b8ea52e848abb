/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convert the pending jobs in the output of squeue --json to events. Since Slurm 23.02, a number is
 * an object with a flag whether it is set, and a state is an array.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/cli/cli.h"
#include "sched/cli/cell/command.h"
#include "sched/cli/cell/import.h"
#include "sched/cli/text.h"
#include "sched/process/json.h"
#include "sched/process/ranges.h"
#include "sched/qmaster/members/values.h"

#define EVENTS_BYTES (1u << 30)	/* longest text of all events */
#define EVENT_BYTES (16u << 20)	/* longest text of one event */

struct job_events {
	struct out all, one;		/* all events; the event of one job, which is checked */
	struct values values;		/* of the event that is checked */
	size_t n, left_out;
	int64_t seq, refused_job;	/* refused_job: the first one that is left out */
	struct error refused;
};

/* Members of a job */

/* Return a number, or 0 if it is missing, not set or infinite. */
static int64_t number_of(const struct value *job, const char *member)
{
	const struct value *value = value_member(job, member);

	if (!value_is(value, VALUE_OBJECT))
		return value_integer(value);
	return value_is(value_member(value, "set"), VALUE_FALSE) || member_is_true(value, "infinite")
		       ? 0
		       : member_integer(value, "number");
}

static const char *text_of(const struct value *job, const char *member)
{
	const char *text = member_text(job, member);

	return text ? text : "";
}

static bool is_pending(const struct value *job)
{
	const struct value *state = value_member(job, "job_state");
	const char *text = value_text(value_size(state) > 0 ? state + 1 : state);

	return text && strcmp(text, "PENDING") == 0;
}

static int64_t number_of_job(const struct value *job)
{
	int64_t array = number_of(job, "array_job_id");

	/* a task that was split from its array is a job of its own */
	return array && *text_of(job, "array_task_string") ? array : number_of(job, "job_id");
}

/* Events */

/*
 * Rewrite "0-5,8%2". Task ids begin with 1 here, so ids that begin with 0 are moved by one. The
 * caller frees the result. NULL: memory is exhausted, or the text is not a list of ids, for example
 * because Slurm shortened it with "...".
 */
static char *tasks_make(const char *text, int64_t *most_at_once)
{
	size_t length = strcspn(text, "%"), size = 4 * length + 16;
	bool from_zero = *text == '0';
	char *tasks = malloc(size), *to = tasks;
	struct ranges ranges = { 0 };

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
	if (ranges_parse(&ranges, tasks)) {
		free(tasks);
		tasks = NULL;
	}
	ranges_free(&ranges);
	return tasks;
}

/* Return the ids of an array's tasks, which the caller frees. NULL: it is imported as one job. */
static char *tasks_of(const struct value *job, int64_t *most_at_once)
{
	const char *text = text_of(job, "array_task_string");
	char *tasks = *text ? tasks_make(text, most_at_once) : NULL;

	if (*text && !tasks)
		cli_fail(EXIT_OK, "import: squeue: the tasks \"%.60s\" of array %lld: it is imported as one job", text,
			 (long long)number_of_job(job));
	return tasks;
}

/* Write what keeps the job from starting: a hold, a time, other jobs. */
static void obstacle_write(struct out *out, const struct value *job, const char *tasks)
{
	static const struct { const char *reason, *hold; } holds[] = {
		{ "JobHeldUser", ",\"hold\":{\"u\":" }, { "JobHeldAdmin", ",\"hold\":{\"o\":" },
	};
	const char *reason = text_of(job, "state_reason"), *hold = NULL;
	int64_t eligible = number_of(job, "eligible_time");

	for (size_t k = 0; k < sizeof(holds) / sizeof(*holds); k++)
		if (strcmp(reason, holds[k].reason) == 0)
			hold = holds[k].hold;
	if (strncmp(reason, "Dependency", strlen("Dependency")) == 0)
		hold = ",\"hold\":{\"s\":";
	if (hold) {
		json_write_plain(out, hold, tasks ? tasks : "1");
		json_write_literal(out, "}");
	} else if (strcmp(reason, "BeginTime") == 0 && eligible > 0) {
		json_write_number(out, ",\"execution_time\":", eligible);
	}
}

/* Write a member of the job. Control characters, which an event must not have, become '?'. */
static int text_write(struct out *out, const char *key, const char *text)
{
	char *clean = strdup(text);

	if (!clean)
		return -ENOMEM;
	utf8_clean(clean);
	json_write_plain(out, key, clean);
	free(clean);
	return 0;
}

static int event_write(struct out *out, const struct value *job)
{
	static const struct { const char *key, *from; } texts[] = {
		{ ",\"job_name\":", "name" }, { ",\"owner\":", "user_name" }, { ",\"account\":", "account" },
		{ ",\"partition\":", "partition" }, { ",\"qos\":", "qos" }, { ",\"tres\":", "tres_req_str" },
	};
	static const struct { const char *key, *from; } numbers[] = {
		{ ",\"submission_time\":", "submit_time" }, { ",\"eligible_time\":", "eligible_time" },
		{ ",\"accrue_time\":", "accrue_time" }, { ",\"nice\":", "nice" }, { ",\"cpus\":", "cpus" },
		{ ",\"nodes\":", "node_count" }, { ",\"time_limit\":", "time_limit" },
	};
	int64_t most_at_once = 0;
	char *tasks = tasks_of(job, &most_at_once);
	int rc = 0;

	json_write_number(out, "{\"event\":\"job_add\",\"job_number\":", number_of_job(job));
	for (size_t k = 0; k < sizeof(texts) / sizeof(*texts) && !rc; k++)
		if (*text_of(job, texts[k].from))
			rc = text_write(out, texts[k].key, text_of(job, texts[k].from));
	for (size_t k = 0; k < sizeof(numbers) / sizeof(*numbers); k++)
		if (k == 0 || number_of(job, numbers[k].from))
			json_write_number(out, numbers[k].key, number_of(job, numbers[k].from));
	if (tasks)
		json_write_plain(out, ",\"tasks\":", tasks);
	if (tasks && most_at_once > 0)
		json_write_number(out, ",\"task_concurrency\":", most_at_once);
	obstacle_write(out, job, tasks);
	free(tasks);
	return rc;
}

/* The file of events */

/* Add the event of a job. A job that a scheduler would refuse is left out. */
static int job_add(struct job_events *events, const struct value *job)
{
	struct error error = { "" };
	const char *text;
	size_t bytes;
	int rc;

	out_rewind(&events->one);
	rc = event_write(&events->one, job);
	if (rc)
		return rc;
	json_write_number(&events->one, ",\"seq\":", events->seq + 1);
	json_write_literal(&events->one, "}\n");
	rc = out_held(&events->one, &text, &bytes);
	rc = rc ? rc : import_event_check(&events->values, text, bytes, &error);
	if (rc == -EINVAL || rc == -EMSGSIZE) {
		if (events->left_out++ == 0) {
			events->refused = error;
			events->refused_job = number_of_job(job);
		}
		return 0;
	}
	if (rc)
		return rc;
	out_bytes(&events->all, text, bytes);
	events->seq++;
	events->n++;
	return 0;
}

static int jobs_add(struct job_events *events, const struct value *jobs)
{
	int rc = out_open_memory(&events->all, EVENTS_BYTES);

	rc = rc ? rc : out_open_memory(&events->one, EVENT_BYTES);
	if (rc)
		return rc;
	json_write_number(&events->all, "{\"event\":\"snapshot_begin\",\"seq\":", ++events->seq);
	json_write_literal(&events->all, "}\n");
	value_each(job, jobs)
		if (rc == 0 && is_pending(job))
			rc = job_add(events, job);
	json_write_number(&events->all, "{\"event\":\"snapshot_end\",\"seq\":", ++events->seq);
	json_write_literal(&events->all, "}\n");
	return rc;
}

/* Return the events, which the caller frees. NULL: memory is exhausted. */
static char *events_make(const struct value *jobs, const char *source, size_t *n)
{
	struct job_events events = { .n = 0 };
	int rc = jobs_add(&events, jobs);
	char *text = out_detach(&events.all);

	if (rc == 0 && events.left_out)
		cli_fail(EXIT_OK, "import: %s: %zu job%s left out, the first is %lld: %s", source, events.left_out,
			 plural(events.left_out), (long long)events.refused_job,
			 *events.refused.text ? events.refused.text : "its texts are too long");
	out_close(&events.one);
	values_destroy(&events.values);
	*n = events.n;
	if (rc) {
		free(text);
		return NULL;
	}
	return text;
}

/* Convert the jobs in a text. */
static int queue_take(struct import *import, const char *text, size_t length, const char *source)
{
	struct values values = { .items = NULL };
	struct error why = { "" };
	const struct value *jobs = value_member(values_read(&values, text, length, &why), "jobs");
	char *events = value_is(jobs, VALUE_ARRAY) ? events_make(jobs, source, &import->pending) : NULL;
	int code = EXIT_OK;

	if (!value_is(jobs, VALUE_ARRAY))
		code = cli_fail(EXIT_NO_DATA, "import: %s: no JSON with an array \"jobs\"%s%.150s", source,
				*why.text ? ": " : "", why.text);
	else if (!events || new_cell_add(&import->new, IMPORT_JOBS, events, strlen(events)))
		code = cli_fail(EXIT_NO_DATA, "no memory");
	free(events);
	values_destroy(&values);
	return code;
}

/* Convert the jobs in a file, whose text has no NUL. */
static int file_take(struct import *import, const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;
	ssize_t length = file ? getdelim(&text, &size, '\0', file) : -1;
	int code;

	if (length < 0 && (!file || ferror(file)))
		code = cli_fail(EXIT_NO_DATA, "import: %s: no JSON with an array \"jobs\": %m", path);
	else
		code = queue_take(import, text, length > 0 ? (size_t)length : 0, path);
	if (file)
		fclose(file);
	free(text);
	return code;
}

static int command_take(struct import *import)
{
	struct command command = { .argv = { "squeue", "--json" } };
	int rc = command_run(&command), code = rc || command.status ? command_failed(&command, rc) : EXIT_OK;

	if (code == EXIT_OK)
		code = queue_take(import, command.output, strlen(command.output), "squeue --json");
	command_free(&command);
	return code;
}

int import_squeue(struct import *import)
{
	if (import->squeue)
		return file_take(import, import->squeue);
	if (command_take(import))
		cli_fail(
			EXIT_OK,
			"import: the pending jobs are not imported; name a file with the output of squeue --json "
			"with --squeue FILE");
	return EXIT_OK;
}
