/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheduling information: each message once, with the jobs that it concerns. It is sent if it has
 * changed since it was last sent. schedd_job_info of sched_conf(5) is true, false, or job_list.
 */
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "conf/base/text_set.h"
#include "sched/dispatch/why/why.h"
#include "sched/process/log.h"
#include "sched/process/ranges.h"
#include "sched/qmaster/gridengine/info.h"
#include "sched/qmaster/gridengine/settlement_inside.h"

#define NAMED_MOST (1u << 20)		/* job numbers in all messages together: 13 bytes each */

struct info_message {
	uint32_t number;
	bool global;
	uint32_t *jobs;
	size_t n, capacity;
};

struct infos {
	struct text_set texts;
	struct info_message *messages;	/* indexed by the number of the text */
	size_t capacity, named;
};

static void infos_free(struct infos *infos)
{
	for (size_t i = 0; i < infos->texts.n; i++)
		free(infos->messages[i].jobs);
	free(infos->messages);
	text_set_free(&infos->texts);
}

static struct info_message *message_of(struct infos *infos, const struct info *info)
{
	uint32_t id = text_set_find(&infos->texts, info->text);

	if (id != INDEX_NONE)
		return &infos->messages[id];
	if (array_reserve(&infos->capacity, infos->texts.n + 1, COLUMN(infos->messages)))
		return NULL;
	if (text_set_add(&infos->texts, info->text, &id))
		return NULL;
	infos->messages[id] = (struct info_message){ .number = info->number, .global = info->global };
	return &infos->messages[id];
}

static int infos_add(struct infos *infos, const struct info *info, uint32_t job_number)
{
	struct info_message *message = message_of(infos, info);

	if (!message)
		return -ENOMEM;
	if (message->global || (message->n > 0 && message->jobs[message->n - 1] == job_number))
		return 0;
	if (array_reserve(&message->capacity, message->n + 1, COLUMN(message->jobs)))
		return -ENOMEM;
	message->jobs[message->n++] = job_number;
	infos->named++;
	return 0;
}

/* Return the value that the host reports for the attribute. NULL: none. */
static const char *offered_by(const struct sge *sge, const struct fl_why *why)
{
	const struct mirror *mirror = sge->intake->mirror;
	const struct reported_host *reported = mirror_find_host(mirror, why->object);
	char name[300];

	info_attribute(why, name, sizeof(name));
	for (size_t i = 0; reported && i < reported->nload; i++)
		if (strcmp(mirror_text(mirror, reported->load[i].name), name) == 0)
			return mirror_text(mirror, reported->load[i].value);
	return NULL;
}

static int job_add(struct sge *sge, struct infos *infos, const struct fl_view *view, const struct fl_job *job)
{
	uint16_t before = WHY_KINDS;
	struct fl_why why;
	struct info info;
	int rc = 0;

	/* predecessors are one message, however many there are */
	for (size_t k = 0; rc == 0 && fl_why(view, job->job_number, k, &why) == 0; before = why.number, k++)
		if ((why.number != WHY_PREDECESSOR || before != WHY_PREDECESSOR) &&
		    info_make(&info, &why, job->hard_resources,
			      why.number == WHY_ATTRIBUTE ? offered_by(sge, &why) : NULL))
			rc = infos_add(infos, &info, job->job_number);
	return rc;
}

/* Read the requested jobs; n == 0: all. false: none, or an invalid list. */
static bool is_wanted(const char *schedd_job_info, struct ranges *jobs)
{
	if (strncmp(schedd_job_info, "job_list", 8) == 0)
		return ranges_parse(jobs, schedd_job_info + 8 + strspn(schedd_job_info + 8, " \t")) == 0;
	return strcmp(schedd_job_info, "true") == 0;
}

static int infos_collect(struct sge *sge, struct infos *infos, const struct fl_view *view, const struct ranges *jobs)
{
	size_t n = fl_count(view, FL_PENDING);
	struct fl_job job;
	int rc = 0;

	for (size_t k = 0; rc == 0 && k < n && infos->named < NAMED_MOST; k++)
		if (fl_get(view, FL_PENDING, k, &job) == 0 && (jobs->n == 0 || ranges_contain(jobs, job.job_number)))
			rc = job_add(sge, infos, view, &job);
	return rc;
}

static uint64_t bytes_sum(const struct gdi_writer *writer)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = 0; i < writer->n; i++)
		sum = (sum ^ writer->bytes[i]) * 0x100000001b3u;
	return sum | 1;
}

static void infos_send(struct sge *sge, const struct infos *infos)
{
	struct packed_message *messages = calloc(infos->texts.n + 1, sizeof(*messages));
	struct packed made = { .credential = "" }, packed;
	uint64_t sum;

	for (size_t i = 0; messages && i < infos->texts.n; i++)
		messages[i] = (struct packed_message){ infos->messages[i].number, infos->texts.texts[i],
						       infos->messages[i].jobs, infos->messages[i].n };
	if (messages)
		packed_info(&made, messages, infos->texts.n);
	sum = bytes_sum(&made.w);
	if (messages && made.w.rc == 0 && sum != sge->settlement->info && packet_begin(sge, &packed)) {
		packed_info(&packed, messages, infos->texts.n);
		if (packet_send(sge, &packed))
			sge->settlement->info = sum;
	}
	packed_free(&made);
	free(messages);
}

/* Send the information. When it is switched off, the old information is removed. */
void info_send(struct sge *sge)
{
	const struct fl_view *view = tickets_view(sge);
	struct infos infos = { 0 };
	struct ranges jobs = { 0 };
	bool wanted;
	int rc = 0;

	if (!view)
		return;
	wanted = is_wanted(sched_cell(sge->sched)->sched.schedd_job_info, &jobs);
	if (wanted)
		rc = infos_collect(sge, &infos, view, &jobs);
	if (rc)
		log_line(LOG_FAILURE, "out of memory for the pending reasons of jobs");
	else if (wanted || sge->settlement->info)
		infos_send(sge, &infos);
	if (!wanted)
		sge->settlement->info = 0;
	infos_free(&infos);
	ranges_free(&jobs);
	fl_end(sge->settlement->shown.cell);
}
