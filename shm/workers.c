/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/workers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct worker {
	struct workers *pool;
	unsigned number;		/* 0 is the caller, who has no thread here */
	pthread_t thread;
};

struct work_queue {				/* the items of a node, a cache line apart */
	_Atomic size_t next;		/* how many have been begun */
	char pad[CACHELINE - sizeof(size_t)];
};

struct workers {
	unsigned n;			/* the caller's included */
	struct worker *worker;
	pthread_mutex_t mutex;		/* guards what follows, but for `next` */
	pthread_cond_t begin, end;
	/* number of workers_run() calls: a thread that has not seen the newest one has work */
	unsigned long call;
	unsigned busy;			/* threads in this call */
	bool stop;
	void (*item)(void *context, size_t i);
	void *context;
	size_t items;
	size_t batch;			/* that a worker takes at once */
	unsigned nodes;
	/* of node k: items k, k + nodes, k + 2 * nodes, ... */
	struct work_queue queue[MAX_NODES];
};

/*
 * So many items are small ones: a few at once, but still so many times that all workers end at the
 * same time.
 */
#define BATCHES 1024			/* for each worker */

/*
 * The first of the items that are taken; the first ones singly, for the large ones are among them
 * when there are any.
 */
#define SINGLY 256

static size_t take(const struct workers *w, _Atomic size_t *next, size_t *taken)
{
	size_t first = atomic_load_explicit(next, memory_order_relaxed);

	do
		*taken = first < SINGLY ? 1 : w->batch;
	while (!atomic_compare_exchange_weak_explicit(next, &first, first + *taken, memory_order_relaxed, memory_order_relaxed));
	return first;
}

/* A node's own workers begin with its queue; when it is empty they help the next one. */
static void work(struct workers *w, unsigned number)
{
	for (unsigned k = 0; k < w->nodes; k++) {
		unsigned node = (number + k) % w->nodes;
		_Atomic size_t *next = &w->queue[node].next;

		for (size_t taken; ; ) {
			size_t begin = node + w->nodes * take(w, next, &taken);

			if (begin >= w->items)
				break;
			for (size_t i = begin, n = 0; n < taken && i < w->items; n++, i += w->nodes)
				w->item(w->context, i);
		}
	}
}

static void *thread_main(void *argument)
{
	struct worker *self = argument;
	struct workers *w = self->pool;
	unsigned long seen = 0;

	pthread_mutex_lock(&w->mutex);
	for (;;) {
		while (w->call == seen && !w->stop)
			pthread_cond_wait(&w->begin, &w->mutex);
		if (w->stop)
			break;
		seen = w->call;
		pthread_mutex_unlock(&w->mutex);
		work(w, self->number);
		pthread_mutex_lock(&w->mutex);
		if (--w->busy == 0)
			pthread_cond_signal(&w->end);
	}
	pthread_mutex_unlock(&w->mutex);
	return NULL;
}

/* Signals are for the caller: a thread that took one would take it from whoever waits for it. */
static int worker_start(struct workers *w)
{
	struct worker *worker = &w->worker[w->n];
	sigset_t all, before;
	int rc;

	worker->pool = w;
	worker->number = w->n;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = -pthread_create(&worker->thread, NULL, thread_main, worker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

int workers_create(struct workers **result, unsigned n)
{
	struct workers *w;
	int rc = 0;

	*result = NULL;
	if (n == 0)
		return -EINVAL;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->worker = calloc(n, sizeof(*w->worker));
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->begin, NULL);
	pthread_cond_init(&w->end, NULL);
	w->n = 1;
	if (!w->worker)
		rc = -ENOMEM;
	for (; rc == 0 && w->n < n; w->n += rc == 0)
		rc = worker_start(w);
	if (rc != 0) {
		workers_destroy(w);
		return rc;
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
	for (unsigned k = 1; k < w->n; k++)
		pthread_join(w->worker[k].thread, NULL);
	pthread_cond_destroy(&w->end);
	pthread_cond_destroy(&w->begin);
	pthread_mutex_destroy(&w->mutex);
	free(w->worker);
	free(w);
}

unsigned workers_count(const struct workers *w)
{
	return w->n;
}

int workers_bind(struct workers *w, const struct topology *topology)
{
	int rc = 0;

	if (topology->nnodes == 1 || topology->foreign)
		return 0;
	for (unsigned k = 1; k < w->n; k++) {
		int error = pthread_setaffinity_np(w->worker[k].thread, topology->cpus_bytes, topology->node[k % topology->nnodes].cpus);

		rc = rc ? rc : -error;
	}
	return rc;
}

void workers_run(struct workers *w, void (*item)(void *context, size_t i), void *context, size_t items)
{
	workers_run_on(w, item, context, items, 1);
}

void workers_run_on(struct workers *w, void (*item)(void *context, size_t i), void *context, size_t items, unsigned nodes)
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
	w->batch = items / nodes / w->n / BATCHES + 1;
	w->nodes = nodes < MAX_NODES ? nodes : MAX_NODES;
	for (unsigned k = 0; k < w->nodes; k++)
		atomic_store_explicit(&w->queue[k].next, 0, memory_order_relaxed);
	w->busy = w->n - 1;
	w->call++;
	pthread_cond_broadcast(&w->begin);
	pthread_mutex_unlock(&w->mutex);
	work(w, 0);
	pthread_mutex_lock(&w->mutex);
	while (w->busy > 0)
		pthread_cond_wait(&w->end, &w->mutex);
	pthread_mutex_unlock(&w->mutex);
}
