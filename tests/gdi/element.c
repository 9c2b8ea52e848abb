/* SPDX-License-Identifier: Apache-2.0 */
/* Written elements are read in place, for any requested field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "sched/qmaster/gdi/element.h"
#include "sched/qmaster/gdi/writer.h"

static struct error why;
static struct gdi_writer w;

static int teardown(void **state)
{
	(void)state;
	gdi_writer_free(&w);
	return 0;
}

static struct gdi_list taken(void)
{
	struct gdi_buffer buffer = { w.bytes, w.bytes + w.n };
	struct gdi_list list;

	assert_int_equal(w.rc, 0);
	assert_int_equal(gdi_take_list(&buffer, &list, &why), 0);
	assert_int_equal(gdi_take_end(&buffer, &why), 0);
	return list;
}

static void ranges_write(uint32_t n)
{
	static const struct gdi_word words[] = { { RN_min, 0x10103 }, { RN_max, 0x10003 }, { RN_step, 0x10003 } };
	size_t list = gdi_list_begin(&w, "task_id_range", words, 3);

	for (uint32_t i = 1; i <= n; i++) {
		gdi_element_begin(&w, list);
		gdi_write_u32(&w, i);
		gdi_write_u32(&w, 10 * i);
		gdi_write_u32(&w, 2);
	}
	gdi_list_end(&w, list);
}

/* Write a reduced job with its fields in arbitrary order. */
static void job_write(void)
{
	static const struct gdi_word words[] = { { JB_urg, 0x200002 },	    { JB_ja_n_h_ids, 0x202009 },
						 { JB_category, 0x20000b }, { JB_job_number, 0x202303 },
						 { JB_reserve, 0x202006 },  { JB_host, 0x28000c },
						 { JB_pe_range, 0x202009 }, { JB_owner, 0x282008 } };
	size_t list = gdi_list_begin(&w, "jobs", words, 8);

	gdi_element_begin(&w, list);
	gdi_write_double(&w, 0.1);
	ranges_write(3);
	gdi_write_u32(&w, 4711);
	gdi_write_u32(&w, 1);
	gdi_write_text(&w, "node1");
	ranges_write(0);
	gdi_write_text(&w, "\"\xff\n");
}

static void test_fields_are_found_by_number_in_any_order(void **state)
{
	struct gdi_list list;
	struct gdi_element job;

	(void)state;
	job_write();
	list = taken();
	assert_string_equal(list.name, "jobs");
	assert_true(gdi_next(&list, &job));
	assert_true(gdi_double(&job, JB_urg) == 0.1);
	assert_int_equal(gdi_u32(&job, JB_job_number), 4711);
	assert_int_equal(gdi_u32(&job, JB_reserve), 1);
	assert_string_equal(gdi_text(&job, JB_host), "node1");
	assert_string_equal(gdi_text(&job, JB_owner), "\"\xff\n");	/* unchanged */
	assert_false(gdi_next(&list, &job));
	assert_false(gdi_next(&list, &job));
}

static void test_lists_in_an_element_are_read_again_as_often_as_one_likes(void **state)
{
	struct gdi_list list, ranges;
	struct gdi_element job, range;

	(void)state;
	job_write();
	list = taken();
	assert_true(gdi_next(&list, &job));
	for (int i = 0; i < 2; i++) {
		uint32_t n = 0;

		ranges = gdi_list(&job, JB_ja_n_h_ids);
		assert_int_equal(ranges.left, 3);
		while (gdi_next(&ranges, &range)) {
			n++;
			assert_int_equal(gdi_u32(&range, RN_min), n);
			assert_int_equal(gdi_u32(&range, RN_max), 10 * n);
		}
		assert_int_equal(n, 3);
	}
	ranges = gdi_list(&job, JB_pe_range);
	assert_false(gdi_next(&ranges, &range));
}

static void test_the_first_element_can_be_read_before_all_are_read(void **state)
{
	struct gdi_list ranges, none = { .left = 0 };
	struct gdi_element range;
	uint32_t n = 0;

	(void)state;
	ranges_write(2);
	ranges = taken();
	for (int i = 0; i < 2; i++) {
		assert_true(gdi_first(&ranges, &range));
		assert_int_equal(gdi_u32(&range, RN_min), 1);
	}
	while (gdi_next(&ranges, &range))
		assert_int_equal(gdi_u32(&range, RN_min), ++n);
	assert_int_equal(n, 2);
	assert_false(gdi_first(&ranges, &range));
	assert_false(gdi_first(&none, &range));
}

static void test_a_missing_field_reads_as_empty(void **state)
{
	struct gdi_list list, none;
	struct gdi_element job, object;

	(void)state;
	job_write();
	list = taken();
	assert_true(gdi_next(&list, &job));
	assert_true(gdi_has(&job, JB_owner));
	assert_true(gdi_has(&job, JB_category));
	assert_false(gdi_has(&job, JB_group));
	assert_false(gdi_has(&job, 0));
	assert_false(gdi_has(&job, UINT32_MAX));
	assert_false(gdi_has(&job, BN_strategy));
	assert_int_equal(gdi_u32(&job, JB_version), 0);
	assert_true(gdi_double(&job, JB_nurg) == 0);
	assert_string_equal(gdi_text(&job, JB_group), "");
	none = gdi_list(&job, JB_ja_tasks);
	assert_false(gdi_next(&none, &object));
	assert_string_equal(none.name, "");
	assert_false(gdi_object(&job, JB_checkpoint_object, &object));
}

static void test_a_field_read_as_another_kind_is_empty(void **state)
{
	struct gdi_list list, none;
	struct gdi_element job, object;

	(void)state;
	job_write();
	list = taken();
	assert_true(gdi_next(&list, &job));
	assert_int_equal(gdi_u32(&job, JB_owner), 0);
	assert_true(gdi_double(&job, JB_job_number) == 0);
	assert_string_equal(gdi_text(&job, JB_ja_n_h_ids), "");
	none = gdi_list(&job, JB_owner);
	assert_false(gdi_next(&none, &object));
	assert_false(gdi_object(&job, JB_ja_n_h_ids, &object));
	assert_string_equal(gdi_text(&job, JB_category), "");	/* a reference has no bytes */
}

static void test_doubles_are_exact_and_finite(void **state)
{
	static const struct gdi_word words[] = { { UA_name, 0x10708 }, { UA_value, 0x10002 } };
	static const double values[] = { 0.1, -1e308, 5e-324, NAN, INFINITY, -INFINITY };
	struct gdi_list list;
	struct gdi_element usage;

	(void)state;
	size_t begin = gdi_list_begin(&w, "usage_list", words, 2);

	for (size_t i = 0; i < 6; i++) {
		gdi_element_begin(&w, begin);
		gdi_write_text(&w, "cpu");
		gdi_write_double(&w, values[i]);
	}
	list = taken();
	for (size_t i = 0; i < 6; i++) {
		assert_true(gdi_next(&list, &usage));
		assert_true(gdi_double(&usage, UA_value) == (i < 3 ? values[i] : 0));
	}
}

static void test_an_object_is_read_like_an_element_of_its_own(void **state)
{
	static const struct gdi_word rule[] = { { RQR_name, 0x102708 },
						{ RQR_filter_users, 0x10200a },
						{ RQR_filter_pes, 0x10200a },
						{ RQR_level, 0x80003 } };
	static const struct gdi_word filter[] = { { RQRF_expand, 0x102006 }, { RQRF_scope, 0x102009 } };
	static const struct gdi_word scope[] = { { ST_name, 0x10308 } };
	struct gdi_list list, names;
	struct gdi_element element, object, name;

	(void)state;
	size_t rules = gdi_list_begin(&w, "", rule, 4);

	gdi_element_begin(&w, rules);
	gdi_write_text(&w, "first");
	gdi_object_begin(&w, filter, 2);
	gdi_write_u32(&w, 1);
	size_t users = gdi_list_begin(&w, "", scope, 1);

	gdi_element_begin(&w, users);
	gdi_write_text(&w, "ann");
	gdi_list_end(&w, users);
	gdi_write_null(&w);
	gdi_write_u32(&w, 3);
	list = taken();
	assert_true(gdi_next(&list, &element));
	assert_int_equal(gdi_u32(&element, RQR_level), 3);
	assert_false(gdi_object(&element, RQR_filter_pes, &object));
	assert_true(gdi_object(&element, RQR_filter_users, &object));
	assert_int_equal(gdi_u32(&object, RQRF_expand), 1);
	names = gdi_list(&object, RQRF_scope);
	assert_true(gdi_next(&names, &name));
	assert_string_equal(gdi_text(&name, ST_name), "ann");
}

static void test_a_free_element_carries_its_descriptor(void **state)
{
	static const struct gdi_word words[] = {
		{ ACK_type, 0x803 }, { ACK_id, 0x803 }, { ACK_id2, 0x803 }, { ACK_str, 0x808 }
	};
	struct gdi_buffer buffer;
	struct gdi_element ack;

	(void)state;
	gdi_free_element_begin(&w, words, 4);
	gdi_write_u32(&w, 2);
	gdi_write_u32(&w, 17);
	gdi_write_u32(&w, 1);
	gdi_write_text(&w, NULL);
	buffer = (struct gdi_buffer) { w.bytes, w.bytes + w.n };
	assert_int_equal(gdi_take_element(&buffer, &ack, &why), 0);
	assert_int_equal(gdi_take_end(&buffer, &why), 0);
	assert_int_equal(gdi_u32(&ack, ACK_id), 17);
	assert_int_equal(gdi_u32(&ack, ACK_id2), 1);
	assert_string_equal(gdi_text(&ack, ACK_str), "");
}

/* 8.1.9 sends their lower half first. */
static void test_numbers_of_64_bits_keep_their_lower_32(void **state)
{
	static const struct gdi_word words[] = { { 900000, GDI_U64 }, { 900001, GDI_U32 } };
	struct gdi_list list;
	struct gdi_element element;

	(void)state;
	gdi_element_begin(&w, gdi_list_begin(&w, "", words, 2));
	gdi_write_u32(&w, 4711);
	gdi_write_u32(&w, 0);
	gdi_write_u32(&w, 5);
	list = taken();
	assert_true(gdi_next(&list, &element));
	assert_int_equal(gdi_u32(&element, 900000), 4711);
	assert_int_equal(gdi_u32(&element, 900001), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_fields_are_found_by_number_in_any_order, teardown),
		cmocka_unit_test_teardown(test_lists_in_an_element_are_read_again_as_often_as_one_likes, teardown),
		cmocka_unit_test_teardown(test_the_first_element_can_be_read_before_all_are_read, teardown),
		cmocka_unit_test_teardown(test_a_missing_field_reads_as_empty, teardown),
		cmocka_unit_test_teardown(test_a_field_read_as_another_kind_is_empty, teardown),
		cmocka_unit_test_teardown(test_doubles_are_exact_and_finite, teardown),
		cmocka_unit_test_teardown(test_an_object_is_read_like_an_element_of_its_own, teardown),
		cmocka_unit_test_teardown(test_a_free_element_carries_its_descriptor, teardown),
		cmocka_unit_test_teardown(test_numbers_of_64_bits_keep_their_lower_32, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
