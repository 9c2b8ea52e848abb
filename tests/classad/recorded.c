/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the real library: tests/reference/condor/p27-expressions.json. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <string.h>

#include "conf/classad/classad.h"

#define CASE "tests/reference/condor/p27-expressions.json"

static struct classad *ad_of(const json_t *attributes)
{
	struct classad *ad = classad_create();
	const char *name;
	json_t *value;

	assert_non_null(ad);
	json_object_foreach((json_t *)attributes, name, value) {
		char *text =
			json_is_string(value) ? strdup(json_string_value(value)) : json_dumps(value, JSON_ENCODE_ANY);

		assert_int_equal(classad_set(ad, name, text, NULL), 0);
		free(text);
	}
	return ad;
}

static const char *type_name(const struct classad_value *value)
{
	static const char *const names[] = { "error", "undefined", "bool", "int", "real", "string", "list" };

	return names[value->type];
}

/* Compare a value. Reals must be equal to the last bit. */
static bool is_value(const struct classad_value *value, const json_t *wanted)
{
	double real = json_real_value(wanted);

	switch (value->type) {
	case CLASSAD_BOOL:
		return json_is_boolean(wanted) && json_is_true(wanted) == value->truth;
	case CLASSAD_INT:
		return json_is_integer(wanted) && json_integer_value(wanted) == value->integer;
	case CLASSAD_REAL:
		return json_is_real(wanted) && memcmp(&real, &value->real, sizeof(real)) == 0;
	case CLASSAD_STRING:
		return json_is_string(wanted) && strcmp(json_string_value(wanted), value->text) == 0 &&
		       strlen(value->text) == value->bytes;
	default:
		return !wanted;
	}
}

static bool row_holds(const json_t *row, const struct classad_pair *in, struct classad_room *room)
{
	const char *text = json_string_value(json_object_get(row, "expr")),
		   *type = json_string_value(json_object_get(row, "type"));
	struct classad_expression *expression;
	struct classad_value value;
	struct error error;
	bool holds;

	if (classad_parse(&expression, text, &error))
		return strcmp(type, "syntax") == 0;
	classad_evaluate(expression, in, room, &value);
	holds = strcmp(type, type_name(&value)) == 0 && is_value(&value, json_object_get(row, "value"));
	classad_expression_free(expression);
	classad_room_reset(room);
	return holds;
}

static void test_each_recorded_value_is_the_same(void **unused)
{
	json_t *file = json_load_file(CASE, 0, NULL), *row;
	struct classad *my = ad_of(json_object_get(file, "my")), *target = ad_of(json_object_get(file, "target"));
	struct classad_room room = { .now = 1700000000 };
	size_t i, different = 0;

	(void)unused;
	json_array_foreach(json_object_get(file, "rows"), i, row) {
		if (!row_holds(row, &(struct classad_pair){ my, target }, &room)) {
			print_error("%s\n", json_string_value(json_object_get(row, "expr")));
			different++;
		}
	}
	assert_true(i >= 326);
	assert_int_equal(different, 0);
	classad_room_free(&room);
	classad_free(my);
	classad_free(target);
	json_decref(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_each_recorded_value_is_the_same) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
