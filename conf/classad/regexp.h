/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions of regexp(): those of Perl without the expensive features, which are back
 * references, lookaround, and possessive and atomic groups. A pattern becomes states, and all paths
 * through them are followed in parallel (K. Thompson, Regular Expression Search Algorithm, 1968). A
 * text of n bytes therefore costs at most n times the number of states, whatever the pattern.
 */
#ifndef CONF_CLASSAD_REGEXP_H
#define CONF_CLASSAD_REGEXP_H

#include "conf/classad/inside.h"

enum regexp_kind {
	STATE_SET,
	STATE_SPLIT,
	STATE_JUMP,
	STATE_LINE_BEGIN,
	STATE_LINE_END,
	STATE_TEXT_BEGIN,
	STATE_TEXT_END,
	STATE_LAST_END,
	STATE_WORD,
	STATE_NO_WORD,
	STATE_SAVE,			/* `first`: index of the place that is saved */
	STATE_FOUND,
};

struct regexp_state {
	uint8_t kind;
	uint16_t first, second;		/* next states; for a set `first` is its index */
};

struct byte_set {
	uint64_t bits[4];
};

struct regexp {
	uint32_t nstates, nsets;
	bool anchored;			/* the pattern begins with ^ or \A */
	struct byte_set sets[];		/* followed by the states */
};

static inline bool set_has(const struct byte_set *set, unsigned char c)
{
	return set->bits[c / 64] >> (c % 64) & 1;
}

static inline bool is_word(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static inline bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_space(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline const struct regexp_state *states_of(const struct regexp *regexp)
{
	return (const struct regexp_state *)(regexp->sets + regexp->nsets);
}

#define SETS_MOST 256u

struct regexp_compiler {
	const char *at, *end;		/* rest of the pattern */
	bool fold, lines, dot_all, blanks;	/* options i m s x */
	bool failed;
	unsigned groups;		/* open groups */
	bool saves;			/* places of groups are saved */
	unsigned numbered;		/* groups with a number so far */
	uint32_t nstates, nsets;
	struct regexp_state states[REGEXP_STATES_MOST];
	struct byte_set sets[SETS_MOST];
};

/* Return true if an assertion holds before the byte `at` (regexp_match.c). */
bool regexp_place_holds(enum regexp_kind kind, const char *text, size_t bytes, size_t at);
/* Append a state and return its number (regexp_compile.c). If there is no room, `failed` is set. */
uint32_t regexp_emit(struct regexp_compiler *compiler, enum regexp_kind kind, uint32_t first, uint32_t second);
/*
 * Append a state that matches a byte of the set, also in the other case with option i
 * (regexp_sets.c).
 */
void regexp_emit_set(struct regexp_compiler *compiler, struct byte_set set);
void regexp_bracket(struct regexp_compiler *compiler);		/* compiles the rest after "[" */
/* Compile the rest after a backslash. */
void regexp_escape(struct regexp_compiler *compiler);

static inline void set_add(struct byte_set *set, unsigned char c)
{
	set->bits[c / 64] |= (uint64_t)1 << (c % 64);
}

#endif
