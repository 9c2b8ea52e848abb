/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reservation of several slots: the first number of the range, tried at the moments at which
 * bookings that matter to the job begin or end, the latest one first, as long as it succeeds; then
 * as much as can be had at that moment. Of several PEs the first one that will have room decides,
 * even if another one would have it earlier: so does 8.1.9. It also goes on to moments in the past,
 * when tasks began that still run, and may book a job that is to wait as begun; here now is where
 * it ends.
 *
 * There are about as many moments as tasks that run, so they are not all tried. Where it only
 * matters how much room there is (host_capacity.h), what is enough at one moment says since when it
 * has been, and the next one tried is the last before that.
 */
#include <errno.h>

#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/parallel.h"
#include "sched/dispatch/search/tag.h"
#include "sched/dispatch/reserve/host_capacity.h"

/* When anything changes that matters to the job in this PE; before now: never. */
static int64_t moment_before(const struct search *s, int64_t at)
{
	int64_t moment = changes_before(s->with->changes, at);
	int64_t change = timeline_change(&s->d->cluster.limits, s->d->pes[s->with->pe].line, at);

	return moment > change ? moment : change;
}

static int64_t moment_from(const struct search *s, int64_t at)
{
	int64_t from = at > s->d->now ? at : s->d->now, moment = changes_from(s->with->changes, from);
	int64_t change = timeline_next(&s->d->cluster.limits, s->d->pes[s->with->pe].line, from);

	return moment < change ? moment : change;
}

/*
 * The latest moment is tried in full: what an attempt leaves behind for later jobs is the same then
 * as if all were.
 */
static int try_at(struct search *s, uint32_t slots, struct grant *spare, int64_t at, bool latest, int64_t *since)
{
	bool all = s->with->capacity->are_all;
	int rc = 0;

	search_at(s, at);
	*since = at;
	if (latest || !all)
		rc = parallel_left(s) >= slots ? parallel_try(s, slots, spare) : -ENOENT;
	return rc == 0 && all && !hosts_suffice(s, since) ? -ENOENT : rc;
}

/* What has been found so far of an unbroken row of them. */
struct moments {
	struct grant found;		/* in the last success */
	uint32_t successes;
	int64_t begin;			/* TIMELINE_NEVER: none */
};

static void grants_swap(struct grant *a, struct grant *b)
{
	struct grant swap = *a;

	*a = *b;
	*b = swap;
}

static void moments_add(struct moments *row, struct grant *g, int64_t begin)
{
	grants_swap(g, &row->found);
	row->successes++;
	row->begin = begin;
}

/* Grid Engine tries once even if nothing ever changes. */
static bool nothing_changes(const struct search *s)
{
	return changes_are_none(s->with->changes) &&
	       timeline_change(&s->d->cluster.limits, s->d->pes[s->with->pe].line, TIMELINE_NEVER) == INT64_MIN;
}

/*
 * Where it goes on to moments in the past, it finds out there what it would at the present one, and
 * the tags of that stay.
 */
static int tag_past(struct search *s, uint32_t slots, struct grant *spare)
{
	int rc;

	if (!tags_matter(s) || !changes_are_past(s->with->changes))
		return 0;
	tags_reset(s->d);
	search_at(s, s->d->now);
	rc = parallel_try(s, slots, spare);
	return rc == -ENOENT ? 0 : rc;
}

/* An unbroken row of successes from the latest moment backwards. */
static int moments_find(struct search *s, uint32_t slots, struct grant *spare, struct moments *row)
{
	int64_t at, since = TIMELINE_NEVER;
	int rc = relevant_changes(s);

	row->begin = TIMELINE_NEVER;
	row->successes = 0;
	tags_reset(s->d);
	if (rc == 0)
		rc = host_capacity_begin(s, slots);
	if (rc == 0 && nothing_changes(s)) {
		rc = try_at(s, slots, spare, s->d->now, true, &since);
		if (rc == 0)
			moments_add(row, spare, s->d->now);
		return rc == -ENOENT ? 0 : rc;
	}
	while (rc == 0 && (at = moment_before(s, since)) >= s->d->now) {
		tags_reset(s->d);
		rc = try_at(s, slots, spare, at, since == TIMELINE_NEVER, &since);
		if (rc == 0)
			moments_add(row, spare, moment_from(s, since));
	}
	if (rc == 0)
		rc = tag_past(s, slots, spare);
	return rc == -ENOENT ? 0 : rc;
}

/* All PEs */

/*
 * The fewest slots in the PE at a moment, in full: that says how many soft requests are not
 * fulfilled.
 */
static int try_least(struct search *s, struct grant *g, int64_t begin)
{
	uint32_t slots;
	int rc = parallel_least(s, &slots);

	if (rc == 0)
		rc = host_capacity_begin(s, slots);
	search_at(s, begin);
	if (rc == 0)
		rc = parallel_left(s) >= slots ? parallel_try(s, slots, g) : -ENOENT;
	return rc;
}

/* The first PE that will have room says when; 0, -ENOENT, -ENOMEM. */
static int first_with_room(struct search *s, struct grant *g, size_t *first, struct moments *row)
{
	int rc = -ENOENT;

	row->begin = TIMELINE_NEVER;
	for (*first = 0; *first < s->category->npes; ++*first) {
		uint32_t slots;

		s->with = &s->category->pes[*first];
		rc = parallel_least(s, &slots);
		if (rc == 0)
			rc = moments_find(s, slots, g, row);
		if (rc == -ENOMEM || row->begin != TIMELINE_NEVER)
			return rc;
	}
	return -ENOENT;
}

/* The others are tried at that moment only, and taken if they leave fewer soft requests open. */
static int softest(struct search *s, struct grant *g, size_t first, int64_t begin, struct category_pe **best)
{
	uint32_t violations = 0;
	int rc = 0;

	*best = &s->category->pes[first];
	for (size_t i = first; category_is_soft(s->category) && i < s->category->npes && rc != -ENOMEM; i++) {
		s->with = &s->category->pes[i];
		rc = try_least(s, g, begin);
		if (rc == 0 && (i == first || g->violations < violations)) {
			violations = g->violations;
			*best = s->with;
		}
	}
	return rc == -ENOMEM ? rc : 0;
}

/* Is there a place when all bookings that end have ended? */
static int try_last(struct search *s, uint32_t slots, struct grant *spare)
{
	int64_t last = moment_before(s, TIMELINE_NEVER);
	int rc;

	search_at(s, s->d->now);
	s->after = parallel_left(s) >= slots;
	search_at(s, last > s->d->now ? last : s->d->now);
	rc = parallel_left(s) >= slots ? parallel_try(s, slots, spare) : -ENOENT;
	s->after = false;
	return rc;
}

static int pe_comes(struct search *s, struct grant *spare)
{
	uint32_t slots;
	int rc = parallel_least(s, &slots);

	rc = rc ? rc : relevant_changes(s);
	rc = rc ? rc : host_capacity_begin(s, slots);
	return rc ? rc : parallel_tried_in_vain(s, try_last, spare);
}

/* Does 8.1.9 believe, after a search for a place now, that there will be one? range.c */
static int comes_later(struct search *s, struct grant *spare)
{
	struct tags kept = tags_hide(s->d);
	int rc = -ENOENT;

	s->untold = s->by_the_way = true;
	for (size_t i = 0; i < s->category->npes && rc == -ENOENT; i++) {
		s->with = &s->category->pes[i];
		rc = pe_comes(s, spare);
	}
	s->untold = s->by_the_way = false;
	tags_show(s->d, kept);
	return rc;
}

/*
 * As much as can be had at the moment found, if nothing else what was found there: the rule may
 * divide no amount that there is room for, or the tags of the moment before, where there was too
 * little, which say which instance is the master then, may leave none.
 */
static int most_at(struct search *s, struct grant *g, struct moments *row)
{
	uint32_t slots;
	int rc;

	search_at(s, row->begin);
	rc = parallel_most(s, 1, g);
	if (rc == -ENOENT && tags_matter(s)) {
		grants_swap(g, &row->found);
		rc = 0;
	}
	if (rc == -ENOENT)
		rc = parallel_least(s, &slots) ? -ENOENT : parallel_try(s, slots, g);
	g->unadjusted |= row->successes > 1;
	return rc;
}

int parallel_later(struct search *s, struct grant *g)
{
	struct moments row = { .begin = TIMELINE_NEVER };
	struct category_pe *best;
	size_t first;
	int rc = s->after_now ? comes_later(s, g) : 0;

	if (rc == 0)
		ranking_number(s->d, false);
	if (rc == 0)
		rc = first_with_room(s, g, &first, &row);
	if (rc == 0)
		rc = softest(s, g, first, row.begin, &best);
	if (rc == 0) {
		s->with = best;
		rc = most_at(s, g, &row);
	}
	grant_free(&row.found);
	return rc;
}
