/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subordinate_list of queue_conf(5), taken apart. Two forms:
 *
 *     QUEUE[=SLOTS], ...
 *         queue-wise: each is suspended while that many slots of this queue are used on its host
 *     slots=TASKS(QUEUE[:SEQ_NO[:ACTION]], ...)
 *         slot-wise: of this queue and all below it only so many tasks run on a host
 */
#ifndef CONF_SUBORDINATES_H
#define CONF_SUBORDINATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"

struct subordinate {
	char *queue;
	uint32_t slots;		/* queue-wise; 0: all that there are */
	uint32_t seq_no;	/* slot-wise; those with the highest are suspended first */
	bool longest;		/* slot-wise: action "lr", of its tasks that which has run longest */
};

struct subordinates {
	uint32_t tasks;		/* 0: the list is queue-wise */
	struct subordinate *items;	/* in the order of the list */
	size_t n;
};

/* "NONE": n is 0. 0, -EINVAL with the reason in `e`, -ENOMEM; subordinates_free() in each case. */
int subordinates_parse(struct subordinates *list, const char *text, struct error *error);
void subordinates_free(struct subordinates *list);

#endif
