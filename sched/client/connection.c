/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/connection.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "conf/cell/directory.h"
#include "sched/client/trouble.h"
#include "sched/process/process_state.h"
#include "sched/qmaster/local/path.h"
#include "sched/run/records.h"
#include "shm/look.h"
#include "shm/place.h"

#define PATIENCE_S 60
#define SILENCE_S 2		/* seconds after which users see the reason for waiting */
/* a scheduler was possibly just started and has not published anything */
#define START_MS 2000
#define BEGIN_MS 20000		/* a scheduler is alive and initialises itself */
#define PAUSE_MS 10

static unsigned patience_of(const struct connection *connection)
{
	return connection->patience_s ? connection->patience_s : PATIENCE_S;
}

static int connect_failed(struct messages *messages, const char *cell, int error)
{
	int code = cell_check(messages, cell);

	if (code == EXIT_OK && error == -ENOENT)
		code = cell_check_shm(messages, cell);
	if (code)
		return code;
	errno = -error;
	switch (error) {
	case -ENOENT:
	case -ECONNREFUSED:
		return message_add(messages, EXIT_NO_DATA, NULL,
				   "%s: no scheduler listens for jobs there; fairlead-schedd --local would", cell);
	case -EACCES:
	case -EPERM:
		return message_add(messages, EXIT_PERMISSION, NULL,
				   "%s: this user may not connect to the scheduler: %m", cell);
	case -EAGAIN:
		return message_add(messages, EXIT_NO_DATA, NULL,
				   "%s: the scheduler has not taken a request for %d seconds", cell, PATIENCE_S);
	}
	return message_add(messages, EXIT_NO_DATA, NULL, "%s: %m", cell);
}

static int peer_check(const struct connection *connection, struct messages *messages)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	struct stat st;

	if (getsockopt(connection->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || stat(connection->cell, &st))
		return message_add(messages, EXIT_NO_DATA, NULL,
				   "%s: cannot identify the process that listens: %m", connection->cell);
	if (peer.uid == 0 || peer.uid == geteuid() || peer.uid == st.st_uid)
		return EXIT_OK;
	return message_add(
		messages, EXIT_PERMISSION, NULL,
		"%s: the process that listens belongs to user %u, who is neither root nor the owner of the cell; "
		"no request was sent",
		connection->cell, (unsigned)peer.uid);
}

static int socket_connect(struct connection *connection, const struct sockaddr_un *at)
{
	struct timeval patience = { .tv_sec = patience_of(connection) };

	connection->fd = descriptor_above_stdio(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
	if (connection->fd < 0)
		return -errno;
	setsockopt(connection->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	setsockopt(connection->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return connect(connection->fd, (const struct sockaddr *)at, sizeof(*at)) ? -errno : 0;
}

static bool is_starting(const char *cell)
{
	struct segment_sight sight;

	segment_look(&sight, cell, RECORDS_VERSION);
	return sight.found == LOOK_STARTING;
}

/*
 * Connect, and wait for a scheduler that was started just before. It listens within a tenth of a
 * second. One that restores running jobs or has a large store needs longer, but has published by
 * then that it is alive.
 */
static int socket_await(struct connection *connection, const struct sockaddr_un *at)
{
	int error = socket_connect(connection, at);

	for (int ms = 0; (error == -ENOENT || error == -ECONNREFUSED) && ms < BEGIN_MS; ms += PAUSE_MS) {
		if (ms >= START_MS && ms % START_MS == 0 && !is_starting(connection->cell))
			break;
		close(connection->fd);
		usleep(PAUSE_MS * 1000);
		error = socket_connect(connection, at);
	}
	return error;
}

int connection_open(struct connection *connection, const char *cell, struct messages *messages)
{
	struct sockaddr_un at;
	int error = path_socket(&at, cell), code;

	*connection = (struct connection){ .fd = -1, .cell = cell };
	if (!error)
		error = directory_is_cell(cell) ? socket_connect(connection, &at) : socket_await(connection, &at);
	code = error ? connect_failed(messages, cell, error) : peer_check(connection, messages);
	if (code)
		connection_close(connection);
	return code;
}

int connection_open_again(struct connection *connection, struct messages *messages)
{
	struct sockaddr_un at;
	int error = path_socket(&at, connection->cell);

	connection_close(connection);
	if (!error)
		error = socket_connect(connection, &at);
	return error ? error : peer_check(connection, messages) ? -EPERM : 0;
}

void connection_close(struct connection *connection)
{
	if (connection->fd >= 0)
		close(connection->fd);
	free(connection->text);
	*connection = (struct connection){
		.fd = -1, .cell = connection->cell, .patience_s = connection->patience_s
	};
}

void connection_note_silence(const struct connection *connection, struct messages *messages)
{
	struct pollfd waiting = { .fd = connection->fd, .events = POLLIN };
	struct ucred peer = { .pid = 0 };
	socklen_t size = sizeof(peer);

	if (patience_of(connection) <= SILENCE_S || poll(&waiting, 1, SILENCE_S * 1000) != 0)
		return;
	if (getsockopt(connection->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		peer.pid = 0;
	if (peer.pid > 0 && process_state((uint32_t)peer.pid) == 'T')
		message_add(
			messages, EXIT_OK, NULL,
			"%s: the scheduler, process %d, is stopped; kill -CONT %d lets it continue. Waiting for "
			"its answer for up to %u seconds.",
			connection->cell, (int)peer.pid, (int)peer.pid, patience_of(connection));
	else
		message_add(messages, EXIT_OK, NULL,
			    "%s: the scheduler, process %d, is busy. Waiting for its answer for up to %u seconds.",
			    connection->cell, (int)peer.pid, patience_of(connection));
	messages_flush(messages);
}
