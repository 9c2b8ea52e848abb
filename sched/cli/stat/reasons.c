/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reasons why jobs wait, each once with the jobs to which it applies. Printed as text, as the text
 * of qstat -j, and as the messages of qstat -xml -j.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/text_set.h"
#include "sched/cli/cluster/cluster.h"
#include "sched/cli/stat/job_xml.h"
#include "sched/cli/stat/messages.h"
#include "sched/process/ranges.h"

#define JOBS_SHOWN 200u		/* jobs shown per reason */
#define REASONS_MOST 1000u
#define QSTAT_JOBS 8u			/* jobs per line of qstat -j */

struct reason_jobs {
	const struct message_kind *message;
	uint32_t numbers[JOBS_SHOWN];
	uint64_t n;
};

struct reason_list {
	struct text_set texts;
	struct reason_jobs **jobs;	/* indexed by the number of the text */
	size_t n;
	uint64_t unknown;		/* jobs without a reason in the run */
	enum message_form form;
	const struct ranges *only;	/* jobs that are considered; NULL: all */
};

struct reason_text {			/* a reason while reasons are sorted */
	const char *text;
	struct reason_jobs *jobs;
};

static int reason_add(struct reason_list *reasons, const struct message_kind *message, const char *text,
		      uint32_t job_number)
{
	uint32_t number = text_set_find(&reasons->texts, text);
	struct reason_jobs *jobs;

	if (number == INDEX_NONE && reasons->n == REASONS_MOST)
		return 0;
	if (number == INDEX_NONE) {
		if (array_grow(&reasons->jobs, reasons->n + 1, sizeof(*reasons->jobs)) ||
		    !(reasons->jobs[reasons->n] = calloc(1, sizeof(**reasons->jobs))))
			return -ENOMEM;
		reasons->jobs[reasons->n++]->message = message;
		if (text_set_add(&reasons->texts, text, &number))
			return -ENOMEM;
	}
	jobs = reasons->jobs[number];
	if (jobs->n > 0 && jobs->n <= JOBS_SHOWN && jobs->numbers[jobs->n - 1] == job_number)
		return 0;
	if (jobs->n < JOBS_SHOWN)
		jobs->numbers[jobs->n] = job_number;
	jobs->n++;
	return 0;
}

static int reasons_of(const struct fl_view *view, struct reason_list *reasons, uint32_t job_number)
{
	char text[STAT_WHY_BYTES];
	struct fl_why why;
	bool held = false;
	size_t k = 0;
	int rc = 0;

	for (; rc == 0 && fl_why(view, job_number, k, &why) == 0; k++) {
		const struct message_kind *message = message_kind(why.kind);

		if (!message_text(message, reasons->form, text, sizeof(text)))
			fl_why_text(&why, text, sizeof(text));
		/*
		 * Grid Engine gives no further reason for a held job, and prints messages about
		 * queue instances separately.
		 */
		if (reasons->form == MESSAGE_SENTENCE || (!held && !message->of_queue))
			rc = reason_add(reasons, message, text, job_number);
		held |= message->number == MESSAGE_HELD;
	}
	reasons->unknown += k == 0;
	return rc;
}

static int reasons_find(const struct fl_view *view, struct job_listing *listing, struct reason_list *reasons)
{
	struct fl_job job;
	int rc = 0;

	for (size_t i = 0, n = fl_count(view, FL_PENDING); rc == 0 && i < n; i++)
		if (fl_get(view, FL_PENDING, i, &job) == 0 && stat_filter_has(&listing->filter, view, &job) &&
		    (!reasons->only || ranges_contain(reasons->only, job.job_number)))
			rc = reasons_of(view, reasons, job.job_number);
	return rc;
}

static void reasons_free(struct reason_list *reasons)
{
	text_set_free(&reasons->texts);
	for (size_t i = 0; i < reasons->n; i++)
		free(reasons->jobs[i]);
	free(reasons->jobs);
}

/* Print a line with the label, or below it. */
static void line_print(struct out *out, const char *text, bool is_first)
{
	if (is_first)
		stat_label(out, "scheduling info");
	else
		out_take(out, text_blanks(out_room(out, STAT_LABEL_BYTES), STAT_LABEL_BYTES));
	text_plain(out, text);
}

static void reasons_print(struct out *out, const struct reason_list *reasons)
{
	for (size_t i = 0; i < reasons->n; i++) {
		const struct reason_jobs *jobs = reasons->jobs[i];

		line_print(out, reasons->texts.texts[i], i == 0);
		for (uint64_t k = 0; k < jobs->n && k < JOBS_SHOWN; k++)
			out_put(out, k % 10 ? ",%8u" : "\n\t\t%8u", jobs->numbers[k]);
		if (jobs->n > JOBS_SHOWN)
			out_put(out, "\n\t\tand %llu more", (unsigned long long)(jobs->n - JOBS_SHOWN));
		out_text(out, "\n");
	}
	if (reasons->n == 0) {
		stat_label(out, "scheduling info");
		out_text(out, reasons->unknown ? "(none in this run)\n" : "no job waits\n");
	}
}

int stat_reasons(const struct fl_view *view, struct out *out, void *context)
{
	struct reason_list reasons = { .form = MESSAGE_SENTENCE };
	int rc = reasons_find(view, context, &reasons);

	if (rc == 0)
		reasons_print(out, &reasons);
	reasons_free(&reasons);
	return rc ? EXIT_NO_DATA : EXIT_OK;
}

/* Messages in XML */

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

/* Open a list of messages at its first member. An empty list is left out. */
static void list_open(struct out *out, const char *element, bool *begun, unsigned indent)
{
	if (!*begun)
		xml_open(out, indent, element);
	*begun = true;
}

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

/* Text of qstat -j, without a job */

/* Print a message that is not about jobs. */
static void message_qstat(struct out *out, const char *text, size_t *shown)
{
	line_print(out, text, (*shown)++ == 0);
	out_text(out, "\n");
}

/* Print messages about queue instances that accept no job. Return the number of lines. */
static size_t instances_qstat(const struct fl_view *view, struct out *out)
{
	struct fl_instance instance;
	size_t shown = 0, k = 0;
	char text[1000];

	for (size_t n = fl_instances(view); k < n && fl_instance(view, k, &instance) == 0 && !out->error; k++)
		if (instance_message(view, k, &instance, text))
			message_qstat(out, text, &shown);
	if (k > 0 && shown == k)
		message_qstat(out, "All queues dropped because of overload or full", &shown);
	return shown;
}

static int by_message(const void *a, const void *b)
{
	const struct reason_text *x = a, *y = b;

	if (x->jobs->message->number != y->jobs->message->number)
		return x->jobs->message->number < y->jobs->message->number ? -1 : 1;
	return strcmp(x->text, y->text);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void jobs_qstat(struct out *out, const struct reason_text *reason, bool is_first)
{
	struct reason_jobs *jobs = reason->jobs;
	size_t n = jobs->n < JOBS_SHOWN ? jobs->n : JOBS_SHOWN;

	if (!is_first)
		out_text(out, "\n");
	text_plain(out, reason->text);
	qsort(jobs->numbers, n, sizeof(*jobs->numbers), by_number);
	for (size_t k = 0; k < n; k++)
		out_put(out, k == 0 ? "\n\t%u" : k % QSTAT_JOBS ? ",\t%u" : ",\n\t%u", jobs->numbers[k]);
	if (jobs->n > n)
		out_put(out, "\n\tand %llu more", (unsigned long long)(jobs->n - n));
	out_text(out, "\n");
}

/* Print the reasons by the number of their message, like qstat. Returns 0 or -ENOMEM. */
static int reasons_qstat(struct out *out, const struct reason_list *reasons)
{
	struct reason_text *sorted = calloc(reasons->n + 1, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < reasons->n; i++)
		sorted[i] = (struct reason_text){ reasons->texts.texts[i], reasons->jobs[i] };
	qsort(sorted, reasons->n, sizeof(*sorted), by_message);
	for (size_t i = 0; i < reasons->n && !out->error; i++)
		jobs_qstat(out, &sorted[i], i == 0);
	free(sorted);
	return 0;
}

/*
 * Print the messages that schedd_job_info of the cell permits: "true", "false" or "job_list" and
 * ranges of jobs.
 */
static int messages_qstat(const struct fl_view *view, struct out *out, struct job_listing *listing,
			  const char *job_info)
{
	bool some = strncmp(job_info, "job_list", 8) == 0;
	struct ranges jobs = { 0 };
	struct reason_list reasons = { .form = MESSAGE_SUMMARY, .only = some ? &jobs : NULL };
	size_t shown = 0;
	int rc;

	if (!some && strcmp(job_info, "true") != 0) {
		message_qstat(out, "(Collecting of scheduler job information is turned off)", &shown);
		out_text(out, "\n");
		return 0;
	}
	rc = some ? ranges_parse(&jobs, job_info + 8 + strspn(job_info + 8, " \t")) : 0;
	rc = rc ? rc : reasons_find(view, listing, &reasons);
	if (rc == 0) {
		shown = instances_qstat(view, out);
		if (some)
			message_qstat(out, "(Scheduler job information not available for every job)", &shown);
		if (shown == 0 && reasons.n == 0)
			message_qstat(out, "There are no messages available", &shown);
		if (shown > 0)
			out_text(out, "\n");
		rc = reasons_qstat(out, &reasons);
	}
	ranges_free(&jobs);
	reasons_free(&reasons);
	return rc;
}

int stat_reasons_qstat(const struct fl_view *view, struct out *out, void *context)
{
	struct cluster_cell cell = { .loaded = false };
	int rc = cluster_cell_load(&cell, view);

	/* Without the configuration, which not all users may read, no message is left out. */
	if (rc != -ENOMEM)
		rc = messages_qstat(view, out, context, rc ? "true" : cell.cell.sched.schedd_job_info);
	cluster_cell_free(&cell);
	return rc ? EXIT_NO_DATA : EXIT_OK;
}

/* The same in XML */

static void instances_xml(const struct fl_view *view, struct out *out, unsigned indent)
{
	static const char element[] = "SME_global_message_list";
	struct fl_instance instance;
	bool begun = false;
	char text[1000];

	for (size_t k = 0, n = fl_instances(view); k < n && fl_instance(view, k, &instance) == 0 && !out->error; k++) {
		unsigned number = instance_message(view, k, &instance, text);

		if (!number)
			continue;
		list_open(out, element, &begun, indent);
		message_xml(out, number, text, NULL, indent + 2);
	}
	if (begun)
		xml_close(out, indent, element);
}

static void reasons_xml(const struct fl_view *view, struct out *out, const struct reason_list *reasons, unsigned indent)
{
	static const char element[] = "SME_message_list";
	bool begun = false;

	xml_open(out, indent, "element");
	for (size_t i = 0; i < reasons->n; i++) {
		list_open(out, element, &begun, indent + 2);
		message_xml(out, reasons->jobs[i]->message->number, reasons->texts.texts[i], reasons->jobs[i],
			    indent + 4);
	}
	if (begun)
		xml_close(out, indent + 2, element);
	instances_xml(view, out, indent + 2);
	xml_close(out, indent, "element");
}

void job_messages(const struct fl_view *view, struct out *out, struct job_listing *listing)
{
	struct reason_list reasons = { .form = MESSAGE_OF_JOB };

	for (size_t i = 0; i < listing->njobs; i++)
		if (listing->jobs[i].found && reasons_of(view, &reasons, listing->jobs[i].number))
			break;
	xml_open(out, 2, "messages");
	reasons_xml(view, out, &reasons, 4);
	xml_close(out, 2, "messages");
	reasons_free(&reasons);
}

int stat_reasons_xml(const struct fl_view *view, struct out *out, void *context)
{
	struct reason_list reasons = { .form = MESSAGE_SUMMARY };
	int rc = reasons_find(view, context, &reasons);

	if (rc == 0) {
		out_text(out, XML_HEAD "<message  xmlns:xsd=\"" XML_SCHEMAS "qstat/message.xsd\">\n");
		reasons_xml(view, out, &reasons, 2);
		out_text(out, "</message>\n");
	}
	reasons_free(&reasons);
	return rc ? EXIT_NO_DATA : EXIT_OK;
}
