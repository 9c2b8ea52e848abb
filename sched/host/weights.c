/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/host/weights.h"

#include <math.h>

#define PRECISE 10	/* a weight from which on a whole number is near enough */
#define LEVEL_RATIO 1.25	/* sched(7) */

void weights_add(struct weights *w, double tickets)
{
	if (!(tickets > 0))
		return;
	w->least = w->n == 0 || tickets < w->least ? tickets : w->least;
	w->most = tickets > w->most ? tickets : w->most;
	w->sum += tickets;
	w->n++;
}

/* By how many times the mean of all a task's tickets are counted. */
unsigned weight_of(const struct weights *w, double tickets)
{
	double mean = w->n ? w->sum / (double)w->n : 0, usual = WEIGHT_USUAL, weight;

	if (!(mean > 0))
		return WEIGHT_USUAL;
	if (w->least / mean * usual < PRECISE)
		usual = PRECISE / (w->least / mean);
	if (w->most / mean * usual > WEIGHT_MAX)
		usual = WEIGHT_MAX / (w->most / mean);
	weight = tickets / mean * usual;
	if (weight >= WEIGHT_MAX)
		return WEIGHT_MAX;
	return weight > WEIGHT_MIN ? (unsigned)(weight + 0.5) : WEIGHT_MIN;
}

int level_of(const struct weights *w, double tickets, int best, int weakest)
{
	double steps = 0;

	if (tickets < w->most)
		steps = tickets > 0 ? log(w->most / tickets) / log(LEVEL_RATIO) : weakest - best;
	return best + steps >= weakest ? weakest : best + (int)(steps + 0.5);
}
