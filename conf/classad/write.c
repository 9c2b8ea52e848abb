/* SPDX-License-Identifier: Apache-2.0 */
/* Values and ads as text that can be read back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/classad/inside.h"

struct writer {
	char *text;
	size_t size, used;		/* used: size of the whole text, even beyond `size` */
	/* reals with all digits; 16 digits; 16 digits and an exponent */
	enum { REALS_EXACT, REALS_SHOWN, REALS_UNPARSED } reals;
};

static void put(struct writer *writer, const char *text, size_t bytes)
{
	if (writer->used < writer->size) {
		size_t room = writer->size - writer->used - 1, n = bytes < room ? bytes : room;

		memcpy(writer->text + writer->used, text, n);
		writer->text[writer->used + n] = '\0';
	}
	writer->used += bytes;
}

static void put_text(struct writer *writer, const char *text)
{
	put(writer, text, strlen(text));
}

/*
 * Write a real with 16 digits, or with as many digits as are needed to read the same number again.
 * It always has a point or an exponent.
 */
static void put_real(struct writer *writer, double value)
{
	int digits = writer->reals == REALS_EXACT ? 15 : 16;
	char text[64];

	if (isnan(value)) {
		put_text(writer, "real(\"NaN\")");
		return;
	}
	if (isinf(value)) {
		put_text(writer, value < 0 ? "real(\"-INF\")" : "real(\"INF\")");
		return;
	}
	if (writer->reals == REALS_UNPARSED && value != 0) {
		snprintf(text, sizeof(text), "%.15E", value);
		put_text(writer, text);
		return;
	}
	do
		snprintf(text, sizeof(text), "%.*G", digits, value);
	while (writer->reals == REALS_EXACT && strtod(text, NULL) != value && ++digits <= 17);
	put_text(writer, text);
	if (!strpbrk(text, ".E"))
		put_text(writer, ".0");
}

static void put_integer(struct writer *writer, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	put_text(writer, text);
}

static void put_string(struct writer *writer, const struct classad_value *value)
{
	put(writer, "\"", 1);
	for (size_t i = 0; i < value->bytes; i++) {
		unsigned char c = (unsigned char)value->text[i];

		if (c == '"')
			put(writer, "\\", 1);
		put(writer, (c < ' ' && c != '\t') || c == 0x7f ? "?" : &value->text[i], 1);
	}
	put(writer, "\"", 1);
}

static void put_value(struct writer *writer, const struct classad_value *value)
{
	switch (value->type) {
	case CLASSAD_BOOL:
		put_text(writer, value->truth ? "true" : "false");
		break;
	case CLASSAD_INT:
		put_integer(writer, value->integer);
		break;
	case CLASSAD_REAL:
		put_real(writer, value->real);
		break;
	case CLASSAD_STRING:
		put_string(writer, value);
		break;
	case CLASSAD_LIST:
		put_text(writer, "{ ");
		for (size_t i = 0; i < value->n; i++) {
			put_text(writer, i > 0 ? "," : "");
			/* the nesting is limited by the parser */
			put_value(writer, &value->items[i]);
		}
		put_text(writer, value->n > 0 || writer->reals == REALS_UNPARSED ? " }" : "}");
		break;
	default:
		put_text(writer, value->type == CLASSAD_UNDEFINED ? "undefined" : "error");
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
		const struct classad_expression *expression = ad->items[i];

		put_text(&w, expression->key.name);
		put_text(&w, " = ");
		if (expression->text)
			put_text(&w, expression->text);
		else
			put_value(&w, &expression->value);
		put_text(&w, "\n");
	}
	return w.used;
}
