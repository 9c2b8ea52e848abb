/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Migration of a cell to a policy: what-if runs compute the same queue under another system's
 * policy. Each policy derives the configuration that it needs and the cell does not have. Users and
 * projects become the policy's own sharers, and their decayed CPU time becomes the usage of these.
 *
 * sched/whatif/migrate.c calls the members of struct policy_migration and implements the services
 * of struct migration_files. Functions return 0 or -ENOMEM unless their comment differs.
 */
#ifndef SCHED_POLICY_MIGRATION_H
#define SCHED_POLICY_MIGRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "conf/cell.h"

#define MIGRATED_ACCOUNT "default"	/* account of jobs without a project */

struct event;
struct mirror;

struct migrated_usage {			/* seconds; names are borrowed */
	const char *user, *project;	/* project "": outside of all projects */
	double cpu;
};

/* Pair of a project and a user with jobs in it. Names are borrowed. */
struct migrated_owner {
	const char *project, *user;	/* project MIGRATED_ACCOUNT: outside of all projects */
	uint32_t project_shares, user_shares;	/* 1: their nodes are not known */
};

/* Services of the caller for policy_migration.files. Texts are copied. */
struct migration_files {
	void *self;
	/* Owners have the shares of the share tree, otherwise equal shares. */
	bool tree_shares;
	bool (*exists)(void *self, const char *file);
	/* Create a file, or replace its text. */
	int (*put)(void *self, const char *file, const char *text);
	/* Set a parameter of an existing file. */
	int (*set)(void *self, const char *file, const char *name, const char *value);
	/* Add a note for the user about a derived file. */
	int (*note)(void *self, const char *text);
	/* Return the number of slots of all queue instances. */
	uint64_t (*slots)(void *self);
	/*
	 * Allocate a list of all pairs, each once, ordered by project, then by user. Also -EINVAL.
	 */
	int (*owners)(void *self, struct migrated_owner **owners, size_t *n);
};

struct policy_migration {
	/*
	 * Add the files that the policy needs and the cell does not have. Also -EINVAL of a
	 * service.
	 */
	int (*files)(const struct migration_files *files);
	/* Convert a reported event. NULL: events stay unchanged. */
	void (*edit)(struct event *event);
	/*
	 * Report the usage after all other events. `cell` is the migrated one, and n > 0. May
	 * change the order of `usage`. NULL: the policy computes its usage from that of users and
	 * projects.
	 */
	int (*finish)(struct mirror *mirror, const struct cell *cell, struct migrated_usage *usage, size_t n,
		      struct error *error);
};

#endif
