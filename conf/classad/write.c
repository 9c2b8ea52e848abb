/* SPDX-License-Identifier: Apache-2.0 */
/* Values and ads as text that reads as what it was. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/classad/inside.h"

struct writer {
	char *text;
	size_t size, used;		/* used: what all of it has, whether or not it has room */
	enum { REALS_EXACT, REALS_SHOWN, REALS_UNPARSED } reals;	/* all their digits; 16; 16 and an exponent */
};

static void put(struct writer *w, const char *text, size_t bytes)
{
	if (w->used < w->size) {
		size_t room = w->size - w->used - 1, n = bytes < room ? bytes : room;

		memcpy(w->text + w->used, text, n);
		w->text[w->used + n] = '\0';
	}
	w->used += bytes;
}

static void put_text(struct writer *w, const char *text)
{
	put(w, text, strlen(text));
}

/*
 * 16 digits, or as many as are needed to read the same number again; never without a point or
 * exponent.
 */
static void put_real(struct writer *w, double value)
{
	int digits = w->reals == REALS_EXACT ? 15 : 16;
	char text[64];

	if (isnan(value)) {
		put_text(w, "real(\"NaN\")");
		return;
	}
	if (isinf(value)) {
		put_text(w, value < 0 ? "real(\"-INF\")" : "real(\"INF\")");
		return;
	}
	if (w->reals == REALS_UNPARSED && value != 0) {
		snprintf(text, sizeof(text), "%.15E", value);
		put_text(w, text);
		return;
	}
	do
		snprintf(text, sizeof(text), "%.*G", digits, value);
	while (w->reals == REALS_EXACT && strtod(text, NULL) != value && ++digits <= 17);
	put_text(w, text);
	if (!strpbrk(text, ".E"))
		put_text(w, ".0");
}

static void put_integer(struct writer *w, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	put_text(w, text);
}

static void put_string(struct writer *w, const struct classad_value *v)
{
	put(w, "\"", 1);
	for (size_t i = 0; i < v->bytes; i++) {
		unsigned char c = (unsigned char)v->text[i];

		if (c == '"')
			put(w, "\\", 1);
		put(w, (c < ' ' && c != '\t') || c == 0x7f ? "?" : &v->text[i], 1);
	}
	put(w, "\"", 1);
}

static void put_value(struct writer *w, const struct classad_value *v)
{
	switch (v->type) {
	case CLASSAD_BOOL:
		put_text(w, v->truth ? "true" : "false");
		break;
	case CLASSAD_INT:
		put_integer(w, v->integer);
		break;
	case CLASSAD_REAL:
		put_real(w, v->real);
		break;
	case CLASSAD_STRING:
		put_string(w, v);
		break;
	case CLASSAD_LIST:
		put_text(w, "{ ");
		for (size_t i = 0; i < v->n; i++) {
			put_text(w, i > 0 ? "," : "");
			put_value(w, &v->items[i]);	/* as deep as it was written, at most */
		}
		put_text(w, v->n > 0 || w->reals == REALS_UNPARSED ? " }" : "}");
		break;
	default:
		put_text(w, v->type == CLASSAD_UNDEFINED ? "undefined" : "error");
	}
}

static struct writer writer(char *text, size_t size, int reals)
{
	if (size > 0)
		*text = '\0';
	return (struct writer){ text, size, 0, reals };
}

size_t classad_value_text(const struct classad_value *value, char *text, size_t size)
{
	struct writer w = writer(text, size, REALS_EXACT);

	put_value(&w, value);
	return w.used;
}

size_t classad_value_show(const struct classad_value *value, char *text, size_t size)
{
	struct writer w = writer(text, size, REALS_SHOWN);

	put_value(&w, value);
	return w.used;
}

size_t value_unparse(const struct classad_value *value, char *text, size_t size)
{
	struct writer w = writer(text, size, REALS_UNPARSED);

	put_value(&w, value);
	return w.used;
}

size_t classad_text(const struct classad *ad, char *text, size_t size)
{
	struct writer w = writer(text, size, REALS_EXACT);

	for (uint32_t i = 0; i < ad->n; i++) {
		const struct classad_expression *e = ad->items[i];

		put_text(&w, e->key.name);
		put_text(&w, " = ");
		if (e->text)
			put_text(&w, e->text);
		else
			put_value(&w, &e->value);
		put_text(&w, "\n");
	}
	return w.used;
}
