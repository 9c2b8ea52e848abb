/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/reserved.h"

#include "conf/execd_params.h"
#include "sched/process/clock.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/launch.h"

#define GB 0x1p30

/* Return the bytes that a slot of a queue instance reserves. */
static double slot_bytes(const struct local *local, const char *queue, const struct local_job *job)
{
	bool of_queue;
	int64_t hard = limit_of(local, queue, job, "h_vmem", &of_queue),
		soft = limit_of(local, queue, job, "s_vmem", &of_queue), least = hard < 0 || (soft >= 0 && soft < hard) ? soft : hard;

	return least < 0 ? 0.0 : (double)least;
}

void reserved_of_job(const struct local *local, struct local_task *task, const struct local_job *job)
{
	const struct pe *pe = task->granted.pe ? cell_pe_matching(sched_cell(local->sched), task->granted.pe) : NULL;

	task->reserved = (struct task_reserved){ 0 };
	for (size_t k = 0; k < task->granted.on.n; k++) {
		const struct granted *on = &task->granted.on.items[k];
		/* the first task of a parallel job may occupy a slot of its own */
		uint32_t slots = on->slots + (k == 0 && pe && !pe->job_is_first_task);

		task->reserved.slots += slots;
		task->reserved.vmem_bytes += slots * slot_bytes(local, on->queue, job);
	}
}

bool reserved_in_accounting(const struct local *local)
{
	return execd_param_is_true(sched_cell(local->sched), "ACCT_RESERVED_USAGE");
}

bool reserved_in_share_tree(const struct local *local)
{
	return execd_param_is_true(sched_cell(local->sched), "SHARETREE_RESERVED_USAGE");
}

void reserved_usage(const struct local_task *task, double wallclock_s, struct host_usage *usage)
{
	double seconds = wallclock_s > 0 ? wallclock_s : 0.0;

	usage->cpu_s = seconds * task->reserved.slots;
	usage->mem_gbs = seconds * task->reserved.vmem_bytes / GB;
}

void reserved_so_far(const struct local *local, const struct local_task *task, struct host_usage *usage)
{
	/*
	 * The start time is up to a second earlier than the start. Usage never falls, so it must
	 * not be greater than at the end.
	 */
	if (reserved_in_share_tree(local))
		reserved_usage(task, (double)(clock_date() - task->start_time - 1), usage);
}
