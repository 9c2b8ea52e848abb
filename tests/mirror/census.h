/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts of everything that a mirror holds: a refused event must leave them unchanged. Include
 * after cmocka.h, sched/mirror/tables.h and tests/mirror/cell.h.
 */
#ifndef TESTS_MIRROR_CENSUS_H
#define TESTS_MIRROR_CENSUS_H

#include "shm/strings.h"

/* Notes of the ledger are not counted: surplus ones are harmless. */
struct census {
	uint64_t strings, requests, categories, ads, claims, classes, usage_names, objects[SHARER_KINDS], users,
		report_count;
	uint64_t jobs, extras, tasks, ended, instances, hosts, advances, used_pes, debited, reported_usage,
		staged[SHARER_KINDS], in_snapshot;
};

static inline struct census census_take(const struct mirror *mirror)
{
	const struct state *state = mirror->snapshot ? mirror->snapshot : mirror->state;
	struct census census = { .strings = strings_holders(mirror->strings),
				 .requests = mirror->requests.pool.used,
				 .categories = mirror->requests.categories.used,
				 .ads = mirror->ads.pool.used,
				 .classes = mirror->classes.pool.used,
				 .usage_names = mirror->usage_names.n,
				 .report_count = mirror->report_count,
				 .jobs = state->jobs.used,
				 .extras = state->jobs.nextras - state->jobs.nfree_extras,
				 .tasks = state->tasks.pool.used,
				 .ended = state->nended,
				 .instances = state->ninstances,
				 .hosts = state->nhosts,
				 .advances = state->nadvances,
				 .used_pes = state->nused_pes,
				 .debited = state->ndebited,
				 .reported_usage = state->ntold_usage,
				 .in_snapshot = mirror->snapshot != NULL };

	for (int k = 0; k < SHARER_KINDS; k++) {
		census.objects[k] = mirror->objects[k].n;
		census.staged[k] = state->staged[k].n;
	}
	for (size_t i = 0; i < mirror->objects[SHARER_USER].n; i++)
		census.users += mirror->objects[SHARER_USER].items[i].exists;
	for (size_t i = 0; i < state->ninstances; i++)
		census.claims += state->instances[i].claim != NULL;
	/* Strings of the ledger belong to it. */
	for (size_t i = 0; mirror->ledger && i < mirror->ledger->names.n; i++) {
		const struct ledger_names *names = pool_key(&mirror->ledger->names, (uint32_t)i);

		census.strings -= (names->user != NONE) + (names->project != NONE);
	}
	return census;
}

#define CENSUS_OF(MEMBER) do {											\
	if (before->MEMBER != after->MEMBER)									\
		fail_msg("%s: %s were %llu and are %llu", what, #MEMBER, (unsigned long long)before->MEMBER,	\
			 (unsigned long long)after->MEMBER);							\
} while (0)

static inline void census_check(const char *what, const struct census *before, const struct census *after)
{
	CENSUS_OF(requests);
	CENSUS_OF(categories);
	CENSUS_OF(ads);
	CENSUS_OF(classes);
	CENSUS_OF(usage_names);
	CENSUS_OF(users);
	CENSUS_OF(jobs);
	CENSUS_OF(extras);
	CENSUS_OF(tasks);
	CENSUS_OF(debited);
	CENSUS_OF(strings);
	if (memcmp(before, after, sizeof(*before)) != 0)
		fail_msg("%s: the event has changed the state", what);
}

/* Check that the event is refused with these words and leaves no data. */
static inline void census_check_refused(struct fixture *fixture, const char *why, const char *event)
{
	struct census before = census_take(sched_mirror(fixture->sched)), after;

	REFUSE(fixture, why, "%s", event);
	after = census_take(sched_mirror(fixture->sched));
	census_check(event, &before, &after);
}

#endif
