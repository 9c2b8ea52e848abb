/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users and groups of this machine. Where they come from may be slow, or gone for a while, and
 * anybody can make us ask: answers are kept for PEOPLE_S, those that there is nobody included.
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
	uint64_t asked_ns;	/* 0: nobody is here */
	char name[64], home[1024], shell[256];
};

struct unix_group {
	gid_t gid;
	uint64_t asked_ns;
	char name[64];		/* its number, if it has none */
};

struct people {			/* zero at first */
	struct person persons[PEOPLE_KEPT];
	struct unix_group groups[PEOPLE_KEPT];
};

/* NULL: there is no such user, or its names are longer than can be. Valid until the next call. */
const struct person *person_of(struct people *people, uid_t uid);
const char *group_name(struct people *people, gid_t gid);

#endif
