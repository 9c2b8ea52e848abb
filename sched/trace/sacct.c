/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What sacct -P prints: a header that names the fields, then a line for each job, in fields with
 * '|' between them. Steps, "12.batch", are parts of the job above; "12_3" is a task of an array,
 * "12+1" a component of a heterogeneous job.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sched/trace/inside.h"
#include "sched/trace/sacct_values.h"

/* Places of what is read in a line's fields. FREE: of no use, but users may have written a '|'. */
enum sacct_field {
	OTHER, FREE, JOB_ID, JOB_ID_RAW, SUBMIT, START, END, ELAPSED, ELAPSED_RAW, TIMELIMIT, TIMELIMIT_RAW, ALLOC_CPUS, N_CPUS, REQ_CPUS, REQ_MEM, N_NODES, ALLOC_NODES,
	USER, GROUP, ACCOUNT, PARTITION, QOS, STATE, JOB_NAME, TOTAL_CPU, SACCT_FIELDS
};

static const struct {
	const char *name;
	enum sacct_field field;
} names[] = {
	{ "JobID", JOB_ID }, { "JobIDRaw", JOB_ID_RAW }, { "Submit", SUBMIT }, { "Start", START }, { "End", END }, { "Elapsed", ELAPSED },
	{ "ElapsedRaw", ELAPSED_RAW }, { "Timelimit", TIMELIMIT }, { "TimelimitRaw", TIMELIMIT_RAW }, { "AllocCPUS", ALLOC_CPUS }, { "NCPUS", N_CPUS },
	{ "ReqCPUS", REQ_CPUS }, { "ReqMem", REQ_MEM }, { "NNodes", N_NODES }, { "AllocNodes", ALLOC_NODES }, { "User", USER }, { "Group", GROUP },
	{ "Account", ACCOUNT }, { "Partition", PARTITION }, { "QOS", QOS }, { "State", STATE }, { "JobName", JOB_NAME }, { "TotalCPU", TOTAL_CPU },
	{ "AdminComment", FREE }, { "Comment", FREE }, { "SystemComment", FREE }, { "Constraints", FREE }, { "Container", FREE }, { "SubmitLine", FREE },
	{ "WorkDir", FREE }, { "Reason", FREE },
};

_Static_assert(SACCT_FIELDS <= SACCT_MEANINGS, "there is room for which are there");

static enum sacct_field field_find(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcasecmp(name, names[i].name) == 0)
			return names[i].field;
	return OTHER;
}

bool sacct_knows(const char *line)
{
	for (const char *at = line; strchr(line, '|'); at++) {
		size_t n = strcspn(at, "|");

		if ((n == 5 || n == 8) && strncasecmp(at, "JobIDRaw", n) == 0)
			return true;
		at += n;
		if (!*at)
			break;
	}
	return false;
}

/* The header */

static int there_check(struct trace *t, struct error *e)
{
	const bool *there = t->sacct.there;
	const char *lacks = NULL;

	if (!there[JOB_ID] && !there[JOB_ID_RAW])
		lacks = "JobID";
	else if (!there[USER])
		lacks = "User";
	else if (!there[SUBMIT])
		lacks = "Submit";
	else if (!there[ELAPSED] && !there[ELAPSED_RAW] && (!there[START] || !there[END]))
		lacks = "ElapsedRaw (or Elapsed, or Start and End)";
	else if (!there[ALLOC_CPUS] && !there[N_CPUS] && !there[REQ_CPUS])
		lacks = "AllocCPUS (or NCPUS, or ReqCPUS)";
	if (!lacks)
		return TAKE_NONE;
	return trace_fault(t, e, "no field %s; sacct -aPX --format=JobID,User,Account,Partition,QOS,Submit,Start,End,ElapsedRaw,Timelimit,ReqCPUS,AllocCPUS,"
			   "ReqMem,State", lacks);
}

static int fields_name(struct trace *t, char *line, struct error *e)
{
	struct sacct *s = &t->sacct;
	size_t free_texts = 0;
	char *name;

	while ((name = strsep(&line, "|"))) {
		enum sacct_field field = field_find(name);

		if (!line && !*name) {		/* sacct -p: one more '|', in each line */
			s->trailing = true;
			break;
		}
		if (s->n == SACCT_FIELDS_MOST)
			return trace_fault(t, e, "more than %d fields", SACCT_FIELDS_MOST);
		if (field > FREE && s->there[field])
			return trace_fault(t, e, "a second field %.40s", name);
		s->there[field] = true;
		if (field == FREE || field == JOB_NAME) {
			s->first_free = free_texts ? s->first_free : s->n;
			free_texts++;
			s->free_text = s->n;
		}
		s->meaning[s->n++] = (uint8_t)field;
	}
	if (free_texts != 1)
		s->free_text = s->n;
	if (free_texts == 0)
		s->first_free = s->n;
	return there_check(t, e);
}

int sacct_header(struct trace *t, char *line, size_t n, struct error *e)
{
	(void)n;
	if (t->sacct.n > 0)
		return TAKE_JOB;
	return fields_name(t, line, e);
}

/* A record */

struct sacct_record {
	char *text[SACCT_FIELDS];	/* NULL: there is no such field */
};

/* Cuts a record up. Fields beyond those of the header are pieces of the free text. */
static int record_split(struct trace *t, char *line, size_t bytes, struct sacct_record *r, struct error *e)
{
	const struct sacct *s = &t->sacct;
	size_t n = 1, surplus;

	for (size_t i = 0; i < bytes; i++)
		n += line[i] == '|';
	if (s->trailing && n > s->n && line[bytes - 1] == '|') {
		line[bytes - 1] = '\0';
		n--;
	}
	if (n != s->n && (n < s->n || s->free_text == s->n))
		return trace_fault(t, e, "%zu fields, where the header has %zu%s", n, s->n, n < s->n ? "" : "; a '|' in a text can't be told from a separator");
	if (n > s->n)
		trace_note(t, TRACE_COLONS);
	surplus = n - s->n;
	for (size_t i = 0; i < s->n; i++) {
		r->text[s->meaning[i]] = line;
		for (size_t more = i == s->free_text ? surplus : 0; more > 0; more--)
			line = strchr(line, '|') + 1;
		line = strchr(line, '|');
		if (line)
			*line++ = '\0';
	}
	return 0;
}

static int value_fault(struct trace *t, enum sacct_field field, const char *text, const char *allowed, struct error *e)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].field == field)
			return trace_fault(t, e, "%s is \"%.40s\"; allowed: %s", names[i].name, text, allowed);
	return -EINVAL;
}

/* -1: the field is not there, or says that nobody knows. */
static int time_read(struct trace *t, const struct sacct_record *r, enum sacct_field field, int64_t *time, struct error *e)
{
	*time = -1;
	if (!r->text[field] || sacct_time(&t->sacct, r->text[field], time) == 0)
		return 0;
	return value_fault(t, field, r->text[field], "2024-01-31T23:59:59, Unknown, None, or epoch seconds", e);
}

static int seconds_read(struct trace *t, const struct sacct_record *r, enum sacct_field field, int64_t unit, int64_t *seconds, struct error *e)
{
	const char *text = r->text[field];

	*seconds = -1;
	if (!text || sacct_seconds(text, unit, seconds) == 0)
		return 0;
	return value_fault(t, field, text, unit == 60 ? "minutes, UNLIMITED, Partition_Limit" : "seconds, [days-]h:m:s, UNLIMITED, Partition_Limit", e);
}

static int count_read(struct trace *t, const struct sacct_record *r, enum sacct_field field, int64_t *count, struct error *e)
{
	*count = 0;
	if (!r->text[field] || sacct_count(r->text[field], SLOTS_MOST, count) == 0)
		return 0;
	return value_fault(t, field, r->text[field], "0 to 1000000000", e);
}

/* TAKE_NONE: it is a step. */
static int id_read(struct trace *t, const struct sacct_record *r, struct sacct_id *id, struct error *e)
{
	enum sacct_field field = r->text[JOB_ID] ? JOB_ID : JOB_ID_RAW;
	struct sacct_id raw;

	if (sacct_id_read(r->text[field], id))
		return value_fault(t, field, r->text[field], "12, 12_3, 12_[4-6], 12+1, and steps of these, 12.batch", e);
	t->about.records++;
	if (id->is_step)
		return trace_leave(t, TRACE_PART);
	if (id->is_component) {
		trace_note(t, TRACE_COMPONENTS);
		if (field == JOB_ID && r->text[JOB_ID_RAW] && sacct_id_read(r->text[JOB_ID_RAW], &raw) == 0)
			id->number = raw.number;
	}
	return TAKE_JOB;
}

struct sacct_times {
	int64_t submit, start, end, elapsed_s, limit_s;
};

static int times_read(struct trace *t, const struct sacct_record *r, struct sacct_times *times, struct error *e)
{
	enum sacct_field limit = r->text[TIMELIMIT_RAW] ? TIMELIMIT_RAW : TIMELIMIT;
	int rc = time_read(t, r, SUBMIT, &times->submit, e);

	if (rc == 0)
		rc = time_read(t, r, START, &times->start, e);
	if (rc == 0)
		rc = time_read(t, r, END, &times->end, e);
	if (rc == 0)
		rc = seconds_read(t, r, r->text[ELAPSED_RAW] ? ELAPSED_RAW : ELAPSED, 1, &times->elapsed_s, e);
	return rc ? rc : seconds_read(t, r, limit, limit == TIMELIMIT_RAW ? 60 : 1, &times->limit_s, e);
}

static int texts_take(struct trace *t, const struct sacct_record *r, struct trace_job *job, struct error *e)
{
	const struct {
		enum sacct_field field;
		enum text_kind kind;
		const char **kept;
	} rows[] = {
		{ USER, TEXT_USER, &job->user }, { GROUP, TEXT_GROUP, &job->group }, { ACCOUNT, TEXT_PROJECT, &job->project },
		{ PARTITION, TEXT_PARTITION, &job->partition }, { QOS, TEXT_QOS, &job->qos }, { JOB_NAME, TEXT_NAME, &job->name },
	};
	char unknown[] = "unknown";

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = r->text[rows[i].field];
		int rc = text && *text ? trace_text(t, rows[i].kind, text, rows[i].kept, e) : 0;

		if (rc)
			return rc;
	}
	if (job->user)
		return 0;
	trace_note(t, TRACE_NO_USER);
	return trace_text(t, TEXT_USER, unknown, &job->user, e);
}

/* "4000Mc" is for each CPU, "4Gn" for each node, "4G" for the job. */
static int memory_read(struct trace *t, const struct sacct_record *r, struct trace_job *job, int64_t nodes, struct error *e)
{
	double bytes = 0;
	char of;

	if (!r->text[REQ_MEM])
		return 0;
	if (sacct_memory(r->text[REQ_MEM], &bytes, &of))
		return value_fault(t, REQ_MEM, r->text[REQ_MEM], "4000M, 1.5G, with c for each CPU or n for each node behind it", e);
	if (of == 'n' && nodes == 0 && bytes > 0)
		trace_note(t, TRACE_NODE_MEMORY);
	if (of == 'n')
		bytes *= (double)nodes;
	if (of != 'c')
		bytes /= job->slots;
	job->memory_bytes = bytes < 1e18 ? (uint64_t)bytes : 0;
	return 0;
}

static enum trace_status status_of(const char *state)
{
	if (!state || !*state)
		return TRACE_STATUS_UNKNOWN;
	if (strncmp(state, "COMPLETED", 9) == 0)
		return TRACE_DONE;
	return strncmp(state, "CANCELLED", 9) == 0 ? TRACE_CANCELLED : TRACE_FAILED;
}

/* States of jobs that have yet to end. */
static bool state_goes_on(const char *state)
{
	static const char *const on[] = { "PENDING", "RUNNING", "SUSPENDED", "CONFIGURING", "COMPLETING", "REQUEUED", "REQUEUE_HOLD", "RESIZING", "STOPPED" };

	for (size_t i = 0; state && i < sizeof(on) / sizeof(*on); i++)
		if (strcmp(state, on[i]) == 0)
			return true;
	return false;
}

/* Which of the two numbers of CPUs; both are at least 0. */
static uint32_t slots_choose(struct trace *t, int64_t allocated, int64_t requested)
{
	if (requested == 0 && allocated > 0)
		trace_note(t, TRACE_ALLOCATED);
	else if (allocated == 0 && requested > 0)
		trace_note(t, TRACE_REQUESTED);
	else if (allocated != requested)
		trace_note(t, TRACE_DIFFERENT_SLOTS);
	if (t->options.allocated)
		return (uint32_t)(allocated > 0 ? allocated : requested);
	return (uint32_t)(requested > 0 ? requested : allocated);
}

static int job_give(struct trace *t, const struct sacct_record *r, const struct sacct_times *times, struct trace_job *job, struct error *e)
{
	int64_t allocated, requested, nodes;
	int rc = count_read(t, r, r->text[ALLOC_CPUS] ? ALLOC_CPUS : N_CPUS, &allocated, e);

	if (rc == 0)
		rc = count_read(t, r, REQ_CPUS, &requested, e);
	if (rc == 0)
		rc = count_read(t, r, r->text[N_NODES] ? N_NODES : ALLOC_NODES, &nodes, e);
	if (rc)
		return rc;
	if (times->submit < 0)
		return trace_leave(t, TRACE_NO_SUBMIT);
	if (state_goes_on(r->text[STATE]))
		return trace_leave(t, TRACE_NOT_ENDED);
	if ((r->text[START] && times->start < 0) || (job->status == TRACE_CANCELLED && times->elapsed_s == 0 && allocated == 0))
		return trace_leave(t, TRACE_NOT_STARTED);
	if (r->text[END] && times->end < 0)
		return trace_leave(t, TRACE_NOT_ENDED);
	job->run_s = times->elapsed_s >= 0 ? times->elapsed_s : times->end - times->start;
	if (job->run_s < 0)
		return trace_leave(t, TRACE_NO_RUN_TIME);
	if (allocated + requested == 0)
		return trace_leave(t, TRACE_NO_SLOTS);
	job->slots = slots_choose(t, allocated, requested);
	job->submit = times->submit;
	job->limit_s = times->limit_s > 0 ? times->limit_s : 0;
	trace_started(t, job, times->start > 0 ? times->start : 0);
	t->about.allocated_s += (double)(allocated > 0 ? allocated : requested) * (double)job->run_s;
	return memory_read(t, r, job, nodes, e);
}

int sacct_take(struct trace *t, char *line, size_t n, struct trace_job *job, struct error *e)
{
	struct sacct_record r = { .text = { NULL } };
	struct sacct_times times;
	struct sacct_id id;
	int64_t cpu_s;
	int rc = sacct_join(t, &line, &n, e);

	if (rc == 0)
		rc = record_split(t, line, n, &r, e);
	if (rc == 0)
		rc = id_read(t, &r, &id, e);
	if (rc == 0)
		rc = times_read(t, &r, &times, e);
	if (rc == 0)
		rc = texts_take(t, &r, job, e);
	if (rc)
		return rc;
	if (t->sacct.open)
		job->line = t->sacct.open_line;
	job->number = id.number;
	job->task = id.task;
	job->is_array = id.is_array;
	job->status = status_of(r.text[STATE]);
	if (r.text[TOTAL_CPU] && sacct_seconds(r.text[TOTAL_CPU], 1, &cpu_s) == 0 && cpu_s >= 0)
		job->cpu_s = (double)cpu_s;
	if (id.is_pending)
		return trace_leave(t, job->status == TRACE_CANCELLED ? TRACE_NOT_STARTED : TRACE_NOT_ENDED);
	return job_give(t, &r, &times, job, e);
}
