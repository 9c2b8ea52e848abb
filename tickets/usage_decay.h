/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How Slurm's raw usage fades and is forgotten: PriorityDecayHalfLife and PriorityUsageResetPeriod
 * of slurm.conf(5). Pure; local time is that of tzset(3).
 */
#ifndef TICKETS_USAGE_DECAY_H
#define TICKETS_USAGE_DECAY_H

#include <stdint.h>

/*
 * What is left after one second: 1 - 0.693 / half_life, as Slurm truncates it, and not
 * 2^(-1/half_life). `half_life` in seconds; 0: 1. Never below 0.
 */
double half_life_decay(uint32_t half_life);

/*
 * What is left of usage after `elapsed` seconds: decay^elapsed, at least the smallest normal
 * double; 1 when elapsed <= 0.
 */
double half_life_left(double decay, int64_t elapsed);

/* Of `seconds` of work since the last pass what is charged: seconds * decay^seconds. */
double half_life_charged(double decay, int64_t seconds);

enum reset_period { RESETS_NEVER, RESETS_DAILY, RESETS_WEEKLY, RESETS_MONTHLY, RESETS_QUARTERLY, RESETS_YEARLY };

/*
 * When usage is due to be forgotten after it was at `last` (epoch seconds): from the local midnight
 * of `last` on, +1 day, the next Sunday, the first of the next month, of April, July, October or
 * January, of January. INT64_MAX: never.
 */
int64_t reset_next(enum reset_period period, int64_t last);

/*
 * Is it due at `now`? Then *last becomes the scheduled time; daily and weekly ones catch up to less
 * than one period before `now`.
 */
int reset_due(enum reset_period period, int64_t *last, int64_t now);

#endif
