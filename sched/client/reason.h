/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons of results. */
#ifndef CLIENT_REASON_H
#define CLIENT_REASON_H

#include "sched/client/reply.h"

/*
 * Set the reason and the object of a result. The scheduler sends them only inside a sentence, and
 * only this function parses that sentence. Return 0 or -ENOMEM.
 */
int reason_find(struct reply_result *result);

#endif
