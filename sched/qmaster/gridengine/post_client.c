/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sched/process/log.h"
#include "sched/qmaster/gridengine/post_inside.h"

/* Without a delivery for longer than that somebody else has our place, or the qmaster hangs. */
static uint64_t silence_ns(const struct post_thread *t)
{
	return (2 * (uint64_t)t->subscription.d_time + 5) * POST_SECOND_NS;
}

/*
 * A packet about our registration: what `write` writes, with a credential of its own.
 */
static int client_ask(struct post_thread *t, enum post_purpose purpose,
		      void (*write)(struct gdi_writer *w, const struct gdi_registration *r, const char *credential), uint64_t now_ns, struct error *error)
{
	const struct gdi_flush flush = { t->subscription.flush_submit, t->subscription.flush_finish };
	struct gdi_subscribed subscribed[GDI_SUBSCRIBED_MOST];
	const struct gdi_registration registration = {
		.id = t->client ? t->client : t->wanted == POST_SCHEDULER ? GDI_CLIENT_SCHEDULER : GDI_CLIENT_ANY,
		.name = t->name, .d_time = t->subscription.d_time, .busy = GDI_BUSY_UNTIL_ACKNOWLEDGED,
		.subscribed = subscribed, .nsubscribed = gdi_scheduler_subscribed(subscribed, &flush),
	};
	char *credential = gdi_credential(&t->p->cell, error);
	struct gdi_writer packet = { .packet = t->link.last_id + 1 };

	if (!credential)
		return -errno;
	write(&packet, &registration, credential);
	free(credential);
	return thread_ask(t, purpose, &packet, now_ns, error);
}

static int client_register(struct post_thread *t, uint64_t now_ns, struct error *error)
{
	t->used = true;
	t->expected = 1;
	t->acknowledge_due = t->subscribe_due = false;
	return client_ask(t, POST_TO_REGISTER, gdi_write_register, now_ns, error);
}

/*
 * From now on nothing is said in the name of the client any more, not even that it leaves: its
 * number may be another's.
 */
static void client_silent(struct post_thread *t, const char *why)
{
	t->silent = true;
	t->acknowledge_due = false;
	t->client = 0;
	thread_tell(t, POST_SILENCE, 0, why);
}

/* With that the qmaster may deliver again. */
static int client_acknowledge(struct post_thread *t, uint64_t now_ns)
{
	struct gdi_writer w = { .rc = 0 };

	t->acknowledge_due = false;
	t->heard_ns = now_ns;		/* it could not deliver before */
	gdi_write_acknowledgement(&w, t->expected - 1, t->client);
	if (w.rc == 0)
		return gdi_link_send(&t->link, GDI_TAG_ACKNOWLEDGE, w.bytes, w.n) ? 0 : -ENOMEM;
	gdi_writer_free(&w);
	return -ENOMEM;
}

int client_turn(struct post_thread *t, uint64_t now_ns, struct error *error)
{
	int rc = 0;

	if (t->link.state != GDI_LINK_OPEN)
		return 0;
	if (t->wanted != POST_NONE && !t->silent && !t->used)
		return client_register(t, now_ns, error);
	if (!t->client || t->silent)
		return 0;
	if (t->subscribe_due) {
		t->subscribe_due = false;
		rc = client_ask(t, POST_TO_SUBSCRIBE, gdi_write_change, now_ns, error);
	}
	if (rc == 0 && t->acknowledge_due && !thread_is_full(t))
		rc = client_acknowledge(t, now_ns);
	/* something comes, at least so fast as link.h wants it; or it may not come before we allow it */
	if (t->link.frames.in_data || t->acknowledge_due)
		t->heard_ns = now_ns;
	if (rc == 0 && now_ns >= t->heard_ns + silence_ns(t))
		client_silent(t, "the qmaster has delivered nothing for too long");
	return rc;
}

uint64_t client_due_ns(const struct post_thread *t)
{
	if (t->link.state != GDI_LINK_OPEN || !t->client || t->silent)
		return UINT64_MAX;
	return t->heard_ns + silence_ns(t);
}

/* Handed on, and acknowledged unless too much is waiting to be taken. */
static int client_deliver(struct post_thread *t, struct post_item *item, const struct gdi_delivery *head, uint64_t now_ns)
{
	if (head->n > 0 && head->first > t->expected) {
		log_line(LOG_ODD, "the qmaster has delivered event %u where %u is the next: registering again", head->first, t->expected);
		free((void *)item->record.bytes);
		free(item);
		thread_renew(t, now_ns);
		return 0;
	}
	item->record.number = t->expected;
	if (head->n > 0 && head->first + (head->n - 1) >= t->expected)
		t->expected = head->first + (head->n - 1) + 1;
	thread_put(t, item);
	t->acknowledge_due = thread_is_full(t);
	return t->acknowledge_due ? 0 : client_acknowledge(t, now_ns);
}

int client_report(struct post_thread *t, struct gdi_frame *frame, uint64_t now_ns, struct error *error)
{
	bool wanted = !t->silent && t->used && t->link.state == GDI_LINK_OPEN && t->wanted != POST_NONE;
	struct gdi_delivery head;
	struct post_item *item;
	int rc = wanted ? gdi_delivery_check(frame->data, frame->n, &head, error) : 0;

	if (rc || !wanted) {
		free(frame->data);
		return rc;
	}
	item = thread_item(POST_DELIVERY, 0, frame->data, frame->n, "");
	if (!item)
		return error_set(error, -ENOMEM, "no memory for a report");
	if (t->client)
		return client_deliver(t, item, &head, now_ns);
	if (t->held) {
		free((void *)t->held->record.bytes);
		free(t->held);
	}
	t->held = item;
	t->held_head = head;
	return 0;
}

static void held_drop(struct post_thread *t)
{
	if (t->held)
		free((void *)t->held->record.bytes);
	free(t->held);
	t->held = NULL;
}

static int client_registered(struct post_thread *t, const struct gdi_frame *frame, uint64_t now_ns, struct error *error)
{
	uint32_t number;
	struct post_item *held = t->held;
	int rc = gdi_take_registered(frame->data, frame->n, &number, error);

	if (rc == -EPERM) {
		t->wanted = POST_NONE;
		held_drop(t);
		thread_tell(t, POST_REFUSED, 0, error->text);
		return 0;
	}
	if (rc)
		return rc;
	t->client = number;
	if (t->wanted == POST_NONE) {
		client_leave(t);	/* it was taken back meanwhile */
		return 0;
	}
	t->heard_ns = now_ns;
	thread_tell(t, POST_REGISTERED, number, "");
	t->held = NULL;
	return held ? client_deliver(t, held, &t->held_head, now_ns) : 0;
}

int client_answer(struct post_thread *t, enum post_purpose purpose, struct gdi_frame *frame, uint64_t now_ns, struct error *error)
{
	struct gdi_buffer b = { frame->data, frame->data + frame->n };
	struct gdi_answer answer;
	char why[sizeof(((struct post_record *)0)->text)];
	int rc = 0;

	if (purpose == POST_TO_REGISTER) {
		if (t->link.state == GDI_LINK_OPEN)
			rc = client_registered(t, frame, now_ns, error);
		free(frame->data);
		return rc;
	}
	rc = gdi_take_header(&b, error);
	if (rc == 0)
		rc = gdi_take_answer(&b, &answer, error);
	if (rc == 0 && answer.quality <= GDI_ERROR && t->client) {
		snprintf(why, sizeof(why), "the qmaster refuses what we say as event client %u: %s", t->client, answer.text);
		client_silent(t, why);
	}
	free(frame->data);
	return rc;
}

void client_leave(struct post_thread *t)
{
	struct gdi_writer w = { .rc = 0 };

	if (t->client && t->link.state == GDI_LINK_OPEN) {
		gdi_write_leave(&w, t->client);
		if (w.rc == 0)
			gdi_link_send(&t->link, GDI_TAG_LEAVE, w.bytes, w.n);
		else
			gdi_writer_free(&w);
	}
	t->client = 0;
	t->silent = t->acknowledge_due = false;
}

void client_lost(struct post_thread *t)
{
	held_drop(t);
	t->client = 0;
	t->used = t->acknowledge_due = t->silent = false;
}

static bool same_rhythm(const struct post_subscription *a, const struct post_subscription *b)
{
	return a->d_time == b->d_time && a->flush_submit == b->flush_submit && a->flush_finish == b->flush_finish;
}

void client_role(struct post_thread *t, const struct post_order *order, uint64_t now_ns)
{
	bool same = order->role == t->wanted && !t->silent && t->used;

	if (order->role == POST_NONE) {
		t->wanted = POST_NONE;
		held_drop(t);
		client_leave(t);
		return;
	}
	t->subscribe_due = same && !same_rhythm(&t->subscription, &order->subscription);
	t->subscription = order->subscription;
	t->wanted = order->role;
	if (same || !t->used || t->link.state != GDI_LINK_OPEN)
		return;
	thread_renew(t, now_ns);
}

void client_disown(struct post_thread *t)
{
	t->wanted = POST_NONE;
	t->client = 0;
	t->silent = t->acknowledge_due = false;
	held_drop(t);
}
