/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Projection of a user's part of all usage. Usage of each kind decays with its half-life and grows
 * at a constant rate:
 *
 *     usage(t) = usage(0) x + rate h / ln 2 (1 - x),  x = 2^(-t/h)
 *
 * Without decay, usage(t) = usage(0) + rate t. The received part is the user's part of the weighted
 * sum of all kinds.
 */
#ifndef CLI_USAGE_RECOVERY_H
#define CLI_USAGE_RECOVERY_H

#include <stdbool.h>
#include <stdint.h>

#define RECOVERY_KINDS 3		/* cpu, mem, io */
#define RECOVERY_MOST_S INT64_C(315360000)	/* longest projection: ten years */

struct recovery_kind {
	double weight;			/* at least 0 */
	double mine, all;		/* decayed usage at time 0; `all` includes `mine` */
	double my_rate, all_rate;	/* growth per second */
	double half_life_s;		/* 0: no decay */
};

struct recovery {
	struct recovery_kind kinds[RECOVERY_KINDS];
	double promised;		/* part of the whole, 0..1 */
};

/*
 * Return the received part after `seconds`, 0..1. `is_idle`: the user uses nothing more. Return 0
 * if there is no usage at all.
 */
double recovery_received(const struct recovery *recovery, double seconds, bool is_idle);

/*
 * Return the seconds, in whole minutes, until the received part is not greater than the promised
 * part. 0: it is not greater now. -1: it stays greater for RECOVERY_MOST_S.
 */
int64_t recovery_time(const struct recovery *recovery, bool is_idle);

#endif
