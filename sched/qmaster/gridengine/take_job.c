/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs. A change contains the whole job without its tasks. Tasks change by events of their own, so
 * their known state is kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/gridengine/known.h"
#include "sched/qmaster/gridengine/settlement.h"
#include "sched/qmaster/gridengine/take.h"

#define PRIORITY_ZERO 1024	/* JB_priority of qsub -p 0 */

enum { TYPE_IMMEDIATE = 0x1, TYPE_ARRAY = 0x80 };	/* bits of JB_type */

static const uint32_t id_fields[HOLD_KINDS] = {
	[HOLD_USER] = JB_ja_u_h_ids, [HOLD_OPERATOR] = JB_ja_o_h_ids, [HOLD_SYSTEM] = JB_ja_s_h_ids,
	[HOLD_ARRAY] = JB_ja_a_h_ids,
};

/* Read the names to which the job belongs. The two functions below read the rest. */
static int spec_names(struct take *take, const struct gdi_element *element, struct job_spec *spec, struct error *error)
{
	int rc = said_key(element, JB_owner, &spec->owner, error);

	rc = rc ? rc : said_name(element, JB_project, &spec->project, error);
	rc = rc ? rc : said_name(element, JB_department, &spec->department, error);
	rc = rc ? rc : said_name(element, JB_group, &spec->group, error);
	rc = rc ? rc : said_shown(take, element, JB_job_name, &spec->name, error);
	spec->given |= JOB_OWNER | JOB_PROJECT | JOB_DEPARTMENT | JOB_GROUP;
	if (gdi_has(element, JB_job_name))
		spec->given |= JOB_NAME;
	return rc;
}

static int spec_requests(struct take *take, const struct gdi_element *element, struct job_spec *spec,
			 struct error *error)
{
	int rc = said_requests(take, element, JB_hard_resource_list, &spec->hard, error);

	rc = rc ? rc : said_requests(take, element, JB_soft_resource_list, &spec->soft, error);
	rc = rc ? rc : said_queues(take, element, JB_hard_queue_list, &spec->hard_queues, error);
	rc = rc ? rc : said_queues(take, element, JB_soft_queue_list, &spec->soft_queues, error);
	rc = rc ? rc : said_queues(take, element, JB_master_hard_queue_list, &spec->master_queues, error);
	rc = rc ? rc : said_name(element, JB_pe, &spec->pe, error);
	rc = rc ? rc : said_slots(take, element, JB_pe_range, &spec->pe_range, error);
	rc = rc ? rc : said_name(element, JB_checkpoint_name, &spec->ckpt, error);
	spec->given |= JOB_HARD | JOB_SOFT | JOB_HARD_QUEUES | JOB_SOFT_QUEUES | JOB_MASTER_QUEUES | JOB_PE |
		       JOB_PE_RANGE | JOB_CKPT;
	return rc;
}

static int spec_predecessors(struct take *take, const struct gdi_element *element, struct job_spec *spec,
			     struct error *error)
{
	struct gdi_list list = gdi_list(element, JB_jid_predecessor_list);
	uint32_t *numbers = list.left ? take_space(take, list.left * sizeof(*numbers), error) : NULL;
	struct gdi_element one;

	if (list.left && !numbers)
		return -ENOMEM;
	spec->hold_jid = numbers;
	while (gdi_next(&list, &one))
		numbers[spec->nhold_jid++] = gdi_u32(&one, JRE_job_number);
	return 0;
}

static void spec_numbers(const struct gdi_element *element, struct job_spec *spec)
{
	uint32_t priority = gdi_u32(element, JB_priority);

	spec->submission_time = gdi_u32(element, JB_submission_time);
	spec->priority = priority > 2 * PRIORITY_ZERO ? PRIORITY_ZERO
			 : priority == 0	      ? 1 - PRIORITY_ZERO
						      : (int32_t)priority - PRIORITY_ZERO;
	spec->jobshare = gdi_u32(element, JB_jobshare);
	spec->override_tickets = gdi_u32(element, JB_override_tickets);
	spec->deadline = gdi_u32(element, JB_deadline);
	spec->execution_time = gdi_u32(element, JB_execution_time);
	spec->task_concurrency = gdi_u32(element, JB_ja_task_concurrency);
	spec->reserve = gdi_u32(element, JB_reserve);
	spec->now = gdi_u32(element, JB_type) & TYPE_IMMEDIATE;
	spec->ar = gdi_u32(element, JB_ar);
	spec->given |= JOB_SUBMISSION_TIME | JOB_PRIORITY | JOB_JOBSHARE | JOB_OVERRIDE_TICKETS | JOB_RESERVE |
		       JOB_NOW | JOB_AR;
}

/*
 * Set attributes that few jobs have, because they need extra memory. They are set if the job has
 * them now or may have had them before.
 */
static void spec_rare(struct job_spec *spec, bool rare)
{
	if (rare || spec->deadline)
		spec->given |= JOB_DEADLINE;
	if (rare || spec->execution_time)
		spec->given |= JOB_EXECUTION_TIME;
	if (rare || spec->task_concurrency)
		spec->given |= JOB_TC;
	if (rare || spec->nhold_jid > 0)
		spec->given |= JOB_HOLD_JID;
}

static int spec_of(struct take *take, const struct gdi_element *element, struct job_spec *spec, struct error *error)
{
	int rc;

	spec->job_number = gdi_u32(element, JB_job_number);
	rc = spec_names(take, element, spec, error);
	rc = rc ? rc : spec_requests(take, element, spec, error);
	rc = rc ? rc : spec_predecessors(take, element, spec, error);
	spec_numbers(element, spec);
	return rc;
}

/* Ids */

static void ids_clear(struct known_ids *ids)
{
	ranges_free(&ids->free);
	for (int kind = 0; kind < HOLD_KINDS; kind++)
		ranges_free(&ids->held[kind]);
}

/* Read the ids without a record, held or not. */
static int ids_read(const struct gdi_element *element, struct known_ids *ids, struct error *error)
{
	int rc = said_ranges(element, JB_ja_n_h_ids, &ids->free, error);

	for (int kind = 0; rc == 0 && kind < HOLD_KINDS; kind++) {
		rc = said_ranges(element, id_fields[kind], &ids->held[kind], error);
		rc = rc ? rc : said_ranges_add(&ids->free, &ids->held[kind], error);
	}
	return rc;
}

static bool is_plain(const struct known_ids *ids)
{
	bool plain = ids->free.n == 1 && ids->free.items[0].min == 1 && ids->free.items[0].max == 1;

	for (int kind = 0; kind < HOLD_KINDS; kind++)
		plain = plain && ids->held[kind].n == 0;
	return plain;
}

/*
 * Replace the ids and take over those in `read`. Most jobs are not arrays, and their task is
 * pending.
 */
static int ids_replace(struct known_job *job, struct known_ids *read, struct error *error)
{
	struct known_ids *ids = !job->ids && !job->is_array && is_plain(read) ? NULL : known_job_ids(job);

	if (ids) {
		ids_clear(ids);
		ids->free = read->free;
		memcpy(ids->held, read->held, sizeof(ids->held));
		*read = (struct known_ids){ .free = { 0 } };
	} else if (job->is_array || !is_plain(read)) {
		return error_set(error, -ENOMEM, "out of memory for job %u", job->job_number);
	}
	return 0;
}

/* One job */

/*
 * Return whether any value that qstat -ext -urg -pri prints is not 0. Tickets are spooled and
 * survive a restart of the qmaster.
 */
static bool shows_values(const struct gdi_element *element)
{
	static const uint32_t of_job[] = { JB_nppri, JB_nurg, JB_urg, JB_rrcontr, JB_dlcontr, JB_wtcontr };
	static const uint32_t of_task[] = { JAT_tix,   JAT_oticket, JAT_fticket, JAT_sticket,
					    JAT_share, JAT_prio,    JAT_ntix };
	struct gdi_list templates = gdi_list(element, JB_ja_template);
	struct gdi_element one;
	bool any = false;

	for (size_t i = 0; i < sizeof(of_job) / sizeof(*of_job); i++)
		any |= gdi_double(element, of_job[i]) != 0;
	while (gdi_next(&templates, &one))
		for (size_t i = 0; i < sizeof(of_task) / sizeof(*of_task); i++)
			any |= gdi_double(&one, of_task[i]) != 0;
	return any;
}

static void known_set(struct known_job *job, const struct gdi_element *element)
{
	uint32_t type = gdi_u32(element, JB_type);

	job->version = gdi_u32(element, JB_version);
	job->is_array = type & TYPE_ARRAY;
	job->immediate = type & TYPE_IMMEDIATE;
	job->doubtful = false;
}

/*
 * Enroll the tasks in a total update. Tasks with a record are also pending until each was reported.
 */
static int tasks_enroll(struct known_job *job, const struct gdi_element *element, struct error *error)
{
	struct gdi_list tasks = gdi_list(element, JB_ja_tasks);
	struct gdi_element task;
	int rc = 0;

	while (rc == 0 && gdi_next(&tasks, &task))
		if (gdi_u32(&task, JAT_task_number))
			rc = take_ids_enroll(job, &task, error);
	return rc;
}

static int job_add(struct sge *sge, const struct gdi_element *element, struct error *error)
{
	struct known_ids ids = { .free = { 0 } };
	struct known_job *job = NULL;
	struct gdi_list tasks = gdi_list(element, JB_ja_tasks);
	struct event event;
	int rc;

	event_init(&event, EVENT_JOB_ADD);
	rc = spec_of(sge->take, element, &event.job, error);
	rc = rc ? rc : ids_read(element, &ids, error);
	if (rc == 0 && !(job = known_job_get(sge->known, event.job.job_number)))
		rc = error_set(error, -ENOMEM, "out of memory");
	if (rc == 0) {
		known_set(job, element);
		job->shown = shows_values(element);
		rc = ids_replace(job, &ids, error);
	}
	rc = rc ? rc : tasks_enroll(job, element, error);
	rc = rc ? rc : take_ids_spec(job, &event.job, error);
	spec_rare(&event.job, false);
	rc = rc ? rc : take_to_mirror(sge, &event, error);
	ids_clear(&ids);
	take_ids_spec_free(&event.job);
	if (rc) {
		known_job_remove(sge->known, event.job.job_number);
		return rc;
	}
	job->rare = event.job.given & (JOB_DEADLINE | JOB_EXECUTION_TIME | JOB_TC | JOB_HOLD_JID);
	return take_tasks(sge, event.job.job_number, &tasks, error);
}

static int job_modify(struct sge *sge, struct known_job *job, const struct gdi_element *element, struct error *error)
{
	struct known_job before = *job;
	struct known_ids ids = { .free = { 0 } };
	struct event event;
	int rc;

	event_init(&event, EVENT_JOB_MODIFY);
	rc = spec_of(sge->take, element, &event.job, error);
	rc = rc ? rc : ids_read(element, &ids, error);
	if (rc == 0) {
		known_set(job, element);
		rc = ids_replace(job, &ids, error);
	}
	rc = rc ? rc : take_ids_spec(job, &event.job, error);
	spec_rare(&event.job, job->rare);
	if (before.doubtful)
		event.job.given |= JOB_HOLD;
	rc = rc ? rc : take_to_mirror(sge, &event, error);
	ids_clear(&ids);
	take_ids_spec_free(&event.job);
	job->doubtful = rc && before.doubtful;
	job->rare = job->rare || event.job.given & (JOB_DEADLINE | JOB_EXECUTION_TIME | JOB_TC | JOB_HOLD_JID);
	return rc;
}

/* Apply qalter -p or -js. The requests of the job are not changed. */
static int job_priority(struct sge *sge, const struct gdi_element *element, struct error *error)
{
	struct event event;

	event_init(&event, EVENT_JOB_MODIFY);
	event.job.job_number = gdi_u32(element, JB_job_number);
	spec_numbers(element, &event.job);
	event.job.given = JOB_PRIORITY | JOB_JOBSHARE;
	return take_to_mirror(sge, &event, error);
}

int take_job(struct sge *sge, enum gdi_event type, const struct gdi_element *element, struct error *error)
{
	uint32_t number = gdi_u32(element, JB_job_number);
	struct known_job *job = known_job_find(sge->known, number);
	int rc;

	if (number == 0)
		return error_set(error, -EINVAL, "JB_job_number is 0");
	if (!job)
		return job_add(sge, element, error);
	if (type == GDI_EV_JOB_MOD_SCHED_PRIORITY) {
		job->version = gdi_u32(element, JB_version);
		return job_priority(sge, element, error);
	}
	rc = job_modify(sge, job, element, error);
	if (rc && rc != -ENOMEM)
		take_job_doubt(sge, number);
	return rc;
}

void take_job_doubt(struct sge *sge, uint32_t job_number)
{
	struct known_job *job = known_job_find(sge->known, job_number);
	struct error error;

	if (!job)
		return;
	job->doubtful = true;
	take_ids_report(sge, job, &error);
}

int take_job_delete(struct sge *sge, uint32_t job_number, struct error *error)
{
	struct event event;
	int rc = 0;

	if (known_job_find(sge->known, job_number)) {
		event_init(&event, EVENT_JOB_DELETE);
		event.task.job_number = job_number;
		rc = take_to_mirror(sge, &event, error);
		known_job_remove(sge->known, job_number);
	}
	settlement_removed(sge, job_number, 0);
	return rc;
}
