/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver: prints values of expressions. Each line on stdin is an object like those of kind
 * "expression" in tests/reference/condor: `my` and `target`, ads (attribute = text of an
 * expression, or a value), `rows` with `expr`, and `now` (1700000000 if absent). For each row it
 * prints a line: "type" (syntax error undefined bool int real string list ad) and "value" for
 * bool, int, real (17 digits, a text if it is not finite), string and list (its length).
 * For syntax errors it prints "error".
 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/classad/classad.h"

static void text_show(const char *member, const char *text, size_t bytes)
{
	json_t *string = json_stringn_nocheck(text, bytes);
	char *shown = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;

	printf(", \"%s\": %s}\n", member, shown ? shown : "null");
	free(shown);
	json_decref(string);
}

/* Print a number that JSON reads as a real again. */
static void real_show(double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.17g", value);
	printf(", \"value\": %s%s}\n", text, strpbrk(text, ".e") ? "" : ".0");
}

static void value_show(const struct classad_value *value)
{
	static const char *const types[] = { "error", "undefined", "bool", "int", "real", "string", "list", "ad" };

	printf("{\"type\": \"%s\"", types[value->type]);
	switch (value->type) {
	case CLASSAD_BOOL:
		printf(", \"value\": %s}\n", value->truth ? "true" : "false");
		break;
	case CLASSAD_INT:
		printf(", \"value\": %" PRId64 "}\n", value->integer);
		break;
	case CLASSAD_REAL:
		if (isfinite(value->real))
			real_show(value->real);
		else
			printf(", \"value\": \"%s\"}\n", isnan(value->real) ? "nan" : value->real < 0 ? "-inf" : "inf");
		break;
	case CLASSAD_STRING:
		text_show("value", value->text, value->bytes);
		break;
	case CLASSAD_LIST:
		printf(", \"value\": %zu}\n", value->n);
		break;
	default:
		printf("}\n");
	}
}

static struct classad *ad_of(const json_t *attributes)
{
	struct classad *ad = classad_create();
	struct error error = { "no memory" };
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)attributes, name, value) {
		char *text =
			json_is_string(value) ? strdup(json_string_value(value)) : json_dumps(value, JSON_ENCODE_ANY);

		if (!ad || !text || classad_set(ad, name, text, &error)) {
			fprintf(stderr, "%s: %s\n", name, error.text);
			exit(1);
		}
		free(text);
	}
	return ad;
}

static void row_show(const char *text, const struct classad_pair *in, struct classad_room *room)
{
	struct classad_expression *expression;
	struct classad_value value;
	struct error error = { "" };

	if (classad_parse(&expression, text, &error)) {
		printf("{\"type\": \"syntax\"");
		text_show("error", error.text, strlen(error.text));
		return;
	}
	classad_evaluate(expression, in, room, &value);
	value_show(&value);
	classad_room_reset(room);
	classad_expression_free(expression);
}

static void case_show(const json_t *c)
{
	struct classad *my = ad_of(json_object_get(c, "my")), *target = ad_of(json_object_get(c, "target"));
	const json_t *now = json_object_get(c, "now");
	struct classad_room room = { .now = now ? json_integer_value(now) : 1700000000 };
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(c, "rows"), i, row) {
		const char *text = json_string_value(json_object_get(row, "expr"));

		row_show(text ? text : "", &(struct classad_pair){ my, target }, &room);
	}
	classad_room_free(&room);
	classad_free(my);
	classad_free(target);
}

int main(void)
{
	json_error_t why;
	json_t *c;

	while ((c = json_loadf(stdin, JSON_DISABLE_EOF_CHECK, &why))) {
		case_show(c);
		json_decref(c);
	}
	if (!feof(stdin)) {
		fprintf(stderr, "%s\n", why.text);
		return 1;
	}
	return 0;
}
