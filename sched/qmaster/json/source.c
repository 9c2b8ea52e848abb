/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sched/process/log.h"

static int stream_open(struct source *s, int fd, struct error *error)
{
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fstat(fd, &st))
		return error_set(error, -EBADF, "descriptor %d is not open", fd);
	s->in_fd = fd;
	s->in_socket = s->out_socket = S_ISSOCK(st.st_mode);
	s->out_fd = s->out_socket ? fd : STDOUT_FILENO;
	if ((flags & O_ACCMODE) == O_WRONLY || S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
		return error_set(error, -EINVAL, "descriptor %d can't be read as a stream", fd);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

static int descriptor_open(struct source *s, const char *number, struct error *error)
{
	char *end;
	unsigned long fd = strtoul(number, &end, 10);

	if (*number < '0' || *number > '9' || *end || fd > 1u << 20 || fd == STDOUT_FILENO || fd == STDERR_FILENO)
		return error_set(error, -EINVAL, "\"fd:%.20s\": the number of an inherited descriptor is expected, not 1 or 2", number);
	return stream_open(s, (int)fd, error);
}

static int file_open(struct source *s, const char *path, struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), rc;

	if (fd < 0)
		return error_set(error, -errno, "%s: %m", path);
	rc = stream_open(s, fd, error);
	return rc ? error_set(error, rc, "%s: neither a file nor a pipe", path) : 0;
}

bool source_is_socket(const char *where)
{
	return strncmp(where, "unix:", 5) == 0;
}

int source_open(struct source *s, const char *where, const struct source_calls *calls, struct error *error)
{
	*s = (struct source){ .calls = *calls, .listen_fd = -1, .in_fd = -1, .out_fd = -1 };
	if (lines_create(&s->lines) || outbox_create(&s->outbox))
		return error_set(error, -ENOMEM, "no memory");
	if (strcmp(where, "-") == 0)
		return stream_open(s, STDIN_FILENO, error);
	if (strncmp(where, "fd:", 3) == 0)
		return descriptor_open(s, where + 3, error);
	if (source_is_socket(where))
		return listen_open(s, where + 5, error);
	return file_open(s, where, error);
}

static void source_hang_up(struct source *s)
{
	if (s->in_fd >= 0 && s->in_socket)
		shutdown(s->in_fd, SHUT_RDWR);	/* others may hold the descriptor, too */
	if (s->in_fd > STDERR_FILENO)
		close(s->in_fd);
	s->in_fd = -1;
	if (s->out_socket) {
		s->out_fd = -1;
		outbox_reset(&s->outbox);
	}
	lines_reset(&s->lines);
	s->drop = false;
	s->ticks = 0;
}

void source_close(struct source *s)
{
	listen_close(s);
	source_hang_up(s);
	lines_destroy(&s->lines);
	outbox_destroy(&s->outbox);
}

bool source_ended(const struct source *s)
{
	return s->listen_fd < 0 && s->in_fd < 0;
}

bool source_is_there(const struct source *s)
{
	return s->in_fd >= 0;
}

/* The loop's side */

void source_watch(const struct source *s, struct pollfd fds[SOURCE_FDS])
{
	bool pending = s->out_fd >= 0 && !outbox_empty(&s->outbox);

	fds[SOURCE_LISTEN] = (struct pollfd){ .fd = s->listen_fd, .events = POLLIN };
	fds[SOURCE_IN] = (struct pollfd){ .fd = s->in_fd, .events = POLLIN };
	fds[SOURCE_OUT] = (struct pollfd){ .fd = pending ? s->out_fd : -1, .events = POLLOUT };
}

static void source_lost(struct source *s, const char *why)
{
	log_line(s->path ? LOG_ODD : LOG_NOTE, "%s: %s", s->path ? "connection ended" : "no more events", why);
	source_hang_up(s);
	s->calls.broken(s->calls.lines.context);
}

static void source_read(struct source *s)
{
	ssize_t n = lines_read(&s->lines, s->in_fd, s->in_socket, &s->calls.lines);

	if (n > 0 || n == -EAGAIN || n == -EINTR)
		return;
	/* a connection that broke may have broken in the middle of a line */
	if (n == 0 && !s->in_socket)
		lines_finish(&s->lines, &s->calls.lines);
	source_lost(s, n ? strerror((int)-n) : "end of input");
}

/* Answers that nobody takes: a connection goes, a stream is still worth reading. */
static void source_deaf(struct source *s, const char *why)
{
	if (s->out_socket) {
		s->drop = true;
		log_line(LOG_ODD, "the peer is dropped: %s", why);
		return;
	}
	log_line(LOG_ODD, "no more answers on standard output: %s", why);
	s->out_fd = -1;
}

static void source_send(struct source *s)
{
	int rc = s->out_fd >= 0 && !s->drop ? outbox_send(&s->outbox, s->out_fd, s->out_socket) : 0;

	if (rc)
		source_deaf(s, strerror(-rc));
}

void source_handle(struct source *s, const struct pollfd fds[SOURCE_FDS])
{
	if (fds[SOURCE_LISTEN].revents)
		listen_accept(s);
	if (fds[SOURCE_IN].revents && fds[SOURCE_IN].fd == s->in_fd && !s->drop)
		source_read(s);
	source_send(s);
	if (s->drop)
		source_lost(s, "its answers could not be delivered");
}

void source_answer(struct source *s, const char *line, size_t length)
{
	int rc;

	if (s->out_fd < 0 || s->drop)
		return;
	rc = outbox_put(&s->outbox, line, length);
	if (rc) {
		rc = s->patient ? outbox_drain(&s->outbox, s->out_fd, s->out_socket, -1)
				: outbox_send(&s->outbox, s->out_fd, s->out_socket);
		rc = rc ? rc : outbox_put(&s->outbox, line, length);
	}
	if (rc)
		source_deaf(s, rc == -ENOBUFS ? "it does not read its answers" : strerror(-rc));
}

bool source_has_room(const struct source *s)
{
	return s->out_fd >= 0 && !s->drop && outbox_bytes(&s->outbox) < SOURCE_LOW_BYTES;
}

bool source_is_idle(const struct source *s)
{
	return s->out_fd >= 0 && !s->drop && outbox_empty(&s->outbox);
}

/* Another connection is refused while this one lasts; a stream has nobody to give way to. */
void source_tick(struct source *s)
{
	bool waits = s->out_socket && s->out_fd >= 0 && !s->drop && !outbox_empty(&s->outbox) && !s->outbox.moved;

	s->outbox.moved = false;
	s->ticks = waits ? s->ticks + 1 : 0;
	if (s->ticks == SOURCE_TICKS)
		source_deaf(s, "it has read nothing for ten intervals");
}

void source_drain(struct source *s, int timeout_ms)
{
	if (s->out_fd >= 0 && !s->drop)
		(void)outbox_drain(&s->outbox, s->out_fd, s->out_socket, timeout_ms);
}
