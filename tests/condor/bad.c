/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each file in tests/bad/condor takes the place of its like in conf/userprio; `expected` beside it
 * has a line of name, line number and a piece of the message. Then damage by chance, which must
 * never crash the readers.
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

static void check_bad_file(struct cell_dir *d, size_t format, char *expectation)
{
	char path[200], *name = strtok(expectation, "\t"), *line = strtok(NULL, "\t"), *text = strtok(NULL, "\n");
	static struct bytes broken;

	snprintf(path, sizeof(path), "tests/bad/condor/%s/%s", formats[format].format, name);
	file_read(&broken, path);
	cell_dir_put(d, formats[format].file, broken.data, broken.n);
	cell_dir_load(d);
	if (!cell_dir_found(d, FAULT, formats[format].file, atoi(line), text)) {
		report_print(&d->report, stderr);
		fail_msg("%s: no fault in line %s with: %s", path, line, text);
	}
	if (d->report.faults != 1)
		fail_msg("%s: %zu faults, not one", path, d->report.faults);
}

static void test_each_broken_file_is_named_with_line_and_reason(void **state)
{
	char path[200], line[400];
	struct cell_dir d;
	size_t n;
	FILE *f;

	(void)state;
	for (size_t i = 0; i < FORMATS; i++) {
		cell_dir_create(&d, "conf/userprio");
		snprintf(path, sizeof(path), "tests/bad/condor/%s/expected", formats[i].format);
		f = fopen(path, "r");
		assert_non_null(f);
		for (n = 0; fgets(line, sizeof(line), f); n++)
			check_bad_file(&d, i, line);
		fclose(f);
		assert_true(n >= 10);
		cell_dir_destroy(&d);
	}
}

static void test_the_cell_and_the_intact_files_have_no_findings(void **state)
{
	static struct bytes b;
	struct cell_dir d;

	(void)state;
	cell_dir_create(&d, "conf/userprio");
	for (size_t i = 0; i < FORMATS; i++) {
		file_read(&b, formats[i].intact);
		cell_dir_put(&d, formats[i].file, b.data, b.n);
		cell_dir_load(&d);
		cell_dir_check_clean(&d);
	}
	cell_dir_destroy(&d);
}

/* Of condor_config the comments are the greater part; damage there shows nothing. */
static void comments_strip(struct bytes *b)
{
	size_t n = 0;
	bool comment = false;

	for (size_t i = 0; i < b->n; i++) {
		if (i == 0 || b->data[i - 1] == '\n')
			comment = b->data[i] == '#' && (i + 1 == b->n || b->data[i + 1] == ' ');
		if (!comment)
			b->data[n++] = b->data[i];
	}
	b->n = n;
}

static const char *const tokens[] = {
	"nan", "-1", "1e308", "4294967296", "\\\n", "#", "$(", ")", "$(GROUP_NAMES)", "=", "@=", "\n", ",", ":", "%s%n", "if ", "endif\n",
	"99999999999999999999", "-", "inf", "\"", "\xff\xfe", "105 \n", "106 \n", "GROUP_QUOTA_", "$ENV(", "..", "Name", "x", "include : ",
};

static bool customers_are_sound(const struct condor_conf *c)
{
	bool sound = c->last_update >= 0;

	for (const struct condor_customer *u = c->customers; u < c->customers + c->ncustomers; u++)
		sound = sound && u->name && isfinite(u->rup) && u->rup >= 0 && isfinite(u->factor) && isfinite(u->accumulated) &&
			isfinite(u->weight_accumulated) && isfinite(u->uncharged) && isfinite(u->weight_uncharged) && isfinite(u->weight_used) &&
			isfinite(u->tree_used) && u->used >= 0 && u->begin >= 0 && u->last >= 0 && u->ceiling >= -1 && u->floor >= 0;
	for (const struct condor_resource *r = c->resources; r < c->resources + c->nresources; r++)
		sound = sound && r->slot && r->customer && isfinite(r->weight) && r->since >= 0;
	return sound;
}

/* What a user of a cell without faults relies on. */
static bool is_sound(const struct condor_conf *c)
{
	bool sound = c->halflife > 0 && isfinite(c->halflife) && c->default_factor >= 1 && c->nice_user_factor >= 1 && c->remote_factor >= 1 &&
		     c->round_robin_rate >= 1 && c->max_allocation_rounds >= 1 && c->limit_default >= 0 && c->uid_domain && c->local_domain &&
		     c->slot_weight.program && c->preemption_requirements.program && c->pre_job_rank.program && c->max_vacate_time.program &&
		     c->remove_significant && c->ngroups >= 1 && c->groups[0].first_child == 1;

	for (size_t i = 1; i < c->ngroups; i++) {
		const struct condor_group *g = &c->groups[i];

		sound = sound && g->parent < i && i >= c->groups[g->parent].first_child && g->quota >= 0 && isfinite(g->quota) &&
			i < c->groups[g->parent].first_child + c->groups[g->parent].nchildren && condor_group_of(c, g->name, NULL) == i;
	}
	for (size_t i = 0; i < c->nlimits; i++)
		sound = sound && c->limits[i].most >= 0 && isfinite(c->limits[i].most);
	return sound && customers_are_sound(c);
}

/* How often a file was damaged, without faults, and yet not sound. */
static int damage(size_t format, int rounds)
{
	static struct bytes intact, b;
	struct cell_dir d;
	int unsound = 0;

	cell_dir_create(&d, "conf/userprio");
	file_read(&intact, formats[format].intact);
	comments_strip(&intact);
	for (int i = 0; i < rounds; i++) {
		b = intact;
		for (size_t j = chance(4) + 1; j > 0; j--)
			bytes_damage(&b, tokens, sizeof(tokens) / sizeof(*tokens));
		cell_dir_put(&d, formats[format].file, b.data, b.n);
		cell_dir_load(&d);
		unsound += d.report.faults == 0 && !is_sound(&d.cell.condor);
	}
	cell_dir_destroy(&d);
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
static void test_damage_by_chance_finds_a_reader_that_takes_anything_for_a_number(void **state)
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
		cmocka_unit_test(test_damage_by_chance_finds_a_reader_that_takes_anything_for_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
