/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Find the known name that differs least from a name that a user has written. A change is an
 * additional letter, a missing letter, another letter, or two neighbours exchanged. Case does not
 * count.
 *
 *     struct nearest meant = { .name = "sched_cnf" };
 *     nearest_look(&meant, "sched_conf");
 *     nearest_look(&meant, "share_tree");
 *     ... meant.found is "sched_conf" ...
 */
#ifndef CONF_BASE_NEAREST_H
#define CONF_BASE_NEAREST_H

#include <limits.h>
#include <stddef.h>

enum { NEAREST_NAME_MOST = 64 };	/* bytes of a name; a longer name is never near */

struct nearest {
	const char *name;	/* as written */
	/* borrowed; the first of equally near names; NULL: no name is near */
	const char *found;
	unsigned changes;	/* changes between `name` and `found` */
};

/* Compare with one more known name and keep the nearer one. */
void nearest_look(struct nearest *meant, const char *known);

/*
 * Return the nearest of `n` names, or NULL. No name is near a name of up to 2 bytes. A name of up
 * to 5 bytes may differ by one change, a longer one by two.
 */
const char *nearest_of(const char *name, const char *const *names, size_t n);

/*
 * Return the number of changes from one name to the other, or UINT_MAX if one of them is too long.
 */
unsigned nearest_changes(const char *a, const char *b);

#endif
