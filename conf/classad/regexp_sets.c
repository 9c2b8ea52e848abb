/* SPDX-License-Identifier: Apache-2.0 */
/* What a pattern says of one byte: classes, brackets, what stands behind a backslash. */
#include <ctype.h>

#include "conf/classad/regexp.h"

/* Letters in both cases. */
static void set_fold(struct byte_set *set)
{
	for (int letter = 'a'; letter <= 'z'; letter++) {
		if (set_has(set, (unsigned char)letter) || set_has(set, (unsigned char)toupper(letter))) {
			set_add(set, (unsigned char)letter);
			set_add(set, (unsigned char)toupper(letter));
		}
	}
}

void regexp_emit_set(struct regexp_compiler *c, struct byte_set set)
{
	uint32_t i;

	if (c->fold)
		set_fold(&set);
	for (i = 0; i < c->nsets && memcmp(&c->sets[i], &set, sizeof(set)) != 0; i++)
		;
	if (i == SETS_MOST) {
		c->failed = true;
		return;
	}
	if (i == c->nsets)
		c->sets[c->nsets++] = set;
	regexp_emit(c, STATE_SET, i, 0);
}

static void set_of_class(struct byte_set *set, bool has(int), bool negated)
{
	for (int c = 0; c < 256; c++)
		if ((c < 128 && has(c)) != negated)
			set_add(set, (unsigned char)c);
}

static bool class_alpha(int c) { return isalpha(c); }
static bool class_alnum(int c) { return isalnum(c); }
static bool class_lower(int c) { return islower(c); }
static bool class_upper(int c) { return isupper(c); }
static bool class_punct(int c) { return ispunct(c); }
static bool class_xdigit(int c) { return isxdigit(c); }
static bool class_blank(int c) { return c == ' ' || c == '\t'; }
static bool class_cntrl(int c) { return iscntrl(c); }
static bool class_print(int c) { return isprint(c); }
static bool class_graph(int c) { return isgraph(c); }

/* \d and its like: false if the letter is none of them. */
static bool escape_class(struct byte_set *set, char letter)
{
	switch (letter) {
	case 'd': case 'D':
		set_of_class(set, is_digit, letter == 'D');
		return true;
	case 'w': case 'W':
		set_of_class(set, is_word, letter == 'W');
		return true;
	case 's': case 'S':
		set_of_class(set, is_space, letter == 'S');
		return true;
	default:
		return false;
	}
}

static unsigned char hexadecimal(struct regexp_compiler *c)
{
	unsigned value = 0;

	for (int i = 0; i < 2 && c->at < c->end && isxdigit((unsigned char)*c->at); i++, c->at++)
		value = 16 * value + (unsigned)(is_digit(*c->at) ? *c->at - '0' : (*c->at | 0x20) - 'a' + 10);
	return (unsigned char)value;
}

/*
 * Behind the backslash: the byte that is meant. Letters and digits that mean something else are
 * refused.
 */
static unsigned char escape_byte(struct regexp_compiler *c)
{
	char letter = *c->at++;

	switch (letter) {
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	case 'f': return '\f';
	case 'e': return 0x1b;
	case 'a': return '\a';
	case 'x': return hexadecimal(c);
	default:
		c->failed |= is_word(letter) && letter != '_';
		return (unsigned char)letter;
	}
}

/* "[:alpha:]" in brackets. */
static bool named_class(struct regexp_compiler *c, struct byte_set *set)
{
	static const struct { const char *name; bool (*has)(int c); } classes[] = {
		{ "alpha", class_alpha }, { "digit", is_digit }, { "alnum", class_alnum }, { "lower", class_lower }, { "upper", class_upper },
		{ "space", is_space }, { "punct", class_punct }, { "xdigit", class_xdigit }, { "blank", class_blank }, { "word", is_word },
		{ "cntrl", class_cntrl }, { "print", class_print }, { "graph", class_graph },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		size_t n = strlen(classes[i].name);

		if ((size_t)(c->end - c->at) >= n + 4 && memcmp(c->at + 2, classes[i].name, n) == 0 && memcmp(c->at + 2 + n, ":]", 2) == 0) {
			set_of_class(set, classes[i].has, false);
			c->at += n + 4;
			return true;
		}
	}
	return false;
}

/* One of a set in brackets, or the end of a range; false: it was a class, which is in the set. */
static bool bracket_byte(struct regexp_compiler *c, struct byte_set *set, unsigned char *byte)
{
	if (*c->at == '[' && c->at + 1 < c->end && c->at[1] == ':' && named_class(c, set))
		return false;
	*byte = (unsigned char)*c->at++;
	if (*byte != '\\')
		return true;
	if (c->at == c->end) {
		c->failed = true;
		return false;
	}
	if (escape_class(set, *c->at)) {
		c->at++;
		return false;
	}
	if (*c->at == 'b') {		/* a backspace, there */
		c->at++;
		*byte = '\b';
		return true;
	}
	*byte = escape_byte(c);
	return true;
}

/* Behind "[". */
void regexp_bracket(struct regexp_compiler *c)
{
	struct byte_set set = { { 0 } };
	bool negated = c->at < c->end && *c->at == '^', first = true;
	unsigned char from, to;

	for (c->at += negated; !c->failed && c->at < c->end && (first || *c->at != ']'); first = false) {
		if (!bracket_byte(c, &set, &from))
			continue;
		to = from;
		if (c->end - c->at >= 2 && *c->at == '-' && c->at[1] != ']') {
			c->at++;
			if (!bracket_byte(c, &set, &to))
				c->failed = true;
		}
		c->failed |= to < from;
		for (unsigned byte = from; !c->failed && byte <= to; byte++)
			set_add(&set, (unsigned char)byte);
	}
	if (c->at == c->end)
		c->failed = true;
	if (c->failed)
		return;
	c->at++;
	if (c->fold)			/* before it is turned round */
		set_fold(&set);
	for (int i = 0; negated && i < 4; i++)
		set.bits[i] = ~set.bits[i];
	regexp_emit_set(c, set);
}

void regexp_escape(struct regexp_compiler *c)
{
	struct byte_set set = { { 0 } };

	if (c->at == c->end) {
		c->failed = true;
		return;
	}
	if (escape_class(&set, *c->at)) {
		c->at++;
		regexp_emit_set(c, set);
		return;
	}
	switch (*c->at) {
	case 'b': regexp_emit(c, STATE_WORD, 0, 0); break;
	case 'B': regexp_emit(c, STATE_NO_WORD, 0, 0); break;
	case 'A': regexp_emit(c, STATE_TEXT_BEGIN, 0, 0); break;
	case 'z': regexp_emit(c, STATE_TEXT_END, 0, 0); break;
	case 'Z': regexp_emit(c, STATE_LAST_END, 0, 0); break;
	default:
		set_add(&set, escape_byte(c));
		regexp_emit_set(c, set);
		return;
	}
	c->at++;
}
