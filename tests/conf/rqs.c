/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/conf/cell_dir.h"

static struct cell_dir dir;

static int setup(void **state)
{
	(void)state;
	cell_dir_create(&dir, "conf/default");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cell_dir_destroy(&dir);
	return 0;
}

static const struct quota_set *sets(const char *text)
{
	cell_dir_write(&dir, "rqs", text);
	return cell_dir_load(&dir)->quotas;
}

/* Return the only rule of the only set, with this limit line. */
static const struct quota_rule *rule(const char *limit)
{
	char text[600];

	snprintf(text, sizeof(text),
		 "{\n   name         one\n   description  NONE\n   enabled      TRUE\n   limit %s\n}\n", limit);
	sets(text);
	cell_dir_check_clean(&dir);
	assert_int_equal(dir.cell.nquotas, 1);
	assert_int_equal(dir.cell.quotas[0].nrules, 1);
	return dir.cell.quotas[0].rules;
}

static void check_names(const struct strlist *list, const char *expected)
{
	char text[200] = "";
	size_t i;

	for (i = 0; i < list->n; i++) {
		strcat(text, list->items[i]);
		strcat(text, " ");
	}
	assert_string_equal(text, expected);
}

static void check_filter(const struct quota_rule *rule, enum quota_kind kind, bool expanded, const char *in,
			 const char *not_in)
{
	assert_int_equal(rule->filters[kind].expanded, expanded);
	check_names(&rule->filters[kind].in, in);
	check_names(&rule->filters[kind].not_in, not_in);
}

static void test_sets_and_rules_keep_their_order_and_their_lines(void **state)
{
	const struct quota_set *set =
		sets("# three limits\n{\n   name zoo\n   description \"of, { all }\"\n   enabled FALSE\n"
		     "   limit name first users {*} to slots=1\n   limit to slots=2\n}\n\n"
		     "{\nname ant\nenabled true\nlimit to slots=3\n}\n");

	(void)state;
	cell_dir_check_clean(&dir);
	assert_int_equal(dir.cell.nquotas, 2);
	assert_string_equal(set[0].name, "zoo");
	assert_false(set[0].enabled);
	assert_int_equal(set[0].nrules, 2);
	assert_string_equal(set[0].rules[0].name, "first");
	assert_string_equal(set[0].rules[1].name, "");
	assert_int_equal(set[0].rules[1].number, 2);
	assert_int_equal(set[0].rules[1].line, 7);
	assert_string_equal(set[1].name, "ant");
	assert_true(set[1].enabled);
	assert_true(set[1].rules[0].limits[0].value == 3);
}

static void test_all_five_filters_are_read_in_any_order(void **state)
{
	const struct quota_rule *quota_rule =
		rule("hosts {@allhosts} queues all.q name all pes smp,mpi users ann,@physics projects {*} to slots=1");

	(void)state;
	check_filter(quota_rule, QUOTA_USERS, false, "ann @physics ", "");
	check_filter(quota_rule, QUOTA_PROJECTS, true, "* ", "");
	check_filter(quota_rule, QUOTA_PES, false, "smp mpi ", "");
	check_filter(quota_rule, QUOTA_QUEUES, false, "all.q ", "");
	check_filter(quota_rule, QUOTA_HOSTS, true, "@allhosts ", "");
	assert_string_equal(quota_rule->name, "all");
}

static void test_excluded_names_are_in_a_list_of_their_own(void **state)
{
	const struct quota_rule *quota_rule = rule("users {*,!ann,!@physics} projects !* hosts !node1 to slots=1");

	(void)state;
	check_filter(quota_rule, QUOTA_USERS, true, "* ", "ann @physics ");
	check_filter(quota_rule, QUOTA_PROJECTS, false, "", "* ");
	check_filter(quota_rule, QUOTA_PES, false, "", "");
	check_filter(quota_rule, QUOTA_HOSTS, false, "", "node1 ");
}

static void test_blanks_beside_commas_and_continued_lines_do_not_end_a_list(void **state)
{
	const struct quota_rule *quota_rule =
		rule("users ann, bob ,cal,\\\n   dot \\\n   pes { smp , mpi } to slots=1, \\\n   gpu=2");

	(void)state;
	check_filter(quota_rule, QUOTA_USERS, false, "ann bob cal dot ", "");
	check_filter(quota_rule, QUOTA_PES, true, "smp mpi ", "");
	assert_int_equal(quota_rule->nlimits, 2);
	assert_true(quota_rule->limits[1].value == 2);
}

static void test_names_that_are_keywords_are_names_within_lists(void **state)
{
	cell_dir_write(&dir, "projects/to", "name to\noticket 0\nfshare 0\nacl NONE\nxacl NONE\n");
	check_filter(rule("users to,name projects to to slots=1"), QUOTA_PROJECTS, false, "to ", "");
	check_filter(dir.cell.quotas[0].rules, QUOTA_USERS, false, "to name ", "");
	(void)state;
}

static void test_values_have_suffixes_and_shortcuts_become_names(void **state)
{
	const struct quota_rule *quota_rule = rule("to s=40,h_vmem=2.5G,h_rt=1:0:0,gpu=infinity");

	(void)state;
	assert_int_equal(quota_rule->nlimits, 4);
	assert_string_equal(quota_rule->limits[0].name, "slots");
	assert_true(quota_rule->limits[0].value == 40 && quota_rule->limits[0].formula.n == 0);
	assert_true(quota_rule->limits[1].value == 2.5 * 1024 * 1024 * 1024);
	assert_true(quota_rule->limits[2].value == 3600);
	assert_true(quota_rule->limits[3].value > 1e300);
}

static void test_a_limit_on_a_non_number_is_a_text(void **state)
{
	const struct quota_rule *quota_rule = rule("to a=lx*|sol,hostname=ada,dwg=TRUE");

	(void)state;
	assert_int_equal(quota_rule->nlimits, 3);
	assert_string_equal(quota_rule->limits[0].name, "arch");
	assert_string_equal(quota_rule->limits[0].text, "lx*|sol");
	assert_string_equal(quota_rule->limits[1].text, "ada");
	assert_true(!quota_rule->limits[2].text && quota_rule->limits[2].value == 1);
}

static void test_a_dynamic_limit_is_a_formula_of_host_values(void **state)
{
	const struct quota_rule *quota_rule = rule("hosts {*} to slots=$num_proc*1.5+3-$load_avg");
	const struct formula *formula = &quota_rule->limits[0].formula;

	(void)state;
	assert_int_equal(formula->n, 3);
	assert_string_equal(formula->terms[0].x.name, "num_proc");
	assert_int_equal(formula->terms[0].op, '*');
	assert_true(formula->terms[0].y.number == 1.5 && formula->terms[1].x.number == 3);
	assert_true(formula->terms[2].negative && !formula->terms[2].op);
	assert_string_equal(formula->terms[2].x.name, "load_avg");
}

static void test_a_set_without_enabled_is_disabled(void **state)
{
	(void)state;
	assert_false(sets("{\nname one\nlimit to slots=1\n}\n")->enabled);
	assert_int_equal(dir.report.faults, 0);
	assert_true(cell_dir_found(&dir, WARNING, "rqs", 1, "has no \"enabled\": it has no effect"));
}

static void test_no_file_and_an_empty_one_are_no_sets(void **state)
{
	(void)state;
	sets("# nothing\n");
	cell_dir_check_clean(&dir);
	assert_int_equal(dir.cell.nquotas, 0);
	shell("rm '%s/rqs'%s", dir.path, "");
	cell_dir_load(&dir);
	cell_dir_check_clean(&dir);
	assert_int_equal(dir.cell.nquotas, 0);
}

static void test_every_fault_is_reported_and_the_rest_is_read(void **state)
{
	const struct quota_set *set =
		sets("{\nname one\nenabled x\nlimit user a to slots=1\nlimit to slots=y,gpu=1\nlimit to slots=3\n"
		     "{\nname two\nenabled TRUE\nlimit to slots=z\n}\n");

	(void)state;
	assert_int_equal(dir.report.faults, 5);
	assert_true(cell_dir_found(&dir, FAULT, "rqs", 3, "\"x\" of enabled"));
	assert_true(cell_dir_found(&dir, FAULT, "rqs", 10, "\"z\" of slots found"));
	assert_int_equal(dir.cell.nquotas, 2);
	assert_int_equal(set[0].rules[2].number, 3);
	assert_true(set[0].rules[2].limits[0].value == 3);
}

static void test_a_broken_complex_brings_no_faults_here(void **state)
{
	(void)state;
	shell("sed 's/^num_proc/numproc/; s/^gpu .*/gpu/' conf/default/complex > '%s/complex'%s", dir.path, "");
	sets("{\nname one\nenabled TRUE\nlimit hosts {*} to gpu=1,slots=$num_proc*2\n}\n");
	assert_false(cell_dir_found(&dir, FAULT, "rqs", 4, ""));
	assert_string_equal(dir.cell.quotas[0].rules[0].limits[0].name, "gpu");
	assert_int_equal(dir.cell.quotas[0].rules[0].limits[1].formula.n, 1);
}

static void check_warning(const char *limit, const char *text)
{
	char file[400];

	snprintf(file, sizeof(file), "{\nname one\nenabled TRUE\nlimit %s to slots=1\n}\n", limit);
	sets(file);
	assert_int_equal(dir.report.faults, 0);
	assert_int_equal(dir.report.warnings, 1);
	assert_true(cell_dir_found(&dir, WARNING, "rqs", 4, text));
}

static void test_names_that_no_other_file_knows_are_warnings_with_their_line(void **state)
{
	(void)state;
	check_warning("users {@physic}", "users names \"physic\", but there is no such userset");
	check_warning("users !@physic", "users names \"physic\", but there is no such userset");
	check_warning("projects atlas,atlsa", "projects names \"atlsa\", but there is no such project");
	check_warning("pes make", "pes names \"make\", but there is no such parallel environment");
	check_warning("queues !all", "queues names \"all\", but there is no such queue");
	check_warning("hosts {node1,node9}", "hosts names \"node9\", but there is no such host");
	check_warning("hosts @hosts", "hosts names \"@hosts\", but there is no such host group");
	rule("users zoe projects a* pes ma?e queues {*.q} hosts node[1-9],NODE2 to slots=1");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_sets_and_rules_keep_their_order_and_their_lines),
		TEST(test_all_five_filters_are_read_in_any_order),
		TEST(test_excluded_names_are_in_a_list_of_their_own),
		TEST(test_blanks_beside_commas_and_continued_lines_do_not_end_a_list),
		TEST(test_names_that_are_keywords_are_names_within_lists),
		TEST(test_values_have_suffixes_and_shortcuts_become_names),
		TEST(test_a_limit_on_a_non_number_is_a_text),
		TEST(test_a_dynamic_limit_is_a_formula_of_host_values),
		TEST(test_a_set_without_enabled_is_disabled),
		TEST(test_no_file_and_an_empty_one_are_no_sets),
		TEST(test_every_fault_is_reported_and_the_rest_is_read),
		TEST(test_names_that_no_other_file_knows_are_warnings_with_their_line),
		TEST(test_a_broken_complex_brings_no_faults_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
