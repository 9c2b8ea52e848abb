/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subordinate_list of queue_conf(5), parsed. It has two forms:
 *
 *   QUEUE[=SLOTS], ...
 *       queue-wise: each QUEUE is suspended while that many slots of this queue are used on its
 *       host
 *
 *   slots=TASKS(QUEUE[:SEQ_NO[:ACTION]], ...)
 *       slot-wise: on a host at most TASKS tasks of this queue and all queues below it run
 */
#ifndef CONF_SUBORDINATES_H
#define CONF_SUBORDINATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"

struct subordinate {
	char *queue;
	uint32_t slots;		/* queue-wise; 0: all slots */
	uint32_t seq_no;	/* slot-wise; queues with the highest number are suspended first */
	bool longest;		/* slot-wise: action "lr", suspend the task that has run longest */
};

struct subordinates {
	uint32_t tasks;		/* 0: the list is queue-wise */
	struct subordinate *items;	/* in the order of the list */
	size_t n;
};

/*
 * Parse a list. "NONE" gives n = 0. Returns 0, -EINVAL with the reason in `error`, or -ENOMEM. Call
 * subordinates_free() in each case.
 */
int subordinates_parse(struct subordinates *list, const char *text, struct error *error);
void subordinates_free(struct subordinates *list);

#endif
