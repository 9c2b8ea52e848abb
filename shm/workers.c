/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct workers {
	unsigned n;			/* the caller's included */
	pthread_t *threads;		/* n - 1 */
	pthread_mutex_t mutex;		/* guards what follows, but for `next` */
	pthread_cond_t begin, end;
	unsigned long call;		/* number of workers_run() calls: a thread that has not seen the newest one has work */
	unsigned busy;			/* threads in this call */
	bool stop;
	void (*item)(void *context, size_t i);
	void *context;
	size_t items;
	_Atomic size_t next;		/* item that nobody has begun */
};

static void work(struct workers *w)
{
	for (size_t i; (i = atomic_fetch_add_explicit(&w->next, 1, memory_order_relaxed)) < w->items; )
		w->item(w->context, i);
}

static void *thread_main(void *argument)
{
	struct workers *w = argument;
	unsigned long seen = 0;

	pthread_mutex_lock(&w->mutex);
	for (;;) {
		while (w->call == seen && !w->stop)
			pthread_cond_wait(&w->begin, &w->mutex);
		if (w->stop)
			break;
		seen = w->call;
		pthread_mutex_unlock(&w->mutex);
		work(w);
		pthread_mutex_lock(&w->mutex);
		if (--w->busy == 0)
			pthread_cond_signal(&w->end);
	}
	pthread_mutex_unlock(&w->mutex);
	return NULL;
}

int workers_create(struct workers **result, unsigned n)
{
	struct workers *w;
	int code = 0;

	*result = NULL;
	if (n == 0)
		return -EINVAL;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->threads = calloc(n, sizeof(*w->threads));
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->begin, NULL);
	pthread_cond_init(&w->end, NULL);
	w->n = 1;
	if (!w->threads)
		code = -ENOMEM;
	for (; code == 0 && w->n < n; w->n += code == 0)
		code = -pthread_create(&w->threads[w->n - 1], NULL, thread_main, w);
	if (code != 0) {
		workers_destroy(w);
		return code;
	}
	*result = w;
	return 0;
}

void workers_destroy(struct workers *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->mutex);
	w->stop = true;
	pthread_cond_broadcast(&w->begin);
	pthread_mutex_unlock(&w->mutex);
	for (unsigned i = 0; i + 1 < w->n; i++)
		pthread_join(w->threads[i], NULL);
	pthread_cond_destroy(&w->end);
	pthread_cond_destroy(&w->begin);
	pthread_mutex_destroy(&w->mutex);
	free(w->threads);
	free(w);
}

unsigned workers_count(const struct workers *w)
{
	return w->n;
}

void workers_run(struct workers *w, void (*item)(void *context, size_t i), void *context, size_t items)
{
	if (w->n == 1 || items <= 1) {
		for (size_t i = 0; i < items; i++)
			item(context, i);
		return;
	}
	pthread_mutex_lock(&w->mutex);
	w->item = item;
	w->context = context;
	w->items = items;
	atomic_store_explicit(&w->next, 0, memory_order_relaxed);
	w->busy = w->n - 1;
	w->call++;
	pthread_cond_broadcast(&w->begin);
	pthread_mutex_unlock(&w->mutex);
	work(w);
	pthread_mutex_lock(&w->mutex);
	while (w->busy > 0)
		pthread_cond_wait(&w->end, &w->mutex);
	pthread_mutex_unlock(&w->mutex);
}
