/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/post_queue.h"

#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

/*
 * liburcu orders put before take with instructions that ThreadSanitizer does not see, because the
 * library is not instrumented. These macros make the order visible to it.
 */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define HANDED_OVER(Q) __tsan_release(Q)
#define TAKEN_OVER(Q) __tsan_acquire(Q)
#else
#define HANDED_OVER(Q) ((void)(Q))
#define TAKEN_OVER(Q) ((void)(Q))
#endif

int post_queue_open(struct post_queue *queue)
{
	__cds_wfcq_init(&queue->head, &queue->tail);
	__cds_wfcq_init(&queue->own_head, &queue->own_tail);
	queue->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return queue->fd < 0 ? -errno : 0;
}

void post_queue_close(struct post_queue *queue)
{
	if (queue->fd >= 0)
		close(queue->fd);
	queue->fd = -1;
}

void post_queue_wake(struct post_queue *queue)
{
	const uint64_t one = 1;

	/* fails only if the descriptor is readable already */
	(void)!write(queue->fd, &one, sizeof(one));
}

void post_queue_put(struct post_queue *queue, struct cds_wfcq_node *node)
{
	cds_wfcq_node_init(node);
	HANDED_OVER(queue);
	/* the reader waits only for a writer that is in this call */
	if (!cds_wfcq_enqueue(&queue->head, &queue->tail, node))
		post_queue_wake(queue);
}

struct cds_wfcq_node *post_queue_take(struct post_queue *queue)
{
	struct cds_wfcq_node *node = __cds_wfcq_dequeue_blocking(&queue->own_head, &queue->own_tail);
	uint64_t times;

	if (node)
		return node;
	/*
	 * First make it unreadable, then empty the queue. A writer that puts into an empty queue
	 * after the splice makes it readable again.
	 */
	(void)!read(queue->fd, &times, sizeof(times));
	__cds_wfcq_splice_blocking(&queue->own_head, &queue->own_tail, &queue->head, &queue->tail);
	TAKEN_OVER(queue);
	return __cds_wfcq_dequeue_blocking(&queue->own_head, &queue->own_tail);
}
