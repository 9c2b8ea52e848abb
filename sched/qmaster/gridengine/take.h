/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion of the qmaster's events for the mirror, with one function for each kind of element. An
 * event that cannot be understood changes nothing, and is logged once and counted. If the known
 * state may be wrong after it, the state is changed so that fewer jobs start.
 *
 *     take.c            deliveries; take_event.c: events as they are delivered
 *     take_update.c     total updates, which replace everything or nothing
 *     take_job.c        jobs; take_ids.c: their tasks that are pending, held, in error
 *     take_task.c       tasks with a record at the qmaster: started, requeued, ended
 *     take_usage.c      their usage, including PE tasks
 *     take_queue.c      queue instances; take_host.c: load, hosts to avoid
 *     take_advance.c    advance reservations
 *     take_text.c       texts, checked, and lists as texts
 */
#ifndef SCHED_QMASTER_GRIDENGINE_TAKE_H
#define SCHED_QMASTER_GRIDENGINE_TAKE_H

#include "conf/base/text_set.h"
#include "sched/process/ranges.h"
#include "sched/qmaster/gdi/events.h"
#include "sched/qmaster/gridengine/inside.h"

#define TAKE_NAME_BYTES 512		/* longest name of any object */
#define TAKE_USAGE_MOST 1e30		/* small enough that sums stay finite */

struct take_block;
struct reported_event;

struct take {
	uint64_t next;			/* number of the next event; 0: any */
	struct take_block *blocks;	/* scratch memory of the current event */
	/* Current state while an update comes in; NULL: no update. */
	struct known *before;
	struct text_set reported;		/* names of events for which an error was logged */
	struct task_name *dirty;	/* tasks whose usage must be summed up */
	size_t ndirty, dirty_capacity;
	/*
	 * Several tasks of a job are being taken. Its pending tasks are reported once at the end,
	 * if they have changed.
	 */
	bool gathering, unsaid;
};

/* Allocate scratch memory until the next event. NULL with `error`: no memory. */
void *take_space(struct take *take, size_t bytes, struct error *error);
/* Free the scratch memory, except for the part that the next event will reuse. */
void take_clear(struct take *take);
void take_free(struct take *take);

/* Pass an event to the mirror. */
int take_to_mirror(struct sge *sge, const struct event *event, struct error *error);

/*
 * Handle an event that cannot be taken, for the reason rc and `error`. It is logged once and
 * counted, and 0 is returned. -ENOMEM and -EPROTO end the delivery and are returned.
 */
int take_refuse(struct sge *sge, const struct reported_event *event, int rc, struct error *error);

/* Take one element of a kind that has lists. */
int take_element(struct sge *sge, enum gdi_event type, const struct gdi_element *element, struct error *error);

/* take_update.c: take a total update from its first event to its last one, or drop an open one. */
int take_update(struct sge *sge, struct gdi_list *events, struct error *error);
void take_update_drop(struct sge *sge);

/* Read texts of an element: printable, at most TAKE_NAME_BYTES, "" if missing. -EINVAL. */
int said_name(const struct gdi_element *element, uint32_t field, const char **name, struct error *error);
/* Same, but the text must not be missing. */
int said_key(const struct gdi_element *element, uint32_t field, const char **name, struct error *error);
/* Same, with '?' for characters that cannot be printed. */
int said_shown(struct take *take, const struct gdi_element *element, uint32_t field, const char **text,
	       struct error *error);
bool said_is_name(const char *text);
/*
 * Convert a list to text: of CE, in the form of resource_list.h; of QR; of RN, like slots in
 * sge_pe(5); of ARA. NULL: no list.
 */
int said_requests(struct take *take, const struct gdi_element *element, uint32_t field, const char **text,
		  struct error *error);
int said_queues(struct take *take, const struct gdi_element *element, uint32_t field, const char **text,
		struct error *error);
int said_slots(struct take *take, const struct gdi_element *element, uint32_t field, const char **text,
	       struct error *error);
int said_access(struct take *take, const struct gdi_element *element, uint32_t field, const char **text,
		struct error *error);
/* Read a list of JG. -EINVAL. */
int said_granted(struct take *take, const struct gdi_element *element, uint32_t field, struct grants *granted,
		 struct error *error);

/*
 * Add lists of RN, which may overlap, to `ids`. -EINVAL, -ENOMEM. Call ranges_free() in each case.
 */
int said_ranges(const struct gdi_element *element, uint32_t field, struct ranges *ids, struct error *error);
int said_ranges_add(struct ranges *to, const struct ranges *from, struct error *error);

/* take_job.c. Take a new or changed job. JOB_MOD_SCHED_PRIORITY: only its priorities are used. */
int take_job(struct sge *sge, enum gdi_event type, const struct gdi_element *element, struct error *error);
int take_job_delete(struct sge *sge, uint32_t job_number, struct error *error);
/* Note that a change was not understood. No task of the job starts until a change is understood. */
void take_job_doubt(struct sge *sge, uint32_t job_number);

/* take_ids.c */
/* Report the pending tasks of a job and their holds to the mirror. */
int take_ids_report(struct sge *sge, const struct known_job *job, struct error *error);
/* Report its tasks with a record, and those of them in error. */
int take_ids_report_enrolled(struct sge *sge, const struct known_job *job, struct error *error);
bool take_ids_have(const struct known_job *job, uint32_t id);	/* the task is pending */
/* Note that the task with this record is pending. -ENOMEM, or -EINVAL: too many ranges. */
int take_ids_enroll(struct known_job *job, const struct gdi_element *element, struct error *error);
/*
 * Note the hold and the restart of the started task with this record, which are only shown. Returns
 * whether they have changed, or -ENOMEM.
 */
int take_ids_start(struct known_job *job, const struct gdi_element *element, struct error *error);
/* Note that a task is not pending. */
int take_ids_leave(struct known_job *job, uint32_t id, struct error *error);
/*
 * Set the members of a job_spec about pending and held tasks, and mark them as set. -ENOMEM. Free
 * in each case.
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
 * Return 1 if the configuration of a host has changed, 0 if not. Most host events are load reports.
 * -ENOMEM.
 */
int take_host_changed(struct sge *sge, const struct gdi_element *element, struct error *error);
int take_host_delete(struct sge *sge, const char *host, struct error *error);
int take_advance(struct sge *sge, const struct gdi_element *element, struct error *error);
int take_advance_delete(struct sge *sge, uint32_t number, struct error *error);

#endif
