/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals to tasks. Each signal needs a scan of all processes of the machine, so only a few are
 * sent in a turn of the loop, and the rest in the next turns. A task that has not begun yet gets
 * its signal after it has begun.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/number.h"
#include "conf/execd_params.h"
#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/process/signal_name.h"
#include "sched/qmaster/local/ending.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/launch.h"
#include "sched/qmaster/local/steer.h"
#include "sched/qmaster/local/vacate.h"

#define SIGNALS_A_TURN 16
#define NOT_YET_NS (SECOND_NS / 10)
/* time after SIGKILL; a shepherd needs a moment to find all remaining processes */
#define FORGET_NS (10 * SECOND_NS)
#define GRACE_MOST_S 86400

static const struct {
	const char *name;
	int number;
} names[] = {
	{ "SIGTERM", SIGTERM }, { "SIGINT", SIGINT }, { "SIGHUP", SIGHUP }, { "SIGQUIT", SIGQUIT },
	{ "SIGUSR1", SIGUSR1 },
	{ "SIGUSR2", SIGUSR2 }, { "SIGXCPU", SIGXCPU }, { "SIGKILL", SIGKILL },
};

/*
 * Return the signal of the job, otherwise terminate_method of the queue. A method that is a program
 * is not called here and counts as NONE.
 */
static int terminate_signal(const struct local *local, const struct local_task *task)
{
	const char *method = machine_queue_value(local, local_task_queue(task), "terminate_method", "NONE");

	if (task->kill_signal.number)
		return task->kill_signal.number;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(method, names[i].name) == 0)
			return names[i].number;
	return SIGKILL;
}

/*
 * Return the vacate time. An expression that is not a plain number needs a negotiation, which is
 * over here.
 */
static uint32_t vacate_seconds(const struct local_job *job)
{
	const char *text = job->request.spec.condor.job_max_vacate_time;
	uint32_t seconds;

	return text && number_u32(text, &seconds) == 0 ? seconds < GRACE_MOST_S ? seconds : GRACE_MOST_S : UINT32_MAX;
}

/* Return `notify` of the queue. */
static uint32_t notify_s(const struct local *local, const struct local_task *task)
{
	uint32_t seconds;

	return number_time(machine_queue_value(local, local_task_queue(task), "notify", "0:0:60"), &seconds) ||
			       seconds > GRACE_MOST_S
		       ? 60
		       : seconds;
}

void signal_of_job(const struct local *local, struct local_task *task, const struct local_job *job)
{
	const struct condor_spec *condor = &job->request.spec.condor;
	const char *name = job_text(condor->remove_kill_sig, job_text(condor->kill_sig, NULL));

	task->notify_ns = job->execution.notify ? notify_s(local, task) * SECOND_NS : 0;
	task->kill_signal =
		(struct task_kill_signal){ .number = name ? signal_number(name) : 0, .grace_s = UINT32_MAX };
	if (task->kill_signal.number)
		task->kill_signal.grace_s = vacate_seconds(job);
}

static uint64_t grace_ns(const struct local *local, const struct local_task *task)
{
	return (task->kill_signal.grace_s != UINT32_MAX ? task->kill_signal.grace_s : notify_s(local, task)) *
	       SECOND_NS;
}

void signal_send(struct local_task *task, int signal)
{
	task->deadlines.signal = signal;
	task->deadlines.signal_ns = clock_monotonic_ns();
	task->deadlines.then_ns = NEVER_NS;
}

/*
 * Send a notification now and the signal after `notify`. Another signal in the meantime replaces
 * both.
 */
static void signal_announce(struct local_task *task, int notice, int signal)
{
	signal_send(task, notice);
	task->deadlines.then = signal;
	task->deadlines.then_ns = task->deadlines.signal_ns + task->notify_ns;
}

/*
 * Return the signal that announces a stop or the end to a job with -notify. 0: there is none, and
 * no delay. A value of NOTIFY_SUSP or NOTIFY_KILL that is no signal is not used; lint reports it.
 */
static int notice_of(const struct local *local, const struct local_task *task, const char *name, int usual)
{
	struct execd_param param;
	int number;

	if (!task->notify_ns)
		return 0;
	if (!execd_param_find(sched_cell(local->sched), name, &param))
		return usual;
	if (strcasecmp(param.value, "none") == 0)
		return 0;
	number = signal_number(param.value);
	return number ? number : usual;
}

void signal_stop(const struct local *local, struct local_task *task)
{
	int notice = notice_of(local, task, "NOTIFY_SUSP", SIGUSR1);

	if (notice)
		signal_announce(task, notice, SIGSTOP);
	else
		signal_send(task, SIGSTOP);
}

void signal_end(struct local *local, struct local_task *task)
{
	struct task_deadlines *deadlines = &task->deadlines;
	int signal = task->removal == REMOVAL_FORCE ? SIGKILL : terminate_signal(local, task);
	int notice = task->removal == REMOVAL_FORCE ? 0 : notice_of(local, task, "NOTIFY_KILL", SIGUSR2);
	uint64_t notice_ns = notice ? task->notify_ns : 0;
	uint64_t kill_ns = clock_monotonic_ns() + notice_ns + (signal == SIGKILL ? 0 : grace_ns(local, task));

	if (notice && signal != SIGKILL)
		signal_announce(task, notice, signal);
	else if (notice || signal != SIGKILL)
		signal_send(task, notice ? notice : signal);
	if (kill_ns < deadlines->kill_ns)
		deadlines->kill_ns = kill_ns;
	if (task->removal == REMOVAL_FORCE && deadlines->forget_ns == NEVER_NS)
		deadlines->forget_ns = kill_ns + FORGET_NS;
}

/* Send a signal. Returns the time at which it must be sent again, or NEVER_NS. */
static uint64_t deliver(struct local *local, struct local_task *task, int signal)
{
	bool sent = steer_signal(local, task, signal);

	if (sent && task->removal != REMOVAL_NONE && signal != SIGKILL && signal != SIGSTOP)
		/* otherwise a suspended task would not handle the signal */
		steer_signal(local, task, SIGCONT);
	return sent ? NEVER_NS : clock_monotonic_ns() + NOT_YET_NS;
}

static int directory_open(const struct local *local, const struct local_task *task)
{
	char name[DIRECTORY_BYTES];

	local_task_directory(task, name);
	return openat(local->active_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/*
 * Record for the shepherd which limit the task has reached. The shepherd reports the limit to the
 * owner when the task has ended.
 */
static void limit_say(struct local *local, const struct local_task *task, bool kills)
{
	const struct task_time_limits *limits = &task->time_limits;
	bool of_queue = kills ? limits->hard_of_queue : limits->soft_of_queue;
	struct attempt_limit reached = { .kills = kills };
	struct error error = { "" };
	int fd = directory_open(local, task), rc = fd < 0 ? error_set(&error, -errno, "its directory: %m") : 0;

	snprintf(reached.text, sizeof(reached.text), "%s=%" PRId64 "%s%.*s", kills ? "h_rt" : "s_rt",
		 kills ? limits->hard_s : limits->soft_s, of_queue ? " of queue " : "",
		 of_queue ? (int)strcspn(local_task_queue(task), "@") : 0, local_task_queue(task));
	log_event(LOG_NOTE, LOG_TASK(task->job_number, task->id),
		  "task %u of job %u has reached its %s", task->id, task->job_number, reached.text);
	if (rc == 0)
		rc = attempt_limit_write(fd, &reached, &error);
	if (rc)
		log_event(LOG_ODD, LOG_TASK(task->job_number, task->id),
			  "task %u of job %u: cannot record which limit it has reached: %s",
			  task->id, task->job_number, error.text);
	if (fd >= 0)
		close(fd);
}

static void soft_one(struct local *local, struct local_task *task)
{
	struct task_deadlines *deadlines = &task->deadlines;

	if (deadlines->soft == KILL_NOT_YET)
		limit_say(local, task, false);
	deadlines->soft = KILL_NOTIFIED;
	deadlines->soft_ns = deliver(local, task, SIGUSR1);
}

static void kill_one(struct local *local, struct local_task *task)
{
	struct task_deadlines *deadlines = &task->deadlines;

	if (task->removal == REMOVAL_NONE && deadlines->kill == KILL_NOT_YET) {
		int notice = notice_of(local, task, "NOTIFY_KILL", SIGUSR2);

		limit_say(local, task, true);
		deadlines->kill = KILL_NOTIFIED;
		if (notice) {
			signal_send(task, notice);
			deadlines->kill_ns = deadlines->signal_ns + task->notify_ns;
			return;
		}
	}
	if (deadlines->kill < KILL_TRIED)
		deadlines->kill = KILL_TRIED;
	deadlines->kill_ns = deliver(local, task, SIGKILL);
	if (deadlines->kill_ns == NEVER_NS)		/* until its shepherd reports the end */
		deadlines->kill_ns = clock_monotonic_ns() + SECOND_NS;
	else if (task->removal != REMOVAL_NONE)
		ending_prevent(local, task);
	if (deadlines->forget_ns <= clock_monotonic_ns())
		ending_forget(local, task);
}

void signals_due(struct local *local)
{
	uint64_t now_ns = clock_monotonic_ns();
	unsigned left = SIGNALS_A_TURN;

	for (size_t i = 0; left > 0 && i < local->tasks.n; i++) {
		struct local_task *task = local->tasks.items[i];
		struct task_deadlines *deadlines = &task->deadlines;

		if (local_task_runs(task) && deadlines->give_up_ns <= now_ns)
			vacate_give_up(task);
		if (deadlines->then == SIGSTOP && local_task_is_leaving(task))
			deadlines->then_ns = NEVER_NS;
		if (local_task_runs(task) && deadlines->then_ns <= now_ns && deadlines->signal_ns == NEVER_NS)
			signal_send(task, deadlines->then);
		if (local_task_is_leaving(task) || deadlines->kill != KILL_NOT_YET)
			deadlines->soft_ns = NEVER_NS;
		if (!local_task_runs(task) ||
		    (deadlines->signal_ns > now_ns && deadlines->kill_ns > now_ns && deadlines->soft_ns > now_ns))
			continue;
		left--;
		if (deadlines->kill_ns <= now_ns)
			kill_one(local, task);
		else if (deadlines->soft_ns <= now_ns)
			soft_one(local, task);
		else
			deadlines->signal_ns = deliver(local, task, deadlines->signal);
	}
}

uint64_t signals_next_ns(const struct local *local)
{
	uint64_t next = NEVER_NS;

	for (size_t i = 0; i < local->tasks.n; i++) {
		const struct task_deadlines *deadlines = &local->tasks.items[i]->deadlines;
		const uint64_t due_ns[] = { deadlines->kill_ns, deadlines->soft_ns, deadlines->signal_ns,
					    deadlines->give_up_ns,
					    deadlines->signal_ns == NEVER_NS ? deadlines->then_ns : NEVER_NS };

		for (size_t k = 0; local_task_runs(local->tasks.items[i]) && k < sizeof(due_ns) / sizeof(*due_ns); k++)
			if (due_ns[k] < next)
				next = due_ns[k];
	}
	return next;
}

/*
 * Return the run time of a task; 0: it has not begun. The date may have been set since the start,
 * so the kernel's start time of the first process is preferred.
 */
static int64_t passed_s(const struct local *local, const struct local_task *task)
{
	int64_t by_clock = clock_date() - task->start_time, since;
	struct attempt attempt = { 0 };
	struct error error;
	struct timespec now;
	int fd = directory_open(local, task), rc = fd < 0 ? -errno : attempt_look(fd, &attempt, &error);

	if (fd >= 0)
		close(fd);
	if (rc == 0 && attempt.begun != ATTEMPT_BY_SHEPHERD)
		return 0;
	if (rc || attempt.leader.start == 0 || strcmp(task->boot, local->boot) != 0)
		return by_clock < 0 ? 0 : by_clock;
	clock_gettime(CLOCK_BOOTTIME, &now);
	since = (int64_t)now.tv_sec - (int64_t)(attempt.leader.start / (uint64_t)sysconf(_SC_CLK_TCK));
	return since < 0 ? 0 : since;
}

/* Return whether an earlier scheduler has already sent the signal of s_rt. */
static bool soft_was_sent(const struct local *local, const struct local_task *task)
{
	struct attempt_limit reached;
	struct error error;
	int fd = directory_open(local, task);
	bool sent = fd >= 0 && attempt_limit_read(fd, &reached, &error) == 0;

	if (fd >= 0)
		close(fd);
	return sent;
}

static uint64_t limit_due_ns(int64_t limit_s, int64_t passed)
{
	if (limit_s < 0 || limit_s > (1ll << 31))
		return NEVER_NS;
	return clock_monotonic_ns() + (uint64_t)(passed > limit_s ? 0 : limit_s - passed) * SECOND_NS;
}

void signal_limit(struct local *local, struct local_task *task, const struct local_job *job)
{
	struct task_time_limits *limits = &task->time_limits;
	const char *queue = local_task_queue(task);
	int64_t passed;

	limits->hard_s = limit_of(local, queue, job, "h_rt", &limits->hard_of_queue);
	limits->soft_s = limit_of(local, queue, job, "s_rt", &limits->soft_of_queue);
	if (limits->hard_s < 0 && limits->soft_s < 0)
		return;
	passed = passed_s(local, task);
	task->deadlines.kill_ns = limit_due_ns(limits->hard_s, passed);
	task->deadlines.soft_ns = passed >= limits->soft_s && soft_was_sent(local, task)
					  ? NEVER_NS
					  : limit_due_ns(limits->soft_s, passed);
}
