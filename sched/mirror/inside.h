/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the files that fill the mirror. No other room includes them. */
#ifndef SCHED_MIRROR_INSIDE_H
#define SCHED_MIRROR_INSIDE_H

#include "sched/mirror/tables.h"

/* Return the state that events change: the snapshot being received, otherwise the active state. */
static inline struct state *mirror_target(struct mirror *mirror)
{
	return mirror->snapshot ? mirror->snapshot : mirror->state;
}

/* Drop the reported customers, charges and winners (event_accounts.c). */
void reported_accounts_free(struct mirror *mirror);

/* event_usage.c */
/* Check that each value is 0 to TICKETS_LIMIT. -EINVAL. */
int mirror_check_usage(const struct usage_values *usage, struct error *error);
/*
 * Keep the identity of a job when its submission time changes: its booked usage and its ends that
 * wait to be booked remain its own. The ledger knows the job under the old time and is asked before
 * the change. If it cannot answer now, the job counts as another one afterwards. -ENOMEM.
 */
int mirror_find_debited(struct mirror *mirror, struct state *state, uint32_t row);
void mirror_submission_changed(struct state *state, uint32_t number, int64_t old, int64_t new);

/*
 * Set the members of an extra record that an event sets, for a row (job_extra.c). -ENOMEM changes
 * nothing.
 */
int extra_set(struct mirror *mirror, const struct state *state, uint32_t row, struct job_extra *extra,
	      const struct job_spec *spec);

/* requests.c and job_request.c */
struct request_texts request_texts_of(const struct job_spec *spec);
/*
 * Return a copy of the event's text if `given`, otherwise of the job's text. It is copied because
 * looking up other strings may move it.
 */
char *text_chosen(const struct mirror *mirror, bool given, const char *text, uint32_t id);
/*
 * Hold the job's request with the changes in `spec`. Only -p and -js leave the request list as
 * typed; any other change sorts it again.
 */
int request_changed(struct mirror *mirror, const struct job_spec *spec, uint32_t class_id, uint32_t old, uint32_t *id,
		    struct error *error);

/* slurm.c */
/*
 * Return a job's account in lower case, as the accounting database keeps it. "" or NULL: the
 * owner's default account, or "". NULL: no memory. The caller frees `copy`, which has the text if
 * it was converted.
 */
const char *slurm_account(const struct mirror *mirror, const char *owner, const char *account, char **copy);
/*
 * Return a job's QOS: as reported or, if that is "" or NULL, the QOS that the association of its
 * class has in the first one of `partitions`. NULL: none.
 */
const char *slurm_qos_of(const struct mirror *mirror, uint32_t class_id, const char *partitions, const char *qos);
/* Check that `tres` (NULL: not reported) is a list of counts. -EINVAL. */
int slurm_check_tres(const struct mirror *mirror, const char *tres, struct error *error);
void slurm_set_extra(struct job_extra *extra, const struct slurm_spec *slurm);
struct request_size slurm_changed_size(const struct slurm_spec *slurm, const struct request_size *old);

/*
 * Hold a request with the resources that Slurm has allocated instead of the requested ones, and
 * create the job's extra record. *id is NONE if no allocation is reported.
 * slurm_changed_allocation() also applies the changes of an event. *id is NONE if the job has no
 * allocation.
 */
int slurm_allocation(struct mirror *mirror, struct state *state, uint32_t row, const struct allocated *allocated,
		     uint32_t *id, struct error *error);
int slurm_changed_allocation(struct mirror *mirror, struct state *state, uint32_t row, uint32_t class_id,
			     const struct job_spec *spec, uint32_t *id, struct error *error);
/*
 * Set the allocation of a job, which has an extra record unless `id` is NONE. Returns the previous
 * one for the caller to drop; NONE: there was none.
 */
uint32_t slurm_set_allocation(struct jobs *jobs, uint32_t row, uint32_t id);

/* condor.c */
/* Check the values that are wrong for any job. -EINVAL. */
int condor_check(const struct condor_spec *spec, struct error *error);

struct accounting_names {			/* NULL or "": none */
	const char *group, *user, *domain;
	/* texts that are not the event's; accounting_names_free() */
	char *copies[3];
};
/* Return the submitter of a job with class `old` after the change (NULL: of a new job). -ENOMEM. */
int accounting_names_of(const struct mirror *mirror, const struct condor_spec *spec, const struct class_key *old,
			struct accounting_names *names);
void accounting_names_free(struct accounting_names *names);

bool condor_changes_ad(const struct condor_spec *spec);
/*
 * Return the text of its ad after the change; it was `old` (string id; NONE) before. See
 * ads_write(). NULL: *rc is -EINVAL or -ENOMEM.
 */
const char *condor_ad(struct mirror *mirror, const struct condor_spec *spec, uint32_t old, int *rc,
		      struct error *error);

/* Return whether `spec` sets a value of struct condor_job. */
bool condor_has_numbers(const struct condor_spec *spec);
void condor_set_numbers(struct condor_job *job, const struct condor_spec *spec);

/*
 * Reserve memory for everything that slurm_keep() keeps across a snapshot: reported usage of
 * associations that no run has taken over yet, and ages of jobs. -ENOMEM.
 */
int slurm_reserve_kept(const struct state *from, struct state *to);
void slurm_keep(struct state *from, struct state *to);

/* tasks.c, state.c and event_tasks.c */
/*
 * Keep the usage of a task from decreasing: raise it to earlier reported values that are greater.
 * -ENOMEM: only a part is raised.
 */
int task_keep_usage(struct task *task, const struct usage *before);

struct state *state_create(struct segment *segment);
/* Free the state with everything that its jobs, tasks and instances hold. */
void state_destroy(struct mirror *mirror, struct state *state);
/* Reserve memory for `more` ended tasks. -ENOMEM. */
int state_reserve_ended(struct state *state, size_t more);
/* End the task; its usage waits to be booked. Call state_reserve_ended() before. */
struct ended_task *state_end_task(struct mirror *mirror, struct state *state, uint32_t task, enum ending ending);
/* Remove a job with everything that it holds. */
void state_remove_job(struct mirror *mirror, struct state *state, uint32_t row);

/* event_queues.c */
/* Return the index of an instance. INDEX_NONE: not found. */
uint32_t instance_find(const struct mirror *mirror, const struct state *state, const char *name);
/* Add a new instance; it must not exist yet. INDEX_NONE: no memory. */
uint32_t instance_add(struct mirror *mirror, struct state *state, const char *name, const char *host);
/* Remove an instance. The last one moves into the gap. */
void instance_remove(struct mirror *mirror, struct state *state, uint32_t i);
/* Release everything that an instance holds. */
void instance_drop(struct mirror *mirror, struct state *state, size_t i);
void reported_claim_free(struct mirror *mirror, struct reported_claim *claim);	/* NULL is a no-op */

/* Free the reported values of hosts; the advance reservations. */
void reported_hosts_free(struct mirror *mirror, struct state *state);
void reported_advances_free(struct mirror *mirror, struct state *state);

/* Return the slots that the queue configures for the host. 0: no such queue. */
uint32_t instance_configured_slots(const struct mirror *mirror, const char *instance);

#endif
