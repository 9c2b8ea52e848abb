/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals to tasks. Each is a look at all processes of the machine, so there are a few in a turn of
 * the loop, and the rest in the next ones. A task that has not begun yet gets its signal when it
 * has.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conf/number.h"
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
/* after SIGKILL; a shepherd needs a moment to find all that is left */
#define FORGET_NS (10 * SECOND_NS)
#define GRACE_MOST_S 86400

static const struct {
	const char *name;
	int number;
} names[] = {
	{ "SIGTERM", SIGTERM }, { "SIGINT", SIGINT }, { "SIGHUP", SIGHUP }, { "SIGQUIT", SIGQUIT }, { "SIGUSR1", SIGUSR1 },
	{ "SIGUSR2", SIGUSR2 }, { "SIGXCPU", SIGXCPU }, { "SIGKILL", SIGKILL },
};

/*
 * What the job wants; else terminate_method of the queue: what is no signal but a program is not
 * called here, and counts as NONE.
 */
static int terminate_signal(const struct local *l, const struct local_task *t)
{
	const char *method = machine_queue_value(l, local_task_queue(t), "terminate_method", "NONE");

	if (t->kill_signal.number)
		return t->kill_signal.number;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(method, names[i].name) == 0)
			return names[i].number;
	return SIGKILL;
}

/* An expression that is no plain number is for a negotiation, which is over here. */
static uint32_t vacate_seconds(const struct local_job *job)
{
	const json_t *value = json_object_get(job->request, "job_max_vacate_time");
	const char *text = json_string_value(value);
	uint32_t seconds;

	if (json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) <= GRACE_MOST_S)
		return (uint32_t)json_integer_value(value);
	return text && number_u32(text, &seconds) == 0 ? seconds < GRACE_MOST_S ? seconds : GRACE_MOST_S : UINT32_MAX;
}

/* `notify` of its queue. */
static uint32_t notify_s(const struct local *l, const struct local_task *t)
{
	uint32_t seconds;

	return number_time(machine_queue_value(l, local_task_queue(t), "notify", "0:0:60"), &seconds) || seconds > GRACE_MOST_S ? 60 : seconds;
}

void signal_of_job(const struct local *l, struct local_task *t, const struct local_job *job)
{
	const char *name = job_text(job, "remove_kill_sig", job_text(job, "kill_sig", NULL));

	t->notify_ns = json_is_true(json_object_get(job->execution, "notify")) ? notify_s(l, t) * SECOND_NS : 0;
	t->kill_signal = (struct task_kill_signal){ .number = name ? signal_number(name) : 0, .grace_s = UINT32_MAX };
	if (t->kill_signal.number)
		t->kill_signal.grace_s = vacate_seconds(job);
}

static uint64_t grace_ns(const struct local *l, const struct local_task *t)
{
	return (t->kill_signal.grace_s != UINT32_MAX ? t->kill_signal.grace_s : notify_s(l, t)) * SECOND_NS;
}

void signal_send(struct local_task *t, int signal)
{
	t->deadlines.signal = signal;
	t->deadlines.signal_ns = clock_monotonic_ns();
	t->deadlines.then_ns = NEVER_NS;
}

/* Another signal in between takes the place of both. */
static void signal_announce(struct local_task *t, int notice, int signal)
{
	signal_send(t, notice);
	t->deadlines.then = signal;
	t->deadlines.then_ns = t->deadlines.signal_ns + t->notify_ns;
}

void signal_stop(struct local_task *t)
{
	if (t->notify_ns)
		signal_announce(t, SIGUSR1, SIGSTOP);
	else
		signal_send(t, SIGSTOP);
}

void signal_end(struct local *l, struct local_task *t)
{
	struct task_deadlines *d = &t->deadlines;
	int signal = t->removal == REMOVAL_FORCE ? SIGKILL : terminate_signal(l, t);
	uint64_t notice_ns = t->removal == REMOVAL_FORCE ? 0 : t->notify_ns;
	uint64_t kill_ns = clock_monotonic_ns() + notice_ns + (signal == SIGKILL ? 0 : grace_ns(l, t));

	if (notice_ns && signal != SIGKILL)
		signal_announce(t, SIGUSR2, signal);
	else if (notice_ns || signal != SIGKILL)
		signal_send(t, notice_ns ? SIGUSR2 : signal);
	if (kill_ns < d->kill_ns)
		d->kill_ns = kill_ns;
	if (t->removal == REMOVAL_FORCE && d->forget_ns == NEVER_NS)
		d->forget_ns = kill_ns + FORGET_NS;
}

/* When a signal is to be sent once more, if it is. */
static uint64_t deliver(struct local *l, struct local_task *t, int signal)
{
	bool sent = steer_signal(l, t, signal);

	if (sent && t->removal != REMOVAL_NONE && signal != SIGKILL && signal != SIGSTOP)
		steer_signal(l, t, SIGCONT);	/* else a suspended one would not hear of it */
	return sent ? NEVER_NS : clock_monotonic_ns() + NOT_YET_NS;
}

static int directory_open(const struct local *l, const struct local_task *t)
{
	char name[DIRECTORY_BYTES];

	local_task_directory(t, name);
	return openat(l->active_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/*
 * Write down for the shepherd which limit the task has reached: the shepherd reports it to the
 * owner when the task has ended.
 */
static void limit_say(struct local *l, const struct local_task *t, bool kills)
{
	const struct task_time_limits *limits = &t->time_limits;
	bool of_queue = kills ? limits->hard_of_queue : limits->soft_of_queue;
	struct attempt_limit reached = { .kills = kills };
	struct error error = { "" };
	int fd = directory_open(l, t), rc = fd < 0 ? error_set(&error, -errno, "its directory: %m") : 0;

	snprintf(reached.text, sizeof(reached.text), "%s=%" PRId64 "%s%.*s", kills ? "h_rt" : "s_rt", kills ? limits->hard_s : limits->soft_s,
		 of_queue ? " of queue " : "", of_queue ? (int)strcspn(local_task_queue(t), "@") : 0, local_task_queue(t));
	log_line(LOG_NOTE, "task %u of job %u has reached its %s", t->id, t->job_number, reached.text);
	if (rc == 0)
		rc = attempt_limit_write(fd, &reached, &error);
	if (rc)
		log_line(LOG_ODD, "task %u of job %u: which limit it has reached could not be written down: %s", t->id, t->job_number, error.text);
	if (fd >= 0)
		close(fd);
}

static void soft_one(struct local *l, struct local_task *t)
{
	struct task_deadlines *d = &t->deadlines;

	if (d->soft == KILL_NOT_YET)
		limit_say(l, t, false);
	d->soft = KILL_NOTIFIED;
	d->soft_ns = deliver(l, t, SIGUSR1);
}

static void kill_one(struct local *l, struct local_task *t)
{
	struct task_deadlines *d = &t->deadlines;

	if (t->removal == REMOVAL_NONE && d->kill == KILL_NOT_YET) {
		limit_say(l, t, true);
		d->kill = KILL_NOTIFIED;
		if (t->notify_ns) {
			signal_send(t, SIGUSR2);
			d->kill_ns = d->signal_ns + t->notify_ns;
			return;
		}
	}
	if (d->kill < KILL_TRIED)
		d->kill = KILL_TRIED;
	d->kill_ns = deliver(l, t, SIGKILL);
	if (d->kill_ns == NEVER_NS)		/* until its shepherd says that it is over */
		d->kill_ns = clock_monotonic_ns() + SECOND_NS;
	else if (t->removal != REMOVAL_NONE)
		ending_prevent(l, t);
	if (d->forget_ns <= clock_monotonic_ns())
		ending_forget(l, t);
}

void signals_due(struct local *l)
{
	uint64_t now_ns = clock_monotonic_ns();
	unsigned left = SIGNALS_A_TURN;

	for (size_t i = 0; left > 0 && i < l->tasks.n; i++) {
		struct local_task *t = l->tasks.items[i];
		struct task_deadlines *d = &t->deadlines;

		if (local_task_runs(t) && d->give_up_ns <= now_ns)
			vacate_give_up(t);
		if (d->then == SIGSTOP && local_task_is_leaving(t))
			d->then_ns = NEVER_NS;
		if (local_task_runs(t) && d->then_ns <= now_ns && d->signal_ns == NEVER_NS)
			signal_send(t, d->then);
		if (local_task_is_leaving(t) || d->kill != KILL_NOT_YET)
			d->soft_ns = NEVER_NS;
		if (!local_task_runs(t) || (d->signal_ns > now_ns && d->kill_ns > now_ns && d->soft_ns > now_ns))
			continue;
		left--;
		if (d->kill_ns <= now_ns)
			kill_one(l, t);
		else if (d->soft_ns <= now_ns)
			soft_one(l, t);
		else
			d->signal_ns = deliver(l, t, d->signal);
	}
}

uint64_t signals_next_ns(const struct local *l)
{
	uint64_t next = NEVER_NS;

	for (size_t i = 0; i < l->tasks.n; i++) {
		const struct task_deadlines *d = &l->tasks.items[i]->deadlines;
		const uint64_t due_ns[] = { d->kill_ns, d->soft_ns, d->signal_ns, d->give_up_ns, d->signal_ns == NEVER_NS ? d->then_ns : NEVER_NS };

		for (size_t k = 0; local_task_runs(l->tasks.items[i]) && k < sizeof(due_ns) / sizeof(*due_ns); k++)
			if (due_ns[k] < next)
				next = due_ns[k];
	}
	return next;
}

/*
 * For how long it has run: 0 if it has not begun. The clock may have been set since, and does not
 * count as long as the kernel knows when its first process was started.
 */
static int64_t passed_s(const struct local *l, const struct local_task *t)
{
	int64_t by_clock = clock_date() - t->start_time, since;
	struct attempt a = { 0 };
	struct error error;
	struct timespec now;
	int fd = directory_open(l, t), rc = fd < 0 ? -errno : attempt_look(fd, &a, &error);

	if (fd >= 0)
		close(fd);
	if (rc == 0 && a.begun != ATTEMPT_BY_SHEPHERD)
		return 0;
	if (rc || a.leader.start == 0 || strcmp(t->boot, l->boot) != 0)
		return by_clock < 0 ? 0 : by_clock;
	clock_gettime(CLOCK_BOOTTIME, &now);
	since = (int64_t)now.tv_sec - (int64_t)(a.leader.start / (uint64_t)sysconf(_SC_CLK_TCK));
	return since < 0 ? 0 : since;
}

/* A scheduler before this one may have sent the signal of s_rt: once is enough. */
static bool soft_was_sent(const struct local *l, const struct local_task *t)
{
	struct attempt_limit reached;
	struct error error;
	int fd = directory_open(l, t);
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

void signal_limit(struct local *l, struct local_task *t, const struct local_job *job)
{
	struct task_time_limits *limits = &t->time_limits;
	int64_t passed;

	limits->hard_s = limit_of(l, t, job, "h_rt", &limits->hard_of_queue);
	limits->soft_s = limit_of(l, t, job, "s_rt", &limits->soft_of_queue);
	if (limits->hard_s < 0 && limits->soft_s < 0)
		return;
	passed = passed_s(l, t);
	t->deadlines.kill_ns = limit_due_ns(limits->hard_s, passed);
	t->deadlines.soft_ns = passed >= limits->soft_s && soft_was_sent(l, t) ? NEVER_NS : limit_due_ns(limits->soft_s, passed);
}
