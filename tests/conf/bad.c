/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replace a file of the default cell by each file of tests/bad/conf. A line of `expected` has a
 * file name, a line number and a part of the message. Random damage of the default cell's files
 * follows. It must never crash.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "conf/calendar.h"
#include "tests/conf/cell_dir.h"
#include "tests/conf/damage.h"
#include "tests/conf/number_lie.h"

#define SAME(a, b, member) assert_int_equal((a)->member, (b)->member)

static const struct { const char *format, *file; } formats[] = {
	{ "sched_conf", "sched_conf" }, { "share_tree", "share_tree" }, { "complex", "complex" }, { "users", "users/ann" },
	{ "projects", "projects/atlas" }, { "usersets", "usersets/physics" }, { "pe", "pe/smp" }, { "queue", "queue/all.q" },
	{ "hosts", "hosts/node1" }, { "hgrp", "hgrp/@allhosts" }, { "global_conf", "global_conf" },
	{ "rqs", "rqs" }, { "ckpt", "ckpt/self" }, { "calendar", "calendar/night" },
};
enum { FORMATS = sizeof(formats) / sizeof(*formats) };

static void default_cell_create(struct cell_dir *dir)
{
	cell_dir_create(dir, "conf/default");
	cell_dir_write(dir, "projects/closed", "name closed\noticket 0\nfshare 0\nacl physics\nxacl NONE\n");
}

static bool is(const char *format, const char *other)
{
	return !strcmp(format, other);
}

/*
 * Check that objects outside the damaged file are unchanged. A damaged user also damages a share
 * tree that names this user.
 */
static void check_rest(const struct cell *cell, const struct cell *whole, const char *format)
{
	if (!is(format, "sched_conf"))
		SAME(cell, whole, sched.typed.n), SAME(cell, whole, sched.halftime),
			SAME(cell, whole, sched.weight_tickets_share);
	if (!is(format, "global_conf"))
		SAME(cell, whole, global.typed.n), SAME(cell, whole, global.auto_user_fshare);
	if (!is(format, "complex"))
		SAME(cell, whole, ncomplexes);
	if (!is(format, "share_tree"))
		SAME(cell, whole, ntree);
	if (!is(format, "rqs"))
		SAME(cell, whole, nquotas), SAME(cell, whole, quotas[0].nrules);
	assert_in_range(cell->nusers, whole->nusers - is(format, "users"), whole->nusers);
	assert_in_range(cell->nprojects, whole->nprojects - is(format, "projects"), whole->nprojects);
	assert_in_range(cell->nusersets, whole->nusersets - is(format, "usersets"), whole->nusersets);
	assert_in_range(cell->npes, whole->npes - is(format, "pe"), whole->npes);
	assert_in_range(cell->ncheckpoints, whole->ncheckpoints - is(format, "ckpt"), whole->ncheckpoints);
	assert_in_range(cell->ncalendars, whole->ncalendars - is(format, "calendar"), whole->ncalendars);
	assert_in_range(cell->nqueues, whole->nqueues - is(format, "queue"), whole->nqueues);
	assert_in_range(cell->nhosts, whole->nhosts - is(format, "hosts"), whole->nhosts);
	assert_in_range(cell->nhostgroups, whole->nhostgroups - is(format, "hgrp"), whole->nhostgroups);
}

static void check_bad_file(struct cell_dir *dir, const struct cell *whole, size_t format, char *expectation)
{
	char path[200], *name = strtok(expectation, "\t"), *line = strtok(NULL, "\t"), *text = strtok(NULL, "\n");
	static struct bytes broken;

	snprintf(path, sizeof(path), "tests/bad/conf/%s/%s", formats[format].format, name);
	file_read(&broken, path);
	cell_dir_put(dir, formats[format].file, broken.data, broken.n);
	cell_dir_load(dir);
	if (!cell_dir_found(dir, FAULT, formats[format].file, atoi(line), text)) {
		report_print(&dir->report, stderr);
		fail_msg("%s: no fault in line %s with: %s", path, line, text);
	}
	check_rest(&dir->cell, whole, formats[format].format);
}

static size_t check_format(struct cell_dir *dir, const struct cell *whole, size_t format)
{
	char path[200], line[400];
	static struct bytes intact;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "conf/default/%s", formats[format].file);
	file_read(&intact, path);
	snprintf(path, sizeof(path), "tests/bad/conf/%s/expected", formats[format].format);
	f = fopen(path, "r");
	assert_non_null(f);
	for (; fgets(line, sizeof(line), f); n++)
		check_bad_file(dir, whole, format, line);
	fclose(f);
	cell_dir_put(dir, formats[format].file, intact.data, intact.n);
	return n;
}

static void test_each_broken_file_is_named_with_line_and_reason_and_the_rest_is_read(void **state)
{
	struct cell_dir dir, intact;
	size_t i;

	(void)state;
	default_cell_create(&dir);
	default_cell_create(&intact);
	cell_dir_load(&intact);
	cell_dir_check_clean(&intact);
	for (i = 0; i < FORMATS; i++)
		assert_true(check_format(&dir, &intact.cell, i) >= 10);
	cell_dir_load(&dir);
	cell_dir_check_clean(&dir);
	cell_dir_destroy(&dir);
	cell_dir_destroy(&intact);
}

/* Remove the comments: they are as long as the rest, and damage in them has no effect. */
static void bytes_strip_comments(struct bytes *bytes)
{
	char *out = bytes->data, *at;
	bool comment = false;

	for (at = bytes->data; at < bytes->data + bytes->n; at++) {
		comment = *at == '#' || (comment && *at != '\n');
		if (!comment && !(*at == '\n' && (out == bytes->data || out[-1] == '\n')))
			*out++ = *at;
	}
	bytes->n = (size_t)(out - bytes->data);
}

static const char *const tokens[] = {
	"nan", "-1", "1e308", "4294967296", "\\\n", "#", ",[", "]", "=", "@", "\n", "NONE", ",", ":", "0x", "%s%n", "id=0\n",
	"99999999999999999999", "-", "INFINITY", "*", "\xff\xfe",
};

static bool quotas_are_sound(const struct quota_set *set)
{
	const struct quota_rule *rule;
	bool sound = set->name && set->nrules > 0;
	size_t i;

	for (rule = set->rules; rule < set->rules + set->nrules; rule++) {
		sound = sound && rule->name && rule->nlimits > 0 && rule->number == rule - set->rules + 1;
		for (i = 0; i < rule->nlimits; i++)
			sound = sound && rule->limits[i].name && isfinite(rule->limits[i].value);
	}
	return sound;
}

static bool entries_are_sound(const struct calendar_entries *entries)
{
	bool sound = true;

	for (size_t i = 0; i < entries->n; i++) {
		const struct calendar_entry *entry = &entries->items[i];

		sound = sound && entry->state >= CALENDAR_OFF && entry->state <= CALENDAR_ON &&
			entry->weekdays <= CALENDAR_WEEK;
		for (size_t k = 0; k < entry->ntimes; k++)
			sound = sound && entry->times[k].begin <= entry->times[k].end &&
				entry->times[k].end <= CALENDAR_DAY;
	}
	return sound;
}

/* Check the properties that every user of a cell without faults relies on. */
static bool is_sound(const struct cell *cell)
{
	const struct sched_conf *conf = &cell->sched;
	bool sound = isfinite(conf->weight_ticket) && isfinite(conf->weight_deadline) &&
		     isfinite(conf->weight_urgency) && isfinite(conf->weight_priority) &&
		     isfinite(conf->weight_waiting_time) && isfinite(conf->compensation_factor) &&
		     conf->max_pending_tasks_per_job > 0 && conf->load_formula &&
		     cell->global.auto_user_default_project;
	size_t i;

	for (i = 0; i < cell->ncomplexes; i++)
		sound = sound && isfinite(cell->complexes[i].urgency) && cell->complexes[i].default_value;
	for (i = 0; i < cell->nusers; i++)
		sound = sound && cell->users[i].default_project;
	for (i = 0; i < cell->npes; i++)
		sound = sound && cell->pes[i].allocation_rule && cell->pes[i].urgency_slots;
	for (i = 0; i < cell->nquotas; i++)
		sound = sound && quotas_are_sound(&cell->quotas[i]);
	for (i = 0; i < cell->ncalendars; i++)
		sound = sound && entries_are_sound(&cell->calendars[i].year) &&
			entries_are_sound(&cell->calendars[i].week);
	for (i = 1; i < cell->ntree; i++)
		sound = sound && cell->tree[i].parent >= 0 && (size_t)cell->tree[i].parent < i;
	return sound;
}

/* Return how often a damaged cell had no faults and was still unsound. */
static int damage(struct cell_dir *dir, const char *file, int rounds)
{
	char path[200];
	static struct bytes intact, bytes;
	int i, j, unsound = 0;

	snprintf(path, sizeof(path), "conf/default/%s", file);
	file_read(&intact, path);
	bytes_strip_comments(&intact);
	for (i = 0; i < rounds; i++) {
		bytes = intact;
		for (j = (int)chance(4); j >= 0; j--)
			bytes_damage(&bytes, tokens, sizeof(tokens) / sizeof(*tokens));
		cell_dir_put(dir, file, bytes.data, bytes.n);
		cell_dir_load(dir);
		unsound += dir->report.faults == 0 && !is_sound(&dir->cell);
	}
	cell_dir_put(dir, file, intact.data, intact.n);
	return unsound;
}

static void test_damage_by_chance_never_crashes_the_readers(void **state)
{
	struct cell_dir dir;
	size_t i;

	(void)state;
	seed_choose();
	cell_dir_create(&dir, "conf/default");
	for (i = 0; i < FORMATS; i++)
		assert_int_equal(damage(&dir, formats[i].file, 150), 0);
	cell_dir_load(&dir);
	cell_dir_check_clean(&dir);
	cell_dir_destroy(&dir);
}

/* Negative control: random damage detects a reader that accepts any text as a number. */
static void test_damage_by_chance_finds_a_reader_that_takes_anything_for_a_number(void **state)
{
	struct cell_dir dir;
	int found = 0;

	(void)state;
	seed_choose();
	cell_dir_create(&dir, "conf/default");
	lie = true;
	for (int tries = 0; tries < 100 && !found; tries++)
		found = damage(&dir, "sched_conf", 150);
	lie = false;
	assert_true(found > 0);
	cell_dir_destroy(&dir);
}

static void test_every_truncation_of_a_file_is_survived(void **state)
{
	char path[200];
	static struct bytes intact;
	struct cell_dir dir;
	size_t i, n;

	(void)state;
	cell_dir_create(&dir, "conf/default");
	for (i = 0; i < FORMATS; i++) {
		snprintf(path, sizeof(path), "conf/default/%s", formats[i].file);
		file_read(&intact, path);
		bytes_strip_comments(&intact);
		for (n = 0; n < intact.n; n += 1 + intact.n / 100) {
			cell_dir_put(&dir, formats[i].file, intact.data, n);
			cell_dir_load(&dir);
			if (dir.report.faults == 0)
				assert_true(is_sound(&dir.cell));
		}
		cell_dir_put(&dir, formats[i].file, intact.data, intact.n);
	}
	cell_dir_destroy(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_broken_file_is_named_with_line_and_reason_and_the_rest_is_read),
		cmocka_unit_test(test_every_truncation_of_a_file_is_survived),
		cmocka_unit_test(test_damage_by_chance_never_crashes_the_readers),
		cmocka_unit_test(test_damage_by_chance_finds_a_reader_that_takes_anything_for_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
