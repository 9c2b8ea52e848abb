/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is between this host and being the scheduler of a cell's qmaster, one thing after the other:
 * each is looked at only if those before it that it needs are in order.
 */
#ifndef CLI_DIAGNOSIS_H
#define CLI_DIAGNOSIS_H

#include <stdbool.h>
#include <stddef.h>

enum symptom_state { SYMPTOM_FINE, SYMPTOM_FAULT, SYMPTOM_NOTE };

struct symptom {
	const char *what;		/* "port" */
	enum symptom_state state;
	char text[400];			/* what was found; printable */
	char remedy[300];		/* the command that puts it right; "": there is none, or nothing to do */
};

#define SYMPTOMS_MOST 16

struct diagnosis {
	struct symptom symptoms[SYMPTOMS_MOST];
	size_t n, faults;
	char cell[300];			/* its directory */
};

/* `directory` is ROOT/CELL; NULL: that of SGE_ROOT and SGE_CELL. Takes some seconds at most. */
void diagnosis_make(struct diagnosis *d, const char *directory);

#endif
