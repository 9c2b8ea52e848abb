/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/columns.h"
#include "conf/base/utf8.h"
#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/post_inside.h"

/* Time limit for an answer; after it the peer is considered dead. */
#define ANSWER_NS (120 * POST_SECOND_NS)
#define RENEW_NS (2 * POST_SECOND_NS)
/* Delay before the second attempt to connect, doubled for each further attempt. */
#define ATTEMPT_FIRST_NS (POST_SECOND_NS / 8)
#define LASTED_NS (10 * POST_SECOND_NS)	/* age at which a connection counts as successful */
#define ATTEMPT_MOST_NS (10 * POST_SECOND_NS)	/* longest delay */

/* Records for the scheduler */

struct post_item *thread_item(enum post_kind kind, uint64_t number, unsigned char *bytes, size_t n, const char *text)
{
	struct post_item *item = calloc(1, sizeof(*item));

	if (!item) {
		free(bytes);
		return NULL;
	}
	item->record = (struct post_record){
		.kind = kind, .number = number, .bytes = bytes, .n = n, .arrived_ns = clock_monotonic_ns()
	};
	snprintf(item->record.text, sizeof(item->record.text), "%s", text);
	utf8_clean(item->record.text);
	return item;
}

void thread_put(struct post_thread *thread, struct post_item *item)
{
	item->counted = item->record.n + POST_ITEM_BYTES;
	atomic_fetch_add(&thread->p->waiting_bytes, item->counted);
	thread->link.messages_waiting = 1 + atomic_fetch_add(&thread->p->waiting, 1);
	post_queue_put(&thread->p->records, &item->node);
}

/* Update the result of post_state(). */
static void thread_show(struct post_thread *thread)
{
	struct post_state *state = &thread->p->state;

	pthread_mutex_lock(&thread->p->lock);
	state->connected = thread->link.state == GDI_LINK_OPEN;
	state->client = thread->client;
	state->role = thread->client ? thread->wanted : POST_NONE;
	state->connection = state->connected ? thread->link.connection : 0;
	snprintf(state->host, sizeof(state->host), "%s", thread->link.host);
	pthread_mutex_unlock(&thread->p->lock);
}

void thread_report(struct post_thread *thread, enum post_kind kind, uint64_t number, const char *text)
{
	struct post_item *item = thread_item(kind, number, NULL, 0, text);

	thread_show(thread);
	if (item)
		thread_put(thread, item);
	else
		log_line(LOG_FAILURE, "out of memory for a record of the qmaster: %s", text);
}

bool thread_is_full(struct post_thread *thread)
{
	if (atomic_load(&thread->p->waiting_bytes) <= thread->p->most_bytes)
		return false;
	/*
	 * A reader that frees records checks held_up after waiting_bytes, so one of both threads
	 * sees the change of the other.
	 */
	atomic_store(&thread->p->held_up, true);
	return atomic_load(&thread->p->waiting_bytes) > thread->p->most_bytes;
}

/* Requests */

static int request_add(struct post_thread *thread, const struct post_request *request)
{
	if (array_reserve(&thread->capacity, thread->nrequests + 1, COLUMN(thread->requests)))
		return -ENOMEM;
	thread->requests[thread->nrequests++] = *request;
	return 0;
}

/* Complete a request. bytes NULL: the answer was lost. */
static void request_answered(struct post_thread *thread, struct post_request *request, unsigned char *bytes, size_t n)
{
	atomic_fetch_sub(&thread->p->sending_bytes, request->n);
	request->answer->record.bytes = bytes;
	request->answer->record.n = n;
	request->answer->record.arrived_ns = clock_monotonic_ns();
	thread_put(thread, request->answer);
}

int thread_ask(struct post_thread *thread, enum post_purpose purpose, struct gdi_writer *packet, uint64_t now_ns,
	       struct error *error)
{
	struct post_request request = { .purpose = purpose, .until_ns = now_ns + ANSWER_NS };

	if (packet->rc == 0)
		request.id = gdi_link_send(&thread->link, GDI_TAG_REQUEST, packet->bytes, packet->n);
	else
		gdi_writer_free(packet);
	return request.id && request_add(thread, &request) == 0
		       ? 0
		       : error_set(error, -ENOMEM, "out of memory for a request");
}

/* Send a request of the scheduler. */
static void request_send(struct post_thread *thread, struct post_order *order, uint64_t now_ns)
{
	struct post_request request = { .until_ns = now_ns + ANSWER_NS, .answer = order->answer, .n = order->n };

	if (thread->link.state == GDI_LINK_OPEN)
		request.id = gdi_link_send(&thread->link, GDI_TAG_REQUEST, order->bytes, order->n);
	else
		free(order->bytes);
	if (request.id == 0 || request_add(thread, &request))
		request_answered(thread, &request, NULL, 0);
}

/* The connection */

static void connection_drop(struct post_thread *thread)
{
	for (size_t i = 0; i < thread->nrequests; i++)
		if (thread->requests[i].purpose == POST_FOR_SCHEDULER)
			request_answered(thread, &thread->requests[i], NULL, 0);
	thread->nrequests = 0;
	gdi_link_free(&thread->link);
	client_lost(thread);
	thread->renew_ns = 0;
}

/*
 * Schedule the next attempt, later each time until a connection has lasted. Otherwise a total
 * update that cannot be understood, for example, would be requested again and again.
 */
static void attempt_later(struct post_thread *thread, uint64_t now_ns, bool at_once)
{
	bool lasted = thread->connected_ns && now_ns - thread->connected_ns >= LASTED_NS;
	uint64_t delay;

	if (lasted)
		thread->attempts = 0;
	delay = thread->attempts < 8 ? ATTEMPT_FIRST_NS << thread->attempts : ATTEMPT_MOST_NS;
	if (lasted && at_once)
		delay = 0;
	thread->attempt_ns = now_ns + (delay < ATTEMPT_MOST_NS ? delay : ATTEMPT_MOST_NS);
	thread->attempts++;
	thread->connected_ns = 0;
}

static void connection_lost(struct post_thread *thread, uint64_t now_ns, const char *why)
{
	connection_drop(thread);
	attempt_later(thread, now_ns, false);
	/* another scheduler may have the role by now */
	if (thread->wanted == POST_SCHEDULER)
		thread->wanted = POST_NONE;
	if (thread->reported_connected || strcmp(thread->reported_lost, why) != 0) {
		snprintf(thread->reported_lost, sizeof(thread->reported_lost), "%s", why);
		thread_report(thread, POST_LOST, 0, why);
	}
	thread->reported_connected = false;
	thread_show(thread);
}

void thread_renew(struct post_thread *thread, uint64_t now_ns)
{
	/*
	 * The scheduler is identified by its number. A new registration replaces this one, unless
	 * another client already has the number.
	 */
	if (thread->client != GDI_CLIENT_SCHEDULER)
		client_leave(thread);
	thread->client = 0;
	gdi_link_close(&thread->link);
	thread->renew_ns = now_ns + RENEW_NS;
}

static void connection_renewed(struct post_thread *thread, uint64_t now_ns)
{
	connection_drop(thread);
	attempt_later(thread, now_ns, true);
}

/*
 * Begin to connect. act_qmaster is read for each attempt, because a shadow master may have taken
 * over.
 */
static int connection_begin(struct post_thread *thread, uint64_t now_ns, struct error *error)
{
	char *qmaster;
	int rc = gdi_cell_qmaster(&thread->p->cell, &qmaster, error);

	if (rc)
		return rc;
	rc = gdi_link_open(&thread->link, &thread->p->cell, qmaster, now_ns, error);
	free(qmaster);
	return rc;
}

static int answer_take(struct post_thread *thread, struct gdi_frame *frame, uint64_t now_ns, struct error *error)
{
	struct post_request request;
	size_t i = 0;

	while (i < thread->nrequests && thread->requests[i].id != frame->answers)
		i++;
	if (i == thread->nrequests) {
		free(frame->data);	/* no request has this id */
		return 0;
	}
	request = thread->requests[i];
	memmove(&thread->requests[i], &thread->requests[i + 1], (thread->nrequests - i - 1) * sizeof(request));
	thread->nrequests--;
	if (request.purpose != POST_FOR_SCHEDULER)
		return client_answer(thread, request.purpose, frame, now_ns, error);
	request_answered(thread, &request, frame->data, frame->n);
	return 0;
}

static int message_take(struct post_thread *thread, struct gdi_frame *frame, uint64_t now_ns, struct error *error)
{
	if (frame->tag == GDI_TAG_REPORT)
		return client_report(thread, frame, now_ns, error);
	if (frame->tag == GDI_TAG_REQUEST)
		return answer_take(thread, frame, now_ns, error);
	free(frame->data);		/* no other message is sent to an event client */
	return 0;
}

static void connection_opened(struct post_thread *thread, uint64_t now_ns)
{
	thread->connected_ns = now_ns;
	thread->reported_lost[0] = '\0';
	if (!thread->reported_connected) {
		thread->reported_connected = true;
		thread_report(thread, POST_CONNECTED, 0, thread->link.host);
	}
	thread_show(thread);
}

static int connection_turn(struct post_thread *thread, uint64_t now_ns, struct error *error)
{
	bool was_open = thread->link.state >= GDI_LINK_OPEN;
	struct gdi_frame frame;
	int rc = gdi_link_handle(&thread->link, now_ns, error);

	while (rc == 0) {
		rc = gdi_link_next(&thread->link, &frame, now_ns, error);
		if (!was_open && thread->link.state == GDI_LINK_OPEN) {
			was_open = true;
			connection_opened(thread, now_ns);
		}
		if (rc <= 0)
			break;
		rc = message_take(thread, &frame, now_ns, error);
	}
	if (rc == 0)
		rc = client_turn(thread, now_ns, error);
	if (rc == 0 && thread->nrequests && now_ns >= thread->requests[0].until_ns)
		rc = error_set(error, -ETIMEDOUT, "the qmaster on %s has not answered a request for %d s",
			       thread->link.host, (int)(ANSWER_NS / POST_SECOND_NS));
	return rc;
}

/* The thread */

static void order_take(struct post_thread *thread, struct post_order *order, uint64_t now_ns)
{
	switch (order->kind) {
	case POST_ORDER_SEND:
		request_send(thread, order, now_ns);
		break;
	case POST_ORDER_ROLE:
		client_role(thread, order, now_ns);
		thread_show(thread);
		break;
	case POST_ORDER_DISOWN:
		client_disown(thread);
		thread_show(thread);
		break;
	case POST_ORDER_AGAIN:
		log_line(LOG_ODD, "a delivery of the qmaster cannot be used: %s: registering again", order->why);
		if (thread->link.state == GDI_LINK_OPEN)
			thread_renew(thread, now_ns);
		break;
	case POST_ORDER_CLOSE:
		client_leave(thread);
		gdi_link_close(&thread->link);
		thread->leaving = true;
		thread->leave_ns = order->until_ns;
		break;
	}
	free(order);
}

/* Make one turn of the loop, without the wait. */
static void thread_turn(struct post_thread *thread, uint64_t now_ns)
{
	struct error error = { "" };
	struct cds_wfcq_node *node;
	int rc = 0;

	while ((node = post_queue_take(&thread->p->orders)))
		order_take(thread, caa_container_of(node, struct post_order, node), now_ns);
	if (thread->leaving && (now_ns >= thread->leave_ns || thread->link.state != GDI_LINK_CLOSING)) {
		thread->gone = true;
		return;
	}
	if (thread->link.state == GDI_LINK_NONE && now_ns >= thread->attempt_ns)
		rc = connection_begin(thread, now_ns, &error);
	if (rc == 0 && thread->link.state != GDI_LINK_NONE)
		rc = connection_turn(thread, now_ns, &error);
	if (thread->renew_ns && !thread->leaving && (rc || now_ns >= thread->renew_ns))
		connection_renewed(thread, now_ns);
	else if (rc && thread->leaving)
		thread->gone = true;
	else if (rc)
		connection_lost(thread, now_ns, error.text);
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void thread_wait(struct post_thread *thread)
{
	struct pollfd fds[2] = { { thread->p->orders.fd, POLLIN, 0 }, { -1, 0, 0 } };
	uint64_t due = client_due_ns(thread), now = clock_monotonic_ns();
	struct timespec left;

	if (thread->link.state == GDI_LINK_NONE) {
		due = sooner(due, thread->attempt_ns);
	} else {
		fds[1] = (struct pollfd){ thread->link.fd, gdi_link_events(&thread->link), 0 };
		due = sooner(due, gdi_link_due_ns(&thread->link));
	}
	if (thread->nrequests)
		due = sooner(due, thread->requests[0].until_ns);
	if (thread->leaving)
		due = sooner(due, thread->leave_ns);
	if (thread->renew_ns)
		due = sooner(due, thread->renew_ns);
	due = due > now ? sooner(due - now, 3600 * POST_SECOND_NS) : 0;
	left = (struct timespec){ (time_t)(due / POST_SECOND_NS), (long)(due % POST_SECOND_NS) };
	ppoll(fds, 2, &left, NULL);
}

void *post_thread_main(void *post)
{
	struct post_thread thread = { .p = post };

	thread.wanted = thread.p->first_role;
	thread.subscription = thread.p->first_subscription;
	snprintf(thread.name, sizeof(thread.name), "fairlead.%d", (int)getpid());
	while (!thread.gone) {
		thread_turn(&thread, clock_monotonic_ns());
		if (!thread.gone)
			thread_wait(&thread);
	}
	connection_drop(&thread);
	free(thread.requests);
	return NULL;
}
