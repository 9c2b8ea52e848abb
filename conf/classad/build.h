/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Program under construction: a sequence of instructions. Operations on constants are folded.
 * Unneeded parts are cut off at a mark. If memory is exhausted, this is remembered, and
 * build_pack() reports it.
 */
#ifndef CONF_CLASSAD_BUILD_H
#define CONF_CLASSAD_BUILD_H

#include "conf/classad/inside.h"

struct built_ad {
	struct classad *ad;		/* owned */
	const char *begin, *end;	/* its text */
};

struct build {			/* zero-initialize */
	struct instruction *code;
	struct classad_value *constants;
	struct name_key *keys;
	struct built_ad *ads;		/* also those of parts that were cut off */
	struct classad_room room;	/* memory for texts and for folding */
	uint32_t ncode, nconstants, nkeys, nads, code_capacity, constants_capacity, keys_capacity, ads_capacity;
	uint32_t stack, stack_most;	/* values now, and the maximum */
	bool no_memory;
};

struct mark {			/* beginning of an operand */
	uint32_t code, constants, keys, stack;
};

struct mark build_mark(const struct build *build);
void build_cut(struct build *build, struct mark mark);
/* Return the value if a single constant has been built since the mark, else NULL. */
const struct classad_value *build_constant_since(const struct build *build, struct mark mark);

void build_constant(struct build *build, struct classad_value value);
void build_name(struct build *build, enum operation operation, const char *name, size_t bytes);
void build_time(struct build *build);
/* Replace the name that was built last by the text of its attribute. */
void build_unparse(struct build *build);
/* Build a nested ad with the text from `begin` to `end`. Takes ownership of the ad. */
void build_ad(struct build *build, struct classad *ad, const char *begin, const char *end);
/* Build the selection of an attribute from the value that was built last. */
void build_select(struct build *build, enum operation kind, const char *name, size_t bytes);
/* Build OP_EVAL or OP_RANDOM on the operand that was built last. They are not folded. */
void build_unfolded(struct build *build, enum operation operation);
/* Build an operation on the `n` operands since the mark. */
void build_operation(struct build *build, struct mark mark, enum operation operation, uint8_t function, size_t n);
/* Build the match of a pattern with the text that was built last: regexp(). */
void build_match(struct build *build, const struct regexp *pattern);
/* Build a jump whose target is not known yet. It removes `pops` values from the stack. */
uint32_t build_jump(struct build *build, enum operation operation, uint32_t pops);
void build_arrive(struct build *build, uint32_t jump);	/* sets the target to this position */

/*
 * Pack everything into one piece of memory, which takes over the nested ads. `name` may be NULL.
 * Returns 0 or -ENOMEM.
 */
int build_pack(struct build *build, const char *name, const char *text, size_t bytes,
	       struct classad_expression **expression);
void build_free(struct build *build);

#endif
