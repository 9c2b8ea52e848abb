/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a job as texts, for -verify. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/client/job_inside.h"

bool job_has_members(const struct job *job)
{
	return job->request.members.n > 0;
}

bool job_has_execution(const struct job *job)
{
	return job->execution.members.n > 0;
}

/* Members that are kept as values */

static void value_print(FILE *to, const struct value *value)
{
	switch (value->type) {
	case VALUE_STRING: fputs(value->text, to); break;
	case VALUE_INTEGER: fprintf(to, "%lld", (long long)value->integer); break;
	case VALUE_TRUE: fputs("y", to); break;
	case VALUE_FALSE: fputs("n", to); break;
	case VALUE_NULL: fputs("null", to); break;
	default: break;
	}
}

/* Print a value; an array or an object with all its entries. */
static void kept_print(FILE *to, const struct value *value)
{
	const char *between = "";

	if (value->type != VALUE_ARRAY && value->type != VALUE_OBJECT) {
		value_print(to, value);
		return;
	}
	value_each(entry, value) {
		fprintf(to, "%s%s%s", between, entry->name ? entry->name : "", entry->name ? "=" : "");
		value_print(to, entry);
		between = ",";
	}
}

/* Members with a type */

static void numbers_print(FILE *to, const uint32_t *numbers, size_t n)
{
	for (size_t k = 0; k < n; k++)
		fprintf(to, "%s%u", k ? "," : "", numbers[k]);
}

static void texts_print(FILE *to, const struct text_list *list)
{
	for (size_t k = 0; k < list->n; k++)
		fprintf(to, "%s%s", k ? "," : "", list->items[k]);
}

static void variables_print(FILE *to, const struct variables *variables)
{
	for (size_t k = 0; k < variables->n; k++)
		fprintf(to, "%s%s=%s", k ? "," : "", variables->items[k].name, variables->items[k].value);
}

static void request_print(FILE *to, const struct job_request *request, const char *name)
{
	const struct job_spec *spec = &request->spec;
	const char *text = job_request_text(request, name);
	int64_t number;

	if (text)
		fputs(text, to);
	else if (job_request_integer(request, name, &number))
		fprintf(to, "%lld", (long long)number);
	else if (!strcmp(name, "reserve"))
		fputs(spec->reserve ? "y" : "n", to);
	else if (!strcmp(name, "hold_jid"))
		numbers_print(to, spec->hold_jid, spec->nhold_jid);
	else if (!strcmp(name, "hold_jid_ad"))
		numbers_print(to, spec->hold_jid_ad, spec->nhold_jid_ad);
}

static void execution_print(FILE *to, const struct execution *execution, const char *name)
{
	const struct { const char *name, *text; } texts[] = {
		{ "cwd", execution->cwd }, { "stdin_path", execution->stdin_path },
		{ "stdout_path", execution->stdout_path }, { "stderr_path", execution->stderr_path },
		{ "mail_options", execution->mail_options }, { "shell", execution->shell },
		{ "join", execution->join ? "y" : "n" }, { "notify", execution->notify ? "y" : "n" },
		{ "rerun", execution->rerun == SAID_YES ? "y" : "n" },
		{ "use_shell", execution->use_shell ? "y" : "n" },
	};

	for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++)
		if (!strcmp(texts[k].name, name))
			fputs(texts[k].text, to);
	if (!strcmp(name, "mail_list"))
		texts_print(to, &execution->mail_list);
	else if (!strcmp(name, "context"))
		variables_print(to, &execution->context);
	else if (!strcmp(name, "environment"))
		variables_print(to, &execution->environment);
}

char *job_member_text(const struct job *job, const char *name)
{
	const struct listed_member *asked = member_list_find(&job->request.members, name),
				   *member = asked ? asked : member_list_find(&job->execution.members, name);
	char *text = NULL;
	size_t length;
	FILE *to = member ? open_memstream(&text, &length) : NULL;

	if (!to)
		return NULL;
	if (member->kept)
		kept_print(to, member->kept);
	else if (asked)
		request_print(to, &job->request, name);
	else
		execution_print(to, &job->execution, name);
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

const char *job_variable(const struct job *job, const char *name)
{
	uint32_t number = text_set_find(&job->variables.names, name);

	return number == INDEX_NONE ? NULL : job->variables.items[number].value;
}

const char *job_command_word(const struct job *job, size_t k)
{
	return k < job->execution.command.n ? job->execution.command.items[k] : NULL;
}

bool job_waits_for_names(const struct job *job, const char *member)
{
	const struct value *list = member_list_kept(&job->request.members, member);

	if (list)
		value_each(entry, list)
			if (entry->type != VALUE_INTEGER)
				return true;
	return false;
}
