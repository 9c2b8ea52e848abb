/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/job_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/base/number.h"
#include "sched/client/operands.h"
#include "sched/mirror/slots.h"
#include "sched/process/date.h"

#define PRIORITY_MIN (-1023l)
#define PRIORITY_MAX 1024l

static const char *const queue_lists[JOB_QUEUE_LISTS] = {
	"hard_queue_list", "soft_queue_list", "master_queue_list",
};

void job_begin_source(struct job *job)
{
	for (int k = 0; k < JOB_QUEUE_LISTS; k++)
		job->queues_before[k] = job_request_text(&job->request, queue_lists[k]);
	job->soft = false;
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

/* Report an error in the current value. */
static int wrong(const struct job *job, const struct words *words, const char *due)
{
	return job_wrong(job, words->row->name, words->value, due);
}

/* Set a member of the request to the current value. */
static int set_text(struct job *job, const struct words *words)
{
	return job_put_text(job, words->row->detail, words->row->name, words->value);
}

/* Functions that parse one kind of value */

int job_take_text(void *job, struct words *words)
{
	struct job *j = job;

	if (!*words->value && !j->alters)
		return wrong(j, words, "it is empty");
	return set_text(j, words);
}

int job_take_name(void *job, struct words *words)
{
	const char *fault = job_name_fault(words->value);
	struct job *j = job;

	return fault ? wrong(j, words, fault) : set_text(j, words);
}

int job_take_count(void *job, struct words *words)
{
	struct job *j = job;
	unsigned long number;

	if (options_number(j->messages, j->verb, words->row->name, words->value, 0, UINT32_MAX, &number))
		return EXIT_USAGE;
	return job_put_number(j, words->row->detail, (int64_t)number);
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
	return job_put_number(j, words->row->detail, number);
}

int job_take_date(void *job, struct words *words)
{
	struct job *j = job;
	int64_t seconds;

	if (date_parse(words->value, (int64_t)time(NULL), &seconds))
		return wrong(j, words, DATE_DUE);
	return job_put_number(j, words->row->detail, seconds);
}

int job_take_bool(void *job, struct words *words)
{
	struct job *j = job;
	bool yes;

	if (number_bool(words->value, &yes))
		return wrong(j, words, "y or n is expected");
	return job_put_bool(j, words->row->detail, yes);
}

int job_take_execution_bool(void *job, struct words *words)
{
	struct job *j = job;
	bool yes;

	if (number_bool(words->value, &yes))
		return wrong(j, words, "y or n is expected");
	return job_execute_bool(j, words->row->detail, yes);
}

int job_take_execution_flag(void *job, struct words *words)
{
	return job_execute_bool(job, words->row->detail, true);
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

/* Return a list of queues as it was before the current source. */
static const char *queues_before(const struct job *job, const char *member)
{
	int k = 0;

	while (strcmp(queue_lists[k], member) != 0)
		k++;
	return job->queues_before[k];
}

/*
 * Append to a list of resources or queues. Several -l or -q form one list. Queues from a later
 * source replace those of earlier sources.
 */
static int list_append(struct job *job, const struct words *words, const char *member, bool replaces)
{
	const char *before = job_request_text(&job->request, member);
	char *joined = NULL;
	int code;

	if (!job_is_text(words->value))
		return wrong(job, words, "it is not UTF-8");
	if (!before || !*before || (replaces && before == queues_before(job, member)))
		return job_put_text(job, member, words->row->name, words->value);
	if (asprintf(&joined, "%s,%s", before, words->value) < 0)
		return message_no_memory(job->messages);
	code = job_put_text(job, member, words->row->name, joined);
	free(joined);
	return code;
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

static const char *const predecessor_lists[JOB_PREDECESSORS] = {
	[JOB_HOLD_JID_LIST] = "hold_jid", [JOB_HOLD_JID_AD_LIST] = "hold_jid_ad", [JOB_AFTER_OK_LIST] = "after_ok",
};

/*
 * Parse a predecessor. A number is a job. Any other text is a name or a pattern, which the
 * scheduler matches against the user's jobs.
 */
static int predecessor_take(struct job *job, const char *name, struct job_list *list, const char *word)
{
	size_t digits = strspn(word, "0123456789");
	struct value entry = { .type = VALUE_INTEGER, .span = 1 };
	const char *text;

	if (!*word)
		return job_wrong(job, name, word, "the name of a job is missing");
	if (digits && word[digits])
		return job_wrong(job, name, word, "this is neither a number nor a name, which has no digit in front");
	if (!job_is_text(word))
		return job_wrong(job, name, word, "it is not UTF-8");
	if (digits) {
		entry.integer = operands_number(job->messages, job->verb, name, word);
		if (entry.integer == 0)
			return EXIT_USAGE;
	} else {
		text = job_copy(job, word, strlen(word));
		entry = job_text_value(NULL, text ? text : "");
		if (!text)
			return message_no_memory(job->messages);
	}
	return job_list_append(job, list, &entry, 1) ? message_no_memory(job->messages) : EXIT_OK;
}

/* Append a list of jobs to those of the member. The text is modified. NULL: clear the member. */
static int predecessors_take(struct job *job, const char *name, enum job_predecessors kind, char *text,
			     const char *separator)
{
	struct job_list *list = &job->predecessors[kind];
	int code = EXIT_OK;

	if ((!list->values || !text) && job_list_begin(job, list, VALUE_ARRAY, predecessor_lists[kind]))
		return message_no_memory(job->messages);
	for (char *word; !code && (word = strsep(&text, separator)) != NULL;)
		code = predecessor_take(job, name, list, word);
	return code ? code : job_put_value(job, list->values);
}

int job_take_predecessors(void *job, struct words *words)
{
	char *copy = strdup(words->value);
	struct job *j = job;
	int code = copy ? EXIT_OK : message_no_memory(j->messages), kind = 0;

	while (strcmp(predecessor_lists[kind], words->row->detail) != 0)
		kind++;
	if (!code)
		code = predecessors_take(j, words->row->name, (enum job_predecessors)kind,
					 !*copy && j->alters ? NULL : copy, ",");
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
		const char *kind = strsep(&jobs, ":");
		bool ok = !strcmp(kind, "afterok"), any = !strcmp(kind, "afterany");

		code = (ok || any) && jobs
			       ? predecessors_take(j, words->row->name, ok ? JOB_AFTER_OK_LIST : JOB_HOLD_JID_LIST,
						   jobs, ":")
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
	return code ? code : job_put_text(j, "pe_range", "-pe", range);
}

int job_finish(struct job *job)
{
	int code = job_environment_finish(job);

	return code ? code : job_paths_finish(job);
}
