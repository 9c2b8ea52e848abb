/* SPDX-License-Identifier: Apache-2.0 */
/* Values and ads as text that can be read back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/classad/writer.h"

void writer_put(struct writer *writer, const char *text, size_t bytes)
{
	if (writer->used < writer->size) {
		size_t room = writer->size - writer->used - 1, n = bytes < room ? bytes : room;

		memcpy(writer->text + writer->used, text, n);
		writer->text[writer->used + n] = '\0';
	}
	writer->used += bytes;
}

void writer_text(struct writer *writer, const char *text)
{
	writer_put(writer, text, strlen(text));
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
		writer_text(writer, "real(\"NaN\")");
		return;
	}
	if (isinf(value)) {
		writer_text(writer, value < 0 ? "real(\"-INF\")" : "real(\"INF\")");
		return;
	}
	if (writer->reals == REALS_UNPARSED && value != 0) {
		snprintf(text, sizeof(text), "%.15E", value);
		writer_text(writer, text);
		return;
	}
	do
		snprintf(text, sizeof(text), "%.*G", digits, value);
	while (writer->reals == REALS_EXACT && strtod(text, NULL) != value && ++digits <= 17);
	writer_text(writer, text);
	if (!strpbrk(text, ".E"))
		writer_text(writer, ".0");
}

static void put_integer(struct writer *writer, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	writer_text(writer, text);
}

void writer_string(struct writer *writer, const struct classad_value *value)
{
	bool unparsed = writer->reals == REALS_UNPARSED;

	for (size_t i = 0; i < value->bytes; i++) {
		unsigned char c = (unsigned char)value->text[i];

		if (c == '"' || (c == '\\' && unparsed))
			writer_put(writer, "\\", 1);
		if (c == '\t' && unparsed)
			writer_text(writer, "\\t");
		else
			writer_put(writer, (c < ' ' && c != '\t') || c == 0x7f ? "?" : &value->text[i], 1);
	}
}

void writer_value(struct writer *writer, const struct classad_value *value)
{
	switch (value->type) {
	case CLASSAD_BOOL:
		writer_text(writer, value->truth ? "true" : "false");
		break;
	case CLASSAD_INT:
		put_integer(writer, value->integer);
		break;
	case CLASSAD_REAL:
		put_real(writer, value->real);
		break;
	case CLASSAD_STRING:
		writer_text(writer, "\"");
		writer_string(writer, value);
		writer_text(writer, "\"");
		break;
	case CLASSAD_LIST:
		writer_text(writer, "{ ");
		for (size_t i = 0; i < value->n && !writer_is_full(writer); i++) {
			writer_text(writer, i > 0 ? "," : "");
			/* the depth is limited by the parser and by CLASSAD_DEPTH_MOST */
			writer_value(writer, &value->items[i]);
		}
		writer_text(writer, value->n > 0 || writer->reals == REALS_UNPARSED ? " }" : "}");
		break;
	case CLASSAD_AD:
		writer_ad(writer, value->ad->own);
		break;
	default:
		writer_text(writer, value->type == CLASSAD_UNDEFINED ? "undefined" : "error");
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

	writer_value(&w, value);
	return w.used;
}

size_t classad_value_show(const struct classad_value *value, char *text, size_t size)
{
	struct writer w = writer(text, size, REALS_SHOWN);

	writer_value(&w, value);
	return w.used;
}

size_t value_unparse(const struct classad_value *value, char *text, size_t size)
{
	struct writer w = writer(text, size, REALS_UNPARSED);

	writer_value(&w, value);
	return w.used;
}

size_t classad_text(const struct classad *ad, char *text, size_t size)
{
	struct writer w = writer(text, size, REALS_EXACT);

	for (uint32_t i = 0; i < ad->n; i++) {
		const struct classad_expression *expression = ad->items[i];

		writer_text(&w, expression->key.name);
		writer_text(&w, " = ");
		if (expression->text)
			writer_text(&w, expression->text);
		else
			writer_value(&w, &expression->value);
		writer_text(&w, "\n");
	}
	return w.used;
}
