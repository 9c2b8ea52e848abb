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
} shown[] = {
	{ "job_name", "job_name" }, { "execution_time", "execution_time" }, { "deadline", "deadline" },
	{ "account", "account" }, { "project", "project" }, { "priority", "priority" },
	{ "jobshare", "jobshare" }, { "override_tickets", "override_tickets" },
	{ "hard resource_list", "hard_resource_list" }, { "soft resource_list", "soft_resource_list" },
	{ "hard_queue_list", "hard_queue_list" }, { "soft_queue_list", "soft_queue_list" },
	{ "master_queue_list", "master_queue_list" }, { "parallel environment", "pe" }, { "range", "pe_range" },
	{ "checkpoint_object", "checkpoint" }, { "reserve", "reserve" }, { "ar_id", "ar" },
	{ "jid_predecessor_list", "hold_jid" }, { "ja_ad_predecessor_list", "hold_jid_ad" },
	{ "after_ok", "after_ok" },
	{ "job-array tasks", "tasks" }, { "task_concurrency", "task_concurrency" }, { "hold", "hold" },
	{ "cwd", "cwd" }, { "stdin_path_list", "stdin_path" }, { "stdout_path_list", "stdout_path" },
	{ "stderr_path_list", "stderr_path" }, { "merge", "join" }, { "restart", "rerun" }, { "notify", "notify" },
	{ "mail_options", "mail_options" }, { "mail_list", "mail_list" }, { "shell_list", "shell" },
	{ "use_shell", "use_shell" }, { "context", "context" }, { "env_list", "environment" },
};

/* Print "name: value" and clean the value. */
static void member_print(const char *name, char *value)
{
	utf8_clean(value);
	printf("%s:%*s%s\n", name, NAME_WIDTH - (int)strlen(name), "", value);
}

/* Print words of the command, with commas between them. */
static void words_print(const char *name, const struct job *job, size_t k)
{
	const char *word = job_command_word(job, k);

	if (!word)
		return;
	printf("%s:%*s", name, NAME_WIDTH - (int)strlen(name), "");
	for (size_t first = k; word; word = job_command_word(job, ++k)) {
		char *clean = strdup(word);

		if (clean)
			utf8_clean(clean);
		printf("%s%s", k > first ? "," : "", clean ? clean : "");
		free(clean);
	}
	putchar('\n');
}

static void script_print(const struct submission *submission)
{
	printf("script_size:%*s%zu\n", NAME_WIDTH - 11, "", submission->script_bytes);
	printf("script_ptr:\n%s%s", submission->script,
	       submission->script[submission->script_bytes - 1] == '\n' ? "" : "\n");
}

static void word_print(const char *name, const char *word)
{
	char *copy = strdup(word ? word : "");

	if (copy)
		member_print(name, copy);
	free(copy);
}

/* Print the name that the scheduler will choose. */
static void default_name_print(const struct job *job)
{
	const char *word = job_command_word(job, 0), *slash = word ? strrchr(word, '/') : NULL;

	word_print("job_name", slash ? slash + 1 : word);
}

void submission_show(const struct submission *submission)
{
	const struct job *job = &submission->job;
	char *name = job_member_text(job, "job_name"), *shell = job_member_text(job, "use_shell");

	if (!name)
		default_name_print(job);
	for (size_t k = 0; k < sizeof(shown) / sizeof(*shown); k++) {
		char *text = job_member_text(job, shown[k].member);

		if (text)
			member_print(shown[k].name, text);
		free(text);
	}
	word_print("script_file", job_command_word(job, 0));
	words_print("job_args", job, 1);
	if (submission->script)
		script_print(submission);
	printf("job_type:%*s%s\n", NAME_WIDTH - 8, "",
	       submission->script ? "NONE" : shell ? "binary" : "binary,noshell");
	free(name);
	free(shell);
}
