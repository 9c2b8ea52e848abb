/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single changes: their effects on the files, their interpretation, and messages about invalid
 * ones.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sched/whatif/inside.h"
#include "sched/whatif/whatif.h"
#include "tests/dispatch/cell.h"

/* Files */

static const struct cell_file given[] = {
	{ .name = (char *)(uintptr_t)"condor_config", .text = (char *)(uintptr_t)"A = 1\nA = $(A) 2" },
	{ .name = (char *)(uintptr_t)"queue/all.q", .text = (char *)(uintptr_t)"qname all.q\nslots 1,[ada=2], \\\n      [bob=3]\nseq_no 0\n" },
	{ .name = (char *)(uintptr_t)"slurm.conf", .text = (char *)(uintptr_t)"# PriorityWeightAge=3\n  priorityweightage = 4\nNodeName=n1\n" },
};
static const struct cell_files files = { (struct cell_file *)(uintptr_t)given, 3 };

static void check_set(const char *file, const char *name, const char *value, const char *text)
{
	struct rewrite rewrite;

	assert_int_equal(rewrite_begin(&rewrite, &files), 0);
	assert_int_equal(rewrite_set(&rewrite, file, name, value, "--set"), 0);
	assert_string_equal(rewrite_text(&rewrite, file), text);
	rewrite_free(&rewrite);
}

static void test_a_line_with_its_continuation_is_replaced(void **state)
{
	(void)state;
	check_set("queue/all.q", "slots", "9", "qname all.q\nslots 9\nseq_no 0\n");
	check_set("queue/all.q", "calendar", "",
		  "qname all.q\nslots 1,[ada=2], \\\n      [bob=3]\nseq_no 0\ncalendar NONE\n");
	check_set("slurm.conf", "PriorityWeightAge", "5", "# PriorityWeightAge=3\nPriorityWeightAge=5\nNodeName=n1\n");
}

static void test_a_macro_is_set_after_all_others(void **state)
{
	(void)state;
	check_set("condor_config", "A", "$(A) 3", "A = 1\nA = $(A) 2\nA = $(A) 3\n");
}

static void test_files_are_added_and_removed(void **state)
{
	struct rewrite rewrite;

	(void)state;
	assert_int_equal(rewrite_begin(&rewrite, &files), 0);
	assert_int_equal(rewrite_put(&rewrite, "a", "1\n", "x"), 0);
	assert_int_equal(rewrite_put(&rewrite, "queue/all.q", NULL, "x"), 0);
	assert_int_equal(rewrite_put(&rewrite, "nowhere", NULL, "x"), 0);
	assert_string_equal(rewrite_text(&rewrite, "a"), "1\n");
	assert_null(rewrite_text(&rewrite, "queue/all.q"));
	assert_int_equal(rewrite.files.n, 3);
	rewrite_free(&rewrite);
}

/* Invalid words */

static void check_word(int rc, const struct error *error, const char *text)
{
	assert_int_equal(rc, -EINVAL);
	if (!strstr(error->text, text))
		fail_msg("\"%s\" is not in: %s", text, error->text);
}

static void test_meaningless_words_are_refused(void **state)
{
	struct suppositions suppositions = { 0 };
	struct error error;

	(void)state;
	check_word(suppose_set(&suppositions, "--set", "weight_urgency", &error), &error, "NAME=VALUE");
	check_word(suppose_set(&suppositions, "--set", "=3", &error), &error, "NAME=VALUE");
	check_word(suppose_set(&suppositions, "--set", "a b=3", &error), &error, "NAME=VALUE");
	check_word(suppose_set(&suppositions, "--set", "../x:a=3", &error), &error, "not a file of a cell");
	check_word(suppose_set(&suppositions, "--set", "/etc/passwd:a=3", &error), &error, "not a file of a cell");
	check_word(suppose_set(&suppositions, "--set", "a=3\nb 4", &error), &error, "printable");
	check_word(suppose_sharer(&suppositions, "--user", SUPPOSE_USER, "ann", SUPPOSE_SHARES, -1, &error), &error,
		   "a whole number");
	check_word(suppose_sharer(&suppositions, "--user", SUPPOSE_USER, "ann", SUPPOSE_SHARES, 0.5, &error), &error,
		   "a whole number");
	check_word(suppose_sharer(&suppositions, "--user", SUPPOSE_USER, "../ann", SUPPOSE_SHARES, 1, &error), &error,
		   "found");
	check_word(suppose_sharer(&suppositions, "--user", SUPPOSE_USER, "ann", SUPPOSE_FACTOR, 0.5, &error), &error,
		   "at least 1");
	check_word(suppose_sharer(&suppositions, "--project", SUPPOSE_PROJECT, "red", SUPPOSE_FACTOR, 2, &error),
		   &error, "users have priority factors");
	check_word(suppose_sharer(&suppositions, "--account", SUPPOSE_ACCOUNT, "red", SUPPOSE_FSHARE, 2, &error),
		   &error, "accounts have only shares");
	check_word(suppose_algorithm(&suppositions, "--algorithm", "fifo", false, &error), &error,
		   "default, multifactor or userprio");
	assert_int_equal(suppositions.n, 0);
	suppose_nothing(&suppositions);
}

/* Runs */

/* Return the error of a run with the list, or its notes. The caller frees the text. */
static char *said(struct fixture *fixture, struct suppositions *suppositions)
{
	struct error error = { "" };
	struct fl_cell *result;
	struct whatif *whatif;
	char *text;
	int rc;

	assert_int_equal(whatif_open(&whatif, fixture->view, &error), 0);
	rc = whatif_run(whatif, suppositions, &result, &error);
	text = strdup(rc ? error.text : whatif_notes(whatif));
	assert_true(rc == 0 || (rc == -EINVAL && !result));
	fl_detach(result);
	whatif_close(whatif);
	suppose_nothing(suppositions);
	return text;
}

#define SAYS(f, text, ...) do {							\
	struct suppositions s = { 0 };						\
	struct error e = { "" };						\
	char *is;								\
										\
	(void)e;								\
	assert_int_equal(__VA_ARGS__, 0);					\
	is = said(f, &s);							\
	if (strcmp(is, text) != 0)						\
		fail_msg("\"%s\" is said, not \"%s\"", is, text);		\
	free(is);								\
} while (0)
#define SET(f, word, text) SAYS(f, text, suppose_set(&s, "--set " word, word, &e))

static void make_cell(struct fixture *fixture)
{
	put_user(fixture, "ann");
	put_user(fixture, "bob");
	put_project(fixture, "red");
	put(fixture, "share_tree",
	    "id=0\nname=Root\ntype=0\nshares=1\nchildnodes=1,2\nid=1\nname=red\ntype=1\nshares=10\nchildnodes=3,4\n"
	    "id=2\nname=default\ntype=0\nshares=5\nchildnodes=NONE\nid=3\nname=ann\ntype=0\nshares=7\nchildnodes=NONE\n"
	    "id=4\nname=default\ntype=0\nshares=8\nchildnodes=NONE\n");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'bob','tasks':'1-4','hold':{'o':'2'}}");
	run(fixture, NOW);
}

static void test_an_error_names_the_option(void **state)
{
	struct fixture *fixture = *state;

	make_cell(fixture);
	SET(fixture, "weight_urgency=much",
	    "--set weight_urgency=much: error parsing value \"much\" of weight_urgency: a finite number up to 1e100 without "
	    "further characters is allowed");
	SET(fixture, "weight_urgencies=1",
	    "--set weight_urgencies=1: \"weight_urgencies\" is not a parameter of sched_conf; use FILE:NAME=VALUE for other files");
	SET(fixture, "PriorityMaxAge=1",
	    "--set PriorityMaxAge=1: parameters of slurm.conf need algorithm multifactor; the cell has algorithm default");
	SET(fixture, "PRIORITY_HALFLIFE=1",
	    "--set PRIORITY_HALFLIFE=1: macros of condor_config need algorithm userprio; the cell has algorithm default");
	SET(fixture, "queue/no.q:slots=1", "--set queue/no.q:slots=1: the cell has no file queue/no.q");
	SET(fixture, "queue/all.q:slots=1", "");
	SAYS(fixture, "--share-tree x: share_tree:1: error parsing value \"tree\": attribute=value is allowed",
	     suppose_file(&s, "--share-tree x", "share_tree", "tree\n"));
	SAYS(fixture, "--queue no.q --slots 1: there is no queue \"no.q\"",
	     suppose_slots(&s, "--queue no.q --slots 1", "no.q", 1));
	SAYS(fixture, "--queue x@y --slots 1: there is no queue instance \"x@y\"",
	     suppose_slots(&s, "--queue x@y --slots 1", "x@y", 1));
	SAYS(fixture, "-h: there is no job 9", suppose_hold(&s, "-h", 9, "u", ""));
	SAYS(fixture, "--at: this is 1 s before the run: give a later time", suppose_at(&s, "--at", NOW - 1));
	SAYS(fixture, "--factor: factors need algorithm userprio; the cell has algorithm default",
	     suppose_sharer(&s, "--factor", SUPPOSE_USER, "ann", SUPPOSE_FACTOR, 3, &e));
	SAYS(fixture, "--project: there is no project blue",
	     suppose_sharer(&s, "--project", SUPPOSE_PROJECT, "blue", SUPPOSE_FSHARE, 3, &e));
	SAYS(fixture,
	     "--project: the share tree has no node for project blue and none named default: use --share-tree FILE or --fshare",
	     suppose_sharer(&s, "--project", SUPPOSE_PROJECT, "blue", SUPPOSE_SHARES, 3, &e));
}

static void test_shares_are_changed_at_the_existing_nodes(void **state)
{
	struct fixture *fixture = *state;

	make_cell(fixture);
	SAYS(fixture, "x: shares in the share tree: /red/ann 7 -> 9\n",
	     suppose_sharer(&s, "x", SUPPOSE_USER, "ann", SUPPOSE_SHARES, 9, &e));
	SAYS(fixture, "x: shares in the share tree: /bob new, beside default, /red/bob new, beside default\n",
	     suppose_sharer(&s, "x", SUPPOSE_USER, "bob", SUPPOSE_SHARES, 9, &e));
	SAYS(fixture, "x: shares in the share tree: /red 10 -> 9\n",
	     suppose_sharer(&s, "x", SUPPOSE_PROJECT, "red", SUPPOSE_SHARES, 9, &e));
	SAYS(fixture, "x: fshare of user ann\n", suppose_sharer(&s, "x", SUPPOSE_USER, "ann", SUPPOSE_FSHARE, 9, &e));
	SAYS(fixture, "x: oticket of user new\n", suppose_sharer(&s, "x", SUPPOSE_USER, "new", SUPPOSE_OTICKET, 9, &e));
}

/* Make a run with the list and pass it to `look`. */
static void look_at(struct fixture *fixture, struct suppositions *suppositions,
		    void (*look)(const struct fl_view *view))
{
	struct fl_cell *result;
	struct error error;
	struct whatif *whatif;

	assert_int_equal(whatif_open(&whatif, fixture->view, &error), 0);
	assert_int_equal(whatif_run(whatif, suppositions, &result, &error), 0);
	whatif_close(whatif);
	look(fl_begin(result));		/* the result stays valid without it */
	assert_int_equal(fl_end(result), 0);
	fl_detach(result);
	suppose_nothing(suppositions);
}

static unsigned started_tasks(const struct fl_view *view, uint32_t job)
{
	struct fl_job fl_job;
	unsigned n = 0;

	for (size_t k = 0; fl_find(view, job, k, &fl_job) == 0; k++)
		n += fl_job.is_started;
	return n;
}

static void all_four_start(const struct fl_view *view)
{
	assert_int_equal(started_tasks(view, 2), 4);
}

static void none_of_them_starts(const struct fl_view *view)
{
	assert_int_equal(started_tasks(view, 1), 1);
	assert_int_equal(started_tasks(view, 2), 0);
}

static void test_holds_are_placed_and_released(void **state)
{
	struct suppositions suppositions = { 0 };
	struct fixture *fixture = *state;

	make_cell(fixture);
	assert_int_equal(started_tasks(fixture->view, 2), 3);
	assert_int_equal(suppose_hold(&suppositions, "-h", 2, "", "uos"), 0);
	look_at(fixture, &suppositions, all_four_start);
	assert_int_equal(suppose_hold(&suppositions, "-h", 2, "u", ""), 0);
	look_at(fixture, &suppositions, none_of_them_starts);
	/* The last word counts. */
	assert_int_equal(suppose_hold(&suppositions, "-h", 2, "us", ""), 0);
	assert_int_equal(suppose_hold(&suppositions, "-h", 2, "", "uos"), 0);
	look_at(fixture, &suppositions, all_four_start);
}

static void one_slot_each(const struct fl_view *view)
{
	assert_int_equal(started_tasks(view, 1) + started_tasks(view, 2), 2);
}

static void test_all_instances_of_a_queue_get_the_number_of_slots(void **state)
{
	struct suppositions suppositions = { 0 };
	struct fixture *fixture = *state;

	make_cell(fixture);
	assert_int_equal(suppose_slots(&suppositions, "--slots", "all.q", 1), 0);
	look_at(fixture, &suppositions, one_slot_each);
}

static void by_slurms_policy(const struct fl_view *view)
{
	struct fl_association association;
	size_t users = 0;

	for (size_t k = 0; fl_association(view, k, &association) == 0; k++) {
		if (!association.is_user || strcmp(association.account, "default") != 0)
			continue;
		users++;
		assert_int_equal(association.shares, strcmp(association.user, "ann") == 0 ? 7 : 1);
	}
	assert_int_equal(users, 2);
	assert_int_equal(started_tasks(view, 1), 1);
}

static void by_htcondors_policy(const struct fl_view *view)
{
	struct fl_submitter submitter;
	size_t n = 0;

	while (fl_submitter(view, n, &submitter) == 0)
		n++;
	assert_int_equal(n, 2);
}

static void test_the_queue_is_ordered_by_other_systems(void **state)
{
	struct suppositions suppositions = { 0 };
	struct fixture *fixture = *state;
	struct error error;

	make_cell(fixture);
	assert_int_equal(suppose_algorithm(&suppositions, "--algorithm multifactor", "multifactor", true, &error), 0);
	look_at(fixture, &suppositions, by_slurms_policy);
	assert_int_equal(suppose_algorithm(&suppositions, "--algorithm userprio", "userprio", false, &error), 0);
	look_at(fixture, &suppositions, by_htcondors_policy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_with_its_continuation_is_replaced),
		cmocka_unit_test(test_a_macro_is_set_after_all_others),
		cmocka_unit_test(test_files_are_added_and_removed),
		cmocka_unit_test(test_meaningless_words_are_refused),
		DISPATCH_TEST(test_an_error_names_the_option),
		DISPATCH_TEST(test_shares_are_changed_at_the_existing_nodes),
		DISPATCH_TEST(test_holds_are_placed_and_released),
		DISPATCH_TEST(test_all_instances_of_a_queue_get_the_number_of_slots),
		DISPATCH_TEST(test_the_queue_is_ordered_by_other_systems),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
