/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decay and reset of Slurm's raw usage: PriorityDecayHalfLife and PriorityUsageResetPeriod of
 * slurm.conf(5). Pure arithmetic; local time is that of tzset(3).
 */
#ifndef TICKETS_USAGE_DECAY_H
#define TICKETS_USAGE_DECAY_H

#include <stdint.h>

/*
 * Return the part left after one second: 1 - 0.693 / half_life, as Slurm truncates it, and not
 * 2^(-1/half_life). `half_life` is in seconds; 0: no decay, the result is 1. Never below 0.
 */
double half_life_decay(uint32_t half_life);

/*
 * Return the part of usage left after `elapsed` seconds: decay^elapsed, at least the smallest
 * normal double; 1 if elapsed <= 0.
 */
double half_life_left(double decay, int64_t elapsed);

/* Return how much of `seconds` of work since the last pass is charged: seconds * decay^seconds. */
double half_life_charged(double decay, int64_t seconds);

enum reset_period { RESETS_NEVER, RESETS_DAILY, RESETS_WEEKLY, RESETS_MONTHLY, RESETS_QUARTERLY, RESETS_YEARLY };

/*
 * Return when usage is reset next after a reset at `last` (seconds since 1970). The local midnight
 * of `last` is the base. RESETS_DAILY: one day later. RESETS_WEEKLY: the next Sunday.
 * RESETS_MONTHLY: the first of the next month. RESETS_QUARTERLY: the next first of April, July,
 * October or January. RESETS_YEARLY: the next January 1. RESETS_NEVER: INT64_MAX.
 */
int64_t reset_next(enum reset_period period, int64_t last);

/*
 * Return whether a reset is due at `now`. If it is, *last becomes the scheduled time. Daily and
 * weekly resets catch up to less than one period before `now`.
 */
int reset_due(enum reset_period period, int64_t *last, int64_t now);

#endif
