/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mechanism autogroup.
 *
 * The kernel weights sessions, so a task with fifteen sessions would get fifteen times its share.
 * Therefore the active sessions of a task share its weight. The file of a session's level belongs
 * to the user who runs in it. A level that a task has improved is restored.
 *
 *     groups_move()     once a round: find sessions, compute their levels, check some levels, and
 *                       write changed ones
 *     groups_retry()    between rounds: write postponed and contested levels
 *
 * An inactive session has the level that it would have if all sessions of the task were active,
 * because its activity is noticed only some rounds later. If that level changes, an inactive
 * session is made weaker, but not better until it is active.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/host/capabilities.h"
#include "conf/base/columns.h"
#include "sched/host/state.h"
#include "sched/host/weights.h"

/* Limits of a round. The rest follows in the next round. */
#define WRITTEN_MOST 1024
#define LOOKED_AT_MOST 128
#define CONTESTED_MOST 64		/* writes between two rounds */
#define GUARD_ROUNDS 60 /* rounds after the last time that a changed level was found */

/* Sessions */

static struct host_session *session_meet(struct host *host, pid_t number, uint32_t task)
{
	uint32_t row = ids_find(&host->autogroup_rows, (uint64_t)number);
	struct host_session *session;

	if (row == IDS_NONE) {
		if (array_reserve(&host->sessions_room, host->nsessions + 1, COLUMN(host->sessions)) ||
		    ids_put(&host->autogroup_rows, (uint64_t)number, (uint32_t)host->nsessions))
			return NULL;
		row = (uint32_t)host->nsessions++;
		host->sessions[row] = (struct host_session){ .session = number, .task = NO_TASK };
	}
	session = &host->sessions[row];
	if (session->task != task)
		*session = (struct host_session){ .session = number, .task = task, .nice_set = NICE_UNKNOWN };
	return session;
}

/*
 * Return whether the leader of the session is not in the task: the task has a process that was
 * started from a login shell without setsid().
 */
static bool session_is_shared(const struct host *host, const struct host_session *session)
{
	const struct process *leader = process_find(host, session->session);

	return leader && !leader->dead && leader->start && leader->task != session->task;
}

/*
 * Return whether the process has an autogroup. A process that init has started without a session
 * has none, so its nice level counts.
 */
static bool is_grouped(const struct process *process, const struct host_task *task)
{
	return task->setting.lever == LEVER_AUTOGROUP && process->session;
}

static void sessions_find(struct host *host)
{
	for (size_t k = 0; k < host->nsessions; k++) {
		host->sessions[k].member = 0;
		host->sessions[k].works = false;
	}
	for (size_t k = 0; k < host->nprocesses; k++) {
		const struct process *process = &host->processes[k];
		const struct host_task *task = process->task == NO_TASK ? NULL : &host->tasks[process->task];
		struct host_session *session;

		if (!task || process->dead || process->zombie || !process->start || !task->nice_known ||
		    !is_grouped(process, task))
			continue;
		session = session_meet(host, process->session, process->task);
		if (!session)
			continue;
		if (!session->member)
			session->member = process->pid;
		session->works |= process->works;
	}
}

/* Remove empty sessions. The last row moves into the gap. */
static void sessions_remove_empty(struct host *host)
{
	for (size_t k = host->nsessions; k-- > 0;) {
		struct host_session *session = &host->sessions[k];

		if (session->member) {
			session->shared = session_is_shared(host, session);
			continue;
		}
		ids_remove(&host->autogroup_rows, (uint64_t)session->session);
		if (k < --host->nsessions) {
			*session = host->sessions[host->nsessions];
			/* cannot fail: the id exists */
			ids_put(&host->autogroup_rows, (uint64_t)session->session, (uint32_t)k);
		}
	}
}

/* Levels */

static void sessions_count(struct host *host)
{
	for (size_t k = 0; k < host->ntasks; k++) {
		host->tasks[k].sessions = host->tasks[k].placed = 0;
		host->tasks[k].setting.sessions = 0;
	}
	for (size_t k = 0; k < host->nsessions; k++) {
		struct host_task *task = &host->tasks[host->sessions[k].task];

		if (host->sessions[k].shared)
			continue;
		task->sessions++;
		task->setting.sessions += host->sessions[k].works;
	}
}

static void sessions_plan(struct host *host)
{
	sessions_count(host);
	for (size_t k = 0; k < host->nsessions; k++) {
		struct host_session *session = &host->sessions[k];
		struct host_task *task = &host->tasks[session->task];
		struct levels split = levels_split(task->setting.group_nice,
						   session->works ? task->setting.sessions : task->sessions);
		bool weaker = session->works ? task->placed++ >= split.better : split.better < task->sessions;
		int level = split.level + weaker;

		if (session->works || session->nice_set == NICE_UNKNOWN || level > session->nice_set)
			session->nice_wanted = level;
		else
			session->nice_wanted = session->nice_set;
	}
}

/* Reading and writing */

static int level_write(const struct host *host, const struct host_session *session)
{
	const struct process *member = process_find(host, session->member);
	char path[40], line[16];

	if (!member || member->dead || !process_is_same(host, member))
		return -ESRCH;
	snprintf(path, sizeof(path), "%d/autogroup", (int)session->member);
	snprintf(line, sizeof(line), "%d", session->nice_wanted);
	return proc_write(host->proc.fd, path, line);
}

static void session_wait(struct host *host, struct host_session *session)
{
	host->waiting += !session->waits;
	session->waits = true;
}

static void session_move(struct host *host, struct host_session *session)
{
	struct host_task *task = &host->tasks[session->task];
	int rc = level_write(host, session);

	if (rc == -EAGAIN) {
		session_wait(host, session);
	} else if (rc != -ENOENT && rc != -ESRCH) {
		session->nice_set = session->nice_wanted;
		lever_refused(task, rc);
	}
}

static void sessions_move(struct host *host)
{
	size_t written = 0;

	host->waiting = 0;
	for (size_t k = 0; k < host->nsessions; k++) {
		struct host_session *session = &host->sessions[k];

		session->waits = false;
		if (session->shared || session->nice_set == session->nice_wanted)
			continue;
		/* the kernel would postpone this one, too */
		if (host->waiting || written++ >= WRITTEN_MOST)
			session_wait(host, session);
		else
			session_move(host, session);
	}
}

/* Read the level of a session. NICE_UNKNOWN: it cannot be read. */
static int level_read(const struct host *host, const struct host_session *session)
{
	char path[40], text[64];
	const char *nice;

	snprintf(path, sizeof(path), "%d/autogroup", (int)session->member);
	if (proc_read(host->proc.fd, path, text, sizeof(text)) <= 0)
		return NICE_UNKNOWN;
	nice = strstr(text, "nice ");
	return nice ? (int)strtol(nice + strlen("nice "), NULL, 10) : NICE_UNKNOWN;
}

/*
 * Check whether tasks have improved their levels. Levels below 0 need a privilege, so a level that
 * was set to 0 or better cannot be improved. Levels that a task has made weaker are kept.
 */
static void levels_look(struct host *host)
{
	size_t looked = 0;

	host->guard_rounds -= host->guard_rounds > 0;
	for (size_t k = 0; k < host->nsessions && looked < LOOKED_AT_MOST; k++) {
		struct host_session *session = &host->sessions[host->session_cursor++ % host->nsessions];
		int level;

		session->contested &= host->guard_rounds > 0;
		if (session->shared || !session->works || session->nice_set == NICE_UNKNOWN || session->nice_set <= 0)
			continue;
		looked++;
		level = level_read(host, session);
		if (level == NICE_UNKNOWN || level >= session->nice_set)
			continue;
		session->nice_set = level;
		session->contested = true;
		host->tasks[session->task].setting.changed++;
		host->guard_rounds = GUARD_ROUNDS;
		host->is_admin = capability_have(CAP_SYS_ADMIN);
	}
	host->session_cursor = host->nsessions ? host->session_cursor % host->nsessions : 0;
}

void groups_move(struct host *host)
{
	sessions_find(host);
	sessions_remove_empty(host);
	levels_look(host);
	sessions_plan(host);
	sessions_move(host);
}

void groups_retry(struct host *host)
{
	size_t written = 0;

	for (size_t k = 0; k < host->nsessions && host->guard_rounds && written < CONTESTED_MOST; k++) {
		if (host->sessions[k].contested && !host->sessions[k].shared) {
			session_move(host, &host->sessions[k]);
			written++;
		}
	}
	if (host->waiting)
		sessions_move(host);
}
