/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program as it grows: instructions behind each other, constants folded where they meet. What
 * turns out not to be needed is cut off again at a mark. Memory that is missing is remembered:
 * build_pack() says so.
 */
#ifndef CONF_CLASSAD_BUILD_H
#define CONF_CLASSAD_BUILD_H

#include "conf/classad/inside.h"

struct build {			/* zero-initialise */
	struct instruction *code;
	struct classad_value *constants;
	struct name_key *keys;
	struct classad_room room;	/* of texts, and of what is folded */
	uint32_t ncode, nconstants, nkeys, code_capacity, constants_capacity, keys_capacity;
	uint32_t stack, stack_most;	/* values now, and at most */
	bool no_memory;
};

struct mark {			/* where an operand begins */
	uint32_t code, constants, keys, stack;
};

struct mark build_mark(const struct build *build);
void build_cut(struct build *build, struct mark mark);
/* The one value that has been built since then; NULL: it is no constant. */
const struct classad_value *build_constant_since(const struct build *build, struct mark mark);

void build_constant(struct build *build, struct classad_value value);
void build_name(struct build *build, enum operation operation, const char *name, size_t bytes);
void build_time(struct build *build);
/* An operation on all operands since then, which are `n`. */
void build_operation(struct build *build, struct mark mark, enum operation operation, uint8_t function, size_t n);
/* A pattern on the text that was built last: regexp() */
void build_match(struct build *build, const struct regexp *pattern);
/* A jump that does not know yet where it goes; `pops` it takes from the stack. */
uint32_t build_jump(struct build *build, enum operation operation, uint32_t pops);
void build_arrive(struct build *build, uint32_t jump);	/* here */

/* All in one piece; -ENOMEM. `name` may be NULL. */
int build_pack(const struct build *build, const char *name, const char *text, size_t bytes,
	       struct classad_expression **expression);
void build_free(struct build *build);

#endif
