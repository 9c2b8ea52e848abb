/* SPDX-License-Identifier: Apache-2.0 */
/* Started tasks of the local cell, in memory, sorted by job and id. */
#ifndef SCHED_QMASTER_LOCAL_TASK_H
#define SCHED_QMASTER_LOCAL_TASK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/error.h"
#include "sched/store/store.h"

struct local;

#define NAME_BYTES 64		/* of an attempt's directory */
#define LAUNCHES_MAX 3

enum local_state { LOCAL_STARTING, LOCAL_RUNNING, LOCAL_ENDED };

struct local_task {
	uint32_t job_number, id;
	bool is_array;
	/*
	 * STARTING: not committed yet; RUNNING: there is, or will be at once, a shepherd; ENDED:
	 * not booked yet
	 */
	enum local_state state;
	/* of this turn: to be spawned, or its directory to be removed, after the commit */
	bool fresh;
	uint32_t attempt;	/* never used twice in a cell */
	int64_t start_time;
	char boot[40];		/* in which it was started */
	json_t *granted;	/* as in the order */
	char *granted_pe;	/* NULL: none */
	char letters[8];	/* besides r: s, T */
	int suspend;		/* signal that follows from an order of this turn; 0 */
	bool deleted;		/* to be ended */
	bool forced;		/* at once */
	bool requeue;		/* once it has ended, it waits again */
	/* how it has ended, and whether it is to run again; NULL: it has not */
	json_t *ending;
	int pid_fd;		/* of its shepherd; -1: none */
	unsigned launches;	/* in vain so far */
	uint32_t void_attempt;	/* the one before; its directory goes with the commit. 0: none */
	bool booked;		/* ended, and a run knows it */
	bool seen;		/* recover.c: the store has it */
	bool told;		/* the scheduler knows that it is started */
	bool steered;		/* the host knows its processes */
	double cpu_s, mem_gbs, io_gb;	/* the most that was seen so far, and told */
	bool used_more;		/* than the store knows */
	/* its shepherd could not be started, or not be watched, and that is tried again */
	bool unspawned;
	pid_t shepherd;		/* started, but not watched yet; 0 */
	int signal;		/* to be sent to it at signal_ns; UINT64_MAX: never */
	uint64_t signal_ns;
	uint64_t kill_ns;	/* when it is killed; UINT64_MAX: never */
	bool overdue;		/* that was so */
	uint64_t forget_ns;	/* when it is forgotten, ended or not; UINT64_MAX: never */
	bool forgotten;		/* that was so */
	/* found by a restarted scheduler, which can't tell whether it runs */
	bool doubtful;
};

struct local_tasks {
	struct local_task **items;	/* sorted by job and id */
	size_t n, capacity;
};

/* NULL: it is not started */
struct local_task *local_task_find(const struct local *l, uint32_t job_number, uint32_t id);
/* place of the first one of a job, or of what stands behind */
size_t local_task_first(const struct local *l, uint32_t job_number);
/* NULL: no memory */
struct local_task *local_task_new(struct local *l, uint32_t job_number, uint32_t id);
void local_task_forget(struct local *l, struct local_task *t);
void local_tasks_free(struct local_tasks *tasks);
int local_task_save(struct local *l, const struct local_task *t, struct error *error);
/* into memory */
int local_task_read(struct local *l, const struct stored_task *stored, struct error *error);
void local_task_directory(const struct local_task *t, char name[NAME_BYTES]);
uint32_t local_task_slots(const struct local_task *t);
const char *local_task_queue(const struct local_task *t);	/* the master's instance */

#endif
