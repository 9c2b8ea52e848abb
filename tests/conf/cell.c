/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "conf/cell/directory.h"
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

static void test_the_default_cell_has_neither_faults_nor_warnings(void **state)
{
	const struct cell *cell = cell_dir_load(&dir);

	(void)state;
	cell_dir_check_clean(&dir);
	assert_int_equal(cell->nusers, 6);
	assert_int_equal(cell->nprojects, 3);
	assert_int_equal(cell->nusersets, 5);
	assert_int_equal(cell->npes, 2);
	assert_int_equal(cell->nqueues, 1);
	assert_int_equal(cell->ncheckpoints, 1);
	assert_int_equal(cell->nquotas, 1);
	assert_false(cell->quotas[0].enabled);
	assert_int_equal(cell->nhosts, 2);
	assert_int_equal(cell->nhostgroups, 1);
	assert_true(cell->sched.weight_tickets_share > 0 && cell->sched.weight_tickets_functional > 0 &&
		    cell->ntree > 0);
}

static void test_each_object_is_read_completely(void **state)
{
	const struct cell *cell = cell_dir_load(&dir);
	const struct pe *mpi = cell_pe_matching(cell, "mpi");

	(void)state;
	assert_int_equal(cell_user(cell, "eve")->oticket, 500);
	assert_string_equal(cell_user(cell, "ann")->default_project, "atlas");
	assert_string_equal(cell_user(cell, "cal")->default_project, "");
	assert_int_equal(cell_project(cell, "cosmos")->oticket, 1000);
	assert_int_equal(cell_project(cell, "atlas")->acl.n, 0);
	assert_true(cell_department(cell, "physics")->is_acl);
	assert_int_equal(cell_department(cell, "physics")->fshare, 200);
	assert_int_equal(mpi->slots, 9999);
	assert_string_equal(mpi->allocation_rule, "$fill_up");
	assert_string_equal(mpi->urgency_slots, "avg");
	assert_false(mpi->job_is_first_task);
	assert_string_equal(cell->hosts[0].complex_values.items[0].name, "gpu");
	assert_true(cell->hosts[0].load_values.items[0].value == 0.1);
	assert_string_equal(cell->hostgroups[0].hostlist.items[1], "node2");
	assert_int_equal(cell->global.max_aj_tasks, 75000);
	assert_true(cell->global.enforce_user_auto);
}

static void check_rule(const char *text, enum allocation_rule rule, uint32_t slots_per_host)
{
	shell("sed '/^allocation_rule/s/[^ ]*$/%s/' conf/default/pe/smp > '%s/pe/smp'", text, dir.path);
	cell_dir_load(&dir);
	cell_dir_check_clean(&dir);
	assert_string_equal(cell_pe_matching(&dir.cell, "smp")->allocation_rule, text);
	assert_int_equal(cell_pe_matching(&dir.cell, "smp")->rule, rule);
	assert_int_equal(cell_pe_matching(&dir.cell, "smp")->slots_per_host, slots_per_host);
}

static void test_allocation_rules_are_numbers_or_words_in_any_case(void **state)
{
	(void)state;
	check_rule("$pe_slots", RULE_PE_SLOTS, 0);
	check_rule("$Fill_Up", RULE_FILL_UP, 0);
	check_rule("$ROUND_ROBIN", RULE_ROUND_ROBIN, 0);
	check_rule("1", RULE_FIXED, 1);
	check_rule("16", RULE_FIXED, 16);
}

static void test_only_complete_names_are_found(void **state)
{
	const struct cell *cell = cell_dir_load(&dir);

	(void)state;
	assert_null(cell_user(cell, "an"));
	assert_null(cell_user(cell, "anna"));
	assert_null(cell_user(cell, ""));
	assert_null(cell_project(cell, "ann"));
	assert_non_null(cell_userset(cell, "deadlineusers"));
	assert_null(cell_department(cell, "deadlineusers"));
	assert_string_equal(cell_pe_matching(cell, "s*")->name, "smp");
	assert_string_equal(cell_pe_matching(cell, "*")->name, "mpi");
	assert_null(cell_pe_matching(cell, "make"));
	assert_string_equal(cell_checkpoint(cell, "self")->name, "self");
	assert_null(cell_checkpoint(cell, "sel"));
	assert_non_null(cell_queue(cell, "all.q"));
	assert_null(cell_queue(cell, "all"));
}

static void test_a_user_belongs_to_the_first_department_that_lists_it(void **state)
{
	(void)state;
	cell_dir_write(&dir, "usersets/arts", "name arts\ntype DEPT\nfshare 0\noticket 0\nentries fay,dot,@music\n");
	cell_dir_load(&dir);
	assert_string_equal(cell_department_of(&dir.cell, "ann"), "physics");
	assert_string_equal(cell_department_of(&dir.cell, "dot"), "arts");
	assert_string_equal(cell_department_of(&dir.cell, "gus"), "defaultdepartment");
	assert_true(cell_userset_lists(&dir.cell, cell_userset(&dir.cell, "biology"), "dot"));
	assert_false(cell_userset_lists(&dir.cell, cell_userset(&dir.cell, "biology"), "ann"));
	assert_true(
		cell_dir_found(&dir, WARNING, "usersets/biology", 0, "user \"dot\" is already in department \"arts\""));
}

static void put_queue(const char *slots)
{
	char text[300];

	snprintf(text, sizeof(text), "qname all.q\nhostlist @allhosts\nseq_no 0\nslots %s\n", slots);
	cell_dir_write(&dir, "queue/all.q", text);
	cell_dir_load(&dir);
	cell_dir_check_clean(&dir);
}

static const char *slots_on(const char *host)
{
	return cell_queue_value(&dir.cell, cell_queue(&dir.cell, "all.q"), host, "slots");
}

static void test_a_host_overrides_its_groups_and_groups_override_the_default(void **state)
{
	(void)state;
	cell_dir_write(&dir, "hgrp/@inner", "group_name @inner\nhostlist node3 node4\n");
	cell_dir_write(&dir, "hgrp/@outer", "group_name @outer\nhostlist @inner node5\n");
	put_queue("2,[@outer=3],[@inner=4], \\\n  [node4=5]");
	assert_string_equal(slots_on("node1"), "2");
	assert_string_equal(slots_on("node4"), "5");
	assert_string_equal(slots_on("NODE5"), "3");
	assert_null(cell_queue_value(&dir.cell, cell_queue(&dir.cell, "all.q"), "node1", "shell"));
}

static void test_several_groups_that_contain_a_host_are_ambiguous(void **state)
{
	(void)state;
	cell_dir_write(&dir, "hgrp/@inner", "group_name @inner\nhostlist node3 node4\n");
	cell_dir_write(&dir, "hgrp/@outer", "group_name @outer\nhostlist @inner node5\n");
	put_queue("2,[@outer=3],[@inner=4]");
	assert_string_equal(slots_on("node3"), "2");
	put_queue("2,[@outer=3],[@inner=3]");
	assert_string_equal(slots_on("node3"), "2");
}

static void test_many_groups_within_groups_are_searched_once_each(void **state)
{
	char name[40], text[200];
	int i;

	(void)state;
	cell_dir_write(&dir, "hgrp/@g300", "group_name @g300\nhostlist last\n");
	for (i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "hgrp/@g%d", i);
		snprintf(text, sizeof(text), "group_name @g%d\nhostlist @g%d @g%d\n", i, i + 1,
			 i + 2 > 300 ? 300 : i + 2);
		cell_dir_write(&dir, name, text);
	}
	put_queue("1,[@g0=7]");
	assert_string_equal(slots_on("last"), "7");
	assert_string_equal(slots_on("node1"), "1");
	assert_true(cell_hostgroup_has(&dir.cell, "@g0", "last") && cell_hostgroup_has(&dir.cell, "@g300", "LAST"));
	assert_false(cell_hostgroup_has(&dir.cell, "@g0", "lost"));
}

static bool in(const char *group, const char *host)
{
	return cell_hostgroup_has(&dir.cell, group, host);
}

static void test_a_host_belongs_to_a_group_directly_or_through_other_groups(void **state)
{
	(void)state;
	cell_dir_load(&dir);
	assert_true(in("@allhosts", "node1") && in("@allhosts", "NODE2") && !in("@allhosts", "node3"));
	cell_dir_write(&dir, "hgrp/@inner", "group_name @inner\nhostlist node3 node4\n");
	cell_dir_write(&dir, "hgrp/@Inner", "group_name @Inner\nhostlist node6\n");
	cell_dir_write(&dir, "hgrp/@middle", "group_name @middle\nhostlist @inner node1\n");
	cell_dir_write(&dir, "hgrp/@outer", "group_name @outer\nhostlist node5,@middle @inner\n");
	cell_dir_load(&dir);
	cell_dir_check_clean(&dir);
	assert_true(in("@inner", "node3") && in("@middle", "node4") && in("@outer", "Node3") && in("@outer", "node1"));
	assert_true(in("@outer", "node5") && !in("@middle", "node5") && !in("@inner", "node1"));
	assert_true(in("@Inner", "node6") && !in("@inner", "node6") && !in("@outer", "node6") &&
		    !in("@Inner", "node3"));
	assert_false(in("@outer", "node2") || in("@nothing", "node1") || in("outer", "node1") ||
		     in("@outer", "@inner"));
	assert_false(in("@outer", "") || in("@inner", "node") || in("@inner", "node33"));
}

static void test_groups_in_a_circle_are_a_fault_and_harmless(void **state)
{
	(void)state;
	cell_dir_write(&dir, "hgrp/@a", "group_name @a\nhostlist @b\n");
	cell_dir_write(&dir, "hgrp/@b", "group_name @b\nhostlist @a node7\n");
	cell_dir_load(&dir);
	assert_int_equal(dir.report.faults, 1);
	assert_true(cell_dir_found(&dir, FAULT, "hgrp/@b", 0, "host group \"@a\" contains itself by way of \"@b\""));
	assert_true(cell_hostgroup_has(&dir.cell, "@a", "node7"));
	assert_false(cell_hostgroup_has(&dir.cell, "@a", "node1"));
}

static void test_other_files_and_dangling_names_are_warnings(void **state)
{
	(void)state;
	cell_dir_write(&dir, "job.o1", "");
	cell_dir_write(&dir, "shed_conf", "");
	cell_dir_write(&dir, "users/bob~", "name bob\n");
	cell_dir_write(&dir, "projects/red", "name red\noticket 0\nfshare 0\nacl nobody\nxacl NONE\n");
	cell_dir_write(&dir, "users/gus", "name hal\noticket 0\nfshare 0\ndelete_time 0\ndefault_project NONE\n");
	cell_dir_load(&dir);
	assert_int_equal(dir.report.faults, 0);
	assert_int_equal(dir.report.warnings, 5);
	assert_true(cell_dir_found(&dir, WARNING, "/job.o1", 0, "not a part of a cell: it is ignored"));
	assert_true(cell_dir_found(&dir, WARNING, "/shed_conf", 0,
				   "is sched_conf meant? It is ignored because that file exists"));
	assert_true(cell_dir_found(&dir, WARNING, "/users", 0, "\"bob~\" looks like a backup"));
	assert_true(
		cell_dir_found(&dir, WARNING, "projects/red", 0, "acl names \"nobody\", but there is no such userset"));
	assert_true(cell_dir_found(&dir, WARNING, "users/gus", 0, "the file describes \"hal\""));
}

static void test_dangling_names_of_a_queue_are_warned_of_with_their_line(void **state)
{
	(void)state;
	cell_dir_write(
		&dir, "queue/all.q",
		"qname all.q\nhostlist @allhosts\nseq_no 0\nslots 1\nckpt_list self,[node1=slef]\n"
		"load_thresholds np_load_avg=1.75,[node2=np_laod_avg=2]\nsuspend_thresholds lod=3\npe_list smp pvm\n");
	cell_dir_load(&dir);
	assert_int_equal(dir.report.faults, 0);
	assert_int_equal(dir.report.warnings, 4);
	assert_true(cell_dir_found(&dir, WARNING, "queue/all.q", 5,
				   "ckpt_list names \"slef\", but there is no such checkpointing"));
	assert_true(cell_dir_found(&dir, WARNING, "queue/all.q", 6,
				   "load_thresholds names \"np_laod_avg\", but there is no such complex"));
	assert_true(cell_dir_found(&dir, WARNING, "queue/all.q", 7,
				   "suspend_thresholds names \"lod\", but there is no such complex"));
	assert_true(cell_dir_found(&dir, WARNING, "queue/all.q", 8,
				   "pe_list names \"pvm\", but there is no such parallel"));
}

static void test_members_spooled_by_grid_engine_are_accepted_quietly(void **state)
{
	(void)state;
	cell_dir_write(&dir, "users/gus",
		       "name gus\noticket 0\nfshare 0\ndelete_time 0\ndefault_project NONE\nusage cpu=1\n"
		       "usage_time_stamp 17\nlong_term_usage cpu=3\nproject NONE\ndebited_job_usage NONE\nversion 3\n");
	cell_dir_load(&dir);
	cell_dir_check_clean(&dir);
}

static void test_two_files_with_one_name_are_a_fault(void **state)
{
	(void)state;
	shell("cp '%s/users/ann' '%s/users/gus'", dir.path, dir.path);
	cell_dir_load(&dir);
	assert_true(cell_dir_found(&dir, FAULT, "/users", 0, "\"ann\" is described by more than one file"));
}

static void test_a_special_file_is_a_fault(void **state)
{
	(void)state;
	shell("mkfifo '%s/users/gus'; rm '%s/complex'", dir.path, dir.path);
	shell("mkdir '%s/complex'; rm -r '%s/pe'", dir.path, dir.path);
	cell_dir_write(&dir, "pe", "");
	cell_dir_load(&dir);
	assert_true(cell_dir_found(&dir, FAULT, "users/gus", 0, "it is not a regular file"));
	assert_true(cell_dir_found(&dir, FAULT, "complex", 0, "it is not a regular file"));
	assert_true(cell_dir_found(&dir, FAULT, "/pe", 0, "cannot be read: Not a directory"));
	assert_int_equal(dir.cell.nusers, 6);
}

static void test_a_missing_directory_is_an_error(void **state)
{
	struct cell cell;
	struct report report = { 0 };

	(void)state;
	assert_int_equal(cell_load(&cell, "/nonexistent/cell", &report), -ENOENT);
	cell_free(&cell);
	assert_int_equal(cell_load(&cell, "GNUmakefile", &report), -ENOTDIR);
	cell_free(&cell);
	report_free(&report);
}

static void test_an_empty_directory_is_no_cell(void **state)
{
	(void)state;
	shell("rm -r '%s'/*%s", dir.path, "");
	assert_int_equal(directory_is_cell(dir.path), -EINVAL);
	cell_dir_load(&dir);
	assert_int_equal(dir.report.faults, 1);
	assert_int_equal(dir.report.warnings, 0);
	assert_true(cell_dir_found(&dir, FAULT, dir.path, 0,
				   "not a cell: there is no sched_conf, slurm.conf or condor_config"));
}

static void test_a_file_of_each_system_makes_a_directory_a_cell(void **state)
{
	static const char *const names[] = { "sched_conf", "slurm.conf", "condor_config" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		shell("rm -r '%s'/*; : >'%s/x'", dir.path, dir.path);
		assert_int_equal(directory_is_cell(dir.path), -EINVAL);
		cell_dir_write(&dir, names[i], "# nothing\n");
		assert_int_equal(directory_is_cell(dir.path), 0);
		cell_dir_load(&dir);
		assert_int_equal(dir.report.faults, 0);
	}
	assert_int_equal(directory_is_cell("/nonexistent/cell"), -ENOENT);
	assert_int_equal(directory_is_cell("GNUmakefile"), -ENOTDIR);
}

static void test_a_misspelt_file_name_is_a_fault_when_the_file_is_missing(void **state)
{
	(void)state;
	shell("mv '%s/share_tree' '%s/share_tre'", dir.path, dir.path);
	shell("mv '%s/sched_conf' '%s/sched.conf'", dir.path, dir.path);
	shell("mv '%s/hosts' '%s/host'", dir.path, dir.path);
	cell_dir_load(&dir);
	assert_true(cell_dir_found(&dir, FAULT, "/share_tre", 0, "not a part of a cell: is share_tree meant?"));
	assert_true(cell_dir_found(&dir, FAULT, "/sched.conf", 0, "is sched_conf meant?"));
	assert_true(cell_dir_found(&dir, FAULT, "/host", 0, "is hosts meant?"));
	assert_true(cell_dir_found(&dir, FAULT, dir.path, 0, "not a cell"));
}

static void test_many_other_files_are_summed_up(void **state)
{
	(void)state;
	shell("for k in $(seq 100 164); do : >'%s/job.o'$k%s; done", dir.path, "");
	cell_dir_load(&dir);
	assert_int_equal(dir.report.faults, 0);
	assert_int_equal(dir.report.warnings, 5);
	assert_true(cell_dir_found(&dir, WARNING, "/job.o103", 0, "not a part of a cell"));
	assert_true(cell_dir_found(&dir, WARNING, dir.path, 0, "61 more that are not a part of a cell"));
}

static void test_files_of_the_scheduler_are_accepted_quietly(void **state)
{
	(void)state;
	cell_dir_write(&dir, "spool/fairlead.db", "");
	cell_dir_write(&dir, "fairlead-audit", "");
	cell_dir_write(&dir, "usage.jsonl", "");
	cell_dir_load(&dir);
	cell_dir_check_clean(&dir);
}

static void test_an_empty_sched_conf_has_the_defaults_and_a_warning(void **state)
{
	(void)state;
	shell("rm -r '%s'/*; : >'%s/sched_conf'", dir.path, dir.path);
	cell_dir_load(&dir);
	assert_int_equal(dir.report.faults, 0);
	assert_int_equal(dir.report.warnings, 1);
	assert_true(cell_dir_found(&dir, WARNING, "sched_conf", 0,
				   "the file is empty: the installed defaults are in force"));
}

static void test_a_comment_in_sched_conf_is_a_cell_with_installed_defaults(void **state)
{
	(void)state;
	shell("rm -r '%s'/*%s", dir.path, "");
	cell_dir_write(&dir, "sched_conf", "# the defaults\n");
	cell_dir_load(&dir);
	cell_dir_check_clean(&dir);
	assert_int_equal(dir.cell.global.max_aj_instances, 2000);
	assert_int_equal(dir.cell.global.auto_user_delete_time, 86400);
	assert_true(dir.cell.global.enforce_user_auto);
	assert_int_equal(dir.cell.nusers, 0);
}

static void test_max_aj_instances_0_is_unlimited_and_a_warning(void **state)
{
	(void)state;
	cell_dir_write(&dir, "global_conf", "#global:\nmax_aj_instances 0\nexecd_params none\n");
	cell_dir_load(&dir);
	assert_int_equal(dir.report.faults, 0);
	assert_true(cell_dir_found(&dir, WARNING, "global_conf", 2, "max_aj_instances 0 means unlimited"));
}

static void test_findings_are_printed_with_file_line_and_severity(void **state)
{
	struct report report = { 0 };
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int i;

	(void)state;
	report_add(&report, FAULT, "a/b", 3, "bad \x1b[2J %s", "\xff\xc0\xaf\xe0\x82\xa9 \xc3\xa9");
	report_add(&report, WARNING, "a", 0, "odd");
	report_print(&report, out);
	fclose(out);
	assert_string_equal(text, "a/b:3: fault: bad ?[2J ?????? \xc3\xa9\na: warning: odd\n");
	free(text);
	for (i = 0; i < 20000; i++)
		report_add(&report, FAULT, "a", i, "x");
	assert_int_equal(report.faults, 20001);
	assert_in_range(report.n, 10000, 10001);
	report_free(&report);
}

static void check_recorded(const char *name)
{
	struct report report = { 0 };
	struct cell cell;
	char path[400];

	snprintf(path, sizeof(path), "tests/reference/sge/%s", name);
	assert_int_equal(cell_load(&cell, path, &report), 0);
	if (report.faults)
		report_print(&report, stderr);
	assert_int_equal(report.faults, 0);
	assert_true(cell.nusers >= 1 && cell.nqueues >= 1 && cell.ncomplexes >= 50);
	cell_free(&cell);
	report_free(&report);
}

static void test_recorded_cells_have_no_faults(void **state)
{
	DIR *cells = opendir("tests/reference/sge");
	struct dirent *entry;

	(void)state;
	if (!cells)
		skip();
	while ((entry = readdir(cells)))
		if (entry->d_name[0] != '.')
			check_recorded(entry->d_name);
	closedir(cells);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_default_cell_has_neither_faults_nor_warnings),
		TEST(test_each_object_is_read_completely),
		TEST(test_allocation_rules_are_numbers_or_words_in_any_case),
		TEST(test_only_complete_names_are_found),
		TEST(test_a_user_belongs_to_the_first_department_that_lists_it),
		TEST(test_a_host_overrides_its_groups_and_groups_override_the_default),
		TEST(test_several_groups_that_contain_a_host_are_ambiguous),
		TEST(test_many_groups_within_groups_are_searched_once_each),
		TEST(test_a_host_belongs_to_a_group_directly_or_through_other_groups),
		TEST(test_groups_in_a_circle_are_a_fault_and_harmless),
		TEST(test_other_files_and_dangling_names_are_warnings),
		TEST(test_dangling_names_of_a_queue_are_warned_of_with_their_line),
		TEST(test_members_spooled_by_grid_engine_are_accepted_quietly),
		TEST(test_two_files_with_one_name_are_a_fault),
		TEST(test_a_special_file_is_a_fault),
		TEST(test_a_missing_directory_is_an_error),
		TEST(test_an_empty_directory_is_no_cell),
		TEST(test_a_file_of_each_system_makes_a_directory_a_cell),
		TEST(test_a_misspelt_file_name_is_a_fault_when_the_file_is_missing),
		TEST(test_many_other_files_are_summed_up),
		TEST(test_files_of_the_scheduler_are_accepted_quietly),
		TEST(test_an_empty_sched_conf_has_the_defaults_and_a_warning),
		TEST(test_a_comment_in_sched_conf_is_a_cell_with_installed_defaults),
		TEST(test_max_aj_instances_0_is_unlimited_and_a_warning),
		TEST(test_findings_are_printed_with_file_line_and_severity),
		TEST(test_recorded_cells_have_no_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
