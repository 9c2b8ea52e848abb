/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The regular expressions of regexp(): Perl's, without what makes them costly: back references,
 * looking around, possessive and atomic groups. A pattern becomes states, and all ways through them
 * are gone side by side (K. Thompson, Regular Expression Search Algorithm, 1968), so that a text of
 * n bytes costs at most n times the states, however cunning the pattern is.
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
	STATE_FOUND,
};

struct regexp_state {
	uint8_t kind;
	uint16_t first, second;		/* where it goes on; of a set: its number in `first` */
};

struct byte_set {
	uint64_t bits[4];
};

struct regexp {
	uint32_t nstates, nsets;
	bool anchored;			/* it begins with ^ or \A */
	struct byte_set sets[];		/* states behind them */
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
	const char *at, *end;		/* of the pattern, which is not read yet */
	bool fold, lines, dot_all, blanks;	/* options i m s x */
	bool failed;
	unsigned groups;
	uint32_t nstates, nsets;
	struct regexp_state states[REGEXP_STATES_MOST];
	struct byte_set sets[SETS_MOST];
};

/* regexp_compile.c: a state behind all, and its number. No room for it: `failed`. */
uint32_t regexp_emit(struct regexp_compiler *compiler, enum regexp_kind kind, uint32_t first, uint32_t second);
/*
 * regexp_sets.c: one that takes a byte of the set; the same letter in the other case, too, with
 * option i.
 */
void regexp_emit_set(struct regexp_compiler *compiler, struct byte_set set);
void regexp_bracket(struct regexp_compiler *compiler);		/* behind "[" */
void regexp_escape(struct regexp_compiler *compiler);		/* behind a backslash */

static inline void set_add(struct byte_set *set, unsigned char c)
{
	set->bits[c / 64] |= (uint64_t)1 << (c % 64);
}

#endif
