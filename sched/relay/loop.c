/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "sched/process/log.h"
#include "sched/process/notify.h"
#include "sched/relay/relay.h"

static int signals_open(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int timer_open(int interval_ms)
{
	const struct timespec interval = { interval_ms / 1000, interval_ms % 1000 * 1000000L };
	const struct itimerspec time = { .it_interval = interval, .it_value = interval };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd >= 0 && timerfd_settime(fd, 0, &time, NULL)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void reload(const struct relay_side *side)
{
	struct error error = { "" };

	notify_reloading();
	if (side->reload && side->reload(side->side, &error))
		log_line(LOG_ODD, "keys are unchanged: %s", error.text);
	else if (side->reload)
		log_line(LOG_NOTE, "keys are read again");
	notify_send("READY=1");
}

/* Handle the signals. Returns true if the process must end. */
static bool signals_handle(const struct relay_side *side, int fd)
{
	struct signalfd_siginfo info;
	bool ends = false;

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			reload(side);
		else
			ends = true;
	}
	return ends;
}

static void turn(const struct relay_side *side, const struct pollfd fds[3])
{
	uint64_t times;

	if (fds[1].revents && read(fds[1].fd, &times, sizeof(times)) > 0) {
		if (side->tick)
			side->tick(side->side);
		notify_send("WATCHDOG=1");
	}
	if (fds[2].revents)
		side->handle(side->side);
}

int relay_loop(const struct relay_side *side, int interval_ms, struct error *error)
{
	struct pollfd fds[3] = { { .fd = signals_open(), .events = POLLIN },
				 { .fd = timer_open(interval_ms), .events = POLLIN },
				 { .fd = side->fd, .events = POLLIN } };
	int rc = 0;

	if (fds[0].fd < 0 || fds[1].fd < 0)
		rc = error_set(error, -errno, "signalfd or timerfd: %m");
	if (rc == 0)
		notify_send("READY=1");
	while (rc == 0) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			rc = error_set(error, -errno, "poll: %m");
		else if (fds[0].revents && signals_handle(side, fds[0].fd))
			break;
		else
			turn(side, fds);
	}
	notify_send("STOPPING=1");
	for (int k = 0; k < 2; k++)
		if (fds[k].fd >= 0)
			close(fds[k].fd);
	return rc;
}
