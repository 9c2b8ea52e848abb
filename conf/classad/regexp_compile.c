/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compilation of a pattern to states.
 *
 *     alternatives = sequence { "|" sequence }
 *     sequence     = { atom [ ( "*" | "+" | "?" | "{m}" | "{m,}" | "{m,n}" ) [ "?" ] ] }
 *     atom         = "." | "^" | "$" | "[...]" | "(" [ "?:" ] alternatives ")" | "\" letter
 *                  | character
 *
 * Bytes are compared. The pattern may have \d \w \s \D \W \S \b \B \A \z \Z, \n \r \t \f \e \a
 * \xHH, classes such as [:alpha:] in brackets, and (?i) (?m) (?s) (?x) at the beginning. The
 * options are i m s x.
 */
#include "conf/classad/regexp.h"

#define GROUPS_MOST 32u			/* nested ( */
#define REPEATS_MOST 1000u

uint32_t regexp_emit(struct regexp_compiler *compiler, enum regexp_kind kind, uint32_t first, uint32_t second)
{
	if (compiler->nstates == REGEXP_STATES_MOST) {
		compiler->failed = true;
		return 0;
	}
	compiler->states[compiler->nstates] = (struct regexp_state){ (uint8_t)kind, (uint16_t)first, (uint16_t)second };
	return compiler->nstates++;
}

static void alternatives(struct regexp_compiler *compiler);

/* Save a place of a group if it has a number that can be referred to. */
static void save_emit(struct regexp_compiler *compiler, unsigned number, unsigned place)
{
	if (compiler->saves && number > 0 && number < REGEXP_SPANS)
		regexp_emit(compiler, STATE_SAVE, 2 * number + place, 0);
}

/* Compile the rest after "(". */
static void group(struct regexp_compiler *compiler)
{
	unsigned number = 0;

	if (++compiler->groups > GROUPS_MOST) {
		compiler->failed = true;
		return;
	}
	if (compiler->end - compiler->at >= 2 && compiler->at[0] == '?' && compiler->at[1] == ':')
		compiler->at += 2;
	else if (compiler->at < compiler->end && (*compiler->at == '?' || *compiler->at == '*'))
		compiler->failed = true;
	else
		number = ++compiler->numbered;
	save_emit(compiler, number, 0);
	alternatives(compiler);
	save_emit(compiler, number, 1);
	if (compiler->at == compiler->end || *compiler->at != ')')
		compiler->failed = true;
	else
		compiler->at++;
	compiler->groups--;
}

static void atom(struct regexp_compiler *compiler)
{
	struct byte_set set = { { 0 } };
	char letter = *compiler->at++;

	switch (letter) {
	case '[':
		regexp_bracket(compiler);
		break;
	case '(':
		group(compiler);
		break;
	case '\\':
		regexp_escape(compiler);
		break;
	case '^':
		regexp_emit(compiler, compiler->lines ? STATE_LINE_BEGIN : STATE_TEXT_BEGIN, 0, 0);
		break;
	case '$':
		regexp_emit(compiler, compiler->lines ? STATE_LINE_END : STATE_LAST_END, 0, 0);
		break;
	case '.':
		for (int i = 0; i < 256; i++)
			if (i != '\n' || compiler->dot_all)
				set_add(&set, (unsigned char)i);
		regexp_emit_set(compiler, set);
		break;
	default:
		set_add(&set, (unsigned char)letter);
		regexp_emit_set(compiler, set);
	}
}

static bool number(struct regexp_compiler *compiler, unsigned *value)
{
	const char *begin = compiler->at;

	for (*value = 0; compiler->at < compiler->end && is_digit(*compiler->at) && *value <= REPEATS_MOST;
	     compiler->at++)
		*value = 10 * *value + (unsigned)(*compiler->at - '0');
	compiler->failed |= *value > REPEATS_MOST;
	return compiler->at > begin;
}

/* Read "{m}", "{m,}" or "{m,n}". Braces with any other content are literal. */
static bool braces(struct regexp_compiler *compiler, unsigned *least, unsigned *most)
{
	const char *begin = compiler->at++;

	if (number(compiler, least)) {
		*most = *least;
		if (compiler->at < compiler->end && *compiler->at == ',') {
			compiler->at++;
			if (!number(compiler, most))
				*most = UINT32_MAX;
		}
		if (compiler->at < compiler->end && *compiler->at == '}') {
			compiler->at++;
			compiler->failed |= *most < *least;
			return true;
		}
	}
	compiler->at = begin;
	return false;
}

static bool repeat(struct regexp_compiler *compiler, unsigned *least, unsigned *most)
{
	*least = 0;
	*most = UINT32_MAX;
	if (compiler->at == compiler->end || compiler->failed)
		return false;
	switch (*compiler->at) {
	case '{':
		return braces(compiler, least, most);
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
	compiler->at++;
	return true;
}

/*
 * Adjust the jumps of the states [from, to) after these states have moved. They jump only among
 * themselves.
 */
static void moved(struct regexp_compiler *compiler, uint32_t from, uint32_t to, uint32_t by)
{
	for (uint32_t i = from; i < to; i++) {
		struct regexp_state *state = &compiler->states[i];

		if (state->kind == STATE_SPLIT || state->kind == STATE_JUMP) {
			state->first = (uint16_t)(state->first + by);
			state->second = (uint16_t)(state->second + by);
		}
	}
}

/*
 * Insert a split before all states since `at`. It goes to the first of them, or to a target that is
 * set later.
 */
static void insert_split(struct regexp_compiler *compiler, uint32_t at)
{
	regexp_emit(compiler, STATE_SPLIT, 0, 0);
	if (compiler->failed)
		return;
	memmove(&compiler->states[at + 1], &compiler->states[at],
		(compiler->nstates - 1 - at) * sizeof(*compiler->states));
	moved(compiler, at + 1, compiler->nstates, 1);
	compiler->states[at] = (struct regexp_state){ STATE_SPLIT, (uint16_t)(at + 1), 0 };
}

/* Append a copy of the states [from, to). */
static void again(struct regexp_compiler *compiler, uint32_t from, uint32_t to)
{
	uint32_t begin = compiler->nstates;

	if (to - from > REGEXP_STATES_MOST - compiler->nstates) {
		compiler->failed = true;
		return;
	}
	memcpy(&compiler->states[begin], &compiler->states[from], (to - from) * sizeof(*compiler->states));
	compiler->nstates += to - from;
	moved(compiler, begin, compiler->nstates, begin - from);
}

/* Let a split prefer to leave a repetition. */
static void prefer_end(struct regexp_compiler *compiler, uint32_t split, bool lazy)
{
	struct regexp_state *state = &compiler->states[split];

	if (lazy)
		*state = (struct regexp_state){ STATE_SPLIT, state->second, state->first };
}

/* Repeat the states since `from` between `least` and `most` times; `lazy`: as few as possible. */
static void repeat_emit(struct regexp_compiler *compiler, uint32_t from, unsigned least, unsigned most, bool lazy)
{
	uint32_t split = from, to = compiler->nstates, last = from;
	unsigned n = 1;

	if (most == 0) {
		compiler->nstates = from;
		return;
	}
	if (least == 0) {
		insert_split(compiler, split);
		from++, to++;
		if (most == UINT32_MAX)
			regexp_emit(compiler, STATE_JUMP, split, 0);
		compiler->states[split].second = (uint16_t)compiler->nstates;
		prefer_end(compiler, split, lazy);
	}
	for (; n < least && !compiler->failed; n++) {
		last = compiler->nstates;
		again(compiler, from, to);
	}
	if (least > 0 && most == UINT32_MAX)
		prefer_end(compiler, regexp_emit(compiler, STATE_SPLIT, last, compiler->nstates + 1), lazy);
	for (; most != UINT32_MAX && n < most && !compiler->failed; n++) {
		/* every copy may be skipped */
		split = regexp_emit(compiler, STATE_SPLIT, compiler->nstates + 1, 0);
		again(compiler, from, to);
		compiler->states[split].second = (uint16_t)compiler->nstates;
		prefer_end(compiler, split, lazy);
	}
}

/* Skip blanks and comments with option x. */
static void blanks_skip(struct regexp_compiler *compiler)
{
	while (compiler->blanks && compiler->at < compiler->end && (is_space(*compiler->at) || *compiler->at == '#')) {
		if (*compiler->at == '#')
			while (compiler->at < compiler->end && *compiler->at != '\n')
				compiler->at++;
		else
			compiler->at++;
	}
}

/*
 * Return true for an assertion, which is not a character and cannot be repeated: "^", "$", "\b" ...
 */
static bool is_place(const struct regexp_compiler *compiler)
{
	return *compiler->at == '^' || *compiler->at == '$' ||
	       (*compiler->at == '\\' && compiler->at + 1 < compiler->end && compiler->at[1] &&
		strchr("bBAzZ", compiler->at[1]));
}

static void sequence(struct regexp_compiler *compiler)
{
	for (blanks_skip(compiler);
	     !compiler->failed && compiler->at < compiler->end && *compiler->at != '|' && *compiler->at != ')';
	     blanks_skip(compiler)) {
		uint32_t state = compiler->nstates;
		unsigned least, most;
		bool place = is_place(compiler), lazy;

		if (repeat(compiler, &least, &most)) {		/* repetition of an empty pattern */
			compiler->failed = true;
			return;
		}
		atom(compiler);
		blanks_skip(compiler);
		if (!repeat(compiler, &least, &most))
			continue;
		compiler->failed |= place;
		lazy = compiler->at < compiler->end && *compiler->at == '?';
		repeat_emit(compiler, state, least, most, lazy);
		if (lazy)
			compiler->at++;
		else if (compiler->at < compiler->end && *compiler->at == '+')
			compiler->failed = true;
	}
}

/*
 * Compile alternatives: a split before each sequence but the last, and a jump to the end after it.
 */
static void alternatives(struct regexp_compiler *compiler)
{
	uint32_t begin = compiler->nstates, jumps = UINT32_MAX;

	for (sequence(compiler); !compiler->failed && compiler->at < compiler->end && *compiler->at == '|';
	     sequence(compiler)) {
		uint32_t jump;

		compiler->at++;
		insert_split(compiler, begin);
		jump = regexp_emit(compiler, STATE_JUMP, jumps == UINT32_MAX ? 0 : jumps, 0);
		compiler->states[begin].second = (uint16_t)compiler->nstates;
		jumps = jump;
		begin = compiler->nstates;
	}
	while (jumps != UINT32_MAX && !compiler->failed) {
		/* the jumps are chained by their targets until the end is known */
		uint32_t next = compiler->states[jumps].first;

		compiler->states[jumps].first = (uint16_t)compiler->nstates;
		jumps = next == 0 ? UINT32_MAX : next;
	}
}

static void options_read(struct regexp_compiler *compiler, const char *options, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		compiler->fold |= (options[i] | 0x20) == 'i';
		compiler->lines |= (options[i] | 0x20) == 'm';
		compiler->dot_all |= (options[i] | 0x20) == 's';
		compiler->blanks |= (options[i] | 0x20) == 'x';
	}
}

static void options_inside(struct regexp_compiler *compiler)
{
	size_t n;

	if (compiler->end - compiler->at < 4 || compiler->at[0] != '(' || compiler->at[1] != '?')
		return;
	for (n = 0; compiler->at + 2 + n < compiler->end && strchr("imsx", compiler->at[2 + n]); n++)
		;
	if (n == 0 || compiler->at + 2 + n == compiler->end || compiler->at[2 + n] != ')')
		return;
	options_read(compiler, compiler->at + 2, n);
	compiler->at += n + 3;
}

size_t regexp_bytes(const struct regexp *regexp)
{
	return sizeof(*regexp) + regexp->nsets * sizeof(*regexp->sets) + regexp->nstates * sizeof(struct regexp_state);
}

static struct regexp *compile(const char *text, size_t bytes, const char *options, bool saves,
			      struct classad_room *room)
{
	struct regexp_compiler compiler;
	struct regexp *regexp;

	compiler.saves = saves;
	compiler.numbered = 0;
	compiler.at = text;
	compiler.end = text + bytes;
	compiler.fold = compiler.lines = compiler.dot_all = compiler.blanks = compiler.failed = false;
	compiler.groups = compiler.nstates = compiler.nsets = 0;
	if (bytes > REGEXP_TEXT_MOST || room_spend(room, strlen(options) / 16))
		return NULL;
	options_read(&compiler, options, strlen(options));
	options_inside(&compiler);
	alternatives(&compiler);
	regexp_emit(&compiler, STATE_FOUND, 0, 0);
	if (compiler.failed || compiler.at < compiler.end)
		return NULL;
	regexp = room_take(room,
			   sizeof(*regexp) + compiler.nsets * sizeof(*compiler.sets) +
				   compiler.nstates * sizeof(*compiler.states),
			   _Alignof(struct regexp));
	if (!regexp)
		return NULL;
	*regexp = (struct regexp){ compiler.nstates, compiler.nsets, compiler.states[0].kind == STATE_TEXT_BEGIN };
	memcpy(regexp->sets, compiler.sets, compiler.nsets * sizeof(*compiler.sets));
	memcpy(regexp->sets + compiler.nsets, compiler.states, compiler.nstates * sizeof(*compiler.states));
	return regexp;
}

struct regexp *regexp_compile(const char *text, size_t bytes, const char *options, struct classad_room *room)
{
	return compile(text, bytes, options, false, room);
}

struct regexp *regexp_compile_groups(const char *text, size_t bytes, const char *options, struct classad_room *room)
{
	return compile(text, bytes, options, true, room);
}
