/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/watch.h"

#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <zmq.h>

static int descriptor_add(const struct watch *watch, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(watch->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

int watch_open(struct watch *watch)
{
	const struct itimerspec second = { .it_interval.tv_sec = 1, .it_value.tv_sec = 1 };
	int rc;

	*watch = (struct watch){ .timer = -1, .again = -1, .epoll = epoll_create1(EPOLL_CLOEXEC) };
	if (watch->epoll < 0)
		return -errno;
	watch->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	watch->again = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (watch->timer < 0 || watch->again < 0 || timerfd_settime(watch->timer, 0, &second, NULL))
		return -errno;
	rc = descriptor_add(watch, watch->timer);
	return rc ? rc : descriptor_add(watch, watch->again);
}

void watch_close(struct watch *watch)
{
	const int fds[] = { watch->epoll, watch->timer, watch->again };

	for (size_t i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*watch = (struct watch){ .epoll = -1, .timer = -1, .again = -1 };
}

static int socket_fd(void *socket)
{
	size_t size = sizeof(int);
	int fd = -1;

	return zmq_getsockopt(socket, ZMQ_FD, &fd, &size) ? -1 : fd;
}

int watch_add(struct watch *watch, void *socket)
{
	int rc = watch->n < WATCH_SOCKETS ? descriptor_add(watch, socket_fd(socket)) : -ENOSPC;

	if (rc == 0)
		watch->sockets[watch->n++] = socket;
	return rc;
}

void watch_remove(struct watch *watch, void *socket)
{
	for (size_t i = 0; i < watch->n; i++)
		if (watch->sockets[i] == socket) {
			epoll_ctl(watch->epoll, EPOLL_CTL_DEL, socket_fd(socket), NULL);
			watch->sockets[i] = watch->sockets[--watch->n];
			return;
		}
}

bool watch_tick(struct watch *watch)
{
	uint64_t n;

	(void)!read(watch->again, &n, sizeof(n));
	return read(watch->timer, &n, sizeof(n)) == (ssize_t)sizeof(n);
}

void watch_settle(struct watch *watch)
{
	const uint64_t one = 1;
	bool readable = false;

	for (size_t i = 0; i < watch->n; i++) {
		size_t size = sizeof(int);
		int events = 0;

		if (zmq_getsockopt(watch->sockets[i], ZMQ_EVENTS, &events, &size) == 0)
			readable |= (events & ZMQ_POLLIN) != 0;
	}
	if (readable)
		(void)!write(watch->again, &one, sizeof(one));
}
