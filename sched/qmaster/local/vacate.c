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

static int directory_open(const struct local *local, const struct local_task *task)
{
	char name[DIRECTORY_BYTES];

	local_task_directory(task, name);
	return openat(local->active_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/*
 * Set the time limit of the shepherd: the vacate time after the signal, and KILLING_TIMEOUT for the
 * rest.
 */
static void give_up_later(const struct local *local, struct local_task *task)
{
	const struct attempt_vacation *vacation = &task->leave.how;
	uint64_t killed_ns = later_ns(vacation->retired_ns, vacation->signal == SIGKILL ? 0 : vacation->vacate_ns);

	task->deadlines.give_up_ns = later_ns(killed_ns, sched_cell(local->sched)->condor.killing_timeout * SECOND_NS);
}

static int vacation_write(const struct local *local, struct local_task *task, const struct attempt_vacation *vacation,
			  struct error *error)
{
	int fd = directory_open(local, task),
	    rc = fd < 0 ? error_set(error, -errno, "its directory: %m") : attempt_vacation_write(fd, vacation, error);

	if (fd >= 0)
		close(fd);
	if (rc)
		return rc;
	task->leave.is_due = true;
	task->leave.how = *vacation;
	give_up_later(local, task);
	return 0;
}

int vacate_begin(struct local *local, struct local_task *task, const struct order_vacate *order, struct error *error)
{
	const struct attempt_vacation *old = &task->leave.how;
	int signal = order->signal ? signal_number(order->signal) : SIGKILL, rc;
	struct attempt_vacation vacation = {
		.retired_ns = order->retirement_s == UINT32_MAX
				      ? VACATION_NEVER_NS
				      : later_ns(clock_monotonic_ns(), order->retirement_s * SECOND_NS),
		.vacate_ns = order->vacate_s * SECOND_NS,
		.signal = signal,
	};

	if (signal == 0)
		return error_set(error, -EINVAL, "\"%.40s\" is not a signal", order->signal);
	if (task->leave.is_due) {
		vacation.retired_ns = least(vacation.retired_ns, old->retired_ns);
		vacation.vacate_ns = least(vacation.vacate_ns, old->vacate_ns);
		vacation.signal = signal == SIGKILL ? signal : old->signal;
		if (vacation.retired_ns == old->retired_ns && vacation.vacate_ns == old->vacate_ns &&
		    vacation.signal == old->signal)
			return 0;
	}
	rc = vacation_write(local, task, &vacation, error);
	if (rc == 0)
		vacate_wake(task);
	return rc;
}

void vacate_recover(struct local *local, struct local_task *task)
{
	struct attempt_vacation vacation;
	struct error error;
	int fd = strcmp(task->boot, local->boot) == 0 ? directory_open(local, task) : -1, rc;

	if (fd < 0)
		return;
	rc = attempt_vacation_read(fd, &vacation, &error);
	close(fd);
	if (rc && rc != -ENOENT)
		log_event(LOG_ODD, LOG_TASK(task->job_number, task->id),
			  "task %u of job %u: %s", task->id, task->job_number, error.text);
	if (rc)
		return;
	task->leave.is_due = true;
	task->leave.how = vacation;
	give_up_later(local, task);
}

void vacate_wake(const struct local_task *task)
{
	if (task->leave.is_due && task->shepherd.fd >= 0)
		pidfd_send_signal(task->shepherd.fd, SIGUSR1, NULL, 0);
}

void vacate_give_up(struct local_task *task)
{
	task->deadlines.give_up_ns = NEVER_NS;
	if (task->shepherd.fd < 0)
		return;
	log_event(
		LOG_ODD,
		LOG_TASK(task->job_number, task->id),
		"task %u of job %u had to give way, but its shepherd has not ended it within KILLING_TIMEOUT: both "
		"are killed",
		task->id, task->job_number);
	pidfd_send_signal(task->shepherd.fd, SIGKILL, NULL, 0);
}
