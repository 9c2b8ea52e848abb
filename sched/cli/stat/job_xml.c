/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "sched/cli/stat/job_xml.h"

#define PRIORITY_ZERO 1024		/* base of -p values */

/* JB_type: command instead of a script, array, no shell around the command */
#define TYPE_BINARY 64
#define TYPE_ARRAY 128
#define TYPE_NO_SHELL 256

/* Values */

static int64_t value_zero(const struct job_document *document)
{
	(void)document;
	return 0;
}

static int64_t value_number(const struct job_document *document) { return document->job.job_number; }
static int64_t value_reservation(const struct job_document *document) { return document->job.ar; }
static int64_t value_submission(const struct job_document *document) { return document->job.submission_time; }
static int64_t value_uid(const struct job_document *document)
{
	return document->described ? document->described->uid : 0;
}
static int64_t value_gid(const struct job_document *document)
{
	return document->described ? document->described->gid : 0;
}
static int64_t value_share(const struct job_document *document) { return document->job.jobshare; }
static int64_t value_deadline(const struct job_document *document) { return document->job.deadline; }
static int64_t value_execution(const struct job_document *document) { return document->job.execution_time; }
static int64_t value_priority(const struct job_document *document)
{
	return PRIORITY_ZERO + (int64_t)document->job.priority;
}
static int64_t value_override(const struct job_document *document) { return document->job.override_tickets; }
static int64_t value_concurrency(const struct job_document *document) { return document->detail.task_concurrency; }
static int64_t value_joins(const struct job_document *document)
{
	return document->described && document->described->join == DESCRIBED_YES;
}
static int64_t value_notifies(const struct job_document *document)
{
	return document->described && document->described->notify == DESCRIBED_YES;
}
static int64_t value_reserves(const struct job_document *document) { return document->detail.reserve; }

/* Return 0 if the setting of the queue applies. */
static int64_t value_restart(const struct job_document *document)
{
	enum described_flag again = document->described ? document->described->rerun : DESCRIBED_UNSET;

	return again == DESCRIBED_YES ? 1 : again == DESCRIBED_NO ? 2 : 0;
}

static int64_t value_mail(const struct job_document *document)
{
	static const struct {
		char letter;
		int64_t bit;
	} bits[] = { { 'a', 0x40000 }, { 'b', 0x80000 }, { 'e', 0x100000 }, { 's', 0x400000 } };
	const char *letters = document->described ? document->described->mail_options : NULL;
	int64_t options = 0;

	for (size_t k = 0; letters && k < sizeof(bits) / sizeof(*bits); k++)
		options |= strchr(letters, bits[k].letter) ? bits[k].bit : 0;
	return options;
}

static int64_t value_type(const struct job_document *document)
{
	bool is_script = !document->described || document->described->is_script;
	int64_t type = document->job.is_array ? TYPE_ARRAY : 0;

	if (!is_script)
		type |= TYPE_BINARY | (document->described->use_shell ? 0 : TYPE_NO_SHELL);
	return type;
}

static const char *text_owner(const struct job_document *document) { return document->job.owner; }
static const char *text_name(const struct job_document *document) { return document->job.name; }
static const char *text_project(const struct job_document *document) { return document->job.project; }
static const char *text_pe(const struct job_document *document) { return document->job.pe; }
static const char *text_group(const struct job_document *document)
{
	return document->described ? document->described->group : document->request.group;
}
static const char *text_checkpoint(const struct job_document *document) { return document->request.checkpoint; }
static const char *text_directory(const struct job_document *document)
{
	return document->described ? document->described->cwd : NULL;
}
static const char *text_script(const struct job_document *document)
{
	return document->described && document->described->command.n ? document->described->command.items[0] : NULL;
}

static const char *text_account(const struct job_document *document)
{
	const char *account =
		document->described ? document->described->account : document->detail.account;

	return account && *account ? account : "sge";
}

/* Elements of every document */

static void put_exec_file(const struct job_document *document, const char *element)
{
	char text[64];

	snprintf(text, sizeof(text), "job_scripts/%u", document->job.job_number);
	xml_string(document->out, JOB_INDENT, element, text);
}

/* Write an empty binding, because a local cell binds no job to cores. */
static void put_binding(const struct job_document *document, const char *element)
{
	static const char *const none[][2] = {
		{ "BN_strategy", "no_job_binding" },
		{ "BN_type", "0" },
		{ "BN_parameter_n", "0" },
		{ "BN_parameter_socket_offset", "0" },
		{ "BN_parameter_core_offset", "0" },
		{ "BN_parameter_striding_step_size", "0" },
		{ "BN_parameter_explicit", "no_explicit_binding" },
	};

	xml_open(document->out, JOB_INDENT, element);
	xml_open(document->out, JOB_INDENT + 2, "element");
	for (size_t k = 0; k < sizeof(none) / sizeof(*none); k++)
		xml_string(document->out, JOB_INDENT + 4, none[k][0], none[k][1]);
	xml_close(document->out, JOB_INDENT + 2, "element");
	xml_close(document->out, JOB_INDENT, element);
}

static void put_urgency(const struct job_document *document, const char *element)
{
	xml_fixed(document->out, JOB_INDENT, element, document->job.nurg, 6);
}

/* Elements of a job, in the order of the qmaster. One of the four functions writes each. */
static const struct document_member {
	const char *element;
	int64_t (*number)(const struct job_document *document);
	int64_t (*truth)(const struct job_document *document);
	const char *(*text)(const struct job_document *document);	/* NULL or "": no element */
	job_element *list;
} members[] = {
	{ "JB_job_number", .number = value_number }, { "JB_ar", .number = value_reservation }, { "JB_exec_file", .list = put_exec_file },
	{ "JB_submission_time", .number = value_submission }, { "JB_owner", .text = text_owner }, { "JB_uid", .number = value_uid },
	{ "JB_group", .text = text_group }, { "JB_gid", .number = value_gid }, { "JB_account", .text = text_account },
	{ "JB_merge_stderr", .truth = value_joins }, { "JB_mail_list", .list = job_mail }, { "JB_project", .text = text_project },
	{ "JB_notify", .truth = value_notifies }, { "JB_job_name", .text = text_name }, { "JB_stdout_path_list", .list = job_output },
	{ "JB_jobshare", .number = value_share }, { "JB_hard_resource_list", .list = job_hard_resources },
	{ "JB_soft_resource_list", .list = job_soft_resources }, { "JB_hard_queue_list", .list = job_hard_queues },
	{ "JB_soft_queue_list", .list = job_soft_queues }, { "JB_shell_list", .list = job_shell }, { "JB_env_list", .list = job_variables },
	{ "JB_job_args", .list = job_arguments }, { "JB_script_file", .text = text_script }, { "JB_ja_tasks", .list = job_tasks },
	{ "JB_context", .list = job_context }, { "JB_cwd", .text = text_directory }, { "JB_stderr_path_list", .list = job_errors },
	{ "JB_jid_predecessor_list", .list = job_predecessors }, { "JB_ja_ad_predecessor_list", .list = job_array_predecessors },
	{ "JB_jid_request_list", .list = job_asked_predecessors }, { "JB_ja_ad_request_list", .list = job_asked_array_predecessors },
	{ "JB_jid_successor_list", .list = job_successors }, { "JB_deadline", .number = value_deadline },
	{ "JB_execution_time", .number = value_execution }, { "JB_checkpoint_name", .text = text_checkpoint },
	{ "JB_checkpoint_attr", .number = value_zero }, { "JB_checkpoint_interval", .number = value_zero },
	{ "JB_reserve", .truth = value_reserves }, { "JB_mail_options", .number = value_mail }, { "JB_stdin_path_list", .list = job_input },
	{ "JB_priority", .number = value_priority }, { "JB_restart", .number = value_restart }, { "JB_verify", .number = value_zero },
	{ "JB_master_hard_queue_list", .list = job_master_queues }, { "JB_script_size", .number = value_zero }, { "JB_pe", .text = text_pe },
	{ "JB_pe_range", .list = job_slots },
	/* Grid Engine writes this list twice */
	{ "JB_jid_request_list", .list = job_asked_predecessors },
	{ "JB_verify_suitable_queues", .number = value_zero }, { "JB_soft_wallclock_gmt", .number = value_zero },
	{ "JB_hard_wallclock_gmt", .number = value_zero }, { "JB_override_tickets", .number = value_override },
	{ "JB_version", .number = value_zero }, { "JB_ja_structure", .list = job_task_ids }, { "JB_type", .number = value_type },
	{ "JB_binding", .list = put_binding }, { "JB_ja_task_concurrency", .number = value_concurrency }, { "JB_nurg", .list = put_urgency },
};

static void put_members(const struct job_document *document)
{
	for (const struct document_member *member = members;
	     member < members + sizeof(members) / sizeof(*members) && !document->out->error; member++) {
		const char *text = member->text ? member->text(document) : NULL;

		if (member->number)
			xml_number(document->out, JOB_INDENT, member->element, member->number(document));
		else if (member->truth)
			xml_string(document->out, JOB_INDENT, member->element,
				   member->truth(document) ? "true" : "false");
		else if (text && *text)
			xml_string(document->out, JOB_INDENT, member->element, text);
		else if (member->list)
			member->list(document, member->element);
	}
}

static void put_job(const struct fl_view *view, struct out *out, struct job_listing *listing, const struct fl_job *job)
{
	struct job_document document = { .view = view, .out = out, .listing = listing, .job = *job };

	if (fl_request(view, job->job_number, &document.request))
		document.request = (struct fl_request){
			.hard_queues = "", .soft_queues = "", .master_queues = "", .checkpoint = "", .group = ""
		};
	if (fl_detail(view, job->job_number, &document.detail))
		document.detail = (struct fl_detail){ .account = "" };
	document.described = description_of(&listing->descriptions, job->job_number);
	xml_open(out, 4, "element");
	put_members(&document);
	xml_close(out, 4, "element");
}

int stat_job_xml(const struct fl_view *view, struct out *out, void *context)
{
	struct job_listing *listing = context;
	struct fl_job job;

	out_text(out, XML_HEAD "<detailed_job_info  xmlns:xsd=\"" XML_SCHEMAS "qstat/detailed_job_info.xsd\">\n");
	xml_open(out, 2, "djob_info");
	for (size_t i = 0; i < listing->njobs && !out->error; i++) {
		listing->jobs[i].found = fl_find(view, listing->jobs[i].number, 0, &job) == 0;
		if (listing->jobs[i].found)
			put_job(view, out, listing, &job);
	}
	xml_close(out, 2, "djob_info");
	job_messages(view, out, listing);
	out_text(out, "</detailed_job_info>\n");
	return EXIT_OK;
}
