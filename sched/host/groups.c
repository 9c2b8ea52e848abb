/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lever autogroup. The kernel weighs sessions, so a task that starts fifteen of them would get
 * fifteen times its share: those that work share the task's weight. And the file of a session's
 * level belongs to the user who runs in it: what a task has made better is put back.
 *
 *     groups_move()	once a round: which sessions there are, which work, their levels; some levels are looked at, what differs is written
 *     groups_retry()	between rounds: what the kernel has put off, and what is contested
 *
 * A session that rests has the level that it would have if all of the task's worked: it is seen to
 * work some rounds late only. It is made weaker when that changes, but not better: that waits until
 * it works.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/host/capabilities.h"
#include "sched/host/state.h"
#include "sched/host/weights.h"

/* In a round; those that are left have their turn in the next one */
#define WRITTEN_MOST 1024
#define LOOKED_AT_MOST 128
#define CONTESTED_MOST 64		/* written between two rounds */
#define GUARD_ROUNDS 60			/* after the last time that a level was found changed */

/* Which sessions there are */

static struct host_session *session_meet(struct host *h, pid_t number, uint32_t task)
{
	uint32_t row = ids_find(&h->autogroup_rows, (uint64_t)number);
	struct host_session *session;

	if (row == IDS_NONE) {
		if (array_grow((void **)&h->sessions, &h->sessions_room, h->nsessions, sizeof(*session)) ||
		    ids_put(&h->autogroup_rows, (uint64_t)number, (uint32_t)h->nsessions))
			return NULL;
		row = (uint32_t)h->nsessions++;
		h->sessions[row] = (struct host_session){ .session = number, .task = NO_TASK };
	}
	session = &h->sessions[row];
	if (session->task != task)
		*session = (struct host_session){ .session = number, .task = task, .nice_set = NICE_UNKNOWN };
	return session;
}

/*
 * Its leader may be somebody else's: a process of ours that was started from a login shell without
 * setsid().
 */
static bool session_is_shared(const struct host *h, const struct host_session *session)
{
	const struct process *leader = process_find(h, session->session);

	return leader && !leader->dead && leader->start && leader->task != session->task;
}

/* What init has started without a session has no autogroup either: its nice level counts. */
static bool is_grouped(const struct process *process, const struct host_task *task)
{
	return task->setting.lever == LEVER_AUTOGROUP && process->session;
}

static void sessions_find(struct host *h)
{
	for (size_t k = 0; k < h->nsessions; k++) {
		h->sessions[k].member = 0;
		h->sessions[k].works = false;
	}
	for (size_t k = 0; k < h->nprocesses; k++) {
		const struct process *process = &h->processes[k];
		const struct host_task *task = process->task == NO_TASK ? NULL : &h->tasks[process->task];
		struct host_session *session;

		if (!task || process->dead || process->zombie || !process->start || !task->nice_known || !is_grouped(process, task))
			continue;
		session = session_meet(h, process->session, process->task);
		if (!session)
			continue;
		if (!session->member)
			session->member = process->pid;
		session->works |= process->works;
	}
}

/* The last row moves into the gap. */
static void sessions_remove_empty(struct host *h)
{
	for (size_t k = h->nsessions; k-- > 0;) {
		struct host_session *session = &h->sessions[k];

		if (session->member) {
			session->shared = session_is_shared(h, session);
			continue;
		}
		ids_remove(&h->autogroup_rows, (uint64_t)session->session);
		if (k < --h->nsessions) {
			*session = h->sessions[h->nsessions];
			/* it is there: can't fail */
			ids_put(&h->autogroup_rows, (uint64_t)session->session, (uint32_t)k);
		}
	}
}

/* Which level each is to have */

static void sessions_count(struct host *h)
{
	for (size_t k = 0; k < h->ntasks; k++) {
		h->tasks[k].sessions = h->tasks[k].placed = 0;
		h->tasks[k].setting.sessions = 0;
	}
	for (size_t k = 0; k < h->nsessions; k++) {
		struct host_task *task = &h->tasks[h->sessions[k].task];

		if (h->sessions[k].shared)
			continue;
		task->sessions++;
		task->setting.sessions += h->sessions[k].works;
	}
}

static void sessions_plan(struct host *h)
{
	sessions_count(h);
	for (size_t k = 0; k < h->nsessions; k++) {
		struct host_session *session = &h->sessions[k];
		struct host_task *task = &h->tasks[session->task];
		struct levels split = levels_split(task->setting.group_nice, session->works ? task->setting.sessions : task->sessions);
		bool weaker = session->works ? task->placed++ >= split.better : split.better < task->sessions;
		int level = split.level + weaker;

		if (session->works || session->nice_set == NICE_UNKNOWN || level > session->nice_set)
			session->nice_wanted = level;
		else
			session->nice_wanted = session->nice_set;
	}
}

/* Reading and writing */

static int level_write(const struct host *h, const struct host_session *session)
{
	const struct process *member = process_find(h, session->member);
	char path[40], line[16];

	if (!member || member->dead || !process_is_same(h, member))
		return -ESRCH;
	snprintf(path, sizeof(path), "%d/autogroup", (int)session->member);
	snprintf(line, sizeof(line), "%d", session->nice_wanted);
	return proc_write(h->proc.fd, path, line);
}

static void session_wait(struct host *h, struct host_session *session)
{
	h->waiting += !session->waits;
	session->waits = true;
}

static void session_move(struct host *h, struct host_session *session)
{
	struct host_task *task = &h->tasks[session->task];
	int rc = level_write(h, session);

	if (rc == -EAGAIN) {
		session_wait(h, session);
	} else if (rc != -ENOENT && rc != -ESRCH) {
		session->nice_set = session->nice_wanted;
		lever_refused(task, rc);
	}
}

static void sessions_move(struct host *h)
{
	size_t written = 0;

	h->waiting = 0;
	for (size_t k = 0; k < h->nsessions; k++) {
		struct host_session *session = &h->sessions[k];

		session->waits = false;
		if (session->shared || session->nice_set == session->nice_wanted)
			continue;
		/* the kernel would put off this one, too */
		if (h->waiting || written++ >= WRITTEN_MOST)
			session_wait(h, session);
		else
			session_move(h, session);
	}
}

/* NICE_UNKNOWN: it can't be read. */
static int level_read(const struct host *h, const struct host_session *session)
{
	char path[40], text[64];
	const char *nice;

	snprintf(path, sizeof(path), "%d/autogroup", (int)session->member);
	if (proc_read(h->proc.fd, path, text, sizeof(text)) <= 0)
		return NICE_UNKNOWN;
	nice = strstr(text, "nice ");
	return nice ? (int)strtol(nice + strlen("nice "), NULL, 10) : NICE_UNKNOWN;
}

/*
 * Levels below 0 take a privilege: what was set to 0 or better can't be made better. What a task
 * has made weaker stays so.
 */
static void levels_look(struct host *h)
{
	size_t looked = 0;

	h->guard_rounds -= h->guard_rounds > 0;
	for (size_t k = 0; k < h->nsessions && looked < LOOKED_AT_MOST; k++) {
		struct host_session *session = &h->sessions[h->session_cursor++ % h->nsessions];
		int level;

		session->contested &= h->guard_rounds > 0;
		if (session->shared || !session->works || session->nice_set == NICE_UNKNOWN || session->nice_set <= 0)
			continue;
		looked++;
		level = level_read(h, session);
		if (level == NICE_UNKNOWN || level >= session->nice_set)
			continue;
		session->nice_set = level;
		session->contested = true;
		h->tasks[session->task].setting.changed++;
		h->guard_rounds = GUARD_ROUNDS;
		h->is_admin = capability_have(CAP_SYS_ADMIN);
	}
	h->session_cursor = h->nsessions ? h->session_cursor % h->nsessions : 0;
}

void groups_move(struct host *h)
{
	sessions_find(h);
	sessions_remove_empty(h);
	levels_look(h);
	sessions_plan(h);
	sessions_move(h);
}

void groups_retry(struct host *h)
{
	size_t written = 0;

	for (size_t k = 0; k < h->nsessions && h->guard_rounds && written < CONTESTED_MOST; k++) {
		if (h->sessions[k].contested && !h->sessions[k].shared) {
			session_move(h, &h->sessions[k]);
			written++;
		}
	}
	if (h->waiting)
		sessions_move(h);
}
