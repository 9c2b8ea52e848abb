/* SPDX-License-Identifier: Apache-2.0 */
/*
 * condor_config: lines, nested macros, conditions, included files, and the resulting settings of a
 * cell.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "conf/classad/classad.h"
#include "tests/condor/config_text.h"

static uint32_t interval_of(const char *text)
{
	uint32_t interval = read_text(text)->interval;

	if (d.report.faults > 0)
		report_print(&d.report, stderr);
	assert_int_equal(d.report.faults, 0);
	done();
	return interval;
}

static void test_a_condor_config_makes_a_cell_userprio(void **state)
{
	(void)state;
	assert_true(read_text("")->is_there);
	assert_string_equal(d.cell.sched.algorithm, "userprio");
	done();
}

static void test_condor_config_beside_slurm_conf_is_a_fault(void **state)
{
	(void)state;
	cell_dir_create(&d, NULL);
	cell_dir_write(&d, "condor_config", "");
	cell_dir_write(&d, "slurm.conf", "");
	cell_dir_load(&d);
	assert_int_equal(d.report.faults, 1);
	done();
}

static void test_the_last_value_counts_and_names_have_no_case(void **state)
{
	(void)state;
	assert_int_equal(interval_of("NEGOTIATOR_INTERVAL = 10\nnegotiator_interval=20\n"), 20);
	assert_int_equal(interval_of("NEGOTIATOR_INTERVAL = 10\nNEGOTIATOR_INTERVAL =\n"), 60);
}

static void test_a_macro_of_the_negotiator_alone_wins(void **state)
{
	(void)state;
	assert_int_equal(
		interval_of(
			"NEGOTIATOR.NEGOTIATOR_INTERVAL = 10\nNEGOTIATOR_INTERVAL = 20\nSCHEDD.NEGOTIATOR_INTERVAL = 30\n"),
		10);
	assert_int_equal(interval_of("NEGOTIATOR_INTERVAL = $(X)\nX = 1\nnegotiator.X = 2\n"), 2);
	assert_int_equal(interval_of("X = 3\nNEGOTIATOR.X = $(X)0\nNEGOTIATOR_INTERVAL = $(X)\n"), 30);
}

static void test_macros_are_expanded_after_reading_except_references_to_themselves(void **state)
{
	(void)state;
	assert_int_equal(interval_of("A = 1\nNEGOTIATOR_INTERVAL = $(A)\nA = 2\n"), 2);
	assert_int_equal(interval_of("A = 1\nB = $(A)\nA = $(A)2\nA = $(a:9)3\nNEGOTIATOR_INTERVAL = $(B)\n"), 123);
	assert_int_equal(interval_of("A = $(A:7)1\nNEGOTIATOR_INTERVAL = $(A)\n"), 71);
	assert_int_equal(interval_of("A = $(A)1\nNEGOTIATOR_INTERVAL = $(A)\n"), 1);
}

static void test_a_default_counts_where_a_macro_is_absent_or_empty(void **state)
{
	(void)state;
	assert_int_equal(interval_of("NEGOTIATOR_INTERVAL = $(NONE:17)\n"), 17);
	assert_int_equal(interval_of("E =\nNEGOTIATOR_INTERVAL = $(E:18)\n"), 18);
	assert_int_equal(interval_of("F = 4\nNEGOTIATOR_INTERVAL = $(NONE:$(F)2)\n"), 42);
	assert_int_equal(interval_of("F = 4\nNEGOTIATOR_INTERVAL = 5$(NONE)6\n"), 56);
	assert_int_equal(interval_of("F4 = 44\nN = 4\nNEGOTIATOR_INTERVAL = $(F$(N))\n"), 44);
}

static void test_an_unset_macro_has_its_compiled_in_value(void **state)
{
	const struct condor_conf *conf = read_text(
		"START = $(START) && Cpus > 1\nNEGOTIATOR_PRE_JOB_RANK = $(NEGOTIATOR_PRE_JOB_RANK) + 5 * Fast\n"
		"PREEMPT = $(IsVanilla) && $(SmallJob)\nSTARTD.KILL = $(KILL) || $(StateTimer) > $(HOUR)\n"
		"NEGOTIATOR_CYCLE_DELAY = $(NEGOTIATOR_INTERVAL) / 3\nMachineMaxVacateTime = 2 * $(MaxVacateTime)\n");

	(void)state;
	assert_int_equal(d.report.faults, 0);
	assert_string_equal(conf->start.text, "True && Cpus > 1");
	assert_non_null(strstr(conf->pre_job_rank.text, "- Memory + 5 * Fast"));
	assert_string_equal(conf->preempt.text, "(TARGET.JobUniverse == 5) && (TARGET.ImageSize < (15 * 1024))");
	assert_string_equal(conf->kill.text, "False || (time() - EnteredCurrentState) > (60 * 60)");
	assert_string_equal(conf->max_vacate_time.text, "2 * 10 * 60");
	assert_int_equal(conf->cycle_delay, 20);
	done();
}

static void test_a_default_counts_without_a_compiled_in_value(void **state)
{
	const struct condor_conf *conf = read_text(
		"MaxJobRetirementTime = $(MaxJobRetirementTime:7)\nPREEMPT = $(PREEMPT:True)\n"
		"if defined VANILLA\nNEGOTIATOR_INTERVAL = 11\nendif\n"
		"if $(IsNegotiator)\nNEGOTIATOR_TIMEOUT = 3\nNEGOTIATOR_CYCLE_DELAY = $(NEGOTIATOR_TIMEOUT)\nendif\n"
		"KILL = $(KILL) $(KILL)\nKILL =\nKILL = $(KILL) True\n");

	(void)state;
	assert_int_equal(d.report.faults, 0);
	assert_string_equal(conf->max_retirement_time.text, "7");
	assert_string_equal(conf->preempt.text, "False");
	assert_string_equal(conf->kill.text, "True");
	assert_int_equal(conf->interval, 11);
	assert_int_equal(conf->cycle_delay, 3);
	done();
}

static void test_numbers_may_have_a_format(void **state)
{
	(void)state;
	assert_int_equal(interval_of("B = 30\nNEGOTIATOR_INTERVAL = $INT(B,%d)\n"), 30);
	assert_int_equal(interval_of("B = 3 * 10.5\nNEGOTIATOR_INTERVAL = $INT( B , %05lld)\n"), 31);
	assert_int_equal(interval_of("NEGOTIATOR_INTERVAL = $INT(2 * 3)\n"), 6);
	assert_int_equal(interval_of("NEGOTIATOR_INTERVAL = $INT(ifThenElse(true, 4, 5))\n"), 4);
	assert_string_equal(read_text("RANK = $REAL(2.25,%.1f) + $REAL(3,%.0f)\n")->rank.text, "2.2 + 3.0");
	done();
	read_text(
		"RANK = $INT(3,%s)\nSTART = $REAL(3,%f%f)\nPREEMPT = $REAL(3,%n)\nKILL = $INT(3,%*d)\nWANT_VACATE = $REAL(1,%99999999f)\n");
	assert_int_equal(d.report.faults, 5);
	assert_true(reported(FAULT, 1, "\"%s\" is not a format of a whole number: %d is one"));
	assert_true(reported(FAULT, 3, "\"%n\" is not a format of a number: %.1f is one"));
	done();
}

static void test_the_environment_may_be_referenced(void **state)
{
	(void)state;
	setenv("FAIRLEAD_TEST_SECONDS", "33", 1);
	assert_int_equal(interval_of("NEGOTIATOR_INTERVAL = $ENV(FAIRLEAD_TEST_SECONDS)\n"), 33);
	assert_int_equal(interval_of("NEGOTIATOR_INTERVAL = $ENV(FAIRLEAD_TEST_NONE:34)\n"), 34);
	unsetenv("FAIRLEAD_TEST_SECONDS");
}

static void test_numbers_may_be_expressions_of_macros(void **state)
{
	(void)state;
	assert_int_equal(interval_of("NEGOTIATOR_INTERVAL = 2 * $(MINUTE) + ifThenElse(1 < 2, 3, 4)\n"), 123);
	assert_int_equal(interval_of("X = 7 * 6.5\nNEGOTIATOR_INTERVAL = $INT(X)\n"), 45);
}

static void test_job_macros_are_not_expanded(void **state)
{
	(void)state;
	assert_string_equal(read_text("RANK = \"$$(Memory) $$([ $(X) ]) $(DOLLAR)(X) $ 5$\"\nX = 1\n")->rank.text,
			    "\"$$(Memory) $$([ $(X) ]) $(X) $ 5$\"");
	done();
}

static void test_lines_continue_after_a_backslash_across_comments(void **state)
{
	const struct condor_conf *conf =
		read_text("# one \\\nNEGOTIATOR_MIN_INTERVAL = 6\nGROUP_NAMES = a, \\\n  # b, \\\n  c,\\\n\td \\ "
			  "\n\nNEGOTIATOR_INTERVAL = 7 \\\n"
			  "    * 2 # \\\n\n");

	(void)state;
	assert_int_equal(conf->min_interval, 6);
	assert_int_equal(conf->ngroups, 4);
	assert_string_equal(conf->groups[3].name, "d");
	assert_true(reported(FAULT, 8, "NEGOTIATOR_INTERVAL"));	/* a # after a value is part of the value */
	done();
}

static void test_values_of_many_lines_end_at_their_tag(void **state)
{
	const struct condor_conf *conf = read_text("RANK @=end\n\n  1 +\n  # two\n  2\n  @end\nif false\nX "
		      "@=y\nendif\n@y\nendif\nNEGOTIATOR_INTERVAL = 5\n");

	(void)state;
	assert_string_equal(conf->rank.text, "1 +\n  2");
	assert_int_equal(conf->interval, 5);
	assert_int_equal(d.report.faults, 0);
	done();
}

static void test_conditions_choose_lines(void **state)
{
	static const struct { const char *condition; bool counts;
	} rows[] = {
		{ "true", true },
		{ "no", false },
		{ "1", true },
		{ "0", false },
		{ "! yes", false },
		{ "!!yes", true },
		{ "defined X", true },
		{ "defined Y", false },
		{ "! defined EMPTY", true },
		{ "version >= 8.9", true },
		{ "version <= 8.9.11", false },
		{ "version == 25", true },
		{ "version > 25.13.9", true },
		{ "version < 99.1", true },
		{ "! version >= 8", false },
		{ "$(X)", true },
		{ "$(NONE)", false },
		{ "$(X) > 2", false },
		{ "$(X) + 1 == 2", true },
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(text, sizeof(text),
			 "X = 1\nEMPTY =\nif %s\nNEGOTIATOR_INTERVAL = 1\nelse\nNEGOTIATOR_INTERVAL = "
			 "2\nendif\n",
			 rows[i].condition);
		if (interval_of(text) != (rows[i].counts ? 1 : 2))
			fail_msg("if %s", rows[i].condition);
	}
}

static void test_nested_conditions_select_one_branch(void **state)
{
	(void)state;
	assert_int_equal(
		interval_of("if false\n if true\n  NEGOTIATOR_INTERVAL = 1\n else\n  NEGOTIATOR_INTERVAL = 2\n endif\n"
			    "ELIF true\n NEGOTIATOR_INTERVAL = 3\nelif true\n NEGOTIATOR_INTERVAL = 4\nelse\n "
			    "NEGOTIATOR_INTERVAL = 5\nEndif\n"),
		3);
}

static void test_files_are_included_and_ignored_commands_are_reported(void **state)
{
	(void)state;
	cell_dir_create(&d, NULL);
	cell_dir_write(&d, "more.conf", "NEGOTIATOR_INTERVAL = 8\n");
	cell_dir_write(&d, "condor_config",
		       "F = more\n@include : $(F).conf\ninclude ifexist : gone\ninclude command : touch /tmp/x\n"
		       "include : touch /tmp/x |\nuse POLICY : Desktop\n");
	cell_dir_load(&d);
	assert_int_equal(d.cell.condor.interval, 8);
	assert_int_equal(d.report.faults, 0);
	assert_int_equal(d.report.warnings, 3);
	assert_true(reported(WARNING, 4, "commands are not run"));
	assert_true(reported(WARNING, 6, "use POLICY : Desktop"));
	done();
}

static void test_local_files_are_read_last_and_directories_before_files(void **state)
{
	static const char config[] =
		"LOCAL_CONFIG_FILE = condor_config.local\nLOCAL_CONFIG_DIR = config.d\nNEGOTIATOR_INTERVAL = 1\n";

	(void)state;
	cell_dir_create(&d, NULL);
	shell("mkdir '%s/config.d' && echo NEGOTIATOR_INTERVAL = 2 > '%s/config.d/10-a'", d.path, d.path);
	shell("echo 'NEGOTIATOR_MIN_INTERVAL = 22' > '%s/config.d/20-b' && echo nonsense > '%s/config.d/30-c~'", d.path,
	      d.path);
	cell_dir_write(&d, "condor_config.local", "NEGOTIATOR_INTERVAL = 3\n");
	cell_dir_write(&d, "condor_config", config);
	cell_dir_load(&d);
	assert_int_equal(d.report.faults + d.report.warnings, 0);
	assert_int_equal(d.cell.condor.interval, 3);
	assert_int_equal(d.cell.condor.min_interval, 22);
	done();
}

static void test_a_cell_is_loaded_again_from_its_texts(void **state)
{
	struct report again = { 0 };
	struct cell cell;

	(void)state;
	cell_dir_create(&d, NULL);
	shell("mkdir '%s/config.d' && echo NEGOTIATOR_INTERVAL = 2 > '%s/config.d/10-a'", d.path, d.path);
	cell_dir_write(&d, "condor_config", "LOCAL_CONFIG_DIR = config.d\n");
	cell_dir_load(&d);
	assert_int_equal(cell_load_files(&cell, "elsewhere", &d.cell.files, &again), 0);
	assert_int_equal(again.faults + again.warnings, 0);
	assert_int_equal(cell.condor.interval, 2);
	cell_free(&cell);
	report_free(&again);
	done();
}

static void test_a_line_in_brackets_is_a_comment_unless_it_sets_a_macro(void **state)
{
	(void)state;
	assert_int_equal(interval_of("[HTCondor Settings]\nNEGOTIATOR_INTERVAL = 4\n"), 4);
}

static void test_factor_permissions_are_read_from_a_file_or_the_configuration(void **state)
{
	(void)state;
	cell_dir_create(&d, NULL);
	cell_dir_write(&d, "may.conf", "# leaders\n* ann physics.\n* bob chem.,bio.\n");
	cell_dir_write(&d, "condor_config", "CLASSAD_USER_MAPFILE_PriorityFactorAuthorization = may.conf\n");
	cell_dir_load(&d);
	assert_string_equal(d.cell.condor.factor_authorization, "* ann physics.\n* bob chem.,bio.\n");
	cell_dir_write(&d, "condor_config", "CLASSAD_USER_MAPFILE_PriorityFactorAuthorization = gone\n");
	cell_dir_load(&d);
	assert_true(reported(FAULT, 1, "there is no such file"));
	done();
}

static void test_circles_depth_and_growth_have_an_end(void **state)
{
	char text[4000] = "N = x\n";
	size_t n = strlen(text);

	(void)state;
	read_text("A = $(B)\nB = $(A)\nNEGOTIATOR_INTERVAL = $(A)\ninclude : condor_config\n");
	assert_true(reported(FAULT, 3, "in a cycle"));
	assert_true(reported(FAULT, 4, "includes itself"));
	done();
	for (int i = 0; i < 22; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "N = $(N)$(N)\n");
	read_text(text);
	assert_true(reported(FAULT, 22, "more than 1048576 bytes"));
	done();
	for (int i = 0, at = 0; i < 31; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, "N%d = $(N%d)$(N%d)\n", i, i + 1, i + 1);
	strcat(text, "KILL = $(N0)\n");
	read_text(text);
	assert_true(reported(FAULT, 32, "more than 10000 references"));
	done();
}

static void test_misspelt_macro_names_are_reported(void **state)
{
	(void)state;
	read_text(
		"NEGOTIATOR_INTREVAL = 5\nPRIORITY_HALF_LIFE = 7\nGROUP_ACCEPT_SUPRLUS = True\nMY_KILLING_TIMEOUT = 3\nKILLING_TIMEOUTS = 4\n"
		"KILLING_TIMEOUT = $(KILLING_TIMEOUTS)\nCOLLECTOR_HOST = here\n");
	assert_true(reported(WARNING, 1, "is NEGOTIATOR_INTERVAL meant?"));
	assert_true(reported(WARNING, 2, "is PRIORITY_HALFLIFE meant?"));
	assert_true(reported(WARNING, 3, "is GROUP_ACCEPT_SURPLUS meant?"));
	assert_int_equal(d.report.warnings, 3);
	assert_int_equal(d.cell.condor.killing_timeout, 4);
	done();
}

static void test_misspelt_negotiation_attributes_are_reported(void **state)
{
	(void)state;
	read_text(
		"PREEMPTION_REQUIREMENTS = MY.RemoteUserPrio > TARGET.SubmiterUserPrio * 1.2 && EnteredCurentState > 0\n"
		"PREEMPTION_RANK = RemoteUsrePrio + TARGET.EnteredCurrentStatus + RemoteOwner + MyOwnAttribute\n");
	assert_true(reported(WARNING, 1, "is SubmitterUserPrio meant?"));
	assert_true(reported(WARNING, 1, "is EnteredCurrentState meant?"));
	assert_true(reported(WARNING, 2, "is RemoteUserPrio meant?"));
	assert_int_equal(d.report.warnings, 3);
	done();
	read_text("PREEMPTION_REQUIREMENTS = RemoteUserPrio >\n");
	assert_int_equal(d.report.warnings, 0);
	done();
}

static void test_a_cell_without_a_condor_config_has_the_defaults(void **state)
{
	(void)state;
	cell_dir_create(&d, NULL);
	cell_dir_load(&d);
	assert_false(d.cell.condor.is_there);
	assert_int_equal(d.cell.condor.interval, 60);
	assert_non_null(d.cell.condor.pre_job_rank.program);
	assert_string_equal(d.cell.sched.algorithm, "default");
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_condor_config_makes_a_cell_userprio),
		cmocka_unit_test(test_condor_config_beside_slurm_conf_is_a_fault),
		cmocka_unit_test(test_the_last_value_counts_and_names_have_no_case),
		cmocka_unit_test(test_a_macro_of_the_negotiator_alone_wins),
		cmocka_unit_test(test_macros_are_expanded_after_reading_except_references_to_themselves),
		cmocka_unit_test(test_a_default_counts_where_a_macro_is_absent_or_empty),
		cmocka_unit_test(test_the_environment_may_be_referenced),
		cmocka_unit_test(test_an_unset_macro_has_its_compiled_in_value),
		cmocka_unit_test(test_a_default_counts_without_a_compiled_in_value),
		cmocka_unit_test(test_numbers_may_have_a_format),
		cmocka_unit_test(test_numbers_may_be_expressions_of_macros),
		cmocka_unit_test(test_job_macros_are_not_expanded),
		cmocka_unit_test(test_lines_continue_after_a_backslash_across_comments),
		cmocka_unit_test(test_values_of_many_lines_end_at_their_tag),
		cmocka_unit_test(test_conditions_choose_lines),
		cmocka_unit_test(test_nested_conditions_select_one_branch),
		cmocka_unit_test(test_files_are_included_and_ignored_commands_are_reported),
		cmocka_unit_test(test_local_files_are_read_last_and_directories_before_files),
		cmocka_unit_test(test_a_cell_is_loaded_again_from_its_texts),
		cmocka_unit_test(test_a_line_in_brackets_is_a_comment_unless_it_sets_a_macro),
		cmocka_unit_test(test_factor_permissions_are_read_from_a_file_or_the_configuration),
		cmocka_unit_test(test_circles_depth_and_growth_have_an_end),
		cmocka_unit_test(test_misspelt_macro_names_are_reported),
		cmocka_unit_test(test_misspelt_negotiation_attributes_are_reported),
		cmocka_unit_test(test_a_cell_without_a_condor_config_has_the_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
