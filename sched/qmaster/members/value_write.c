/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/members/value_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REAL_BYTES 40

/* Write "1.5", "2.0" or "1e20": with a point or an exponent, which has no needless characters. */
static void real_write(struct out *out, double real)
{
	char text[REAL_BYTES], *exponent, *digits;

	snprintf(text, sizeof(text), "%.17g", real);
	exponent = strchr(text, 'e');
	if (!exponent && !strchr(text, '.'))
		strcat(text, ".0");
	if (exponent) {
		digits = exponent + 1 + (exponent[1] == '-' || exponent[1] == '+');
		digits += strspn(digits, "0");
		exponent += 1 + (exponent[1] == '-');
		memmove(exponent, digits, strlen(digits) + 1);
	}
	out_text(out, text);
}

static void inside_write(struct out *out, const struct value *value)
{
	bool any = false;

	value_each(one, value) {
		if (any)
			json_write_literal(out, ",");
		if (one->name) {
			json_plain_text(out, one->name);
			json_write_literal(out, ":");
		}
		value_write(out, one);
		any = true;
	}
}

void value_write(struct out *out, const struct value *value)
{
	static const char *const words[] = { [VALUE_NULL] = "null", [VALUE_FALSE] = "false", [VALUE_TRUE] = "true" };
	bool is_array = value->type == VALUE_ARRAY;

	switch (value->type) {
	case VALUE_INTEGER:
		json_write_number(out, "", value->integer);
		break;
	case VALUE_REAL:
		real_write(out, value->real);
		break;
	case VALUE_STRING:
		json_plain_text(out, value->text);
		break;
	case VALUE_ARRAY:
	case VALUE_OBJECT:
		json_write_literal(out, is_array ? "[" : "{");
		inside_write(out, value);
		json_write_literal(out, is_array ? "]" : "}");
		break;
	default:
		json_write_literal(out, words[value->type]);
	}
}

void value_write_number(struct out *out, double number)
{
	const struct value real = { .type = VALUE_REAL, .real = number };
	char text[DIGITS_BYTES + 1];

	*digits_exact(text, number) = '\0';
	if (isfinite(number) && strpbrk(text, ".e"))
		value_write(out, &real);
	else
		out_text(out, text);
}
