/* SPDX-License-Identifier: Apache-2.0 */
/* The tables are sorted, and each field is found by its number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sched/qmaster/gdi/types.h"

static void test_types_ascend_and_do_not_overlap(void **state)
{
	(void)state;
	for (size_t i = 0; i + 1 < gdi_types_count; i++)
		assert_true(gdi_types[i].first + gdi_types[i].n <= gdi_types[i + 1].first);
}

static void test_each_field_has_its_position_in_its_type(void **state)
{
	(void)state;
	for (size_t i = 0; i < gdi_types_count; i++) {
		const struct gdi_type *type = &gdi_types[i];
		size_t length = strlen(type->name);

		assert_ptr_equal(gdi_type(type->name), type);
		assert_in_range(type->n, 1, GDI_FIELDS_MOST);
		for (size_t k = 0; k < type->n; k++) {
			const struct gdi_field *field = &type->fields[k];

			assert_int_equal(field->number, type->first + k);
			assert_ptr_equal(gdi_field(field->number), field);
			assert_ptr_equal(gdi_type_of(field->number), type);
			assert_memory_equal(field->name, type->name, length);
			assert_int_equal(field->name[length], '_');
			assert_non_null(gdi_kind_name(field->mt & 0xff));
			assert_false(field->mt & GDI_REDUCED);
		}
	}
}

static void test_an_unknown_name_is_not_found(void **state)
{
	static const uint32_t numbers[] = { 0, 49, 135, 249, 899 + 100, 3000, 139999, 144959, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		assert_null(gdi_field(numbers[i]));
		assert_null(gdi_type_of(numbers[i]));
	}
	assert_null(gdi_type("J"));
	assert_null(gdi_type(""));
	assert_null(gdi_kind_name(0));
	assert_null(gdi_kind_name(14));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types_ascend_and_do_not_overlap),
		cmocka_unit_test(test_each_field_has_its_position_in_its_type),
		cmocka_unit_test(test_an_unknown_name_is_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
