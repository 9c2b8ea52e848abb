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
	unsigned number;		/* 0 is the caller, which has no thread here */
	pthread_t thread;
};

struct work_queue {				/* items of a node, on a cache line of their own */
	_Atomic size_t next;		/* number of items that have been begun */
	char pad[CACHELINE - sizeof(size_t)];
};

struct workers {
	unsigned n;			/* number of workers, including the caller */
	struct worker *worker;
	pthread_mutex_t mutex;		/* protects the members below, except `next` */
	pthread_cond_t begin, end;
	/* number of workers_run() calls; a thread that has not seen the newest one has work */
	unsigned long call;
	unsigned busy;			/* threads in this call */
	bool stop;
	void (*item)(void *context, size_t i);
	void *context;
	size_t items;
	size_t batch;			/* items that a worker takes at once */
	unsigned nodes;
	/* queue k has the items k, k + nodes, k + 2 * nodes, ... */
	struct work_queue queue[MAX_NODES];
};

/*
 * Number of batches for each worker. With this many items, each one is small. A worker takes a few
 * at once, but the batches are still small enough that all workers end at the same time.
 */
#define BATCHES 1024

/*
 * Take items and return the index of the first one. The first SINGLY items are taken one by one,
 * because large items are among them if there are any.
 */
#define SINGLY 256

static size_t take(const struct workers *workers, _Atomic size_t *next, size_t *taken)
{
	size_t first = atomic_load_explicit(next, memory_order_relaxed);

	do
		*taken = first < SINGLY ? 1 : workers->batch;
	while (!atomic_compare_exchange_weak_explicit(next, &first, first + *taken, memory_order_relaxed,
						      memory_order_relaxed));
	return first;
}

/*
 * Process items. Workers of a node begin with its queue and help with the next one when it is
 * empty.
 */
static void work(struct workers *workers, unsigned number)
{
	for (unsigned k = 0; k < workers->nodes; k++) {
		unsigned node = (number + k) % workers->nodes;
		_Atomic size_t *next = &workers->queue[node].next;

		for (size_t taken; ; ) {
			size_t begin = node + workers->nodes * take(workers, next, &taken);

			if (begin >= workers->items)
				break;
			for (size_t i = begin, n = 0; n < taken && i < workers->items; n++, i += workers->nodes)
				workers->item(workers->context, i);
		}
	}
}

static void *thread_main(void *argument)
{
	struct worker *self = argument;
	struct workers *workers = self->pool;
	unsigned long seen = 0;

	pthread_mutex_lock(&workers->mutex);
	for (;;) {
		while (workers->call == seen && !workers->stop)
			pthread_cond_wait(&workers->begin, &workers->mutex);
		if (workers->stop)
			break;
		seen = workers->call;
		pthread_mutex_unlock(&workers->mutex);
		work(workers, self->number);
		pthread_mutex_lock(&workers->mutex);
		if (--workers->busy == 0)
			pthread_cond_signal(&workers->end);
	}
	pthread_mutex_unlock(&workers->mutex);
	return NULL;
}

/*
 * Start a thread with all signals blocked. Signals are for the caller, and a thread would take them
 * from the code that waits for them.
 */
static int worker_start(struct workers *workers)
{
	struct worker *worker = &workers->worker[workers->n];
	sigset_t all, before;
	int rc;

	worker->pool = workers;
	worker->number = workers->n;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = -pthread_create(&worker->thread, NULL, thread_main, worker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

int workers_create(struct workers **result, unsigned n)
{
	struct workers *workers;
	int rc = 0;

	*result = NULL;
	if (n == 0)
		return -EINVAL;
	workers = calloc(1, sizeof(*workers));
	if (!workers)
		return -ENOMEM;
	workers->worker = calloc(n, sizeof(*workers->worker));
	pthread_mutex_init(&workers->mutex, NULL);
	pthread_cond_init(&workers->begin, NULL);
	pthread_cond_init(&workers->end, NULL);
	workers->n = 1;
	if (!workers->worker)
		rc = -ENOMEM;
	for (; rc == 0 && workers->n < n; workers->n += rc == 0)
		rc = worker_start(workers);
	if (rc != 0) {
		workers_destroy(workers);
		return rc;
	}
	*result = workers;
	return 0;
}

void workers_destroy(struct workers *workers)
{
	if (!workers)
		return;
	pthread_mutex_lock(&workers->mutex);
	workers->stop = true;
	pthread_cond_broadcast(&workers->begin);
	pthread_mutex_unlock(&workers->mutex);
	for (unsigned k = 1; k < workers->n; k++)
		pthread_join(workers->worker[k].thread, NULL);
	pthread_cond_destroy(&workers->end);
	pthread_cond_destroy(&workers->begin);
	pthread_mutex_destroy(&workers->mutex);
	free(workers->worker);
	free(workers);
}

unsigned workers_count(const struct workers *workers)
{
	return workers->n;
}

int workers_bind(struct workers *workers, const struct topology *topology)
{
	int rc = 0;

	if (topology->nnodes == 1 || topology->foreign)
		return 0;
	for (unsigned k = 1; k < workers->n; k++) {
		int error = pthread_setaffinity_np(workers->worker[k].thread, topology->cpus_bytes,
						   topology->node[k % topology->nnodes].cpus);

		rc = rc ? rc : -error;
	}
	return rc;
}

void workers_run(struct workers *workers, void (*item)(void *context, size_t i), void *context, size_t items)
{
	workers_run_on(workers, item, context, items, 1);
}

void workers_run_on(struct workers *workers, void (*item)(void *context, size_t i), void *context, size_t items,
		    unsigned nodes)
{
	if (workers->n == 1 || items <= 1) {
		for (size_t i = 0; i < items; i++)
			item(context, i);
		return;
	}
	pthread_mutex_lock(&workers->mutex);
	workers->item = item;
	workers->context = context;
	workers->items = items;
	workers->batch = items / nodes / workers->n / BATCHES + 1;
	workers->nodes = nodes < MAX_NODES ? nodes : MAX_NODES;
	for (unsigned k = 0; k < workers->nodes; k++)
		atomic_store_explicit(&workers->queue[k].next, 0, memory_order_relaxed);
	workers->busy = workers->n - 1;
	workers->call++;
	pthread_cond_broadcast(&workers->begin);
	pthread_mutex_unlock(&workers->mutex);
	work(workers, 0);
	pthread_mutex_lock(&workers->mutex);
	while (workers->busy > 0)
		pthread_cond_wait(&workers->end, &workers->mutex);
	pthread_mutex_unlock(&workers->mutex);
}
