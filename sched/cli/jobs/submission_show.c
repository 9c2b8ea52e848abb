/* SPDX-License-Identifier: Apache-2.0 */
/* -verify: print the request with the names that qsub uses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/cli/jobs/requests.h"

#define NAME_WIDTH 27

static const struct {
	const char *name, *member;
	bool executed;		/* member of "execution" */
} shown[] = {
	{ "job_name", "job_name", false }, { "execution_time", "execution_time", false }, { "deadline", "deadline", false },
	{ "account", "account", false }, { "project", "project", false }, { "priority", "priority", false },
	{ "jobshare", "jobshare", false }, { "override_tickets", "override_tickets", false },
	{ "hard resource_list", "hard_resource_list", false }, { "soft resource_list", "soft_resource_list", false },
	{ "hard_queue_list", "hard_queue_list", false }, { "soft_queue_list", "soft_queue_list", false },
	{ "master_queue_list", "master_queue_list", false }, { "parallel environment", "pe", false }, { "range", "pe_range", false },
	{ "checkpoint_object", "checkpoint", false }, { "reserve", "reserve", false }, { "ar_id", "ar", false },
	{ "jid_predecessor_list", "hold_jid", false }, { "ja_ad_predecessor_list", "hold_jid_ad", false },
	{ "after_ok", "after_ok", false },
	{ "job-array tasks", "tasks", false }, { "task_concurrency", "task_concurrency", false }, { "hold", "hold", false },
	{ "cwd", "cwd", true }, { "stdin_path_list", "stdin_path", true }, { "stdout_path_list", "stdout_path", true },
	{ "stderr_path_list", "stderr_path", true }, { "merge", "join", true }, { "restart", "rerun", true }, { "notify", "notify", true },
	{ "mail_options", "mail_options", true }, { "mail_list", "mail_list", true }, { "shell_list", "shell", true },
	{ "use_shell", "use_shell", true }, { "context", "context", true }, { "env_list", "environment", true },
};

static void value_print(const json_t *value)
{
	char *text = json_is_string(value) ? strdup(json_string_value(value))
					   : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));

	if (text)
		utf8_clean(text);
	fputs(text ? text : "", stdout);
	free(text);
}

/* Print "a,b" and "A=x,B=y". */
static void member_print(const char *name, json_t *value)
{
	const char *key, *between = "";
	json_t *item;
	size_t k;

	printf("%s:%*s", name, NAME_WIDTH - (int)strlen(name), "");
	if (json_is_array(value)) {
		json_array_foreach(value, k, item) {
			fputs(between, stdout);
			value_print(item);
			between = ",";
		}
	} else if (json_is_object(value)) {
		json_object_foreach(value, key, item) {
			printf("%s%s=", between, key);
			value_print(item);
			between = ",";
		}
	} else if (json_is_boolean(value)) {
		fputs(json_is_true(value) ? "y" : "n", stdout);
	} else {
		value_print(value);
	}
	putchar('\n');
}

static void script_print(const struct submission *submission)
{
	json_t *size = json_integer((json_int_t)submission->script_bytes);

	member_print("script_size", size);
	json_decref(size);
	printf("script_ptr:\n%s%s", submission->script,
	       submission->script[submission->script_bytes - 1] == '\n' ? "" : "\n");
}

/* Print the name that the scheduler will choose. */
static void default_name_print(const json_t *command)
{
	const char *word = json_string_value(json_array_get(command, 0)), *slash = word ? strrchr(word, '/') : NULL;
	json_t *name = json_string(slash ? slash + 1 : word);

	member_print("job_name", name);
	json_decref(name);
}

void submission_show(const struct submission *submission)
{
	json_t *command = json_object_get(submission->job.execution, "command"), *arguments = json_copy(command);

	if (!json_object_get(submission->job.members, "job_name"))
		default_name_print(command);
	for (size_t k = 0; k < sizeof(shown) / sizeof(*shown); k++) {
		json_t *value = json_object_get(shown[k].executed ? submission->job.execution : submission->job.members,
						shown[k].member);

		if (value)
			member_print(shown[k].name, value);
	}
	json_array_remove(arguments, 0);
	member_print("script_file", json_array_get(command, 0));
	if (json_array_size(arguments))
		member_print("job_args", arguments);
	json_decref(arguments);
	if (submission->script)
		script_print(submission);
	printf("job_type:%*s%s\n", NAME_WIDTH - 8, "",
	       submission->script					 ? "NONE"
	       : json_object_get(submission->job.execution, "use_shell") ? "binary"
									 : "binary,noshell");
}
