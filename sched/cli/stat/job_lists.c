/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "conf/base/number.h"
#include "sched/cli/stat/shown_requests.h"
#include "sched/cli/stat/job_xml.h"
#include "sched/mirror/slots.h"
#include "sched/process/ranges.h"

#define PREDECESSORS_MOST 1000u
#define STATUS_RUNNING 128		/* JAT_status of a started task */

/* A list whose first member opens it. It is closed if it has any member. */
struct open_list {
	struct out *out;
	const char *element;
	bool begun;
};

static void list_add(struct open_list *open, const char *item)
{
	if (!open->begun)
		xml_open(open->out, JOB_INDENT, open->element);
	open->begun = true;
	xml_open(open->out, JOB_INDENT + 2, item);
}

static void list_end(struct open_list *open)
{
	if (open->begun)
		xml_close(open->out, JOB_INDENT, open->element);
}

static void item_string(struct open_list *open, const char *item, const char *member, const char *text)
{
	list_add(open, item);
	xml_string(open->out, JOB_INDENT + 4, member, text);
	xml_close(open->out, JOB_INDENT + 2, item);
}

static void item_number(struct open_list *open, const char *item, const char *member, int64_t number)
{
	list_add(open, item);
	xml_number(open->out, JOB_INDENT + 4, member, number);
	xml_close(open->out, JOB_INDENT + 2, item);
}

/* Resources */

/* Return the qmaster's number of a type. A resource that no complex defines is a text. */
static unsigned value_type(const struct complex *complex)
{
	static const unsigned types[] = {
		[TYPE_INT] = 1,	    [TYPE_STRING] = 2, [TYPE_TIME] = 3,	  [TYPE_MEMORY] = 4,  [TYPE_BOOL] = 5,
		[TYPE_CSTRING] = 6, [TYPE_HOST] = 7,   [TYPE_DOUBLE] = 8, [TYPE_RESTRING] = 9,
		[TYPE_RSMAP] = 10
	};

	return complex ? types[complex->type] : 2;
}

static void put_request(struct open_list *open, const struct resource *request)
{
	static const char *const zeros[] = { "CE_dominant", "CE_pj_doubleval", "CE_pj_dominant", "CE_requestable",
					     "CE_tagged" };
	static const char item[] = "qstat_l_requests";
	unsigned indent = JOB_INDENT + 4;
	char seconds[SHOWN_VALUE_BYTES];
	double value = 0;

	if (!request->complex || complex_is_text(request->complex) || number_parse(resource_value(request), &value))
		value = 0;
	list_add(open, item);
	xml_string(open->out, indent, "CE_name", request->name);
	xml_number(open->out, indent, "CE_valtype", value_type(request->complex));
	xml_string(open->out, indent, "CE_stringval", shown_request_value(request, seconds));
	xml_fixed(open->out, indent, "CE_doubleval", value, 6);
	xml_number(open->out, indent, "CE_relop", 0);
	xml_number(open->out, indent, "CE_consumable", request->complex ? request->complex->consumable : CONSUMABLE_NO);
	for (size_t k = 0; k < sizeof(zeros) / sizeof(*zeros); k++)
		xml_string(open->out, indent, zeros[k], strcmp(zeros[k], "CE_pj_doubleval") == 0 ? "0.000000" : "0");
	xml_close(open->out, JOB_INDENT + 2, item);
}

static void put_resources(const struct job_document *document, const char *element, const char *text)
{
	struct open_list list = { document->out, element, false };
	struct shown_requests shown;

	(void)shown_requests_read(&shown, &document->listing->cell_in_force, &document->job, text);
	for (size_t i = 0; i < shown.list.n; i++)
		put_request(&list, &shown.list.items[i]);
	list_end(&list);
	shown_requests_free(&shown);
}

void job_hard_resources(const struct job_document *document, const char *element)
{
	put_resources(document, element, document->job.hard_resources);
}

void job_soft_resources(const struct job_document *document, const char *element)
{
	put_resources(document, element, document->job.soft_resources);
}

/* Queues */

static void put_queues(const struct job_document *document, const char *element, const char *queues)
{
	struct open_list list = { document->out, element, false };
	char piece[512];

	while (*queues) {
		size_t n = strcspn(queues, ",");

		snprintf(piece, sizeof(piece), "%.*s", (int)(n < sizeof(piece) ? n : sizeof(piece) - 1), queues);
		item_string(&list, "destin_ident_list", "QR_name", piece);
		queues += n + (queues[n] == ',');
	}
	list_end(&list);
}

void job_hard_queues(const struct job_document *document, const char *element)
{
	put_queues(document, element, document->request.hard_queues);
}

void job_soft_queues(const struct job_document *document, const char *element)
{
	put_queues(document, element, document->request.soft_queues);
}

void job_master_queues(const struct job_document *document, const char *element)
{
	put_queues(document, element, document->request.master_queues);
}

/* Other jobs */

static void put_predecessors(const struct job_document *document, const char *element, bool by_task)
{
	struct open_list list = { document->out, element, false };
	const char *item = by_task ? "job_predecessors_ad" : "job_predecessors";
	struct fl_job other;
	uint32_t number;

	for (size_t k = 0; k < PREDECESSORS_MOST &&
			   fl_predecessor(document->view, document->job.job_number, by_task, k, &number) == 0;
	     k++)
		if (fl_find(document->view, number, 0, &other) == 0)
			item_number(&list, item, "JRE_job_number", number);
	list_end(&list);
}

void job_predecessors(const struct job_document *document, const char *element)
{
	put_predecessors(document, element, false);
}

void job_array_predecessors(const struct job_document *document, const char *element)
{
	put_predecessors(document, element, true);
}

/*
 * Print the requested predecessors. Grid Engine puts them into elements for names, also when they
 * are numbers.
 */
static void put_asked(const struct job_document *document, const char *element, bool by_task)
{
	struct open_list list = { document->out, element, false };
	char name[16];
	uint32_t number;

	for (size_t k = 0; k < PREDECESSORS_MOST &&
			   fl_predecessor(document->view, document->job.job_number, by_task, k, &number) == 0;
	     k++) {
		snprintf(name, sizeof(name), "%u", number);
		list_add(&list, "element");
		xml_number(document->out, JOB_INDENT + 4, "JRE_job_number", 0);
		if (!by_task)
			xml_string(document->out, JOB_INDENT + 4, "JRE_job_name", name);
		xml_close(document->out, JOB_INDENT + 2, "element");
	}
	list_end(&list);
}

void job_asked_predecessors(const struct job_document *document, const char *element)
{
	put_asked(document, element, false);
}

void job_asked_array_predecessors(const struct job_document *document, const char *element)
{
	put_asked(document, element, true);
}

void job_successors(const struct job_document *document, const char *element)
{
	struct open_list list = { document->out, element, false };
	uint32_t numbers[PREDECESSORS_MOST];
	size_t n = fl_successors(document->view, document->job.job_number, numbers, PREDECESSORS_MOST);

	for (size_t k = 0; k < n && k < PREDECESSORS_MOST; k++)
		item_number(&list, "ulong_sublist", "JRE_job_number", numbers[k]);
	list_end(&list);
}

/* Tasks */

static void put_value(const struct job_document *document, const char *name, double value)
{
	xml_open(document->out, JOB_INDENT + 6, "scaled");
	xml_string(document->out, JOB_INDENT + 8, "UA_name", name);
	xml_fixed(document->out, JOB_INDENT + 8, "UA_value", value, 6);
	xml_close(document->out, JOB_INDENT + 6, "scaled");
}

/*
 * Print the current and the maximum memory of a task. The scheduler of a local cell reports both
 * with the description of the job.
 */
static void put_memory(const struct job_document *document, uint32_t task_number)
{
	for (size_t i = 0; document->described && i < document->described->nmemory; i++) {
		const struct described_memory *memory = &document->described->memory[i];

		if (memory->task != task_number)
			continue;
		if (memory->vmem > 0)
			put_value(document, "vmem", memory->vmem);
		if (memory->maxvmem > 0)
			put_value(document, "maxvmem", memory->maxvmem);
	}
}

static void put_usage(const struct job_document *document, const struct fl_job *task)
{
	struct fl_usage_value usage;
	bool has_memory = false;

	xml_open(document->out, JOB_INDENT + 4, "JAT_scaled_usage_list");
	for (size_t k = 0; k < 100 && fl_task_usage(document->view, task->job_number, task->task, k, &usage) == 0;
	     k++) {
		put_value(document, usage.name, usage.value);
		has_memory |= strcmp(usage.name, "vmem") == 0;
	}
	if (!has_memory)
		put_memory(document, task->task);
	xml_close(document->out, JOB_INDENT + 4, "JAT_scaled_usage_list");
}

/* Write the started tasks. */
void job_tasks(const struct job_document *document, const char *element)
{
	struct open_list list = { document->out, element, false };
	struct fl_job task;

	for (size_t k = 0; !document->out->error && fl_find(document->view, document->job.job_number, k, &task) == 0 &&
			   task.is_started;
	     k++) {
		list_add(&list, "ulong_sublist");
		xml_number(document->out, JOB_INDENT + 4, "JAT_status", STATUS_RUNNING);
		xml_number(document->out, JOB_INDENT + 4, "JAT_task_number", task.task);
		if (task.has_usage)
			put_usage(document, &task);
		xml_number(document->out, JOB_INDENT + 4, "JAT_start_time", task.start_time);
		xml_fixed(document->out, JOB_INDENT + 4, "JAT_ntix", task.ntckts, 6);
		xml_close(document->out, JOB_INDENT + 2, "ulong_sublist");
	}
	list_end(&list);
}

static void put_range(struct open_list *open, const char *item, uint32_t min, uint32_t max, uint32_t step)
{
	list_add(open, item);
	xml_number(open->out, JOB_INDENT + 4, "RN_min", min);
	xml_number(open->out, JOB_INDENT + 4, "RN_max", max);
	xml_number(open->out, JOB_INDENT + 4, "RN_step", step);
	xml_close(open->out, JOB_INDENT + 2, item);
}

/*
 * Write the task ids that the job was submitted with. Without a description from the scheduler,
 * write the ids that remain.
 */
void job_task_ids(const struct job_document *document, const char *element)
{
	static const struct range one = { 1, 1, 1 };
	struct open_list list = { document->out, element, false };
	const char *text = document->described ? document->described->tasks : NULL;
	struct ranges ids = { 0 };

	if (text && ranges_parse(&ids, text) == 0)
		for (size_t k = 0; k < ids.n; k++)
			put_range(&list, "task_id_range", ids.items[k].min, ids.items[k].max, ids.items[k].step);
	else if (!document->job.is_started)
		for (size_t k = 0; k < document->job.nranges; k++)
			put_range(&list, "task_id_range", document->job.tasks[k].min, document->job.tasks[k].max,
				  document->job.tasks[k].step);
	if (!list.begun)
		put_range(&list, "task_id_range", one.min, one.max, one.step);
	list_end(&list);
	ranges_free(&ids);
}

void job_slots(const struct job_document *document, const char *element)
{
	struct open_list list = { document->out, element, false };
	struct slot_ranges slots = { 0 };
	struct error error;

	if (!*document->job.pe || slots_parse(&slots, document->job.pe_range, &error))
		return;
	for (size_t k = 0; k < slots.n; k++) {
		const struct slot_range *range = &slots.items[k];

		put_range(&list, "ranges", range->min, range->max < SLOTS_LIMIT ? range->max : SLOTS_LIMIT,
			  range->step ? range->step : 1);
	}
	list_end(&list);
	slots_free(&slots);
}
