/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of everything a mirror holds: what is refused must leave it as it was. cmocka.h,
 * sched/mirror/tables.h and tests/mirror/cell.h come first.
 */
#ifndef TESTS_MIRROR_CENSUS_H
#define TESTS_MIRROR_CENSUS_H

#include "shm/strings.h"

/* notes of the ledger are left aside: too many of them do no harm */
struct census {
	uint64_t strings, requests, categories, ads, claims, classes, usage_names, objects[SHARER_KINDS], users, tellings;
	uint64_t jobs, extras, tasks, ended, instances, hosts, advances, used_pes, debited, told_usage, staged[SHARER_KINDS], in_snapshot;
};

static inline struct census census_take(const struct mirror *m)
{
	const struct state *s = m->snapshot ? m->snapshot : m->state;
	struct census c = {
		.strings = strings_holders(m->strings), .requests = m->requests.pool.used, .categories = m->requests.categories.used, .ads = m->ads.pool.used,
		.classes = m->classes.pool.used, .usage_names = m->usage_names.n, .tellings = m->tellings,
		.jobs = s->jobs.used, .extras = s->jobs.nextras - s->jobs.nfree_extras, .tasks = s->tasks.pool.used, .ended = s->nended,
		.instances = s->ninstances, .hosts = s->nhosts, .advances = s->nadvances, .used_pes = s->nused_pes, .debited = s->ndebited,
		.told_usage = s->ntold_usage, .in_snapshot = m->snapshot != NULL };

	for (int k = 0; k < SHARER_KINDS; k++) {
		c.objects[k] = m->objects[k].n;
		c.staged[k] = s->staged[k].n;
	}
	for (size_t i = 0; i < m->objects[SHARER_USER].n; i++)
		c.users += m->objects[SHARER_USER].items[i].exists;
	for (size_t i = 0; i < s->ninstances; i++)
		c.claims += s->instances[i].claim != NULL;
	/* what they hold belongs to them */
	for (size_t i = 0; m->ledger && i < m->ledger->names.n; i++) {
		const struct ledger_names *names = pool_key(&m->ledger->names, (uint32_t)i);

		c.strings -= (names->user != NONE) + (names->project != NONE);
	}
	return c;
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
		fail_msg("%s: something else has come or gone", what);
}

/* The event is refused with these words, and leaves nothing. */
static inline void census_check_refused(struct fixture *f, const char *why, const char *event)
{
	struct census before = census_take(sched_mirror(f->sched)), after;

	REFUSE(f, why, "%s", event);
	after = census_take(sched_mirror(f->sched));
	census_check(event, &before, &after);
}

#endif
