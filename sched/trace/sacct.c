/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader of the output of sacct -P: a header with the names of the fields, then a line for each
 * job, with fields separated by '|'. Steps, "12.batch", are parts of the job above. "12_3" is a
 * task of an array, "12+1" a component of a heterogeneous job.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sched/trace/inside.h"
#include "sched/trace/sacct_values.h"

/* Fields of a line that are read. FREE: not used, but users may have written a '|' in it. */
enum sacct_field {
	OTHER,
	FREE,
	JOB_ID,
	JOB_ID_RAW,
	SUBMIT,
	START,
	END,
	ELAPSED,
	ELAPSED_RAW,
	TIMELIMIT,
	TIMELIMIT_RAW,
	ALLOC_CPUS,
	N_CPUS,
	REQ_CPUS,
	REQ_MEM,
	N_NODES,
	ALLOC_NODES,
	USER,
	GROUP,
	ACCOUNT,
	PARTITION,
	QOS,
	STATE,
	JOB_NAME,
	TOTAL_CPU,
	SACCT_FIELDS
};

static const struct {
	const char *name;
	enum sacct_field field;
} names[] = {
	{ "JobID", JOB_ID }, { "JobIDRaw", JOB_ID_RAW }, { "Submit", SUBMIT }, { "Start", START }, { "End", END },
	{ "Elapsed", ELAPSED }, { "ElapsedRaw", ELAPSED_RAW }, { "Timelimit", TIMELIMIT },
	{ "TimelimitRaw", TIMELIMIT_RAW }, { "AllocCPUS", ALLOC_CPUS }, { "NCPUS", N_CPUS }, { "ReqCPUS", REQ_CPUS },
	{ "ReqMem", REQ_MEM }, { "NNodes", N_NODES }, { "AllocNodes", ALLOC_NODES }, { "User", USER },
	{ "Group", GROUP }, { "Account", ACCOUNT }, { "Partition", PARTITION }, { "QOS", QOS }, { "State", STATE },
	{ "JobName", JOB_NAME }, { "TotalCPU", TOTAL_CPU }, { "AdminComment", FREE }, { "Comment", FREE },
	{ "SystemComment", FREE }, { "Constraints", FREE }, { "Container", FREE }, { "SubmitLine", FREE },
	{ "WorkDir", FREE }, { "Reason", FREE },
};

_Static_assert(SACCT_FIELDS <= SACCT_MEANINGS, "one bit for each field");

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

/* Header */

static int there_check(struct trace *trace, struct error *error)
{
	const bool *there = trace->sacct.there;
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
	return trace_fault(
		trace, error,
		"no field %s; sacct -aPX "
		"--format=JobID,User,Account,Partition,QOS,Submit,Start,End,ElapsedRaw,Timelimit,ReqCPUS,AllocCPUS,"
		"ReqMem,State",
		lacks);
}

static int fields_name(struct trace *trace, char *line, struct error *error)
{
	struct sacct *sacct = &trace->sacct;
	size_t free_texts = 0;
	char *name;

	while ((name = strsep(&line, "|"))) {
		enum sacct_field field = field_find(name);

		if (!line && !*name) {		/* sacct -p: one '|' more in each line */
			sacct->trailing = true;
			break;
		}
		if (sacct->n == SACCT_FIELDS_MOST)
			return trace_fault(trace, error, "more than %d fields", SACCT_FIELDS_MOST);
		if (field > FREE && sacct->there[field])
			return trace_fault(trace, error, "a second field %.40s", name);
		sacct->there[field] = true;
		if (field == FREE || field == JOB_NAME) {
			sacct->first_free = free_texts ? sacct->first_free : sacct->n;
			free_texts++;
			sacct->free_text = sacct->n;
		}
		sacct->meaning[sacct->n++] = (uint8_t)field;
	}
	if (free_texts != 1)
		sacct->free_text = sacct->n;
	if (free_texts == 0)
		sacct->first_free = sacct->n;
	return there_check(trace, error);
}

int sacct_header(struct trace *trace, char *line, size_t n, struct error *error)
{
	(void)n;
	if (trace->sacct.n > 0)
		return TAKE_JOB;
	return fields_name(trace, line, error);
}

/* Record */

struct sacct_record {
	char *text[SACCT_FIELDS];	/* NULL: the field is missing */
};

/* Split a record. Surplus fields are pieces of the free text. */
static int record_split(struct trace *trace, char *line, size_t bytes, struct sacct_record *record, struct error *error)
{
	const struct sacct *sacct = &trace->sacct;
	size_t n = 1, surplus;

	for (size_t i = 0; i < bytes; i++)
		n += line[i] == '|';
	if (sacct->trailing && n > sacct->n && line[bytes - 1] == '|') {
		line[bytes - 1] = '\0';
		n--;
	}
	if (n != sacct->n && (n < sacct->n || sacct->free_text == sacct->n))
		return trace_fault(trace, error, "%zu fields; the header has %zu%s", n, sacct->n,
				   n < sacct->n ? "" : "; a '|' in a text looks like a separator");
	if (n > sacct->n)
		trace_note(trace, TRACE_COLONS);
	surplus = n - sacct->n;
	for (size_t i = 0; i < sacct->n; i++) {
		record->text[sacct->meaning[i]] = line;
		for (size_t more = i == sacct->free_text ? surplus : 0; more > 0; more--)
			line = strchr(line, '|') + 1;
		line = strchr(line, '|');
		if (line)
			*line++ = '\0';
	}
	return 0;
}

static int value_fault(struct trace *trace, enum sacct_field field, const char *text, const char *allowed,
		       struct error *error)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].field == field)
			return trace_fault(trace, error, "%s is \"%.40s\"; allowed: %s", names[i].name, text, allowed);
	return -EINVAL;
}

/* Read a time. -1: the field is missing, or its value is unknown. */
static int time_read(struct trace *trace, const struct sacct_record *record, enum sacct_field field, int64_t *time,
		     struct error *error)
{
	*time = -1;
	if (!record->text[field] || sacct_time(&trace->sacct, record->text[field], time) == 0)
		return 0;
	return value_fault(trace, field, record->text[field], "2024-01-31T23:59:59, Unknown, None, or epoch seconds",
			   error);
}

static int seconds_read(struct trace *trace, const struct sacct_record *record, enum sacct_field field, int64_t unit,
			int64_t *seconds, struct error *error)
{
	const char *text = record->text[field];

	*seconds = -1;
	if (!text || sacct_seconds(text, unit, seconds) == 0)
		return 0;
	return value_fault(trace, field, text,
			   unit == 60 ? "minutes, UNLIMITED, Partition_Limit"
				      : "seconds, [days-]h:m:s, UNLIMITED, Partition_Limit",
			   error);
}

static int count_read(struct trace *trace, const struct sacct_record *record, enum sacct_field field, int64_t *count,
		      struct error *error)
{
	*count = 0;
	if (!record->text[field] || sacct_count(record->text[field], SLOTS_MOST, count) == 0)
		return 0;
	return value_fault(trace, field, record->text[field], "0 to 1000000000", error);
}

/* Read the job id. TAKE_NONE: it is a step. */
static int id_read(struct trace *trace, const struct sacct_record *record, struct sacct_id *id, struct error *error)
{
	enum sacct_field field = record->text[JOB_ID] ? JOB_ID : JOB_ID_RAW;
	struct sacct_id raw;

	if (sacct_id_read(record->text[field], id))
		return value_fault(trace, field, record->text[field],
				   "12, 12_3, 12_[4-6], 12+1, and steps of these, 12.batch", error);
	trace->about.records++;
	if (id->is_step)
		return trace_leave(trace, TRACE_PART);
	if (id->is_component) {
		trace_note(trace, TRACE_COMPONENTS);
		if (field == JOB_ID && record->text[JOB_ID_RAW] && sacct_id_read(record->text[JOB_ID_RAW], &raw) == 0)
			id->number = raw.number;
	}
	return TAKE_JOB;
}

struct sacct_times {
	int64_t submit, start, end, elapsed_s, limit_s;
};

static int times_read(struct trace *trace, const struct sacct_record *record, struct sacct_times *times,
		      struct error *error)
{
	enum sacct_field limit = record->text[TIMELIMIT_RAW] ? TIMELIMIT_RAW : TIMELIMIT;
	int rc = time_read(trace, record, SUBMIT, &times->submit, error);

	if (rc == 0)
		rc = time_read(trace, record, START, &times->start, error);
	if (rc == 0)
		rc = time_read(trace, record, END, &times->end, error);
	if (rc == 0)
		rc = seconds_read(trace, record, record->text[ELAPSED_RAW] ? ELAPSED_RAW : ELAPSED, 1,
				  &times->elapsed_s, error);
	return rc ? rc : seconds_read(trace, record, limit, limit == TIMELIMIT_RAW ? 60 : 1, &times->limit_s, error);
}

static int texts_take(struct trace *trace, const struct sacct_record *record, struct trace_job *job,
		      struct error *error)
{
	const struct {
		enum sacct_field field;
		enum text_kind kind;
		const char **kept;
	} rows[] = {
		{ USER, TEXT_USER, &job->user },
		{ GROUP, TEXT_GROUP, &job->group },
		{ ACCOUNT, TEXT_PROJECT, &job->project },
		{ PARTITION, TEXT_PARTITION, &job->partition },
		{ QOS, TEXT_QOS, &job->qos },
		{ JOB_NAME, TEXT_NAME, &job->name },
	};
	char unknown[] = "unknown";

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = record->text[rows[i].field];
		int rc = text && *text ? trace_text(trace, rows[i].kind, text, rows[i].kept, error) : 0;

		if (rc)
			return rc;
	}
	if (job->user)
		return 0;
	trace_note(trace, TRACE_NO_USER);
	return trace_text(trace, TEXT_USER, unknown, &job->user, error);
}

/* Read the memory: "4000Mc" is for each CPU, "4Gn" for each node, "4G" for the job. */
static int memory_read(struct trace *trace, const struct sacct_record *record, struct trace_job *job, int64_t nodes,
		       struct error *error)
{
	double bytes = 0;
	char of;

	if (!record->text[REQ_MEM])
		return 0;
	if (sacct_memory(record->text[REQ_MEM], &bytes, &of))
		return value_fault(trace, REQ_MEM, record->text[REQ_MEM],
				   "4000M, 1.5G, followed by c for each CPU or n for each node", error);
	if (of == 'n' && nodes == 0 && bytes > 0)
		trace_note(trace, TRACE_NODE_MEMORY);
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

/* Return whether a job in this state has not ended. */
static bool state_goes_on(const char *state)
{
	static const char *const on[] = { "PENDING",  "RUNNING",      "SUSPENDED", "CONFIGURING", "COMPLETING",
					  "REQUEUED", "REQUEUE_HOLD", "RESIZING",  "STOPPED" };

	for (size_t i = 0; state && i < sizeof(on) / sizeof(*on); i++)
		if (strcmp(state, on[i]) == 0)
			return true;
	return false;
}

/* Choose one of the two numbers of CPUs; both are at least 0. */
static uint32_t slots_choose(struct trace *trace, int64_t allocated, int64_t requested)
{
	if (requested == 0 && allocated > 0)
		trace_note(trace, TRACE_ALLOCATED);
	else if (allocated == 0 && requested > 0)
		trace_note(trace, TRACE_REQUESTED);
	else if (allocated != requested)
		trace_note(trace, TRACE_DIFFERENT_SLOTS);
	if (trace->options.allocated)
		return (uint32_t)(allocated > 0 ? allocated : requested);
	return (uint32_t)(requested > 0 ? requested : allocated);
}

static int job_give(struct trace *trace, const struct sacct_record *record, const struct sacct_times *times,
		    struct trace_job *job, struct error *error)
{
	int64_t allocated, requested, nodes;
	int rc = count_read(trace, record, record->text[ALLOC_CPUS] ? ALLOC_CPUS : N_CPUS, &allocated, error);

	if (rc == 0)
		rc = count_read(trace, record, REQ_CPUS, &requested, error);
	if (rc == 0)
		rc = count_read(trace, record, record->text[N_NODES] ? N_NODES : ALLOC_NODES, &nodes, error);
	if (rc)
		return rc;
	if (times->submit < 0)
		return trace_leave(trace, TRACE_NO_SUBMIT);
	if (state_goes_on(record->text[STATE]))
		return trace_leave(trace, TRACE_NOT_ENDED);
	if ((record->text[START] && times->start < 0) ||
	    (job->status == TRACE_CANCELLED && times->elapsed_s == 0 && allocated == 0))
		return trace_leave(trace, TRACE_NOT_STARTED);
	if (record->text[END] && times->end < 0)
		return trace_leave(trace, TRACE_NOT_ENDED);
	job->run_s = times->elapsed_s >= 0 ? times->elapsed_s : times->end - times->start;
	if (job->run_s < 0)
		return trace_leave(trace, TRACE_NO_RUN_TIME);
	if (allocated + requested == 0)
		return trace_leave(trace, TRACE_NO_SLOTS);
	job->slots = slots_choose(trace, allocated, requested);
	job->submit = times->submit;
	job->limit_s = times->limit_s > 0 ? times->limit_s : 0;
	trace_started(trace, job, times->start > 0 ? times->start : 0);
	trace->about.allocated_s += (double)(allocated > 0 ? allocated : requested) * (double)job->run_s;
	return memory_read(trace, record, job, nodes, error);
}

int sacct_take(struct trace *trace, char *line, size_t n, struct trace_job *job, struct error *error)
{
	struct sacct_record record = { .text = { NULL } };
	struct sacct_times times;
	struct sacct_id id;
	int64_t cpu_s;
	int rc = sacct_join(trace, &line, &n, error);

	if (rc == 0)
		rc = record_split(trace, line, n, &record, error);
	if (rc == 0)
		rc = id_read(trace, &record, &id, error);
	if (rc == 0)
		rc = times_read(trace, &record, &times, error);
	if (rc == 0)
		rc = texts_take(trace, &record, job, error);
	if (rc)
		return rc;
	if (trace->sacct.open)
		job->line = trace->sacct.open_line;
	job->number = id.number;
	job->task = id.task;
	job->is_array = id.is_array;
	job->status = status_of(record.text[STATE]);
	if (record.text[TOTAL_CPU] && sacct_seconds(record.text[TOTAL_CPU], 1, &cpu_s) == 0 && cpu_s >= 0)
		job->cpu_s = (double)cpu_s;
	if (id.is_pending)
		return trace_leave(trace, job->status == TRACE_CANCELLED ? TRACE_NOT_STARTED : TRACE_NOT_ENDED);
	return job_give(trace, &record, &times, job, error);
}
