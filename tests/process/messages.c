/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of commands: their begin, reasons, length, and the time at which they are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "sched/process/messages.h"

static void test_a_message_begins_with_its_subject(void **unused)
{
	struct messages messages = { .items = NULL };

	(void)unused;
	assert_int_equal(message_add(&messages, EXIT_USAGE, "submit", "-p: \"%s\"", "x"), EXIT_USAGE);
	assert_int_equal(message_add(&messages, EXIT_OK, NULL, "submitted"), EXIT_OK);
	assert_int_equal(messages.n, 2);
	assert_string_equal(messages.items[0].text, "submit: -p: \"x\"");
	assert_string_equal(messages.items[0].text + messages.items[0].about_bytes, "-p: \"x\"");
	assert_true(message_is_about(&messages.items[0], "submit"));
	assert_false(message_is_about(&messages.items[0], "sub"));
	assert_false(message_is_about(&messages.items[0], "alter"));
	assert_false(message_is_about(&messages.items[1], ""));
	assert_string_equal(messages.items[1].text, "submitted");
	messages_free(&messages);
}

static void test_a_reason_belongs_to_the_last_message(void **unused)
{
	struct messages messages = { .items = NULL };

	(void)unused;
	message_add(&messages, EXIT_OK, NULL, "first");
	message_add(&messages, EXIT_NO_DATA, NULL, "no job named x");
	assert_int_equal(message_reason(&messages, REASON_NO_JOB_NAME, "x\n"), EXIT_NO_DATA);
	assert_int_equal(messages.items[0].reason, REASON_NONE);
	assert_int_equal(messages.items[1].reason, REASON_NO_JOB_NAME);
	assert_string_equal(messages.items[1].object, "x?");
	messages_free(&messages);
}

static void test_control_characters_and_long_texts_are_replaced_and_cut(void **unused)
{
	struct messages messages = { .items = NULL };
	char text[3 * MESSAGE_BYTES];

	(void)unused;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	message_add(&messages, EXIT_OK, "a\tb", "c\nd\177");
	message_add(&messages, EXIT_OK, text, "%s", text);
	message_add(&messages, EXIT_OK, NULL, "%s", text);
	errno = ENOENT;
	message_add(&messages, EXIT_OK, NULL, "%m");
	assert_string_equal(messages.items[0].text, "a?b: c?d?");
	assert_int_equal(strlen(messages.items[1].text), MESSAGE_BYTES - 1);
	assert_true(messages.items[1].about_bytes < MESSAGE_BYTES);
	assert_int_equal(strlen(messages.items[2].text), MESSAGE_BYTES - 1);
	assert_string_equal(messages.items[3].text, strerror(ENOENT));
	messages_free(&messages);
}

static void count(void *context, const struct messages *messages)
{
	*(size_t *)context += messages->n;
}

static void test_a_flush_prints_each_message_once(void **unused)
{
	size_t printed = 0;
	struct messages messages = { .print = count, .context = &printed }, kept = { .items = NULL };

	(void)unused;
	messages_flush(&messages);
	message_add(&messages, EXIT_OK, NULL, "one");
	message_add(&messages, EXIT_OK, NULL, "two");
	messages_flush(&messages);
	messages_flush(&messages);
	assert_int_equal(printed, 2);
	message_add(&messages, EXIT_OK, NULL, "three");
	messages_flush(&messages);
	assert_int_equal(printed, 3);
	message_add(&kept, EXIT_OK, NULL, "one");
	messages_flush(&kept);
	assert_int_equal(kept.n, 1);
	messages_free(&kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_message_begins_with_its_subject),
		cmocka_unit_test(test_a_reason_belongs_to_the_last_message),
		cmocka_unit_test(test_control_characters_and_long_texts_are_replaced_and_cut),
		cmocka_unit_test(test_a_flush_prints_each_message_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
