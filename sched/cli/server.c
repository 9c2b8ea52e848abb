/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "conf/cell/directory.h"
#include "conf/base/utf8.h"
#include "sched/cli/cli.h"
#include "sched/cli/trouble.h"
#include "sched/qmaster/local/path.h"
#include "sched/run/records.h"
#include "shm/look.h"
#include "shm/place.h"

#define ANSWER_BYTES (64u << 20)	/* a line for each of a few hundred thousand jobs */
#define PATIENCE_S 60
#define SILENCE_S 2		/* seconds after which users see the reason for waiting */
/* a scheduler was possibly just started and has not published anything */
#define START_MS 2000
#define BEGIN_MS 20000		/* a scheduler is alive and initialises itself */
#define PAUSE_MS 10

/* Connecting */

static int connect_failed(const char *cell, int error)
{
	struct messages messages = { .items = NULL };
	int code = cell_check(&messages, cell);

	if (code == EXIT_OK && error == -ENOENT)
		code = cell_check_shm(&messages, cell);
	cli_print(&messages);
	if (code)
		return code;
	errno = -error;
	switch (error) {
	case -ENOENT:
	case -ECONNREFUSED:
		return cli_fail(EXIT_NO_DATA, "%s: no scheduler listens for jobs there; fairlead-schedd --local would",
				cell);
	case -EACCES:
	case -EPERM:
		return cli_fail(EXIT_PERMISSION, "%s: this user may not connect to the scheduler: %m", cell);
	case -EAGAIN:
		return cli_fail(EXIT_NO_DATA, "%s: the scheduler has not taken a request for %d seconds", cell,
				PATIENCE_S);
	}
	return cli_fail(EXIT_NO_DATA, "%s: %m", cell);
}

static int peer_check(const struct server *server)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	struct stat st;

	if (getsockopt(server->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || stat(server->cell, &st))
		return cli_fail(EXIT_NO_DATA, "%s: cannot identify the process that listens: %m", server->cell);
	if (peer.uid == 0 || peer.uid == geteuid() || peer.uid == st.st_uid)
		return EXIT_OK;
	return cli_fail(
		EXIT_PERMISSION,
		"%s: the process that listens belongs to user %u, who is neither root nor the owner of the cell; "
		"no request was sent",
		server->cell, (unsigned)peer.uid);
}

static int server_connect(struct server *server, const struct sockaddr_un *at)
{
	struct timeval patience = { .tv_sec = server->patience_s ? server->patience_s : PATIENCE_S };

	server->fd = descriptor_above_stdio(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
	if (server->fd < 0)
		return -errno;
	setsockopt(server->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	setsockopt(server->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return connect(server->fd, (const struct sockaddr *)at, sizeof(*at)) ? -errno : 0;
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
static int server_await(struct server *server, const struct sockaddr_un *at)
{
	int error = server_connect(server, at);

	for (int ms = 0; (error == -ENOENT || error == -ECONNREFUSED) && ms < BEGIN_MS; ms += PAUSE_MS) {
		if (ms >= START_MS && ms % START_MS == 0 && !is_starting(server->cell))
			break;
		close(server->fd);
		usleep(PAUSE_MS * 1000);
		error = server_connect(server, at);
	}
	return error;
}

int server_open(struct server *server, const char *cell)
{
	struct sockaddr_un at;
	int error = path_socket(&at, cell), code;

	*server = (struct server){ .fd = -1, .cell = cell };
	if (!error)
		error = directory_is_cell(cell) ? server_connect(server, &at) : server_await(server, &at);
	code = error ? connect_failed(cell, error) : peer_check(server);
	if (code)
		server_close(server);
	return code;
}

int server_open_again(struct server *server)
{
	struct sockaddr_un at;
	int error = path_socket(&at, server->cell);

	server_close(server);
	if (!error)
		error = server_connect(server, &at);
	return error ? error : peer_check(server) ? -EPERM : 0;
}

void server_close(struct server *server)
{
	if (server->fd >= 0)
		close(server->fd);
	free(server->text);
	json_decref(server->gathered);
	*server = (struct server){ .fd = -1,
				   .cell = server->cell,
				   .shown_by = server->shown_by,
				   .job_number = server->job_number,
				   .patience_s = server->patience_s };
}

/* Slow schedulers */

/* Print once why the command waits, after the scheduler has been silent for two seconds. */
static void silence_say(const struct server *server)
{
	struct pollfd waiting = { .fd = server->fd, .events = POLLIN };
	unsigned patience_s = server->patience_s ? server->patience_s : PATIENCE_S;
	struct ucred peer = { .pid = 0 };
	socklen_t size = sizeof(peer);

	if (patience_s <= SILENCE_S || poll(&waiting, 1, SILENCE_S * 1000) != 0)
		return;
	if (getsockopt(server->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		peer.pid = 0;
	if (peer.pid > 0 && process_state((uint32_t)peer.pid) == 'T')
		cli_fail(
			EXIT_OK,
			"%s: the scheduler, process %d, is stopped; kill -CONT %d lets it continue. Waiting for "
			"its answer for up to %u seconds.",
			server->cell, (int)peer.pid, (int)peer.pid, patience_s);
	else
		cli_fail(EXIT_OK,
			 "%s: the scheduler, process %d, is busy. Waiting for its answer for up to %u seconds.",
			 server->cell, (int)peer.pid, patience_s);
}

/* Request and answer, a line each */

static int bytes_send(const struct server *server, const char *text, size_t length)
{
	while (length) {
		ssize_t n = send(server->fd, text, length, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			text += n;
			length -= (size_t)n;
		}
	}
	return 0;
}

int server_send(struct server *server, json_t *request)
{
	char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
	size_t length = text ? strlen(text) : 0;
	int rc = text ? 0 : -ENOMEM;

	json_decref(request);
	if (rc == 0) {
		/* replaces the NUL, as the length is sent */
		text[length] = '\n';
		rc = length > REQUEST_BYTES ? -EMSGSIZE : bytes_send(server, text, length + 1);
	}
	free(text);
	return rc;
}

static int room_make(struct server *server)
{
	size_t capacity = server->capacity ? 2 * server->capacity : 4096;
	char *text;

	if (server->used < server->capacity)
		return 0;
	errno = EMSGSIZE;
	text = capacity <= ANSWER_BYTES ? realloc(server->text, capacity) : NULL;
	if (!text)
		return -1;
	server->text = text;
	server->capacity = capacity;
	return 0;
}

/* Take a line. Further lines that have arrived stay for the next call. */
static json_t *line_take(struct server *server, const char *end)
{
	size_t length = (size_t)(end - server->text);
	json_t *line = json_loadb(server->text, length, JSON_REJECT_DUPLICATES, NULL);

	server->used -= length + 1;
	memmove(server->text, end + 1, server->used);
	return line ? line : json_null();
}

json_t *server_line(struct server *server, int flags)
{
	const char *end;
	size_t seen = 0;

	while (!server->used || !(end = memchr(server->text + seen, '\n', server->used - seen))) {
		seen = server->used;
		if (room_make(server))
			return NULL;
		ssize_t n = recv(server->fd, server->text + server->used, server->capacity - server->used, flags);

		if (n < 0 && errno == EINTR)
			continue;
		errno = n == 0 ? 0 : errno;
		if (n <= 0)
			return NULL;
		server->used += (size_t)n;
	}
	return line_take(server, end);
}

/*
 * Report an action to the listener, once per line if the scheduler sent several. Return false if
 * there is none.
 */
static bool result_heard(json_int_t number, const char *text, const json_t *lines, bool terse)
{
	const json_t *line;
	bool heard = false;
	size_t i;

	json_array_foreach(lines, i, line) {
		char *clean = strdup(json_string_value(line) ? json_string_value(line) : "");

		if (clean) {
			utf8_clean(clean);
			heard |= cli_heard(number, clean, terse);
		}
		free(clean);
	}
	return heard || (json_array_size(lines) == 0 && cli_heard(number, text, terse));
}

static int result_print(struct server *server, const json_t *result, bool terse)
{
	json_int_t code = json_integer_value(json_object_get(result, "code"));
	json_int_t number = json_integer_value(json_object_get(result, "job_number"));
	const char *text = json_string_value(json_object_get(result, "text")), *note;
	char *clean;

	if (server->json)		/* already printed */
		return code >= 0 && code < EXIT_NOT_STORED ? (int)code : EXIT_NOT_STORED;
	if (code)
		return cli_fail(code > 0 && code < EXIT_NOT_STORED ? (enum exit_code)code : EXIT_NOT_STORED, "%s",
				text ? text : "refused");
	server->job_number = number;
	clean = strdup(text ? text : "done");
	if (!clean)
		return cli_fail(EXIT_NO_DATA, "no memory");
	utf8_clean(clean);
	if (result_heard(number, clean, json_object_get(result, "lines"), terse))
		;
	else if (terse && number > 0)
		printf("%lld\n", (long long)number);
	else
		printf("%s\n", clean);
	free(clean);
	note = json_string_value(json_object_get(result, "note"));
	return note ? cli_fail(EXIT_OK, "%s", note) : EXIT_OK;
}

static int answer_missing(const struct server *server)
{
	const char *why = errno == EAGAIN ? "it has been silent for a minute" : errno ? strerror(errno) : "";

	return cli_fail(EXIT_NO_DATA,
			"%s: the scheduler has not answered%s%s; fairlead %s shows whether the request was carried out",
			server->cell, *why ? ": " : "", why, server->shown_by ? server->shown_by : "stat");
}

static int results_dump(const json_t *results)
{
	return printf("{\"results\":") < 0 || json_dumpf(results, stdout, JSON_COMPACT | JSON_ENSURE_ASCII) ||
	       puts("}") < 0;
}

int server_gathered(struct server *server, int code)
{
	return server->json && server->gathered && results_dump(server->gathered)
		       ? cli_fail(EXIT_NO_DATA, "cannot write to standard output")
		       : code;
}

static int answer_print(struct server *server, const json_t *answer, bool terse)
{
	const json_t *results = json_object_get(answer, "results"), *result;
	int code = EXIT_OK;
	size_t k;

	if (!json_array_size(results))
		return cli_fail(EXIT_NO_DATA,
				"%s: this program does not understand the scheduler's answer",
				server->cell);
	if (server->json && !server->gathers && results_dump(results))
		return cli_fail(EXIT_NO_DATA, "cannot write to standard output");
	if (server->gathers && !server->gathered)
		server->gathered = json_array();
	if (server->gathers && json_array_extend(server->gathered, (json_t *)results))
		return cli_fail(EXIT_NO_DATA, "no memory");
	json_array_foreach(results, k, result) {
		int one = result_print(server, result, terse);

		code = one > code ? one : code;
	}
	return code;
}

int server_ask(struct server *server, json_t *request, bool terse)
{
	int rc = server_send(server, request), code;
	json_t *answer;

	if (rc == -EMSGSIZE)
		return cli_fail(
			EXIT_USAGE,
			"the request is longer than %u bytes: a shorter script, less of the environment (-V), or "
			"fewer arguments",
			REQUEST_BYTES);
	if (rc == -ENOMEM)
		return cli_fail(EXIT_NO_DATA, "no memory");
	errno = -rc;
	if (rc == 0)
		silence_say(server);
	answer = rc ? NULL : server_line(server, 0);
	code = answer ? answer_print(server, answer, terse) : answer_missing(server);
	json_decref(answer);
	return code;
}
