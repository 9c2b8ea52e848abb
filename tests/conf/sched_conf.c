/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/conf/cell_dir.h"

static struct cell_dir dir;

/* Load the default cell with a sched_conf changed by this sed(1) script. */
static const struct sched_conf *edited(const char *sed)
{
	shell("sed -e '%s' conf/default/sched_conf > '%s/sched_conf'", sed, dir.path);
	return &cell_dir_load(&dir)->sched;
}

static bool warned(const char *text)
{
	size_t i;

	for (i = 0; i < dir.report.n; i++)
		if (dir.report.findings[i].severity == WARNING && strstr(dir.report.findings[i].text, text))
			return dir.report.faults == 0;
	return false;
}

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

static void check_installed(const struct sched_conf *conf)
{
	assert_string_equal(conf->algorithm, "default");
	assert_int_equal(conf->schedule_interval, 15);
	assert_int_equal(conf->load_adjustment_decay_time, 450);
	assert_int_equal(conf->formula.n, 1);
	assert_string_equal(conf->formula.terms[0].x.name, "np_load_avg");
	assert_int_equal(conf->with.duration_offset, 60);
	assert_int_equal(conf->job_load_adjustments.n, 1);
	assert_string_equal(conf->job_load_adjustments.items[0].name, "np_load_avg");
	assert_true(conf->job_load_adjustments.items[0].value == 0.5);
	assert_int_equal(conf->halftime, 168);
	assert_int_equal(conf->usage_weight_list.n, 3);
	assert_true(conf->compensation_factor == 5 && conf->weight_user == 0.25 && conf->weight_job == 0.25);
	assert_int_equal(conf->max_functional_jobs_to_schedule, 200);
	assert_int_equal(conf->max_pending_tasks_per_job, 50);
	assert_int_equal(conf->halflife_decay_list.n, 0);
	assert_string_equal(conf->policy_hierarchy, "OFS");
	assert_true(conf->weight_ticket == 0.01 && conf->weight_waiting_time == 0 && conf->weight_deadline == 3600000);
	assert_true(conf->weight_urgency == 0.1 && conf->weight_priority == 1 && conf->share_override_tickets &&
		    conf->report_pjob_tickets);
	assert_int_equal(conf->default_duration, UINT32_MAX);
}

static void test_a_file_of_comments_means_the_defaults_of_an_installation(void **state)
{
	(void)state;
	cell_dir_write(&dir, "sched_conf", "# nothing\n\n# here\n");
	check_installed(&cell_dir_load(&dir)->sched);
	assert_int_equal(dir.report.faults, 0);
}

static void test_parameters_are_kept_as_written_in_the_order_of_qconf(void **state)
{
	const struct sched_conf *conf = edited("/^halftime/d; /^algorithm/s/.*/halftime 12/; $aalgorithm default");

	(void)state;
	assert_int_equal(dir.report.faults, 0);
	assert_int_equal(conf->typed.n, 35);
	assert_string_equal(conf->typed.items[0].name, "algorithm");
	assert_string_equal(conf->typed.items[1].text, "0:0:5");
	assert_true(conf->typed.items[1].value == 5);
	assert_string_equal(conf->typed.items[12].name, "halftime");
	assert_string_equal(conf->typed.items[12].text, "12");
	assert_string_equal(conf->typed.items[34].text, "INFINITY");
}

static void test_lists_are_read_in_their_order(void **state)
{
	const struct sched_conf *conf = edited(
		"s/^usage_weight_list.*/usage_weight_list cpu=0.8,mem=0.15, io=0.05/; "
		"s/^halflife_decay_list.*/halflife_decay_list cpu=3:mem=-1/; s/^policy_h.*/policy_hierarchy SF/");

	(void)state;
	cell_dir_check_clean(&dir);
	assert_string_equal(conf->usage_weight_list.items[2].name, "io");
	assert_true(conf->usage_weight_list.items[1].value == 0.15);
	assert_int_equal(conf->halflife_decay_list.n, 2);
	assert_true(conf->halflife_decay_list.items[1].value == -1);
	assert_string_equal(conf->policy_hierarchy, "SF");
}

static void test_none_empties_lists_and_the_hierarchy(void **state)
{
	const struct sched_conf *conf =
		edited("s/^job_load_adj.*/job_load_adjustments NONE/; s/^policy_h.*/policy_hierarchy none/; "
		       "s/^params.*/params NONE/");

	(void)state;
	cell_dir_check_clean(&dir);
	assert_int_equal(conf->job_load_adjustments.n, 0);
	assert_string_equal(conf->policy_hierarchy, "");
	assert_string_equal(conf->params, "");
}

static void test_formulas_of_real_cells_are_accepted(void **state)
{
	const struct sched_conf *conf =
		edited("s/^load_formula.*/load_formula $load_avg * 1.37 + mem_used*0.00136+num_proc-2.5/");

	(void)state;
	cell_dir_check_clean(&dir);
	assert_string_equal(conf->load_formula, "$load_avg*1.37+mem_used*0.00136+num_proc-2.5");
	assert_int_equal(conf->formula.n, 4);
	assert_string_equal(conf->formula.terms[0].x.name, "load_avg");
	assert_true(conf->formula.terms[1].y.number == 0.00136);
	assert_true(conf->formula.terms[3].negative && conf->formula.terms[3].x.number == 2.5);
	edited("s/^load_formula.*/load_formula -mem_free*0.00000001+load_avg*3.5/");
	cell_dir_check_clean(&dir);
}

static void test_an_algorithm_that_is_not_the_default_is_warned_of_or_refused(void **state)
{
	(void)state;
	assert_string_equal(edited("s/^algorithm.*/algorithm ext_own/")->algorithm, "ext_own");
	assert_true(dir.report.faults == 0 && dir.report.warnings == 1);
	edited("s/^algorithm.*/algorithm fifo/");
	assert_int_equal(dir.report.faults, 1);
	assert_string_equal(edited("s/^algorithm.*/algorithm multifactor/")->algorithm, "multifactor");
	assert_int_equal(dir.report.faults, 0);
	assert_true(cell_dir_found(&dir, WARNING, "sched_conf", 4, "needs a slurm.conf, which does not exist"));
}

static void test_params_are_compared_by_their_first_seven_characters(void **state)
{
	const struct sched_conf *conf =
		edited("s/^params.*/params profilex=1;MONITOR=true DURATION=0:2:0,PE_RANGE_ALG=bin/");

	(void)state;
	cell_dir_check_clean(&dir);
	assert_true(conf->with.profile && conf->with.monitor && !conf->with.jc_filter);
	assert_int_equal(conf->with.duration_offset, 120);
	assert_int_equal(conf->with.pe_range_alg, PE_RANGE_BIN);
}

static void check_default_params(const struct sched_params *with)
{
	assert_false(with->profile || with->monitor || with->jc_filter);
	assert_int_equal(with->duration_offset, 60);
	assert_int_equal(with->pe_range_alg, PE_RANGE_AUTO);
}

static void test_params_not_named_have_their_defaults(void **state)
{
	(void)state;
	check_default_params(&edited("")->with);
	check_default_params(&edited("s/^params.*/params NONE/")->with);
	assert_int_equal(edited("s/^params.*/params duration_offset=0/")->with.duration_offset, 0);
	assert_int_equal(edited("s/^params.*/params PE_RANGE_ALG=Least/")->with.pe_range_alg, PE_RANGE_LEAST);
	assert_int_equal(edited("s/^params.*/params PE_RANGE_ALG=HIGHEST/")->with.pe_range_alg, PE_RANGE_HIGHEST);
	assert_false(edited("s/^params.*/params PROFILE=1,PROFILE=0 JC_FILTER=TRUE/")->with.profile);
	assert_true(dir.cell.sched.with.jc_filter);
}

static void test_broken_params_have_no_effect(void **state)
{
	(void)state;
	check_default_params(&edited("s/^params.*/params PROFILE=1,DURATION_OFFSET=INFINITY/")->with);
	assert_int_equal(dir.report.faults, 1);
	assert_string_equal(dir.cell.sched.params, "");
}

static void test_comments_continuations_and_carriage_returns_are_no_values(void **state)
{
	const struct sched_conf *conf =
		edited("s/^halftime .*/halftime \\\\\\n   36 # hours\\r/; "
		       "s/^usage_weight_list.*/usage_weight_list cpu=1,\\\\\\r\\n    mem=2, \\\\\\n io=3/");

	(void)state;
	cell_dir_check_clean(&dir);
	assert_int_equal(conf->halftime, 36);
	assert_int_equal(conf->usage_weight_list.n, 3);
	assert_string_equal(conf->usage_weight_list.items[1].text, "2");
	assert_string_equal(conf->typed.items[13].text, "cpu=1,mem=2,io=3");
}

static void test_every_fault_of_a_file_is_reported_and_the_rest_is_read(void **state)
{
	const struct sched_conf *conf =
		edited("s/^halftime.*/halftime x/; s/^weight_ticket .*/weight_ticket nan/; s/^maxujobs.*/maxujobs 9/");

	(void)state;
	assert_int_equal(dir.report.faults, 2);
	assert_int_equal(conf->maxujobs, 9);
	assert_true(conf->weight_ticket == 0.01);
}

static void test_unknown_attributes_and_dropped_items_are_warnings(void **state)
{
	(void)state;
	edited("$aweight_luck 3");
	assert_true(warned("unknown attribute \"weight_luck\""));
	assert_int_equal(edited("s/^halflife_d.*/halflife_decay_list cpu=60:mem/")->halflife_decay_list.n, 1);
	assert_true(warned("items other than name=minutes are ignored"));
}

static void test_values_that_hurt_are_warnings(void **state)
{
	(void)state;
	edited("s/^halflife_d.*/halflife_decay_list cpu=0.5/");
	assert_true(warned("its decay constant would be negative"));
	edited("s/^weight_deadline.*/weight_deadline 1000000/");
	assert_true(warned("one job past its deadline"));
	edited("s/^weight_deadline.*/weight_deadline 999999/");
	cell_dir_check_clean(&dir);
	edited("s/^usage_weight_l.*/usage_weight_list cpu=0,mem=0/");
	assert_true(warned("no usage counts"));
	edited("s/^compensation_f.*/compensation_factor -1/");
	assert_true(warned("compensation_factor -1 is negative"));
	edited("s/^weight_urgency.*/weight_urgency -1/");
	assert_true(warned("weight_urgency -1 is negative, which reverses the order"));
	edited("s/^weight_ticket .*/weight_ticket 0/; s/^weight_urgency.*/weight_urgency 0/; s/^weight_priority.*/weight_priority 0/");
	assert_true(warned("are all 0"));
	edited("s/^weight_tickets_share.*/weight_tickets_share 0/");
	assert_true(warned("weight_tickets_share is 0: it has no effect"));
	shell("rm '%s/share_tree'%s", dir.path, "");
	edited("");
	assert_true(warned("there is no share tree"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_file_of_comments_means_the_defaults_of_an_installation),
		TEST(test_parameters_are_kept_as_written_in_the_order_of_qconf),
		TEST(test_lists_are_read_in_their_order),
		TEST(test_none_empties_lists_and_the_hierarchy),
		TEST(test_formulas_of_real_cells_are_accepted),
		TEST(test_an_algorithm_that_is_not_the_default_is_warned_of_or_refused),
		TEST(test_params_are_compared_by_their_first_seven_characters),
		TEST(test_params_not_named_have_their_defaults),
		TEST(test_broken_params_have_no_effect),
		TEST(test_comments_continuations_and_carriage_returns_are_no_values),
		TEST(test_every_fault_of_a_file_is_reported_and_the_rest_is_read),
		TEST(test_unknown_attributes_and_dropped_items_are_warnings),
		TEST(test_values_that_hurt_are_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
