/* SPDX-License-Identifier: Apache-2.0 */
/* The local cell's insides, shared by the files of this room alone. local.h is its map. */
#ifndef SCHED_QMASTER_LOCAL_WORK_H
#define SCHED_QMASTER_LOCAL_WORK_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/un.h>

#include "sched/host/host.h"
#include "sched/qmaster/local/footprint.h"
#include "sched/qmaster/local/local.h"
#include "sched/qmaster/local/people.h"
#include "sched/qmaster/local/turns.h"
#include "sched/shepherd/record.h"
#include "sched/store/store.h"

/* after the store could not take something, and twice as long each time */
#define RETRY_NS (SECOND_NS / 10)
#define RETRY_MOST_NS (60 * SECOND_NS)
#define DESCRIPTORS_SPARE 64	/* that are kept for others than shepherds */
#define JOB_BYTES LINE_BYTES	/* of the store, for one job: alterations add up */
#define NAME_BYTES 64		/* of an attempt's directory */
#define SECOND_NS 1000000000ull

enum result { RESULT_DONE, RESULT_WRONG = 2, RESULT_NO_JOB, RESULT_DENIED, RESULT_NOT_STORED };

/* Jobs.c: a job as the store has it, taken apart */

struct job {
	uint32_t number;
	char *owner, *group;
	uid_t uid;
	gid_t gid;
	int64_t submission_time;
	json_t *request;	/* members of job_add */
	json_t *execution;	/* what is run, and how */
	bool is_array;
	struct ranges waiting;	/* ids not started; 1 if it is no array */
	struct ranges hold[HOLD_KINDS];
	char *error;		/* when, and why it is in the error state; NULL: it is not */
};

/* -ENOENT: there is none; or the errors of the store. job_free() in each case. */
int job_load(struct local *l, uint32_t number, struct job *job, struct error *error);
int job_save(struct local *l, const struct job *job, struct error *error);
/* with its tasks. -ENOENT */
int job_remove(struct local *l, uint32_t number, struct error *error);
size_t job_bytes(const struct job *job);	/* of the store, that it would take */
int jobs_count(struct local *l, struct error *error);	/* footprints anew: of the store as it is */
int job_count(void *local, const struct stored_job *stored);	/* of one. -ENOMEM */
/* From a row of the store, which is borrowed. */
int job_read(struct job *job, const struct stored_job *stored, struct error *error);
void job_free(struct job *job);
int job_fail(struct job *job, const char *why);	/* into the error state; -ENOMEM */
const char *job_name(const struct job *job);
/* of its request */
const char *job_text(const struct job *job, const char *member, const char *fallback);
/*
 * Whether it has neither tasks that wait nor such that run; with those that have ended, booked or
 * not, left aside.
 */
bool job_is_done(const struct local *l, const struct job *job);

/* Tasks.c: started tasks, by job and id */

enum local_state { LOCAL_STARTING, LOCAL_RUNNING, LOCAL_ENDED };

#define LAUNCHES_MAX 3

/* what an event of epoll(7) is about: the first member of each */
enum watched { WATCHED_LISTENER, WATCHED_CLIENT, WATCHED_ENDS };

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

/* Clients.c */

struct bytes {
	char *text;
	size_t used, capacity;
};

struct selecting;

struct client {
	enum watched watched;
	struct waiter waiter;	/* for its turn */
	struct client *next;
	int fd;
	uid_t uid;
	gid_t gid;
	const char *owner, *group;	/* l->people's; during a request */
	struct bytes in, out;	/* what has come of a line; replies and news */
	size_t sent;		/* of `out` */
	bool served;		/* in this turn, the whole request or a part of it */
	bool aside;		/* its request was undone with the turn, and is tried again */
	/* in which its request was served so far, and those of others in between */
	uint64_t parts, before;
	size_t line;		/* bytes of its request in `in`, complete */
	json_t *results;	/* of its request; NULL: none yet */
	size_t committed;	/* so many of them are of parts that are stored */
	uint64_t compared;	/* by its request: see select.c */
	struct selecting *selecting;	/* what is still to be done of it; NULL: nothing */
	/* the job whose news it gets once this turn is committed, and gets; 0: none */
	uint32_t wants, follows;
	bool resumes;		/* and those that it has missed */
	uint64_t seen_ns;	/* when something moved last */
};

struct clients {
	enum watched watched;
	struct client *first;
	size_t n;
	int listen_fd;
	struct sockaddr_un address;
	/* no descriptors were left; nobody is accepted before. 0: all are */
	uint64_t paused_ns;
	size_t nfollowing;	/* those with `wants` or `follows` */
	struct turns turns;
	/* of the thread's processor time: a request that can be parted goes on in another turn */
	uint64_t part_end_ns;
};

int clients_open(struct local *l, struct error *error);
void clients_close(struct local *l);
void clients_accept(struct local *l);
void client_handle(struct local *l, struct client *c);
/* The requests that are complete, as far as their users' shares of this turn go. */
void clients_serve(struct local *l);
/* its request, or a part of it; one of a turn that was undone, too */
void client_serve(struct local *l, struct client *c);
void clients_sweep(struct local *l);	/* those that do not move */
/*
 * A line that it has not asked for just now; the reference is taken. Who does not read them is let
 * go.
 */
void client_tell(struct local *l, struct client *c, json_t *line);
bool client_is_operator(const struct client *c);
bool client_may_change(const struct client *c, const struct job *job);

/* Answers.c */
void clients_answer(struct local *l);	/* all requests of this turn */
/*
 * Those of a turn that was undone wait for client_again() or client_refuse(); the next one of them,
 * NULL: none is left. Of a request that took several turns those before this one are stored: it is
 * not tried again, and told why.
 */
void clients_set_aside(struct local *l, const char *why);
struct client *clients_aside(const struct local *l);
void client_again(struct local *l, struct client *c);
void client_refuse(struct local *l, struct client *c, const char *why);	/* it was not done */

/* Requests */

/* One more result; `task` 0: none. */
void result_add(struct client *c, enum result code, uint32_t job_number, uint32_t task, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
void request_handle(struct local *l, struct client *c, const char *line, size_t length);
void request_submit(struct local *l, struct client *c, json_t *request);
void request_alter(struct local *l, struct client *c, json_t *request);
void request_delete(struct local *l, struct client *c, json_t *request);
void request_hold(struct local *l, struct client *c, json_t *request);	/* and release */
void request_clear(struct local *l, struct client *c, json_t *request);	/* of the error state */
void request_follow(struct local *l, struct client *c, json_t *request);

/* Follow.c: clients that are told what becomes of a job */

/* -EINVAL: there are too many */
int follow_admit(const struct local *l, const struct client *c, struct error *error);
/* to be one of them, with this turn's commit */
void follow_wish(struct local *l, struct client *c, uint32_t job_number);
void follow_forget(struct local *l, struct client *c);				/* there was none */
/* After a commit: replies are out, and of the tasks the fresh ones are not dealt with yet. */
void follow_settle(struct local *l);

/*
 * These ids of a job are gone, and so is the job if nothing of it is left. -E2BIG: not those, and
 * nothing has changed.
 */
int delete_waiting(struct local *l, struct job *job, const struct ranges *gone, struct error *error);

struct selection {
	struct job job;
	struct ranges tasks;	/* n == 0: all */
};
#define SELECT_CONTEXT_BYTES 16

/*
 * Calls `change` for each job meant by "jobs" that the client may change; results for the others
 * are added. That may take more than this turn: client.selecting then, with a copy of what is at
 * `context` and the request. select_go_on() in the turns to come.
 */
void select_jobs(struct local *l, struct client *c, json_t *request,
		 void (*change)(struct local *l, struct client *c, struct selection *s, void *context), const void *context, size_t bytes);
void select_go_on(struct local *l, struct client *c);
void select_forget(struct client *c);	/* what is not done yet; a no-op if there is nothing */

/*
 * -EINVAL with what is wrong: what is asked for, held against the cell and against what this client
 * may ask.
 */
int check_request(struct local *l, const struct client *c, json_t *request, struct error *error);
/* Part of that; -EPERM, too. */
int access_check(const struct cell *cell, const struct client *c, const char *project, json_t *request, struct error *error);
/* before one more job */
int access_check_new(struct local *l, const struct client *c, struct error *error);
/* before it is stored */
int access_check_bytes(struct local *l, const struct client *c, const struct job *job, struct error *error);
/* Resource lists that were found good. */
int resources_settle(const struct cell *cell, json_t *request, struct error *error);
int check_execution(json_t *execution, bool whole, struct error *error);
int check_name(const char *name, struct error *error);
/* Names in "hold_jid" become numbers. */
int check_hold_jid(struct local *l, struct client *c, json_t *request, struct error *error);

/* Tell.c, snapshot.c */

/* One event; the reference is taken. -EINVAL: the scheduler refuses it, with its reason. */
int tell(struct local *l, json_t *event, struct error *error);
/*
 * For a job that is in the store: -EINVAL, the scheduler refuses what it is told of it, is logged
 * and no reason to stop. Else `rc`.
 */
int tell_known(int rc, const struct error *error, uint32_t job_number);
/* of what a job asks for: with task ids as scattered as they may be it still fits into an event */
#define REQUEST_BYTES 65536
int tell_fits(const struct job *job, struct error *error);
int tell_job(struct local *l, const struct job *job, const struct ranges *tasks, struct error *error);
/* and error state and waiting tasks: job_modify */
int tell_holds(struct local *l, const struct job *job, struct error *error);
int tell_start(struct local *l, const struct local_task *t, struct error *error);
int tell_usage(struct local *l, const struct local_task *t, struct error *error);
int tell_end(struct local *l, const struct local_task *t, struct error *error);
int snapshot_tell(struct local *l, struct error *error);
int load_tell(struct local *l, struct error *error);

/* Orders.c, launch.c, ending.c, recover.c, steer.c */

void orders_carry_out(struct local *l);
/* A new attempt: directory and description. The task is put into the store; nothing runs yet. */
int launch_prepare(struct local *l, struct local_task *t, const struct job *job, struct error *error);
/* It failed for a reason that lies with the job, and would again. */
bool launch_is_hopeless(int rc);
int local_task_nice(const struct local *l, const struct local_task *t);	/* with which it begins */
int launch_spawn(struct local *l, struct local_task *t, struct error *error);
/* Their directories: of one attempt of a task, or by name. */
void attempt_remove(struct local *l, const struct local_task *t, uint32_t attempt);
void launch_sweep(struct local *l, const char *name);
json_t *attempt_config(int dir_fd);	/* what its shepherd was given; NULL: it can't be read */
char *attempt_cgroup(int dir_fd);	/* the caller frees; NULL: none */
int local_task_watch(struct local *l, struct local_task *t, int pid_fd, struct error *error);

/*
 * Its shepherd is gone, or may be. True: the task has ended, or begins anew. False: it runs, below
 * *shepherd; or, with *shepherd zero, that can't be told now.
 */
bool ending_take(struct local *l, struct local_task *t, struct attempt_process *shepherd);
/*
 * One that was deleted and has not begun, since its directory is on a server that does not answer,
 * say, never will. No-op if it has begun.
 */
void ending_prevent(struct local *l, struct local_task *t);
/* It counts as ended, whatever its shepherd is about. */
void ending_forget(struct local *l, struct local_task *t);
/* as accounting(5) has it */
enum attempt_failed ending_failed(const struct attempt_exit *exit);
/* the task waits again, unless somebody has deleted it */
bool ending_is_void(enum attempt_failed failed, int exit_status);
/*
 * Those of which the run just published knows: out of the store with this transaction; out of
 * memory once it is committed.
 */
int endings_booked(struct local *l, struct error *error);
void endings_forget(struct local *l);
/* All started tasks of the store into memory; those that it does not have are forgotten. */
int recover(struct local *l, struct error *error);
/* Which of them run; the scheduler is told of those that don't. */
int recover_look(struct local *l, struct error *error);

/* Restored.c: a store that is older than the state */

/*
 * Whether it is: the accounting's lines from there on are none of a transaction that was not
 * committed.
 */
int restored_look(struct local *l, int64_t from, bool *older, struct error *error);
/* Numbers of jobs in the accounting, from there on at least, are not given again. */
int restored_numbers(struct local *l, int64_t from, struct error *error);
/* Nor those of jobs and attempts in active_jobs. */
int restored_attempts(struct local *l, struct error *error);
/* Tasks that have ended, as those lines say, are not run again. After recover(). */
int restored_settle(struct local *l, int64_t from, struct error *error);
/*
 * One of active_jobs that has begun, and waits as the store knows it: it runs, or has ended. False:
 * it is not.
 */
bool restored_adopt(struct local *l, const char *name, int dir_fd, const struct attempt *a);

/* Steer.c */

void steer_round(struct local *l);
/*
 * Usage that was told since the last call, into the store: what a scheduler after this one begins
 * with, so that it books only what is more.
 */
int steer_save(struct local *l, struct error *error);
void steer_saved(struct local *l);	/* it is committed */
void steer_go_on(struct local *l);	/* if it is time */
void steer_tickets(struct local *l, json_t *order);
/* false: nobody has got it, or not all have: again */
bool steer_signal(struct local *l, struct local_task *t, int signal);
void steer_kill(struct local *l, struct local_task *t, const struct attempt_process *leader);

/* Signals.c */

void signal_send(struct local_task *t, int signal);	/* soon */
/* it was deleted: its queue's signal, and SIGKILL after the grace; SIGKILL if forced */
void signal_end(struct local *l, struct local_task *t);
/* its h_rt begins, or goes on */
void signal_limit(struct local *l, struct local_task *t, const struct job *job);
void signals_due(struct local *l);
uint64_t signals_next_ns(const struct local *l);

/* Limits.c */

/* -1: none. Seconds or bytes. */
int64_t limit_of(const struct local *l, const struct local_task *t, const struct job *job, const char *name);
/* for the shepherd */
json_t *limits_of(const struct local *l, const struct local_task *t, const struct job *job);

/* Machine.c */

struct machine {
	char host[256];		/* as the queues name it */
	int processors;
};

/* -ENOENT: no queue has an instance here. */
int machine_look(struct machine *m, const struct cell *cell, struct error *error);
/* "queue@host" for each queue that has one here. */
int machine_instances(const struct machine *m, const struct cell *cell, int (*each)(void *context, const char *queue), void *context);
json_t *machine_load(const struct machine *m);
const char *machine_queue_value(const struct local *l, const char *instance, const char *attribute, const char *fallback);

/* Accounting.c */

struct accounting {
	int fd;
	int64_t end;		/* up to here it is in a committed transaction */
	uint64_t inode;
	/* from there on it has more than a store that was restored knows of; -1: it was not */
	int64_t restored;
	char *text;		/* lines of this turn */
	size_t used;
};

int accounting_open(struct local *l, struct error *error);
void accounting_close(struct accounting *a);
int accounting_add(struct local *l, const struct local_task *t, const struct job *job, const struct attempt_exit *exit, struct error *error);
/* The lines of this turn are on disk, and the store knows how far; before the commit. */
int accounting_write(struct local *l, struct error *error);
void accounting_undo(struct local *l);
void accounting_settled(struct local *l);	/* committed */

#define ACCOUNTING_LOOK_BYTES (1 << 20)

struct ended_line {
	uint32_t job_number;
	int64_t submission_time;
	const char *owner;
	uint32_t task;		/* 0: the job is no array */
	enum attempt_failed failed;
	int exit_status;
};

typedef void ended_take(void *context, const struct ended_line *ended);
/*
 * The lines from a place in the file on, which is between two of them or in one that is left out.
 */
int accounting_lines(const struct local *l, int64_t from, ended_take *take, void *context);
/*
 * The committed lines of a job, one for each time that one of its tasks has ended, among the last
 * ones of the file.
 */
int accounting_find(const struct local *l, uint32_t job_number, ended_take *take, void *context);

/* The whole */

struct local {
	struct sched *sched;
	struct events *events;
	struct store *store;
	struct host *host;
	bool meter_told;		/* how CPU time is found */
	struct local_options options;	/* as given; its texts are not kept */
	char *state, *shepherd;		/* directory, program */
	struct machine machine;
	struct people people;
	struct rlimit descriptors;	/* as we found it, and jobs do */
	struct local_tasks tasks;
	struct clients clients;
	struct accounting accounting;
	struct footprints footprints;
	char boot[40];
	uint32_t attempt;		/* given last */
	size_t fresh;			/* tasks with something to be done after the commit */
	struct {
		enum watched watched;
		int fd;			/* epoll of the shepherds' pidfds, itself in epoll_fd */
	} ends;
	int epoll_fd, state_fd, active_fd;	/* STATE, STATE/active_jobs */
	char active_path[4096];
	struct error refusal;		/* of the event told last */
	bool ran;			/* a run was published in this turn */
	bool changed;			/* something of this turn is to be committed */
	struct error failure;		/* why this turn can't be; "": it can */
	/* why nothing is taken now: a probe has failed; "": requests are */
	struct error refusing;
	uint64_t probe_ns;		/* the next one not before */
	/*
	 * the store could not take something; what nobody asks for is not tried before. 0: nothing
	 * waits
	 */
	uint64_t retry_ns;
	uint64_t pause_ns;		/* how long that was */
	bool stale;			/* and what is true could not be told anew */
	bool failing;			/* said so */
	bool unsaved;			/* said that usage could not be stored */
	int64_t ran_at;			/* the last run, epoch seconds */
	/* when levers that the kernel has put off are moved again; UINT64_MAX: none are */
	uint64_t put_off_ns;
	uint64_t look_ns;		/* when the doubtful ones are looked at */
	uint64_t load_ns;		/* when load is told again */
	/* when shepherds that could not be started are tried again; UINT64_MAX: none */
	uint64_t spawn_ns;
};

/* Something of this turn can't be done: all of it will be undone. */
void local_fail(struct local *l, const struct error *error);
void local_changed(struct local *l);

/* Trouble.c: a store that takes nothing */

/* What the scheduler was told in this turn is not true: undone, and told anew. */
void trouble_undo(struct local *l, const struct error *why);
/* Whether requests are taken (again): while they are not, a probe is made now and then. */
bool trouble_is_over(struct local *l);
/* Whether ends and orders wait; the pause begins, after what has cost so long in vain. */
bool trouble_waits(const struct local *l);
void trouble_pause(struct local *l, uint64_t cost_ns);
void trouble_look(struct local *l);	/* whether it is over, and what waited can be tried */
uint64_t trouble_due_ns(const struct local *l);

#endif
