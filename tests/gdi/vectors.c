/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorded messages between a real qmaster and its clients are read to the last byte and written
 * again unchanged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "sched/qmaster/gdi/packet.h"
#include "tests/failing_memory.h"
#include "tests/gdi/rewrite.h"
#include "tests/gdi/vectors.h"

#ifdef CAN_FAIL
#define MEMORY(allocations) (left = (allocations))	/* -1: as many as you like */
#else
#define MEMORY(allocations) ((void)0)
#endif

static struct error why;
static unsigned messages, packets, elements, events;

/*
 * Check and rewrite the contents of a packet. Condition and enumeration have tests of their own and
 * are copied unchanged here.
 */
static void packet_rewrite(struct gdi_writer *writer, struct gdi_buffer buffer)
{
	uint32_t word = 1;

	while (buffer.at < buffer.end) {
		struct gdi_list list;
		const char *text;

		for (int i = 0; i < 3; i++) {
			assert_int_equal(gdi_take_u32(&buffer, &word, &why), 0);
			gdi_write_u32(writer, word);
		}
		for (int i = 0; i < 2; i++) {
			assert_int_equal(gdi_take_list(&buffer, &list, &why), 0);
			list_rewrite(writer, list);
		}
		const unsigned char *begin = buffer.at;

		assert_int_equal(gdi_take_condition(&buffer, &why), 0);
		assert_int_equal(gdi_take_enumeration(&buffer, &why), 0);
		gdi_write_bytes(writer, begin, (size_t)(buffer.at - begin));
		assert_int_equal(gdi_take_text(&buffer, &text, &why), 0);
		gdi_write_text(writer, text);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(gdi_take_u32(&buffer, &word, &why), 0);
			gdi_write_u32(writer, word);
		}
	}
	assert_int_equal(word, 0);		/* no other task follows */
}

static void message_rewrite(struct gdi_writer *writer, unsigned tag, unsigned char *bytes, size_t n)
{
	struct gdi_buffer buffer = { bytes, bytes + n };
	struct gdi_word words[GDI_FIELDS_MOST];
	struct gdi_element element;
	struct gdi_list list;
	uint32_t id;

	assert_int_equal(gdi_take_header(&buffer, &why), 0);
	gdi_write_header(writer);
	switch (tag) {
	case TAG_GDI:
		packet_rewrite(writer, buffer);
		return;
	case TAG_REPORT:
		assert_int_equal(gdi_take_list(&buffer, &list, &why), 0);
		list_rewrite(writer, list);
		break;
	case TAG_ACK:
		assert_int_equal(gdi_take_element(&buffer, &element, &why), 0);
		gdi_free_element_begin(writer, words, words_of(element.descriptor, words));
		element_rewrite(writer, &element);
		break;
	default:
		assert_int_equal(tag, TAG_LEAVE);
		assert_int_equal(gdi_take_u32(&buffer, &id, &why), 0);
		gdi_write_u32(writer, id);
	}
	assert_int_equal(gdi_take_end(&buffer, &why), 0);
}

/*
 * Compare messages except for the word "changed" of lists, which has no meaning. After a check it
 * has the list's length, in the received and in the written message.
 */
static void message_write_again(const struct vector_message *message)
{
	struct gdi_writer once = { 0 }, twice = { 0 };

	if (!vector_packed(message))
		return;
	message_rewrite(&once, message->tag, message->data, message->n);
	assert_int_equal(once.rc, 0);
	message_rewrite(&twice, message->tag, once.bytes, once.n);
	assert_int_equal(once.n, message->n);
	assert_memory_equal(once.bytes, message->data, message->n);
	gdi_writer_free(&once);
	gdi_writer_free(&twice);
	messages++;
}

static void test_every_message_is_read_completely_and_written_again_unchanged(void **state)
{
	(void)state;
	messages = 0;
	vectors_all(NULL, message_write_again);
	assert_int_equal(messages, 680);
}

/* Read all values of an answer without allocating memory. */
static void answer_read(const struct vector_message *message)
{
	struct gdi_buffer buffer = { message->data, message->data + message->n };
	struct gdi_answer answer = { .more = true };
	uint32_t id = 0;

	if (vector_packed(message) && message->tag == TAG_GDI && message->direction == '<') {
		MEMORY(0);
		assert_int_equal(gdi_take_header(&buffer, &why), 0);
		while (answer.more) {
			assert_int_equal(gdi_take_answer(&buffer, &answer, &why), 0);
			assert_int_equal(answer.id, ++id);
		}
		MEMORY(-1);
		packets++;
	}
}

static void test_every_answer_has_its_tasks_in_order(void **state)
{
	(void)state;
	packets = 0;
	vectors_all(NULL, answer_read);
	assert_int_equal(packets, 215);
}

static void report_read(const struct vector_message *message)
{
	struct gdi_buffer buffer = { message->data, message->data + message->n };
	struct gdi_list reports, list;
	struct gdi_element report, event;
	uint32_t last = 0;

	if (!vector_packed(message) || message->tag != TAG_REPORT)
		return;
	MEMORY(0);
	assert_int_equal(gdi_take_header(&buffer, &why), 0);
	assert_int_equal(gdi_take_list(&buffer, &reports, &why), 0);
	assert_int_equal(gdi_take_end(&buffer, &why), 0);
	assert_true(gdi_next(&reports, &report));
	assert_int_equal(gdi_u32(&report, REP_type), 2);
	assert_string_equal(gdi_text(&report, REP_host), "sgehost");
	list = gdi_list(&report, REP_list);
	while (gdi_next(&list, &event)) {
		assert_true(last == 0 || gdi_u32(&event, ET_number) == last + 1);
		last = gdi_u32(&event, ET_number);
		assert_in_range(gdi_u32(&event, ET_type), 1, 97);
		events++;
	}
	assert_false(gdi_next(&reports, &report));
	MEMORY(-1);
}

static void test_the_events_of_a_delivery_are_numbered_without_a_gap(void **state)
{
	(void)state;
	events = 0;
	vectors_all(NULL, report_read);
	assert_int_equal(events, 513);
}

/*
 * Compare a descriptor of the qmaster: each word equals that of the tables, except the flag of a
 * reduced one.
 */
static void words_compare(const struct gdi_element *element)
{
	struct gdi_word words[GDI_FIELDS_MOST];
	size_t n = words_of(element->descriptor, words);

	for (size_t i = 0; i < n; i++) {
		const struct gdi_field *field = gdi_field(words[i].number);

		assert_non_null(field);
		assert_int_equal(words[i].mt & ~GDI_REDUCED, field->mt);
		if ((words[i].mt & 0xff) == GDI_LIST) {
			struct gdi_list inner = gdi_list(element, words[i].number);
			struct gdi_element one;

			while (gdi_next(&inner, &one))
				words_compare(&one);
		}
	}
	elements++;
}

static void tables_compare(const struct vector_message *message)
{
	struct gdi_buffer buffer = { message->data, message->data + message->n };
	struct gdi_answer answer = { .more = true };
	struct gdi_element one;

	if (message->tag != TAG_GDI || message->direction != '<')
		return;
	assert_int_equal(gdi_take_header(&buffer, &why), 0);
	while (answer.more) {
		assert_int_equal(gdi_take_answer(&buffer, &answer, &why), 0);
		while (gdi_next(&answer.data, &one))
			words_compare(&one);
	}
}

static void test_the_tables_have_the_flags_that_the_qmaster_itself_sends(void **state)
{
	(void)state;
	elements = 0;
	vectors_all("b2-", tables_compare);
	vectors_all("s0-", tables_compare);
	assert_int_equal(elements, 1040);
}

static unsigned said[32];

static void answer_count(const struct vector_message *message)
{
	struct gdi_buffer buffer = { message->data, message->data + message->n };
	struct gdi_answer answer = { .more = true };

	if (!vector_packed(message) || message->tag != TAG_GDI || message->direction != '<')
		return;
	assert_int_equal(gdi_take_header(&buffer, &why), 0);
	while (answer.more) {
		assert_int_equal(gdi_take_answer(&buffer, &answer, &why), 0);
		assert_in_range(answer.status, 1, 31);
		said[answer.status]++;
		assert_int_equal(answer.status == GDI_OK, answer.text[0] == '\0');
		if (answer.status == GDI_NOT_MANAGER)
			assert_string_equal(answer.text, "denied: \"ann\" must be manager for this operation");
		if (answer.status == 4 && answer.target == GDI_DUMMY)
			assert_int_equal(answer.quality, GDI_INFO);	/* the request succeeded nevertheless */
		else if (answer.status != GDI_OK)
			assert_int_equal(answer.quality, GDI_ERROR);
	}
}

/*
 * The list of answers to one task can hold an error first, then "ok", and even the data of a GET.
 */
static void test_a_refusal_is_not_hidden_by_an_ok_that_follows(void **state)
{
	(void)state;
	vectors_all(NULL, answer_count);
	assert_int_equal(said[GDI_NOT_MANAGER], 1);
	assert_int_equal(said[GDI_VERSION], 1);
	assert_int_equal(said[4], 3 + 2);	/* no valid credential; qconf -kt, -at */
}

static void report_cut(const struct vector_message *message)
{
	size_t step = message->n / 500 + 1;

	if (!vector_packed(message) || message->tag != TAG_REPORT)
		return;
	for (size_t n = 0; n < message->n; n += step) {
		unsigned char *cut = malloc(n ? n : 1);
		struct gdi_buffer buffer = { cut, cut + n };
		struct gdi_list list;

		memcpy(cut, message->data, n);
		why.text[0] = '\0';
		int rc = gdi_take_header(&buffer, &why);

		if (rc == 0)
			rc = gdi_take_list(&buffer, &list, &why);
		assert_int_equal(rc, -EPROTO);
		assert_true(why.text[0] && buffer.at <= buffer.end);
		free(cut);
		messages++;
	}
}

static void test_a_report_that_is_cut_anywhere_is_refused(void **state)
{
	(void)state;
	messages = 0;
	vectors_all(NULL, report_cut);
	assert_true(messages > 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_message_is_read_completely_and_written_again_unchanged),
		cmocka_unit_test(test_every_answer_has_its_tasks_in_order),
		cmocka_unit_test(test_the_events_of_a_delivery_are_numbered_without_a_gap),
		cmocka_unit_test(test_the_tables_have_the_flags_that_the_qmaster_itself_sends),
		cmocka_unit_test(test_a_refusal_is_not_hidden_by_an_ok_that_follows),
		cmocka_unit_test(test_a_report_that_is_cut_anywhere_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
