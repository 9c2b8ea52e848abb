/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pattern as states.
 *
 *     alternatives = sequence { "|" sequence }
 *     sequence     = { atom [ ( "*" | "+" | "?" | "{m}" | "{m,}" | "{m,n}" ) [ "?" ] ] }
 *     atom         = "." | "^" | "$" | "[...]" | "(" [ "?:" ] alternatives ")" | "\" letter
 *                  | character
 *
 * Bytes are compared. \d \w \s \D \W \S \b \B \A \z \Z, \n \r \t \f \e \a \xHH, [:alpha:] and its
 * like in brackets, (?i) (?m) (?s) (?x) at the beginning; options i m s x.
 */
#include "conf/classad/regexp.h"

#define GROUPS_MOST 32u			/* ( in ( */
#define REPEATS_MOST 1000u

uint32_t regexp_emit(struct regexp_compiler *c, enum regexp_kind kind, uint32_t first, uint32_t second)
{
	if (c->nstates == REGEXP_STATES_MOST) {
		c->failed = true;
		return 0;
	}
	c->states[c->nstates] = (struct regexp_state){ (uint8_t)kind, (uint16_t)first, (uint16_t)second };
	return c->nstates++;
}

static void alternatives(struct regexp_compiler *c);

/* Behind "(". */
static void group(struct regexp_compiler *c)
{
	if (++c->groups > GROUPS_MOST) {
		c->failed = true;
		return;
	}
	if (c->end - c->at >= 2 && c->at[0] == '?' && c->at[1] == ':')
		c->at += 2;
	else if (c->at < c->end && (*c->at == '?' || *c->at == '*'))
		c->failed = true;
	alternatives(c);
	if (c->at == c->end || *c->at != ')')
		c->failed = true;
	else
		c->at++;
	c->groups--;
}

static void atom(struct regexp_compiler *c)
{
	struct byte_set set = { { 0 } };
	char letter = *c->at++;

	switch (letter) {
	case '[':
		regexp_bracket(c);
		break;
	case '(':
		group(c);
		break;
	case '\\':
		regexp_escape(c);
		break;
	case '^':
		regexp_emit(c, c->lines ? STATE_LINE_BEGIN : STATE_TEXT_BEGIN, 0, 0);
		break;
	case '$':
		regexp_emit(c, c->lines ? STATE_LINE_END : STATE_LAST_END, 0, 0);
		break;
	case '.':
		for (int i = 0; i < 256; i++)
			if (i != '\n' || c->dot_all)
				set_add(&set, (unsigned char)i);
		regexp_emit_set(c, set);
		break;
	default:
		set_add(&set, (unsigned char)letter);
		regexp_emit_set(c, set);
	}
}

static bool number(struct regexp_compiler *c, unsigned *value)
{
	const char *begin = c->at;

	for (*value = 0; c->at < c->end && is_digit(*c->at) && *value <= REPEATS_MOST; c->at++)
		*value = 10 * *value + (unsigned)(*c->at - '0');
	c->failed |= *value > REPEATS_MOST;
	return c->at > begin;
}

/* "{m}", "{m,}", "{m,n}"; anything else in braces stands for itself. */
static bool braces(struct regexp_compiler *c, unsigned *least, unsigned *most)
{
	const char *begin = c->at++;

	if (number(c, least)) {
		*most = *least;
		if (c->at < c->end && *c->at == ',') {
			c->at++;
			if (!number(c, most))
				*most = UINT32_MAX;
		}
		if (c->at < c->end && *c->at == '}') {
			c->at++;
			c->failed |= *most < *least;
			return true;
		}
	}
	c->at = begin;
	return false;
}

static bool repeat(struct regexp_compiler *c, unsigned *least, unsigned *most)
{
	*least = 0;
	*most = UINT32_MAX;
	if (c->at == c->end || c->failed)
		return false;
	switch (*c->at) {
	case '{':
		return braces(c, least, most);
	case '+':
		*least = 1;
		break;
	case '?':
		*most = 1;
		break;
	case '*':
		break;
	default:
		return false;
	}
	c->at++;
	return true;
}

/* States [from, to) go elsewhere: so do their jumps, which are among themselves. */
static void moved(struct regexp_compiler *c, uint32_t from, uint32_t to, uint32_t by)
{
	for (uint32_t i = from; i < to; i++) {
		struct regexp_state *s = &c->states[i];

		if (s->kind == STATE_SPLIT || s->kind == STATE_JUMP) {
			s->first = (uint16_t)(s->first + by);
			s->second = (uint16_t)(s->second + by);
		}
	}
}

/* A split in front of all since `at`, which goes there or, as far as is known yet, nowhere. */
static void insert_split(struct regexp_compiler *c, uint32_t at)
{
	regexp_emit(c, STATE_SPLIT, 0, 0);
	if (c->failed)
		return;
	memmove(&c->states[at + 1], &c->states[at], (c->nstates - 1 - at) * sizeof(*c->states));
	moved(c, at + 1, c->nstates, 1);
	c->states[at] = (struct regexp_state){ STATE_SPLIT, (uint16_t)(at + 1), 0 };
}

/* Another [from, to) behind all. */
static void again(struct regexp_compiler *c, uint32_t from, uint32_t to)
{
	uint32_t begin = c->nstates;

	if (to - from > REGEXP_STATES_MOST - c->nstates) {
		c->failed = true;
		return;
	}
	memcpy(&c->states[begin], &c->states[from], (to - from) * sizeof(*c->states));
	c->nstates += to - from;
	moved(c, begin, c->nstates, begin - from);
}

/* What was emitted since `from`, so many times. */
static void repeat_emit(struct regexp_compiler *c, uint32_t from, unsigned least, unsigned most)
{
	uint32_t split = from, to = c->nstates, last = from;
	unsigned n = 1;

	if (most == 0) {
		c->nstates = from;
		return;
	}
	if (least == 0) {
		insert_split(c, split);
		from++, to++;
		if (most == UINT32_MAX)
			regexp_emit(c, STATE_JUMP, split, 0);
		c->states[split].second = (uint16_t)c->nstates;
	}
	for (; n < least && !c->failed; n++) {
		last = c->nstates;
		again(c, from, to);
	}
	if (least > 0 && most == UINT32_MAX)
		regexp_emit(c, STATE_SPLIT, last, c->nstates + 1);
	for (; most != UINT32_MAX && n < most && !c->failed; n++) {	/* each may be skipped */
		split = regexp_emit(c, STATE_SPLIT, c->nstates + 1, 0);
		again(c, from, to);
		c->states[split].second = (uint16_t)c->nstates;
	}
}

/* Option x: blanks and comments are nothing. */
static void blanks_skip(struct regexp_compiler *c)
{
	while (c->blanks && c->at < c->end && (is_space(*c->at) || *c->at == '#')) {
		if (*c->at == '#')
			while (c->at < c->end && *c->at != '\n')
				c->at++;
		else
			c->at++;
	}
}

/* What is no character, and so can't be repeated: "^", "$", "\b" ... */
static bool is_place(const struct regexp_compiler *c)
{
	return *c->at == '^' || *c->at == '$' || (*c->at == '\\' && c->at + 1 < c->end && c->at[1] && strchr("bBAzZ", c->at[1]));
}

static void sequence(struct regexp_compiler *c)
{
	for (blanks_skip(c); !c->failed && c->at < c->end && *c->at != '|' && *c->at != ')'; blanks_skip(c)) {
		uint32_t state = c->nstates;
		unsigned least, most;
		bool place = is_place(c);

		if (repeat(c, &least, &most)) {		/* of nothing */
			c->failed = true;
			return;
		}
		atom(c);
		blanks_skip(c);
		if (!repeat(c, &least, &most))
			continue;
		c->failed |= place;
		repeat_emit(c, state, least, most);
		if (c->at < c->end && *c->at == '?')	/* whether it takes little or much is all the same to a yes or no */
			c->at++;
		else if (c->at < c->end && *c->at == '+')
			c->failed = true;
	}
}

/* A split in front of each sequence but the last, and a jump to the end behind it. */
static void alternatives(struct regexp_compiler *c)
{
	uint32_t begin = c->nstates, jumps = UINT32_MAX;

	for (sequence(c); !c->failed && c->at < c->end && *c->at == '|'; sequence(c)) {
		uint32_t jump;

		c->at++;
		insert_split(c, begin);
		jump = regexp_emit(c, STATE_JUMP, jumps == UINT32_MAX ? 0 : jumps, 0);
		c->states[begin].second = (uint16_t)c->nstates;
		jumps = jump;
		begin = c->nstates;
	}
	while (jumps != UINT32_MAX && !c->failed) {	/* they are chained by their goals until these are known */
		uint32_t next = c->states[jumps].first;

		c->states[jumps].first = (uint16_t)c->nstates;
		jumps = next == 0 ? UINT32_MAX : next;
	}
}

static void options_read(struct regexp_compiler *c, const char *options, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		c->fold |= (options[i] | 0x20) == 'i';
		c->lines |= (options[i] | 0x20) == 'm';
		c->dot_all |= (options[i] | 0x20) == 's';
		c->blanks |= (options[i] | 0x20) == 'x';
	}
}

static void options_inside(struct regexp_compiler *c)
{
	size_t n;

	if (c->end - c->at < 4 || c->at[0] != '(' || c->at[1] != '?')
		return;
	for (n = 0; c->at + 2 + n < c->end && strchr("imsx", c->at[2 + n]); n++)
		;
	if (n == 0 || c->at + 2 + n == c->end || c->at[2 + n] != ')')
		return;
	options_read(c, c->at + 2, n);
	c->at += n + 3;
}

size_t regexp_bytes(const struct regexp *p)
{
	return sizeof(*p) + p->nsets * sizeof(*p->sets) + p->nstates * sizeof(struct regexp_state);
}

struct regexp *regexp_compile(const char *text, size_t bytes, const char *options, struct classad_room *room)
{
	struct regexp_compiler c;
	struct regexp *p;

	c.at = text;
	c.end = text + bytes;
	c.fold = c.lines = c.dot_all = c.blanks = c.failed = false;
	c.groups = c.nstates = c.nsets = 0;
	if (bytes > REGEXP_TEXT_MOST)
		return NULL;
	options_read(&c, options, strlen(options));
	options_inside(&c);
	alternatives(&c);
	regexp_emit(&c, STATE_FOUND, 0, 0);
	if (c.failed || c.at < c.end)
		return NULL;
	p = room_take(room, sizeof(*p) + c.nsets * sizeof(*c.sets) + c.nstates * sizeof(*c.states), _Alignof(struct regexp));
	if (!p)
		return NULL;
	*p = (struct regexp){ c.nstates, c.nsets, c.states[0].kind == STATE_TEXT_BEGIN };
	memcpy(p->sets, c.sets, c.nsets * sizeof(*c.sets));
	memcpy(p->sets + c.nsets, c.states, c.nstates * sizeof(*c.states));
	return p;
}
