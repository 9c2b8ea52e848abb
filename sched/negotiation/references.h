/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one expression refers to by itself, found once for each text: attributes are followed
 * elsewhere (interest.c), since another ad has others.
 */
#ifndef SCHED_NEGOTIATION_REFERENCES_H
#define SCHED_NEGOTIATION_REFERENCES_H

#include "conf/classad/classad.h"
#include "conf/text_set.h"

struct direct {
	struct classad_names my, target;	/* MY.x, TARGET.x */
	struct classad_names plain;		/* x */
	/* RemoteOwner, RemoteUser: all that counts is whether it is there */
	bool whether_owner, whether_user;
	bool time;
	bool known;			/* the function's own */
};

struct references {			/* zero-initialise */
	struct text_set texts;
	struct direct *items;		/* by text */
	size_t capacity;
};

/* NULL: no memory. Holds until references_clear(). */
const struct direct *references_of(struct references *references, const struct classad_expression *expression);
void references_clear(struct references *references);

#endif
