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
	static struct fixture fixture;
	const struct segment_options options = { .file_bytes = file_bytes, .group = -1 };

	*state = &fixture;
	if (shm_cell_make(&fixture.cell) || segment_create(&fixture.segment, fixture.cell.directory, &options, NULL))
		return -1;
	return strings_create(&fixture.strings, &fixture.segment);
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
	struct fixture *fixture = *state;

	strings_destroy(fixture->strings);
	segment_close(&fixture->segment);
	shm_cell_clear(&fixture->cell);
	return 0;
}

static void publish(struct fixture *fixture)
{
	struct generation_writer writer;

	assert_int_equal(generation_begin(&writer, &fixture->segment), 0);
	assert_int_equal(strings_publish(fixture->strings, &writer), 0);
	generation_publish(&writer);
	assert_int_equal(segment_announce(&fixture->segment), 0);
}

static void test_the_same_text_has_the_same_id(void **state)
{
	struct fixture *fixture = *state;
	char copy[] = "anna";
	uint32_t anna = strings_hold(fixture->strings, "anna"), bert = strings_hold(fixture->strings, "bert");

	assert_int_not_equal(anna, bert);
	assert_int_equal(strings_hold(fixture->strings, copy), anna);
	assert_string_equal(strings_text(fixture->strings, anna), "anna");
	assert_string_equal(strings_text(fixture->strings, bert), "bert");
	assert_int_equal(strings_hold(fixture->strings, NULL), NONE);
	assert_string_equal(strings_text(fixture->strings, NONE), "");
	strings_drop(fixture->strings, NONE);
	assert_string_equal(strings_text(fixture->strings, strings_hold(fixture->strings, "")), "");
}

static void test_a_text_is_found_while_it_is_held(void **state)
{
	struct fixture *fixture = *state;
	uint32_t id = strings_hold(fixture->strings, "anna");

	assert_int_equal(strings_hold(fixture->strings, "anna"), id);
	strings_drop(fixture->strings, id);
	assert_int_equal(strings_find(fixture->strings, "anna"), id);
	strings_drop(fixture->strings, id);
	assert_int_equal(strings_find(fixture->strings, "anna"), NONE);
	assert_int_equal(strings_find(fixture->strings, "bert"), NONE);
	assert_int_equal(strings_find(fixture->strings, NULL), NONE);
	assert_int_equal(strings_hold(fixture->strings, "anna"), id);
	assert_int_equal(strings_find(fixture->strings, "anna"), id);
}

static void test_a_dropped_id_is_not_reused_for_another_text_in_the_same_arena(void **state)
{
	struct fixture *fixture = *state;
	uint32_t id = strings_hold(fixture->strings, "anna");

	publish(fixture);
	strings_drop(fixture->strings, id);
	for (int i = 0; i < 100; i++) {
		char text[16];

		snprintf(text, sizeof(text), "job%d", i);
		assert_int_not_equal(strings_hold(fixture->strings, text), id);
	}
}

static void name(char *text, size_t size, unsigned i)
{
	snprintf(text, size, "%u a job with quite a long name", i);
}

static void test_an_old_generation_shows_its_texts_after_a_change_of_arena(void **state)
{
	enum { MANY = 30000 };
	struct fixture *fixture = *state;
	static uint32_t ids[MANY];
	struct attachment attachment;
	struct view view;
	char text[64];

	for (unsigned i = 0; i < MANY; i++) {
		name(text, sizeof(text), i);
		ids[i] = strings_hold(fixture->strings, text);
	}
	publish(fixture);
	assert_int_equal(attach_open(&attachment, fixture->cell.directory, 0), 0);
	attach_begin(&attachment, &view);
	for (unsigned i = 0; i < MANY; i++)
		if (i % 3)
			strings_drop(fixture->strings, ids[i]);
	publish(fixture);
	for (unsigned i = 0; i < MANY; i++)
		assert_int_not_equal(strings_hold(fixture->strings, "new"), NONE);
	for (unsigned i = MANY; i < 3 * MANY; i++) {
		name(text, sizeof(text), i);
		assert_int_not_equal(strings_hold(fixture->strings, text), NONE);
	}
	publish(fixture);
	publish(fixture);
	for (unsigned i = 0; i < MANY; i++) {
		name(text, sizeof(text), i);
		assert_string_equal(view_string(&view, ids[i]), text);
	}
	assert_int_equal(attach_end(&attachment, &view), 0);
	attach_begin(&attachment, &view);
	for (unsigned i = 0; i < MANY; i += 3) {
		name(text, sizeof(text), i);
		assert_string_equal(view_string(&view, ids[i]), text);
		assert_string_equal(strings_text(fixture->strings, ids[i]), text);
	}
	assert_int_equal(attach_end(&attachment, &view), 0);
	attach_close(&attachment);
}

static void test_memory_is_returned_when_names_come_and_go(void **state)
{
	struct fixture *fixture = *state;
	char text[64];

	publish(fixture);
	publish(fixture);
	size_t held = fixture->segment.extents_held;

	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < 20000; i++) {
			name(text, sizeof(text), round * 20000 + i);
			assert_int_not_equal(strings_hold(fixture->strings, text), NONE);
		}
		publish(fixture);
		for (unsigned i = 0; i < 20000; i++) {
			name(text, sizeof(text), round * 20000 + i);
			strings_drop(fixture->strings, strings_find(fixture->strings, text));
		}
		publish(fixture);
		assert_true(fixture->segment.extents_held <= held + 4);
	}
	publish(fixture);
	assert_int_equal(fixture->segment.extents_held, held);
}

static void test_exhausted_memory_is_reported_and_held_texts_stay(void **state)
{
	struct fixture *fixture = *state;
	char *text = malloc(1 << 20);
	unsigned n = 0;

	assert_non_null(text);
	memset(text, 'x', (1 << 20) - 1);
	text[(1 << 20) - 1] = 0;
	uint32_t anna = strings_hold(fixture->strings, "anna");

	for (; n < 100; n++) {
		text[0] = (char)('A' + n);
		errno = 0;
		if (strings_hold(fixture->strings, text) == NONE)
			break;
	}
	assert_true(n > 0 && n < 8);
	assert_int_equal(errno, ENOMEM);
	assert_string_equal(strings_text(fixture->strings, anna), "anna");
	text[0] = 'A';
	assert_int_not_equal(strings_find(fixture->strings, text), NONE);
	publish(fixture);
	free(text);
}

enum { TEXTS = 3000 };

/* Expected state: holders of each text, and its id while it has holders. */
struct model {
	uint32_t holders[TEXTS], ids[TEXTS];
};

static void model_check(struct fixture *fixture, const struct model *model, const struct view *view)
{
	char text[64];

	for (unsigned i = 0; i < TEXTS; i++) {
		name(text, sizeof(text), i);
		assert_int_equal(strings_find(fixture->strings, text), model->holders[i] ? model->ids[i] : NONE);
		if (model->holders[i])
			assert_string_equal(view_string(view, model->ids[i]), text);
	}
}

static void test_random_holders_agree_with_a_simple_model(void **state)
{
	struct fixture *fixture = *state;
	static struct model model;
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : 20240511;
	struct attachment attachment;
	struct view view;
	char text[64];

	print_message("seed %u\n", seed);
	memset(&model, 0, sizeof(model));
	publish(fixture);
	assert_int_equal(attach_open(&attachment, fixture->cell.directory, 0), 0);
	for (unsigned step = 0; step < 120000; step++) {
		unsigned i = (unsigned)rand_r(&seed) % TEXTS;
		bool grow = (unsigned)rand_r(&seed) % 100 < (step / 10000 % 2 ? 30 : 70);

		name(text, sizeof(text), i);
		if (grow) {
			uint32_t id = strings_hold(fixture->strings, text);

			assert_true(model.holders[i] == 0 || model.ids[i] == id);
			model.ids[i] = id;
			model.holders[i]++;
		} else if (model.holders[i]) {
			strings_drop(fixture->strings, model.ids[i]);
			model.holders[i]--;
		}
		if (step % 5000 == 4999) {
			publish(fixture);
			attach_begin(&attachment, &view);
			model_check(fixture, &model, &view);
			assert_int_equal(attach_end(&attachment, &view), 0);
		}
	}
	attach_close(&attachment);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_same_text_has_the_same_id),
		TEST(test_a_text_is_found_while_it_is_held),
		TEST(test_a_dropped_id_is_not_reused_for_another_text_in_the_same_arena),
		TEST(test_an_old_generation_shows_its_texts_after_a_change_of_arena),
		TEST(test_memory_is_returned_when_names_come_and_go),
		cmocka_unit_test_setup_teardown(test_exhausted_memory_is_reported_and_held_texts_stay, setup_tight,
						teardown),
		TEST(test_random_holders_agree_with_a_simple_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
