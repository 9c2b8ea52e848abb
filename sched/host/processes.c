/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of a process, and the usage of ended processes.
 *
 * When a parent has waited for a process, the kernel adds the CPU time, I/O and page faults of the
 * process to the parent's counters for children. The usage of a task is therefore the sum over its
 * live processes and their counters for children, plus the usage of processes whose parents did not
 * wait. A parent did not wait if it is not in the task or ignores SIGCHLD. The parent of a daemon
 * is init, and the parent of the first process is the process that started the task. Whether a
 * parent has waited is derived from its children's page faults: every process has some, while many
 * have no measurable CPU time.
 */
#include <errno.h>
#include <stdlib.h>

#include "conf/base/columns.h"
#include "sched/host/state.h"

/* Maximum rounds between two reads. */
#define PAUSE_WORKS 1
#define PAUSE_RESTS 8			/* not run: this check is cheap */
#define PAUSE_MOST 16			/* run, but without measurable CPU time */
/* processes of no task: they may have got a task's group or session since */
#define PAUSE_MOST_FOREIGN 32
#define RESTS_MOST 128			/* maximum rounds without a read */
#define ANCESTORS 64
/* more processes may end during the loop; the rest follows in the next round */
#define ROUNDS_OF_DEATHS 4

struct process *process_find(const struct host *host, pid_t pid)
{
	uint32_t row = ids_find(&host->process_rows, (uint64_t)pid);

	return row == IDS_NONE ? NULL : &host->processes[row];
}

struct process *process_meet(struct host *host, pid_t pid)
{
	struct process *process = process_find(host, pid);

	if (process)
		return process;
	if (array_reserve(&host->processes_room, host->nprocesses + 1, COLUMN(host->processes)) ||
	    ids_put(&host->process_rows, (uint64_t)pid, (uint32_t)host->nprocesses))
		return NULL;
	process = &host->processes[host->nprocesses++];
	*process = (struct process){ .pid = pid,
				     .task = NO_TASK,
				     .due = host->round,
				     .listed = host->walk,
				     .nice_set = NICE_UNKNOWN,
				     .exits = exits_claim(host, pid) };
	host->unlooked++;
	return process;
}

void process_die(struct host *host, struct process *process)
{
	if (!process->start)
		host->unlooked--;
	process->dead = true;
	process->settled = process->task == NO_TASK;
	host->any_dead = true;
}

/* Task of a process */

static uint32_t by_session(struct host *host, const struct process *process)
{
	uint32_t row = task_of_session(host, process->session);
	struct host_task *task = row == NO_TASK ? NULL : &host->tasks[row];

	if (!task)
		return NO_TASK;
	if (process->pid == process->session) {
		if (task->session_start && task->session_start != process->start) {
			task_session_over(host, task, process);
			return NO_TASK;
		}
		task->session_start = process->start;
	}
	return row;
}

static uint32_t by_group(struct host *host, const struct process *process)
{
	const gid_t *groups;
	ssize_t n = host->with_group ? proc_groups(&host->proc, process->pid, &groups) : 0;

	for (ssize_t k = 0; k < n; k++) {
		uint32_t row = task_of_group(host, groups[k]);

		if (row != NO_TASK)
			return row;
	}
	return NO_TASK;
}

/*
 * Return the task of the parent. A parent that started later only has the number of the real
 * parent, which has ended.
 */
static uint32_t by_parent(const struct host *host, const struct process *process)
{
	const struct process *parent = process_find(host, process->parent);

	return parent && !parent->dead && parent->start && parent->start <= process->start ? parent->task : NO_TASK;
}

bool process_adopt(struct host *host, struct process *process)
{
	uint32_t task = by_parent(host, process);

	if (task == NO_TASK)
		return false;
	process->task = task;
	process_call(host, process);
	return true;
}

static void identify(struct host *host, struct process *process)
{
	const struct process *parent;

	process->task = by_session(host, process);
	if (process->task == NO_TASK)
		process->task = by_group(host, process);
	if (process->task == NO_TASK)
		process->task = by_parent(host, process);
	parent = process_find(host, process->parent);
	process->parent_faults = parent ? parent->children_faults : 0;
}

/* Read */

/*
 * Set the next read: an active process is read in the next round, others at increasing intervals.
 */
static void pause_set(const struct host *host, struct process *process, uint32_t most)
{
	process->pause = process->pause ? 2 * process->pause : 1;
	if (process->pause > most)
		process->pause = most;
	process->due = host->round + process->pause;
}

void process_call(const struct host *host, struct process *process)
{
	process->due = host->round;
	process->ran_ns = 0;
}

static void take(struct host *host, struct process *process, const struct proc_stat *stat)
{
	uint64_t io_bytes;

	if (stat->children_faults > process->children_faults && process->task != NO_TASK)
		host->any_reaped = process->has_reaped = true;
	process->ticks = stat->ticks;
	process->children_ticks = stat->children_ticks;
	process->faults = stat->faults;
	process->children_faults = stat->children_faults;
	process->resident_bytes = stat->resident_bytes;
	process->threads = stat->threads;
	process->nice = stat->nice;
	process->zombie = stat->state == 'Z' || stat->state == 'X';
	if (process->task != NO_TASK && proc_io(&host->proc, process->pid, &io_bytes) == 0 &&
	    io_bytes > process->io_bytes)
		process->io_bytes = io_bytes;
}

bool process_is_same(const struct host *host, const struct process *process)
{
	struct proc_stat stat;

	return proc_stat(&host->proc, process->pid, &stat) == 0 && stat.start == process->start;
}

void process_look(struct host *host, struct process *process)
{
	struct proc_stat stat;
	bool worked, first = !process->start;

	/* first, so that later activity is noticed by the next read */
	process->ran_ns = proc_ran_ns(&host->proc, process->pid);
	process->looked = host->round;
	/*
	 * The process has also ended if its pid is used by another process, which is read in the
	 * next round.
	 */
	if (proc_stat(&host->proc, process->pid, &stat) ||
	    (first ? process->ended && !stat.ending : process->start != stat.start)) {
		process_die(host, process);
		return;
	}
	worked = first || stat.ticks > process->ticks || stat.children_ticks > process->children_ticks;
	process->parent = stat.parent;
	process->group = stat.group;
	process->session = stat.session;
	if (first) {
		host->unlooked--;
		/* processes started at boot are in no task */
		process->start = stat.start ? stat.start : 1;
		exits_begun(host, process);
		if (stat.ending)
			exits_pass_by(host, process);
	}
	if (process->task == NO_TASK)
		identify(host, process);
	take(host, process, &stat);
	process->works = worked;
	pause_set(host, process, worked ? PAUSE_WORKS : process->task == NO_TASK ? PAUSE_MOST_FOREIGN : PAUSE_MOST);
}

/*
 * Return whether the process has not run since its last read. A read can then find no change,
 * except for a new parent, which is known, and memory changed by other processes. Without the
 * newest pid it may be another process with the same CPU time.
 */
static bool rests(const struct host *host, const struct process *process)
{
	return process->ran_ns && host->newest && host->round - process->looked < RESTS_MOST &&
	       proc_ran_ns(&host->proc, process->pid) == process->ran_ns;
}

bool process_check(struct host *host, struct process *process)
{
	if (rests(host, process)) {
		process->works = false;
		pause_set(host, process, PAUSE_RESTS);
		return false;
	}
	process_look(host, process);
	return true;
}

/* Usage of ended processes */

/* Return the nearest live ancestor in the same task; *last is the dead process below it. */
static struct process *heir_of(const struct host *host, struct process *dead, struct process **last)
{
	*last = dead;
	for (int k = 0; k < ANCESTORS; k++) {
		struct process *parent = process_find(host, (*last)->parent);

		if (!parent || parent->task != dead->task || parent == *last)
			return NULL;
		if (!parent->dead)
			return parent;
		*last = parent;
	}
	return NULL;
}

/*
 * Account for a dead process. The heir is read again, because only its counters after the death are
 * valid. This read may find the heir dead, too.
 */
static void settle(struct host *host, struct process *dead)
{
	struct host_task *task = &host->tasks[dead->task];
	struct process *last, *heir;

	while ((heir = heir_of(host, dead, &last)) != NULL && heir->heard != host->settling) {
		process_look(host, heir);
		heir->heard = host->settling;
		host->settling += heir->dead;
	}
	dead->settled = true;
	if (heir && heir->children_faults >= last->parent_faults + dead->faults + dead->children_faults &&
	    heir->children_faults > last->parent_faults)
		return;
	task->kept_ticks += dead->ticks + dead->children_ticks;
	task->kept_io_bytes += dead->io_bytes;
}

/*
 * Find children that their parents have waited for and that no longer exist. They would count
 * twice.
 */
static void reaped_find(struct host *host)
{
	host->any_reaped = false;
	for (size_t k = 0; k < host->nprocesses; k++) {
		struct process *child = &host->processes[k], *parent;

		if (child->dead || child->task == NO_TASK)
			continue;
		parent = process_find(host, child->parent);
		if (parent && parent->has_reaped && parent->task == child->task &&
		    !proc_exists(&host->proc, child->pid))
			process_die(host, child);
	}
	for (size_t k = 0; k < host->nprocesses; k++)
		host->processes[k].has_reaped = false;
}

static void settle_all(struct host *host)
{
	host->settling++;
	for (size_t k = 0; host->any_dead && k < host->nprocesses; k++)
		if (host->processes[k].dead && !host->processes[k].settled)
			settle(host, &host->processes[k]);
}

void processes_settle(struct host *host)
{
	settle_all(host);
	for (int k = 0; k < ROUNDS_OF_DEATHS && host->any_reaped; k++) {
		reaped_find(host);
		settle_all(host);
	}
}

/* Read processes whose parent has ended: they have a new parent, which will wait for them. */
static void orphans_find(struct host *host)
{
	for (size_t k = 0; host->any_dead && k < host->nprocesses; k++) {
		struct process *process = &host->processes[k];
		const struct process *parent = process->dead ? NULL : process_find(host, process->parent);

		if (parent && parent->dead)
			process_call(host, process);
	}
}

/* Remove dead processes. The last row moves into the gap. */
void processes_remove_dead(struct host *host)
{
	if (host->any_dead)
		exits_read(host);		/* their records have arrived by now */
	orphans_find(host);
	for (size_t k = host->nprocesses; host->any_dead && k-- > 0;) {
		struct process *process = &host->processes[k];

		if (!process->dead)
			continue;
		if (process->task != NO_TASK)
			host->tasks[process->task].kept_exits_ns += exits_of(host, process);
		ids_remove(&host->process_rows, (uint64_t)process->pid);
		host->nprocesses--;
		if (k < host->nprocesses) {
			*process = host->processes[host->nprocesses];
			/* cannot fail: the id exists */
			ids_put(&host->process_rows, (uint64_t)process->pid, (uint32_t)k);
		}
	}
	host->any_dead = false;
}

void process_disown(const struct host *host, struct process *process)
{
	process->task = NO_TASK;
	process->io_bytes = 0;
	process->nice_set = NICE_UNKNOWN;
	process_call(host, process);
}
