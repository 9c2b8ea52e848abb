/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ClassAd expressions, the language of HTCondor's policies, with the old semantics that its daemons
 * use (STRICT_CLASSAD_EVALUATION false). See HTCondor's manual, "ClassAds: Language", and
 * fairlead-condor(5).
 *
 *     classad_parse(&expression, "TARGET.Memory >= MY.RequestMemory", &error);
 *     classad_evaluate(expression, &(struct classad_pair){ job, slot }, &room, &value);
 *
 * An expression never changes after it has been made, and threads share it. Evaluation allocates
 * nothing, except for eval(): new texts and lists are stored in the caller's room until it is
 * reset. random() is a function of `now`, of the names of both ads and of the place in the
 * evaluation, so a run that is computed again gets the same numbers. Depth and steps are limited.
 * An evaluation that exceeds them is error.
 *
 *     lexer.c, parse.c, primary.c   from text to a program, which build.c makes with constants
 *                                   folded; nested.c for ads inside expressions
 *     evaluate.c, select.c          evaluation; with compare.c, arithmetic.c, room.c
 *     functions*.c, regexp*.c       functions that a program may call
 *     ad.c, ad_read.c               attributes by name
 *     references.c                  attributes on which a value depends
 *     clauses.c                     operands of the top-level &&
 *     calls.c                       calls of unknown functions
 *     write.c, source.c             values and ads as text
 */
#ifndef CONF_CLASSAD_CLASSAD_H
#define CONF_CLASSAD_CLASSAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"

#define CLASSAD_TEXT_MOST 65536u	/* bytes of an expression */
/* nesting as written; and nesting of attributes in attributes */
#define CLASSAD_DEPTH_MOST 64u
#define CLASSAD_STEPS_MOST 100000u	/* steps of one evaluation */

enum classad_type {
	CLASSAD_ERROR, CLASSAD_UNDEFINED, CLASSAD_BOOL, CLASSAD_INT, CLASSAD_REAL, CLASSAD_STRING, CLASSAD_LIST,
	CLASSAD_AD
};

struct classad_scope;			/* an ad with its enclosing ads */

struct classad_value {
	enum classad_type type;
	union {
		bool truth;
		int64_t integer;
		double real;		/* may be infinite or NaN, but is never printed as such */
		/* NUL-terminated in addition */
		struct { const char *text; size_t bytes; };
		struct { const struct classad_value *items; size_t n; };
		const struct classad_scope *ad;	/* its attributes are not evaluated */
	};
};

struct classad_expression;
struct classad;

/*
 * Parse an expression. Returns 0, -ENOMEM, or -EINVAL with "column 7: ..." and the text found and
 * allowed there. After an error *expression is NULL.
 */
int classad_parse(struct classad_expression **expression, const char *text, struct error *error);
void classad_expression_free(struct classad_expression *expression);	/* NULL is a no-op */
/* Return the text as written, without blanks around it, or NULL if it was set as a value. */
const char *classad_expression_text(const struct classad_expression *expression);
/*
 * Return true if the value does not depend on ads and time, and store it in *value. It is valid as
 * long as the expression.
 */
bool classad_is_constant(const struct classad_expression *expression, struct classad_value *value);

/* Ads */

struct classad *classad_create(void);		/* NULL if memory is exhausted */
void classad_free(struct classad *ad);		/* also frees its expressions; NULL is a no-op */
/*
 * Read an ad from lines "Name = expression", as `condor_q -long` prints them, or from "[ Name =
 * expression; ... ]". Returns 0, -EINVAL with line and column, or -ENOMEM. After an error *ad is
 * NULL.
 */
int classad_read(struct classad **ad, const char *text, struct error *error);
/*
 * Check the name of an attribute: letters, digits and _, and no digit at its beginning. Returns 0
 * or -EINVAL.
 */
int classad_name_check(const char *name, struct error *error);
/*
 * Set an attribute and replace one of the same name. Names are case-insensitive and keep their
 * first spelling. Returns 0, -EINVAL or -ENOMEM; the ad is unchanged after an error.
 */
int classad_set(struct classad *ad, const char *name, const char *expression, struct error *error);
/*
 * Set an attribute to a copy of a value, which must not be a list or an ad. Replacing a value of
 * the same type needs no memory.
 */
int classad_set_value(struct classad *ad, const char *name, const struct classad_value *value);
void classad_unset(struct classad *ad, const char *name);
/*
 * Let `ad` use the attributes of `behind` that it does not have itself, for temporary values on top
 * of permanent ones. `behind` is borrowed; NULL ends this.
 */
void classad_set_base(struct classad *ad, const struct classad *base);
const struct classad *classad_base(const struct classad *ad);		/* NULL: none */

/* Return the number of the ad's own attributes, which are sorted by name. */
size_t classad_count(const struct classad *ad);
const char *classad_name(const struct classad *ad, size_t i);
const struct classad_expression *classad_expression(const struct classad *ad, size_t i);
/* Find an attribute, also in the ad of classad_set_base(). NULL: not found. */
const struct classad_expression *classad_find(const struct classad *ad, const char *name);

/* Evaluation */

struct classad_pair {			/* either may be NULL: an ad without attributes */
	const struct classad *my, *target;
};

struct classad_room {			/* zero-initialize, then set `now`; one per thread */
	int64_t now;			/* time(), epoch seconds */
	/* owned: texts, lists and ads of the evaluations since the reset, at most 2 MiB */
	unsigned char *bytes;
	size_t used, capacity;
	struct classad_expression *kept;	/* owned: expressions of eval() with ads that values use */
	uint32_t steps;			/* steps of the last evaluation */
};

void classad_room_reset(struct classad_room *room);	/* keeps its memory */
void classad_room_free(struct classad_room *room);

/*
 * Evaluate an expression. *value is valid until the room is reset and as long as the expression and
 * the ads exist. A text, list or ad that exceeds the room is error, so reset the room between
 * evaluations.
 */
void classad_evaluate(const struct classad_expression *expression, const struct classad_pair *in,
		      struct classad_room *room, struct classad_value *value);
/* Evaluate an attribute of in->my. The value is UNDEFINED if it does not exist. */
void classad_attribute(const struct classad_pair *in, const char *name, struct classad_room *room,
		       struct classad_value *value);

/* Return true for TRUE and for a number other than 0. Requirements are evaluated in this way. */
bool classad_is_true(const struct classad_value *value);
/* Convert a value to a number. Booleans are 0 and 1. Returns false if it is not a number. */
bool classad_number(const struct classad_value *value, double *number);

/* References */

/* zero-initialize; sorted case-insensitively, without duplicates */
struct classad_names {
	char **items;
	size_t n, capacity;
};

void classad_names_free(struct classad_names *names);
bool classad_names_have(const struct classad_names *names, const char *name);
int classad_names_add(struct classad_names *names, const char *name);	/* returns 0 or -ENOMEM */

/* What a value may depend on; zero-initialize. */
struct classad_reads {
	struct classad_names mine, theirs;	/* attributes of the own ad, and of the other one */
	bool time;			/* the clock, or chance */
	/* any attribute of both ads: its name is computed, as in TARGET[MY.x] and eval(MY.x) */
	bool any;
};

/*
 * Find what a value may depend on. Attributes of `my` are followed to the attributes that they use.
 * A name without a scope that `my` does not have is in both lists. References of the other ad's
 * attributes are not known here. Returns 0 or -ENOMEM. The caller frees the result in any case.
 */
int classad_references(const struct classad_expression *expression, const struct classad *my,
		       struct classad_reads *reads);
void classad_reads_free(struct classad_reads *reads);

/*
 * Return the name of the next call of an unknown function in a valid expression, and its size in
 * *bytes. *text moves past it. Returns NULL if there is none.
 */
const char *classad_unknown_call(const char **text, size_t *bytes);

/* Clauses */

struct classad_clause { const char *text; size_t bytes; };	/* part of the text */

/*
 * Split a valid expression into the clauses that must all be true: the operands of the top-level
 * &&, without the parentheses around them. Returns their number. At most the first `most` are
 * stored.
 */
size_t classad_clauses(const char *text, struct classad_clause *clauses, size_t most);

/* Write a value as text. Returns the length of the whole text, like snprintf(3). */
size_t classad_value_text(const struct classad_value *value, char *text, size_t size);
/*
 * Write a value as HTCondor shows it: reals with 16 digits, which may be read as a different
 * number.
 */
size_t classad_value_show(const struct classad_value *value, char *text, size_t size);
/* Write lines "Name = expression\n" in order of name, only the ad's own attributes. */
size_t classad_text(const struct classad *ad, char *text, size_t size);

#endif
