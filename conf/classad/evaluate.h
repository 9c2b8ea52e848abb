/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that evaluate.c and select.c share. */
#ifndef CONF_CLASSAD_EVALUATE_H
#define CONF_CLASSAD_EVALUATE_H

#include "conf/classad/inside.h"

struct evaluation {
	struct classad_room *room;
	const struct classad_expression *running[CLASSAD_DEPTH_MOST];
	unsigned depth;
	const struct classad_value *end;	/* end of the stack */
};

/*
 * Evaluate an expression and store the value in *result, which is the top of the stack
 * (evaluate.c).
 */
void expression_run(struct evaluation *evaluation, const struct classad_expression *expression,
		    const struct classad_scope *in, struct classad_value *result);

/* select.c */

/* Return the second ad of the evaluation. Its own second ad is the outermost one of `in`. */
static inline struct classad_scope scope_other(const struct classad_scope *in)
{
	while (in->outer)
		in = in->outer;
	return (struct classad_scope){ .own = in->other, .other = in->own };
}

/* Return an ad as a value, with a copy of this scope. */
struct classad_value ad_value(const struct classad_scope *scope, struct classad_room *room);
/* Return a nested ad, which is part of an expression in `in`, as a value. */
struct classad_value ad_nested(const struct classad *ad, const struct classad_scope *in, struct classad_room *room);
/* Evaluate a name that means an ad: `kind` is OP_OWN_AD, OP_OTHER_AD or OP_OUTER_AD. */
void ad_named(struct evaluation *evaluation, enum operation kind, const struct name_key *key,
	      const struct classad_scope *in, struct classad_value *result);
/*
 * Replace an ad by the value of its attribute, and a list by the list of these values. `kind` is
 * OP_NAME for a name that does not mean an ad. *value is the top of the stack.
 */
void attribute_select(struct evaluation *evaluation, enum operation kind, const struct name_key *key,
		      struct classad_value *value);
/* Replace an ad by the value of the attribute with this name: ad["name"]. */
void ad_subscript(struct evaluation *evaluation, struct classad_value *value, const struct classad_value *name);

#endif
