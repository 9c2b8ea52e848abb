/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of this room share.
 *
 * An expression is one piece of memory: its value if that is the same everywhere, else a program
 * for a machine with a stack. Instructions are in the order of evaluation and jump forward only, so
 * that a program ends after at most as many steps as it has instructions.
 */
#ifndef CONF_CLASSAD_INSIDE_H
#define CONF_CLASSAD_INSIDE_H

#include <string.h>
#include <strings.h>

#include "conf/classad/classad.h"

#define STACK_MOST 1000u		/* values of a program at a time */
#define NAME_MOST 255u			/* bytes of an attribute's name */
#define ATTRIBUTES_MOST 4096u		/* of an ad */
#define ROOM_BYTES ((size_t)2 << 20)	/* only what is used of it becomes memory */

enum operation {
	/* One operand each. */
	OP_NOT,
	OP_MINUS,
	OP_PLUS,
	OP_COMPLEMENT,
	OP_SELECT,
	/* Two, in the order of level_of() in parse.c. */
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
	OP_OR, /* behind their tests, below */
	/* `n` of them. */
	OP_LIST,
	OP_CALL,
	/* None. */
	OP_CONSTANT,
	OP_MY,
	OP_TARGET,
	OP_NAME,
	OP_NAME_OR_TIME,
	OP_TIME,
	/* A constant pattern on a text: program's patterns. */
	OP_MATCH,
	/*
	 * What decides alone stays, and `operand` is where it goes on; else it stays as first
	 * operand.
	 */
	OP_AND_TEST,
	OP_OR_TEST,
	/* What is not undefined stays, and `operand` is where it goes on; else it is dropped. */
	OP_UNLESS_UNDEFINED,
	/*
	 * A condition is dropped: true goes on here, false at `operand`; undefined and error stay,
	 * and go on at the jump before that.
	 */
	OP_BRANCH,
	OP_JUMP,
};

struct instruction {
	uint8_t operation;
	uint8_t function;	/* of OP_CALL: number in the table of functions.c */
	uint16_t n;		/* of OP_LIST, OP_CALL */
	uint32_t operand;	/* constant, key, pattern, or instruction to go on at */
};

struct name_key {			/* an attribute's name, as it is sought */
	const char *name;
	uint32_t hash, bytes;
};

struct program {
	const struct instruction *code;
	const struct classad_value *constants;
	const struct name_key *keys;
	uint32_t ncode, nkeys;
	uint32_t stack;		/* values at a time, at most */
};

struct classad_expression {
	const char *text;		/* as written; NULL: set as a value */
	const struct program *program;	/* NULL: `value` it is */
	struct classad_value value;
	struct name_key key;			/* of an attribute; else name NULL */
	size_t capacity;		/* of a value: bytes for its text */
};

struct name_slot {
	uint32_t hash, item;		/* INDEX_NONE: a free one */
};

struct classad {
	const struct classad *behind;
	struct classad_expression **items;	/* owned, in order of name */
	struct name_slot *slots;			/* open addressing over items */
	uint32_t n, capacity, size;		/* size: of slots, a power of two, or 0 */
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

/* The attribute of that name, of `ad` or of what is behind it. */
static inline const struct classad_expression *ad_find(const struct classad *ad, const struct name_key *key)
{
	for (; ad; ad = ad->behind) {
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

/* Truth as && || ! and ?: see it: BOOL, UNDEFINED or ERROR. */
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

/* parse.c: an attribute if `name` is not NULL. Reads all of the `bytes`. */
int expression_parse(struct classad_expression **expression, const char *name, const char *text, size_t bytes,
		     struct error *error);
/* build.c: a value as an attribute, with room for a text of `capacity` bytes. NULL: no memory. */
struct classad_expression *expression_of_value(const char *name, const struct classad_value *value, size_t capacity);

/* ad.c */
struct name_key name_key_of(const char *name, size_t bytes);
/* Like classad_set(). */
int ad_set(struct classad *ad, const char *name, const char *text, size_t bytes, struct error *error);

/* evaluate.c: an operation that is no jump on operands, in place of the first one. */
void operation_apply(const struct instruction *instruction, struct classad_value *operands, struct classad_room *room);
/* True: no further step is allowed. */
static inline bool room_spend(struct classad_room *room, size_t steps)
{
	room->steps += steps < CLASSAD_STEPS_MOST ? (uint32_t)steps : CLASSAD_STEPS_MOST;
	if (room->steps < CLASSAD_STEPS_MOST)
		return false;
	room->steps = CLASSAD_STEPS_MOST;
	return true;
}

/* room.c: NULL: no room any more. `alignment` is a power of two. */
void *room_take(struct classad_room *room, size_t bytes, size_t alignment);

/* compare.c, arithmetic.c: with error and undefined as operands, too, and result in place of x. */
void value_compare(enum operation operation, struct classad_value *x, const struct classad_value *y);
void value_calculate(enum operation operation, struct classad_value *x, const struct classad_value *y);
void value_sign(enum operation operation, struct classad_value *value);
/* A number or boolean as a number of this type. */
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
	const char *name;		/* in small letters */
	uint8_t least, most;		/* arguments; UINT8_MAX: any number */
	classad_function *call;
};
#define FUNCTION_NONE UINT8_MAX
uint8_t function_find(const char *name, size_t bytes);	/* FUNCTION_NONE */
extern const struct function functions[];
/* The worst of them: ERROR before UNDEFINED; BOOL: neither is there. */
struct classad_value arguments_strict(const struct classad_value *arguments, size_t n);

/* functions_text.c, functions_order.c, functions_list.c */
classad_function text_string, text_bool, text_strcat, text_substr, text_to_lower, text_to_upper, text_regexp,
	text_split, text_string_list_member, text_string_list_imember, text_string_list_size, text_regexp_member,
	text_string_list_regexp_member;
classad_function order_strcmp, order_stricmp, order_versioncmp, order_version_gt, order_version_ge, order_version_lt,
	order_version_le, order_version_eq, order_version_in_range;
classad_function list_min, list_max, list_sum, list_avg, list_member, list_identical_member, list_size,
	list_any_compare, list_all_compare;
/* functions.c, functions_format.c */
classad_function number_int;
classad_function text_join, text_interval, text_format_time, text_split_user_name, text_split_slot_name, words_sum,
	words_avg, words_min, words_max;
/* functions_text.c: STRING, or UNDEFINED, or ERROR. */
struct classad_value value_as_text(const struct classad_value *value, struct classad_room *room);
/* The next word of a list of words; false: there is none. */
static inline bool word_next(const char **at, const char *separators, size_t *bytes)
{
	*at += strspn(*at, separators);
	*bytes = strcspn(*at, separators);
	return *bytes > 0;
}
/* A text of its own, with room for a NUL. False: no room, and *v is ERROR. */
bool text_take(struct classad_value *value, size_t bytes, struct classad_room *room, char **text);
/* write.c: as HTCondor writes a value into a text: reals with an exponent. Returns the length. */
size_t value_unparse(const struct classad_value *value, char *text, size_t size);
/* A text as a number, whole and nothing else: INT, REAL or ERROR. */
struct classad_value number_of_text(const char *text, size_t bytes);

/* regexp_compile.c, regexp_match.c */
#define REGEXP_TEXT_MOST 1024u		/* bytes of a pattern */
#define REGEXP_STATES_MOST 1024u
struct regexp;				/* can be moved as bytes */
/* Taken from room. NULL: no pattern, or too large a one. */
struct regexp *regexp_compile(const char *text, size_t bytes, const char *options, struct classad_room *room);
size_t regexp_bytes(const struct regexp *regexp);
/* BOOL; ERROR: too many steps. */
struct classad_value regexp_match(const struct regexp *regexp, const char *text, size_t bytes,
				  struct classad_room *room);

#endif
