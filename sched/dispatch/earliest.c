/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reservation of several slots: the smallest amount, tried at the moments at which bookings begin or end, the latest one first, as long as it
 * succeeds; then as much as can be had at that moment.
 *
 * There are about as many moments as tasks that run, so they are not all tried. Where it only matters how much room there is (rooms.h), what is
 * enough at one moment says since when it has been, and the next one tried is the last before that.
 */
#include <errno.h>

#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/parallel.h"
#include "sched/dispatch/rooms.h"

/* When anything changes that a job may need in this PE; before now: never. */
static int64_t moment_before(const struct search *s, int64_t at)
{
	int64_t moment = moments_before(&s->d->moments, at);
	int64_t change = timeline_change(&s->d->cluster.limits, s->d->pes[s->with->pe].line, at);

	return moment > change ? moment : change;
}

static int64_t moment_from(const struct search *s, int64_t at)
{
	int64_t from = at > s->d->now ? at : s->d->now, moment = moments_from(&s->d->moments, from);
	int64_t change = timeline_next(&s->d->cluster.limits, s->d->pes[s->with->pe].line, from);

	return moment < change ? moment : change;
}

void search_at(struct search *s, int64_t begin)
{
	s->begin = begin;
	s->end = s->ask->duration == TIMELINE_NEVER || begin > TIMELINE_NEVER - s->ask->duration ? TIMELINE_NEVER : begin + s->ask->duration;
}

/* The latest moment is tried in full: what an attempt leaves behind for later jobs is the same then as if all were. */
static int try_at(struct search *s, uint32_t slots, struct grant *spare, int64_t at, bool latest, int64_t *since)
{
	bool all = s->with->rooms->are_all;
	int code = 0;

	search_at(s, at);
	*since = at;
	if (latest || !all)
		code = parallel_left(s) >= slots ? parallel_try(s, slots, spare) : -ENOENT;
	return code == 0 && all && !rooms_suffice(s, since) ? -ENOENT : code;
}

/* The earliest moment of an unbroken row of successes from the latest one backwards; TIMELINE_NEVER. */
static int earliest(struct search *s, uint32_t slots, struct grant *spare, int64_t *begin)
{
	int64_t at, since = TIMELINE_NEVER;
	int code = moments_gather(&s->d->moments);

	*begin = TIMELINE_NEVER;
	if (code == 0)
		code = rooms_begin(s, slots);
	while (code == 0 && (at = moment_before(s, since)) >= s->d->now) {
		code = try_at(s, slots, spare, at, since == TIMELINE_NEVER, &since);
		if (code == 0)
			*begin = moment_from(s, since);
	}
	return code == -ENOENT ? 0 : code;
}

int parallel_later(struct search *s, struct grant *g)
{
	struct ask_pe *best = NULL;
	int64_t begin = TIMELINE_NEVER, found;
	int code = 0;

	for (size_t i = 0; i < s->ask->npes && code != -ENOMEM; i++) {
		uint32_t slots;

		s->with = &s->ask->pes[i];
		code = parallel_least(s, &slots);
		if (code == 0)
			code = earliest(s, slots, g, &found);
		if (code == 0 && found < begin) {
			begin = found;
			best = s->with;
		}
	}
	if (code == -ENOMEM || !best)
		return code == -ENOMEM ? code : -ENOENT;
	s->with = best;
	search_at(s, begin);
	return parallel_most(s, g);
}
