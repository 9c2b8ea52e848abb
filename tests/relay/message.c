/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of a relay: the receiver's image equals the sender's after any history of changes, and
 * no damaged message does more than be refused.
 *
 * usage: message [SEED]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/relay/message.h"
#include "sched/run/records.h"

#define STEPS 200
#define DAMAGES 3000
#define RESULTS_BYTES (64u << 10)

static unsigned seed = 5;

static unsigned below(unsigned n)
{
	return (unsigned)rand() % n;
}

/* The sender's image, whose marks are set where it differs from what was sent. */
static void change_size(struct image *image)
{
	uint64_t counts[MAX_TABLES] = { 0 };
	struct run_record head = { .results_bytes = RESULTS_BYTES, .run = below(1000) };

	for (unsigned id = 0; id < MAX_TABLES; id++)
		if (image_record_bytes(id) > 0)
			counts[id] = below(4) ? image->tables[id].size / image_record_bytes(id) : below(3000);
	assert_int_equal(image_shape(image, below(3) * CHUNK_ROWS / 2, counts, RESULTS_BYTES, UINT64_MAX), 0);
	memcpy(image->head, &head, sizeof(head));
}

static void change_bytes(struct image *image)
{
	struct image_object *object = image_object(image, below(image_objects(image)));

	if (object->size == 0)
		return;
	for (unsigned k = below(5); k > 0; k--) {
		uint64_t at = ((uint64_t)below(1u << 15) << 15 | below(1u << 15)) % object->size;

		object->bytes[at] = (uint8_t)below(256);
		object->changed[at / IMAGE_BLOCK_BYTES] = 1;
	}
}

static void parts_free(struct stream_part parts[STREAM_PARTS])
{
	free(parts[0].bytes);
	free(parts[1].bytes);
}

static void assert_equal(const struct image *a, const struct image *b)
{
	assert_int_equal(a->rows, b->rows);
	assert_int_equal(image_objects(a), image_objects(b));
	assert_memory_equal(a->head, b->head, HEAD_BYTES);
	for (uint32_t k = 0; k < image_objects(a); k++) {
		const struct image_object *x = image_object(a, k), *y = image_object(b, k);

		assert_int_equal(x->size, y->size);
		if (x->size > 0)
			assert_memory_equal(x->bytes, y->bytes, x->size);
	}
}

static int receive(struct image *image, struct stream_part parts[STREAM_PARTS], struct error *error)
{
	struct message_header header;
	int rc = message_header(&parts[0], &header, error);

	return rc ? rc : message_apply(&header, &parts[1], image, error);
}

static void test_differences_make_the_image_of_the_sender(void **state)
{
	struct image sender = { 0 }, receiver = { 0 };
	struct error error = { "" };

	(void)state;
	for (unsigned step = 1; step <= STEPS; step++) {
		struct stream_part parts[STREAM_PARTS];
		bool all = step == 1 || below(20) == 0;

		if (step == 1 || below(4) == 0)
			change_size(&sender);
		change_bytes(&sender);
		assert_int_equal(message_make(&sender, all, 1, step, all ? 0 : step - 1, parts), 0);
		image_sent(&sender);
		assert_int_equal(receive(&receiver, parts, &error), 0);
		parts_free(parts);
		assert_equal(&sender, &receiver);
	}
	image_free(&sender);
	image_free(&receiver);
}

static void test_a_small_change_makes_a_small_message(void **state)
{
	struct image sender = { 0 };
	struct stream_part parts[STREAM_PARTS];

	(void)state;
	while (sender.nchunks == 0)
		change_size(&sender);
	for (uint32_t k = 0; k < image_objects(&sender); k++)
		for (uint64_t at = 0; at < image_object(&sender, k)->size; at++)
			image_object(&sender, k)->bytes[at] = (uint8_t)below(256);
	image_sent(&sender);
	sender.facts[0].bytes[77]++;
	sender.facts[0].changed[0] = 1;
	assert_int_equal(message_make(&sender, false, 1, 2, 1, parts), 0);
	assert_in_range(parts[1].size, 1000, IMAGE_BLOCK_BYTES + 1000);
	parts_free(parts);
	image_free(&sender);
}

static void test_a_damaged_message_is_refused_or_changes_only_values(void **state)
{
	struct image sender = { 0 };
	unsigned refused = 0;

	(void)state;
	change_size(&sender);
	for (unsigned k = 0; k < DAMAGES; k++) {
		struct stream_part parts[STREAM_PARTS];
		struct image receiver = { 0 };
		struct error error = { "" };
		int rc;

		assert_int_equal(message_make(&sender, true, 1, 1, 0, parts), 0);
		for (unsigned n = 1 + below(3); n > 0; n--) {
			struct stream_part *part = &parts[below(STREAM_PARTS)];

			((uint8_t *)part->bytes)[below((unsigned)part->size)] ^= (uint8_t)(1u << below(8));
		}
		if (below(5) == 0)
			parts[1].size = below((unsigned)parts[1].size + 1);
		rc = receive(&receiver, parts, &error);
		assert_true(rc == 0 || (rc == -EPROTO && *error.text));
		refused += rc != 0;
		parts_free(parts);
		image_free(&receiver);
	}
	assert_in_range(refused, DAMAGES / 4, DAMAGES);
	image_free(&sender);
}

static void test_an_empty_message_has_no_blocks(void **state)
{
	struct stream_part parts[STREAM_PARTS];
	struct message_header header;
	struct error error = { "" };

	(void)state;
	assert_int_equal(message_make_empty(9, 4, parts), 0);
	assert_int_equal(message_header(&parts[0], &header, &error), 0);
	assert_true(header.stream == 9 && header.sequence == 4 && header.base == 4 && header.nblocks == 0);
	parts_free(parts);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_differences_make_the_image_of_the_sender),
		cmocka_unit_test(test_a_small_change_makes_a_small_message),
		cmocka_unit_test(test_a_damaged_message_is_refused_or_changes_only_values),
		cmocka_unit_test(test_an_empty_message_has_no_blocks),
	};

	if (argc > 1)
		seed = (unsigned)strtoul(argv[1], NULL, 10);
	printf("seed %u\n", seed);
	srand(seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
