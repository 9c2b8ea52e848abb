/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/watch.h"

#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <zmq.h>

static int descriptor_add(const struct watch *w, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

int watch_open(struct watch *w)
{
	const struct itimerspec second = { .it_interval.tv_sec = 1, .it_value.tv_sec = 1 };
	int rc;

	*w = (struct watch){ .timer = -1, .again = -1, .epoll = epoll_create1(EPOLL_CLOEXEC) };
	if (w->epoll < 0)
		return -errno;
	w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	w->again = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->timer < 0 || w->again < 0 || timerfd_settime(w->timer, 0, &second, NULL))
		return -errno;
	rc = descriptor_add(w, w->timer);
	return rc ? rc : descriptor_add(w, w->again);
}

void watch_close(struct watch *w)
{
	const int fds[] = { w->epoll, w->timer, w->again };

	for (size_t i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*w = (struct watch){ .epoll = -1, .timer = -1, .again = -1 };
}

static int socket_fd(void *socket)
{
	size_t size = sizeof(int);
	int fd = -1;

	return zmq_getsockopt(socket, ZMQ_FD, &fd, &size) ? -1 : fd;
}

int watch_add(struct watch *w, void *socket)
{
	int rc = w->n < WATCH_SOCKETS ? descriptor_add(w, socket_fd(socket)) : -ENOSPC;

	if (rc == 0)
		w->sockets[w->n++] = socket;
	return rc;
}

void watch_remove(struct watch *w, void *socket)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->sockets[i] == socket) {
			epoll_ctl(w->epoll, EPOLL_CTL_DEL, socket_fd(socket), NULL);
			w->sockets[i] = w->sockets[--w->n];
			return;
		}
}

bool watch_tick(struct watch *w)
{
	uint64_t n;

	(void)!read(w->again, &n, sizeof(n));
	return read(w->timer, &n, sizeof(n)) == (ssize_t)sizeof(n);
}

void watch_settle(struct watch *w)
{
	const uint64_t one = 1;
	bool readable = false;

	for (size_t i = 0; i < w->n; i++) {
		size_t size = sizeof(int);
		int events = 0;

		if (zmq_getsockopt(w->sockets[i], ZMQ_EVENTS, &events, &size) == 0)
			readable |= (events & ZMQ_POLLIN) != 0;
	}
	if (readable)
		(void)!write(w->again, &one, sizeof(one));
}
