/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ClassAd expressions, as HTCondor's policies are written in: its old semantics, in which daemons
 * evaluate them (STRICT_CLASSAD_EVALUATION false). HTCondor's manual, "ClassAds: Language";
 * fairlead-condor(5).
 *
 *     classad_parse(&expression, "TARGET.Memory >= MY.RequestMemory", &error);
 *     classad_evaluate(expression, &(struct classad_pair){ job, slot }, &room, &value);
 *
 * An expression never changes once it is made, and threads share it. Evaluation allocates nothing:
 * texts and lists that it makes lie in the caller's room until that is reset. Its depth and its
 * steps are bounded: what goes beyond is error.
 *
 *     lexer.c, parse.c, primary.c    text to a program, which build.c makes, constants folded
 *     evaluate.c                     the program; compare.c, arithmetic.c, room.c
 *     functions*.c, regexp*.c        what it may call
 *     ad.c, ad_read.c                attributes by name
 *     references.c                   which attributes of whom a value depends on
 *     clauses.c                      what all has to hold
 *     calls.c                        calls of functions that are not here
 *     write.c                        values and ads as text
 */
#ifndef CONF_CLASSAD_CLASSAD_H
#define CONF_CLASSAD_CLASSAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"

#define CLASSAD_TEXT_MOST 65536u	/* bytes of an expression */
#define CLASSAD_DEPTH_MOST 64u		/* of nesting, as written; and of attributes in attributes */
#define CLASSAD_STEPS_MOST 100000u	/* of one evaluation */

enum classad_type {
	CLASSAD_ERROR, CLASSAD_UNDEFINED, CLASSAD_BOOL, CLASSAD_INT, CLASSAD_REAL, CLASSAD_STRING, CLASSAD_LIST
};

struct classad_value {
	enum classad_type type;
	union {
		bool truth;
		int64_t integer;
		double real;		/* may be infinite or no number: never shown so */
		struct { const char *text; size_t bytes; };		/* NUL-terminated, too */
		struct { const struct classad_value *items; size_t n; };
	};
};

struct classad_expression;
struct classad;

/* -EINVAL: "column 7: ..." what was found, what is allowed; -ENOMEM. *e is NULL then. */
int classad_parse(struct classad_expression **expression, const char *text, struct error *error);
void classad_expression_free(struct classad_expression *expression);	/* NULL is a no-op */
/* As written, without blanks around it; NULL: it was set as a value. */
const char *classad_expression_text(const struct classad_expression *expression);
/* Is its value the same whatever the ads and the time? Then it is *value; lives as long as e. */
bool classad_is_constant(const struct classad_expression *expression, struct classad_value *value);

/* Ads */

struct classad *classad_create(void);		/* NULL: no memory */
void classad_free(struct classad *ad);		/* NULL is a no-op; expressions in it, too */
/*
 * From a text of lines "Name = expression", as `condor_q -long` writes them, or "[ Name =
 * expression; ... ]". -EINVAL with line and column, -ENOMEM; *ad is NULL then.
 */
int classad_read(struct classad **ad, const char *text, struct error *error);
/*
 * Attributes, in place of one of that name. Names have no case, and keep that in which they were
 * first given; they are letters, digits and _, not beginning with a digit. -EINVAL, -ENOMEM: as it
 * was.
 */
int classad_set(struct classad *ad, const char *name, const char *expression, struct error *error);
/* The value itself, copied; no list. In the place of a value of its kind it takes no memory. */
int classad_set_value(struct classad *ad, const char *name, const struct classad_value *value);
void classad_unset(struct classad *ad, const char *name);
/*
 * What `ad` does not have, `behind` does, as if it stood in `ad`: for values that belong to a
 * moment over those that stay. Borrowed; NULL: nobody any more.
 */
void classad_put_behind(struct classad *ad, const struct classad *behind);
const struct classad *classad_behind(const struct classad *ad);		/* NULL: nobody */

size_t classad_count(const struct classad *ad);			/* its own attributes, in order of name */
const char *classad_name(const struct classad *ad, size_t i);
const struct classad_expression *classad_expression(const struct classad *ad, size_t i);
const struct classad_expression *classad_find(const struct classad *ad, const char *name);	/* NULL; looks behind */

/* Evaluation */

struct classad_pair {			/* both may be NULL: an ad without attributes */
	const struct classad *my, *target;
};

struct classad_room {			/* zero-initialise, then set `now`; one a thread */
	int64_t now;			/* time(), epoch seconds */
	unsigned char *bytes;		/* owned: texts and lists of the evaluations since the reset, 2 MiB at most */
	size_t used, capacity;
	uint32_t steps;			/* of the last evaluation */
};

void classad_room_reset(struct classad_room *room);	/* keeps its memory */
void classad_room_free(struct classad_room *room);

/*
 * *value holds until the room is reset, and as long as the expression and the ads live. What finds
 * no place in the room is error: reset it between evaluations that make texts or lists.
 */
void classad_evaluate(const struct classad_expression *expression, const struct classad_pair *in,
		      struct classad_room *room, struct classad_value *value);
/* An attribute of in->my; UNDEFINED where there is none. */
void classad_attribute(const struct classad_pair *in, const char *name, struct classad_room *room,
		       struct classad_value *value);

/* true: TRUE, or a number that is not 0. Requirements are looked at so. */
bool classad_is_true(const struct classad_value *value);
/* False: it is no number. Booleans count 0 and 1. */
bool classad_number(const struct classad_value *value, double *number);

/* References */

struct classad_names {			/* zero-initialise; sorted without case, each once */
	char **items;
	size_t n, capacity;
};

void classad_names_free(struct classad_names *names);
bool classad_names_have(const struct classad_names *names, const char *name);
int classad_names_add(struct classad_names *names, const char *name);	/* -ENOMEM */
/*
 * The attributes that a value may depend on: of the own ad, of the other one. An attribute of `my`
 * is followed to what it refers to. A plain name that `my` does not have counts as both. What
 * attributes of the other ad refer to in their turn is not known here. *time: whether it depends on
 * the clock. Adds to what is there. -ENOMEM.
 */
int classad_references(const struct classad_expression *expression, const struct classad *my,
		       struct classad_names *mine, struct classad_names *theirs, bool *time);

/*
 * The next call of a function that is not here, in an expression that can be read: its name, of
 * so many bytes. *text goes on behind it. NULL: there is none.
 */
const char *classad_unknown_call(const char **text, size_t *bytes);

/* Clauses */

struct classad_clause { const char *text; size_t bytes; };	/* a part of the text */

/*
 * What all has to hold for an expression that can be read to be true: the operands of && at its
 * top, without the parentheses around them. Returns how many there are; the first `most` are
 * written.
 */
size_t classad_clauses(const char *text, struct classad_clause *clauses, size_t most);

/* Text: returns the length that all of it has, as snprintf(3) does. */
size_t classad_value_text(const struct classad_value *value, char *text, size_t size);
/* As HTCondor shows it: reals with 16 digits, which may read as another number. */
size_t classad_value_show(const struct classad_value *value, char *text, size_t size);
/* Lines "Name = expression\n", in order of name; own attributes alone. */
size_t classad_text(const struct classad *ad, char *text, size_t size);

#endif
