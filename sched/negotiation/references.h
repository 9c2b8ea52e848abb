/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes to which one expression refers directly, computed once for each text. interest.c
 * follows the references, because each ad has other expressions.
 */
#ifndef SCHED_NEGOTIATION_REFERENCES_H
#define SCHED_NEGOTIATION_REFERENCES_H

#include "conf/classad/classad.h"
#include "conf/base/text_set.h"

struct direct {
	struct classad_names my, target;	/* MY.x, TARGET.x */
	struct classad_names plain;		/* x */
	/* RemoteOwner, RemoteUser: the expression tests only whether it is defined. */
	bool whether_owner, whether_user;
	bool time, any;			/* see struct classad_reads */
	bool known;			/* private: the struct has been filled */
};

struct references {			/* zero-initialise */
	struct text_set texts;
	struct direct *items;		/* by text */
	size_t capacity;
};

/* Return the references of an expression, valid until references_clear(). NULL: no memory. */
const struct direct *references_of(struct references *references, const struct classad_expression *expression);
void references_clear(struct references *references);

#endif
