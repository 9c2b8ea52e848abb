/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users and groups of this machine. The source of names may be slow or unavailable, and any client
 * can cause a query. Therefore answers, including negative ones, are kept for PEOPLE_S seconds.
 */
#ifndef SCHED_QMASTER_LOCAL_PEOPLE_H
#define SCHED_QMASTER_LOCAL_PEOPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PEOPLE_S 60
#define PEOPLE_KEPT 256

struct person {
	bool known;
	uid_t uid;
	uint64_t asked_ns;	/* 0: unused entry */
	char name[64], home[1024], shell[256];
};

struct unix_group {
	gid_t gid;
	uint64_t asked_ns;
	char name[64];		/* the number if it has no name */
};

struct people {			/* Zero-initialized. */
	struct person persons[PEOPLE_KEPT];
	struct unix_group groups[PEOPLE_KEPT];
};

/* Return the user, valid until the next call. NULL: unknown, or a name is too long. */
const struct person *person_of(struct people *people, uid_t uid);
const char *group_name(struct people *people, gid_t gid);

#endif
