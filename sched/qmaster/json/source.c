/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sched/process/log.h"

static int stream_open(struct source *source, int fd, struct error *error)
{
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fstat(fd, &st))
		return error_set(error, -EBADF, "descriptor %d is not open", fd);
	source->in_fd = fd;
	source->in_socket = source->out_socket = S_ISSOCK(st.st_mode);
	source->out_fd = source->out_socket ? fd : STDOUT_FILENO;
	if ((flags & O_ACCMODE) == O_WRONLY || S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
		return error_set(error, -EINVAL, "descriptor %d cannot be read as a stream", fd);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

static int descriptor_open(struct source *source, const char *number, struct error *error)
{
	char *end;
	unsigned long fd = strtoul(number, &end, 10);

	if (*number < '0' || *number > '9' || *end || fd > 1u << 20 || fd == STDOUT_FILENO || fd == STDERR_FILENO)
		return error_set(error, -EINVAL,
				 "\"fd:%.20s\": the number of an inherited descriptor is expected, not 1 or 2", number);
	return stream_open(source, (int)fd, error);
}

static int file_open(struct source *source, const char *path, struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), rc;

	if (fd < 0)
		return error_set(error, -errno, "%s: %m", path);
	rc = stream_open(source, fd, error);
	return rc ? error_set(error, rc, "%s: neither a file nor a pipe", path) : 0;
}

bool source_is_socket(const char *where)
{
	return strncmp(where, "unix:", 5) == 0;
}

int source_open(struct source *source, const char *where, const struct source_calls *calls, struct error *error)
{
	*source = (struct source){ .calls = *calls, .listen_fd = -1, .in_fd = -1, .out_fd = -1 };
	if (lines_create(&source->lines) || outbox_create(&source->outbox))
		return error_set(error, -ENOMEM, "out of memory");
	if (strcmp(where, "-") == 0)
		return stream_open(source, STDIN_FILENO, error);
	if (strncmp(where, "fd:", 3) == 0)
		return descriptor_open(source, where + 3, error);
	if (source_is_socket(where))
		return listen_open(source, where + 5, error);
	return file_open(source, where, error);
}

static void source_hang_up(struct source *source)
{
	if (source->in_fd >= 0 && source->in_socket)
		/* The descriptor may be shared with other processes. */
		shutdown(source->in_fd, SHUT_RDWR);
	if (source->in_fd > STDERR_FILENO)
		close(source->in_fd);
	source->in_fd = -1;
	if (source->out_socket) {
		source->out_fd = -1;
		outbox_reset(&source->outbox);
	}
	lines_reset(&source->lines);
	source->drop = false;
	source->ticks = 0;
}

void source_close(struct source *source)
{
	listen_close(source);
	source_hang_up(source);
	lines_destroy(&source->lines);
	outbox_destroy(&source->outbox);
}

bool source_ended(const struct source *source)
{
	return source->listen_fd < 0 && source->in_fd < 0;
}

bool source_is_there(const struct source *source)
{
	return source->in_fd >= 0;
}

/* Called by the main loop */

void source_watch(const struct source *source, struct pollfd fds[SOURCE_FDS])
{
	bool pending = source->out_fd >= 0 && !outbox_empty(&source->outbox);

	fds[SOURCE_LISTEN] = (struct pollfd){ .fd = source->listen_fd, .events = POLLIN };
	fds[SOURCE_IN] = (struct pollfd){ .fd = source->in_fd, .events = POLLIN };
	fds[SOURCE_OUT] = (struct pollfd){ .fd = pending ? source->out_fd : -1, .events = POLLOUT };
}

static void source_lost(struct source *source, const char *why)
{
	log_line(source->path ? LOG_ODD : LOG_NOTE, "%s: %s", source->path ? "connection ended" : "no more events",
		 why);
	source_hang_up(source);
	source->calls.broken(source->calls.lines.context);
}

static void source_read(struct source *source)
{
	ssize_t n = lines_read(&source->lines, source->in_fd, source->in_socket, &source->calls.lines);

	if (n > 0 || n == -EAGAIN || n == -EINTR)
		return;
	/* a connection may have broken in the middle of a line */
	if (n == 0 && !source->in_socket)
		lines_finish(&source->lines, &source->calls.lines);
	source_lost(source, n ? strerror((int)-n) : "end of input");
}

/* Stop sending answers that are not read. A connection is dropped; a stream can still be read. */
static void source_deaf(struct source *source, const char *why)
{
	if (source->out_socket) {
		source->drop = true;
		log_line(LOG_ODD, "the peer is dropped: %s", why);
		return;
	}
	log_line(LOG_ODD, "no more answers on standard output: %s", why);
	source->out_fd = -1;
}

static void source_send(struct source *source)
{
	int rc = source->out_fd >= 0 && !source->drop ? outbox_send(&source->outbox, source->out_fd, source->out_socket)
						      : 0;

	if (rc)
		source_deaf(source, strerror(-rc));
}

void source_handle(struct source *source, const struct pollfd fds[SOURCE_FDS])
{
	if (fds[SOURCE_LISTEN].revents)
		listen_accept(source);
	if (fds[SOURCE_IN].revents && fds[SOURCE_IN].fd == source->in_fd && !source->drop)
		source_read(source);
	source_send(source);
	if (source->drop)
		source_lost(source, "its answers could not be delivered");
}

void source_answer(struct source *source, const char *line, size_t length)
{
	int rc;

	if (source->out_fd < 0 || source->drop)
		return;
	rc = outbox_put(&source->outbox, line, length);
	if (rc) {
		rc = source->patient ? outbox_drain(&source->outbox, source->out_fd, source->out_socket, -1)
				: outbox_send(&source->outbox, source->out_fd, source->out_socket);
		rc = rc ? rc : outbox_put(&source->outbox, line, length);
	}
	if (rc)
		source_deaf(source, rc == -ENOBUFS ? "it does not read its answers" : strerror(-rc));
}

bool source_has_room(const struct source *source)
{
	return source->out_fd >= 0 && !source->drop && outbox_bytes(&source->outbox) < SOURCE_LOW_BYTES;
}

bool source_is_idle(const struct source *source)
{
	return source->out_fd >= 0 && !source->drop && outbox_empty(&source->outbox);
}

/*
 * Drop a connection that has not read for SOURCE_TICKS intervals, because another one is refused
 * while it lasts. A stream is kept, because no other peer can connect.
 */
void source_tick(struct source *source)
{
	bool waits = source->out_socket && source->out_fd >= 0 && !source->drop && !outbox_empty(&source->outbox) &&
		     !source->outbox.moved;

	source->outbox.moved = false;
	source->ticks = waits ? source->ticks + 1 : 0;
	if (source->ticks == SOURCE_TICKS)
		source_deaf(source, "it has read nothing for ten intervals");
}

void source_drain(struct source *source, int timeout_ms)
{
	if (source->out_fd >= 0 && !source->drop)
		(void)outbox_drain(&source->outbox, source->out_fd, source->out_socket, timeout_ms);
}
