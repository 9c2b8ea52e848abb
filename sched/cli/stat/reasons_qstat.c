/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reasons why jobs wait, as the messages of qstat -j without a job, and of qstat -xml -j. The
 * messages about instances are `global`: they are not about jobs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/cli/cluster/cluster.h"
#include "sched/cli/stat/job_xml.h"
#include "sched/cli/stat/messages.h"
#include "sched/cli/stat/reasons.h"
#include "sched/process/ranges.h"

#define QSTAT_JOBS 8u			/* jobs per line of qstat -j */

struct global_message {
	unsigned number;
	char text[1000];
};

struct found_messages {
	struct reason_list reasons;
	struct reason_text *sorted;	/* the reasons in qstat's order */
	struct global_message *global;
	size_t nglobal;
};

struct reason_text {			/* a reason while reasons are sorted */
	const char *text;
	size_t place;			/* number of the reason */
	struct reason_jobs *jobs;
};

/* Queue instances */

/* Write the threshold that puts an instance into alarm, with the reported value. */
static void alarm_text(const struct fl_view *view, size_t instance, bool suspends, char *text, size_t size)
{
	struct fl_alarm alarm;
	size_t k = 0;

	*text = '\0';
	while (fl_alarm(view, instance, k, &alarm) == 0 && alarm.suspends != suspends)
		k++;
	if (fl_alarm(view, instance, k, &alarm) == 0)
		snprintf(text, size, "%.100s=%f (no load adjustment) >= %.100s", alarm.name, alarm.value, alarm.limit);
}

/* Return the number of the message about an instance that accepts no job. 0: it accepts jobs. */
static unsigned instance_message(const struct fl_view *view, size_t k, const struct fl_instance *instance,
				 char text[1000])
{
	char alarm[300];
	unsigned number = strpbrk(instance->state, "usSCEoc") ? 40
			  : strpbrk(instance->state, "dD")    ? 39
			  : strchr(instance->state, 'A')      ? 26
			  : strchr(instance->state, 'a')      ? 27
							      : 0;

	number = number || instance->used < instance->slots ? number : 37;
	alarm_text(view, k, number == 26, alarm, sizeof(alarm));
	if (number == 26)
		snprintf(text, 1000, "queue instance \"%.600s\" is in suspend alarm: %s", instance->name, alarm);
	else if (number == 27)
		snprintf(text, 1000, "queue instance \"%.600s\" dropped because it is overloaded: %s", instance->name,
			 alarm);
	else
		snprintf(text, 1000, "queue instance \"%.600s\" dropped because it is %s", instance->name,
			 number == 37 ? "full" : number == 39 ? "disabled" : "temporarily not available");
	return number;
}

/* Collection */

static int global_add(struct found_messages *messages, unsigned number, const char *text)
{
	struct global_message *message = array_add(&messages->global, &messages->nglobal, sizeof(*messages->global));

	if (!message)
		return -ENOMEM;
	message->number = number;
	snprintf(message->text, sizeof(message->text), "%s", text);
	return 0;
}

/* Collect messages about queue instances that accept no job. Returns 0 or -ENOMEM. */
static int instances_find(const struct fl_view *view, struct found_messages *messages)
{
	struct fl_instance instance;
	char text[1000];
	size_t k = 0;
	int rc = 0;

	for (size_t n = fl_instances(view); rc == 0 && k < n && fl_instance(view, k, &instance) == 0; k++) {
		unsigned number = instance_message(view, k, &instance, text);

		rc = number ? global_add(messages, number, text) : 0;
	}
	if (rc == 0 && k > 0 && messages->nglobal == k)
		rc = global_add(messages, 28, "All queues dropped because of overload or full");
	return rc;
}

/*
 * Return the place of a message. The built-in scheduler adds messages about jobs that it has not
 * considered last, in this order.
 */
static size_t message_place(unsigned number)
{
	static const unsigned last[] = { 32, MESSAGE_HELD, 31, 35, 45, 34 };
	size_t n = sizeof(last) / sizeof(*last);

	for (size_t k = 0; k < n; k++)
		if (last[k] == number)
			return k + 1;
	return 0;
}

static int by_message(const void *a, const void *b)
{
	const struct reason_text *x = a, *y = b;
	size_t xplace = message_place(x->jobs->message->number), yplace = message_place(y->jobs->message->number);

	if (xplace != yplace)
		return xplace < yplace ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Sort the reasons, and the jobs of each reason. Returns 0 or -ENOMEM. */
static int reasons_sort(struct found_messages *messages)
{
	const struct reason_list *reasons = &messages->reasons;

	messages->sorted = calloc(reasons->n + 1, sizeof(*messages->sorted));
	if (!messages->sorted)
		return -ENOMEM;
	for (size_t i = 0; i < reasons->n; i++) {
		struct reason_jobs *jobs = reasons->jobs[i];

		qsort(jobs->numbers, jobs->n < JOBS_SHOWN ? jobs->n : JOBS_SHOWN, sizeof(*jobs->numbers), by_number);
		messages->sorted[i] = (struct reason_text){ reasons->texts.texts[i], i, jobs };
	}
	qsort(messages->sorted, reasons->n, sizeof(*messages->sorted), by_message);
	return 0;
}

/*
 * Collect the messages that schedd_job_info of the cell permits: "true", "false" or "job_list" and
 * ranges of jobs.
 */
static int permitted_find(const struct fl_view *view, struct job_listing *listing, const char *job_info,
			  struct found_messages *messages)
{
	bool some = strncmp(job_info, "job_list", 8) == 0;
	struct ranges jobs = { 0 };
	int rc = 0;

	if (!some && strcmp(job_info, "true") != 0)
		return global_add(messages, 83, "(Collecting of scheduler job information is turned off)");
	messages->reasons.only = some ? &jobs : NULL;
	if (some)
		rc = ranges_parse(&jobs, job_info + 8 + strspn(job_info + 8, " \t"));
	rc = rc ? rc : reasons_find(view, listing, &messages->reasons);
	messages->reasons.only = NULL;
	ranges_free(&jobs);
	rc = rc ? rc : instances_find(view, messages);
	if (rc == 0 && some)
		rc = global_add(messages, 84, "(Scheduler job information not available for every job)");
	if (rc == 0 && messages->nglobal == 0 && messages->reasons.n == 0)
		rc = global_add(messages, 90, "There are no messages available");
	return rc;
}

static int messages_find(const struct fl_view *view, struct job_listing *listing, struct found_messages *messages)
{
	struct cluster_cell cell = { .loaded = false };
	int rc = cluster_cell_load(&cell, view);

	messages->reasons.form = MESSAGE_SUMMARY;
	/* Without the configuration, which not all users may read, no message is left out. */
	if (rc != -ENOMEM)
		rc = permitted_find(view, listing, rc ? "true" : cell.cell.sched.schedd_job_info, messages);
	cluster_cell_free(&cell);
	return rc ? rc : reasons_sort(messages);
}

static void found_messages_free(struct found_messages *messages)
{
	reasons_free(&messages->reasons);
	free(messages->sorted);
	free(messages->global);
}

/* Text of qstat -j, without a job */

static void jobs_qstat(struct out *out, const struct reason_text *reason, bool is_first)
{
	const struct reason_jobs *jobs = reason->jobs;
	size_t n = jobs->n < JOBS_SHOWN ? jobs->n : JOBS_SHOWN;

	if (!is_first)
		out_text(out, "\n");
	text_plain(out, reason->text);
	for (size_t k = 0; k < n; k++)
		out_put(out, k == 0 ? "\n\t%u" : k % QSTAT_JOBS ? ",\t%u" : ",\n\t%u", jobs->numbers[k]);
	if (jobs->n > n)
		out_put(out, "\n\tand %llu more", (unsigned long long)(jobs->n - n));
	out_text(out, "\n");
}

int stat_reasons_qstat(const struct fl_view *view, struct out *out, void *context)
{
	struct found_messages messages = { .nglobal = 0 };
	int rc = messages_find(view, context, &messages);

	for (size_t i = 0; rc == 0 && i < messages.nglobal && !out->error; i++) {
		reasons_line(out, messages.global[i].text, i == 0);
		out_text(out, "\n");
	}
	if (rc == 0 && messages.nglobal > 0)
		out_text(out, "\n");
	for (size_t i = 0; rc == 0 && i < messages.reasons.n && !out->error; i++)
		jobs_qstat(out, &messages.sorted[i], i == 0);
	found_messages_free(&messages);
	return rc ? EXIT_NO_DATA : EXIT_OK;
}

/* XML */

static void jobs_xml(struct out *out, const struct reason_jobs *jobs, unsigned indent)
{
	xml_open(out, indent, "MES_job_number_list");
	for (uint64_t k = 0; k < jobs->n && k < JOBS_SHOWN; k++) {
		xml_open(out, indent + 2, "ulong_sublist");
		xml_number(out, indent + 4, "ULNG_value", jobs->numbers[k]);
		xml_close(out, indent + 2, "ulong_sublist");
	}
	xml_close(out, indent, "MES_job_number_list");
}

static void message_xml(struct out *out, unsigned number, const char *text, const struct reason_jobs *jobs,
			unsigned indent)
{
	xml_open(out, indent, "element");
	if (jobs)
		jobs_xml(out, jobs, indent + 2);
	xml_number(out, indent + 2, "MES_message_number", number);
	xml_string(out, indent + 2, "MES_message", text);
	xml_close(out, indent, "element");
}

static void messages_xml(struct out *out, const struct found_messages *messages, unsigned indent)
{
	xml_open(out, indent, "element");
	if (messages->reasons.n > 0)
		xml_open(out, indent + 2, "SME_message_list");
	for (size_t i = 0; i < messages->reasons.n; i++)
		message_xml(out, messages->sorted[i].jobs->message->number, messages->sorted[i].text,
			    messages->sorted[i].jobs, indent + 4);
	if (messages->reasons.n > 0)
		xml_close(out, indent + 2, "SME_message_list");
	if (messages->nglobal > 0)
		xml_open(out, indent + 2, "SME_global_message_list");
	for (size_t i = 0; i < messages->nglobal; i++)
		message_xml(out, messages->global[i].number, messages->global[i].text, NULL, indent + 4);
	if (messages->nglobal > 0)
		xml_close(out, indent + 2, "SME_global_message_list");
	xml_close(out, indent, "element");
}

void job_messages(const struct fl_view *view, struct out *out, struct job_listing *listing)
{
	struct found_messages messages = { .reasons = { .form = MESSAGE_OF_JOB } };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < listing->njobs; i++)
		if (listing->jobs[i].found)
			rc = reasons_of(view, &messages.reasons, listing->jobs[i].number);
	rc = rc ? rc : instances_find(view, &messages);
	rc = rc ? rc : reasons_sort(&messages);
	xml_open(out, 2, "messages");
	if (rc == 0)
		messages_xml(out, &messages, 4);
	xml_close(out, 2, "messages");
	found_messages_free(&messages);
}

int stat_reasons_xml(const struct fl_view *view, struct out *out, void *context)
{
	struct found_messages messages = { .nglobal = 0 };
	int rc = messages_find(view, context, &messages);

	if (rc == 0) {
		out_text(out, XML_HEAD "<message  xmlns:xsd=\"" XML_SCHEMAS "qstat/message.xsd\">\n");
		messages_xml(out, &messages, 2);
		out_text(out, "</message>\n");
	}
	found_messages_free(&messages);
	return rc ? EXIT_NO_DATA : EXIT_OK;
}
