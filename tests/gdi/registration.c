/* SPDX-License-Identifier: Apache-2.0 */
/* Messages from and to an event client, compared with recorded ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "sched/qmaster/gdi/registration.h"
#include "tests/gdi/vectors.h"

#define C1 "tests/reference/gdi/c1-register-total-update-job-add.hex"
#define I1 "tests/reference/gdi/i1-reduced-subscription.hex"
#define B3 "tests/reference/gdi/b3-gdi-get-event-clients.hex"
#define H2 "tests/reference/gdi/h2-refusals.hex"
#define SOMEBODY "none:0 0 root root"

static struct error why;
static struct vector_message found;
static unsigned wanted_id;

static void keep(const struct vector_message *message)
{
	if (message->id == wanted_id && strcmp(message->format, "bin") == 0) {
		free(found.data);
		found = *message;
		found.data = malloc(message->n);
		memcpy(found.data, message->data, message->n);
	}
}

/* Return the message with this id of one direction. */
static const struct vector_message *message(const char *path, char direction, unsigned id)
{
	wanted_id = id;
	found.n = 0;
	vector_messages(path, direction, keep);
	assert_true(found.n > 0);
	return &found;
}

static void assert_said(struct gdi_writer *writer, const char *path, unsigned id)
{
	const struct vector_message *vector_message = message(path, '>', id);

	assert_int_equal(writer->rc, 0);
	assert_int_equal(writer->n, vector_message->n);
	assert_memory_equal(writer->bytes, vector_message->data, vector_message->n);
	gdi_writer_free(writer);
}

/* Collect the events of the built-in scheduler, in its order. */
static size_t builtin_events(struct gdi_subscribed *events)
{
	static const struct { enum gdi_event first, last; bool at_once;
	} ranges[] = {
		{ 60, 60, true },  { 72, 72, true },  { 97, 97, true },	 { 93, 96, false }, { 9, 12, false },
		{ 13, 16, false }, { 61, 64, false }, { 21, 24, false }, { 85, 88, false }, { 25, 25, true },
		{ 31, 37, false }, { 26, 28, false }, { 52, 55, false }, { 29, 30, false }, { 56, 59, false },
		{ 65, 69, false }, { 89, 92, false }, { 70, 70, true },	 { 71, 71, true },  { 51, 51, true },
		{ 77, 80, false }, { 81, 84, false },
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		for (enum gdi_event e = ranges[i].first; e <= ranges[i].last; e++)
			events[n++] =
				(struct gdi_subscribed){ .event = e, .flush = ranges[i].at_once ? 0 : GDI_NO_FLUSH };
	return n;
}

static void test_a_registration_equals_the_recorded_one(void **state)
{
	struct gdi_subscribed events[GDI_SUBSCRIBED_MOST];
	struct gdi_registration registration = {
		.id = 1, .name = "scheduler", .d_time = 2, .busy = GDI_BUSY_UNTIL_RELEASED, .subscribed = events
	};
	struct gdi_writer writer = { .packet = 1 };

	(void)state;
	registration.nsubscribed = builtin_events(events);
	gdi_write_register(&writer, &registration, SOMEBODY);
	assert_said(&writer, C1, 1);
	gdi_write_acknowledgement(&writer, 14, 1);
	assert_said(&writer, C1, 2);
	writer.packet = 2;
	registration.nsubscribed = 0;
	gdi_write_change(&writer, &registration, SOMEBODY);
	assert_said(&writer, C1, 3);
	gdi_write_leave(&writer, 1);
	assert_said(&writer, C1, 6);
}

/* Fields of jobs and tasks only, and four events in one delivery. */
static void test_a_reduced_subscription_equals_the_recorded_one(void **state)
{
	static const struct gdi_wanted job[] = { { .number = JB_job_number },
						 { .number = JB_owner },
						 { .number = JB_version },
						 { .number = JB_ja_n_h_ids },
						 { .number = JB_ja_tasks } };
	struct gdi_subscribed events[GDI_SUBSCRIBED_MOST];
	struct gdi_registration registration = {
		.id = 1, .name = "scheduler", .d_time = 2, .busy = GDI_BUSY_UNTIL_RELEASED, .subscribed = events
	};
	struct gdi_writer writer = { .packet = 1 };

	(void)state;
	registration.nsubscribed = builtin_events(events);
	for (size_t i = 0; i < registration.nsubscribed; i++) {
		if (events[i].event >= GDI_EV_JOB_LIST && events[i].event <= GDI_EV_JOB_MOD &&
		    events[i].event != GDI_EV_JOB_DEL) {
			events[i].what = job;
			events[i].nwhat = sizeof(job) / sizeof(job[0]);
		}
		if (events[i].event == GDI_EV_JOB_ADD || events[i].event == GDI_EV_JOB_DEL ||
		    events[i].event == GDI_EV_JATASK_DEL || events[i].event == GDI_EV_JOB_FINAL_USAGE)
			events[i].flush = 0;
	}
	gdi_write_register(&writer, &registration, SOMEBODY);
	assert_said(&writer, I1, 1);
}

/*
 * Return the fields or the condition of an event subscribed to by the built-in scheduler, as text.
 */
static const char *builtin_packed(enum gdi_event event, uint32_t field)
{
	static struct gdi_answer answer;
	static struct gdi_element client, one, packed;
	static struct gdi_list events;
	const struct vector_message *vector_message = message(B3, '<', 1);
	struct gdi_buffer buffer = { vector_message->data, vector_message->data + vector_message->n };

	assert_int_equal(gdi_take_header(&buffer, &why), 0);
	assert_int_equal(gdi_take_answer(&buffer, &answer, &why), 0);
	assert_true(gdi_next(&answer.data, &client));
	events = gdi_list(&client, EV_subscribed);
	while (gdi_next(&events, &one))
		if (gdi_u32(&one, EVS_id) == event)
			return gdi_object(&one, field, &packed) ? gdi_text(&packed, PACK_string) : "";
	fail();
	return NULL;
}

/* Return the fields or the condition of an event that we subscribe to. */
static char *own_packed(enum gdi_event event, uint32_t field)
{
	const struct gdi_flush flush = { 0, 0 };
	struct gdi_subscribed events[GDI_SUBSCRIBED_MOST];
	size_t n = gdi_scheduler_subscribed(events, &flush);
	struct gdi_writer writer = { .rc = 0 };
	struct gdi_buffer buffer;
	struct gdi_list list;
	struct gdi_element one, packed;
	char *text = NULL;

	gdi_write_subscribed(&writer, events, n);
	buffer = (struct gdi_buffer){ writer.bytes, writer.bytes + writer.n };
	assert_int_equal(gdi_take_list(&buffer, &list, &why), 0);
	assert_int_equal(gdi_take_end(&buffer, &why), 0);
	while (gdi_next(&list, &one))
		if (gdi_u32(&one, EVS_id) == event)
			text = strdup(gdi_object(&one, field, &packed) ? gdi_text(&packed, PACK_string) : "");
	assert_non_null(text);
	gdi_writer_free(&writer);
	return text;
}

static void test_conditions_equal_those_of_the_built_in_scheduler(void **state)
{
	static const enum gdi_event events[] = { GDI_EV_EXECHOST_LIST, GDI_EV_QINSTANCE_MOD };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *own = own_packed(events[i], EVS_where);

		assert_true(strlen(own) > 20);
		assert_string_equal(own, builtin_packed(events[i], EVS_where));
		free(own);
	}
}

static void test_fields_of_instances_equal_those_of_the_built_in_scheduler(void **state)
{
	char *own = own_packed(GDI_EV_QINSTANCE_MOD, EVS_what);

	(void)state;
	assert_true(strlen(own) > 1000);
	assert_string_equal(own, builtin_packed(GDI_EV_QINSTANCE_MOD, EVS_what));
	free(own);
}

static void test_a_scheduler_subscribes_to_the_events_of_the_built_in_scheduler(void **state)
{
	const struct gdi_flush flush = { 3, GDI_NO_FLUSH };
	struct gdi_subscribed builtin[GDI_SUBSCRIBED_MOST], own[GDI_SUBSCRIBED_MOST];
	size_t nbuiltin = builtin_events(builtin), n = gdi_scheduler_subscribed(own, &flush), matched = 0;

	(void)state;
	for (size_t i = 0; i < nbuiltin; i++)
		for (size_t k = 0; k < n; k++)
			if (own[k].event == builtin[i].event) {
				matched++;
				assert_int_equal(own[k].flush, own[k].event == GDI_EV_JOB_ADD	    ? 3
							       : own[k].event == GDI_EV_USER_MOD    ? 0
							       : own[k].event == GDI_EV_PROJECT_MOD ? 0
												    : builtin[i].flush);
			}
	assert_int_equal(matched, nbuiltin);
}

static size_t reports;

static void report_compare(const struct vector_message *message)
{
	struct gdi_list events;
	struct gdi_element event;
	struct gdi_delivery head;

	if (message->tag != TAG_REPORT || !vector_packed(message))
		return;
	reports++;
	assert_int_equal(gdi_delivery_check(message->data, message->n, &head, &why), 0);
	events = gdi_delivery_events(message->data);
	assert_int_equal(events.left, head.n);
	for (uint32_t k = 0; gdi_next(&events, &event); k++)
		assert_int_equal(gdi_u32(&event, ET_number), head.first + k);
	for (size_t n = 0; n < 192 && n < message->n; n++)
		assert_int_equal(gdi_delivery_check(message->data, n, &head, &why), -EPROTO);
}

static void test_a_report_is_checked_and_returns_its_numbers(void **state)
{
	(void)state;
	vectors_all(NULL, report_compare);
	assert_true(reports > 80);
}

static void test_a_registration_is_granted_or_refused(void **state)
{
	const struct vector_message *vector_message = message(C1, '<', 1);
	uint32_t client;

	(void)state;
	assert_int_equal(gdi_take_registered(vector_message->data, vector_message->n, &client, &why), 0);
	assert_int_equal(client, 1);
	vector_message = message(H2, '<', 3);		/* orders of a user who is no manager */
	assert_int_equal(gdi_take_registered(vector_message->data, vector_message->n, &client, &why), -EPERM);
	assert_non_null(strstr(why.text, "the qmaster refuses: "));
	for (size_t n = 0; n < vector_message->n; n += 7)
		assert_int_equal(gdi_take_registered(vector_message->data, n, &client, &why), -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_registration_equals_the_recorded_one),
		cmocka_unit_test(test_a_reduced_subscription_equals_the_recorded_one),
		cmocka_unit_test(test_conditions_equal_those_of_the_built_in_scheduler),
		cmocka_unit_test(test_fields_of_instances_equal_those_of_the_built_in_scheduler),
		cmocka_unit_test(test_a_scheduler_subscribes_to_the_events_of_the_built_in_scheduler),
		cmocka_unit_test(test_a_report_is_checked_and_returns_its_numbers),
		cmocka_unit_test(test_a_registration_is_granted_or_refused),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(found.data);
	return failed;
}
