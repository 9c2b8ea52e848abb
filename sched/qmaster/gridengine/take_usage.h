/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage of tasks and of their PE tasks. The usage of a task is the sum of both. The qmaster adds
 * the usage of finished PE tasks to a PE task called past_usage.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_TAKE_USAGE_H
#define SCHED_QMASTER_GRIDENGINE_TAKE_USAGE_H

#include "sched/mirror/event.h"
#include "sched/qmaster/gdi/element.h"

struct known_pe_task;
struct known_task;
struct sge;

void pe_tasks_free(struct known_pe_task *first);

/*
 * JOB_USAGE: take a list of UA. It belongs to one of the task's PE tasks, by name, or to the task
 * itself if `pe_task` is "". -ENOMEM.
 */
int take_task_usage(struct sge *sge, uint32_t job_number, uint32_t id, const char *pe_task, struct gdi_list *values,
		    struct error *error);
/* Take PETASK_ADD, with an element of PET, or PETASK_DEL. -EINVAL, -ENOMEM. */
int take_pe_task(struct sge *sge, uint32_t job_number, uint32_t id, const struct gdi_element *element,
		 struct error *error);
int take_pe_task_delete(struct sge *sge, uint32_t job_number, uint32_t id, const char *pe_task, struct error *error);
/*
 * Read both from a JAT: the task's own usage, and its PE tasks. The caller reports it. -EINVAL,
 * -ENOMEM.
 */
int take_usage_of(struct sge *sge, struct known_task *task, const struct gdi_element *jat, struct usage_values *all,
		  struct error *error);
/* Sum up the usage of a task, with `values` as its own usage, in scratch memory. -ENOMEM. */
int take_usage_sum(struct sge *sge, struct known_task *task, struct gdi_list *values, struct usage_values *all,
		   struct error *error);
/*
 * Report changed sums at the end of a delivery. A PE task may end in one event and be collected in
 * another; the state in between is never reported. -ENOMEM.
 */
int take_usage_settle(struct sge *sge, struct error *error);

#endif
