/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/job.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "conf/number.h"
#include "sched/cli/operands.h"
#include "sched/mirror/slots.h"

#define PRIORITY_MIN (-1023l)
#define PRIORITY_MAX 1024l

int job_open(struct job *j)
{
	j->members = json_object();
	j->execution = json_object();
	return j->members && j->execution ? EXIT_OK : cli_fail(EXIT_NO_DATA, "no memory");
}

void job_close(struct job *j)
{
	json_decref(j->members);
	json_decref(j->execution);
	json_decref(j->variables);
	j->members = j->execution = j->variables = NULL;
}

int job_wrong(const struct job *j, const char *option, const char *value, const char *due)
{
	return cli_fail(EXIT_USAGE, "%s: %s: \"%.100s\": %s", j->verb, option, value, due);
}

static int job_set(json_t *object, const char *member, json_t *value)
{
	return json_object_set_new(object, member, value) ? cli_fail(EXIT_NO_DATA, "no memory") : EXIT_OK;
}

int job_set_text(const struct job *j, json_t *object, const char *member, const char *option, const char *value)
{
	json_t *text = json_string(value);

	return text ? job_set(object, member, text) : job_wrong(j, option, value, "it is no UTF-8");
}

/* One kind of value each; `name` is the option as it was typed */

static int take_text(struct job *j, const char *name, const char *member, const char *value)
{
	if (!*value && !j->alters)
		return job_wrong(j, name, value, "it is empty");
	return job_set_text(j, j->members, member, name, value);
}

static int take_name(struct job *j, const char *name, const char *member, const char *value)
{
	const char *fault = job_name_fault(value);

	return fault ? job_wrong(j, name, value, fault) : job_set_text(j, j->members, member, name, value);
}

static int take_count(struct job *j, const char *name, const char *member, const char *value)
{
	char label[64];
	unsigned long number;

	snprintf(label, sizeof(label), "%s: %s", j->verb, name);
	if (options_number(label, value, 0, UINT32_MAX, &number))
		return EXIT_USAGE;
	return job_set(j->members, member, json_integer((json_int_t)number));
}

static int take_priority(struct job *j, const char *name, const char *member, const char *value)
{
	const char *digits = value + (*value == '-' || *value == '+');
	long number;
	char *end;

	errno = 0;
	number = strtol(value, &end, 10);
	if (*digits < '0' || *digits > '9' || *end || errno || number < PRIORITY_MIN || number > PRIORITY_MAX)
		return job_wrong(j, name, value, "invalid priority, must be an integer from -1023 to 1024");
	return job_set(j->members, member, json_integer(number));
}

static int take_date(struct job *j, const char *name, const char *member, const char *value)
{
	int64_t seconds;

	if (job_date(value, (int64_t)time(NULL), &seconds))
		return job_wrong(j, name, value, "a date is due, [[CC]YY]MMDDhhmm[.ss]");
	return job_set(j->members, member, json_integer(seconds));
}

static int bool_take(struct job *j, const char *name, const char *value, json_t *object, const char *member)
{
	bool yes;

	if (number_bool(value, &yes))
		return job_wrong(j, name, value, "y or n is due");
	return job_set(object, member, json_boolean(yes));
}

static int take_bool(struct job *j, const char *name, const char *member, const char *value)
{
	return bool_take(j, name, value, j->members, member);
}

static int take_execution_bool(struct job *j, const char *name, const char *member, const char *value)
{
	return bool_take(j, name, value, j->execution, member);
}

/* Lists */

/* Several -l or -q are one list. */
static int list_append(struct job *j, const char *name, const char *member, const char *value)
{
	const char *before = json_string_value(json_object_get(j->members, member));
	json_t *text = before && *before ? json_sprintf("%s,%s", before, value) : json_string(value);

	return text ? job_set(j->members, member, text) : job_wrong(j, name, value, "it is no UTF-8");
}

static int take_resources(struct job *j, const char *name, const char *member, const char *value)
{
	const char *fault = !*value && j->alters ? NULL : job_resources_fault(value);

	(void)member;
	if (fault)
		return job_wrong(j, name, value, fault);
	return list_append(j, name, j->soft ? "soft_resource_list" : "hard_resource_list", value);
}

static bool has_empty_entry(const char *list)
{
	size_t length = strlen(list);

	return *list == ',' || strstr(list, ",,") || (length && list[length - 1] == ',');
}

static int take_queues(struct job *j, const char *name, const char *member, const char *value)
{
	if ((!*value && !j->alters) || has_empty_entry(value))
		return job_wrong(j, name, value, "the name of a queue is missing");
	return list_append(j, name, member ? member : j->soft ? "soft_queue_list" : "hard_queue_list", value);
}

/*
 * A number is a job; anything else a name or a pattern, which the scheduler looks up among the
 * user's jobs.
 */
static int predecessor_take(struct job *j, const char *name, json_t *list, const char *word)
{
	size_t digits = strspn(word, "0123456789");
	char label[64];
	json_t *entry;

	if (!*word)
		return job_wrong(j, name, word, "the name of a job is missing");
	if (digits && word[digits])
		return job_wrong(j, name, word, "this is neither a number nor a name, which has no digit in front");
	snprintf(label, sizeof(label), "%s: %s", j->verb, name);
	entry = digits ? json_integer(operands_number(label, word)) : json_string(word);
	if (digits && json_integer_value(entry) == 0) {
		json_decref(entry);
		return EXIT_USAGE;
	}
	return json_array_append_new(list, entry) ? job_wrong(j, name, word, "it is no UTF-8") : EXIT_OK;
}

static int take_predecessors(struct job *j, const char *name, const char *member, const char *value)
{
	char *copy = strdup(value), *rest = copy, *word;
	json_t *list = json_array();
	int code = copy && list ? EXIT_OK : cli_fail(EXIT_NO_DATA, "no memory");

	if (!*value && j->alters)
		rest = NULL;		/* none any more */
	while (!code && (word = strsep(&rest, ",")) != NULL)
		code = predecessor_take(j, name, list, word);
	free(copy);
	if (!code)
		return job_set(j->members, member, list);
	json_decref(list);
	return code;
}

/* The options */

/* The one option with two arguments. */
static int take_pe(struct job *j, struct options *o)
{
	const char *range = o->next < o->argc ? o->argv[o->next++] : "";
	struct slot_ranges ranges = { 0 };
	struct error error = { "" };
	int code;

	if (!*range)
		return job_wrong(j, "-pe", o->value, "the number of slots is missing: n, n-m, n- or -m, several with commas");
	code = slots_parse(&ranges, range, &error) ? job_wrong(j, "-pe", range, error.text) : EXIT_OK;
	slots_free(&ranges);
	if (!code)
		code = take_text(j, "-pe", "pe", o->value);
	return code ? code : job_set_text(j, j->members, "pe_range", "-pe", range);
}

static const struct {
	int (*take)(struct job *j, const char *name, const char *member, const char *value);
	const char *member;
} takers[JOB_OPTIONS] = {
	[JOB_A] = { take_date, "execution_time" }, [JOB_ACCOUNT] = { take_text, "account" }, [JOB_CKPT] = { take_text, "checkpoint" },
	[JOB_DL] = { take_date, "deadline" },
	[JOB_HOLD_JID] = { take_predecessors, "hold_jid" }, [JOB_J] = { take_execution_bool, "join" },
	[JOB_JS] = { take_count, "jobshare" }, [JOB_L] = { take_resources, NULL }, [JOB_MASTERQ] = { take_queues, "master_queue_list" },
	[JOB_N] = { take_name, "job_name" },
	[JOB_P] = { take_priority, "priority" }, [JOB_PROJECT] = { take_text, "project" }, [JOB_Q] = { take_queues, NULL },
	[JOB_R] = { take_execution_bool, "rerun" }, [JOB_RESERVE] = { take_bool, "reserve" }, [JOB_TC] = { take_count, "task_concurrency" },
};

int job_take(struct job *j, enum job_option option, struct options *o)
{
	switch (option) {
	case JOB_CWD: j->directory = "."; break;
	case JOB_WD: j->directory = *o->value ? o->value : "."; break;
	case JOB_HARD: j->soft = false; break;
	case JOB_SOFT: j->soft = true; break;
	case JOB_I: j->files[0] = o->value; break;
	case JOB_O: j->files[1] = o->value; break;
	case JOB_E: j->files[2] = o->value; break;
	case JOB_PE: return take_pe(j, o);
	case JOB_V: return job_variables_take(j, o->value);
	case JOB_V_ALL: j->all_variables = true; break;
	default: return takers[option].take(j, o->table[option].name, takers[option].member, o->value);
	}
	return EXIT_OK;
}

int job_finish(struct job *j)
{
	int code = job_environment_finish(j);

	return code ? code : job_paths_finish(j);
}
