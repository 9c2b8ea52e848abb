/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons of results. */
#ifndef CLIENT_REASON_H
#define CLIENT_REASON_H

#include "sched/client/reply.h"

/*
 * Set the reason and the object of a result. The scheduler sends them only as a part of its
 * sentence, and this is the only place that reads it. Return 0 or -ENOMEM.
 */
int reason_find(struct reply_result *result);

#endif
