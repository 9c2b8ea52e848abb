/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "shm/attach.h"
#include "shm/strings.h"
#include "tests/shm/cell.h"

struct fixture {
	struct shm_cell cell;
	struct segment segment;
	struct strings *strings;
};

static int setup_with(void **state, uint64_t file_bytes)
{
	static struct fixture f;
	const struct segment_options options = { .file_bytes = file_bytes, .group = -1 };

	*state = &f;
	if (shm_cell_make(&f.cell) || segment_create(&f.segment, f.cell.directory, &options, NULL))
		return -1;
	return strings_create(&f.strings, &f.segment);
}

static int setup(void **state)
{
	return setup_with(state, 256 << 20);
}

static int setup_tight(void **state)
{
	return setup_with(state, 8 << 20);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	strings_destroy(f->strings);
	segment_close(&f->segment);
	shm_cell_clear(&f->cell);
	return 0;
}

static void publish(struct fixture *f)
{
	struct generation_writer w;

	assert_int_equal(generation_begin(&w, &f->segment), 0);
	assert_int_equal(strings_publish(f->strings, &w), 0);
	generation_publish(&w);
	assert_int_equal(segment_announce(&f->segment), 0);
}

static void test_the_same_text_has_the_same_id(void **state)
{
	struct fixture *f = *state;
	char copy[] = "anna";
	uint32_t anna = strings_hold(f->strings, "anna"), bert = strings_hold(f->strings, "bert");

	assert_int_not_equal(anna, bert);
	assert_int_equal(strings_hold(f->strings, copy), anna);
	assert_string_equal(strings_text(f->strings, anna), "anna");
	assert_string_equal(strings_text(f->strings, bert), "bert");
	assert_int_equal(strings_hold(f->strings, NULL), NONE);
	assert_string_equal(strings_text(f->strings, NONE), "");
	strings_drop(f->strings, NONE);
	assert_string_equal(strings_text(f->strings, strings_hold(f->strings, "")), "");
}

static void test_a_text_is_found_as_long_as_somebody_holds_it(void **state)
{
	struct fixture *f = *state;
	uint32_t id = strings_hold(f->strings, "anna");

	assert_int_equal(strings_hold(f->strings, "anna"), id);
	strings_drop(f->strings, id);
	assert_int_equal(strings_find(f->strings, "anna"), id);
	strings_drop(f->strings, id);
	assert_int_equal(strings_find(f->strings, "anna"), NONE);
	assert_int_equal(strings_find(f->strings, "bert"), NONE);
	assert_int_equal(strings_find(f->strings, NULL), NONE);
	assert_int_equal(strings_hold(f->strings, "anna"), id);
	assert_int_equal(strings_find(f->strings, "anna"), id);
}

static void test_a_dropped_id_is_not_given_to_another_text_in_the_same_arena(void **state)
{
	struct fixture *f = *state;
	uint32_t id = strings_hold(f->strings, "anna");

	publish(f);
	strings_drop(f->strings, id);
	for (int i = 0; i < 100; i++) {
		char text[16];

		snprintf(text, sizeof(text), "job%d", i);
		assert_int_not_equal(strings_hold(f->strings, text), id);
	}
}

static void name(char *text, size_t size, unsigned i)
{
	snprintf(text, size, "%u a job with quite a long name", i);
}

static void test_an_old_generation_shows_its_texts_after_the_arena_has_changed(void **state)
{
	enum { MANY = 30000 };
	struct fixture *f = *state;
	static uint32_t ids[MANY];
	struct attachment a;
	struct view view;
	char text[64];

	for (unsigned i = 0; i < MANY; i++) {
		name(text, sizeof(text), i);
		ids[i] = strings_hold(f->strings, text);
	}
	publish(f);
	assert_int_equal(attach_open(&a, f->cell.directory, 0), 0);
	attach_begin(&a, &view);
	for (unsigned i = 0; i < MANY; i++)
		if (i % 3)
			strings_drop(f->strings, ids[i]);
	publish(f);
	for (unsigned i = 0; i < MANY; i++)
		assert_int_not_equal(strings_hold(f->strings, "new"), NONE);
	for (unsigned i = MANY; i < 3 * MANY; i++) {
		name(text, sizeof(text), i);
		assert_int_not_equal(strings_hold(f->strings, text), NONE);
	}
	publish(f);
	publish(f);
	for (unsigned i = 0; i < MANY; i++) {
		name(text, sizeof(text), i);
		assert_string_equal(view_string(&view, ids[i]), text);
	}
	assert_int_equal(attach_end(&a, &view), 0);
	attach_begin(&a, &view);
	for (unsigned i = 0; i < MANY; i += 3) {
		name(text, sizeof(text), i);
		assert_string_equal(view_string(&view, ids[i]), text);
		assert_string_equal(strings_text(f->strings, ids[i]), text);
	}
	assert_int_equal(attach_end(&a, &view), 0);
	attach_close(&a);
}

static void test_memory_returns_when_names_come_and_go(void **state)
{
	struct fixture *f = *state;
	char text[64];

	publish(f);
	publish(f);
	size_t held = f->segment.extents_held;

	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < 20000; i++) {
			name(text, sizeof(text), round * 20000 + i);
			assert_int_not_equal(strings_hold(f->strings, text), NONE);
		}
		publish(f);
		for (unsigned i = 0; i < 20000; i++) {
			name(text, sizeof(text), round * 20000 + i);
			strings_drop(f->strings, strings_find(f->strings, text));
		}
		publish(f);
		assert_true(f->segment.extents_held <= held + 4);
	}
	publish(f);
	assert_int_equal(f->segment.extents_held, held);
}

static void test_no_memory_is_told_and_everything_held_stays(void **state)
{
	struct fixture *f = *state;
	char *text = malloc(1 << 20);
	unsigned n = 0;

	assert_non_null(text);
	memset(text, 'x', (1 << 20) - 1);
	text[(1 << 20) - 1] = 0;
	uint32_t anna = strings_hold(f->strings, "anna");

	for (; n < 100; n++) {
		text[0] = (char)('A' + n);
		errno = 0;
		if (strings_hold(f->strings, text) == NONE)
			break;
	}
	assert_true(n > 0 && n < 8);
	assert_int_equal(errno, ENOMEM);
	assert_string_equal(strings_text(f->strings, anna), "anna");
	text[0] = 'A';
	assert_int_not_equal(strings_find(f->strings, text), NONE);
	publish(f);
	free(text);
}

enum { TEXTS = 3000 };

/* what must be true: holders of each text, and its id while there are any */
struct model {
	uint32_t holders[TEXTS], ids[TEXTS];
};

static void model_check(struct fixture *f, const struct model *m, const struct view *view)
{
	char text[64];

	for (unsigned i = 0; i < TEXTS; i++) {
		name(text, sizeof(text), i);
		assert_int_equal(strings_find(f->strings, text), m->holders[i] ? m->ids[i] : NONE);
		if (m->holders[i])
			assert_string_equal(view_string(view, m->ids[i]), text);
	}
}

static void test_random_holders_agree_with_a_simple_model(void **state)
{
	struct fixture *f = *state;
	static struct model m;
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : 20240511;
	struct attachment a;
	struct view view;
	char text[64];

	print_message("seed %u\n", seed);
	memset(&m, 0, sizeof(m));
	publish(f);
	assert_int_equal(attach_open(&a, f->cell.directory, 0), 0);
	for (unsigned step = 0; step < 120000; step++) {
		unsigned i = (unsigned)rand_r(&seed) % TEXTS;
		bool grow = (unsigned)rand_r(&seed) % 100 < (step / 10000 % 2 ? 30 : 70);

		name(text, sizeof(text), i);
		if (grow) {
			uint32_t id = strings_hold(f->strings, text);

			assert_true(m.holders[i] == 0 || m.ids[i] == id);
			m.ids[i] = id;
			m.holders[i]++;
		} else if (m.holders[i]) {
			strings_drop(f->strings, m.ids[i]);
			m.holders[i]--;
		}
		if (step % 5000 == 4999) {
			publish(f);
			attach_begin(&a, &view);
			model_check(f, &m, &view);
			assert_int_equal(attach_end(&a, &view), 0);
		}
	}
	attach_close(&a);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_same_text_has_the_same_id),
		TEST(test_a_text_is_found_as_long_as_somebody_holds_it),
		TEST(test_a_dropped_id_is_not_given_to_another_text_in_the_same_arena),
		TEST(test_an_old_generation_shows_its_texts_after_the_arena_has_changed),
		TEST(test_memory_returns_when_names_come_and_go),
		cmocka_unit_test_setup_teardown(test_no_memory_is_told_and_everything_held_stays, setup_tight, teardown),
		TEST(test_random_holders_agree_with_a_simple_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
