/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/journal/spool_inside.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sched/detach.h"
#include "sched/run/records.h"

/* The queue */

enum item_kind { ITEM_TEXT, ITEM_RUN, ITEM_GAP };

struct spool_item {
	struct spool_item *next;
	enum item_kind kind;
	size_t bytes;			/* size that counts for the limit */
	char *text;			/* text of ITEM_TEXT and ITEM_GAP; owned */
	struct run_mark mark;
};

struct spool {
	struct spool_part part;		/* used only by the thread */
	struct pin pins[SPOOL_PINS];
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t has_work, is_idle, unpinned;
	/* Protected by the lock. */
	struct spool_item *first, **last;
	size_t bytes;			/* size of the waiting items */
	bool stop, working;
	/* Beginnings of parts handed over; used only by the scheduler's thread. */
	unsigned beginnings;
};

static void item_free(struct spool_item *item)
{
	free(item->text);
	free(item->mark.orders);
	free(item->mark.beginning);
	free(item);
}

/* The journal's thread */

static void item_handle(struct spool *spool, struct spool_item *item)
{
	switch (item->kind) {
	case ITEM_TEXT:
		spool_part_text(&spool->part, item->text, item->bytes);
		break;
	case ITEM_RUN:
		spool_part_run(&spool->part, &item->mark);
		spool_unpin(item->mark.pin);
		pthread_mutex_lock(&spool->lock);
		pthread_cond_signal(&spool->unpinned);
		pthread_mutex_unlock(&spool->lock);
		break;
	case ITEM_GAP:
		spool_part_break(&spool->part, item->text);
		break;
	}
}

static struct spool_item *item_take(struct spool *spool)
{
	struct spool_item *item;

	pthread_mutex_lock(&spool->lock);
	spool->working = false;
	while (!spool->first && !spool->stop) {
		pthread_cond_signal(&spool->is_idle);
		pthread_cond_wait(&spool->has_work, &spool->lock);
	}
	item = spool->first;
	if (item) {
		spool->working = true;
		spool->first = item->next;
		if (!spool->first)
			spool->last = &spool->first;
	}
	pthread_mutex_unlock(&spool->lock);
	return item;
}

static void *spool_work(void *context)
{
	struct spool *spool = context;
	struct spool_item *item;

	while ((item = item_take(spool))) {
		item_handle(spool, item);
		pthread_mutex_lock(&spool->lock);
		spool->bytes -= item->bytes;
		pthread_mutex_unlock(&spool->lock);
		item_free(item);
	}
	spool_part_end(&spool->part);
	pthread_mutex_lock(&spool->lock);
	pthread_cond_signal(&spool->is_idle);
	pthread_mutex_unlock(&spool->lock);
	return NULL;
}

/* The scheduler's thread */

static bool item_put(struct spool *spool, struct spool_item *item)
{
	bool fits;

	item->next = NULL;
	pthread_mutex_lock(&spool->lock);
	/* an item that ends a part is never refused */
	fits = item->kind == ITEM_GAP || spool->bytes == 0 || spool->bytes + item->bytes <= SPOOL_BYTES;
	if (fits) {
		spool->bytes += item->bytes;
		*spool->last = item;
		spool->last = &item->next;
		pthread_cond_signal(&spool->has_work);
	}
	pthread_mutex_unlock(&spool->lock);
	return fits;
}

static struct spool_item *item_make(enum item_kind kind, const char *text, size_t bytes)
{
	struct spool_item *item = calloc(1, sizeof(*item));

	if (!item)
		return NULL;
	item->kind = kind;
	item->bytes = bytes;
	item->text = text ? malloc(bytes + 1) : NULL;
	if (text && !item->text) {
		free(item);
		return NULL;
	}
	if (text)
		memcpy(item->text, text, bytes + 1);
	return item;
}

bool spool_text(struct spool *spool, const char *text, size_t bytes)
{
	struct spool_item *item = bytes ? item_make(ITEM_TEXT, text, bytes) : NULL;

	if (!item || item_put(spool, item))
		return item || bytes == 0;
	item_free(item);
	return false;
}

void spool_gap(struct spool *spool, const char *why)
{
	struct spool_item *item = item_make(ITEM_GAP, why, strlen(why));

	if (item)
		item_put(spool, item);
}

bool spool_run(struct spool *spool, const struct run_mark *mark)
{
	struct spool_item *item = item_make(ITEM_RUN, NULL, mark->orders_bytes + mark->beginning_bytes);

	if (item) {
		item->mark = *mark;
		spool->beginnings += mark->beginning != NULL;
		if (item_put(spool, item))
			return true;
		spool->beginnings -= mark->beginning != NULL;
		item->mark = (struct run_mark){ 0 };
		item_free(item);
	}
	spool_unpin(mark->pin);
	return false;
}

void spool_drain(struct spool *spool)
{
	pthread_mutex_lock(&spool->lock);
	while (spool->first || spool->working)
		pthread_cond_wait(&spool->is_idle, &spool->lock);
	pthread_mutex_unlock(&spool->lock);
}

bool spool_is_open(const struct spool *spool)
{
	return atomic_load(&spool->part.beginnings) != spool->beginnings ||
	       atomic_load(&spool->part.state) == PART_OPEN;
}

bool spool_is_long(const struct spool *spool)
{
	return atomic_load(&spool->part.is_long);
}

bool spool_may_begin(const struct spool *spool)
{
	return spool_part_may_begin(&spool->part);
}

/* Pins */

/*
 * Attach to the segment. A scheduler without a name has no reader table, so its descriptor is used.
 */
static bool pin_attach(struct pin *pin, const struct sched *sched)
{
	if (!pin->open)
		pin->open = attach_open(&pin->attachment, sched_cell(sched)->dir, RECORDS_VERSION) == 0 ||
			    attach_descriptor(&pin->attachment, sched_descriptor(sched), RECORDS_VERSION) == 0;
	return pin->open;
}

static bool all_are_busy(const struct spool *spool)
{
	unsigned k = 0;

	while (k < SPOOL_PINS && atomic_load(&spool->pins[k].busy))
		k++;
	return k == SPOOL_PINS;
}

static void wait_for_pin(struct spool *spool)
{
	struct timespec until;
	int rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += SPOOL_WAIT_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&spool->lock);
	while (rc == 0 && all_are_busy(spool))
		rc = pthread_cond_timedwait(&spool->unpinned, &spool->lock, &until);
	pthread_mutex_unlock(&spool->lock);
}

struct pin *spool_pin(struct spool *spool, const struct sched *sched)
{
	if (all_are_busy(spool))
		wait_for_pin(spool);
	for (unsigned k = 0; k < SPOOL_PINS; k++) {
		struct pin *pin = &spool->pins[k];

		if (atomic_load(&pin->busy) || !pin_attach(pin, sched))
			continue;
		attach_begin(&pin->attachment, &pin->view);
		atomic_store(&pin->busy, true);
		return pin;
	}
	return NULL;
}

void spool_unpin(struct pin *pin)
{
	if (!pin)
		return;
	(void)attach_end(&pin->attachment, &pin->view);
	atomic_store(&pin->busy, false);
}

/* Creation and destruction */

int spool_open(struct spool **result, const struct spool_options *options)
{
	struct spool *spool = calloc(1, sizeof(*spool));
	pthread_condattr_t monotonic;
	sigset_t all, before;
	int rc;

	*result = NULL;
	if (!spool)
		return -ENOMEM;
	spool->last = &spool->first;
	rc = spool_part_make(&spool->part, options);
	pthread_mutex_init(&spool->lock, NULL);
	pthread_cond_init(&spool->has_work, NULL);
	pthread_cond_init(&spool->is_idle, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&spool->unpinned, &monotonic);
	pthread_condattr_destroy(&monotonic);
	/* the thread blocks all signals; the main thread handles them */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (rc == 0)
		rc = -pthread_create(&spool->thread, NULL, spool_work, spool);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc) {
		spool_part_free(&spool->part);
		free(spool);
		return rc;
	}
	*result = spool;
	return 0;
}

void spool_close(struct spool *spool)
{
	if (!spool)
		return;
	pthread_mutex_lock(&spool->lock);
	spool->stop = true;
	pthread_cond_signal(&spool->has_work);
	pthread_mutex_unlock(&spool->lock);
	pthread_join(spool->thread, NULL);
	for (unsigned k = 0; k < SPOOL_PINS; k++)
		if (spool->pins[k].open)
			attach_close(&spool->pins[k].attachment);
	spool_part_free(&spool->part);
	pthread_cond_destroy(&spool->has_work);
	pthread_cond_destroy(&spool->is_idle);
	pthread_cond_destroy(&spool->unpinned);
	pthread_mutex_destroy(&spool->lock);
	free(spool);
}
