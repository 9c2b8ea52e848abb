/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sched/process/log.h"
#include "sched/qmaster/gridengine/post_inside.h"

/*
 * Return the longest time without a delivery. After it, another client has our role or the qmaster
 * hangs.
 */
static uint64_t silence_ns(const struct post_thread *thread)
{
	return (2 * (uint64_t)thread->subscription.d_time + 5) * POST_SECOND_NS;
}

/* Send a packet about our registration, written by `write`, with a credential of its own. */
static int client_ask(struct post_thread *thread, enum post_purpose purpose,
		      void (*write)(struct gdi_writer *writer, const struct gdi_registration *gdi_registration,
				    const char *credential),
		      uint64_t now_ns, struct error *error)
{
	const struct gdi_flush flush = { thread->subscription.flush_submit, thread->subscription.flush_finish };
	struct gdi_subscribed subscribed[GDI_SUBSCRIBED_MOST];
	const struct gdi_registration registration = {
		.id = thread->client			 ? thread->client
		      : thread->wanted == POST_SCHEDULER ? GDI_CLIENT_SCHEDULER
							 : GDI_CLIENT_ANY,
		.name = thread->name,
		.d_time = thread->subscription.d_time,
		.busy = GDI_BUSY_UNTIL_ACKNOWLEDGED,
		.subscribed = subscribed,
		.nsubscribed = gdi_scheduler_subscribed(subscribed, &flush),
	};
	struct gdi_writer packet = { .packet = thread->link.last_id + 1 };
	char *credential;
	int rc = gdi_credential(&thread->p->cell, &credential, error);

	if (rc)
		return rc;
	write(&packet, &registration, credential);
	free(credential);
	return thread_ask(thread, purpose, &packet, now_ns, error);
}

static int client_register(struct post_thread *thread, uint64_t now_ns, struct error *error)
{
	thread->used = true;
	thread->expected = 1;
	thread->acknowledge_due = thread->subscribe_due = false;
	return client_ask(thread, POST_TO_REGISTER, gdi_write_register, now_ns, error);
}

/* Stop acting as the client, which includes leaving. Its number may belong to another client. */
static void client_silent(struct post_thread *thread, const char *why)
{
	thread->silent = true;
	thread->acknowledge_due = false;
	thread->client = 0;
	thread_report(thread, POST_SILENCE, 0, why);
}

/* Acknowledge, so that the qmaster may deliver again. */
static int client_acknowledge(struct post_thread *thread, uint64_t now_ns)
{
	struct gdi_writer writer = { .rc = 0 };

	thread->acknowledge_due = false;
	thread->heard_ns = now_ns;		/* no delivery could come before */
	gdi_write_acknowledgement(&writer, thread->expected - 1, thread->client);
	if (writer.rc == 0)
		return gdi_link_send(&thread->link, GDI_TAG_ACKNOWLEDGE, writer.bytes, writer.n) ? 0 : -ENOMEM;
	gdi_writer_free(&writer);
	return -ENOMEM;
}

int client_turn(struct post_thread *thread, uint64_t now_ns, struct error *error)
{
	int rc = 0;

	if (thread->link.state != GDI_LINK_OPEN)
		return 0;
	if (thread->wanted != POST_NONE && !thread->silent && !thread->used)
		return client_register(thread, now_ns, error);
	if (!thread->client || thread->silent)
		return 0;
	if (thread->subscribe_due) {
		thread->subscribe_due = false;
		rc = client_ask(thread, POST_TO_SUBSCRIBE, gdi_write_change, now_ns, error);
	}
	if (rc == 0 && thread->acknowledge_due && !thread_is_full(thread))
		rc = client_acknowledge(thread, now_ns);
	/* data are arriving at the speed that link.h requires, or a delivery is not yet allowed */
	if (thread->link.frames.in_data || thread->acknowledge_due)
		thread->heard_ns = now_ns;
	if (rc == 0 && now_ns >= thread->heard_ns + silence_ns(thread))
		client_silent(thread, "the qmaster has delivered nothing for too long");
	return rc;
}

uint64_t client_due_ns(const struct post_thread *thread)
{
	if (thread->link.state != GDI_LINK_OPEN || !thread->client || thread->silent)
		return UINT64_MAX;
	return thread->heard_ns + silence_ns(thread);
}

/* Pass a delivery on. Acknowledge it, unless too many bytes are waiting. */
static int client_deliver(struct post_thread *thread, struct post_item *item, const struct gdi_delivery *head,
			  uint64_t now_ns)
{
	if (head->n > 0 && head->first > thread->expected) {
		log_line(LOG_ODD, "the qmaster has delivered event %u instead of event %u: registering again",
			 head->first, thread->expected);
		free((void *)item->record.bytes);
		free(item);
		thread_renew(thread, now_ns);
		return 0;
	}
	item->record.number = thread->expected;
	if (head->n > 0 && head->first + (head->n - 1) >= thread->expected)
		thread->expected = head->first + (head->n - 1) + 1;
	thread_put(thread, item);
	thread->acknowledge_due = thread_is_full(thread);
	return thread->acknowledge_due ? 0 : client_acknowledge(thread, now_ns);
}

int client_report(struct post_thread *thread, struct gdi_frame *frame, uint64_t now_ns, struct error *error)
{
	bool wanted =
		!thread->silent && thread->used && thread->link.state == GDI_LINK_OPEN && thread->wanted != POST_NONE;
	struct gdi_delivery head;
	struct post_item *item;
	int rc = wanted ? gdi_delivery_check(frame->data, frame->n, &head, error) : 0;

	if (rc || !wanted) {
		free(frame->data);
		return rc;
	}
	item = thread_item(POST_DELIVERY, 0, frame->data, frame->n, "");
	if (!item)
		return error_set(error, -ENOMEM, "out of memory for a report");
	if (thread->client)
		return client_deliver(thread, item, &head, now_ns);
	if (thread->held) {
		free((void *)thread->held->record.bytes);
		free(thread->held);
	}
	thread->held = item;
	thread->held_head = head;
	return 0;
}

static void held_drop(struct post_thread *thread)
{
	if (thread->held)
		free((void *)thread->held->record.bytes);
	free(thread->held);
	thread->held = NULL;
}

static int client_registered(struct post_thread *thread, const struct gdi_frame *frame, uint64_t now_ns,
			     struct error *error)
{
	uint32_t number;
	struct post_item *held = thread->held;
	int rc = gdi_take_registered(frame->data, frame->n, &number, error);

	if (rc == -EPERM) {
		thread->wanted = POST_NONE;
		held_drop(thread);
		thread_report(thread, POST_REFUSED, 0, error->text);
		return 0;
	}
	if (rc)
		return rc;
	thread->client = number;
	if (thread->wanted == POST_NONE) {
		client_leave(thread);	/* the role was withdrawn in the meantime */
		return 0;
	}
	thread->heard_ns = now_ns;
	thread_report(thread, POST_REGISTERED, number, "");
	thread->held = NULL;
	return held ? client_deliver(thread, held, &thread->held_head, now_ns) : 0;
}

int client_answer(struct post_thread *thread, enum post_purpose purpose, struct gdi_frame *frame, uint64_t now_ns,
		  struct error *error)
{
	struct gdi_buffer buffer = { frame->data, frame->data + frame->n };
	struct gdi_answer answer;
	char why[sizeof(((struct post_record *)0)->text)];
	int rc = 0;

	if (purpose == POST_TO_REGISTER) {
		if (thread->link.state == GDI_LINK_OPEN)
			rc = client_registered(thread, frame, now_ns, error);
		free(frame->data);
		return rc;
	}
	rc = gdi_take_header(&buffer, error);
	if (rc == 0)
		rc = gdi_take_answer(&buffer, &answer, error);
	if (rc == 0 && answer.quality <= GDI_ERROR && thread->client) {
		snprintf(why, sizeof(why), "the qmaster refuses a message of event client %u: %s", thread->client,
			 answer.text);
		client_silent(thread, why);
	}
	free(frame->data);
	return rc;
}

void client_leave(struct post_thread *thread)
{
	struct gdi_writer writer = { .rc = 0 };

	if (thread->client && thread->link.state == GDI_LINK_OPEN) {
		gdi_write_leave(&writer, thread->client);
		if (writer.rc == 0)
			gdi_link_send(&thread->link, GDI_TAG_LEAVE, writer.bytes, writer.n);
		else
			gdi_writer_free(&writer);
	}
	thread->client = 0;
	thread->silent = thread->acknowledge_due = false;
}

void client_lost(struct post_thread *thread)
{
	held_drop(thread);
	thread->client = 0;
	thread->used = thread->acknowledge_due = thread->silent = false;
}

static bool same_rhythm(const struct post_subscription *a, const struct post_subscription *b)
{
	return a->d_time == b->d_time && a->flush_submit == b->flush_submit && a->flush_finish == b->flush_finish;
}

void client_role(struct post_thread *thread, const struct post_order *order, uint64_t now_ns)
{
	bool same = order->role == thread->wanted && !thread->silent && thread->used;

	if (order->role == POST_NONE) {
		thread->wanted = POST_NONE;
		held_drop(thread);
		client_leave(thread);
		return;
	}
	thread->subscribe_due = same && !same_rhythm(&thread->subscription, &order->subscription);
	thread->subscription = order->subscription;
	thread->wanted = order->role;
	if (same || !thread->used || thread->link.state != GDI_LINK_OPEN)
		return;
	thread_renew(thread, now_ns);
}

void client_disown(struct post_thread *thread)
{
	thread->wanted = POST_NONE;
	thread->client = 0;
	thread->silent = thread->acknowledge_due = false;
	held_drop(thread);
}
