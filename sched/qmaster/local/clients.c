/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Socket of the cell. A request is one line, and so is its answer. A client may send the next
 * request after the answer. The kernel reports the user of a connection. Clients do not block each
 * other: a client that does not read, or sends half a line, uses only its own connection, and only
 * for a limited time.
 */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/path.h"
#include "sched/qmaster/local/request.h"

#define CLIENTS_MAX 512
#define CLIENTS_OF_USER_MAX 64
#define CLIENT_PATIENCE_NS (60 * SECOND_NS)
#define FIRST_BYTES 4096
#define READ_BYTES 65536	/* bytes of a client in a turn */
#define LINE_BYTES (1u << 30)	/* longest line to a client */

/* Opening */

/*
 * Bind the socket. The scheduler holds the lock of the cell's segment, so an existing socket
 * belongs to a process that has ended.
 */
static int socket_bind(int fd, const struct sockaddr_un *address, struct error *error)
{
	const char *path = address->sun_path;
	struct stat there;

	if (lstat(path, &there) == 0 && (!S_ISSOCK(there.st_mode) || (there.st_uid != geteuid() && geteuid() != 0)))
		return error_set(error, -EEXIST, "%s exists and is not our socket", path);
	if (unlink(path) && errno != ENOENT)
		return error_set(error, -errno, "%s: %m", path);
	if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) || chmod(path, 0666) || listen(fd, SOMAXCONN))
		return error_set(error, -errno, "%s: %m", path);
	return 0;
}

int clients_open(struct local *local, struct error *error)
{
	struct clients *clients = &local->clients;
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = clients };
	int rc;

	clients->listen_fd = -1;
	if (out_open_memory(&clients->line, LINE_BYTES))
		return error_set(error, -ENOMEM, "out of memory");
	rc = path_socket(&clients->address, sched_cell(local->sched)->dir);
	if (rc)
		return error_set(error, rc, "the socket of %.80s: %s", sched_cell(local->sched)->dir, strerror(-rc));
	clients->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (clients->listen_fd < 0)
		return error_set(error, -errno, "socket: %m");
	rc = socket_bind(clients->listen_fd, &clients->address, error);
	if (rc == 0 && epoll_ctl(local->epoll_fd, EPOLL_CTL_ADD, clients->listen_fd, &event))
		rc = error_set(error, -errno, "epoll: %m");
	return rc;
}

static void client_close(struct local *local, struct client *client)
{
	struct client **link = &local->clients.first;

	while (*link != client)
		link = &(*link)->next;
	*link = client->next;
	local->clients.n--;
	local->clients.nfollowing -= client->following.wished || client->following.job;
	close(client->fd);
	turns_remove(&local->clients.turns, &client->waiter);
	select_forget(client);
	results_free(&client->request.results);
	values_destroy(&client->request.values);
	free(client->in.text);
	free(client->out.text);
	free(client);
}

void clients_close(struct local *local)
{
	while (local->clients.first)
		client_close(local, local->clients.first);
	turns_free(&local->clients.turns);
	out_close(&local->clients.line);
	if (local->clients.listen_fd >= 0) {
		close(local->clients.listen_fd);
		unlink(local->clients.address.sun_path);
	}
}

/* Users */

static int client_name(struct local *local, struct client *client)
{
	const struct person *person = person_of(&local->people, client->uid);

	if (!person)
		return -ENOENT;
	client->owner = person->name;
	client->group = group_name(&local->people, client->gid);
	return 0;
}

bool client_is_operator(const struct client *client)
{
	return client->uid == 0 || client->uid == geteuid();
}

bool client_may_change(const struct client *client, const struct local_job *job)
{
	return client_is_operator(client) || client->uid == job->uid;
}

static size_t clients_of(const struct clients *clients, uid_t uid)
{
	size_t n = 0;

	for (const struct client *client = clients->first; client; client = client->next)
		n += client->uid == uid && !client->following.job;
	return n;
}

/*
 * Return 0 if there may be one more client. Root is always admitted. Clients that follow jobs have
 * a limit of their own: follow.c.
 */
static int client_admit(const struct clients *clients, const struct ucred *peer)
{
	if (peer->uid == 0)
		return 0;
	return clients->n - clients->nfollowing >= CLIENTS_MAX || clients_of(clients, peer->uid) >= CLIENTS_OF_USER_MAX
		       ? -EAGAIN
		       : 0;
}

static void client_add(struct local *local, int fd, const struct ucred *peer)
{
	struct client *client = calloc(1, sizeof(*client));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = client };

	if (!client || epoll_ctl(local->epoll_fd, EPOLL_CTL_ADD, fd, &event)) {
		free(client);
		close(fd);
		return;
	}
	*client = (struct client){ .watched = WATCHED_CLIENT,
				   .waiter.uid = peer->uid,
				   .next = local->clients.first,
				   .fd = fd,
				   .uid = peer->uid,
				   .gid = peer->gid,
				   .seen_ns = clock_monotonic_ns() };
	local->clients.first = client;
	local->clients.n++;
}

static void clients_listen(struct local *local, bool on)
{
	struct epoll_event event = { .events = on ? EPOLLIN : 0, .data.ptr = &local->clients };

	epoll_ctl(local->epoll_fd, EPOLL_CTL_MOD, local->clients.listen_fd, &event);
	local->clients.paused_ns = on ? 0 : clock_monotonic_ns() + SECOND_NS;
}

static void clients_pause(struct local *local)
{
	log_line(LOG_ODD, "cannot accept connections: %m");
	clients_listen(local, false);
}

/*
 * Accept connections. Connections above the limits are closed at once, so that no client waits; the
 * client may try again.
 */
void clients_accept(struct local *local)
{
	for (unsigned i = 0; i < CLIENTS_MAX; i++) {
		int fd = accept4(local->clients.listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		struct ucred peer;
		socklen_t size = sizeof(peer);

		if (fd < 0) {
			if (errno == EMFILE || errno == ENFILE)
				clients_pause(local);
			return;
		}
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || client_admit(&local->clients, &peer))
			close(fd);
		else
			client_add(local, fd, &peer);
	}
}

/* Input and output */

static int bytes_reserve(struct bytes *bytes, size_t more)
{
	size_t capacity = bytes->capacity ? bytes->capacity : FIRST_BYTES;
	char *text;

	while (capacity < bytes->used + more)
		capacity *= 2;
	if (capacity == bytes->capacity)
		return 0;
	text = realloc(bytes->text, capacity);
	if (!text)
		return -ENOMEM;
	bytes->text = text;
	bytes->capacity = capacity;
	return 0;
}

static void client_watch(struct local *local, struct client *client, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = client };

	epoll_ctl(local->epoll_fd, EPOLL_CTL_MOD, client->fd, &event);
}

/* Return 0 if everything was sent, -EAGAIN, or another error if the client has gone. */
static int client_flush(struct client *client)
{
	while (client->sent < client->out.used) {
		ssize_t n = send(client->fd, client->out.text + client->sent, client->out.used - client->sent,
				 MSG_NOSIGNAL);

		if (n < 0)
			return -errno;
		client->sent += (size_t)n;
		client->seen_ns = clock_monotonic_ns();
	}
	return 0;
}

/* Send output. The client's input is not read before all output is sent. */
static void client_write(struct local *local, struct client *client)
{
	int rc = client_flush(client);

	if (rc == -EAGAIN) {
		client_watch(local, client, EPOLLOUT);
	} else if (rc) {
		client_close(local, client);
	} else {
		client->out.used = client->sent = 0;
		client_watch(local, client, EPOLLIN);
	}
}

/* Queue a complete line. Input after the line was not expected and is ignored. */
static void client_line(struct local *local, struct client *client, size_t length)
{
	client_watch(local, client, 0);
	client->request.line = length;
	client->waiter.since = local->clients.turns.number + 1;
	client->waiter.served = local->clients.turns.served;
	client->request.parts = 0;
	client->request.state = REQUEST_WAITS;
	turns_add(&local->clients.turns, &client->waiter);
}

static void client_request(struct local *local, struct client *client)
{
	bool changed = local->turn.changed;

	local->turn.changed = false;
	if (client_name(local, client))
		result_add(client, REPLY_DENIED, 0, 0, "user %u is unknown on this machine", (unsigned)client->uid);
	else if (client->request.selecting)
		select_go_on(local, client);
	else
		request_handle(local, client, client->in.text, client->request.line);
	client->request.changes |= local->turn.changed;
	local->turn.asked |= local->turn.changed;
	local->turn.changed |= changed;
}

static struct client *client_of(struct waiter *w)
{
	return (struct client *)((char *)w - offsetof(struct client, waiter));
}

void client_serve(struct local *local, struct client *client)
{
	struct turns *turns = &local->clients.turns;
	uint64_t begin_ns = clock_processor_ns();

	local->clients.part_end_ns = begin_ns + turns_left(turns, client->uid);
	client->request.state = REQUEST_SERVED;
	client_request(local, client);
	client->seen_ns = clock_monotonic_ns();
	turns_charge(turns, client->uid, clock_processor_ns() - begin_ns);
	client->request.before = turns->served - client->waiter.served - client->request.parts;
	if (client->request.selecting)
		turns_add(turns, &client->waiter);
}

void clients_serve(struct local *local)
{
	struct turns *turns = &local->clients.turns;
	struct waiter *waiter;

	turns_begin(turns);
	while ((waiter = turns_next(turns)) != NULL) {
		client_of(waiter)->request.parts++;
		client_serve(local, client_of(waiter));
	}
}

static void client_read(struct local *local, struct client *c)
{
	const char *end;
	size_t room;
	ssize_t n;

	if (bytes_reserve(&c->in, FIRST_BYTES)) {
		client_close(local, c);
		return;
	}
	room = c->in.capacity - c->in.used;
	n = recv(c->fd, c->in.text + c->in.used, room < READ_BYTES ? room : READ_BYTES, 0);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		client_close(local, c);
		return;
	}
	c->seen_ns = clock_monotonic_ns();
	end = memchr(c->in.text + c->in.used, '\n', (size_t)n);
	c->in.used += (size_t)n;
	if (end) {
		client_line(local, c, (size_t)(end - c->in.text));
	} else if (c->in.used > REQUEST_LINE_BYTES) {
		client_watch(local, c, 0);
		c->request.state = REQUEST_DONE;
		result_add(c, REPLY_TOO_MUCH, 0, 0, "the request is longer than %u bytes", REQUEST_LINE_BYTES);
	}
}

void client_handle(struct local *local, struct client *client)
{
	/* a client that has gone: its request is completed nevertheless */
	if (client->request.state != REQUEST_NONE)
		return;
	if (client->out.used)
		client_write(local, client);
	else
		client_read(local, client);
}

void clients_sweep(struct local *local)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct client *next;

	if (local->clients.paused_ns && local->clients.paused_ns <= now_ns)
		clients_listen(local, true);
	for (struct client *client = local->clients.first; client; client = next) {
		next = client->next;
		if (client->request.state == REQUEST_NONE && (!client->following.job || client->out.used) &&
		    now_ns - client->seen_ns > CLIENT_PATIENCE_NS)
			client_close(local, client);
	}
}

struct out *client_line_begin(struct local *local)
{
	out_rewind(&local->clients.line);
	return &local->clients.line;
}

void client_line_send(struct local *local, struct client *client)
{
	const char *text;
	size_t length;
	int rc = out_held(&local->clients.line, &text, &length);

	if (rc || (client->out.used && client->out.used + length > REQUEST_LINE_BYTES) ||
	    bytes_reserve(&client->out, length + 1)) {
		client_close(local, client);
		return;
	}
	memcpy(client->out.text + client->out.used, text, length);
	client->out.text[client->out.used + length] = '\n';
	client->out.used += length + 1;
	client_write(local, client);
}
