/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines about the altered members of a job, in the words and the order of Grid Engine's qalter,
 * regardless of the order of the request.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/local/altered.h"
#include "sched/qmaster/local/inside.h"

#define LISTED_MOST 1000		/* jobs in a line; further jobs are only counted */

enum altered_form { MODIFIED, SET, MODIFIED_JOBS };

static const struct altered_member {
	const char *name;
	bool of_execution;
	const char *words;
	enum altered_form form;
} members[] = {
	{ "override_tickets", false, "override tickets", SET },
	{ "priority", false, "scheduling priority", SET },
	{ "project", false, "project", MODIFIED },
	{ "jobshare", false, "job share", SET },
	{ "ar", false, "job advance reservation", SET },
	{ "deadline", false, "deadline time", MODIFIED },
	{ "execution_time", false, "start time", MODIFIED },
	{ "account", false, "account", MODIFIED },
	{ "cwd", true, "working directory", MODIFIED },
	{ "checkpoint", false, "checkpointing environment", MODIFIED },
	{ "stderr_path", true, "stderr path list", MODIFIED },
	{ "stdin_path", true, "stdin path list", MODIFIED },
	{ "reserve", false, "reservation behaviour", MODIFIED },
	{ "join", true, "output merge behaviour", MODIFIED },
	{ "hard_resource_list", false, "hard resource list", MODIFIED },
	{ "soft_resource_list", false, "soft resource list", MODIFIED },
	{ "mail_options", true, "mail options", MODIFIED },
	{ "mail_list", true, "mail list", MODIFIED },
	{ "job_name", false, "job name", MODIFIED },
	{ "hold_jid", false, "job id hold list", MODIFIED_JOBS },
	{ "hold_jid_ad", false, "job id hold array list", MODIFIED_JOBS },
	{ "notify", true, "notify behaviour", MODIFIED },
	{ "stdout_path", true, "stdout path list", MODIFIED },
	{ "pe", false, "parallel environment", MODIFIED },
	{ "pe_range", false, "slot range", MODIFIED },
	{ "hard_queue_list", false, "hard queue list", MODIFIED },
	{ "soft_queue_list", false, "soft queue list", MODIFIED },
	{ "master_queue_list", false, "master hard queue list", MODIFIED },
	{ "rerun", true, "restart behaviour", MODIFIED },
	{ "shell", true, "shell list", MODIFIED },
	{ "environment", true, "environment", MODIFIED },
	{ "context_changes", true, "context", MODIFIED },
	{ "context", true, "context", MODIFIED },
	{ "task_concurrency", false, "task concurrency", MODIFIED },
};

#define MEMBERS (sizeof(members) / sizeof(*members))

/*
 * Write a line "   blocking jobs: 37,38" of the jobs that the store has (`there`) or does not have.
 */
static void list_line(FILE *lines, const struct local *local, const char *label, struct number_list jobs, bool there)
{
	size_t n = 0;

	fputs(label, lines);
	for (size_t i = 0; i < jobs.n; i++)
		if ((footprint_of_job(&local->footprints, jobs.items[i]) > 0) == there && n++ < LISTED_MOST)
			fprintf(lines, "%s%u", n > 1 ? "," : "", jobs.items[i]);
	fputs(n == 0 ? "NONE\n" : n > LISTED_MOST ? ",...\n" : "\n", lines);
}

static void line_add(FILE *lines, const struct altered_by *by, const struct local_job *job,
		     const struct altered_member *member)
{
	const struct job_spec *spec = &job->request.spec;
	struct number_list jobs = { spec->hold_jid, spec->nhold_jid };
	int64_t number;

	if (member->form == SET) {
		job_request_integer(&job->request, member->name, &number);
		fprintf(lines, "%s@%s sets %s of job %u to %lld\n", by->user, by->local->machine.host, member->words,
			job->number, (long long)number);
		return;
	}
	fprintf(lines, "modified %s of job %u\n", member->words, job->number);
	if (member->form != MODIFIED_JOBS)
		return;
	if (strcmp(member->name, "hold_jid") != 0)
		jobs = (struct number_list){ spec->hold_jid_ad, spec->nhold_jid_ad };
	list_line(lines, by->local, "   blocking jobs: ", jobs, true);
	list_line(lines, by->local, "   exited jobs:   ", jobs, false);
}

static bool is_known(const char *name, bool of_execution)
{
	for (size_t k = 0; k < MEMBERS; k++)
		if (members[k].of_execution == of_execution && strcmp(members[k].name, name) == 0)
			return true;
	return false;
}

/* Add members that Grid Engine's jobs do not have, by their names. */
static void others_add(FILE *lines, const struct local_job *job, const struct value *asked, bool of_execution)
{
	value_each(member, asked)
		if (!is_known(member->name, of_execution) && strcmp(member->name, "job_number") != 0)
			fprintf(lines, "modified %s of job %u\n", member->name, job->number);
}

char *altered_lines(const struct altered_by *by, const struct local_job *job, const struct value *changes,
		    const struct value *execution)
{
	char *text = NULL;
	size_t size;
	FILE *lines = open_memstream(&text, &size);

	if (!lines)
		return NULL;
	for (size_t k = 0; k < MEMBERS; k++)
		if (value_member(members[k].of_execution ? execution : changes, members[k].name))
			line_add(lines, by, job, &members[k]);
	others_add(lines, job, changes, false);
	if (execution)
		others_add(lines, job, execution, true);
	if (fclose(lines) == 0)
		return text;
	free(text);
	return NULL;
}
