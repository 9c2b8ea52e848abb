/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each file in tests/bad/conf takes the place of its like in the default cell; `expected` beside it
 * has a line of name, line number and a piece of the message. Then the default cell's files with
 * damage by chance, which must never crash.
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

static void default_cell_create(struct cell_dir *d)
{
	cell_dir_create(d, "conf/default");
	cell_dir_write(d, "projects/closed", "name closed\noticket 0\nfshare 0\nacl physics\nxacl NONE\n");
}

static bool is(const char *format, const char *other)
{
	return !strcmp(format, other);
}

/*
 * What the file does not describe is there as ever. A broken user makes a share tree that names him
 * broken too.
 */
static void check_rest(const struct cell *c, const struct cell *whole, const char *format)
{
	if (!is(format, "sched_conf"))
		SAME(c, whole, sched.typed.n), SAME(c, whole, sched.halftime), SAME(c, whole, sched.weight_tickets_share);
	if (!is(format, "global_conf"))
		SAME(c, whole, global.typed.n), SAME(c, whole, global.auto_user_fshare);
	if (!is(format, "complex"))
		SAME(c, whole, ncomplexes);
	if (!is(format, "share_tree"))
		SAME(c, whole, ntree);
	if (!is(format, "rqs"))
		SAME(c, whole, nquotas), SAME(c, whole, quotas[0].nrules);
	assert_in_range(c->nusers, whole->nusers - is(format, "users"), whole->nusers);
	assert_in_range(c->nprojects, whole->nprojects - is(format, "projects"), whole->nprojects);
	assert_in_range(c->nusersets, whole->nusersets - is(format, "usersets"), whole->nusersets);
	assert_in_range(c->npes, whole->npes - is(format, "pe"), whole->npes);
	assert_in_range(c->ncheckpoints, whole->ncheckpoints - is(format, "ckpt"), whole->ncheckpoints);
	assert_in_range(c->ncalendars, whole->ncalendars - is(format, "calendar"), whole->ncalendars);
	assert_in_range(c->nqueues, whole->nqueues - is(format, "queue"), whole->nqueues);
	assert_in_range(c->nhosts, whole->nhosts - is(format, "hosts"), whole->nhosts);
	assert_in_range(c->nhostgroups, whole->nhostgroups - is(format, "hgrp"), whole->nhostgroups);
}

static void check_bad_file(struct cell_dir *d, const struct cell *whole, size_t format, char *expectation)
{
	char path[200], *name = strtok(expectation, "\t"), *line = strtok(NULL, "\t"), *text = strtok(NULL, "\n");
	static struct bytes broken;

	snprintf(path, sizeof(path), "tests/bad/conf/%s/%s", formats[format].format, name);
	file_read(&broken, path);
	cell_dir_put(d, formats[format].file, broken.data, broken.n);
	cell_dir_load(d);
	if (!cell_dir_found(d, FAULT, formats[format].file, atoi(line), text)) {
		report_print(&d->report, stderr);
		fail_msg("%s: no fault in line %s with: %s", path, line, text);
	}
	check_rest(&d->cell, whole, formats[format].format);
}

static size_t check_format(struct cell_dir *d, const struct cell *whole, size_t format)
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
		check_bad_file(d, whole, format, line);
	fclose(f);
	cell_dir_put(d, formats[format].file, intact.data, intact.n);
	return n;
}

static void test_each_broken_file_is_named_with_line_and_reason_and_the_rest_is_read(void **state)
{
	struct cell_dir d, intact;
	size_t i;

	(void)state;
	default_cell_create(&d);
	default_cell_create(&intact);
	cell_dir_load(&intact);
	cell_dir_check_clean(&intact);
	for (i = 0; i < FORMATS; i++)
		assert_true(check_format(&d, &intact.cell, i) >= 10);
	cell_dir_load(&d);
	cell_dir_check_clean(&d);
	cell_dir_destroy(&d);
	cell_dir_destroy(&intact);
}

/* The comments are as long as the rest; damage there shows nothing. */
static void bytes_strip_comments(struct bytes *b)
{
	char *out = b->data, *at;
	bool comment = false;

	for (at = b->data; at < b->data + b->n; at++) {
		comment = *at == '#' || (comment && *at != '\n');
		if (!comment && !(*at == '\n' && (out == b->data || out[-1] == '\n')))
			*out++ = *at;
	}
	b->n = (size_t)(out - b->data);
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
		const struct calendar_entry *e = &entries->items[i];

		sound = sound && e->state >= CALENDAR_OFF && e->state <= CALENDAR_ON && e->weekdays <= CALENDAR_WEEK;
		for (size_t k = 0; k < e->ntimes; k++)
			sound = sound && e->times[k].begin <= e->times[k].end && e->times[k].end <= CALENDAR_DAY;
	}
	return sound;
}

/* What a user of a cell without faults relies on. */
static bool is_sound(const struct cell *c)
{
	const struct sched_conf *s = &c->sched;
	bool sound = isfinite(s->weight_ticket) && isfinite(s->weight_deadline) && isfinite(s->weight_urgency) && isfinite(s->weight_priority) &&
		     isfinite(s->weight_waiting_time) && isfinite(s->compensation_factor) && s->max_pending_tasks_per_job > 0 &&
		     s->load_formula && c->global.auto_user_default_project;
	size_t i;

	for (i = 0; i < c->ncomplexes; i++)
		sound = sound && isfinite(c->complexes[i].urgency) && c->complexes[i].default_value;
	for (i = 0; i < c->nusers; i++)
		sound = sound && c->users[i].default_project;
	for (i = 0; i < c->npes; i++)
		sound = sound && c->pes[i].allocation_rule && c->pes[i].urgency_slots;
	for (i = 0; i < c->nquotas; i++)
		sound = sound && quotas_are_sound(&c->quotas[i]);
	for (i = 0; i < c->ncalendars; i++)
		sound = sound && entries_are_sound(&c->calendars[i].year) && entries_are_sound(&c->calendars[i].week);
	for (i = 1; i < c->ntree; i++)
		sound = sound && c->tree[i].parent >= 0 && (size_t)c->tree[i].parent < i;
	return sound;
}

/* How often a cell was damaged, without faults, and yet not sound. */
static int damage(struct cell_dir *d, const char *file, int rounds)
{
	char path[200];
	static struct bytes intact, b;
	int i, j, unsound = 0;

	snprintf(path, sizeof(path), "conf/default/%s", file);
	file_read(&intact, path);
	bytes_strip_comments(&intact);
	for (i = 0; i < rounds; i++) {
		b = intact;
		for (j = (int)chance(4); j >= 0; j--)
			bytes_damage(&b, tokens, sizeof(tokens) / sizeof(*tokens));
		cell_dir_put(d, file, b.data, b.n);
		cell_dir_load(d);
		unsound += d->report.faults == 0 && !is_sound(&d->cell);
	}
	cell_dir_put(d, file, intact.data, intact.n);
	return unsound;
}

static void test_damage_by_chance_never_crashes_the_readers(void **state)
{
	struct cell_dir d;
	size_t i;

	(void)state;
	seed_choose();
	cell_dir_create(&d, "conf/default");
	for (i = 0; i < FORMATS; i++)
		assert_int_equal(damage(&d, formats[i].file, 150), 0);
	cell_dir_load(&d);
	cell_dir_check_clean(&d);
	cell_dir_destroy(&d);
}

/*
 * The negative control: with a reader that takes anything for a number, damage by chance comes upon
 * it.
 */
static void test_damage_by_chance_finds_a_reader_that_takes_anything_for_a_number(void **state)
{
	struct cell_dir d;
	int found = 0;

	(void)state;
	seed_choose();
	cell_dir_create(&d, "conf/default");
	lie = true;
	for (int tries = 0; tries < 100 && !found; tries++)
		found = damage(&d, "sched_conf", 150);
	lie = false;
	assert_true(found > 0);
	cell_dir_destroy(&d);
}

static void test_every_truncation_of_a_file_is_survived(void **state)
{
	char path[200];
	static struct bytes intact;
	struct cell_dir d;
	size_t i, n;

	(void)state;
	cell_dir_create(&d, "conf/default");
	for (i = 0; i < FORMATS; i++) {
		snprintf(path, sizeof(path), "conf/default/%s", formats[i].file);
		file_read(&intact, path);
		bytes_strip_comments(&intact);
		for (n = 0; n < intact.n; n += 1 + intact.n / 100) {
			cell_dir_put(&d, formats[i].file, intact.data, n);
			cell_dir_load(&d);
			if (d.report.faults == 0)
				assert_true(is_sound(&d.cell));
		}
		cell_dir_put(&d, formats[i].file, intact.data, intact.n);
	}
	cell_dir_destroy(&d);
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
