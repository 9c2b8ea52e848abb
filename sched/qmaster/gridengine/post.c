/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/post.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/post_inside.h"

/* Additional time for a close; a name lookup cannot be interrupted. */
#define JOIN_S 1

static void order_free(struct post_order *order)
{
	free(order->bytes);
	free(order->answer);
	free(order);
}

/* Free the post and the records and requests still in its queues. The thread has ended. */
static void post_free(struct post *post)
{
	struct post_record *record;
	struct cds_wfcq_node *node;

	while ((record = post_take(post)))
		post_record_free(post, record);
	while (post->orders.fd >= 0 && (node = post_queue_take(&post->orders)))
		order_free(caa_container_of(node, struct post_order, node));
	post_queue_close(&post->records);
	post_queue_close(&post->orders);
	pthread_mutex_destroy(&post->lock);
	gdi_cell_free(&post->cell);
	free(post);
}

/* Start the thread with all signals blocked. The main loop handles them. */
static int thread_start(struct post *post)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&post->thread, NULL, post_thread_main, post);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	post->started = rc == 0;
	return -rc;
}

int post_open(struct post **post, const struct post_options *options, struct error *error)
{
	struct post *p = calloc(1, sizeof(*p));
	int rc;

	*post = NULL;
	if (!p)
		return error_set(error, -ENOMEM, "out of memory");
	p->records.fd = p->orders.fd = -1;
	pthread_mutex_init(&p->lock, NULL);
	p->most_bytes = options->most_bytes ? options->most_bytes : POST_BYTES;
	p->first_role = options->role;
	p->first_subscription = options->subscription;
	rc = post_queue_open(&p->records);
	if (rc == 0)
		rc = post_queue_open(&p->orders);
	if (rc)
		error_set(error, rc, "no descriptor: %s", strerror(-rc));
	if (rc == 0)
		rc = gdi_cell_read(&p->cell, options->directory, error);
	if (rc == 0 && (rc = thread_start(p)))
		error_set(error, rc, "no thread: %s", strerror(-rc));
	if (rc == 0)
		*post = p;
	else
		post_free(p);
	return rc;
}

const char *post_directory(const struct post *post)
{
	return post->cell.directory;
}

static struct post_order *order_create(enum post_order_kind kind)
{
	struct post_order *order = calloc(1, sizeof(*order));

	if (order)
		order->kind = kind;
	return order;
}

void post_close(struct post *post, int timeout_ms)
{
	struct post_order *order;
	struct timespec until;

	if (!post)
		return;
	order = order_create(POST_ORDER_CLOSE);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += timeout_ms / 1000 + JOIN_S;
	if (order) {
		order->until_ns = clock_monotonic_ns() + (uint64_t)timeout_ms * 1000000;
		post_queue_put(&post->orders, &order->node);
	}
	/*
	 * a thread that hangs in the resolver keeps the memory that it uses until the process ends
	 */
	if (order && pthread_timedjoin_np(post->thread, NULL, &until) == 0)
		post_free(post);
	else
		log_line(LOG_ODD, "the connection to the qmaster could not be closed regularly");
}

int post_fd(const struct post *post)
{
	return post->records.fd;
}

struct post_record *post_take(struct post *post)
{
	struct cds_wfcq_node *node = post->records.fd < 0 ? NULL : post_queue_take(&post->records);

	return node ? &caa_container_of(node, struct post_item, node)->record : NULL;
}

void post_record_free(struct post *post, struct post_record *record)
{
	struct post_item *item = caa_container_of(record, struct post_item, record);

	atomic_fetch_sub(&post->waiting, 1);
	atomic_fetch_sub(&post->waiting_bytes, item->counted);
	if (atomic_load(&post->held_up) && atomic_load(&post->waiting_bytes) <= post->most_bytes) {
		atomic_store(&post->held_up, false);
		post_queue_wake(&post->orders);
	}
	free((void *)record->bytes);
	free(item);
}

uint64_t post_send(struct post *post, struct gdi_writer *packet)
{
	struct post_order *order = packet->rc || atomic_load(&post->sending_bytes) + packet->n > GDI_LINK_SENDING_MOST
					   ? NULL
					   : order_create(POST_ORDER_SEND);

	if (order) {
		order->answer = thread_item(POST_ANSWER, post->requests + 1, NULL, 0, "");
		if (!order->answer) {
			free(order);
			order = NULL;
		}
	}
	if (!order) {
		gdi_writer_free(packet);
		return 0;
	}
	order->bytes = packet->bytes;
	order->n = packet->n;
	*packet = (struct gdi_writer){ .rc = 0 };
	atomic_fetch_add(&post->sending_bytes, order->n);
	post_queue_put(&post->orders, &order->node);
	return ++post->requests;
}

int post_credential(const struct post *post, char **credential, struct error *error)
{
	return gdi_credential(&post->cell, credential, error);
}

int post_role(struct post *post, enum post_role role, const struct post_subscription *subscription)
{
	struct post_order *order = order_create(POST_ORDER_ROLE);

	if (!order)
		return -ENOMEM;
	order->role = role;
	if (role != POST_NONE)
		order->subscription = *subscription;
	post_queue_put(&post->orders, &order->node);
	return 0;
}

int post_disown(struct post *post)
{
	struct post_order *order = order_create(POST_ORDER_DISOWN);

	if (!order)
		return -ENOMEM;
	post_queue_put(&post->orders, &order->node);
	return 0;
}

int post_again(struct post *post, const char *why)
{
	struct post_order *order = order_create(POST_ORDER_AGAIN);

	if (!order)
		return -ENOMEM;
	snprintf(order->why, sizeof(order->why), "%s", why);
	post_queue_put(&post->orders, &order->node);
	return 0;
}

void post_state(const struct post *post, struct post_state *state)
{
	struct post *p = (struct post *)post;

	pthread_mutex_lock(&p->lock);
	*state = p->state;
	pthread_mutex_unlock(&p->lock);
	state->waiting_bytes = atomic_load(&p->waiting_bytes);
}

const struct gdi_cell *post_cell(const struct post *post)
{
	return &post->cell;
}
