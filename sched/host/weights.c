/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/host/weights.h"

#include <math.h>

#define PRECISE 10	/* smallest weight at which rounding is precise enough */
#define LEVEL_RATIO 1.25	/* sched(7) */

void weights_add(struct cpu_weights *weights, double tickets)
{
	if (!(tickets > 0))
		return;
	weights->least = weights->n == 0 || tickets < weights->least ? tickets : weights->least;
	weights->most = tickets > weights->most ? tickets : weights->most;
	weights->sum += tickets;
	weights->n++;
}

/* Scale a task's tickets relative to the mean of all. */
unsigned weight_of(const struct cpu_weights *weights, double tickets)
{
	double mean = weights->n ? weights->sum / (double)weights->n : 0, usual = WEIGHT_USUAL, weight;

	if (!(mean > 0))
		return WEIGHT_USUAL;
	if (weights->least / mean * usual < PRECISE)
		usual = PRECISE / (weights->least / mean);
	if (weights->most / mean * usual > WEIGHT_MAX)
		usual = WEIGHT_MAX / (weights->most / mean);
	weight = tickets / mean * usual;
	if (weight >= WEIGHT_MAX)
		return WEIGHT_MAX;
	return weight > WEIGHT_MIN ? (unsigned)(weight + 0.5) : WEIGHT_MIN;
}

int level_of(const struct cpu_weights *weights, double tickets, int best, int weakest)
{
	double steps = 0;

	if (tickets < weights->most)
		steps = tickets > 0 ? log(weights->most / tickets) / log(LEVEL_RATIO) : weakest - best;
	return best + steps >= weakest ? weakest : best + (int)(steps + 0.5);
}

/* the kernel's table, from -20 to 19 */
unsigned level_weight(int level)
{
	static const unsigned weight[] = {
		88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
		3906,  3121,  2501,  1991,  1586,  1277,  1024,	 820,	655,   526,   423,  335,  272,	215,
		172,   137,   110,   87,    70,	   56,	  45,	 36,	29,    23,    18,   15,
	};

	level = level < LEVEL_BEST ? LEVEL_BEST : level > LEVEL_WEAKEST ? LEVEL_WEAKEST : level;
	return weight[level - LEVEL_BEST];
}

/*
 * Find the weakest level that suffices if all sessions have it. Then move sessions to the next
 * weaker level as long as the sum comes closer.
 */
struct levels levels_split(int level, uint32_t sessions)
{
	const uint64_t whole = level_weight(level), n = sessions ? sessions : 1;
	struct levels split = { .level = level, .better = (uint32_t)n };
	uint64_t step, surplus;

	while (split.level < LEVEL_WEAKEST && n * level_weight(split.level + 1) >= whole)
		split.level++;
	if (split.level >= LEVEL_WEAKEST)
		return split;
	step = level_weight(split.level) - level_weight(split.level + 1);
	surplus = n * level_weight(split.level) - whole;
	split.better -= (uint32_t)((surplus + step / 2) / step < n ? (surplus + step / 2) / step : n);
	return split;
}
