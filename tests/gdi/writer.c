/* SPDX-License-Identifier: Apache-2.0 */
/* Requests are written as real clients write them. Exhausted memory is reported at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "sched/qmaster/gdi/packet.h"
#include "tests/failing_memory.h"
#include "tests/gdi/vectors.h"

static struct gdi_writer w;
static unsigned compared;

static int teardown(void **state)
{
	(void)state;
	gdi_writer_free(&w);
	return 0;
}

/* Return the credential that the recorded client sent about itself. */
static const char *credential_of(const struct vector_message *message)
{
	for (size_t at = 0; at + 6 < message->n; at++)
		if (memcmp(message->data + at, "none:", 5) == 0)
			return (const char *)message->data + at;
	fail_msg("%s: a request without a credential", message->file);
	return "";
}

static void compare(const struct vector_message *message)
{
	assert_int_equal(w.rc, 0);
	assert_int_equal(w.n, message->n);
	assert_memory_equal(w.bytes, message->data, message->n);
	gdi_writer_free(&w);
	compared++;
}

static bool is_request(const struct vector_message *message, unsigned id)
{
	return message->direction == '>' && message->tag == TAG_GDI && message->id == id;
}

static void all_jobs(const struct vector_message *message)
{
	if (!is_request(message, 1))
		return;
	gdi_write_header(&w);
	w.packet = 1;
	gdi_task_begin(&w, GDI_GET, GDI_JOB_LIST);
	gdi_write_null(&w);
	gdi_task_where(&w);
	gdi_write_everywhere(&w);
	gdi_write_wanted(&w, NULL, 0);
	gdi_task_end(&w, credential_of(message), 1, false);
	compare(message);
}

static void test_a_get_of_all_jobs_equals_the_recorded_one(void **state)
{
	(void)state;
	compared = 0;
	vectors_all("b1-", all_jobs);
	assert_int_equal(compared, 1);
}

/* Rewrite several tasks in one packet, in the order of the recording. */
static void many_lists(const struct vector_message *message)
{
	static const enum gdi_target targets[] = {
		GDI_USERS,	    GDI_PROJECTS,    GDI_SHARE_TREE,	 GDI_SCHED_CONF,  GDI_COMPLEXES,
		GDI_CONFIGURATIONS, GDI_EXEC_HOSTS,  GDI_CLUSTER_QUEUES, GDI_PES,	  GDI_USERSETS,
		GDI_HOST_GROUPS,    GDI_QUOTAS,	     GDI_RESERVATIONS,	 GDI_CHECKPOINTS, GDI_CALENDARS,
		GDI_MANAGERS,	    GDI_ADMIN_HOSTS, GDI_EVENT_CLIENTS,
	};
	size_t n = sizeof(targets) / sizeof(targets[0]);

	if (!is_request(message, 2))
		return;
	gdi_write_header(&w);
	w.packet = 2;
	for (uint32_t i = 0; i < n; i++) {
		gdi_task_begin(&w, GDI_GET, targets[i]);
		gdi_write_null(&w);
		gdi_task_where(&w);
		gdi_write_everywhere(&w);
		gdi_write_wanted(&w, NULL, 0);
		gdi_task_end(&w, credential_of(message), i + 1, i + 1 < n);
	}
	compare(message);
}

static void test_eighteen_lists_are_requested_in_one_packet(void **state)
{
	(void)state;
	compared = 0;
	vectors_all("b2-", many_lists);
	assert_int_equal(compared, 1);
}

/* Write the condition that a field has this value. */
static void where(uint32_t field, uint32_t value)
{
	const struct gdi_type *type = gdi_type_of(field);
	const uint32_t words[] = { 1, 19 /* is equal to */, field - type->first, type->fields[field - type->first].mt,
				   field, value };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		gdi_write_u32(&w, words[i]);
}

static void some_fields_of_one_job(const struct vector_message *message)
{
	static const struct gdi_wanted task[] = { { .number = JAT_task_number }, { .number = JAT_status } };
	static const struct gdi_wanted job[] = { { .number = JB_job_number },
						 { .number = JB_owner },
						 { .number = JB_ja_tasks, .inside = task, .ninside = 2 } };

	if (!is_request(message, 2))
		return;
	gdi_write_header(&w);
	w.packet = 2;
	gdi_task_begin(&w, GDI_GET, GDI_JOB_LIST);
	gdi_write_null(&w);
	gdi_task_where(&w);
	where(JB_job_number, 636);
	gdi_write_wanted(&w, job, 3);
	gdi_task_end(&w, credential_of(message), 1, false);
	compare(message);
}

static void test_a_condition_with_nested_fields_equals_the_recorded_one(void **state)
{
	(void)state;
	compared = 0;
	vectors_all("q1-", some_fields_of_one_job);
	assert_int_equal(compared, 1);
}

static void permissions(const struct vector_message *message)
{
	if (!is_request(message, 2))
		return;
	gdi_write_header(&w);
	w.packet = 2;
	gdi_task_begin(&w, GDI_PERMCHECK, GDI_DUMMY);
	gdi_write_null(&w);
	gdi_task_simple(&w, credential_of(message), 1, false);
	compare(message);
}

static void test_a_permission_request_equals_the_recorded_one(void **state)
{
	(void)state;
	compared = 0;
	vectors_all("t3-", permissions);
	assert_int_equal(compared, 1);
}

static void test_a_list_without_an_element_becomes_null(void **state)
{
	static const struct gdi_word words[] = { { UA_name, 0x10708 }, { UA_value, 0x10002 } };
	static const unsigned char null[4];

	(void)state;
	gdi_list_end(&w, gdi_list_begin(&w, "usage", words, 2));
	assert_int_equal(w.n, 4);
	assert_memory_equal(w.bytes, null, 4);
}

static void test_a_condition_is_read_back(void **state)
{
	struct gdi_buffer buffer;
	struct error why;

	(void)state;
	gdi_write_everywhere(&w);
	buffer = (struct gdi_buffer) { w.bytes, w.bytes + w.n };
	assert_int_equal(gdi_take_condition(&buffer, &why), 0);
	assert_int_equal(gdi_take_end(&buffer, &why), 0);
}

#ifdef CAN_FAIL
static void test_exhausted_memory_is_reported_at_the_end(void **state)
{
	static const struct gdi_word words[] = { { UA_name, 0x10708 }, { UA_value, 0x10002 } };

	(void)state;
	for (int n = 0;; n++) {
		left = n;
		size_t list = gdi_list_begin(&w, "usage", words, 2);

		for (int i = 0; i < 1000; i++) {
			gdi_element_begin(&w, list);
			gdi_write_text(&w, "cpu");
			gdi_write_double(&w, 1);
		}
		gdi_list_end(&w, list);
		left = -1;
		if (w.rc == 0)
			break;
		assert_int_equal(w.rc, -ENOMEM);
		gdi_writer_free(&w);
		assert_int_equal(w.rc, 0);
	}
	assert_true(w.n > 21000);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_a_get_of_all_jobs_equals_the_recorded_one, teardown),
		cmocka_unit_test_teardown(test_eighteen_lists_are_requested_in_one_packet, teardown),
		cmocka_unit_test_teardown(test_a_condition_with_nested_fields_equals_the_recorded_one, teardown),
		cmocka_unit_test_teardown(test_a_permission_request_equals_the_recorded_one, teardown),
		cmocka_unit_test_teardown(test_a_list_without_an_element_becomes_null, teardown),
		cmocka_unit_test_teardown(test_a_condition_is_read_back, teardown),
#ifdef CAN_FAIL
		cmocka_unit_test_teardown(test_exhausted_memory_is_reported_at_the_end, teardown),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
