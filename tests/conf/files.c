/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
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

static char *findings(const struct report *report)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report_print(report, out);
	fclose(out);
	return text;
}

static void check_same_pairs(const struct pairs *a, const struct pairs *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		assert_string_equal(a->items[i].name, b->items[i].name);
		assert_string_equal(a->items[i].text, b->items[i].text);
	}
}

static void check_same(const struct cell *a, const struct cell *b)
{
	assert_int_equal(a->files.n, b->files.n);
	for (size_t i = 0; i < a->files.n; i++) {
		assert_string_equal(a->files.items[i].name, b->files.items[i].name);
		assert_string_equal(a->files.items[i].text, b->files.items[i].text);
	}
	check_same_pairs(&a->sched.typed, &b->sched.typed);
	check_same_pairs(&a->global.typed, &b->global.typed);
	assert_int_equal(a->ncomplexes, b->ncomplexes);
	assert_int_equal(a->nusers, b->nusers);
	for (size_t i = 0; i < a->nusers; i++)
		assert_string_equal(a->users[i].name, b->users[i].name);
	assert_int_equal(a->nqueues, b->nqueues);
	assert_int_equal(a->nhosts, b->nhosts);
	assert_int_equal(a->nhostgroups, b->nhostgroups);
	assert_int_equal(a->npes, b->npes);
	assert_int_equal(a->nquotas, b->nquotas);
	assert_int_equal(a->ntree, b->ntree);
	assert_int_equal(a->slurm.present, b->slurm.present);
	assert_int_equal(a->slurm.nassociations, b->slurm.nassociations);
	assert_int_equal(a->slurm.npartitions, b->slurm.npartitions);
	assert_int_equal(a->slurm.nqos, b->slurm.nqos);
}

/* Load from the texts under a name without files, so that the result depends only on the texts. */
static void check_loads_again(const char *path)
{
	struct report report = { 0 }, again = { 0 };
	struct cell a, b;

	assert_int_equal(cell_load(&a, path, &report), 0);
	assert_true(a.files.n > 0);
	assert_int_equal(cell_load_files(&b, "/nonexistent/cell", &a.files, &again), 0);
	check_same(&a, &b);
	assert_int_equal(report.faults, again.faults);
	cell_free(&a);
	cell_free(&b);
	report_free(&report);
	report_free(&again);
}

static void test_cells_load_again_from_their_texts(void **state)
{
	(void)state;
	check_loads_again("conf/default");
	check_loads_again("conf/local");
	check_loads_again("conf/multifactor");
}

static void test_included_files_are_texts_too(void **state)
{
	(void)state;
	cell_dir_write(&dir, "slurm.conf",
		       "ClusterName=c\nPriorityType=priority/multifactor\nInclude nodes.conf\nInclude nodes.conf\n");
	cell_dir_write(&dir, "nodes.conf", "PartitionName=p Nodes=n1 Default=YES\n");
	check_loads_again(dir.path);
}

static void test_findings_are_the_same_except_for_names_outside_the_cell(void **state)
{
	struct report again = { 0 };
	struct cell copy;
	char *before, *after;

	(void)state;
	cell_dir_write(&dir, "users/ann", "name ann\noticket many\n");
	cell_dir_write(&dir, "sched_conf", "weight_ticket x\n# \xff\n");
	cell_dir_load(&dir);
	assert_true(dir.report.faults > 1);
	assert_int_equal(cell_load_files(&copy, dir.path, &dir.cell.files, &again), 0);
	before = findings(&dir.report);
	after = findings(&again);
	assert_string_equal(before, after);
	free(before);
	free(after);
	cell_free(&copy);
	report_free(&again);
}

static void test_a_missing_file_of_the_list_does_not_exist(void **state)
{
	struct cell_files none = { 0 };
	struct report report = { 0 };
	struct cell cell;

	(void)state;
	assert_int_equal(cell_load_files(&cell, dir.path, &none, &report), 0);
	assert_int_equal(report.faults, 0);
	assert_int_equal(cell.nusers, 0);
	assert_int_equal(cell.files.n, 0);
	cell_free(&cell);
	report_free(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells_load_again_from_their_texts),
		cmocka_unit_test_setup_teardown(test_included_files_are_texts_too, setup, teardown),
		cmocka_unit_test_setup_teardown(test_findings_are_the_same_except_for_names_outside_the_cell,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_missing_file_of_the_list_does_not_exist, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
