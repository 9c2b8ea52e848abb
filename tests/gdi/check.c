/* SPDX-License-Identifier: Apache-2.0 */
/* Invalid packed buffers are refused with a reason. Unusual but valid ones are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/gdi/element.h"
#include "sched/qmaster/gdi/writer.h"

static const struct gdi_word job_words[] = { { JB_job_number, 0x2303 },
					     { JB_owner, 0x82008 },
					     { JB_ja_tasks, 0x2009 } };
static struct error why;
static struct gdi_writer w;
static unsigned char *exact;	/* written bytes in memory of exactly their size */

static int teardown(void **state)
{
	(void)state;
	gdi_writer_free(&w);
	free(exact);
	exact = NULL;
	why.text[0] = '\0';
	return 0;
}

static struct gdi_buffer written(void)
{
	assert_int_equal(w.rc, 0);
	free(exact);
	exact = malloc(w.n ? w.n : 1);
	assert_non_null(exact);
	if (w.n)
		memcpy(exact, w.bytes, w.n);
	return (struct gdi_buffer) { exact, exact + w.n };
}

static void list_is_refused_with(const char *words)
{
	struct gdi_buffer buffer = written();
	struct gdi_list list;

	assert_int_equal(gdi_take_list(&buffer, &list, &why), -EPROTO);
	if (!strstr(why.text, words))
		fail_msg("\"%s\" is not in \"%s\"", words, why.text);
	assert_true(buffer.at >= exact && buffer.at <= buffer.end);
}

static void u32s_write(const uint32_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		gdi_write_u32(&w, values[i]);
}
#define WRITE(...) u32s_write((const uint32_t[]) { __VA_ARGS__ }, sizeof((const uint32_t[]) { __VA_ARGS__ }) / 4)

/*
 * Begin a list with a stated count of `count` elements, an empty name and one field. The test
 * writes the elements.
 */
static void list_of(uint32_t count, uint32_t number, uint32_t mt)
{
	WRITE(1, count);
	gdi_write_text(&w, "");
	WRITE(0, 1, number, mt);
}

static void job_write(size_t list, uint32_t number, const char *owner)
{
	gdi_element_begin(&w, list);
	gdi_write_u32(&w, number);
	gdi_write_text(&w, owner);
	gdi_write_null(&w);
}

static void jobs_write(uint32_t n)
{
	size_t list = gdi_list_begin(&w, "jobs", job_words, 3);

	for (uint32_t i = 1; i <= n; i++)
		job_write(list, i, "ann");
	gdi_list_end(&w, list);
}

static void test_only_buffers_of_this_version_are_understood(void **state)
{
	static const uint32_t others[][2] = {
		{ 0, 0x10021000 }, { 0, 0x10010000 }, { 1, 0x10020000 }, { 0x10020000, 0 }
	};
	struct gdi_buffer buffer;

	(void)state;
	gdi_write_header(&w);
	buffer = written();
	assert_int_equal(gdi_take_header(&buffer, &why), 0);
	assert_int_equal(gdi_take_end(&buffer, &why), 0);
	for (size_t i = 0; i < 4; i++) {
		gdi_writer_free(&w);
		u32s_write(others[i], 2);
		buffer = written();
		assert_int_equal(gdi_take_header(&buffer, &why), -EPROTO);
		assert_non_null(strstr(why.text, "0x10020000"));
	}
	buffer.end = buffer.at = exact;
	assert_int_equal(gdi_take_header(&buffer, &why), -EPROTO);
}

static void test_a_list_may_be_null_or_empty(void **state)
{
	struct gdi_buffer buffer;
	struct gdi_list list;
	struct gdi_element element;

	(void)state;
	gdi_write_null(&w);
	gdi_list_begin(&w, "jobs", job_words, 3);	/* and no element */
	buffer = written();
	for (int i = 0; i < 2; i++) {
		assert_int_equal(gdi_take_list(&buffer, &list, &why), 0);
		assert_false(gdi_next(&list, &element));
		assert_string_equal(list.name, i ? "jobs" : "");
	}
	assert_int_equal(gdi_take_end(&buffer, &why), 0);
}

static void test_more_elements_than_bytes_are_refused_at_once(void **state)
{
	static const uint32_t counts[] = { 1, 2, 1000, 0x7fffffff, 0x80000000, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		gdi_writer_free(&w);
		list_of(counts[i], JB_job_number, 0x2303);
		gdi_write_u32(&w, 2);
		list_is_refused_with("elements");
	}
}

static void test_a_million_elements_without_a_field_are_eight_megabytes_and_no_more_work(void **state)
{
	uint32_t n = 1000000, found = 0;
	struct gdi_list list;
	struct gdi_element element;

	(void)state;
	size_t begin = gdi_list_begin(&w, "", NULL, 0);

	for (uint32_t i = 0; i < n; i++)
		gdi_element_begin(&w, begin);
	struct gdi_buffer buffer = written();

	assert_int_equal(gdi_take_list(&buffer, &list, &why), 0);
	assert_int_equal(gdi_take_end(&buffer, &why), 0);
	while (gdi_next(&list, &element)) {
		assert_int_equal(gdi_u32(&element, JB_job_number), 0);
		found++;
	}
	assert_int_equal(found, n);
	w.bytes[4 + 3]++;			/* more elements than present */
	list_is_refused_with("1000001 elements");
}

/* Lists of share tree nodes, each the only child of the one around it. */
static void tree_write(unsigned depth)
{
	static const struct gdi_word children[] = { { STN_children, 0x102009 } };
	size_t *lists = malloc(depth * sizeof(*lists));

	assert_non_null(lists);
	for (unsigned i = 0; i < depth; i++) {
		lists[i] = gdi_list_begin(&w, "", children, 1);
		gdi_element_begin(&w, lists[i]);
	}
	gdi_write_null(&w);
	free(lists);
}

static void test_lists_are_read_as_deep_as_the_limit_and_refused_beyond(void **state)
{
	static const unsigned too_deep[] = { GDI_DEPTH_MOST + 1, 10000, 1000000 };
	struct gdi_list list;
	unsigned depth = 0;

	(void)state;
	tree_write(GDI_DEPTH_MOST);
	struct gdi_buffer buffer = written();
	struct gdi_element *element = malloc(GDI_DEPTH_MOST * sizeof(*element));
	struct gdi_list *lists = malloc(GDI_DEPTH_MOST * sizeof(*lists));

	assert_non_null(element);
	assert_non_null(lists);
	assert_int_equal(gdi_take_list(&buffer, &list, &why), 0);
	assert_int_equal(gdi_take_end(&buffer, &why), 0);
	for (lists[0] = list; depth < GDI_DEPTH_MOST && gdi_next(&lists[depth], &element[depth]); depth++)
		if (depth + 1 < GDI_DEPTH_MOST)
			lists[depth + 1] = gdi_list(&element[depth], STN_children);
	assert_int_equal(depth, GDI_DEPTH_MOST);
	free(element);
	free(lists);
	for (size_t i = 0; i < sizeof(too_deep) / sizeof(too_deep[0]); i++) {
		gdi_writer_free(&w);
		tree_write(too_deep[i]);
		list_is_refused_with("deep");
	}
}

static void test_objects_in_objects_have_the_same_limit(void **state)
{
	static const struct gdi_word inside[] = { { RQR_filter_users, 0x10200a } };

	(void)state;
	size_t list = gdi_list_begin(&w, "", inside, 1);

	gdi_element_begin(&w, list);
	for (int i = 0; i < 10000; i++)
		gdi_object_begin(&w, inside, 1);
	gdi_write_null(&w);
	list_is_refused_with("deep");
}

static void test_conditions_and_enumerations_have_a_depth_limit_too(void **state)
{
	struct gdi_buffer buffer;

	(void)state;
	for (int i = 0; i < 10000; i++)
		WRITE(1, 31);			/* not, not, not ... */
	gdi_write_null(&w);
	buffer = written();
	assert_int_equal(gdi_take_condition(&buffer, &why), -EPROTO);
	assert_non_null(strstr(why.text, "deep"));
	gdi_writer_free(&w);
	for (int i = 0; i < 10000; i++)
		WRITE(1, 2, 1, 64, 0x2009, JB_ja_tasks, 1);
	gdi_write_null(&w);
	buffer = written();
	assert_int_equal(gdi_take_enumeration(&buffer, &why), -EPROTO);
	assert_non_null(strstr(why.text, "deep"));
}

static void test_invalid_conditions_and_enumerations_are_refused(void **state)
{
	static const uint32_t conditions[][5] = {
		{ 2 }, { 1, 18 }, { 1, 32 }, { 1, 19, 0, 0x2303, JB_owner }, { 1, 19, 0, 1, 7 }
	};
	static const uint32_t enumerations[][5] = { { 2 }, { 1, 3 }, { 1, 2, 200 }, { 1, 2, UINT32_MAX } };
	struct gdi_buffer buffer;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		gdi_writer_free(&w);
		u32s_write(conditions[i], 5);
		buffer = written();
		assert_int_equal(gdi_take_condition(&buffer, &why), -EPROTO);
	}
	for (size_t i = 0; i < 4; i++) {
		gdi_writer_free(&w);
		u32s_write(enumerations[i], 5);
		buffer = written();
		assert_int_equal(gdi_take_enumeration(&buffer, &why), -EPROTO);
	}
}

static void test_a_string_must_end_within_the_buffer(void **state)
{
	struct gdi_buffer buffer;
	const char *text;

	(void)state;
	size_t list = gdi_list_begin(&w, "jobs", job_words, 2);

	gdi_element_begin(&w, list);
	gdi_write_u32(&w, 1);
	for (int i = 0; i < 100000; i++)
		gdi_write_bytes(&w, "a", 1);
	list_is_refused_with("no NUL");
	gdi_writer_free(&w);
	WRITE(1, 0);
	gdi_write_bytes(&w, "name", 4);
	list_is_refused_with("no NUL");
	buffer.at = buffer.end = exact;
	assert_int_equal(gdi_take_text(&buffer, &text, &why), -EPROTO);
}

static void test_a_descriptor_has_199_fields_at_most(void **state)
{
	static const uint32_t counts[] = { 200, 1000000, UINT32_MAX };
	struct gdi_word words[GDI_FIELDS_MOST];
	struct gdi_list list;
	struct gdi_element element;

	(void)state;
	for (uint32_t i = 0; i < GDI_FIELDS_MOST; i++)
		words[i] = (struct gdi_word) { 900000 + i, GDI_U32 };
	size_t begin = gdi_list_begin(&w, "", words, GDI_FIELDS_MOST);

	gdi_element_begin(&w, begin);
	for (uint32_t i = 0; i < GDI_FIELDS_MOST; i++)
		gdi_write_u32(&w, i);
	struct gdi_buffer buffer = written();

	assert_int_equal(gdi_take_list(&buffer, &list, &why), 0);
	assert_true(gdi_next(&list, &element));
	for (uint32_t i = 0; i < GDI_FIELDS_MOST; i++)
		assert_int_equal(gdi_u32(&element, 900000 + i), i);
	for (size_t i = 0; i < 3; i++) {
		gdi_writer_free(&w);
		WRITE(1, 1);
		gdi_write_text(&w, "");
		WRITE(0, counts[i]);
		list_is_refused_with("199");
	}
}

static void test_kinds_that_are_not_on_the_wire_are_refused(void **state)
{
	static const uint32_t kinds[] = { 0, 1, 4, 5, 7, 14, 255 };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		gdi_writer_free(&w);
		list_of(0, 900000, 0x2000 | kinds[i]);
		list_is_refused_with("unknown type");
	}
}

static void test_a_known_field_of_another_kind_is_refused_by_name(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 16; i++) {
		struct gdi_buffer buffer;
		struct gdi_list list;

		gdi_writer_free(&w);
		list_of(0, JB_owner, i);
		buffer = written();
		assert_int_equal(gdi_take_list(&buffer, &list, &why), i == GDI_STRING ? 0 : -EPROTO);
		if (i != GDI_STRING && gdi_kind_name(i))
			assert_non_null(strstr(why.text, "JB_owner"));
	}
}

/* The check recognizes known descriptors, but not one that only begins like a known one. */
static void test_a_descriptor_that_differs_in_its_last_word_is_checked_again(void **state)
{
	static const struct gdi_word wrong[] = { { JB_job_number, 0x2303 },
						 { JB_owner, 0x82008 },
						 { JB_ja_tasks, 0x2003 } };
	static const struct gdi_word outer[] = { { OR_joker, 9 }, { OR_queuelist, 9 } };

	(void)state;
	size_t list = gdi_list_begin(&w, "", outer, 2);

	gdi_element_begin(&w, list);
	jobs_write(2);
	gdi_list_begin(&w, "", wrong, 3);
	list_is_refused_with("JB_ja_tasks");
}

static void test_a_field_that_is_not_known_is_passed_over(void **state)
{
	static const struct gdi_word words[] = {
		{ 900000, GDI_LIST }, { 900001, GDI_OBJECT }, { 900002, GDI_U64 }, { JB_job_number, 0x2303 }
	};
	struct gdi_list list;
	struct gdi_element element;

	(void)state;
	size_t begin = gdi_list_begin(&w, "", words, 4);

	gdi_element_begin(&w, begin);
	jobs_write(3);
	gdi_object_begin(&w, job_words, 1);
	gdi_write_u32(&w, 4711);
	WRITE(8, 0, 17);
	struct gdi_buffer buffer = written();

	assert_int_equal(gdi_take_list(&buffer, &list, &why), 0);
	assert_int_equal(gdi_take_end(&buffer, &why), 0);
	assert_true(gdi_next(&list, &element));
	assert_int_equal(gdi_u32(&element, JB_job_number), 17);
}

static void test_an_element_with_more_changes_than_fields_is_refused(void **state)
{
	(void)state;
	list_of(1, JB_job_number, 0x2303);
	WRITE(2, 2, 0, 0);
	list_is_refused_with("2 changes");
	gdi_writer_free(&w);
	list_of(1, JB_job_number, 0x2303);
	WRITE(2, UINT32_MAX, 0, 0);
	list_is_refused_with("changes");
}

static void test_elements_have_the_status_of_where_they_are(void **state)
{
	static const uint32_t wrong[] = { 0, 1, 8, UINT32_MAX };
	static struct gdi_element element;
	struct gdi_buffer buffer;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		gdi_writer_free(&w);
		list_of(1, JB_job_number, 0x2303);
		WRITE(wrong[i], 0, 17);
		list_is_refused_with("status");
	}
	gdi_writer_free(&w);
	WRITE(2, 0, 0);
	buffer = written();
	assert_int_equal(gdi_take_element(&buffer, &element, &why), -EPROTO);
}

static void test_a_presence_flag_is_0_or_1(void **state)
{
	(void)state;
	WRITE(2, 0);
	list_is_refused_with("begins with 2");
}

static void test_left_over_bytes_are_reported(void **state)
{
	struct gdi_buffer buffer;
	struct gdi_list list;

	(void)state;
	jobs_write(2);
	gdi_write_u32(&w, 0);
	buffer = written();
	assert_int_equal(gdi_take_list(&buffer, &list, &why), 0);
	assert_int_equal(gdi_take_end(&buffer, &why), -EPROTO);
	assert_string_equal(why.text, "4 bytes are left over");
}

/* The marks that the check leaves in a buffer do not change its contents. */
static void test_a_buffer_can_be_taken_again_and_read_without_a_check(void **state)
{
	struct gdi_buffer buffer;
	struct gdi_list list;
	struct gdi_element element, range;

	(void)state;
	jobs_write(3);
	buffer = written();
	for (int i = 0; i < 3; i++) {
		struct gdi_buffer again = buffer;
		uint32_t n = 0;

		if (i < 2)
			assert_int_equal(gdi_take_list(&again, &list, &why), 0);
		else
			list = gdi_checked_list(buffer.at);
		while (gdi_next(&list, &element)) {
			struct gdi_list tasks = gdi_list(&element, JB_ja_tasks);

			assert_int_equal(gdi_u32(&element, JB_job_number), ++n);
			assert_false(gdi_next(&tasks, &range));
		}
		assert_int_equal(n, 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_only_buffers_of_this_version_are_understood, teardown),
		cmocka_unit_test_teardown(test_a_list_may_be_null_or_empty, teardown),
		cmocka_unit_test_teardown(test_more_elements_than_bytes_are_refused_at_once, teardown),
		cmocka_unit_test_teardown(test_a_million_elements_without_a_field_are_eight_megabytes_and_no_more_work,
					  teardown),
		cmocka_unit_test_teardown(test_lists_are_read_as_deep_as_the_limit_and_refused_beyond, teardown),
		cmocka_unit_test_teardown(test_objects_in_objects_have_the_same_limit, teardown),
		cmocka_unit_test_teardown(test_conditions_and_enumerations_have_a_depth_limit_too, teardown),
		cmocka_unit_test_teardown(test_invalid_conditions_and_enumerations_are_refused, teardown),
		cmocka_unit_test_teardown(test_a_string_must_end_within_the_buffer, teardown),
		cmocka_unit_test_teardown(test_a_descriptor_has_199_fields_at_most, teardown),
		cmocka_unit_test_teardown(test_kinds_that_are_not_on_the_wire_are_refused, teardown),
		cmocka_unit_test_teardown(test_a_known_field_of_another_kind_is_refused_by_name, teardown),
		cmocka_unit_test_teardown(test_a_descriptor_that_differs_in_its_last_word_is_checked_again, teardown),
		cmocka_unit_test_teardown(test_a_field_that_is_not_known_is_passed_over, teardown),
		cmocka_unit_test_teardown(test_an_element_with_more_changes_than_fields_is_refused, teardown),
		cmocka_unit_test_teardown(test_elements_have_the_status_of_where_they_are, teardown),
		cmocka_unit_test_teardown(test_a_presence_flag_is_0_or_1, teardown),
		cmocka_unit_test_teardown(test_left_over_bytes_are_reported, teardown),
		cmocka_unit_test_teardown(test_a_buffer_can_be_taken_again_and_read_without_a_check, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
