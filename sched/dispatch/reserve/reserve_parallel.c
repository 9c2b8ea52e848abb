/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reservations of several slots. The first number of the range is tried at each time at which
 * bookings that matter to the job begin or end. The latest time is tried first, and the search
 * continues as long as it succeeds. Then as many slots as possible are searched at the earliest
 * time found. If there are several PEs, the first one that will have room decides, even if another
 * one would have it earlier. Grid Engine 8.1.9 does this too. It also continues to times in the
 * past, at which running tasks began, and may book a waiting job as if it had begun. Here the
 * search ends at the present.
 *
 * There are about as many times as running tasks, so not all of them are tried. If only capacity
 * matters (host_capacity.h), a success at one time also shows since when there has been enough. The
 * next time to try is the last one before that.
 */
#include <errno.h>

#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/search/host_room.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/parallel.h"
#include "sched/dispatch/search/range.h"
#include "sched/dispatch/search/search.h"
#include "sched/dispatch/search/tag.h"

/* Return the last time before `at` at which anything changes that matters to the job in this PE. */
static int64_t moment_before(const struct search *search, int64_t at)
{
	int64_t moment = changes_before(search->with->changes, at);
	int64_t change =
		timeline_change(&search->supply->cluster.limits, search->supply->pes[search->with->pe].line, at);

	return moment > change ? moment : change;
}

static int64_t moment_from(const struct search *search, int64_t at)
{
	int64_t from = at > search->supply->now ? at : search->supply->now,
		moment = changes_from(search->with->changes, from);
	int64_t change =
		timeline_next(&search->supply->cluster.limits, search->supply->pes[search->with->pe].line, from);

	return moment < change ? moment : change;
}

/*
 * Try a time. The latest time is tried in full, so that the side effects on later jobs are the same
 * as if all times were tried.
 */
static int try_at(const struct search *search, uint32_t slots, struct grant *spare, int64_t at, bool latest,
		  int64_t *since)
{
	bool all = search->with->capacity->are_all;
	struct search then = search_at(search, at);
	int rc = 0;

	*since = at;
	if (latest || !all)
		rc = match_pe_left(&then) >= slots ? parallel_try(&then, slots, spare) : -ENOENT;
	return rc == 0 && all && !hosts_suffice(&then, since) ? -ENOENT : rc;
}

/* Result so far for a contiguous series of times. */
struct moments {
	struct grant found;		/* grant of the last success */
	uint32_t successes;
	int64_t begin;			/* TIMELINE_NEVER: none */
};

static void grants_swap(struct grant *a, struct grant *b)
{
	struct grant swap = *a;

	*a = *b;
	*b = swap;
}

static void moments_add(struct moments *row, struct grant *grant, int64_t begin)
{
	grants_swap(grant, &row->found);
	row->successes++;
	row->begin = begin;
}

/* Return whether nothing ever changes. Even then Grid Engine tries once. */
static bool nothing_changes(const struct search *search)
{
	return changes_are_none(search->with->changes) &&
	       timeline_change(&search->supply->cluster.limits, search->supply->pes[search->with->pe].line,
			       TIMELINE_NEVER) == INT64_MIN;
}

/* Return whether anything that matters to the job in this PE changed before now. */
static bool has_past(const struct search *search)
{
	return changes_are_past(search->with->changes) ||
	       timeline_change(&search->supply->cluster.limits, search->supply->pes[search->with->pe].line,
			       search->supply->now) != INT64_MIN;
}

/*
 * Set the tags that Grid Engine 8.1.9 leaves when it continues to times in the past. Its results
 * there are those at the present.
 */
static int tag_past(const struct search *search, uint32_t slots, struct grant *spare)
{
	struct search now = search_at(search, search->supply->now);
	int rc;

	if (!tags_matter(search) || !has_past(search))
		return 0;
	tags_reset(&search->shared->tags);
	rc = match_pe_left(&now) >= slots ? parallel_try(&now, slots, spare) : -ENOENT;
	return rc == -ENOENT ? 0 : rc;
}

/* Find a contiguous series of successes, from the latest time backwards. */
static int moments_find(struct reservations *reservations, struct search *search, uint32_t slots, struct grant *spare,
			struct moments *row)
{
	int64_t at, since = TIMELINE_NEVER;
	int rc = relevant_changes(reservations, search);

	row->begin = TIMELINE_NEVER;
	row->successes = 0;
	tags_reset(&search->shared->tags);
	if (rc == 0)
		rc = host_room_begin(search, slots);
	if (rc == 0 && nothing_changes(search)) {
		rc = try_at(search, slots, spare, search->supply->now, true, &since);
		if (rc == 0)
			moments_add(row, spare, search->supply->now);
		return rc == -ENOENT ? 0 : rc;
	}
	while (rc == 0 && (at = moment_before(search, since)) >= search->supply->now) {
		tags_reset(&search->shared->tags);
		rc = try_at(search, slots, spare, at, since == TIMELINE_NEVER, &since);
		if (rc == 0)
			moments_add(row, spare, moment_from(search, since));
	}
	if (rc == 0)
		rc = tag_past(search, slots, spare);
	return rc == -ENOENT ? 0 : rc;
}

/* All PEs */

/*
 * Try the smallest number of slots in the PE at a time, in full. This determines how many soft
 * requests are not satisfied.
 */
static int try_least(struct search *search, struct grant *grant, int64_t begin)
{
	struct search then = search_at(search, begin);
	uint32_t slots;
	int rc = parallel_least(search, &slots);

	if (rc == 0)
		rc = host_room_begin(search, slots);
	if (rc == 0)
		rc = match_pe_left(&then) >= slots ? parallel_try(&then, slots, grant) : -ENOENT;
	return rc;
}

/* Find the time of the first PE that will have room. Return 0, -ENOENT or -ENOMEM. */
static int first_with_room(struct reservations *reservations, struct search *search, struct grant *grant, size_t *first,
			   struct moments *row)
{
	int rc = -ENOENT;

	row->begin = TIMELINE_NEVER;
	for (*first = 0; *first < search->question.category->npes; ++*first) {
		uint32_t slots;

		search->with = &search->question.category->pes[*first];
		rc = parallel_least(search, &slots);
		if (rc == 0)
			rc = moments_find(reservations, search, slots, grant, row);
		if (rc == -ENOMEM || row->begin != TIMELINE_NEVER)
			return rc;
	}
	return -ENOENT;
}

/*
 * Try the PE that has determined the time once more, and leave the tags unchanged. Its attempt at
 * that time had found no tags. The kept tags are from the time before, where there was too little
 * room.
 */
static int try_again(struct search *search, struct grant *grant, int64_t begin)
{
	struct tags *tags = &search->shared->tags;
	struct saved_tags kept;
	int rc = tags_save(tags, &kept);

	if (rc)
		return rc;
	tags_reset(tags);
	rc = try_least(search, grant, begin);
	tags_restore(tags, &kept);
	saved_tags_free(&kept);
	return rc;
}

/* Try the other PEs at that time only, and choose one if it violates fewer soft requests. */
static int softest(struct search *search, struct grant *grant, size_t first, int64_t begin, struct category_pe **best)
{
	uint32_t violations = 0;
	int rc = 0;

	*best = &search->question.category->pes[first];
	for (size_t i = first;
	     category_is_soft(search->question.category) && i < search->question.category->npes && rc != -ENOMEM; i++) {
		search->with = &search->question.category->pes[i];
		rc = i == first ? try_again(search, grant, begin) : try_least(search, grant, begin);
		if (rc == 0 && (i == first || grant->violations < violations)) {
			violations = grant->violations;
			*best = search->with;
		}
	}
	return rc == -ENOMEM ? rc : 0;
}

/* Return a forecast at a time. `tried`: the search for now has tried the amount. */
static struct search forecast_at(const struct search *search, int64_t begin, bool tried)
{
	struct search_question question = search->question;

	question.purpose = tried ? SEARCH_FORECAST_TRIED : SEARCH_FORECAST;
	question.begin = begin;
	question.end = category_end(question.category, begin);
	return search_with(search, question);
}

/* Return whether there is room after all bookings that have an end have ended. */
static int try_last(struct search *search, uint32_t slots, struct grant *spare)
{
	int64_t last = moment_before(search, TIMELINE_NEVER), now = search->supply->now;
	const struct search present = search_at(search, now);
	struct search at_end = forecast_at(search, last > now ? last : now, match_pe_left(&present) >= slots);

	return match_pe_left(&at_end) >= slots ? parallel_try(&at_end, slots, spare) : -ENOENT;
}

static int pe_comes(struct reservations *reservations, struct search *search, struct grant *spare)
{
	uint32_t slots;
	int rc = parallel_least(search, &slots);

	rc = rc ? rc : relevant_changes(reservations, search);
	rc = rc ? rc : host_room_begin(search, slots);
	return rc ? rc : parallel_retry_failed(search, try_last, spare);
}

/*
 * Return whether Grid Engine 8.1.9 assumes, after a failed search for now, that there will be room
 * later. See range.c.
 */
static int comes_later(struct reservations *reservations, struct search *search, struct grant *spare)
{
	struct search forecast = forecast_at(search, search->question.begin, false);
	struct hidden_tags kept = tags_hide(&search->shared->tags);
	int rc = -ENOENT;

	for (size_t i = 0; i < search->question.category->npes && rc == -ENOENT; i++) {
		forecast.with = &search->question.category->pes[i];
		rc = pe_comes(reservations, &forecast, spare);
	}
	tags_show(&search->shared->tags, kept);
	return rc;
}

/*
 * Find as many slots as possible at the time found. That fails if the allocation rule allows no
 * number that fits. It also fails if the tags of the time before, where there was too little room,
 * leave no master queue. In these cases use what was found before if tags matter, and otherwise try
 * the smallest number.
 */
static int most_at(const struct search *search, struct grant *grant, struct moments *row)
{
	struct search then = search_at(search, row->begin);
	uint32_t slots;
	int rc = parallel_most(&then, 1, grant);

	if (rc == -ENOENT && tags_matter(search)) {
		grants_swap(grant, &row->found);
		rc = 0;
	}
	if (rc == -ENOENT)
		rc = parallel_least(&then, &slots) ? -ENOENT : parallel_try(&then, slots, grant);
	grant->unadjusted |= row->successes > 1;
	return rc;
}

int parallel_later(struct reservations *reservations, struct search *search, bool after_now, struct grant *grant)
{
	struct moments row = { .begin = TIMELINE_NEVER };
	struct category_pe *best;
	size_t first;
	int rc = after_now ? comes_later(reservations, search, grant) : 0;

	if (rc == 0)
		ranking_number(&search->shared->ranking, false);
	if (rc == 0)
		rc = first_with_room(reservations, search, grant, &first, &row);
	if (rc == 0)
		rc = softest(search, grant, first, row.begin, &best);
	if (rc == 0) {
		search->with = best;
		rc = most_at(search, grant, &row);
	}
	grant_free(&row.found);
	return rc;
}
