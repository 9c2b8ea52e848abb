/* SPDX-License-Identifier: Apache-2.0 */
/* subordinate_list: both forms, refusals and their reasons, and lists with cycles. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "conf/subordinates.h"
#include "tests/conf/cell_dir.h"

static void check_list(const char *text, uint32_t tasks, const char *expected)
{
	struct subordinates list = { 0 };
	struct error error = { "" };
	char found[200] = "";

	if (subordinates_parse(&list, text, &error))
		fail_msg("%s: %s", text, error.text);
	assert_int_equal(list.tasks, tasks);
	for (size_t i = 0; i < list.n; i++)
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s=%u:%u%s ", list.items[i].queue,
			 list.items[i].slots, list.items[i].seq_no, list.items[i].longest ? ":lr" : "");
	assert_string_equal(found, expected);
	subordinates_free(&list);
}

static void test_lists_are_read_as_printed_by_qconf_and_as_typed(void **state)
{
	(void)state;
	check_list("NONE", 0, "");
	check_list("low.q", 0, "low.q=0:0 ");
	check_list("low.q=5, small.q", 0, "low.q=5:0 small.q=0:0 ");
	check_list("low.q:3 low.q=0", 0, "low.q=3:0 low.q=0:0 ");
	check_list("slots.q=2", 0, "slots.q=2:0 ");
	check_list("slots=2(b.q:1:sr, c.q:2:lr)", 2, "b.q=0:1 c.q=0:2:lr ");
	check_list("slots=010(b.q c.q:7)", 10, "b.q=0:0 c.q=0:7 ");
}

static void test_an_error_names_the_value_and_the_accepted_values(void **state)
{
	static const struct { const char *text, *why;
	} wrong[] = {
		{ "low.q=x", "\"x\" slots of low.q: a whole number from 0 to 9999999 is allowed" },
		{ "low.q=", "\"\" slots of low.q" },
		{ "low.q=-1", "\"-1\" slots" },
		{ "low.q=3.5", "\"3.5\" slots" },
		{ "low.q=0x3", "\"0x3\" slots" },
		{ "low.q=99999999999999999999", "a whole number from 0 to 9999999 is allowed" },
		{ "=3", "no name found" },
		{ "low.q@host", "the character '@' is not allowed" },
		{ "slots", "slots=TASKS(QUEUE:SEQ_NO:ACTION, ...) is allowed" },
		{ "slots=4", "slots=TASKS(" },
		{ "slots(low.q)", "slots=TASKS(" },
		{ "slots=2(low.q", "slots=TASKS(" },
		{ "slots=2(low.q),all.q", "slots=TASKS(" },
		{ "slots=2(low.q))", "slots=TASKS(" },
		{ "slots=0(low.q)", "slots=\"0\": a whole number from 1 to 9999999 is allowed" },
		{ "slots=x(low.q)", "slots=\"x\"" },
		{ "slots=2 (low.q)", "slots=\"2 \"" },
		{ "slots=2()", "names no queue" },
		{ "slots=2(low.q:x)", "sequence number \"x\" of low.q" },
		{ "slots=2(low.q:lr)", "sequence number \"lr\"" },
		{ "slots=2(low.q::lr)", "sequence number \"\"" },
		{ "slots=2(low.q:1:LR)", "action \"LR\" of low.q: sr or lr is allowed" },
		{ "slots=2(low.q:1:sr:4)", "action \"sr:4\"" },
		{ "slots=2(:1)", "no name found" },
		{ "all.q,slots=2(low.q)", "slots of slots" },
	};
	struct subordinates list = { 0 };
	struct error error;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(subordinates_parse(&list, wrong[i].text, &error), -EINVAL);
		if (!strstr(error.text, wrong[i].why))
			fail_msg("%s: \"%s\" is said, not: %s", wrong[i].text, error.text, wrong[i].why);
		subordinates_free(&list);
	}
}

static void queue_write(struct cell_dir *dir, const char *name, const char *hosts, const char *list)
{
	char file[40], text[400];

	snprintf(file, sizeof(file), "queue/%s", name);
	snprintf(text, sizeof(text), "qname %s\nhostlist %s\nseq_no 0\nslots 4\nsubordinate_list %s\n", name, hosts,
		 list);
	cell_dir_write(dir, file, text);
}

/* Check a cell of three queues with these lists, on hosts n1 and n2 (c.q: n1 alone). */
static void cell_check(const char *a, const char *b, const char *c, size_t faults, const char *file, const char *why)
{
	struct cell_dir dir;

	cell_dir_create(&dir, NULL);
	cell_dir_write(&dir, "hgrp/@all", "group_name @all\nhostlist n1 n2\n");
	queue_write(&dir, "a.q", "@all", a);
	queue_write(&dir, "b.q", "n1 n2", b);
	queue_write(&dir, "c.q", "n1", c);
	cell_dir_load(&dir);
	if (dir.report.faults != faults || (file && !cell_dir_found(&dir, faults ? FAULT : WARNING, file, 5, why))) {
		report_print(&dir.report, stderr);
		fail_msg("%s | %s | %s: %zu faults are expected, %s", a, b, c, faults, file ? why : "");
	}
	cell_dir_destroy(&dir);
}

static void test_queues_are_not_subordinate_to_themselves_and_slot_wise_lists_have_no_cycle(void **state)
{
	static const char loop[] = "closes a loop of slot-wise lists";

	(void)state;
	cell_check("b.q", "slots=2(c.q)", "NONE", 0, NULL, NULL);
	cell_check("slots=2(c.q)", "slots=2(c.q)", "NONE", 0, NULL, NULL);
	cell_check("slots=2(b.q,c.q)", "slots=2(c.q)", "NONE", 0, NULL, NULL);
	cell_check("a.q", "NONE", "NONE", 1, "queue/a.q", "\"a.q\" can't be subordinated by itself");
	cell_check("NONE,[@all=slots=2(a.q)]", "NONE", "NONE", 1, "queue/a.q",
		   "\"a.q\" can't be subordinated by itself");
	cell_check("b.q", "c.q", "a.q", 0, NULL, NULL);
	cell_check("b.q", "slots=2(a.q)", "NONE", 0, NULL, NULL);
	cell_check("slots=2(b.q)", "slots=2(a.q)", "NONE", 1, "queue/b.q", loop);
	cell_check("slots=2(b.q)", "slots=2(c.q)", "slots=2(a.q)", 1, "queue/c.q", loop);
	cell_check("NONE,[n1=slots=2(b.q)]", "NONE,[n2=slots=2(a.q)]", "NONE", 0, NULL, NULL);
	cell_check("NONE,[@all=slots=2(b.q)]", "NONE,[n2=slots=2(a.q)]", "NONE", 1, "queue/b.q", loop);
	cell_check("NONE,[n2=slots=2(c.q)]", "NONE", "NONE,[n2=slots=2(a.q)]", 0, NULL, NULL);
	cell_check("zz.q=2", "NONE", "NONE", 0, "queue/a.q",
		   "subordinate_list names \"zz.q\", but there is no such queue");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_are_read_as_printed_by_qconf_and_as_typed),
		cmocka_unit_test(test_an_error_names_the_value_and_the_accepted_values),
		cmocka_unit_test(test_queues_are_not_subordinate_to_themselves_and_slot_wise_lists_have_no_cycle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
