/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "conf/number.h"
#include "sched/cli/shown_requests.h"
#include "sched/cli/stat_job_xml.h"
#include "sched/mirror/slots.h"
#include "sched/process/ranges.h"

#define PREDECESSORS_MOST 1000u
#define STATUS_RUNNING 128		/* JAT_status of a started task */

/* A list whose first member opens it, and which is closed if it has any. */
struct open_list {
	struct out *out;
	const char *element;
	bool begun;
};

static void list_add(struct open_list *l, const char *item)
{
	if (!l->begun)
		xml_open(l->out, JOB_INDENT, l->element);
	l->begun = true;
	xml_open(l->out, JOB_INDENT + 2, item);
}

static void list_end(struct open_list *l)
{
	if (l->begun)
		xml_close(l->out, JOB_INDENT, l->element);
}

static void item_string(struct open_list *l, const char *item, const char *member, const char *text)
{
	list_add(l, item);
	xml_string(l->out, JOB_INDENT + 4, member, text);
	xml_close(l->out, JOB_INDENT + 2, item);
}

static void item_number(struct open_list *l, const char *item, const char *member, int64_t number)
{
	list_add(l, item);
	xml_number(l->out, JOB_INDENT + 4, member, number);
	xml_close(l->out, JOB_INDENT + 2, item);
}

/* Resources */

/* The qmaster's number of a type; what no complex has is shown as a text. */
static unsigned value_type(const struct complex *complex)
{
	static const unsigned types[] = { [TYPE_INT] = 1, [TYPE_STRING] = 2, [TYPE_TIME] = 3, [TYPE_MEMORY] = 4, [TYPE_BOOL] = 5,
					  [TYPE_CSTRING] = 6, [TYPE_HOST] = 7, [TYPE_DOUBLE] = 8, [TYPE_RESTRING] = 9 };

	return complex ? types[complex->type] : 2;
}

static void put_request(struct open_list *l, const struct resource *request)
{
	static const char *const zeros[] = { "CE_dominant", "CE_pj_doubleval", "CE_pj_dominant", "CE_requestable", "CE_tagged" };
	static const char item[] = "qstat_l_requests";
	unsigned indent = JOB_INDENT + 4;
	char seconds[SHOWN_VALUE_BYTES];
	double value = 0;

	if (!request->complex || complex_is_text(request->complex) || number_parse(resource_value(request), &value))
		value = 0;
	list_add(l, item);
	xml_string(l->out, indent, "CE_name", request->name);
	xml_number(l->out, indent, "CE_valtype", value_type(request->complex));
	xml_string(l->out, indent, "CE_stringval", shown_request_value(request, seconds));
	xml_fixed(l->out, indent, "CE_doubleval", value, 6);
	xml_number(l->out, indent, "CE_relop", 0);
	xml_number(l->out, indent, "CE_consumable", request->complex ? request->complex->consumable : CONSUMABLE_NO);
	for (size_t k = 0; k < sizeof(zeros) / sizeof(*zeros); k++)
		xml_string(l->out, indent, zeros[k], strcmp(zeros[k], "CE_pj_doubleval") == 0 ? "0.000000" : "0");
	xml_close(l->out, JOB_INDENT + 2, item);
}

static void put_resources(const struct job_document *d, const char *element, const char *text)
{
	struct open_list list = { d->out, element, false };
	struct shown_requests shown;

	(void)shown_requests_read(&shown, &d->stat->cell_in_force, &d->job, text);
	for (size_t i = 0; i < shown.list.n; i++)
		put_request(&list, &shown.list.items[i]);
	list_end(&list);
	shown_requests_free(&shown);
}

void job_hard_resources(const struct job_document *d, const char *element)
{
	put_resources(d, element, d->job.hard_resources);
}

void job_soft_resources(const struct job_document *d, const char *element)
{
	put_resources(d, element, d->job.soft_resources);
}

/* Queues */

static void put_queues(const struct job_document *d, const char *element, const char *queues)
{
	struct open_list list = { d->out, element, false };
	char piece[512];

	while (*queues) {
		size_t n = strcspn(queues, ",");

		snprintf(piece, sizeof(piece), "%.*s", (int)(n < sizeof(piece) ? n : sizeof(piece) - 1), queues);
		item_string(&list, "destin_ident_list", "QR_name", piece);
		queues += n + (queues[n] == ',');
	}
	list_end(&list);
}

void job_hard_queues(const struct job_document *d, const char *element)
{
	put_queues(d, element, d->request.hard_queues);
}

void job_soft_queues(const struct job_document *d, const char *element)
{
	put_queues(d, element, d->request.soft_queues);
}

void job_master_queues(const struct job_document *d, const char *element)
{
	put_queues(d, element, d->request.master_queues);
}

/* Other jobs */

static void put_predecessors(const struct job_document *d, const char *element, bool by_task)
{
	struct open_list list = { d->out, element, false };
	const char *item = by_task ? "job_predecessors_ad" : "job_predecessors";
	struct fl_job other;
	uint32_t number;

	for (size_t k = 0; k < PREDECESSORS_MOST && fl_predecessor(d->view, d->job.job_number, by_task, k, &number) == 0; k++)
		if (fl_find(d->view, number, 0, &other) == 0)
			item_number(&list, item, "JRE_job_number", number);
	list_end(&list);
}

void job_predecessors(const struct job_document *d, const char *element)
{
	put_predecessors(d, element, false);
}

void job_array_predecessors(const struct job_document *d, const char *element)
{
	put_predecessors(d, element, true);
}

/* Names in place of numbers: what was asked for, though it was a number. */
static void put_asked(const struct job_document *d, const char *element, bool by_task)
{
	struct open_list list = { d->out, element, false };
	char name[16];
	uint32_t number;

	for (size_t k = 0; k < PREDECESSORS_MOST && fl_predecessor(d->view, d->job.job_number, by_task, k, &number) == 0; k++) {
		snprintf(name, sizeof(name), "%u", number);
		list_add(&list, "element");
		xml_number(d->out, JOB_INDENT + 4, "JRE_job_number", 0);
		if (!by_task)
			xml_string(d->out, JOB_INDENT + 4, "JRE_job_name", name);
		xml_close(d->out, JOB_INDENT + 2, "element");
	}
	list_end(&list);
}

void job_asked_predecessors(const struct job_document *d, const char *element)
{
	put_asked(d, element, false);
}

void job_asked_array_predecessors(const struct job_document *d, const char *element)
{
	put_asked(d, element, true);
}

void job_successors(const struct job_document *d, const char *element)
{
	struct open_list list = { d->out, element, false };
	uint32_t numbers[PREDECESSORS_MOST];
	size_t n = fl_successors(d->view, d->job.job_number, numbers, PREDECESSORS_MOST);

	for (size_t k = 0; k < n && k < PREDECESSORS_MOST; k++)
		item_number(&list, "ulong_sublist", "JRE_job_number", numbers[k]);
	list_end(&list);
}

/* Tasks */

static void put_value(const struct job_document *d, const char *name, double value)
{
	xml_open(d->out, JOB_INDENT + 6, "scaled");
	xml_string(d->out, JOB_INDENT + 8, "UA_name", name);
	xml_fixed(d->out, JOB_INDENT + 8, "UA_value", value, 6);
	xml_close(d->out, JOB_INDENT + 6, "scaled");
}

/* The memory that a task has now, and has had at most: the scheduler of a local cell reports it with the description of the job. */
static void put_memory(const struct job_document *d, uint32_t task_number)
{
	static const char *const names[] = { "vmem", "maxvmem" };
	const json_t *tasks = json_object_get(d->described, "memory"), *task;
	size_t i;

	json_array_foreach(tasks, i, task) {
		if (json_integer_value(json_object_get(task, "task")) != task_number)
			continue;
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
			if (json_number_value(json_object_get(task, names[k])) > 0)
				put_value(d, names[k], json_number_value(json_object_get(task, names[k])));
	}
}

static void put_usage(const struct job_document *d, const struct fl_job *task)
{
	struct fl_usage_value usage;
	bool has_memory = false;

	xml_open(d->out, JOB_INDENT + 4, "JAT_scaled_usage_list");
	for (size_t k = 0; k < 100 && fl_task_usage(d->view, task->job_number, task->task, k, &usage) == 0; k++) {
		put_value(d, usage.name, usage.value);
		has_memory |= strcmp(usage.name, "vmem") == 0;
	}
	if (!has_memory)
		put_memory(d, task->task);
	xml_close(d->out, JOB_INDENT + 4, "JAT_scaled_usage_list");
}

/* The started ones. */
void job_tasks(const struct job_document *d, const char *element)
{
	struct open_list list = { d->out, element, false };
	struct fl_job task;

	for (size_t k = 0; !d->out->error && fl_find(d->view, d->job.job_number, k, &task) == 0 && task.is_started; k++) {
		list_add(&list, "ulong_sublist");
		xml_number(d->out, JOB_INDENT + 4, "JAT_status", STATUS_RUNNING);
		xml_number(d->out, JOB_INDENT + 4, "JAT_task_number", task.task);
		if (task.has_usage)
			put_usage(d, &task);
		xml_number(d->out, JOB_INDENT + 4, "JAT_start_time", task.start_time);
		xml_fixed(d->out, JOB_INDENT + 4, "JAT_ntix", task.ntckts, 6);
		xml_close(d->out, JOB_INDENT + 2, "ulong_sublist");
	}
	list_end(&list);
}

static void put_range(struct open_list *l, const char *item, uint32_t min, uint32_t max, uint32_t step)
{
	list_add(l, item);
	xml_number(l->out, JOB_INDENT + 4, "RN_min", min);
	xml_number(l->out, JOB_INDENT + 4, "RN_max", max);
	xml_number(l->out, JOB_INDENT + 4, "RN_step", step);
	xml_close(l->out, JOB_INDENT + 2, item);
}

/* The ids that the job was submitted with; where the scheduler has not described it, those that are left. */
void job_task_ids(const struct job_document *d, const char *element)
{
	static const struct range one = { 1, 1, 1 };
	struct open_list list = { d->out, element, false };
	const char *text = described_text(d->asked, "tasks");
	struct ranges ids = { 0 };

	if (text && ranges_parse(&ids, text) == 0)
		for (size_t k = 0; k < ids.n; k++)
			put_range(&list, "task_id_range", ids.items[k].min, ids.items[k].max, ids.items[k].step);
	else if (!d->job.is_started)
		for (size_t k = 0; k < d->job.nranges; k++)
			put_range(&list, "task_id_range", d->job.tasks[k].min, d->job.tasks[k].max, d->job.tasks[k].step);
	if (!list.begun)
		put_range(&list, "task_id_range", one.min, one.max, one.step);
	list_end(&list);
	ranges_free(&ids);
}

void job_slots(const struct job_document *d, const char *element)
{
	struct open_list list = { d->out, element, false };
	struct slot_ranges slots = { 0 };
	struct error error;

	if (!*d->job.pe || slots_parse(&slots, d->job.pe_range, &error))
		return;
	for (size_t k = 0; k < slots.n; k++) {
		const struct slot_range *r = &slots.items[k];

		put_range(&list, "ranges", r->min, r->max < SLOTS_LIMIT ? r->max : SLOTS_LIMIT, r->step ? r->step : 1);
	}
	list_end(&list);
	slots_free(&slots);
}
