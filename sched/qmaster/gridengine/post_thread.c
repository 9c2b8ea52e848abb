/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/array.h"
#include "conf/utf8.h"
#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/post_inside.h"

#define ANSWER_NS (120 * POST_SECOND_NS)	/* a request without an answer for so long: nobody reads there */
#define RENEW_NS (2 * POST_SECOND_NS)
#define ATTEMPT_FIRST_NS (POST_SECOND_NS / 8)	/* until the second attempt to connect; then twice as much, */
#define LASTED_NS (10 * POST_SECOND_NS)	/* a connection that was good for something */
#define ATTEMPT_MOST_NS (10 * POST_SECOND_NS)	/* up to this */

/* To the scheduler */

struct post_item *thread_item(enum post_kind kind, uint64_t number, unsigned char *bytes, size_t n, const char *text)
{
	struct post_item *item = calloc(1, sizeof(*item));

	if (!item) {
		free(bytes);
		return NULL;
	}
	item->record = (struct post_record){ .kind = kind, .number = number, .bytes = bytes, .n = n, .arrived_ns = clock_monotonic_ns() };
	snprintf(item->record.text, sizeof(item->record.text), "%s", text);
	utf8_clean(item->record.text);
	return item;
}

void thread_put(struct post_thread *t, struct post_item *item)
{
	item->counted = item->record.n + POST_ITEM_BYTES;
	atomic_fetch_add(&t->p->waiting_bytes, item->counted);
	t->link.messages_waiting = 1 + atomic_fetch_add(&t->p->waiting, 1);
	post_queue_put(&t->p->records, &item->node);
}

void thread_tell(struct post_thread *t, enum post_kind kind, uint64_t number, const char *text)
{
	struct post_item *item = thread_item(kind, number, NULL, 0, text);

	thread_show(t);
	if (item)
		thread_put(t, item);
	else
		log_line(LOG_FAILURE, "no memory to tell what comes of the qmaster: %s", text);
}

bool thread_is_full(struct post_thread *t)
{
	if (atomic_load(&t->p->waiting_bytes) <= t->p->most_bytes)
		return false;
	/* who takes records off looks at this behind that: one of us sees the other */
	atomic_store(&t->p->held_up, true);
	return atomic_load(&t->p->waiting_bytes) > t->p->most_bytes;
}

void thread_show(struct post_thread *t)
{
	struct post_state *s = &t->p->state;

	pthread_mutex_lock(&t->p->lock);
	s->connected = t->link.state == GDI_LINK_OPEN;
	s->client = t->client;
	s->role = t->client ? t->wanted : POST_NONE;
	s->connection = s->connected ? t->link.connection : 0;
	snprintf(s->host, sizeof(s->host), "%s", t->link.host);
	pthread_mutex_unlock(&t->p->lock);
}

/* Requests */

static int request_add(struct post_thread *t, const struct post_request *request)
{
	if (t->nrequests == t->capacity) {
		size_t capacity = t->capacity ? 2 * t->capacity : 16;

		if (array_grow(&t->requests, capacity, sizeof(*t->requests)))
			return -ENOMEM;
		t->capacity = capacity;
	}
	t->requests[t->nrequests++] = *request;
	return 0;
}

/* Its answer, bytes NULL: it was lost. */
static void request_answered(struct post_thread *t, struct post_request *request, unsigned char *bytes, size_t n)
{
	atomic_fetch_sub(&t->p->sending_bytes, request->n);
	request->answer->record.bytes = bytes;
	request->answer->record.n = n;
	request->answer->record.arrived_ns = clock_monotonic_ns();
	thread_put(t, request->answer);
}

int thread_ask(struct post_thread *t, enum post_purpose purpose, struct gdi_writer *packet, uint64_t now_ns, struct error *error)
{
	struct post_request request = { .purpose = purpose, .until_ns = now_ns + ANSWER_NS };

	if (packet->rc == 0)
		request.id = gdi_link_send(&t->link, GDI_TAG_REQUEST, packet->bytes, packet->n);
	else
		gdi_writer_free(packet);
	return request.id && request_add(t, &request) == 0 ? 0 : error_set(error, -ENOMEM, "no memory for a request");
}

/* Of the scheduler. */
static void request_send(struct post_thread *t, struct post_order *order, uint64_t now_ns)
{
	struct post_request request = { .until_ns = now_ns + ANSWER_NS, .answer = order->answer, .n = order->n };

	if (t->link.state == GDI_LINK_OPEN)
		request.id = gdi_link_send(&t->link, GDI_TAG_REQUEST, order->bytes, order->n);
	else
		free(order->bytes);
	if (request.id == 0 || request_add(t, &request))
		request_answered(t, &request, NULL, 0);
}

/* The connection */

static void connection_drop(struct post_thread *t)
{
	for (size_t i = 0; i < t->nrequests; i++)
		if (t->requests[i].purpose == POST_FOR_SCHEDULER)
			request_answered(t, &t->requests[i], NULL, 0);
	t->nrequests = 0;
	gdi_link_free(&t->link);
	client_lost(t);
	t->renew_ns = 0;
}

/*
 * The next attempt: later each time, until a connection has lasted. What is of no use at once, a
 * total update, say, that can't be understood, is not to be asked for again and again.
 */
static void attempt_later(struct post_thread *t, uint64_t now_ns, bool at_once)
{
	bool lasted = t->connected_ns && now_ns - t->connected_ns >= LASTED_NS;
	uint64_t delay;

	if (lasted)
		t->attempts = 0;
	delay = t->attempts < 8 ? ATTEMPT_FIRST_NS << t->attempts : ATTEMPT_MOST_NS;
	if (lasted && at_once)
		delay = 0;
	t->attempt_ns = now_ns + (delay < ATTEMPT_MOST_NS ? delay : ATTEMPT_MOST_NS);
	t->attempts++;
	t->connected_ns = 0;
}

static void connection_lost(struct post_thread *t, uint64_t now_ns, const char *why)
{
	connection_drop(t);
	attempt_later(t, now_ns, false);
	/* by now somebody else may have the place */
	if (t->wanted == POST_SCHEDULER)
		t->wanted = POST_NONE;
	if (t->told_connected || strcmp(t->told_lost, why) != 0) {
		snprintf(t->told_lost, sizeof(t->told_lost), "%s", why);
		thread_tell(t, POST_LOST, 0, why);
	}
	t->told_connected = false;
	thread_show(t);
}

void thread_renew(struct post_thread *t, uint64_t now_ns)
{
	/*
	 * who is the scheduler is so by his number: a new registration replaces this one, unless it
	 * is another's already
	 */
	if (t->client != GDI_CLIENT_SCHEDULER)
		client_leave(t);
	t->client = 0;
	gdi_link_close(&t->link);
	t->renew_ns = now_ns + RENEW_NS;
}

static void connection_renewed(struct post_thread *t, uint64_t now_ns)
{
	connection_drop(t);
	attempt_later(t, now_ns, true);
}

/* act_qmaster is read at each attempt: a shadow may have taken over. */
static int connection_begin(struct post_thread *t, uint64_t now_ns, struct error *error)
{
	char *qmaster = gdi_cell_qmaster(&t->p->cell, error);
	int rc;

	if (!qmaster)
		return -errno;
	rc = gdi_link_open(&t->link, &t->p->cell, qmaster, now_ns, error);
	free(qmaster);
	return rc;
}

static int answer_take(struct post_thread *t, struct gdi_frame *frame, uint64_t now_ns, struct error *error)
{
	struct post_request request;
	size_t i = 0;

	while (i < t->nrequests && t->requests[i].id != frame->answers)
		i++;
	if (i == t->nrequests) {
		free(frame->data);	/* nobody has asked for it */
		return 0;
	}
	request = t->requests[i];
	memmove(&t->requests[i], &t->requests[i + 1], (t->nrequests - i - 1) * sizeof(request));
	t->nrequests--;
	if (request.purpose != POST_FOR_SCHEDULER)
		return client_answer(t, request.purpose, frame, now_ns, error);
	request_answered(t, &request, frame->data, frame->n);
	return 0;
}

static int message_take(struct post_thread *t, struct gdi_frame *frame, uint64_t now_ns, struct error *error)
{
	if (frame->tag == GDI_TAG_REPORT)
		return client_report(t, frame, now_ns, error);
	if (frame->tag == GDI_TAG_REQUEST)
		return answer_take(t, frame, now_ns, error);
	free(frame->data);		/* nothing else is sent to an event client */
	return 0;
}

static void connection_opened(struct post_thread *t, uint64_t now_ns)
{
	t->connected_ns = now_ns;
	t->told_lost[0] = '\0';
	if (!t->told_connected) {
		t->told_connected = true;
		thread_tell(t, POST_CONNECTED, 0, t->link.host);
	}
	thread_show(t);
}

static int connection_turn(struct post_thread *t, uint64_t now_ns, struct error *error)
{
	bool was_open = t->link.state >= GDI_LINK_OPEN;
	struct gdi_frame frame;
	int rc = gdi_link_handle(&t->link, now_ns, error);

	while (rc == 0) {
		rc = gdi_link_next(&t->link, &frame, now_ns, error);
		if (!was_open && t->link.state == GDI_LINK_OPEN) {
			was_open = true;
			connection_opened(t, now_ns);
		}
		if (rc <= 0)
			break;
		rc = message_take(t, &frame, now_ns, error);
	}
	if (rc == 0)
		rc = client_turn(t, now_ns, error);
	if (rc == 0 && t->nrequests && now_ns >= t->requests[0].until_ns)
		rc = error_set(error, -ETIMEDOUT, "the qmaster on %s has not answered a request for %d s", t->link.host, (int)(ANSWER_NS / POST_SECOND_NS));
	return rc;
}

/* The thread */

static void order_take(struct post_thread *t, struct post_order *order, uint64_t now_ns)
{
	switch (order->kind) {
	case POST_ORDER_SEND:
		request_send(t, order, now_ns);
		break;
	case POST_ORDER_ROLE:
		client_role(t, order, now_ns);
		thread_show(t);
		break;
	case POST_ORDER_DISOWN:
		client_disown(t);
		thread_show(t);
		break;
	case POST_ORDER_AGAIN:
		log_line(LOG_ODD, "what the qmaster has delivered can't be used: %s: registering again", order->why);
		if (t->link.state == GDI_LINK_OPEN)
			thread_renew(t, now_ns);
		break;
	case POST_ORDER_CLOSE:
		client_leave(t);
		gdi_link_close(&t->link);
		t->leaving = true;
		t->leave_ns = order->until_ns;
		break;
	}
	free(order);
}

/* One turn of the loop, but for the waiting. */
static void thread_turn(struct post_thread *t, uint64_t now_ns)
{
	struct error error = { "" };
	struct cds_wfcq_node *node;
	int rc = 0;

	while ((node = post_queue_take(&t->p->orders)))
		order_take(t, caa_container_of(node, struct post_order, node), now_ns);
	if (t->leaving && (now_ns >= t->leave_ns || t->link.state != GDI_LINK_CLOSING)) {
		t->gone = true;
		return;
	}
	if (t->link.state == GDI_LINK_NONE && now_ns >= t->attempt_ns)
		rc = connection_begin(t, now_ns, &error);
	if (rc == 0 && t->link.state != GDI_LINK_NONE)
		rc = connection_turn(t, now_ns, &error);
	if (t->renew_ns && !t->leaving && (rc || now_ns >= t->renew_ns))
		connection_renewed(t, now_ns);
	else if (rc && t->leaving)
		t->gone = true;
	else if (rc)
		connection_lost(t, now_ns, error.text);
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void thread_wait(struct post_thread *t)
{
	struct pollfd fds[2] = { { t->p->orders.fd, POLLIN, 0 }, { -1, 0, 0 } };
	uint64_t due = client_due_ns(t), now = clock_monotonic_ns();
	struct timespec left;

	if (t->link.state == GDI_LINK_NONE) {
		due = sooner(due, t->attempt_ns);
	} else {
		fds[1] = (struct pollfd){ t->link.fd, gdi_link_events(&t->link), 0 };
		due = sooner(due, gdi_link_due_ns(&t->link));
	}
	if (t->nrequests)
		due = sooner(due, t->requests[0].until_ns);
	if (t->leaving)
		due = sooner(due, t->leave_ns);
	if (t->renew_ns)
		due = sooner(due, t->renew_ns);
	due = due > now ? sooner(due - now, 3600 * POST_SECOND_NS) : 0;
	left = (struct timespec){ (time_t)(due / POST_SECOND_NS), (long)(due % POST_SECOND_NS) };
	ppoll(fds, 2, &left, NULL);
}

void *post_thread_main(void *post)
{
	struct post_thread t = { .p = post };

	t.wanted = t.p->first_role;
	t.subscription = t.p->first_subscription;
	snprintf(t.name, sizeof(t.name), "fairlead.%d", (int)getpid());
	while (!t.gone) {
		thread_turn(&t, clock_monotonic_ns());
		if (!t.gone)
			thread_wait(&t);
	}
	connection_drop(&t);
	free(t.requests);
	return NULL;
}
