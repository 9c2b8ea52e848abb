/* SPDX-License-Identifier: Apache-2.0 */
/* The Unix socket on which a qmaster connects. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sched/process/log.h"
#include "sched/qmaster/json/source.h"

static int socket_open(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static int listen_bind(int fd, const struct sockaddr_un *at)
{
	mode_t mask = umask(0177);	/* mode 0600 from the beginning */
	int rc = bind(fd, (const struct sockaddr *)at, sizeof(*at)) ? -errno : 0;

	umask(mask);
	return rc;
}

/* Return whether a socket file is left over from a process that died: no process listens on it. */
static bool listen_is_stale(const struct sockaddr_un *at)
{
	struct stat st;
	int fd, rc;

	if (lstat(at->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return false;
	fd = socket_open();
	rc = fd < 0 || connect(fd, (const struct sockaddr *)at, sizeof(*at)) ? -errno : 0;
	if (fd >= 0)
		close(fd);
	return rc == -ECONNREFUSED;
}

int listen_open(struct source *source, const char *path, struct error *error)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int rc;

	if (!*path || strlen(path) >= sizeof(at.sun_path))
		return error_set(error, -ENAMETOOLONG, "the path of a socket has 1 to %zu bytes",
				 sizeof(at.sun_path) - 1);
	strcpy(at.sun_path, path);
	source->listen_fd = socket_open();
	if (source->listen_fd < 0)
		return error_set(error, -errno, "socket: %m");
	rc = listen_bind(source->listen_fd, &at);
	if (rc == -EADDRINUSE && listen_is_stale(&at) && unlink(path) == 0)
		rc = listen_bind(source->listen_fd, &at);
	if (rc == -EADDRINUSE)
		return error_set(error, rc, "%s: another process listens there, or it is not a socket", path);
	if (rc)
		return error_set(error, rc, "%s: %s", path, strerror(-rc));
	source->path = strdup(path);
	if (!source->path || lstat(path, &source->identity) || listen(source->listen_fd, 4))
		return error_set(error, errno ? -errno : -ENOMEM, "%s: %m", path);
	return 0;
}

void listen_close(struct source *source)
{
	struct stat st;

	if (source->path && lstat(source->path, &st) == 0 && st.st_dev == source->identity.st_dev &&
	    st.st_ino == source->identity.st_ino)
		unlink(source->path);
	if (source->listen_fd >= 0)
		close(source->listen_fd);
	free(source->path);
	source->listen_fd = -1;
	source->path = NULL;
}

/* Return the reason why the peer is refused, NULL if it is accepted. */
static const char *peer_objection(const struct source *source, int fd)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) || (peer.uid != 0 && peer.uid != geteuid()))
		return "only the scheduler's user and root may send events";
	return source->in_fd >= 0 ? "another connection is being served" : NULL;
}

void listen_accept(struct source *source)
{
	int fd = accept4(source->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	const char *objection;

	if (fd < 0)
		return;
	objection = peer_objection(source, fd);
	if (objection) {
		char text[128];
		int length = snprintf(text, sizeof(text), "{\"answer\":\"error\",\"text\":\"%s\"}\n", objection);

		(void)send(fd, text, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);
		close(fd);
		log_line(LOG_ODD, "connection refused: %s", objection);
		return;
	}
	source->in_fd = source->out_fd = fd;
	source->in_socket = source->out_socket = true;
	log_line(LOG_DETAIL, "a qmaster has connected");
}
