/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/vacate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/process/signal_name.h"
#include "sched/qmaster/local/inside.h"

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t later_ns(uint64_t ns, uint64_t by_ns)
{
	return ns == VACATION_NEVER_NS ? ns : least(ns + by_ns, VACATION_MOST_NS);
}

static int directory_open(const struct local *l, const struct local_task *t)
{
	char name[DIRECTORY_BYTES];

	local_task_directory(t, name);
	return openat(l->active_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/*
 * From the signal on its shepherd has the vacate time to end it, and KILLING_TIMEOUT for the rest.
 */
static void give_up_later(const struct local *l, struct local_task *t)
{
	const struct attempt_vacation *v = &t->leave.how;
	uint64_t killed_ns = later_ns(v->retired_ns, v->signal == SIGKILL ? 0 : v->vacate_ns);

	t->deadlines.give_up_ns = later_ns(killed_ns, sched_cell(l->sched)->condor.killing_timeout * SECOND_NS);
}

static int vacation_write(const struct local *l, struct local_task *t, const struct attempt_vacation *v, struct error *error)
{
	int fd = directory_open(l, t), rc = fd < 0 ? error_set(error, -errno, "its directory: %m") : attempt_vacation_write(fd, v, error);

	if (fd >= 0)
		close(fd);
	if (rc)
		return rc;
	t->leave.is_due = true;
	t->leave.how = *v;
	give_up_later(l, t);
	return 0;
}

int vacate_begin(struct local *l, struct local_task *t, const struct order_vacate *order, struct error *error)
{
	const struct attempt_vacation *old = &t->leave.how;
	int signal = order->signal ? signal_number(order->signal) : SIGKILL, rc;
	struct attempt_vacation v = {
		.retired_ns = order->retirement_s == UINT32_MAX ? VACATION_NEVER_NS : later_ns(clock_monotonic_ns(), order->retirement_s * SECOND_NS),
		.vacate_ns = order->vacate_s * SECOND_NS, .signal = signal,
	};

	if (signal == 0)
		return error_set(error, -EINVAL, "\"%.40s\" is no signal", order->signal);
	if (t->leave.is_due) {
		v.retired_ns = least(v.retired_ns, old->retired_ns);
		v.vacate_ns = least(v.vacate_ns, old->vacate_ns);
		v.signal = signal == SIGKILL ? signal : old->signal;
		if (v.retired_ns == old->retired_ns && v.vacate_ns == old->vacate_ns && v.signal == old->signal)
			return 0;
	}
	rc = vacation_write(l, t, &v, error);
	if (rc == 0)
		vacate_wake(t);
	return rc;
}

void vacate_recover(struct local *l, struct local_task *t)
{
	struct attempt_vacation v;
	struct error error;
	int fd = strcmp(t->boot, l->boot) == 0 ? directory_open(l, t) : -1, rc;

	if (fd < 0)
		return;
	rc = attempt_vacation_read(fd, &v, &error);
	close(fd);
	if (rc && rc != -ENOENT)
		log_line(LOG_ODD, "task %u of job %u: %s", t->id, t->job_number, error.text);
	if (rc)
		return;
	t->leave.is_due = true;
	t->leave.how = v;
	give_up_later(l, t);
}

void vacate_wake(const struct local_task *t)
{
	if (t->leave.is_due && t->shepherd.fd >= 0)
		pidfd_send_signal(t->shepherd.fd, SIGUSR1, NULL, 0);
}

void vacate_give_up(struct local_task *t)
{
	t->deadlines.give_up_ns = NEVER_NS;
	if (t->shepherd.fd < 0)
		return;
	log_line(LOG_ODD, "task %u of job %u was to give way, and its shepherd has not ended it by KILLING_TIMEOUT: both are killed", t->id, t->job_number);
	pidfd_send_signal(t->shepherd.fd, SIGKILL, NULL, 0);
}
