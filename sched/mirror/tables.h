/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of the mirror: for the files that fill it (mirror*.c) and for the run that reads it.
 */
#ifndef SCHED_MIRROR_TABLES_H
#define SCHED_MIRROR_TABLES_H

#include "conf/slurm.h"
#include "sched/mirror/ads.h"
#include "sched/mirror/classes.h"
#include "sched/mirror/ledger.h"
#include "sched/mirror/requests.h"
#include "sched/mirror/state.h"

/* what an accountant knew; names are string ids, held, of groups NONE: none */
struct told_customer {
	uint32_t name;
	uint32_t waited;
	bool hidden;
	struct customer values;
};

struct told_charge {
	uint32_t slot, customer, negotiating_group;
	struct charge_values values;
};

struct told_winner {
	uint32_t slot, customer, negotiating_group;
	struct winner_values values;
};

struct resume {				/* where the next run goes on */
	bool given;
	struct scheduler_event from;
	uint32_t *removed;		/* what from.removed is */
	struct told_customer *customers;	/* as they were told */
	struct told_charge *charges;
	struct told_winner *winners;
	size_t ncustomers, ncharges, nwinners;
	size_t customers_capacity, charges_capacity, winners_capacity;
};

struct mirror {
	const struct cell *cell;	/* in force; borrowed */
	struct strings *strings;	/* borrowed */
	struct segment *segment;	/* borrowed: where job tables lie */
	struct objects objects[SHARER_KINDS];
	struct usage_names usage_names;
	/* how often the qmaster told an object's usage: what was booked before is forgotten then */
	uint64_t tellings;
	struct classes classes;
	struct requests requests;
	struct ads ads;			/* of requests and slots */
	struct state *state;		/* in force */
	struct state *snapshot;		/* coming in; NULL when none is */
	uint64_t told_before;		/* `tellings` when it began */
	struct ledger *ledger;		/* NULL: nobody keeps what is booked */
	/*
	 * from 1; differs when usage of a user, a project or a job was told, forgotten or replaced
	 */
	uint64_t accounts;
	uint64_t begun;			/* starts so far, those that were ordered among them */
	struct resume resume;
};

/* -ENOMEM. mirror_destroy() in any case. */
int mirror_create(struct mirror *mirror, const struct cell *cell, struct strings *strings, struct segment *segment);
void mirror_destroy(struct mirror *mirror);

/* A new configuration is in force. -ENOMEM: some jobs keep the old one's categories. */
int mirror_reload(struct mirror *mirror, const struct cell *cell);

/* A string by its id; "" for NONE. */
static inline const char *mirror_text(const struct mirror *mirror, uint32_t id)
{
	return id == NONE ? "" : strings_text(mirror->strings, id);
}

/* Where events go: the snapshot that is coming in, else the state in force. */
static inline struct state *mirror_target(struct mirror *mirror)
{
	return mirror->snapshot ? mirror->snapshot : mirror->state;
}

/* event_resume.c: a run has taken over what m->resume says. */
void mirror_resumed(struct mirror *mirror);
/* event_accounts.c: what it says of customers is dropped. */
void told_accounts_free(struct mirror *mirror);

/* Mirror_usage.c */
/* Is each value 0 to TICKETS_LIMIT? -EINVAL. */
int mirror_check_usage(const struct usage_values *usage, struct error *error);
/*
 * A job stays the same one when its submission time changes: what was booked for it is still its,
 * and so are its ends that wait to be booked. The ledger knows it under the old time, and is asked
 * before; if it can't tell now, what comes is another job. -ENOMEM.
 */
int mirror_meet_before(struct mirror *mirror, struct state *state, uint32_t row);
void mirror_submission_changed(struct state *state, uint32_t number, int64_t old, int64_t new);

/* job_extra.c: what an event gives of it; the row is the job's. -ENOMEM changes nothing. */
int extra_set(struct mirror *mirror, const struct state *state, uint32_t row, struct job_extra *extra,
	      const struct job_spec *spec);

/* Mirror_requests.c */
struct request_texts request_texts_of(const struct job_spec *spec);
/*
 * A text as the event gives it, else as the job has it, copied: looking others up may move the
 * latter.
 */
char *text_chosen(const struct mirror *mirror, bool given, const char *text, uint32_t id);
/*
 * Another request of a job of the class with what `spec` changes, held. Only -p and -js leave the
 * request list as typed; any other change sorts it again.
 */
int request_changed(struct mirror *mirror, const struct job_spec *spec, uint32_t class_id, uint32_t old, uint32_t *id,
		    struct error *error);

/* Mirror_slurm.c */
#define NAME_MOST 512			/* bytes of a name */

/*
 * A job's account, as the accounting database keeps them: in lower case; "" or NULL: the owner's
 * default one, or "". NULL: no memory. The caller frees `copy`, where it lies if it was spelled
 * otherwise.
 */
const char *slurm_account(const struct mirror *mirror, const char *owner, const char *account, char **copy);
/*
 * A job's QOS: as told, or, where that is "" or NULL, what the association of its class has in the
 * first one of `partitions` (NULL: none).
 */
const char *slurm_qos_of(const struct mirror *mirror, uint32_t class_id, const char *partitions, const char *qos);
/* Is `tres` (NULL: not told) a list of counts? -EINVAL. */
int slurm_check_tres(const struct mirror *mirror, const char *tres, struct error *error);
void slurm_set_extra(struct job_extra *extra, const struct slurm_spec *slurm);
struct request_size slurm_changed_size(const struct slurm_spec *slurm, const struct request_size *old);

/*
 * A request with what Slurm has allocated in place of what the job asks for, held, and an extra
 * record for the job; NONE where nothing is told. And the same with what an event changes besides;
 * NONE: nothing is allocated.
 */
int slurm_allocation(struct mirror *mirror, struct state *state, uint32_t row, const struct allocated *allocated,
		     uint32_t *id, struct error *error);
int slurm_changed_allocation(struct mirror *mirror, struct state *state, uint32_t row, uint32_t class_id,
			     const struct job_spec *spec, uint32_t *id, struct error *error);
/*
 * It is the job's, which has an extra record, or is NONE. The one that it had before, for the
 * caller to drop; NONE.
 */
uint32_t slurm_set_allocation(struct jobs *jobs, uint32_t row, uint32_t id);

/* condor.c */
/* -EINVAL: what `c` says can't be so, whatever the job is. */
int condor_check(const struct condor_spec *spec, struct error *error);

struct accounting_names {			/* NULL or "": none */
	const char *group, *user, *domain;
	char *copies[3];		/* of those that are not the event's; accounting_names_free() */
};
/* Who a job is from, of a class that is (NULL: of a job that is added). -ENOMEM. */
int accounting_names_of(const struct mirror *mirror, const struct condor_spec *spec, const struct class_key *old,
			struct accounting_names *names);
void accounting_names_free(struct accounting_names *names);

bool condor_changes_ad(const struct condor_spec *spec);
/*
 * The text of its ad, where it was `old` (string id; NONE) before: see ads_write(). NULL: *rc is
 * -EINVAL or -ENOMEM.
 */
const char *condor_ad(struct mirror *mirror, const struct condor_spec *spec, uint32_t old, int *rc,
		      struct error *error);

/* Does it say what struct condor_job has? */
bool condor_has_numbers(const struct condor_spec *spec);
void condor_set_numbers(struct condor_job *job, const struct condor_spec *spec);

struct allocation {			/* what a started task was given */
	uint32_t partition;		/* index in cell->slurm; UINT32_MAX: none */
	uint32_t time_limit;		/* minutes, SLURM_INFINITE */
	double usage_factor;		/* of its QOS, >= 0 */
	double billable;		/* what a second costs without that, finite, >= 0 */
	double counts[TRES_MOST];	/* by TRES, >= 0 */
};
/*
 * It is the same for tasks of the same request that were given the same slots, partition and tres.
 */
void mirror_allocation(const struct mirror *mirror, const struct state *state, const struct task *task,
		       struct allocation *allocation);

struct charge {				/* who pays for a started task, and what a second costs */
	uint32_t association;		/* index in cell->slurm; UINT32_MAX: nobody */
	double rate;			/* finite, >= 0 */
};
struct charge mirror_charge(const struct mirror *mirror, const struct state *state, const struct task *task);

/* Let go of what was told of associations: all, or what has a time stamp. */
void slurm_forget_told(struct mirror *mirror, struct state *state, bool stamped);
/*
 * Room for what slurm_keep() keeps over a snapshot: what was told of associations and not taken
 * over yet, and ages of jobs. -ENOMEM.
 */
int slurm_reserve_kept(const struct state *from, struct state *to);
void slurm_keep(struct state *from, struct state *to);

/* Mirror_tasks.c */
/*
 * What a task has used does not go back: what was told of it before counts where it is more.
 * -ENOMEM: in part.
 */
int task_keep_usage(struct task *task, const struct usage *before);

struct state *state_create(struct segment *segment);
/* Drops everything its jobs, tasks and instances hold. */
void state_destroy(struct mirror *mirror, struct state *state);
/* Room for so many more ended tasks. -ENOMEM. */
int state_reserve_ended(struct state *state, size_t more);
/* The task ends here; its usage waits to be booked. Room must have been reserved. */
struct ended_task *state_end_task(struct mirror *mirror, struct state *state, uint32_t task, enum ending ending);
/* A job with all it holds. */
void state_remove_job(struct mirror *mirror, struct state *state, uint32_t row);

/* event_queues.c */
uint32_t instance_find(const struct mirror *mirror, const struct state *state, const char *name);	/* INDEX_NONE */
/* A new one, which must not be there yet. INDEX_NONE: no memory. */
uint32_t instance_add(struct mirror *mirror, struct state *state, const char *name, const char *host);
/* The last one moves into the gap. */
void instance_remove(struct mirror *mirror, struct state *state, uint32_t i);
/* What it holds. */
void instance_drop(struct mirror *mirror, struct state *state, size_t i);
void told_claim_free(struct mirror *mirror, struct told_claim *claim);	/* NULL is a no-op */

/* All that was told of hosts; of advance reservations. */
void told_hosts_free(struct mirror *mirror, struct state *state);
void told_advances_free(struct mirror *mirror, struct state *state);

/* Slots of an instance as its queue is configured for the host; 0 when there is no such queue. */
uint32_t instance_configured_slots(const struct mirror *mirror, const char *instance);

#endif
