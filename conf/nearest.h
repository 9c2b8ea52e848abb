/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which name was meant: the one that differs least from what somebody has written. A change is a
 * letter more, a letter less, another letter, or two neighbours exchanged; case does not count.
 *
 *     struct nearest meant = { .name = "sched_cnf" };
 *     nearest_look(&meant, "sched_conf");
 *     nearest_look(&meant, "share_tree");
 *     ... meant.found is "sched_conf" ...
 */
#ifndef CONF_NEAREST_H
#define CONF_NEAREST_H

#include <limits.h>
#include <stddef.h>

enum { NEAREST_NAME_MOST = 64 };	/* bytes of a name; longer ones are near nothing */

struct nearest {
	const char *name;	/* as written */
	const char *found;	/* borrowed; of equally near ones the first; NULL: none is near */
	unsigned changes;	/* that lead there */
};

/* Is this one nearer? */
void nearest_look(struct nearest *meant, const char *known);

/*
 * The nearest of `n` names, or NULL: of names up to 2 bytes none is near, of those up to 5 one that
 * differs by one change, else by two.
 */
const char *nearest_of(const char *name, const char *const *names, size_t n);

/* How many changes lead from one to the other; UINT_MAX where one of them is too long. */
unsigned nearest_changes(const char *a, const char *b);

#endif
