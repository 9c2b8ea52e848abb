/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/people.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "sched/process/clock.h"

#define KEEP_NS (PEOPLE_S * 1000000000ull)

static bool copy(char *to, size_t size, const char *from)
{
	return from && (size_t)snprintf(to, size, "%s", from) < size;
}

static void person_ask(struct person *person, uid_t uid)
{
	const struct passwd *user = getpwuid(uid);
	const char *shell = user && user->pw_shell && *user->pw_shell ? user->pw_shell : "/bin/sh";

	*person = (struct person){ .uid = uid, .asked_ns = clock_monotonic_ns() };
	person->known = user && copy(person->name, sizeof(person->name), user->pw_name) &&
			copy(person->home, sizeof(person->home), user->pw_dir) &&
			copy(person->shell, sizeof(person->shell), shell);
}

const struct person *person_of(struct people *people, uid_t uid)
{
	struct person *person = &people->persons[uid % PEOPLE_KEPT];

	if (!person->asked_ns || person->uid != uid || clock_monotonic_ns() - person->asked_ns > KEEP_NS)
		person_ask(person, uid);
	return person->known ? person : NULL;
}

const char *group_name(struct people *people, gid_t gid)
{
	struct unix_group *kept = &people->groups[gid % PEOPLE_KEPT];
	const struct group *group;

	if (kept->asked_ns && kept->gid == gid && clock_monotonic_ns() - kept->asked_ns <= KEEP_NS)
		return kept->name;
	*kept = (struct unix_group){ .gid = gid, .asked_ns = clock_monotonic_ns() };
	group = getgrgid(gid);
	if (!group || !copy(kept->name, sizeof(kept->name), group->gr_name))
		snprintf(kept->name, sizeof(kept->name), "%u", (unsigned)gid);
	return kept->name;
}
