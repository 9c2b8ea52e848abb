/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

#include "sched/host/state.h"
#include "sched/host/weights.h"

#define NICE_MOST 19			/* what the kernel makes of 20 */

/* ---- what each task is to have ------------------------------------------------------------------------------------- */

static void nice_plan(struct host *h, struct task *task)
{
	int nice = ptf_nice(&h->ptf, task->job);

	nice = nice > NICE_MOST ? NICE_MOST : nice;
	if (!task->nice_known || task->setting.nice != nice)
		task->setting.error = 0;
	task->setting.nice = nice;
	task->nice_known = true;
}

static bool is_niced(const struct task *task)
{
	return task->setting.lever == LEVER_AUTOGROUP || task->setting.lever == LEVER_NICE;
}

static struct weights weights_of(const struct host *h, enum lever lever)
{
	struct weights weights = { 0 };

	for (size_t k = 0; k < h->ntasks; k++)
		if (h->tasks[k].used && h->tasks[k].setting.lever == lever)
			weights_add(&weights, h->tasks[k].setting.tickets);
	return weights;
}

static void weights_plan(struct host *h)
{
	struct weights weights = weights_of(h, LEVER_CGROUP);

	for (size_t k = 0; k < h->ntasks; k++)
		h->tasks[k].weight_wanted = weight_of(&weights, h->tasks[k].setting.tickets);
}

static void groups_plan(struct host *h)
{
	struct weights weights = weights_of(h, LEVER_AUTOGROUP);
	int weakest = h->ptf.weakest > NICE_MOST ? NICE_MOST : h->ptf.weakest;

	for (size_t k = 0; k < h->ntasks; k++)
		h->tasks[k].setting.group_nice = level_of(&weights, h->tasks[k].setting.tickets, h->ptf.best, weakest);
}

void levers_plan(struct host *h, uint64_t now_ns)
{
	h->told |= h->noted;
	h->noted = false;
	weights_plan(h);
	if (!h->told || !ptf_adjust(&h->ptf, now_ns))
		return;
	h->told = false;
	groups_plan(h);
	for (size_t k = 0; k < h->ntasks; k++)
		if (h->tasks[k].used && is_niced(&h->tasks[k]))
			nice_plan(h, &h->tasks[k]);
}

/* ---- nice levels --------------------------------------------------------------------------------------------------- */

static void refused(struct task *task, int error)
{
	if (error && error != -ESRCH)
		task->setting.error = error;
}

static int thread_nice(pid_t thread, void *context)
{
	if (setpriority(PRIO_PROCESS, (id_t)thread, *(int *)context) == 0)
		return 0;
	return errno == ESRCH ? 0 : -errno;
}

/*
 * The kernel's nice level is a thread's. One that is started while we go through them has the level of its maker, so we go twice.
 */
static int process_nice(const struct host *h, const struct process *process, int nice)
{
	int err;

	if (process->threads <= 1)
		return thread_nice(process->pid, &nice);
	err = proc_threads(&h->proc, process->pid, thread_nice, &nice);
	return err ? err : proc_threads(&h->proc, process->pid, thread_nice, &nice);
}

/* Where the kernel doesn't tell us of new pids, a known one may be somebody else's since. */
static bool is_the_same(const struct host *h, const struct process *process)
{
	struct proc_stat stat;

	return proc_stat(&h->proc, process->pid, &stat) == 0 && stat.start == process->start;
}

static void nice_move(struct host *h, struct process *process, struct task *task)
{
	int err = 0, nice = task->setting.nice;
	bool first = process->nice_set == NICE_UNKNOWN;

	process->nice_set = nice;
	if (process->zombie || !h->proc.real || (first && process->nice == nice && process->threads <= 1))
		return;
	if (!h->newest && !is_the_same(h, process))
		return;
	err = process_nice(h, process, nice);
	if (!err)
		process->nice = nice;
	refused(task, err);
}

static void nices_move(struct host *h)
{
	for (size_t k = 0; k < h->nprocesses; k++) {
		struct process *process = &h->processes[k];
		struct task *task = process->task == NO_TASK ? NULL : &h->tasks[process->task];

		if (task && !process->dead && process->start && task->nice_known && process->nice_set != task->setting.nice)
			nice_move(h, process, task);
	}
}

/* ---- autogroups ------------------------------------------------------------------------------------------------------ */

static struct session *session_meet(struct host *h, pid_t number, uint32_t task)
{
	uint32_t row = ids_find(&h->autogroup_rows, (uint64_t)number);
	struct session *session;

	if (row == IDS_NONE) {
		if (array_grow((void **)&h->sessions, &h->sessions_room, h->nsessions, sizeof(*session)) ||
		    ids_put(&h->autogroup_rows, (uint64_t)number, (uint32_t)h->nsessions))
			return NULL;
		row = (uint32_t)h->nsessions++;
		h->sessions[row] = (struct session){ .session = number, .task = NO_TASK };
	}
	session = &h->sessions[row];
	if (session->task != task)
		*session = (struct session){ .session = number, .task = task, .nice_set = NICE_UNKNOWN };
	session->seen = true;
	return session;
}

/* Its leader may be somebody else's: a process of ours that was started from a login shell without setsid(). */
static bool session_is_shared(const struct host *h, const struct session *session)
{
	const struct process *leader = process_find(h, session->session);

	return leader && !leader->dead && leader->start && leader->task != session->task;
}

/* What init has started without a session has no autogroup either: its nice level counts. */
static bool is_grouped(const struct process *process, const struct task *task)
{
	return task->setting.lever == LEVER_AUTOGROUP && process->session;
}

static void session_wait(struct host *h, struct session *session)
{
	h->waiting += !session->waits;
	session->waits = true;
}

static void autogroup_move(struct host *h, const struct process *process, struct session *session, struct task *task)
{
	char path[40], line[16];
	int err;

	if (session->nice_set == task->setting.group_nice || session_is_shared(h, session))
		return;
	if (h->waiting) {		/* the kernel would put off this one, too */
		session_wait(h, session);
		return;
	}
	snprintf(path, sizeof(path), "%d/autogroup", (int)process->pid);
	snprintf(line, sizeof(line), "%d", task->setting.group_nice);
	err = is_the_same(h, process) ? proc_write(h->proc.fd, path, line) : -ESRCH;
	if (err == -EAGAIN) {
		session_wait(h, session);
	} else if (err != -ENOENT && err != -ESRCH) {
		session->nice_set = task->setting.group_nice;
		refused(task, err);
	}
}

static void sessions_remove_unseen(struct host *h)
{
	for (size_t k = h->nsessions; k-- > 0;) {
		struct session *session = &h->sessions[k];

		if (session->seen) {
			session->seen = session->waits = false;
			continue;
		}
		ids_remove(&h->autogroup_rows, (uint64_t)session->session);
		if (k < --h->nsessions) {
			*session = h->sessions[h->nsessions];
			ids_put(&h->autogroup_rows, (uint64_t)session->session, (uint32_t)k);	/* it is there: can't fail */
		}
	}
}

void autogroups_move(struct host *h)
{
	h->waiting = 0;
	for (size_t k = 0; k < h->nprocesses; k++) {
		const struct process *process = &h->processes[k];
		struct task *task = process->task == NO_TASK ? NULL : &h->tasks[process->task];
		struct session *session;

		if (!task || process->dead || process->zombie || !process->start || !task->nice_known || !is_grouped(process, task))
			continue;
		session = session_meet(h, process->session, process->task);
		if (session)
			autogroup_move(h, process, session, task);
	}
	sessions_remove_unseen(h);
}

/* ---- weights --------------------------------------------------------------------------------------------------------- */

static void weights_move(struct host *h)
{
	for (size_t k = 0; k < h->ntasks; k++) {
		struct task *task = &h->tasks[k];

		if (!task->used || task->setting.lever != LEVER_CGROUP || task->setting.weight == task->weight_wanted)
			continue;
		task->setting.weight = task->weight_wanted;
		task->setting.error = cgroup_weigh(task->cgroup, task->weight_wanted);
	}
}

void levers_move(struct host *h)
{
	if (h->with_cgroup)
		weights_move(h);
	if (h->lever == LEVER_NONE)
		return;
	nices_move(h);
	autogroups_move(h);
}
