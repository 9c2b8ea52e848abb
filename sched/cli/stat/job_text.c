/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <unistd.h>

#include "sched/cli/stat/job_xml.h"

#define OWN_PREFIX "SGE_O_"		/* prefix of variables that qsub adds */
#define QMASTER_PREFIX "__SGE_PREFIX__O_"	/* prefix of their names in the qmaster */

/* Mail */

static void put_address(const struct job_document *document, const char *item, const char *user, size_t user_bytes,
			const char *host)
{
	char name[256];

	snprintf(name, sizeof(name), "%.*s", (int)(user_bytes < sizeof(name) ? user_bytes : sizeof(name) - 1), user);
	xml_open(document->out, JOB_INDENT + 2, item);
	xml_string(document->out, JOB_INDENT + 4, "MR_user", name);
	xml_string(document->out, JOB_INDENT + 4, "MR_host", host);
	xml_close(document->out, JOB_INDENT + 2, item);
}

/* Write the address used without -M: the owner on the host where the job was submitted. */
static void put_owner_address(const struct job_document *document)
{
	const char *host = description_variable(document->described, OWN_PREFIX "HOST");
	char own[256] = "";

	if (!host && gethostname(own, sizeof(own) - 1) == 0)
		host = own;
	put_address(document, "element", document->job.owner, strlen(document->job.owner), host ? host : "");
}

void job_mail(const struct job_document *document, const char *element)
{
	const struct described_texts none = { .n = 0 },
				     *list = document->described ? &document->described->mail_list : &none;

	xml_open(document->out, JOB_INDENT, element);
	if (list->n == 0)
		put_owner_address(document);
	for (size_t i = 0; i < list->n; i++) {
		const char *address = list->items[i];
		size_t user = strcspn(address, "@");

		put_address(document, "mail_list", address, user, address + user + (address[user] == '@'));
	}
	xml_close(document->out, JOB_INDENT, element);
}

/* Paths */

static void put_path(const struct job_document *document, const char *element, const char *path)
{
	if (!path || !*path)
		return;
	xml_open(document->out, JOB_INDENT, element);
	xml_open(document->out, JOB_INDENT + 2, "path_list");
	xml_string(document->out, JOB_INDENT + 4, "PN_path", path);
	xml_string(document->out, JOB_INDENT + 4, "PN_host", "");
	xml_string(document->out, JOB_INDENT + 4, "PN_file_host", "");
	xml_string(document->out, JOB_INDENT + 4, "PN_file_staging", "false");
	xml_close(document->out, JOB_INDENT + 2, "path_list");
	xml_close(document->out, JOB_INDENT, element);
}

void job_output(const struct job_document *document, const char *element)
{
	put_path(document, element, document->described ? document->described->stdout_path : NULL);
}

void job_errors(const struct job_document *document, const char *element)
{
	put_path(document, element, document->described ? document->described->stderr_path : NULL);
}

void job_input(const struct job_document *document, const char *element)
{
	put_path(document, element, document->described ? document->described->stdin_path : NULL);
}

void job_shell(const struct job_document *document, const char *element)
{
	put_path(document, element, document->described ? document->described->shell : NULL);
}

/* Variables */

static void put_variable(const struct job_document *document, const char *item, const char *name, const char *value)
{
	bool is_own = strncmp(name, OWN_PREFIX, strlen(OWN_PREFIX)) == 0;

	xml_open(document->out, JOB_INDENT + 2, item);
	xml_begin(document->out, JOB_INDENT + 4, "VA_variable");
	out_text(document->out, is_own ? QMASTER_PREFIX : "");
	text_xml(document->out, is_own ? name + strlen(OWN_PREFIX) : name);
	xml_end(document->out, "VA_variable");
	if (value && *value)
		xml_string(document->out, JOB_INDENT + 4, "VA_value", value);
	xml_close(document->out, JOB_INDENT + 2, item);
}

static void put_variables(const struct job_document *document, const char *element,
			  const struct described_variables *variables, const char *item)
{
	if (variables->n == 0)
		return;
	xml_open(document->out, JOB_INDENT, element);
	for (size_t i = 0; i < variables->n; i++)
		put_variable(document, item, variables->items[i].name, variables->items[i].value);
	xml_close(document->out, JOB_INDENT, element);
}

void job_variables(const struct job_document *document, const char *element)
{
	if (document->described)
		put_variables(document, element, &document->described->environment, "job_sublist");
}

void job_context(const struct job_document *document, const char *element)
{
	if (document->described)
		put_variables(document, element, &document->described->context, "context_list");
}

void job_arguments(const struct job_document *document, const char *element)
{
	if (!document->described || document->described->command.n < 2)
		return;
	xml_open(document->out, JOB_INDENT, element);
	for (size_t i = 1; i < document->described->command.n; i++) {
		xml_open(document->out, JOB_INDENT + 2, "element");
		xml_string(document->out, JOB_INDENT + 4, "ST_name", document->described->command.items[i]);
		xml_close(document->out, JOB_INDENT + 2, "element");
	}
	xml_close(document->out, JOB_INDENT, element);
}
