/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking at a process, and what becomes of its usage when it ends.
 *
 * The kernel adds the CPU time, the I/O and the page faults of a process to its parent's counters
 * for children, once the parent has waited for it. So a task has used what all its living processes
 * and their children's counters say, and what those took with them whose parents never waited:
 * because the parent was of no task (a daemon's is init, the first process's is who started it) or
 * ignores SIGCHLD. Whether a parent has waited is seen by its children's page faults: every process
 * has some, while many have no CPU time that could be seen.
 */
#include <errno.h>
#include <stdlib.h>

#include "sched/host/state.h"

/* Rounds from one look to the next, at most */
#define PAUSE_WORKS 1
#define PAUSE_RESTS 8			/* it has not run: to find that out costs little */
#define PAUSE_MOST 16			/* it has, but has used no CPU time that could be seen */
/* they may have got a task's group since, or set up a session */
#define PAUSE_MOST_FOREIGN 32
#define RESTS_MOST 128			/* then it is read all the same */
#define ANCESTORS 64
/* while we look others end; what is left comes in the next round */
#define ROUNDS_OF_DEATHS 4

struct process *process_find(const struct host *h, pid_t pid)
{
	uint32_t row = ids_find(&h->process_rows, (uint64_t)pid);

	return row == IDS_NONE ? NULL : &h->processes[row];
}

struct process *process_meet(struct host *h, pid_t pid)
{
	struct process *process = process_find(h, pid);

	if (process)
		return process;
	if (array_grow((void **)&h->processes, &h->processes_room, h->nprocesses, sizeof(*process)) ||
	    ids_put(&h->process_rows, (uint64_t)pid, (uint32_t)h->nprocesses))
		return NULL;
	process = &h->processes[h->nprocesses++];
	*process = (struct process){ .pid = pid, .task = NO_TASK, .due = h->round, .listed = h->walk, .nice_set = NICE_UNKNOWN,
				      .exits = exits_claim(h, pid) };
	h->unlooked++;
	return process;
}

void process_die(struct host *h, struct process *process)
{
	if (!process->start)
		h->unlooked--;
	process->dead = true;
	process->settled = process->task == NO_TASK;
	h->any_dead = true;
}

/* Whose it is */

static uint32_t by_session(struct host *h, const struct process *process)
{
	uint32_t row = task_of_session(h, process->session);
	struct host_task *task = row == NO_TASK ? NULL : &h->tasks[row];

	if (!task)
		return NO_TASK;
	if (process->pid == process->session) {
		if (task->session_start && task->session_start != process->start) {
			task_session_over(h, task, process);
			return NO_TASK;
		}
		task->session_start = process->start;
	}
	return row;
}

static uint32_t by_group(struct host *h, const struct process *process)
{
	const gid_t *groups;
	ssize_t n = h->with_group ? proc_groups(&h->proc, process->pid, &groups) : 0;

	for (ssize_t k = 0; k < n; k++) {
		uint32_t row = task_of_group(h, groups[k]);

		if (row != NO_TASK)
			return row;
	}
	return NO_TASK;
}

/* A parent that is younger has only got the number of the real one, which has ended since. */
static uint32_t by_parent(const struct host *h, const struct process *process)
{
	const struct process *parent = process_find(h, process->parent);

	return parent && !parent->dead && parent->start && parent->start <= process->start ? parent->task : NO_TASK;
}

bool process_adopt(struct host *h, struct process *process)
{
	uint32_t task = by_parent(h, process);

	if (task == NO_TASK)
		return false;
	process->task = task;
	process_call(h, process);
	return true;
}

static void identify(struct host *h, struct process *process)
{
	const struct process *parent;

	process->task = by_session(h, process);
	if (process->task == NO_TASK)
		process->task = by_group(h, process);
	if (process->task == NO_TASK)
		process->task = by_parent(h, process);
	parent = process_find(h, process->parent);
	process->parent_faults = parent ? parent->children_faults : 0;
}

/* A look */

/* Those that work are due again in the next round, others later and later. */
static void pause_set(const struct host *h, struct process *process, uint32_t most)
{
	process->pause = process->pause ? 2 * process->pause : 1;
	if (process->pause > most)
		process->pause = most;
	process->due = h->round + process->pause;
}

void process_call(const struct host *h, struct process *process)
{
	process->due = h->round;
	process->ran_ns = 0;
}

static void take(struct host *h, struct process *process, const struct proc_stat *stat)
{
	uint64_t io_bytes;

	if (stat->children_faults > process->children_faults && process->task != NO_TASK)
		h->any_reaped = process->has_reaped = true;
	process->ticks = stat->ticks;
	process->children_ticks = stat->children_ticks;
	process->faults = stat->faults;
	process->children_faults = stat->children_faults;
	process->resident_bytes = stat->resident_bytes;
	process->threads = stat->threads;
	process->nice = stat->nice;
	process->zombie = stat->state == 'Z' || stat->state == 'X';
	if (process->task != NO_TASK && proc_io(&h->proc, process->pid, &io_bytes) == 0 && io_bytes > process->io_bytes)
		process->io_bytes = io_bytes;
}

bool process_is_same(const struct host *h, const struct process *process)
{
	struct proc_stat stat;

	return proc_stat(&h->proc, process->pid, &stat) == 0 && stat.start == process->start;
}

void process_look(struct host *h, struct process *process)
{
	struct proc_stat stat;
	bool worked, first = !process->start;

	/* first: what it does meanwhile is seen the next time */
	process->ran_ns = proc_ran_ns(&h->proc, process->pid);
	process->looked = h->round;
	/*
	 * With its number taken over by another one it is gone, too; that one is met in the next
	 * round.
	 */
	if (proc_stat(&h->proc, process->pid, &stat) || (first ? process->ended && !stat.ending : process->start != stat.start)) {
		process_die(h, process);
		return;
	}
	worked = first || stat.ticks > process->ticks || stat.children_ticks > process->children_ticks;
	process->parent = stat.parent;
	process->group = stat.group;
	process->session = stat.session;
	if (first) {
		h->unlooked--;
		/* what came with the boot is no task's */
		process->start = stat.start ? stat.start : 1;
		exits_begun(h, process);
		if (stat.ending)
			exits_pass_by(h, process);
	}
	if (process->task == NO_TASK)
		identify(h, process);
	take(h, process, &stat);
	process->works = worked;
	pause_set(h, process, worked ? PAUSE_WORKS : process->task == NO_TASK ? PAUSE_MOST_FOREIGN : PAUSE_MOST);
}

/*
 * What a look finds is a process's own doing, but for a new parent when the old one has ended, of
 * which we know, and for what others do to its memory. Where the kernel doesn't show the newest pid
 * it may be another process, which has run as long.
 */
static bool rests(const struct host *h, const struct process *process)
{
	return process->ran_ns && h->newest && h->round - process->looked < RESTS_MOST && proc_ran_ns(&h->proc, process->pid) == process->ran_ns;
}

bool process_check(struct host *h, struct process *process)
{
	if (rests(h, process)) {
		process->works = false;
		pause_set(h, process, PAUSE_RESTS);
		return false;
	}
	process_look(h, process);
	return true;
}

/* What the dead leave behind */

/* The nearest ancestor of the same task that lives; *last is the dead one below it. */
static struct process *heir_of(const struct host *h, struct process *dead, struct process **last)
{
	*last = dead;
	for (int k = 0; k < ANCESTORS; k++) {
		struct process *parent = process_find(h, (*last)->parent);

		if (!parent || parent->task != dead->task || parent == *last)
			return NULL;
		if (!parent->dead)
			return parent;
		*last = parent;
	}
	return NULL;
}

/*
 * The heir is looked at once more: only what it says after the death counts. That look may find it
 * dead, too.
 */
static void settle(struct host *h, struct process *dead)
{
	struct host_task *task = &h->tasks[dead->task];
	struct process *last, *heir;

	while ((heir = heir_of(h, dead, &last)) != NULL && heir->heard != h->settling) {
		process_look(h, heir);
		heir->heard = h->settling;
		h->settling += heir->dead;
	}
	dead->settled = true;
	if (heir && heir->children_faults >= last->parent_faults + dead->faults + dead->children_faults &&
	    heir->children_faults > last->parent_faults)
		return;
	task->kept_ticks += dead->ticks + dead->children_ticks;
	task->kept_io_bytes += dead->io_bytes;
}

/* Children of those that have waited for one: are they still there? They would count twice. */
static void reaped_find(struct host *h)
{
	h->any_reaped = false;
	for (size_t k = 0; k < h->nprocesses; k++) {
		struct process *child = &h->processes[k], *parent;

		if (child->dead || child->task == NO_TASK)
			continue;
		parent = process_find(h, child->parent);
		if (parent && parent->has_reaped && parent->task == child->task && !proc_exists(&h->proc, child->pid))
			process_die(h, child);
	}
	for (size_t k = 0; k < h->nprocesses; k++)
		h->processes[k].has_reaped = false;
}

static void settle_all(struct host *h)
{
	h->settling++;
	for (size_t k = 0; h->any_dead && k < h->nprocesses; k++)
		if (h->processes[k].dead && !h->processes[k].settled)
			settle(h, &h->processes[k]);
}

void processes_settle(struct host *h)
{
	settle_all(h);
	for (int k = 0; k < ROUNDS_OF_DEATHS && h->any_reaped; k++) {
		reaped_find(h);
		settle_all(h);
	}
}

/* Who has lost its parent has got another one: that will wait for it. */
static void orphans_find(struct host *h)
{
	for (size_t k = 0; h->any_dead && k < h->nprocesses; k++) {
		struct process *process = &h->processes[k];
		const struct process *parent = process->dead ? NULL : process_find(h, process->parent);

		if (parent && parent->dead)
			process_call(h, process);
	}
}

/* The last row moves into the gap. */
void processes_remove_dead(struct host *h)
{
	if (h->any_dead)
		exits_read(h);		/* their records have come by now */
	orphans_find(h);
	for (size_t k = h->nprocesses; h->any_dead && k-- > 0;) {
		struct process *process = &h->processes[k];

		if (!process->dead)
			continue;
		if (process->task != NO_TASK)
			h->tasks[process->task].kept_exits_ns += exits_of(h, process);
		ids_remove(&h->process_rows, (uint64_t)process->pid);
		h->nprocesses--;
		if (k < h->nprocesses) {
			*process = h->processes[h->nprocesses];
			/* it is there: can't fail */
			ids_put(&h->process_rows, (uint64_t)process->pid, (uint32_t)k);
		}
	}
	h->any_dead = false;
}

void process_disown(const struct host *h, struct process *process)
{
	process->task = NO_TASK;
	process->io_bytes = 0;
	process->nice_set = NICE_UNKNOWN;
	process_call(h, process);
}
