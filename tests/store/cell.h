/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler whose usage is in a store, and that can be killed: what was not committed is gone
 * with it. cmocka.h and its headers come first.
 */
#ifndef TESTS_STORE_CELL_H
#define TESTS_STORE_CELL_H

#include "sched/parts.h"
#include "tests/mirror/cell.h"
#include "tests/store/file.h"

static struct store_file file;

static bool told_again = true;

static inline void attach(struct fixture *f)
{
	const struct store_usage_options options = { .told_again = told_again };

	OPEN(&file);
	OK(&file, store_usage_attach(file.store, sched_durable(f->sched), &options, &file.error));
}

static inline void save(int64_t now)
{
	OK(&file, store_usage_save(file.store, now, &file.error));
	OK(&file, store_commit(file.store, &file.error));
}

static inline void run_and_save(struct fixture *f, int64_t now)
{
	run(f, now);
	save(now);
}

static inline void sched_begin(struct fixture *f)
{
	const struct segment_options options = { .file_bytes = 1u << 30, .group = -1 };
	struct report report = { 0 };

	assert_int_equal(sched_create(&f->sched, f->cell.directory, &options, &report, &f->error), 0);
	report_free(&report);
	sched_dispatch(f->sched, false);
	events_destroy(&f->events);
	listen_to(f, f->sched);
}

/* Nothing is said, nothing is saved; the next one begins with what is on the disk. */
static inline void kill_and_restart(struct fixture *f)
{
	fl_detach(f->reader);
	f->reader = NULL;
	f->view = NULL;
	store_close(file.store);
	sched_destroy(f->sched);
	sched_begin(f);
	attach(f);
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

/* All usage, to the bit */

static inline void print_usage(FILE *out, const struct sched *s, const char *what, const struct usage *usage)
{
	fprintf(out, " %s", what);
	for (size_t i = 0; i < usage->n; i++)
		fprintf(out, " %s=%a", strings_text(s->strings, s->mirror.usage_names.strings[usage->items[i].name]),
			usage->items[i].value);
}

/* The caller frees. */
static inline char *all_usage(const struct sched *s)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int k = 0; k < SHARER_KINDS; k++)
		for (size_t i = 0; i < s->mirror.objects[k].n; i++) {
			const struct object *o = &s->mirror.objects[k].items[s->mirror.objects[k].sorted[i]];

			fprintf(out, "%d %s %lld %llu", k, strings_text(s->strings, o->name), (long long)o->time_stamp,
				(unsigned long long)o->told);
			print_usage(out, s, "usage", &o->usage);
			print_usage(out, s, "long", &o->long_term);
			for (size_t p = 0; p < o->nprojects; p++) {
				fprintf(out, " in %s", strings_text(s->strings, o->projects[p].project));
				print_usage(out, s, "usage", &o->projects[p].usage);
				print_usage(out, s, "long", &o->projects[p].long_term);
			}
			fprintf(out, "\n");
		}
	fclose(out);
	return text;
}

#endif
