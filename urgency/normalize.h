/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three normalised values and their weighted sum: sge_priority(5). The scheduler orders by
 * them; readers compute them from the values in a generation.
 */
#ifndef URGENCY_NORMALIZE_H
#define URGENCY_NORMALIZE_H

#include <stdbool.h>
#include <stdint.h>

#define NORMALIZE_EPSILON 0.00001	/* a smaller spread makes all values equal */

/* Return 0.5 without spread. Not clamped, so values outside lo..hi give results outside 0..1. */
static inline double normalize(double value, double lo, double hi)
{
	return hi - lo < NORMALIZE_EPSILON ? 0.5 : (value - lo) / (hi - lo);
}

/* Return npprior; `priority` is 1024 + p, 1..2048. */
static inline double normalize_posix(uint32_t priority)
{
	return normalize((double)priority, 0.0, 2048.0);
}

/*
 * Return the value that counts in prio. A value that is not used, because its weight is 0 and it is
 * not shown, counts as 0.5.
 */
static inline double normalize_used(bool used, double value)
{
	return used ? value : 0.5;
}

/* Return prio. The order of addition affects the result. */
static inline double normalize_prio(double weight_urgency, double nurg, double weight_ticket, double ntckts,
				    double weight_priority, double npprior)
{
	return weight_urgency * nurg + weight_ticket * ntckts + weight_priority * npprior;
}

/*
 * Return prio of a job that is ranked again while jobs start. Grid Engine adds in a different order
 * in that case.
 */
static inline double normalize_prio_again(double weight_urgency, double nurg, double weight_ticket, double ntckts,
					  double weight_priority, double npprior)
{
	return weight_urgency * nurg + weight_priority * npprior + weight_ticket * ntckts;
}

#endif
