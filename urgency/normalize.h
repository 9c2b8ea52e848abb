/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three normalised values and their weighted sum: sge_priority(5). One place for the scheduler,
 * which orders by them, and for readers, which derive them from what a generation holds.
 */
#ifndef URGENCY_NORMALIZE_H
#define URGENCY_NORMALIZE_H

#include <stdbool.h>
#include <stdint.h>

#define NORMALIZE_EPSILON 0.00001	/* a smaller spread than this makes all equal */

/* 0.5 without spread; not clamped, so values outside lo..hi give results outside 0..1. */
static inline double normalize(double value, double lo, double hi)
{
	return hi - lo < NORMALIZE_EPSILON ? 0.5 : (value - lo) / (hi - lo);
}

/* npprior; `priority` is 1024 + p, 1..2048. */
static inline double normalize_posix(uint32_t priority)
{
	return normalize((double)priority, 0.0, 2048.0);
}

/*
 * What a normalised value counts in prio: where it is not used, since its weight is 0 and it is
 * not shown, 0.5 stands for it.
 */
static inline double normalize_used(bool used, double value)
{
	return used ? value : 0.5;
}

/* prio. The order of addition is part of the result. */
static inline double normalize_prio(double weight_urgency, double nurg, double weight_ticket, double ntckts,
				    double weight_priority, double npprior)
{
	return weight_urgency * nurg + weight_ticket * ntckts + weight_priority * npprior;
}

/*
 * The same of a job that is ranked again while jobs start: Grid Engine adds in another order then.
 */
static inline double normalize_prio_again(double weight_urgency, double nurg, double weight_ticket, double ntckts,
					  double weight_priority, double npprior)
{
	return weight_urgency * nurg + weight_priority * npprior + weight_ticket * ntckts;
}

#endif
