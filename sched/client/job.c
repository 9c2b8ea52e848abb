/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/job_inside.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "conf/base/number.h"
#include "sched/client/operands.h"
#include "sched/mirror/slots.h"
#include "sched/process/date.h"

#define PRIORITY_MIN (-1023l)
#define PRIORITY_MAX 1024l

int job_open(struct job *job)
{
	job->members = json_object();
	job->execution = json_object();
	return job->members && job->execution ? EXIT_OK : message_no_memory(job->messages);
}

void job_close(struct job *job)
{
	json_decref(job->members);
	json_decref(job->execution);
	json_decref(job->variables);
	json_decref(job->before);
	job->members = job->execution = job->variables = job->before = NULL;
}

int job_begin_source(struct job *job)
{
	json_decref(job->before);
	job->before = json_copy(job->members);
	job->soft = false;
	return job->before ? 0 : -ENOMEM;
}

int job_wrong(const struct job *job, const char *option, const char *value, const char *due)
{
	return message_add(job->messages, EXIT_USAGE, job->verb, "%s: \"%.100s\": %s", option, value, due);
}

int job_check_letter(const struct job *job, const char *value)
{
	return strlen(value) == 1 && strchr("ewnpv", *value)
		       ? EXIT_OK
		       : job_wrong(job, "-w", value, "one letter of e w n p v is expected");
}

static int job_set(const struct job *job, json_t *object, const char *member, json_t *value)
{
	return json_object_set_new(object, member, value) ? message_no_memory(job->messages) : EXIT_OK;
}

int job_set_text(const struct job *job, json_t *object, const char *member, const char *option, const char *value)
{
	json_t *text = json_string(value);

	return text ? job_set(job, object, member, text) : job_wrong(job, option, value, "it is not UTF-8");
}

/* Report an error in the current value. */
static int wrong(const struct job *job, const struct words *words, const char *due)
{
	return job_wrong(job, words->row->name, words->value, due);
}

static int set_text(const struct job *job, const struct words *words, json_t *object, const char *member)
{
	return job_set_text(job, object, member, words->row->name, words->value);
}

/* Functions that parse one kind of value */

int job_take_text(void *job, struct words *words)
{
	struct job *j = job;

	if (!*words->value && !j->alters)
		return wrong(j, words, "it is empty");
	return set_text(j, words, j->members, words->row->detail);
}

int job_take_name(void *job, struct words *words)
{
	const char *fault = job_name_fault(words->value);
	struct job *j = job;

	return fault ? wrong(j, words, fault) : set_text(j, words, j->members, words->row->detail);
}

int job_take_count(void *job, struct words *words)
{
	struct job *j = job;
	unsigned long number;

	if (options_number(j->messages, j->verb, words->row->name, words->value, 0, UINT32_MAX, &number))
		return EXIT_USAGE;
	return job_set(j, j->members, words->row->detail, json_integer((json_int_t)number));
}

int job_take_priority(void *job, struct words *words)
{
	const char *digits = words->value + (*words->value == '-' || *words->value == '+');
	struct job *j = job;
	long number;
	char *end;

	errno = 0;
	number = strtol(words->value, &end, 10);
	if (*digits < '0' || *digits > '9' || *end || errno || number < PRIORITY_MIN || number > PRIORITY_MAX)
		return wrong(j, words, "invalid priority, must be an integer from -1023 to 1024");
	return job_set(j, j->members, words->row->detail, json_integer(number));
}

int job_take_date(void *job, struct words *words)
{
	struct job *j = job;
	int64_t seconds;

	if (date_parse(words->value, (int64_t)time(NULL), &seconds))
		return wrong(j, words, DATE_DUE);
	return job_set(j, j->members, words->row->detail, json_integer(seconds));
}

static int bool_take(const struct job *job, const struct words *words, json_t *object)
{
	bool yes;

	if (number_bool(words->value, &yes))
		return wrong(job, words, "y or n is expected");
	return job_set(job, object, words->row->detail, json_boolean(yes));
}

int job_take_bool(void *job, struct words *words)
{
	struct job *j = job;

	return bool_take(j, words, j->members);
}

int job_take_execution_bool(void *job, struct words *words)
{
	struct job *j = job;

	return bool_take(j, words, j->execution);
}

int job_take_execution_flag(void *job, struct words *words)
{
	struct job *j = job;

	return job_set(j, j->execution, words->row->detail, json_true());
}

int job_take_directory(void *job, struct words *words)
{
	struct job *j = job;

	j->directory = words->value && *words->value ? words->value : ".";
	return EXIT_OK;
}

int job_take_soft(void *job, struct words *words)
{
	(void)words;
	((struct job *)job)->soft = true;
	return EXIT_OK;
}

int job_take_hard(void *job, struct words *words)
{
	(void)words;
	((struct job *)job)->soft = false;
	return EXIT_OK;
}

/* Lists */

/*
 * Append to a list of resources or queues. Several -l or -q form one list. Queues from a later
 * source replace those of earlier sources.
 */
static int list_append(const struct job *job, const struct words *words, const char *member, bool replaces)
{
	const json_t *value = json_object_get(job->members, member);
	const char *before =
		replaces && value == json_object_get(job->before, member) ? NULL : json_string_value(value);
	json_t *text = before && *before ? json_sprintf("%s,%s", before, words->value) : json_string(words->value);

	return text ? job_set(job, job->members, member, text) : wrong(job, words, "it is not UTF-8");
}

int job_take_resources(void *job, struct words *words)
{
	struct job *j = job;
	const char *fault = !*words->value && j->alters ? NULL : job_resources_fault(words->value);

	if (fault)
		return wrong(j, words, fault);
	return list_append(j, words, j->soft ? "soft_resource_list" : "hard_resource_list", false);
}

static bool has_empty_entry(const char *list)
{
	size_t length = strlen(list);

	return *list == ',' || strstr(list, ",,") || (length && list[length - 1] == ',');
}

int job_take_queues(void *job, struct words *words)
{
	const char *member = words->row->detail;
	struct job *j = job;

	if ((!*words->value && !j->alters) || has_empty_entry(words->value))
		return wrong(j, words, "the name of a queue is missing");
	return list_append(j, words, member ? member : j->soft ? "soft_queue_list" : "hard_queue_list", true);
}

/*
 * Parse a predecessor. A number is a job. Any other text is a name or a pattern, which the
 * scheduler matches against the user's jobs.
 */
static int predecessor_take(const struct job *job, const char *name, json_t *list, const char *word)
{
	size_t digits = strspn(word, "0123456789");
	json_t *entry;

	if (!*word)
		return job_wrong(job, name, word, "the name of a job is missing");
	if (digits && word[digits])
		return job_wrong(job, name, word, "this is neither a number nor a name, which has no digit in front");
	entry = digits ? json_integer(operands_number(job->messages, job->verb, name, word)) : json_string(word);
	if (digits && json_integer_value(entry) == 0) {
		json_decref(entry);
		return EXIT_USAGE;
	}
	return json_array_append_new(list, entry) ? job_wrong(job, name, word, "it is not UTF-8") : EXIT_OK;
}

/* Append a list of jobs to those of the member. The text is modified. NULL: clear the member. */
static int predecessors_take(const struct job *job, const char *name, const char *member, char *text,
			     const char *separator)
{
	json_t *before = text ? json_object_get(job->members, member) : NULL,
	       *list = before ? json_copy(before) : json_array();
	int code = list ? EXIT_OK : message_no_memory(job->messages);

	for (char *word; !code && (word = strsep(&text, separator)) != NULL;)
		code = predecessor_take(job, name, list, word);
	if (!code)
		return job_set(job, job->members, member, list);
	json_decref(list);
	return code;
}

int job_take_predecessors(void *job, struct words *words)
{
	char *copy = strdup(words->value);
	struct job *j = job;
	int code = copy ? EXIT_OK : message_no_memory(j->messages);

	if (!code)
		code = predecessors_take(j, words->row->name, words->row->detail, !*copy && j->alters ? NULL : copy,
					 ",");
	free(copy);
	return code;
}

/* Parse "afterok:17:18,afterany:20", as in sbatch. */
int job_take_dependency(void *job, struct words *words)
{
	char *copy = strdup(words->value), *rest = copy, *jobs;
	struct job *j = job;
	int code = copy ? EXIT_OK : message_no_memory(j->messages);

	while (!code && (jobs = strsep(&rest, ",")) != NULL) {
		const char *kind = strsep(&jobs, ":"), *member = !strcmp(kind, "afterok")    ? "after_ok"
								 : !strcmp(kind, "afterany") ? "hold_jid"
											     : NULL;

		code = member && jobs
			       ? predecessors_take(j, words->row->name, member, jobs, ":")
			       : wrong(j, words,
				       "afterok:JOB[:JOB...] or afterany:JOB[:JOB...] is expected; -a sets the "
				       "earliest start of a job");
	}
	free(copy);
	return code;
}

/* Parse -pe, the only option with two arguments. */
int job_take_pe(void *job, struct words *words)
{
	const char *range = words->next < words->argc ? words->argv[words->next++] : "";
	struct slot_ranges ranges = { 0 };
	struct error error = { "" };
	struct job *j = job;
	int code;

	if (!*range || !strcmp(range, "--"))
		return wrong(j, words,
			     "the number of slots is missing: n, n-m, n-m:step, n- or -m, several with commas");
	code = slots_parse(&ranges, range, &error) ? job_wrong(j, "-pe", range, error.text) : EXIT_OK;
	slots_free(&ranges);
	if (!code)
		code = job_take_text(j, words);
	return code ? code : job_set_text(j, j->members, "pe_range", "-pe", range);
}

int job_finish(struct job *job)
{
	int code = job_environment_finish(job);

	return code ? code : job_paths_finish(job);
}
