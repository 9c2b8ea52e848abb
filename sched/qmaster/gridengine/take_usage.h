/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tasks use, and what their PE tasks do: the sum of both is what the task has used. PE tasks
 * that have ended are collected by the qmaster in one that is called past_usage.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_TAKE_USAGE_H
#define SCHED_QMASTER_GRIDENGINE_TAKE_USAGE_H

#include "sched/mirror/event.h"
#include "sched/qmaster/gdi/element.h"

struct known_pe_task;
struct known_task;
struct sge;

void pe_tasks_free(struct known_pe_task *first);

/* JOB_USAGE: a list of UA, of one of its PE tasks (by its name) or, "", of itself. -ENOMEM. */
int take_task_usage(struct sge *sge, uint32_t job_number, uint32_t id, const char *pe_task, struct gdi_list *values,
		    struct error *error);
/* PETASK_ADD, with an element of PET, and PETASK_DEL. -EINVAL, -ENOMEM. */
int take_pe_task(struct sge *sge, uint32_t job_number, uint32_t id, const struct gdi_element *element,
		 struct error *error);
int take_pe_task_delete(struct sge *sge, uint32_t job_number, uint32_t id, const char *pe_task, struct error *error);
/* Both of a JAT: its own usage, and its PE tasks. Told by the caller. -EINVAL, -ENOMEM. */
int take_usage_of(struct sge *sge, struct known_task *task, const struct gdi_element *jat, struct usage_values *all,
		  struct error *error);
/* All that it has used, with `values` as its own: in scratch memory. -ENOMEM. */
int take_usage_sum(struct sge *sge, struct known_task *task, struct gdi_list *values, struct usage_values *all,
		   struct error *error);
/*
 * The end of a delivery: sums that have changed. A PE task may end in one event and be collected in
 * another: what lies between is never told. -ENOMEM.
 */
int take_usage_settle(struct sge *sge, struct error *error);

#endif
