/* SPDX-License-Identifier: Apache-2.0 */
/* The advance reservations of a run, built from the mirror and booked. */
#ifndef SCHED_DISPATCH_ADVANCES_H
#define SCHED_DISPATCH_ADVANCES_H

#include "sched/dispatch/search/advance.h"

struct bookings;
struct run;

/*
 * Build all advance reservations of the mirror in the supply of `bookings`, and book them. Return 0
 * or -ENOMEM.
 */
int advances_begin(struct bookings *bookings, const struct run *run);
void advances_free(struct advances *advances);

#endif
