/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replace a file of conf/userprio by each file of tests/bad/condor. A line of `expected` has a file
 * name, a line number and a part of the message. Random damage follows. It must never crash the
 * readers.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/conf/cell_dir.h"
#include "tests/conf/damage.h"
#include "tests/conf/number_lie.h"

static const struct { const char *format, *file, *intact; } formats[] = {
	{ "config", "condor_config", "conf/userprio/condor_config" }, { "log", "userprio", "tests/bad/condor/log/intact" },
	{ "long", "userprio", "tests/bad/condor/long/intact" },
};
enum { FORMATS = sizeof(formats) / sizeof(*formats) };

static void check_bad_file(struct cell_dir *dir, size_t format, char *expectation)
{
	char path[200], *name = strtok(expectation, "\t"), *line = strtok(NULL, "\t"), *text = strtok(NULL, "\n");
	static struct bytes broken;

	snprintf(path, sizeof(path), "tests/bad/condor/%s/%s", formats[format].format, name);
	file_read(&broken, path);
	cell_dir_put(dir, formats[format].file, broken.data, broken.n);
	cell_dir_load(dir);
	if (!cell_dir_found(dir, FAULT, formats[format].file, atoi(line), text)) {
		report_print(&dir->report, stderr);
		fail_msg("%s: no fault in line %s with: %s", path, line, text);
	}
	if (dir->report.faults != 1)
		fail_msg("%s: %zu faults, not one", path, dir->report.faults);
}

static void test_each_broken_file_is_named_with_line_and_reason(void **state)
{
	char path[200], line[400];
	struct cell_dir dir;
	size_t n;
	FILE *f;

	(void)state;
	for (size_t i = 0; i < FORMATS; i++) {
		cell_dir_create(&dir, "conf/userprio");
		snprintf(path, sizeof(path), "tests/bad/condor/%s/expected", formats[i].format);
		f = fopen(path, "r");
		assert_non_null(f);
		for (n = 0; fgets(line, sizeof(line), f); n++)
			check_bad_file(&dir, i, line);
		fclose(f);
		assert_true(n >= 10);
		cell_dir_destroy(&dir);
	}
}

static void test_the_cell_and_the_intact_files_have_no_findings(void **state)
{
	static struct bytes bytes;
	struct cell_dir dir;

	(void)state;
	cell_dir_create(&dir, "conf/userprio");
	for (size_t i = 0; i < FORMATS; i++) {
		file_read(&bytes, formats[i].intact);
		cell_dir_put(&dir, formats[i].file, bytes.data, bytes.n);
		cell_dir_load(&dir);
		cell_dir_check_clean(&dir);
	}
	cell_dir_destroy(&dir);
}

/*
 * Remove the comments of condor_config: they are most of the file, and damage in them has no
 * effect.
 */
static void comments_strip(struct bytes *bytes)
{
	size_t n = 0;
	bool comment = false;

	for (size_t i = 0; i < bytes->n; i++) {
		if (i == 0 || bytes->data[i - 1] == '\n')
			comment = bytes->data[i] == '#' && (i + 1 == bytes->n || bytes->data[i + 1] == ' ');
		if (!comment)
			bytes->data[n++] = bytes->data[i];
	}
	bytes->n = n;
}

static const char *const tokens[] = {
	"nan", "-1", "1e308", "4294967296", "\\\n", "#", "$(", ")", "$(GROUP_NAMES)", "=", "@=", "\n", ",", ":", "%s%n", "if ", "endif\n",
	"99999999999999999999", "-", "inf", "\"", "\xff\xfe", "105 \n", "106 \n", "GROUP_QUOTA_", "$ENV(", "..", "Name", "x", "include : ",
};

static bool customers_are_sound(const struct condor_conf *conf)
{
	bool sound = conf->last_update >= 0;

	for (const struct condor_customer *customer = conf->customers; customer < conf->customers + conf->ncustomers;
	     customer++)
		sound = sound && customer->name && isfinite(customer->rup) && customer->rup >= 0 &&
			isfinite(customer->factor) && isfinite(customer->accumulated) &&
			isfinite(customer->weight_accumulated) && isfinite(customer->uncharged) &&
			isfinite(customer->weight_uncharged) && isfinite(customer->weight_used) &&
			isfinite(customer->tree_used) && customer->used >= 0 && customer->begin >= 0 &&
			customer->last >= 0 && customer->ceiling >= -1 && customer->floor >= 0;
	for (const struct condor_resource *resource = conf->resources; resource < conf->resources + conf->nresources;
	     resource++)
		sound = sound && resource->slot && resource->customer && isfinite(resource->weight) &&
			resource->since >= 0;
	return sound;
}

/* Check the properties that every user of a cell without faults relies on. */
static bool is_sound(const struct condor_conf *conf)
{
	bool sound = conf->halflife > 0 && isfinite(conf->halflife) && conf->default_factor >= 1 &&
		     conf->nice_user_factor >= 1 && conf->remote_factor >= 1 && conf->round_robin_rate >= 1 &&
		     conf->max_allocation_rounds >= 1 && conf->limit_default >= 0 && conf->uid_domain &&
		     conf->local_domain && conf->slot_weight.program && conf->preemption_requirements.program &&
		     conf->pre_job_rank.program && conf->max_vacate_time.program && conf->remove_significant &&
		     conf->ngroups >= 1 && conf->groups[0].first_child == 1;

	for (size_t i = 1; i < conf->ngroups; i++) {
		const struct condor_group *group = &conf->groups[i];

		sound = sound && group->parent < i && i >= conf->groups[group->parent].first_child &&
			group->quota >= 0 && isfinite(group->quota) &&
			i < conf->groups[group->parent].first_child + conf->groups[group->parent].nchildren &&
			condor_group_of(conf, group->name, NULL) == i;
	}
	for (size_t i = 0; i < conf->nlimits; i++)
		sound = sound && conf->limits[i].most >= 0 && isfinite(conf->limits[i].most);
	return sound && customers_are_sound(conf);
}

/* Return how often a damaged file had no faults and was still unsound. */
static int damage(size_t format, int rounds)
{
	static struct bytes intact, bytes;
	struct cell_dir dir;
	int unsound = 0;

	cell_dir_create(&dir, "conf/userprio");
	file_read(&intact, formats[format].intact);
	comments_strip(&intact);
	for (int i = 0; i < rounds; i++) {
		bytes = intact;
		for (size_t j = chance(4) + 1; j > 0; j--)
			bytes_damage(&bytes, tokens, sizeof(tokens) / sizeof(*tokens));
		cell_dir_put(&dir, formats[format].file, bytes.data, bytes.n);
		cell_dir_load(&dir);
		unsound += dir.report.faults == 0 && !is_sound(&dir.cell.condor);
	}
	cell_dir_destroy(&dir);
	return unsound;
}

static void test_damage_by_chance_never_crashes_the_readers(void **state)
{
	(void)state;
	seed_choose();
	for (size_t i = 0; i < FORMATS; i++)
		assert_int_equal(damage(i, 500), 0);
}

/* The negative control. */
static void test_random_damage_detects_a_reader_that_accepts_any_text_as_a_number(void **state)
{
	int found = 0;

	(void)state;
	seed_choose();
	lie = true;
	for (size_t i = 0; i < FORMATS; i++)
		found += damage(i, 500);
	lie = false;
	assert_true(found > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_broken_file_is_named_with_line_and_reason),
		cmocka_unit_test(test_the_cell_and_the_intact_files_have_no_findings),
		cmocka_unit_test(test_damage_by_chance_never_crashes_the_readers),
		cmocka_unit_test(test_random_damage_detects_a_reader_that_accepts_any_text_as_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
