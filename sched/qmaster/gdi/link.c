/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/link.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sched/process/clock.h"
#include "sched/qmaster/gdi/peer.h"

#define SECOND_NS UINT64_C(1000000000)
#define CONTROLS_MOST 1000		/* answers about the connection that may wait to be sent */
#define SLOWEST_BYTES_S 65536
/* Bytes read in one call, so that other work is not delayed. */
#define TURN_BYTES ((size_t)4 << 20)
/* Data up to this size are sent together with their header. */
#define TOGETHER_BYTES 65536

struct gdi_link_part {			/* bytes waiting to be sent */
	struct gdi_link_part *next;
	unsigned char *bytes;
	size_t n, sent;
};

static int link_failed(const struct gdi_link *link, int rc, struct error *error)
{
	return error_set(
		error, rc, "qmaster on %s, port %u: %s", link->host,
		link->address ? (unsigned)ntohs(((struct sockaddr_in *)(void *)link->address->ai_addr)->sin_port) : 0,
		strerror(-rc));
}

/* Sending */

/* Create a part. NULL: no memory; the bytes are freed. */
static struct gdi_link_part *part_create(void *bytes, size_t n)
{
	struct gdi_link_part *part = bytes ? malloc(sizeof(*part)) : NULL;

	if (part)
		*part = (struct gdi_link_part){ .bytes = bytes, .n = n };
	else
		free(bytes);
	return part;
}

static void part_free(struct gdi_link_part *part)
{
	if (part)
		free(part->bytes);
	free(part);
}

/* Queue both parts or none. False: a part is missing, or too many bytes are waiting. */
static bool parts_add(struct gdi_link *link, struct gdi_link_part *first, struct gdi_link_part *second)
{
	size_t n = (first ? first->n : 0) + (second ? second->n : 0);

	if (!first || link->sending_bytes + n > GDI_LINK_SENDING_MOST) {
		part_free(first);
		part_free(second);
		return false;
	}
	first->next = second;
	if (link->sending)
		link->sending_last->next = first;
	else
		link->sending = first;
	link->sending_last = second ? second : first;
	link->sending_bytes += n;
	return true;
}

static uint32_t id_next(struct gdi_link *link)
{
	link->last_id = link->last_id == UINT32_MAX ? 1 : link->last_id + 1;
	return link->last_id;
}

static bool text_add(struct gdi_link *link, const char *text, int n)
{
	return n > 0 && parts_add(link, part_create(strdup(text), (size_t)n), NULL);
}

uint32_t gdi_link_send(struct gdi_link *link, enum gdi_tag tag, unsigned char *bytes, size_t n)
{
	char text[GDI_HEADER_MOST + 1];
	uint32_t id = id_next(link);
	int head = gdi_write_message(text, id, tag, n);
	struct gdi_link_part *data;
	unsigned char *both;

	if (n > TOGETHER_BYTES) {
		data = part_create(bytes, n);
		return parts_add(link, data ? part_create(strdup(text), (size_t)head) : NULL, data) ? id : 0;
	}
	both = malloc((size_t)head + n);
	if (both) {
		memcpy(both, text, (size_t)head);
		memcpy(both + head, bytes, n);
	}
	free(bytes);
	return parts_add(link, part_create(both, (size_t)head + n), NULL) ? id : 0;
}

static void part_drop(struct gdi_link *link)
{
	struct gdi_link_part *part = link->sending;

	link->sending = part->next;
	link->sending_bytes -= part->n;
	part_free(part);
}

static int link_write(struct gdi_link *link, uint64_t now_ns, struct error *error)
{
	while (link->sending) {
		struct gdi_link_part *part = link->sending;
		ssize_t n = send(link->fd, part->bytes + part->sent, part->n - part->sent,
				 MSG_NOSIGNAL | (part->next ? MSG_MORE : 0));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break;
		if (n < 0)
			return link_failed(link, -errno, error);
		part->sent += (size_t)n;
		link->stuck_ns = 0;
		if (part->sent == part->n)
			part_drop(link);
	}
	if (!link->sending)
		link->stuck_ns = 0;
	else if (link->stuck_ns == 0)
		link->stuck_ns = now_ns;
	return 0;
}

/* Connecting */

/* Start to connect to the next address that accepts this. */
static int address_try(struct gdi_link *link, struct error *error)
{
	const int on = 1;
	int rc = -EHOSTUNREACH;

	for (; link->address; link->address = link->address->ai_next) {
		link->fd = socket(link->address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (link->fd < 0)
			return link_failed(link, -errno, error);
		setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		link->state = GDI_LINK_CONNECTING;
		if (connect(link->fd, link->address->ai_addr, link->address->ai_addrlen) == 0 || errno == EINPROGRESS)
			return 0;
		rc = link_failed(link, -errno, error);
		close(link->fd);
		link->state = GDI_LINK_NONE;
	}
	return rc;
}

/*
 * Return the cell's admin user. Root if the cell has none, or if the user is not known on this
 * host.
 */
static uid_t admin_of(const struct gdi_cell *cell)
{
	struct passwd user, *found = NULL;
	char text[4096];

	if (cell->admin_user)
		getpwnam_r(cell->admin_user, &user, text, sizeof(text), &found);
	return found ? found->pw_uid : 0;
}

int gdi_link_open(struct gdi_link *link, const struct gdi_cell *cell, const char *qmaster, uint64_t now_ns,
		  struct error *error)
{
	const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	char port[8];
	int rc;

	*link = (struct gdi_link){ .opened_ns = now_ns,
				   .opened = clock_date(),
				   .patience_ns = GDI_LINK_PATIENCE_S * SECOND_NS };
	snprintf(link->host, sizeof(link->host), "%s", qmaster);
	snprintf(link->own, sizeof(link->own), "%s", cell->host);
	link->admin = admin_of(cell);
	snprintf(port, sizeof(port), "%u", cell->port);
	rc = getaddrinfo(qmaster, port, &hints, &link->addresses);
	if (rc) {
		link->addresses = NULL;
		return error_set(error, -EHOSTUNREACH, "the qmaster's host %s has no address: %s", qmaster,
				 gai_strerror(rc));
	}
	link->address = link->addresses;
	rc = address_try(link, error);
	if (rc)
		gdi_link_free(link);
	return rc;
}

void gdi_link_free(struct gdi_link *link)
{
	while (link->sending)
		part_drop(link);
	gdi_frames_free(&link->frames);
	if (link->addresses)
		freeaddrinfo(link->addresses);
	if (link->state != GDI_LINK_NONE)
		close(link->fd);
	link->addresses = link->address = NULL;
	link->state = GDI_LINK_NONE;
}

static int link_connected(struct gdi_link *link, struct error *error)
{
	struct pollfd ready = { link->fd, POLLOUT, 0 };
	char text[GDI_HEADER_MOST + 1];
	socklen_t size = sizeof(int);
	int why = 0;

	if (poll(&ready, 1, 0) < 1)
		return 0;
	getsockopt(link->fd, SOL_SOCKET, SO_ERROR, &why, &size);
	if (why) {
		int rc = link_failed(link, -why, error);

		close(link->fd);
		link->state = GDI_LINK_NONE;
		link->address = link->address->ai_next;
		return link->address ? address_try(link, error) : rc;
	}
	if (!text_add(link, text, gdi_write_connect(text, link->host, link->own, GDI_COMPONENT)))
		return -ENOMEM;
	link->state = GDI_LINK_GREETING;
	return 0;
}

/* Receiving */

static int link_read(struct gdi_link *link, struct error *error)
{
	size_t room;
	void *to = gdi_frames_room(&link->frames, &room);
	ssize_t n;

	if (!to)
		return error_set(error, -ENOMEM, "out of memory for a message of %zu bytes", link->frames.wanted);
	n = recv(link->fd, to, room, 0);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return 0;
	if (n < 0)
		return link_failed(link, -errno, error);
	if (n == 0)
		return error_set(error, -ECONNRESET, "the qmaster on %s has closed the connection%s", link->host,
				 link->frames.in_data || link->frames.nhead ? " in the middle of a message" : "");
	gdi_frames_took(&link->frames, (size_t)n);
	return 1;
}

/* Fail if the peer has been slow for too long. */
static int link_patience(struct gdi_link *link, uint64_t now_ns, struct error *error)
{
	uint64_t due = gdi_link_due_ns(link);

	if (now_ns < due)
		return 0;
	return error_set(error, -ETIMEDOUT, "the peer at the port of the qmaster on %s %s for %.1f s", link->host,
			 link->state < GDI_LINK_OPEN ? "has not accepted the connection"
			 : link->stuck_ns && link->stuck_ns + link->patience_ns == due
				 ? "has read nothing"
				 : "has sent almost nothing of a message",
			 (double)link->patience_ns / 1e9);
}

uint64_t gdi_link_due_ns(const struct gdi_link *link)
{
	uint64_t due = UINT64_MAX, slow;

	if (link->state == GDI_LINK_CONNECTING || link->state == GDI_LINK_GREETING)
		return link->opened_ns + link->patience_ns;
	if (link->stuck_ns)
		due = link->stuck_ns + link->patience_ns;
	slow = link->begun_ns + link->patience_ns + (link->frames.bytes - link->begun_at) / SLOWEST_BYTES_S * SECOND_NS;
	return link->begun_ns && slow < due ? slow : due;
}

short gdi_link_events(const struct gdi_link *link)
{
	return link->state == GDI_LINK_NONE	    ? 0
	       : link->state == GDI_LINK_CONNECTING ? POLLOUT
						    : (short)(POLLIN | (link->sending ? POLLOUT : 0));
}

int gdi_link_handle(struct gdi_link *link, uint64_t now_ns, struct error *error)
{
	size_t before = link->frames.bytes;
	bool whole = true;
	int rc = 0;

	if (link->state == GDI_LINK_CONNECTING)
		rc = link_connected(link, error);
	if (rc == 0 && link->state > GDI_LINK_CONNECTING)
		rc = link_write(link, now_ns, error);
	/* a header must be taken before more can be read */
	while (rc == 0 && whole && link->state > GDI_LINK_CONNECTING && link->frames.bytes - before < TURN_BYTES) {
		rc = link_read(link, error);
		whole = rc == 1 && link->frames.in_data && link->frames.frame.n < link->frames.wanted;
		rc = rc > 0 ? 0 : rc;
	}
	if (rc == 0)
		rc = link_patience(link, now_ns, error);
	return rc;
}

static int connected(struct gdi_link *link, const struct gdi_frame *frame, struct error *error)
{
	uid_t user;

	if (link->state != GDI_LINK_GREETING)
		return error_set(error, -EPROTO, "the qmaster on %s answers a connect twice", link->host);
	if (!frame->granted)
		return error_set(error, -EACCES, "the qmaster on %s refuses the connection: %s", link->host,
				 frame->text);
	if (gdi_peer_user(link->fd, &user) && user != 0 && user != link->admin && user != geteuid())
		return error_set(
			error, -EPERM,
			"the process at the port of the qmaster on %s belongs to user %u, not to root or the cell's "
			"admin user; no request is sent to it",
			link->host, (unsigned)user);
	link->connection = frame->id;
	link->state = GDI_LINK_OPEN;
	return 0;
}

/* Answer a message about the connection, unless the peer does not read such answers. */
static int control_answer(struct gdi_link *link, const char *text, int n, struct error *error)
{
	if (!link->sending)
		link->controls = 0;
	if (++link->controls > CONTROLS_MOST)
		return error_set(
			error, -ECONNRESET,
			"the peer at the port of the qmaster on %s asks for status messages and does not read them",
			link->host);
	return text_add(link, text, n)
		       ? 0
		       : error_set(error, -ENOMEM, "out of memory for a message about the connection");
}

static int status_answer(struct gdi_link *link, uint32_t asked, uint64_t now_ns, struct error *error)
{
	char text[GDI_HEADER_MOST + 1];
	struct gdi_status_report report = {
		.asked = asked, .start_time = (uint64_t)link->opened, .runtime = (now_ns - link->opened_ns) / SECOND_NS,
		.received_waiting = link->messages_waiting, .sending = link->sending != NULL, .text = GDI_COMPONENT,
	};

	return control_answer(link, text, gdi_write_status(text, id_next(link), &report), error);
}

/* Handle a message about the connection itself. */
static int control(struct gdi_link *link, const struct gdi_frame *frame, uint64_t now_ns, struct error *error)
{
	char text[GDI_HEADER_MOST + 1];
	int rc = 0;

	if (frame->kind == GDI_FRAME_CONNECTED)
		return connected(link, frame, error);
	if (link->state < GDI_LINK_OPEN)
		return error_set(error, -EPROTO,
				 "the qmaster on %s sends messages before it has accepted the connection",
				 link->host);
	if (frame->kind == GDI_FRAME_STATUS_ASKED)
		rc = status_answer(link, frame->id, now_ns, error);
	if (frame->kind == GDI_FRAME_DATA && frame->wants_receipt)
		rc = control_answer(link, text, gdi_write_received(text, id_next(link), frame->id), error);
	if (frame->kind == GDI_FRAME_CLOSE)
		rc = control_answer(link, text, gdi_write_closed(text, id_next(link)), error);
	if (rc == 0 && link->sending)
		rc = link_write(link, now_ns, error);
	if (rc == 0 && frame->kind == GDI_FRAME_CLOSE)
		rc = error_set(error, -ECONNRESET, "the qmaster on %s ends the connection", link->host);
	if (rc == 0 && frame->kind == GDI_FRAME_CLOSED)
		rc = error_set(error, -ECONNRESET, "the connection to the qmaster on %s is closed", link->host);
	return rc;
}

int gdi_link_next(struct gdi_link *link, struct gdi_frame *frame, uint64_t now_ns, struct error *error)
{
	int rc;

	while ((rc = gdi_frames_next(&link->frames, frame, error)) > 0) {
		rc = control(link, frame, now_ns, error);
		if (rc == 0 && frame->kind == GDI_FRAME_DATA) {
			link->begun_ns = 0;
			return 1;
		}
		free(frame->data);
		link->begun_ns = 0;
		if (rc)
			return rc;
	}
	if (rc == 0 && link->begun_ns == 0 && (link->frames.in_data || link->frames.nhead)) {
		link->begun_ns = now_ns;
		link->begun_at = link->frames.bytes;
	}
	return rc;
}

void gdi_link_close(struct gdi_link *link)
{
	char text[GDI_HEADER_MOST + 1];

	if (link->state == GDI_LINK_OPEN && text_add(link, text, gdi_write_close(text, id_next(link))))
		link->state = GDI_LINK_CLOSING;
}
