/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler whose usage is in a store and that can be killed: uncommitted changes are lost.
 * Include after cmocka.h and its headers.
 */
#ifndef TESTS_STORE_CELL_H
#define TESTS_STORE_CELL_H

#include "sched/parts.h"
#include "tests/mirror/cell.h"
#include "tests/store/file.h"

static struct store_file file;

static bool reported_again = true;

static inline void attach(struct fixture *fixture)
{
	const struct store_usage_options options = { .reported_again = reported_again };

	OPEN(&file);
	OK(&file, store_usage_attach(file.store, sched_durable(fixture->sched), &options, &file.error));
}

static inline void save(int64_t now)
{
	OK(&file, store_usage_save(file.store, now, &file.error));
	OK(&file, store_commit(file.store, &file.error));
}

static inline void run_and_save(struct fixture *fixture, int64_t now)
{
	run(fixture, now);
	save(now);
}

static inline void sched_begin(struct fixture *fixture)
{
	const struct segment_options options = { .file_bytes = 1u << 30, .group = -1 };
	struct report report = { 0 };

	assert_int_equal(sched_create(&fixture->sched, fixture->cell.directory, &options, &report, &fixture->error), 0);
	report_free(&report);
	sched_dispatch(fixture->sched, false);
	events_destroy(&fixture->events);
	listen_to(fixture, fixture->sched);
}

/* Kill the scheduler without a report or a save. The next one begins with the state on the disk. */
static inline void kill_and_restart(struct fixture *fixture)
{
	fl_detach(fixture->reader);
	fixture->reader = NULL;
	fixture->view = NULL;
	store_close(file.store);
	sched_destroy(fixture->sched);
	sched_begin(fixture);
	attach(fixture);
}

static inline int store_cell_setup(void **state)
{
	if (setup(state) || store_file_make(&file))
		return -1;
	attach(*state);
	return 0;
}

static inline int store_cell_teardown(void **state)
{
	int code = teardown(state);

	store_close(file.store);
	directory_clear(file.directory);
	return rmdir(file.directory) || code;
}

static inline const char *ask(const char *sql)
{
	static char text[400];

	return query_one(file.store, sql, text, sizeof(text));
}

#define CELL_TEST(name) cmocka_unit_test_setup_teardown(name, store_cell_setup, store_cell_teardown)

/* All usage, exact to the bit */

static inline void print_usage(FILE *out, const struct sched *sched, const char *what, const struct usage *usage)
{
	fprintf(out, " %s", what);
	for (size_t i = 0; i < usage->n; i++)
		fprintf(out, " %s=%a",
			strings_text(sched->strings, sched->mirror.usage_names.strings[usage->items[i].name]),
			usage->items[i].value);
}

/* Return all usage as text. The caller frees it. */
static inline char *all_usage(const struct sched *sched)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int k = 0; k < SHARER_KINDS; k++)
		for (size_t i = 0; i < sched->mirror.objects[k].n; i++) {
			const struct object *object =
				&sched->mirror.objects[k].items[sched->mirror.objects[k].sorted[i]];

			fprintf(out, "%d %s %lld %llu", k, strings_text(sched->strings, object->name),
				(long long)object->time_stamp, (unsigned long long)object->reported);
			print_usage(out, sched, "usage", &object->usage);
			print_usage(out, sched, "long", &object->long_term);
			for (size_t p = 0; p < object->nprojects; p++) {
				fprintf(out, " in %s", strings_text(sched->strings, object->projects[p].project));
				print_usage(out, sched, "usage", &object->projects[p].usage);
				print_usage(out, sched, "long", &object->projects[p].long_term);
			}
			fprintf(out, "\n");
		}
	fclose(out);
	return text;
}

#endif
