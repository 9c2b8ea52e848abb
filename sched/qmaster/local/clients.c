/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The socket of the cell. One line asks, one line answers; a connection may ask again once it has
 * its answer. Who asks is told by the kernel. Nobody waits for anybody here: a client that does not
 * read, or sends half a line, holds nothing but its own place, and that not for long.
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
#define READ_BYTES 65536	/* of a client in a turn */

/* Opening */

/* The cell's scheduler holds the segment's lock: whatever socket stands there is a dead one's. */
static int socket_bind(int fd, const struct sockaddr_un *address, struct error *error)
{
	const char *path = address->sun_path;
	struct stat there;

	if (lstat(path, &there) == 0 && (!S_ISSOCK(there.st_mode) || (there.st_uid != geteuid() && geteuid() != 0)))
		return error_set(error, -EEXIST, "%s: there is something that is no socket of ours", path);
	if (unlink(path) && errno != ENOENT)
		return error_set(error, -errno, "%s: %m", path);
	if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) || chmod(path, 0666) || listen(fd, SOMAXCONN))
		return error_set(error, -errno, "%s: %m", path);
	return 0;
}

int clients_open(struct local *l, struct error *error)
{
	struct clients *s = &l->clients;
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = s };
	int rc;

	s->listen_fd = -1;
	rc = path_socket(&s->address, sched_cell(l->sched)->dir);
	if (rc)
		return error_set(error, rc, "the socket of %.80s: %s", sched_cell(l->sched)->dir, strerror(-rc));
	s->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->listen_fd < 0)
		return error_set(error, -errno, "socket: %m");
	rc = socket_bind(s->listen_fd, &s->address, error);
	if (rc == 0 && epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, s->listen_fd, &event))
		rc = error_set(error, -errno, "epoll: %m");
	return rc;
}

static void client_close(struct local *l, struct client *c)
{
	struct client **link = &l->clients.first;

	while (*link != c)
		link = &(*link)->next;
	*link = c->next;
	l->clients.n--;
	l->clients.nfollowing -= c->following.wished || c->following.job;
	close(c->fd);
	turns_remove(&l->clients.turns, &c->waiter);
	select_forget(c);
	json_decref(c->request.results);
	free(c->in.text);
	free(c->out.text);
	free(c);
}

void clients_close(struct local *l)
{
	while (l->clients.first)
		client_close(l, l->clients.first);
	turns_free(&l->clients.turns);
	if (l->clients.listen_fd >= 0) {
		close(l->clients.listen_fd);
		unlink(l->clients.address.sun_path);
	}
}

/* Who asks */

static int client_name(struct local *l, struct client *c)
{
	const struct person *person = person_of(&l->people, c->uid);

	if (!person)
		return -ENOENT;
	c->owner = person->name;
	c->group = group_name(&l->people, c->gid);
	return 0;
}

bool client_is_operator(const struct client *c)
{
	return c->uid == 0 || c->uid == geteuid();
}

bool client_may_change(const struct client *c, const struct local_job *job)
{
	return client_is_operator(c) || c->uid == job->uid;
}

static size_t clients_of(const struct clients *s, uid_t uid)
{
	size_t n = 0;

	for (const struct client *c = s->first; c; c = c->next)
		n += c->uid == uid && !c->following.job;
	return n;
}

/*
 * 0: there may be one more. Root gets in always. Those that wait for news have a number of their
 * own: follow.c.
 */
static int client_admit(const struct clients *s, const struct ucred *peer)
{
	if (peer->uid == 0)
		return 0;
	return s->n - s->nfollowing >= CLIENTS_MAX || clients_of(s, peer->uid) >= CLIENTS_OF_USER_MAX ? -EAGAIN : 0;
}

static void client_add(struct local *l, int fd, const struct ucred *peer)
{
	struct client *c = calloc(1, sizeof(*c));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };

	if (!c || epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &event)) {
		free(c);
		close(fd);
		return;
	}
	*c = (struct client){ .watched = WATCHED_CLIENT, .waiter.uid = peer->uid, .next = l->clients.first, .fd = fd, .uid = peer->uid, .gid = peer->gid, .seen_ns = clock_monotonic_ns() };
	l->clients.first = c;
	l->clients.n++;
}

static void clients_listen(struct local *l, bool on)
{
	struct epoll_event event = { .events = on ? EPOLLIN : 0, .data.ptr = &l->clients };

	epoll_ctl(l->epoll_fd, EPOLL_CTL_MOD, l->clients.listen_fd, &event);
	l->clients.paused_ns = on ? 0 : clock_monotonic_ns() + SECOND_NS;
}

static void clients_pause(struct local *l)
{
	log_line(LOG_ODD, "no request can be accepted: %m");
	clients_listen(l, false);
}

/*
 * Nobody is kept waiting behind those that hang: who finds no place is let go, and may come again.
 */
void clients_accept(struct local *l)
{
	for (unsigned i = 0; i < CLIENTS_MAX; i++) {
		int fd = accept4(l->clients.listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		struct ucred peer;
		socklen_t size = sizeof(peer);

		if (fd < 0) {
			if (errno == EMFILE || errno == ENFILE)
				clients_pause(l);
			return;
		}
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || client_admit(&l->clients, &peer))
			close(fd);
		else
			client_add(l, fd, &peer);
	}
}

/* In and out */

static int bytes_reserve(struct bytes *b, size_t more)
{
	size_t capacity = b->capacity ? b->capacity : FIRST_BYTES;
	char *text;

	while (capacity < b->used + more)
		capacity *= 2;
	if (capacity == b->capacity)
		return 0;
	text = realloc(b->text, capacity);
	if (!text)
		return -ENOMEM;
	b->text = text;
	b->capacity = capacity;
	return 0;
}

static void client_watch(struct local *l, struct client *c, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = c };

	epoll_ctl(l->epoll_fd, EPOLL_CTL_MOD, c->fd, &event);
}

/* 0: all is out; -EAGAIN; or the client has gone. */
static int client_flush(struct client *c)
{
	while (c->sent < c->out.used) {
		ssize_t n = send(c->fd, c->out.text + c->sent, c->out.used - c->sent, MSG_NOSIGNAL);

		if (n < 0)
			return -errno;
		c->sent += (size_t)n;
		c->seen_ns = clock_monotonic_ns();
	}
	return 0;
}

/* It is not listened to before it has read. */
static void client_write(struct local *l, struct client *c)
{
	int rc = client_flush(c);

	if (rc == -EAGAIN) {
		client_watch(l, c, EPOLLOUT);
	} else if (rc) {
		client_close(l, c);
	} else {
		c->out.used = c->sent = 0;
		client_watch(l, c, EPOLLIN);
	}
}

/*
 * Its only line is complete: what comes behind it was not waited for. It has to wait for its turn.
 */
static void client_line(struct local *l, struct client *c, size_t length)
{
	client_watch(l, c, 0);
	c->request.line = length;
	c->waiter.since = l->clients.turns.number + 1;
	c->waiter.served = l->clients.turns.served;
	c->request.parts = 0;
	c->request.state = REQUEST_WAITS;
	turns_add(&l->clients.turns, &c->waiter);
}

static void client_request(struct local *l, struct client *c)
{
	bool changed = l->turn.changed;

	l->turn.changed = false;
	if (client_name(l, c))
		result_add(c, RESULT_DENIED, 0, 0, "user %u is unknown on this machine", (unsigned)c->uid);
	else if (c->request.selecting)
		select_go_on(l, c);
	else
		request_handle(l, c, c->in.text, c->request.line);
	c->request.changes |= l->turn.changed;
	l->turn.asked |= l->turn.changed;
	l->turn.changed |= changed;
}

static struct client *client_of(struct waiter *w)
{
	return (struct client *)((char *)w - offsetof(struct client, waiter));
}

void client_serve(struct local *l, struct client *c)
{
	struct turns *t = &l->clients.turns;
	uint64_t begin_ns = clock_processor_ns();

	l->clients.part_end_ns = begin_ns + turns_left(t, c->uid);
	c->request.state = REQUEST_SERVED;
	client_request(l, c);
	c->seen_ns = clock_monotonic_ns();
	turns_charge(t, c->uid, clock_processor_ns() - begin_ns);
	c->request.before = t->served - c->waiter.served - c->request.parts;
	if (c->request.selecting)
		turns_add(t, &c->waiter);
}

void clients_serve(struct local *l)
{
	struct turns *t = &l->clients.turns;
	struct waiter *w;

	turns_begin(t);
	while ((w = turns_next(t)) != NULL) {
		client_of(w)->request.parts++;
		client_serve(l, client_of(w));
	}
}

static void client_read(struct local *l, struct client *c)
{
	const char *end;
	size_t room;
	ssize_t n;

	if (bytes_reserve(&c->in, FIRST_BYTES)) {
		client_close(l, c);
		return;
	}
	room = c->in.capacity - c->in.used;
	n = recv(c->fd, c->in.text + c->in.used, room < READ_BYTES ? room : READ_BYTES, 0);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		client_close(l, c);
		return;
	}
	c->seen_ns = clock_monotonic_ns();
	end = memchr(c->in.text + c->in.used, '\n', (size_t)n);
	c->in.used += (size_t)n;
	if (end) {
		client_line(l, c, (size_t)(end - c->in.text));
	} else if (c->in.used > REQUEST_LINE_BYTES) {
		client_watch(l, c, 0);
		c->request.state = REQUEST_DONE;
		result_add(c, RESULT_WRONG, 0, 0, "the request is longer than %u bytes", REQUEST_LINE_BYTES);
	}
}

void client_handle(struct local *l, struct client *c)
{
	/* it has gone while it waits for its answer: what it asked for is done all the same */
	if (c->request.state != REQUEST_NONE)
		return;
	if (c->out.used)
		client_write(l, c);
	else
		client_read(l, c);
}

void clients_sweep(struct local *l)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct client *next;

	if (l->clients.paused_ns && l->clients.paused_ns <= now_ns)
		clients_listen(l, true);
	for (struct client *c = l->clients.first; c; c = next) {
		next = c->next;
		if (c->request.state == REQUEST_NONE && (!c->following.job || c->out.used) && now_ns - c->seen_ns > CLIENT_PATIENCE_NS)
			client_close(l, c);
	}
}

void client_tell(struct local *l, struct client *c, json_t *line)
{
	char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
	size_t length = text ? strlen(text) : 0;

	json_decref(line);
	if (!text || (c->out.used && c->out.used + length > REQUEST_LINE_BYTES) || bytes_reserve(&c->out, length + 1)) {
		free(text);
		client_close(l, c);
		return;
	}
	memcpy(c->out.text + c->out.used, text, length);
	c->out.text[c->out.used + length] = '\n';
	c->out.used += length + 1;
	free(text);
	client_write(l, c);
}
