/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a pattern that match one byte: classes, brackets, and escapes. */
#include <ctype.h>

#include "conf/classad/regexp.h"

/* Add the other case of each letter. */
static void set_fold(struct byte_set *set)
{
	for (int letter = 'a'; letter <= 'z'; letter++) {
		if (set_has(set, (unsigned char)letter) || set_has(set, (unsigned char)toupper(letter))) {
			set_add(set, (unsigned char)letter);
			set_add(set, (unsigned char)toupper(letter));
		}
	}
}

void regexp_emit_set(struct regexp_compiler *compiler, struct byte_set set)
{
	uint32_t i;

	if (compiler->fold)
		set_fold(&set);
	for (i = 0; i < compiler->nsets && memcmp(&compiler->sets[i], &set, sizeof(set)) != 0; i++)
		;
	if (i == SETS_MOST) {
		compiler->failed = true;
		return;
	}
	if (i == compiler->nsets)
		compiler->sets[compiler->nsets++] = set;
	regexp_emit(compiler, STATE_SET, i, 0);
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

/* Add the class of \d and similar escapes. Returns false if the letter is not a class. */
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

static unsigned char hexadecimal(struct regexp_compiler *compiler)
{
	unsigned value = 0;

	for (int i = 0; i < 2 && compiler->at < compiler->end && isxdigit((unsigned char)*compiler->at);
	     i++, compiler->at++)
		value = 16 * value +
			(unsigned)(is_digit(*compiler->at) ? *compiler->at - '0' : (*compiler->at | 0x20) - 'a' + 10);
	return (unsigned char)value;
}

/* Read the byte after the backslash. Letters and digits with another meaning are refused. */
static unsigned char escape_byte(struct regexp_compiler *compiler)
{
	char letter = *compiler->at++;

	switch (letter) {
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	case 'f': return '\f';
	case 'e': return 0x1b;
	case 'a': return '\a';
	case 'x': return hexadecimal(compiler);
	default:
		compiler->failed |= is_word(letter) && letter != '_';
		return (unsigned char)letter;
	}
}

/* Read "[:alpha:]" in brackets. */
static bool named_class(struct regexp_compiler *compiler, struct byte_set *set)
{
	static const struct { const char *name; bool (*has)(int compiler);
	} classes[] = {
		{ "alpha", class_alpha }, { "digit", is_digit }, { "alnum", class_alnum }, { "lower", class_lower },
		{ "upper", class_upper }, { "space", is_space }, { "punct", class_punct }, { "xdigit", class_xdigit },
		{ "blank", class_blank }, { "word", is_word },	 { "cntrl", class_cntrl }, { "print", class_print },
		{ "graph", class_graph },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		size_t n = strlen(classes[i].name);

		if ((size_t)(compiler->end - compiler->at) >= n + 4 &&
		    memcmp(compiler->at + 2, classes[i].name, n) == 0 && memcmp(compiler->at + 2 + n, ":]", 2) == 0) {
			set_of_class(set, classes[i].has, false);
			compiler->at += n + 4;
			return true;
		}
	}
	return false;
}

/*
 * Read a byte of a set in brackets, or the end of a range. Returns false if it was a class, which
 * has been added to the set.
 */
static bool bracket_byte(struct regexp_compiler *compiler, struct byte_set *set, unsigned char *byte)
{
	if (*compiler->at == '[' && compiler->at + 1 < compiler->end && compiler->at[1] == ':' &&
	    named_class(compiler, set))
		return false;
	*byte = (unsigned char)*compiler->at++;
	if (*byte != '\\')
		return true;
	if (compiler->at == compiler->end) {
		compiler->failed = true;
		return false;
	}
	if (escape_class(set, *compiler->at)) {
		compiler->at++;
		return false;
	}
	if (*compiler->at == 'b') {		/* means a backspace in brackets */
		compiler->at++;
		*byte = '\b';
		return true;
	}
	*byte = escape_byte(compiler);
	return true;
}

/* Compile the rest after "[". */
void regexp_bracket(struct regexp_compiler *compiler)
{
	struct byte_set set = { { 0 } };
	bool negated = compiler->at < compiler->end && *compiler->at == '^', first = true;
	unsigned char from, to;

	for (compiler->at += negated;
	     !compiler->failed && compiler->at < compiler->end && (first || *compiler->at != ']'); first = false) {
		if (!bracket_byte(compiler, &set, &from))
			continue;
		to = from;
		if (compiler->end - compiler->at >= 2 && *compiler->at == '-' && compiler->at[1] != ']') {
			compiler->at++;
			if (!bracket_byte(compiler, &set, &to))
				compiler->failed = true;
		}
		compiler->failed |= to < from;
		for (unsigned byte = from; !compiler->failed && byte <= to; byte++)
			set_add(&set, (unsigned char)byte);
	}
	if (compiler->at == compiler->end)
		compiler->failed = true;
	if (compiler->failed)
		return;
	compiler->at++;
	if (compiler->fold)			/* before the set is inverted */
		set_fold(&set);
	for (int i = 0; negated && i < 4; i++)
		set.bits[i] = ~set.bits[i];
	regexp_emit_set(compiler, set);
}

void regexp_escape(struct regexp_compiler *compiler)
{
	struct byte_set set = { { 0 } };

	if (compiler->at == compiler->end) {
		compiler->failed = true;
		return;
	}
	if (escape_class(&set, *compiler->at)) {
		compiler->at++;
		regexp_emit_set(compiler, set);
		return;
	}
	switch (*compiler->at) {
	case 'b': regexp_emit(compiler, STATE_WORD, 0, 0); break;
	case 'B': regexp_emit(compiler, STATE_NO_WORD, 0, 0); break;
	case 'A': regexp_emit(compiler, STATE_TEXT_BEGIN, 0, 0); break;
	case 'z': regexp_emit(compiler, STATE_TEXT_END, 0, 0); break;
	case 'Z': regexp_emit(compiler, STATE_LAST_END, 0, 0); break;
	default:
		set_add(&set, escape_byte(compiler));
		regexp_emit_set(compiler, set);
		return;
	}
	compiler->at++;
}
