/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations that the files of this directory share.
 *
 * An expression is one piece of memory. It has a value if that is constant, else a program for a
 * stack machine. Instructions are in the order of evaluation and jump only forward, so a program
 * ends after at most as many steps as it has instructions.
 */
#ifndef CONF_CLASSAD_INSIDE_H
#define CONF_CLASSAD_INSIDE_H

#include <string.h>
#include <strings.h>

#include "conf/classad/classad.h"

#define STACK_MOST 1000u		/* values of a program at the same time */
#define NAME_MOST 255u			/* bytes of an attribute's name */
#define ATTRIBUTES_MOST 4096u		/* attributes of an ad */
#define ROOM_BYTES ((size_t)2 << 20)	/* only the used part takes memory */

enum operation {
	/* Operations with one operand. */
	OP_NOT,
	OP_MINUS,
	OP_PLUS,
	OP_COMPLEMENT,
	/* Operations with two operands, in the order of level_of() in parse.c. */
	OP_BIT_OR,
	OP_BIT_XOR,
	OP_BIT_AND,
	OP_EQUAL,
	OP_UNEQUAL,
	OP_IS,
	OP_ISNT,
	OP_LESS,
	OP_LESS_EQUAL,
	OP_MORE,
	OP_MORE_EQUAL,
	OP_LEFT,
	OP_RIGHT,
	OP_RIGHT_ZERO,
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_MODULO,
	OP_SUBSCRIPT,
	OP_AND,
	OP_OR, /* OP_AND and OP_OR follow their tests, see below */
	/* Operations with `n` operands. */
	OP_LIST,
	OP_CALL,
	/* Operations without operands. */
	OP_CONSTANT,
	OP_MY,
	OP_TARGET,
	OP_NAME,
	OP_NAME_OR_TIME,
	/* Ads as values, unless the own ad has an attribute of this name: MY, TARGET, PARENT. */
	OP_OWN_AD,
	OP_OTHER_AD,
	OP_OUTER_AD,
	OP_NESTED_AD, /* [ ... ] */
	OP_TIME,
	OP_UNPARSE, /* text of an attribute, not evaluated; `n`: OP_MY, OP_TARGET or OP_NAME */
	/* Operations with one operand that depend on more than it. */
	OP_EVAL,
	OP_RANDOM,
	OP_SELECT, /* attribute of an ad; `n`: OP_NAME, or OP_OWN_AD and so on for a special name */
	/* Match of a text with a constant pattern, which is in the constants. */
	OP_MATCH,
	/*
	 * A value that decides alone stays, and evaluation continues at `operand`. Any other value
	 * stays as first operand.
	 */
	OP_AND_TEST,
	OP_OR_TEST,
	/*
	 * A value that is not undefined stays, and evaluation continues at `operand`. An undefined
	 * one is dropped.
	 */
	OP_UNLESS_UNDEFINED,
	/*
	 * A condition that is true or false is dropped. After true evaluation continues here, after
	 * false at `operand`. Undefined and error stay, and evaluation continues at the jump before
	 * `operand`.
	 */
	OP_BRANCH,
	OP_JUMP,
};

struct instruction {
	uint8_t operation;
	uint8_t function;	/* for OP_CALL: index into the table of functions.c */
	uint16_t n;		/* for OP_LIST, OP_CALL, OP_UNPARSE, OP_SELECT */
	/* index of a constant, key, pattern or nested ad, or of the next instruction */
	uint32_t operand;
};

struct name_key {			/* name of an attribute with its hash */
	const char *name;
	uint32_t hash, bytes;
};

struct nested_ad {
	struct classad *ad;		/* owned */
	uint32_t begin, end;		/* place in the text of the expression; equal: in another text */
};

struct program {
	const struct instruction *code;
	const struct classad_value *constants;
	const struct name_key *keys;
	const struct nested_ad *ads;
	uint32_t ncode, nkeys, nads;
	uint32_t stack;		/* maximum number of values at the same time */
};

struct classad_expression {
	const char *text;		/* text as written; NULL: set as a value */
	const struct program *program;	/* NULL: `value` is the value */
	struct classad_value value;
	struct name_key key;			/* name of an attribute; name NULL: none */
	union {
		size_t capacity;		/* for values: room for a text in bytes */
		struct classad_expression *next;	/* for expressions kept in a room */
	};
};

struct name_slot {
	uint32_t hash, item;		/* UINT32_MAX: free slot */
};

struct classad {
	const struct classad *base;
	struct classad_expression **items;	/* owned, sorted by name */
	struct name_slot *slots;			/* open addressing over items */
	uint32_t n, capacity, size;		/* size: number of slots, a power of two or 0 */
};

/*
 * Ads in which an expression is evaluated. A nested ad has the ad around it as `outer`, which is in
 * a room. The outermost ad is one of the two ads of the evaluation.
 */
struct classad_scope {
	const struct classad *own, *other;	/* other: the second ad of the evaluation */
	const struct classad_scope *outer;
};

#define UNDEFINED ((struct classad_value){ .type = CLASSAD_UNDEFINED })
#define ERROR ((struct classad_value){ .type = CLASSAD_ERROR })
#define TRUTH(X) ((struct classad_value){ .type = CLASSAD_BOOL, .truth = (X) })
#define INTEGER(X) ((struct classad_value){ .type = CLASSAD_INT, .integer = (X) })
#define REAL(X) ((struct classad_value){ .type = CLASSAD_REAL, .real = (X) })

static inline bool is_name_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

static inline bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Return the attribute with this name from `ad`, or from the ads of classad_set_base(). */
static inline const struct classad_expression *ad_find(const struct classad *ad, const struct name_key *key)
{
	for (; ad; ad = ad->base) {
		const struct name_slot *slot;

		for (uint32_t i = key->hash;
		     ad->size > 0 && (slot = &ad->slots[i & (ad->size - 1)])->item != UINT32_MAX; i++) {
			const struct classad_expression *expression = ad->items[slot->item];

			if (slot->hash == key->hash && expression->key.bytes == key->bytes &&
			    (memcmp(expression->key.name, key->name, key->bytes) == 0 ||
			     strncasecmp(expression->key.name, key->name, key->bytes) == 0))
				return expression;
		}
	}
	return NULL;
}

/* Return the truth of a value for && || ! and ?: as BOOL, UNDEFINED or ERROR. */
static inline struct classad_value truth_of(const struct classad_value *value)
{
	switch (value->type) {
	case CLASSAD_BOOL:
		return *value;
	case CLASSAD_INT:
		return TRUTH(value->integer != 0);
	case CLASSAD_REAL:
		return TRUTH(value->real != 0);
	case CLASSAD_UNDEFINED:
		return UNDEFINED;
	default:
		return ERROR;
	}
}

/*
 * Parse all of the `bytes`, as an attribute if `name` is not NULL (parse.c). The steps of folding
 * are added to *steps, which may be NULL.
 */
int expression_parse(struct classad_expression **expression, const char *name, const char *text, size_t bytes,
		     uint32_t *steps, struct error *error);
/*
 * Make an attribute of a value, with room for a text of `capacity` bytes. Returns NULL if memory is
 * exhausted (build.c).
 */
struct classad_expression *expression_of_value(const char *name, const struct classad_value *value, size_t capacity);

/* Find an attribute in the own ad or in the nearest ad around it that has it, and move there. */
static inline const struct classad_expression *scope_find(const struct classad_scope **in, const struct name_key *key)
{
	for (;; *in = (*in)->outer) {
		const struct classad_expression *expression = ad_find((*in)->own, key);

		if (expression || !(*in)->outer)
			return expression;
	}
}

/* ad.c */
/*
 * Store an expression and take ownership of it. If the name exists already, the expression replaces
 * the old one. Returns 0, -EINVAL or -ENOMEM.
 */
int ad_put(struct classad *ad, struct classad_expression *expression, struct error *error);
/* Return the spelling of a name that the ad has already, else `name`. */
const char *ad_spelling(const struct classad *ad, const char *name);
struct name_key name_key_of(const char *name, size_t bytes);
/* Set an attribute like classad_set(). */
int ad_set(struct classad *ad, const char *name, const char *text, size_t bytes, struct error *error);

/* Apply an operation that is not a jump and store the result in the first operand (evaluate.c). */
void operation_apply(const struct instruction *instruction, struct classad_value *operands, struct classad_room *room);
/* Count steps. Returns true if no further step is allowed. */
static inline bool room_spend(struct classad_room *room, size_t steps)
{
	room->steps += steps < CLASSAD_STEPS_MOST ? (uint32_t)steps : CLASSAD_STEPS_MOST;
	if (room->steps < CLASSAD_STEPS_MOST)
		return false;
	room->steps = CLASSAD_STEPS_MOST;
	return true;
}

/*
 * Take memory from the room. `alignment` is a power of two. Returns NULL if the room is full
 * (room.c).
 */
void *room_take(struct classad_room *room, size_t bytes, size_t alignment);
/*
 * Keep an expression, whose text has `bytes`, until the room is reset, and take ownership of it.
 * Returns false if the room is full.
 */
bool room_keep(struct classad_room *room, struct classad_expression *expression, size_t bytes);

/*
 * Apply an operation and store the result in x. Operands may be error and undefined (compare.c,
 * arithmetic.c). A comparison of texts takes steps.
 */
void value_compare(enum operation operation, struct classad_value *x, const struct classad_value *y,
		   struct classad_room *room);
/* Count the steps of a comparison of two texts. Returns true if no further step is allowed. */
static inline bool texts_spend(const struct classad_value *x, const struct classad_value *y, struct classad_room *room)
{
	return room_spend(room, (x->bytes < y->bytes ? x->bytes : y->bytes) / 64);
}
void value_calculate(enum operation operation, struct classad_value *x, const struct classad_value *y);
void value_sign(enum operation operation, struct classad_value *value);
/* Convert a number or boolean to this type. */
static inline int64_t integer_of(const struct classad_value *value)
{
	return value->type == CLASSAD_BOOL ? value->truth : value->integer;
}

static inline double real_of(const struct classad_value *value)
{
	return value->type == CLASSAD_REAL ? value->real : (double)integer_of(value);
}

static inline bool is_number(const struct classad_value *value)
{
	return value->type == CLASSAD_BOOL || value->type == CLASSAD_INT || value->type == CLASSAD_REAL;
}

/* functions.c */
typedef struct classad_value classad_function(const struct classad_value *arguments, size_t n,
					      struct classad_room *room);
struct function {
	const char *name;		/* in lower case */
	uint8_t least, most;		/* number of arguments; UINT8_MAX: any number */
	classad_function *call;
};
#define FUNCTION_NONE UINT8_MAX
uint8_t function_find(const char *name, size_t bytes);	/* FUNCTION_NONE if unknown */
/*
 * `call` is NULL for functions that are instructions, because they must not be folded, or because
 * their argument is not evaluated.
 */
extern const struct function functions[];
/* Return ERROR if an argument is ERROR, else UNDEFINED if one is UNDEFINED, else a BOOL. */
struct classad_value arguments_strict(const struct classad_value *arguments, size_t n);

/* functions_text.c, functions_order.c, functions_list.c */
classad_function text_string, text_bool, text_strcat, text_substr, text_to_lower, text_to_upper, text_regexp,
	text_split, text_string_list_member, text_string_list_imember, text_string_list_size, text_regexp_member,
	text_string_list_regexp_member, text_same;
/* functions_substitute.c, functions_words.c */
classad_function text_regexps, text_replace, text_replace_all, words_intersect, words_subset, words_isubset;
classad_function order_strcmp, order_stricmp, order_versioncmp, order_version_gt, order_version_ge, order_version_lt,
	order_version_le, order_version_eq, order_version_in_range;
classad_function list_min, list_max, list_sum, list_avg, list_member, list_identical_member, list_size,
	list_any_compare, list_all_compare;
/* functions.c, functions_format.c */
classad_function number_int;
classad_function text_join, text_interval, text_format_time, text_split_user_name, text_split_slot_name, words_sum,
	words_avg, words_min, words_max;
/* Convert a value to STRING, UNDEFINED or ERROR (functions_text.c). */
struct classad_value value_as_text(const struct classad_value *value, struct classad_room *room);
/* Bytes that separate words, as a set, so that a word does not take longer if there are many. */
struct separators { bool is[256]; };
static inline struct separators separators_of(const char *text, struct classad_room *room)
{
	struct separators separators = { { false } };
	size_t n;

	for (n = 0; text[n]; n++)
		separators.is[(unsigned char)text[n]] = true;
	room_spend(room, n / 64);
	return separators;
}
/* Find the next word of a list of words. Returns false at the end. */
static inline bool word_next(const char **at, const struct separators *separators, size_t *bytes)
{
	const char *end;

	while (**at && separators->is[(unsigned char)**at])
		++*at;
	for (end = *at; *end && !separators->is[(unsigned char)*end]; end++)
		;
	*bytes = (size_t)(end - *at);
	return *bytes > 0;
}
/*
 * Allocate a text with room for a NUL. If the room is full, *value is ERROR and the result is
 * false.
 */
bool text_take(struct classad_value *value, size_t bytes, struct classad_room *room, char **text);
/*
 * Write a value as HTCondor writes it into a text: reals with an exponent. Returns the length. A
 * text that is larger than ROOM_BYTES is not complete, and its length is not the whole one
 * (write.c).
 */
size_t value_unparse(const struct classad_value *value, char *text, size_t size);
/* Write an expression in the same way, with blanks around operators (source.c). */
size_t expression_unparse(const struct classad_expression *expression, char *text, size_t size);
/* Convert the number at the beginning of a text to a REAL. ERROR if there is none. */
struct classad_value number_of_text(const char *text, size_t bytes);

/* regexp_compile.c, regexp_match.c */
#define REGEXP_TEXT_MOST 1024u		/* bytes of a pattern */
#define REGEXP_STATES_MOST 1024u
struct regexp;				/* may be copied as bytes */
/* Compile a pattern in the room. Returns NULL if the pattern is invalid or too large. */
struct regexp *regexp_compile(const char *text, size_t bytes, const char *options, struct classad_room *room);
/* Compile a pattern whose groups regexp_find() reports. */
struct regexp *regexp_compile_groups(const char *text, size_t bytes, const char *options, struct classad_room *room);
size_t regexp_bytes(const struct regexp *regexp);
/* Match a text. The result is BOOL, or ERROR if it takes too many steps. */
struct classad_value regexp_match(const struct regexp *regexp, const char *text, size_t bytes,
				  struct classad_room *room);

/* Places in a text, from \0 for the whole match to \9; UINT32_MAX: the group was not part of it. */
#define REGEXP_SPANS 10u
struct regexp_found {
	struct { uint32_t begin, end; } spans[REGEXP_SPANS];
	unsigned n;			/* greatest number of a group in the match, + 1 */
};
/*
 * Find the first match of a pattern of regexp_compile_groups() from `from` on (regexp_find.c).
 * `more`: only a match at `from` that is not empty. Returns 1, 0 if there is none, or -E2BIG if it
 * takes too many steps.
 */
int regexp_find(const struct regexp *regexp, const struct classad_value *text, size_t from, bool more,
		struct classad_room *room, struct regexp_found *found);

#endif
