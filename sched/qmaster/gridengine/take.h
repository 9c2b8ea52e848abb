/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of the qmaster into the mirror: one function per kind of element. An event that can't be
 * understood changes nothing, is told once and counted; where what is known may be wrong after it,
 * it is made so that less starts.
 *
 *     take.c            deliveries; take_event.c: events as they are delivered
 *     take_update.c     total updates, which replace everything or nothing
 *     take_job.c        jobs; take_ids.c: which of their tasks wait, are held, in error
 *     take_task.c       tasks that the qmaster has a record of: started, put back, ended
 *     take_usage.c      what they have used, their PE tasks included
 *     take_queue.c      queue instances; take_host.c: load, hosts to be avoided
 *     take_advance.c    advance reservations
 *     take_text.c       texts, checked, and lists as texts
 */
#ifndef SCHED_QMASTER_GRIDENGINE_TAKE_H
#define SCHED_QMASTER_GRIDENGINE_TAKE_H

#include "conf/text_set.h"
#include "sched/process/ranges.h"
#include "sched/qmaster/gdi/events.h"
#include "sched/qmaster/gridengine/inside.h"

#define TAKE_NAME_BYTES 512		/* longest name of anything */
#define TAKE_USAGE_MOST 1e30		/* so that no sum becomes infinite */

struct take_block;
struct told_event;

struct take {
	uint64_t next;			/* number of the event that is due; 0: any */
	struct take_block *blocks;	/* scratch memory of the event at hand */
	struct known *before;		/* in force while an update comes in; NULL: none does */
	struct text_set told;		/* of what was said that it can't be understood */
	struct task_name *dirty;	/* whose usage has to be added up */
	size_t ndirty, dirty_capacity;
	/* many tasks of a job are taken: what waits of it will be told once, if it has changed */
	bool gathering, unsaid;
};

/* Scratch memory until the next event; NULL with `error`: there is none. */
void *take_space(struct take *take, size_t bytes, struct error *error);
void take_clear(struct take *take);	/* all of it, but for what the next event will need, too */
void take_free(struct take *take);

/* To the mirror. */
int take_tell(struct sge *sge, const struct event *event, struct error *error);

/*
 * What is done with an event that can't be taken, for the reason rc and `error`: it is told once
 * and counted, and 0 comes back; rc, where that ends the delivery: -ENOMEM, -EPROTO.
 */
int take_refuse(struct sge *sge, const struct told_event *event, int rc, struct error *error);

/* One element of a kind that has lists. */
int take_element(struct sge *sge, enum gdi_event type, const struct gdi_element *element, struct error *error);

/*
 * take_update.c: from the first event of a total update on to its last one; and drop one that is
 * open.
 */
int take_update(struct sge *sge, struct gdi_list *events, struct error *error);
void take_update_drop(struct sge *sge);

/* Texts of an element: printable, "" where there is none, at most TAKE_NAME_BYTES. -EINVAL. */
int said_name(const struct gdi_element *element, uint32_t field, const char **name, struct error *error);
/* The same, and there must be one. */
int said_key(const struct gdi_element *element, uint32_t field, const char **name, struct error *error);
/* With '?' for what can't be printed. */
int said_shown(struct take *take, const struct gdi_element *element, uint32_t field, const char **text,
	       struct error *error);
bool said_is_name(const char *text);
/*
 * A list of CE, as resource_list.h has it, NULL: none; of QR; of RN, as sge_pe(5) has slots; of
 * ARA.
 */
int said_requests(struct take *take, const struct gdi_element *element, uint32_t field, const char **text,
		  struct error *error);
int said_queues(struct take *take, const struct gdi_element *element, uint32_t field, const char **text,
		struct error *error);
int said_slots(struct take *take, const struct gdi_element *element, uint32_t field, const char **text,
	       struct error *error);
int said_access(struct take *take, const struct gdi_element *element, uint32_t field, const char **text,
		struct error *error);
/* A list of JG. -EINVAL. */
int said_granted(struct take *take, const struct gdi_element *element, uint32_t field, struct grants *granted,
		 struct error *error);

/*
 * Adds lists of RN to `ids`, which may lie in each other. -EINVAL, -ENOMEM; ranges_free() in any
 * case.
 */
int said_ranges(const struct gdi_element *element, uint32_t field, struct ranges *ids, struct error *error);
int said_ranges_add(struct ranges *to, const struct ranges *from, struct error *error);

/* take_job.c. One that is new, or not; JOB_MOD_SCHED_PRIORITY: only its priorities count. */
int take_job(struct sge *sge, enum gdi_event type, const struct gdi_element *element, struct error *error);
int take_job_delete(struct sge *sge, uint32_t job_number, struct error *error);
/* A change of it could not be understood: nothing of it starts until one could. */
void take_job_doubt(struct sge *sge, uint32_t job_number);

/* take_ids.c */
/* What waits of it, to the mirror: which tasks, how they are held. */
int take_ids_tell(struct sge *sge, const struct known_job *job, struct error *error);
/* Its tasks with a record of their own, and which of them are in error. */
int take_ids_tell_enrolled(struct sge *sge, const struct known_job *job, struct error *error);
bool take_ids_have(const struct known_job *job, uint32_t id);	/* it waits */
int take_ids_enroll(struct known_job *job, uint32_t id, uint32_t hold, bool in_error, struct error *error);
int take_ids_leave(struct known_job *job, uint32_t id, struct error *error);
/*
 * The members of a job_spec, and which are given: what waits and is held. -ENOMEM; free in any
 * case.
 */
int take_ids_spec(const struct known_job *job, struct job_spec *spec, struct error *error);
void take_ids_spec_free(struct job_spec *spec);

/* take_task.c */
int take_task(struct sge *sge, uint32_t job_number, const struct gdi_element *element, struct error *error);
int take_tasks(struct sge *sge, uint32_t job_number, struct gdi_list *tasks, struct error *error);
int take_task_delete(struct sge *sge, uint32_t job_number, uint32_t id, struct error *error);
int take_task_end(struct sge *sge, uint32_t job_number, uint32_t id, struct gdi_list *usage, struct error *error);

/* take_queue.c, take_host.c, take_advance.c */
int take_cluster_queue(struct sge *sge, const struct gdi_element *element, struct error *error);
int take_cluster_queue_delete(struct sge *sge, const char *queue, struct error *error);
int take_queue_instance(struct sge *sge, const struct gdi_element *element, struct error *error);
int take_queue_instance_delete(struct sge *sge, const char *queue, const char *host, struct error *error);
int take_queue_instance_suspended(struct sge *sge, const char *queue, const char *host, bool suspended,
				  struct error *error);
int take_host(struct sge *sge, const struct gdi_element *element, struct error *error);
/*
 * Is what is configured of it another than it was? Load reports come all the time. -ENOMEM; 1: it
 * is.
 */
int take_host_changed(struct sge *sge, const struct gdi_element *element, struct error *error);
int take_host_delete(struct sge *sge, const char *host, struct error *error);
int take_advance(struct sge *sge, const struct gdi_element *element, struct error *error);
int take_advance_delete(struct sge *sge, uint32_t number, struct error *error);

#endif
