/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submit a trace's job as the cell's users would. A job that requests something unknown to the
 * cell, or that could never start, is refused with the reason. Nothing is guessed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/policy/policies.h"
#include "sched/replay/inside.h"

#define NAME_BYTES 512			/* limit of a name in an event */
#define TEXT_BYTES 2048

struct request_words {			/* texts of an event */
	char hard[TEXT_BYTES], slots[16], tres[64], cpus[16];
	struct ad_attribute attribute;
};

static int refuse(struct replay *replay, struct replay_record *record, const struct error *why)
{
	replay->counts.not_yet--;
	replay->counts.refused++;
	if (replay->watch.refused)
		replay->watch.refused(replay->watch.context, &record->task, why->text);
	return record_forget(replay, record);
}

/* Requests */

static int names_check(const struct trace_job *job, struct error *why)
{
	const char *const names[] = { job->user,  job->group,	  job->project, job->name,
				      job->queue, job->partition, job->qos,	job->pe };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i] && strlen(names[i]) > NAME_BYTES)
			return error_set(why, -EINVAL,
					 "has a name of %zu bytes: at most %d are allowed", strlen(names[i]),
					 NAME_BYTES);
	return 0;
}

/* Check that the cell has each resource of a list. */
static int resources_check(const struct cell *cell, const char *list, struct error *why)
{
	char name[256];

	while (*list) {
		size_t entry = strcspn(list, ","), length = strcspn(list, "=,");

		snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name) - 1), list);
		if (!cell_complex(cell, name))
			return error_set(why, -EINVAL, "asks for the resource \"%.60s\", which the cell does not have",
					 name);
		list += entry + (list[entry] == ',');
	}
	return 0;
}

static bool list_has(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += length)
		if ((at == list || at[-1] == ',') && (at[length] == '=' || at[length] == ',' || at[length] == '\0'))
			return true;
	return false;
}

/* Make the -l list: the trace's own, run time and memory. */
static int hard_make(const struct replay *replay, const struct trace_job *job, char text[TEXT_BYTES], struct error *why)
{
	const struct replay_options *options = &replay->options;
	const char *own = options->resources && job->hard ? job->hard : "";
	int n = snprintf(text, TEXT_BYTES, "%s", own);

	if (*own && resources_check(sched_cell(replay->sched), own, why))
		return -EINVAL;
	if (n < TEXT_BYTES && job->limit_s > 0 && !list_has(own, options->run_time))
		n += snprintf(text + n, TEXT_BYTES - (size_t)n, "%s%s=%lld", n ? "," : "", options->run_time,
			      (long long)job->limit_s);
	if (n < TEXT_BYTES && options->memory && job->memory_bytes > 0 && !list_has(own, options->memory))
		n += snprintf(text + n, TEXT_BYTES - (size_t)n, "%s%s=%llu", n ? "," : "", options->memory,
			      (unsigned long long)job->memory_bytes);
	return n < TEXT_BYTES
		       ? 0
		       : error_set(why, -EINVAL,
				   "has a list of resources of %d bytes: at most %d are allowed", n, TEXT_BYTES - 1);
}

static bool requests_cpus(const struct cell *cell)
{
	return policies_of(cell)->requests == REQUESTS_CONDOR;
}

/*
 * Request processors, HTCondor's way to request more of one machine. Parallel jobs need all of
 * their slots in one cycle. They are used only for jobs that are larger than any machine.
 */
static void cpus_ask(struct request_words *words, struct job_spec *spec, uint32_t slots)
{
	snprintf(words->cpus, sizeof(words->cpus), "%u", slots);
	words->attribute = (struct ad_attribute){ "RequestCpus", words->cpus };
	spec->condor.given |= CONDOR_AD;
	spec->condor.ad = (struct ad_attributes){ &words->attribute, 1 };
}

static int slots_ask(const struct replay *replay, const struct trace_job *job, struct request_words *words,
		     struct job_spec *spec, struct error *why)
{
	const struct cell *cell = sched_cell(replay->sched);
	const char *wanted = job->pe && replay->options.resources ? job->pe : NULL;
	const struct queue *queue = spec->hard_queues ? cell_queue(cell, spec->hard_queues) : NULL;

	if (job->slots <= 1 && !wanted)
		return 0;
	if (requests_cpus(cell) && !wanted && (job->slots <= replay->machine.most || cell->npes == 0)) {
		cpus_ask(words, spec, job->slots);
		return job->slots <= replay->machine.most
			       ? 0
			       : error_set(why, -EINVAL,
					   "asks for %u slots of one host: no queue instance has more than %u",
					   job->slots, replay->machine.most);
	}
	spec->pe = machine_pe(replay, wanted ? wanted : job->pe, queue, job->slots, why);
	if (!spec->pe)
		return -EINVAL;
	snprintf(words->slots, sizeof(words->slots), "%u", job->slots);
	spec->pe_range = words->slots;
	spec->given |= JOB_PE | JOB_PE_RANGE;
	return 0;
}

static int queue_ask(const struct replay *replay, const struct trace_job *job, struct job_spec *spec, struct error *why)
{
	if (!replay->options.queues || !job->queue)
		return 0;
	if (!cell_queue(sched_cell(replay->sched), job->queue))
		return error_set(why, -EINVAL, "asks for the queue \"%.60s\", which the cell does not have",
				 job->queue);
	spec->hard_queues = job->queue;
	spec->given |= JOB_HARD_QUEUES;
	return 0;
}

/* Owner and accounts */

static bool has_account(const struct slurm_conf *slurm, const char *account)
{
	return account && slurm->nassociations > 0 && slurm_association(slurm, account, "", NULL) != UINT32_MAX;
}

static void slurm_ask(const struct cell *cell, const struct trace_job *job, struct request_words *words,
		      struct job_spec *spec)
{
	const struct slurm_conf *slurm = &cell->slurm;

	if (policies_of(cell)->requests != REQUESTS_SLURM)
		return;
	spec->slurm.cpus = job->slots;
	spec->slurm.given |= SLURM_CPUS;
	if (has_account(slurm, job->project))
		spec->account = job->project;
	else if (has_account(slurm, job->group))
		spec->account = job->group;
	spec->given |= spec->account ? JOB_ACCOUNT : 0;
	if (job->limit_s > 0) {
		spec->slurm.time_limit =
			job->limit_s / 60 < UINT32_MAX - 2 ? (uint32_t)((job->limit_s + 59) / 60) : UINT32_MAX - 2;
		spec->slurm.given |= SLURM_TIME_LIMIT;
	}
	if (job->partition && slurm_partition(slurm, job->partition)) {
		spec->slurm.partition = job->partition;
		spec->slurm.given |= SLURM_PARTITION;
	}
	if (job->qos && slurm_qos(slurm, job->qos)) {
		spec->slurm.qos = job->qos;
		spec->slurm.given |= SLURM_QOS;
	}
	if (job->memory_bytes > 0) {
		double mebibytes = (double)job->memory_bytes / 0x1p20 * job->slots;

		snprintf(words->tres, sizeof(words->tres), "cpu=%u,mem=%.0fM,node=1", job->slots, mebibytes);
		spec->slurm.tres = words->tres;
		spec->slurm.given |= SLURM_TRES;
	}
}

static void condor_ask(const struct cell *cell, const struct trace_job *job, struct job_spec *spec)
{
	const char *const names[] = { job->project, job->group };

	if (!requests_cpus(cell))
		return;
	for (size_t k = 0; k < 2 && !spec->condor.accounting_group; k++)
		for (size_t i = 1; i < cell->condor.ngroups && names[k]; i++)
			if (strcmp(cell->condor.groups[i].name, names[k]) == 0)
				spec->condor.accounting_group = names[k];
	spec->condor.given |= spec->condor.accounting_group ? CONDOR_ACCOUNTING_GROUP : 0;
}

static void owner_set(const struct cell *cell, const struct trace_job *job, struct job_spec *spec)
{
	spec->owner = job->user;
	spec->group = job->group;
	spec->given |= JOB_OWNER | (job->group ? JOB_GROUP : 0);
	if (job->project && cell_project(cell, job->project))
		spec->project = job->project;
	else if (job->group && cell_project(cell, job->group))
		spec->project = job->group;
	spec->given |= spec->project ? JOB_PROJECT : 0;
	if (job->department && cell_department(cell, job->department)) {
		spec->department = job->department;
		spec->given |= JOB_DEPARTMENT;
	}
}

/* The event */

static int spec_make(const struct replay *replay, const struct trace_job *job, struct request_words *words,
		     struct job_spec *spec, struct error *why)
{
	const struct cell *cell = sched_cell(replay->sched);
	int rc = names_check(job, why);

	if (rc == 0)
		rc = hard_make(replay, job, words->hard, why);
	if (rc == 0)
		rc = queue_ask(replay, job, spec, why);
	if (rc == 0 && (job->slots == 0 || job->slots > replay->machine.slots))
		rc = error_set(why, -EINVAL, "asks for %u slots: the cell has %llu", job->slots,
			       (unsigned long long)replay->machine.slots);
	if (rc == 0)
		rc = slots_ask(replay, job, words, spec, why);
	if (rc)
		return rc;
	spec->hard = words->hard;
	spec->given |= *words->hard ? JOB_HARD : 0;
	spec->name = job->name ? job->name : "";
	spec->submission_time = replay->now;
	spec->reserve = !replay->options.no_reserve;
	spec->given |= JOB_NAME | JOB_SUBMISSION_TIME | JOB_RESERVE;
	owner_set(cell, job, spec);
	slurm_ask(cell, job, words, spec);
	condor_ask(cell, job, spec);
	return 0;
}

int job_submit(struct replay *replay, struct replay_record *record)
{
	struct request_words words = { .hard = "" };
	struct error why = { "" };
	struct event event;
	int rc;

	record->task.submit = replay->now;
	event_init(&event, EVENT_JOB_ADD);
	rc = spec_make(replay, &record->job, &words, &event.job, &why);
	if (rc == 0 && replay->last_number == UINT32_MAX)
		return error_set(replay->error, -ERANGE, "all job numbers are in use");
	if (rc == 0) {
		event.job.job_number = record->task.job_number = replay->last_number + 1;
		record->task.task_number = 1;
		rc = intake_event(&replay->intake, &event, &why);
	}
	if (rc == -EINVAL)
		return refuse(replay, record, &why);
	if (rc == 0 && record_enter(&replay->records, record))
		rc = error_set(&why, -ENOMEM, "out of memory");
	if (rc)
		return error_set(replay->error, rc, "%s", why.text);
	replay->last_number++;
	record->state = RECORD_WAITING;
	replay->counts.not_yet--;
	replay->counts.waiting++;
	replay->counts.submitted++;
	replay->changed = replay->now;
	if (replay->watch.submitted)
		replay->watch.submitted(replay->watch.context, &record->task);
	return 0;
}
