/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Find a place for an advance reservation. A qmaster that cannot search itself asks for it between
 * two runs. The search is the search for a job, at a fixed time. Bookings of running tasks until
 * their expected end and of other advance reservations count. Loads, states, quotas and pending
 * jobs do not count.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/lists.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/phase.h"
#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/running.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/search.h"

#define REASONS_SHOWN 3
#define REASONS_BYTES 230	/* the rest of struct error is for callers that add to the text */
#define UNLIMITED_BYTES 110

/*
 * Describe the running task without a limit that is expected to be in the way: "; job 16 has no
 * time limit and runs until 11/30/2026 19:22 (default_duration)".
 */
static void unlimited_say(const struct unlimited_tasks *found, char text[UNLIMITED_BYTES])
{
	char until[40] = "";
	time_t end = (time_t)found->end;
	struct tm tm;

	*text = '\0';
	if (found->n == 0)
		return;
	if (found->end != TIMELINE_NEVER && localtime_r(&end, &tm))
		strftime(until, sizeof(until), " until %m/%d/%Y %H:%M", &tm);
	snprintf(text, UNLIMITED_BYTES, "; job %u%s no time limit and run%s%s (default_duration)", found->job_number,
		 found->n > 1 ? " and others have" : " has", found->n > 1 ? "" : "s", *until ? until : " for ever");
}

/* Report the first reasons, as far as they fit, and the task that is in the way. */
static int refuse(const struct dispatch *dispatch, uint32_t list, const struct unlimited_tasks *unlimited,
		  struct error *why)
{
	const struct why_list *reasons = &dispatch->why->lists[list];
	char tasks[UNLIMITED_BYTES];
	size_t used = 0, room;

	unlimited_say(unlimited, tasks);
	room = REASONS_BYTES - strlen(tasks);
	error_set(why, -ENOENT, "no resources of this cell can be reserved for it");
	for (uint32_t i = 0; i < reasons->n && i < REASONS_SHOWN && used < room - 2; i++) {
		if (i > 0)
			used += (size_t)snprintf(why->text + used, room - used, "; ");
		if (used < room)
			used += why_sentence(why->text + used, room - used, &reasons->reasons[i]);
	}
	strcat(why->text, tasks);
	return -ENOENT;
}

static int found_keep(const struct dispatch *dispatch, const struct grant *grant, struct advance_place_found *found)
{
	found->items = calloc(grant->n + 1, sizeof(*found->items));
	if (!found->items)
		return -ENOMEM;
	for (found->n = 0; found->n < grant->n; found->n++)
		found->items[found->n] = (struct granted){
			.queue = dispatch->supply.cluster.instances[grant->entries[found->n].instance].name,
			.slots = grant->entries[found->n].slots
		};
	found->pe = grant->pe == UINT32_MAX ? NULL : dispatch->supply.cell->pes[grant->pe].name;
	return 0;
}

static int search(struct dispatch *dispatch, const struct run *run, struct category *category,
		  const struct advance_wish *wish, struct advance_place_found *found, struct error *why)
{
	struct unlimited_tasks unlimited;
	struct search s = { .question = { .category = category,
						.purpose = SEARCH_RESERVE,
						.counts = COUNT_IN_TIME,
						.begin = wish->begin,
						.end = wish->end },
				 .supply = &dispatch->supply,
				 .shared = &dispatch->searches,
				 .number = skips_next(&dispatch->searches.skips) };
	struct grant grant = { 0 };
	int rc = -ENOENT;

	ranking_job(&dispatch->searches.ranking);
	grant_clear(&grant);
	if (category_is_possible(&s))
		rc = category->pe ? search_parallel(&s, &grant) : search_sequential(&s, &grant);
	if (rc == 0)
		rc = found_keep(dispatch, &grant, found);
	grant_free(&grant);
	if (rc == -ENOENT)
		rc = running_unlimited(&dispatch->bookings, dispatch->categories, run, wish->begin, &unlimited)
			     ? -ENOMEM
			     : refuse(dispatch, category->verdict->why, &unlimited, why);
	return rc;
}

static int wish_take(struct dispatch *dispatch, const struct run *run, const struct advance_wish *wish,
		     struct advance_place_found *found, struct error *why)
{
	const struct category_facts facts = { .user = wish->owner,
					      .group = wish->group,
					      .hard = wish->hard,
					      .pe = wish->pe,
					      .pe_range = wish->pe_range,
					      .ckpt = wish->ckpt,
					      .hard_queues = wish->hard_queues,
					      .master_queues = wish->master_queues,
					      .now = wish->now,
					      .free_of_quotas = true };
	struct verdict verdict = { .why = why_list(dispatch->why) };
	struct strlist users = { 0 };
	struct category category = { 0 };
	struct error error;
	int rc = category_create(&category, &dispatch->supply, &facts);

	if (rc == 0 && wish->access && *wish->access)
		rc = strlist_parse(&users, wish->access, &error) == -ENOMEM ? -ENOMEM : 0;
	category.verdict = &verdict;
	category.users = users.n > 0 ? &users : NULL;
	category.duration = wish->end - wish->begin;
	if (rc == 0)
		rc = search(dispatch, run, &category, wish, found, why);
	category_destroy(&category);
	strlist_free(&users);
	return rc;
}

int dispatch_find_advance(struct dispatch *dispatch, struct run *run, const struct advance_wish *wish,
			  struct advance_place_found *found, struct error *why)
{
	int32_t scores[3];
	int rc;

	*found = (struct advance_place_found){ 0 };
	/* later runs must not depend on the requests between runs */
	memcpy(scores, dispatch->searches.costs.scores, sizeof(scores));
	rc = dispatch_look_ahead(dispatch, run);
	if (rc == 0)
		rc = wish_take(dispatch, run, wish, found, why);
	memcpy(dispatch->searches.costs.scores, scores, sizeof(scores));
	return rc == -ENOMEM ? error_set(why, rc, "out of memory") : rc;
}
